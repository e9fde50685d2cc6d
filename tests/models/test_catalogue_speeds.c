/* Measured speeds: rows of the tables as they are, ratios between them, and nothing beyond. */
#include <math.h>
#include <string.h>

#include "models/catalogue.h"
#include "tests/support/unit.h"

static int setup(void **state) {
    *state = catalogue_create();
    return 0;
}

static int teardown(void **state) {
    catalogue_destroy(*state);
    return 0;
}

static void expect_speed(const struct catalogue *catalogue, const char *model,
                         enum measured_work work, int slices, double batch, double expected) {
    double speed = 0;
    int gpu = -1;
    assert_true(catalogue_measured_speed(catalogue, model, work, slices, batch, &speed, &gpu));
    if (fabs(speed - expected) > 1e-12) {
        fail_msg("%s on %dg at batch %g: %.15g, not %.15g", model, slices, batch, speed, expected);
    }
    assert_string_equal(catalogue->gpus[gpu].name,
                        work == MEASURED_INFERENCE ? "A100-SXM4-80GB" : "A100-SXM4-40GB");
}

/* Items per second of one process, from the rows resnet50,2,8 and resnet50,7,8: 687.254 and
 * 1599.984, and so on. */
static void test_a_batch_size_that_was_measured(void **state) {
    expect_speed(*state, "resnet50", MEASURED_INFERENCE, 2, 8, 687.254 / 1599.984);
    expect_speed(*state, "resnet50", MEASURED_INFERENCE, 2, 16, 738.306 / 2211.111);
    /* A small batch does not fill the whole GPU, so that slices were even faster. */
    expect_speed(*state, "resnet50", MEASURED_INFERENCE, 2, 1, 213.372 / 195.826);
    expect_speed(*state, "resnet50", MEASURED_INFERENCE, 3, 128, 1370.979 / 2551.424);
    expect_speed(*state, "ResNet50", MEASURED_INFERENCE, 7, 8, 1);
    /* Seconds per batch, so the other way round: gnn,64 has 0.032 on 1g and 0.0117 on 7g. */
    expect_speed(*state, "gnn", MEASURED_TRAINING, 1, 64, 0.0117 / 0.032);
    expect_speed(*state, "bert", MEASURED_TRAINING, 4, 8, 0.1207 / 0.2103);
}

static void test_between_batch_sizes(void **state) {
    double at_8 = 687.254 / 1599.984;
    double at_16 = 738.306 / 2211.111;
    expect_speed(*state, "resnet50", MEASURED_INFERENCE, 2, 12, (at_8 + at_16) / 2);
    expect_speed(*state, "resnet50", MEASURED_INFERENCE, 2, 9, at_8 + (at_16 - at_8) / 8);
    double at_64 = 0.0117 / 0.032;
    double at_128 = 0.0175 / 0.0604;
    expect_speed(*state, "gnn", MEASURED_TRAINING, 1, 80, at_64 + (at_128 - at_64) / 4);
    expect_speed(*state, "resnet50", MEASURED_INFERENCE, 7, 11.5, 1);
}

/* vgg19 fits on 1g up to batch 32 (224.591), and the whole GPU was measured beyond that. */
static void test_beyond_the_ends(void **state) {
    const struct catalogue *catalogue = *state;
    double at_32 = 0;
    int gpu;
    assert_true(
        catalogue_measured_speed(catalogue, "vgg19", MEASURED_INFERENCE, 1, 32, &at_32, &gpu));
    expect_speed(catalogue, "vgg19", MEASURED_INFERENCE, 1, 33, at_32);
    expect_speed(catalogue, "vgg19", MEASURED_INFERENCE, 1, 1e6, at_32);
    expect_speed(catalogue, "gnn", MEASURED_TRAINING, 1, 1, 0.0117 / 0.032);
    /* gnn,512 was too large for 1g, so 256 is the last. */
    expect_speed(catalogue, "gnn", MEASURED_TRAINING, 1, 512, 0.03 / 0.1258);
}

static void test_what_was_not_measured(void **state) {
    double speed = 42;
    int gpu = 42;
    assert_false(
        catalogue_measured_speed(*state, "teapot", MEASURED_INFERENCE, 1, 1, &speed, &gpu));
    assert_false(catalogue_measured_speed(*state, "", MEASURED_INFERENCE, 1, 1, &speed, &gpu));
    assert_false(
        catalogue_measured_speed(*state, "resnet50", MEASURED_TRAINING, 1, 64, &speed, &gpu));
    assert_false(catalogue_measured_speed(*state, "gnn", MEASURED_INFERENCE, 1, 64, &speed, &gpu));
    /* bert was too large to be trained on 1g, and nobody has 5 slices. */
    assert_false(catalogue_measured_speed(*state, "bert", MEASURED_TRAINING, 1, 2, &speed, &gpu));
    assert_false(catalogue_measured_speed(*state, "bert", MEASURED_INFERENCE, 5, 2, &speed, &gpu));
    assert_true(speed == 42);
}

/* Two processes of bert under MPS on 1g at batch 8: 64.346 items per second each, so a batch of 8
 * takes 8 / 64.346 s. */
static void test_rows_as_they_are(void **state) {
    const struct catalogue *catalogue = *state;
    size_t found = 0;
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        const struct measured_speed *row = &catalogue->speeds[i];
        if (strcmp(row->model, "bert") == 0 && row->work == MEASURED_INFERENCE &&
            row->compute_slices == 1 && row->batch == 8 && row->processes == 2) {
            assert_true(row->per_process == 64.346);
            assert_true(fabs(row->latency_s - 0.124) < 0.0005);
            found++;
        }
    }
    assert_int_equal(found, 1);
}

/* By model, GPU, work, slices, processes and batch, each once. */
static void test_rows_are_sorted(void **state) {
    const struct catalogue *catalogue = *state;
    for (size_t i = 1; i < catalogue->speed_count; i++) {
        const struct measured_speed *a = &catalogue->speeds[i - 1];
        const struct measured_speed *b = &catalogue->speeds[i];
        int order = strcmp(a->model, b->model);
        int keys[][2] = {{a->gpu, b->gpu},
                         {(int)a->work, (int)b->work},
                         {a->compute_slices, b->compute_slices},
                         {a->processes, b->processes},
                         {a->batch, b->batch}};
        for (size_t k = 0; k < 5 && order == 0; k++) {
            order = keys[k][0] - keys[k][1];
        }
        assert_true(order < 0);
        assert_true(b->per_process > 0 && b->latency_s > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_batch_size_that_was_measured),
        cmocka_unit_test(test_between_batch_sizes),
        cmocka_unit_test(test_beyond_the_ends),
        cmocka_unit_test(test_what_was_not_measured),
        cmocka_unit_test(test_rows_as_they_are),
        cmocka_unit_test(test_rows_are_sorted),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
