/* Invariant: requests are counted by what they ask for, and beyond the limit by the known one that
 * is most like them. */
#include "sim/cluster/request_mix.h"
#include "tests/support/unit.h"

static const int64_t GIB = INT64_C(1) << 30;

static void note(struct request_mix *mix, int32_t gpus, int64_t memory, int32_t compute) {
    struct slot_ask ask = {.kinds = 1, .memory = memory, .compute = compute};
    request_mix_note(mix, gpus, &ask);
}

static void equal_requests_are_one(void **state) {
    (void)state;
    struct request_mix mix = {.gpu_memory = 80 * GIB};
    note(&mix, 0, GIB, 5);
    note(&mix, 0, 2 * GIB, 5);
    note(&mix, 0, GIB, 5);
    note(&mix, 2, GIB, 5);
    note(&mix, 2, 3 * GIB, 0); /* on whole GPUs the memory says nothing */
    assert_int_equal(mix.total, 5);
    assert_int_equal(mix.class_count, 3);
    assert_int_equal(mix.classes[0].count, 2);
    assert_int_equal(mix.classes[1].count, 1);
    assert_int_equal(mix.classes[2].gpus, 2);
    assert_int_equal(mix.classes[2].count, 2);
}

/* As many as there is room for, of 1, 2, 3 ... GiB; then 2.4 GiB are like 2, 2.6 are like 3, and a
 * gang is like the only gang, however small. */
static void the_most_like_one_beyond_the_limit(void **state) {
    (void)state;
    struct request_mix mix = {.gpu_memory = 80 * GIB};
    for (int i = 1; i < REQUEST_CLASSES_LIMIT; i++) {
        note(&mix, 0, i * GIB, 0);
    }
    note(&mix, 4, 0, 0);
    note(&mix, 0, 12 * GIB / 5, 0);
    note(&mix, 0, 13 * GIB / 5, 0);
    note(&mix, 0, 5000 * GIB, 0);
    note(&mix, 1, 0, 0);
    assert_int_equal(mix.class_count, REQUEST_CLASSES_LIMIT);
    assert_int_equal(mix.total, REQUEST_CLASSES_LIMIT + 4);
    assert_int_equal(mix.classes[0].count, 1);
    assert_int_equal(mix.classes[1].count, 2);
    assert_int_equal(mix.classes[2].count, 2);
    assert_int_equal(mix.classes[REQUEST_CLASSES_LIMIT - 2].count, 2);
    assert_int_equal(mix.classes[REQUEST_CLASSES_LIMIT - 1].count, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_requests_are_one),
        cmocka_unit_test(the_most_like_one_beyond_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
