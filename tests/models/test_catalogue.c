/* The GPU catalogue: complete, plausible, with sources; and found by the names that people use. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/catalogue.h"
#include "tests/support/unit.h"

static const char *const names[] = {
    "A100-SXM4-40GB", "A100-SXM4-80GB", "A100-PCIE-40GB", "A100-PCIE-80GB",    "A30-24GB",
    "H100-SXM5-80GB", "H100-PCIE-80GB", "H100-NVL-94GB",  "GH200-96GB",        "H200-SXM-141GB",
    "B200-SXM-180GB", "GB200-186GB",    "L40S-48GB",      "RTX-PRO-6000-96GB", "V100-SXM2-16GB",
    "V100-SXM2-32GB", "P100-16GB",      "T4-16GB",        "L4-24GB",           "A10-24GB"};
enum { NAMES = sizeof(names) / sizeof(names[0]), MOST = 8 };

static int setup(void **state) {
    *state = catalogue_create();
    return 0;
}

static int teardown(void **state) {
    catalogue_destroy(*state);
    return 0;
}

static const struct gpu_model *find(const struct catalogue *catalogue, const char *name) {
    int candidates[MOST];
    size_t count;
    int row = catalogue_find_gpu(catalogue, name, candidates, MOST, &count);
    if (row < 0) {
        fail_msg("not found: %s", name);
    }
    assert_int_equal(count, 0);
    return &catalogue->gpus[row];
}

static void test_all_names_are_there(void **state) {
    const struct catalogue *catalogue = *state;
    assert_int_equal(catalogue->gpu_count, NAMES);
    for (size_t i = 0; i < NAMES; i++) {
        assert_string_equal(find(catalogue, names[i])->name, names[i]);
    }
}

/* The memory is what the name says, in GB or GiB, less what the driver keeps: never more. */
static void test_memory_matches_the_name_and_has_a_source(void **state) {
    const struct catalogue *catalogue = *state;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        int gigabytes = 0;
        assert_int_equal(sscanf(strrchr(gpu->name, '-'), "-%dGB", &gigabytes), 1);
        assert_true(gpu->memory_mib <= gigabytes * 1024);
        assert_true((double)gpu->memory_mib * 1048576 >= gigabytes * 0.93e9);
    }
}

/* A figure has a source and a confidence, and what is not known has neither. */
static void expect_provenance(const struct provenance *provenance, bool known) {
    assert_int_equal(provenance->source[0] != '\0', known);
    assert_int_equal(provenance->confidence[0] != '\0', known);
}

static void test_every_figure_has_a_source(void **state) {
    const struct catalogue *catalogue = *state;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        expect_provenance(&gpu->memory, true);
        expect_provenance(&gpu->sms_provenance, gpu->sms > 0);
        expect_provenance(&gpu->power, !isnan(gpu->limit_watts));
        for (size_t p = 0; p < gpu->profile_count; p++) {
            const struct mig_profile *profile = &gpu->profiles[p];
            expect_provenance(&profile->geometry, true);
            expect_provenance(&profile->size, profile->sms > 0);
            assert_int_equal(profile->sms > 0, profile->memory_mib > 0);
        }
    }
    for (size_t i = 0; i < catalogue->model_count; i++) {
        expect_provenance(&catalogue->models[i].provenance, true);
    }
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        expect_provenance(&catalogue->speeds[i].provenance, true);
    }
}

static void test_known_figures(void **state) {
    const struct catalogue *catalogue = *state;
    /* nvidia-smi of the boards. */
    assert_int_equal(find(catalogue, "A100-SXM4-80GB")->memory_mib, 81920);
    assert_int_equal(find(catalogue, "H100-SXM5-80GB")->memory_mib, 81559);
    assert_int_equal(find(catalogue, "T4")->memory_mib, 15360);
    assert_int_equal(find(catalogue, "L40S")->memory_mib, 46068);
    assert_int_equal(find(catalogue, "A100-PCIE-40GB")->sms, 108);
    assert_int_equal(find(catalogue, "H100-PCIE-80GB")->sms, 114);
    assert_int_equal(find(catalogue, "V100-SXM2-32GB")->sms, 80);
    assert_int_equal(find(catalogue, "T4")->sms, 40);
    assert_true(find(catalogue, "A100-SXM4-40GB")->idle_watts == 49.7);
    assert_true(find(catalogue, "A100-SXM4-40GB")->limit_watts == 400);
    assert_true(isnan(find(catalogue, "GH200")->limit_watts));
    assert_true(isnan(find(catalogue, "L4")->idle_watts));
}

