#include "tests/support/mig_case.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

void expect_mig_counts(const struct gpu_model *gpu, enum mig_selection selection, size_t placements,
                       size_t multisets, size_t maximal_placements, size_t maximal_multisets) {
    struct mig_layouts *layouts = mig_layouts_create(gpu, selection);
    assert_true(layouts->complete);
    assert_int_equal(layouts->placements, placements);
    assert_int_equal(layouts->multiset_count, multisets);
    assert_int_equal(layouts->maximal_placements, maximal_placements);
    assert_int_equal(layouts->maximal_multisets, maximal_multisets);
    mig_layouts_destroy(layouts);
}

size_t parse_mig_layout(const struct gpu_model *gpu, const char *layout, int *profiles) {
    char copy[256];
    size_t count = 0;
    struct error error = {0};
    assert_true(strlen(layout) < sizeof(copy));
    strcpy(copy, layout);
    for (char *name = strtok(copy, ","); name != NULL; name = strtok(NULL, ",")) {
        profiles[count] = mig_find_profile(gpu, name, &error);
        if (profiles[count++] < 0) {
            fail_msg("%s", error.message);
        }
    }
    return count;
}

void expect_mig_placed(const struct gpu_model *gpu, const char *layout, const char *starts) {
    int profiles[32];
    struct mig_instance instances[32];
    struct error error = {0};
    char text[128] = "";
    size_t count = parse_mig_layout(gpu, layout, profiles);
    if (!mig_place(gpu, profiles, count, instances, &error)) {
        fail_msg("%s: %s", layout, error.message);
    }
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(text);
        assert_int_equal(instances[i].profile, profiles[i]);
        snprintf(text + used, sizeof(text) - used, "%s%d", i > 0 ? "," : "", instances[i].start);
    }
    assert_string_equal(text, starts);
}

void expect_mig_refused(const struct gpu_model *gpu, const char *layout, const char *message) {
    int profiles[32];
    struct mig_instance instances[32];
    struct error error = {.line = 7};
    size_t count = parse_mig_layout(gpu, layout, profiles);
    assert_false(mig_place(gpu, profiles, count, instances, &error));
    assert_string_equal(error.message, message);
    assert_string_equal(error.file, "");
    assert_int_equal(error.line, 0);
}

void expect_mig_unknown(const struct gpu_model *gpu, const char *name, const char *message) {
    struct error error = {.line = 7};
    assert_int_equal(mig_find_profile(gpu, name, &error), -1);
    assert_string_equal(error.message, message);
    assert_string_equal(error.file, "");
    assert_int_equal(error.line, 0);
}

const struct gpu_model *find_mig_gpu(const struct catalogue *catalogue, const char *name) {
    size_t count;
    int row = catalogue_find_gpu(catalogue, name, NULL, 0, &count);
    assert_true(row >= 0);
    return &catalogue->gpus[row];
}