static const struct mig_profile *find_profile(const struct gpu_model *gpu, const char *name) {
    for (size_t i = 0; i < gpu->profile_count; i++) {
        if (strcmp(gpu->profiles[i].name, name) == 0) {
            return &gpu->profiles[i];
        }
    }
    fail_msg("%s has no profile %s", gpu->name, name);
    return NULL;
}

/* nvidia-smi mig -lgip and -lgipp of the boards; slices are not linear in anything. */
static void test_known_profiles(void **state) {
    const struct catalogue *catalogue = *state;
    const struct gpu_model *a100 = find(catalogue, "A100-SXM4-80GB");
    assert_int_equal(a100->compute_slices, 7);
    assert_int_equal(a100->memory_units, 8);
    assert_true(a100->mig_mode_needs_reset);
    const struct mig_profile *three = find_profile(a100, "3g.40gb");
    assert_int_equal(three->id, 9);
    assert_int_equal(three->compute_slices, 3);
    assert_int_equal(three->memory_units, 4);
    assert_int_equal(three->memory_mib, 40192);
    assert_int_equal(three->sms, 42);
    assert_int_equal(three->copy_engines, 3);
    assert_int_equal(three->max_instances, 2);
    assert_int_equal(three->starts, 0x11);
    assert_int_equal(find_profile(a100, "2g.20gb")->starts, 0x15);
    assert_int_equal(find_profile(a100, "1g.10gb")->starts, 0x7f);

    const struct gpu_model *h100 = find(catalogue, "H100-SXM5-80GB");
    assert_false(h100->mig_mode_needs_reset);
    assert_int_equal(find_profile(h100, "1g.10gb")->sms, 16);
    assert_int_equal(find_profile(h100, "1g.20gb")->sms, 26);
    assert_int_equal(find_profile(h100, "3g.40gb")->sms, 60);

    const struct gpu_model *rtx = find(catalogue, "RTX-PRO-6000");
    assert_int_equal(rtx->memory_units, 12);
    assert_int_equal(rtx->profile_count, 11);
    assert_int_equal(find_profile(rtx, "1g.24gb-me")->starts, 0x249);
    /* What no board's output was found for. */
    assert_int_equal(find_profile(find(catalogue, "B200"), "3g.90gb")->sms, 0);
    assert_int_equal(find_profile(find(catalogue, "B200"), "3g.90gb")->decoders, -1);
    assert_int_equal(find_profile(find(catalogue, "H100-PCIE"), "1g.10gb")->memory_mib, 0);
    /* Decoders of a 1g depend on the driver. */
    assert_int_equal(find_profile(find(catalogue, "A30"), "1g.6gb")->decoders, -1);
}

/* A profile lies within its GPU, wherever it may begin. */
static void test_profiles_fit_their_gpu(void **state) {
    const struct catalogue *catalogue = *state;
    size_t with_mig = 0;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        assert_int_equal(gpu->profile_count > 0, gpu->compute_slices > 0);
        assert_int_equal(gpu->profile_count > 0, gpu->memory_units > 0);
        with_mig += gpu->profile_count > 0;
        for (size_t p = 0; p < gpu->profile_count; p++) {
            const struct mig_profile *profile = &gpu->profiles[p];
            assert_in_range(profile->compute_slices, 1, gpu->compute_slices);
            assert_in_range(profile->memory_units, 1, gpu->memory_units);
            assert_in_range(profile->max_instances, 1, 7);
            assert_true(profile->memory_mib <= gpu->memory_mib);
            assert_true(profile->sms <= gpu->sms);
            assert_int_equal(profile->starts >> (gpu->memory_units - profile->memory_units + 1), 0);
            for (size_t q = 0; q < p; q++) {
                assert_true(gpu->profiles[q].id != profile->id);
                assert_string_not_equal(gpu->profiles[q].name, profile->name);
            }
        }
    }
    assert_int_equal(with_mig, 13);
}

/* Boards of one size have the same profiles, whatever they plug into. */
static void test_pcie_boards_have_the_profiles_of_sxm_boards(void **state) {
    const struct catalogue *catalogue = *state;
    assert_ptr_equal(find(catalogue, "A100-PCIE-40GB")->profiles,
                     find(catalogue, "A100-SXM4-40GB")->profiles);
    assert_ptr_equal(find(catalogue, "A100-PCIE-80GB")->profiles,
                     find(catalogue, "A100-SXM4-80GB")->profiles);
}

static bool is_date(const char *text) {
    int year;
    int month = 1;
    int day = 1;
    int fields = sscanf(text, "%4d-%2d-%2d", &year, &month, &day);
    size_t length = strlen(text);
    return (length == 4 || length == 7 || length == 10) && fields >= 1 && year >= 2024 &&
           month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static void test_prices_are_whole(void **state) {
    const struct catalogue *catalogue = *state;
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        for (size_t p = 0; p < gpu->price_count; p++) {
            const struct list_price *price = &gpu->prices[p];
            assert_true(price->usd_per_gpu_hour > 0.1 && price->usd_per_gpu_hour < 20);
            assert_true(strlen(price->provider) > 0 && strlen(price->sku) > 0);
            assert_true(price->date[0] == '\0' || is_date(price->date));
            expect_provenance(&price->provenance, true);
        }
    }
}

/* On demand, per instance / GPUs of it. */
static void expect_price(const struct catalogue *catalogue, const char *name, double usd) {
    int row = (int)(find(catalogue, name) - catalogue->gpus);
    const struct list_price *price = catalogue_price(catalogue, row);
    assert_non_null(price);
    assert_true(fabs(price->usd_per_gpu_hour - usd) < 0.005);
    assert_string_equal(price->kind, "on-demand");
}

static void test_the_price_that_counts(void **state) {
    const struct catalogue *catalogue = *state;
    expect_price(catalogue, "H100-SXM5-80GB", 55.04 / 8);
    expect_price(catalogue, "H200-SXM-141GB", 63.296 / 8);
    expect_price(catalogue, "A100-PCIE-80GB", 3.673);
    expect_price(catalogue, "L4", 0.78);
    /* Those of a T4 are not verified. */
    const struct gpu_model *t4 = find(catalogue, "T4");
    assert_true(t4->price_count > 0);
    assert_false(provenance_verified(&t4->prices[0].provenance));
    assert_null(catalogue_price(catalogue, (int)(t4 - catalogue->gpus)));
    assert_null(catalogue_price(catalogue, (int)(find(catalogue, "P100") - catalogue->gpus)));
}

static void test_a_spot_price_does_not_count(void **state) {
    (void)state;
    struct list_price prices[] = {
        {.usd_per_gpu_hour = 1, .kind = "spot", .provenance = {"s", "high"}},
        {.usd_per_gpu_hour = 2, .kind = "on-demand", .provenance = {"s", "unverified"}},
        {.usd_per_gpu_hour = 3, .kind = "on-demand", .provenance = {"s", "low"}},
        {.usd_per_gpu_hour = 4, .kind = "on-demand", .provenance = {"s", "high"}}};
    struct gpu_model gpu = {.name = "G", .prices = prices, .price_count = 4};
    const struct catalogue catalogue = {.gpus = &gpu, .gpu_count = 1};
    assert_ptr_equal(catalogue_price(&catalogue, 0), &prices[2]);
    gpu.price_count = 2;
    assert_null(catalogue_price(&catalogue, 0));
}

static void test_models(void **state) {
    const struct catalogue *catalogue = *state;
    static const struct {
        const char *name;
        int64_t memory_gb;
    } expected[] = {{"bert-base", 2}, {"whisper", 3}, {"stable-diffusion", 8}, {"llama-7b", 14}};
    assert_int_equal(catalogue->model_count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct model_profile *model = catalogue_find_model(catalogue, expected[i].name);
        assert_non_null(model);
        assert_true(model->memory_bytes == expected[i].memory_gb * 1000000000);
    }
    assert_string_equal(catalogue_find_model(catalogue, "BERT-Base")->measured_as, "bert");
    assert_string_equal(catalogue_find_model(catalogue, "llama-7b")->measured_as, "");
    assert_null(catalogue_find_model(catalogue, "bert"));
    assert_null(catalogue_find_model(catalogue, ""));
}

static void test_any_case_and_short_forms(void **state) {
    const struct catalogue *catalogue = *state;
    assert_string_equal(find(catalogue, "a100-sxm4-80gb")->name, "A100-SXM4-80GB");
    assert_string_equal(find(catalogue, "t4")->name, "T4-16GB");
    assert_string_equal(find(catalogue, "L4")->name, "L4-24GB");
    assert_string_equal(find(catalogue, "H100-NVL")->name, "H100-NVL-94GB");
    assert_string_equal(find(catalogue, "rtx-pro-6000")->name, "RTX-PRO-6000-96GB");
    assert_string_equal(find(catalogue, "RTX")->name, "RTX-PRO-6000-96GB");
    assert_string_equal(find(catalogue, "GB200")->name, "GB200-186GB");
}

/* The candidates for a name, in the order of the catalogue, with commas. */
static void expect_candidates(const struct catalogue *catalogue, const char *name, int result,
                              const char *expected) {
    int candidates[MOST];
    size_t count;
    char list[512] = "";
    assert_int_equal(catalogue_find_gpu(catalogue, name, candidates, MOST, &count), result);
    for (size_t i = 0; i < count; i++) {
        strcat(list, i > 0 ? "," : "");
        strcat(list, catalogue->gpus[candidates[i]].name);
    }
    assert_string_equal(list, expected);
}

static void test_ambiguous_names_give_all_that_fit(void **state) {
    const struct catalogue *catalogue = *state;
    expect_candidates(catalogue, "A100", CATALOGUE_AMBIGUOUS,
                      "A100-SXM4-40GB,A100-SXM4-80GB,A100-PCIE-40GB,A100-PCIE-80GB");
    expect_candidates(catalogue, "a100-sxm4", CATALOGUE_AMBIGUOUS, "A100-SXM4-40GB,A100-SXM4-80GB");
    expect_candidates(catalogue, "V100", CATALOGUE_AMBIGUOUS, "V100-SXM2-16GB,V100-SXM2-32GB");
}

static void test_unknown_names_give_what_resembles_them(void **state) {
    const struct catalogue *catalogue = *state;
    expect_candidates(catalogue, "A100-80GB", CATALOGUE_UNKNOWN, "A100-SXM4-80GB,A100-PCIE-80GB");
    expect_candidates(catalogue, "A100-80", CATALOGUE_UNKNOWN, "A100-SXM4-80GB,A100-PCIE-80GB");
    expect_candidates(catalogue, "A100-SXM-80GB", CATALOGUE_UNKNOWN, "A100-SXM4-80GB");
    expect_candidates(catalogue, "NVIDIA A100-SXM4-80GB", CATALOGUE_UNKNOWN, "A100-SXM4-80GB");
    expect_candidates(catalogue, "Tesla T4", CATALOGUE_UNKNOWN, "T4-16GB");
    expect_candidates(catalogue, "nvidia_h100_nvl", CATALOGUE_UNKNOWN, "H100-NVL-94GB");
    expect_candidates(catalogue, "V100-32GB", CATALOGUE_UNKNOWN, "V100-SXM2-32GB");
    expect_candidates(catalogue, "H101-NVL", CATALOGUE_UNKNOWN, "H100-NVL-94GB");
    expect_candidates(catalogue, "", CATALOGUE_UNKNOWN, "");
    expect_candidates(catalogue, "-", CATALOGUE_UNKNOWN, "");
    expect_candidates(catalogue, "teapot", CATALOGUE_UNKNOWN, "");
    /* A part of a part is not a short form. */
    expect_candidates(catalogue, "L", CATALOGUE_UNKNOWN, "");
}

static void test_candidates_respect_the_capacity(void **state) {
    int candidates[2] = {-1, -1};
    size_t count = 0;
    assert_int_equal(catalogue_find_gpu(*state, "A100", candidates, 2, &count),
                     CATALOGUE_AMBIGUOUS);
    assert_int_equal(count, 2);
    assert_int_equal(catalogue_find_gpu(*state, "A100", NULL, 0, &count), CATALOGUE_AMBIGUOUS);
    assert_int_equal(count, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_names_are_there),
        cmocka_unit_test(test_memory_matches_the_name_and_has_a_source),
        cmocka_unit_test(test_every_figure_has_a_source),
        cmocka_unit_test(test_known_figures),
        cmocka_unit_test(test_known_profiles),
        cmocka_unit_test(test_profiles_fit_their_gpu),
        cmocka_unit_test(test_pcie_boards_have_the_profiles_of_sxm_boards),
        cmocka_unit_test(test_prices_are_whole),
        cmocka_unit_test(test_the_price_that_counts),
        cmocka_unit_test(test_a_spot_price_does_not_count),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_any_case_and_short_forms),
        cmocka_unit_test(test_ambiguous_names_give_all_that_fit),
        cmocka_unit_test(test_unknown_names_give_what_resembles_them),
        cmocka_unit_test(test_candidates_respect_the_capacity),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
