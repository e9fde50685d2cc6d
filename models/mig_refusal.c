/* Why a MIG layout is impossible, and which ones near to it are not. */
#include <stdlib.h>

#include "models/mig_internal.h"
#include "sim/kernel/memory.h"

enum { LONGEST_SUM = 8, LONGEST_LAYOUT = 256, ALTERNATIVES = 3 };

/* The layout asked for, from the largest profile to the smallest. */
struct request {
    const struct gpu_model *gpu;
    int *profiles;
    size_t count;
    struct mig_text text; /* of the message */
    int rules;            /* that failed so far */
};

static void begin_rule(struct request *request) {
    mig_text_add(&request->text, request->rules++ == 0 ? ": " : "; ");
}

static int slices_of(const struct mig_profile *profile) {
    return profile->compute_slices;
}

static int units_of(const struct mig_profile *profile) {
    return profile->memory_units;
}

static int engines_of(const struct mig_profile *profile) {
    return mig_engines_of(profile, MIG_JPEG) + mig_engines_of(profile, MIG_OPTICAL_FLOW);
}

static int sum_of(const struct gpu_model *gpu, const int *profiles, size_t count,
                  int (*part)(const struct mig_profile *)) {
    int sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += part(&gpu->profiles[profiles[i]]);
    }
    return sum;
}

/* "3+3+2 = 8 compute slices needed, 7 there". */
static bool check_sum(struct request *request, int (*part)(const struct mig_profile *), int there,
                      const char *what) {
    int sum = sum_of(request->gpu, request->profiles, request->count, part);
    if (sum <= there) {
        return true;
    }
    begin_rule(request);
    for (size_t i = 0; request->count > 1 && request->count <= LONGEST_SUM && i < request->count;
         i++) {
        mig_text_add(&request->text, "%d%s", part(&request->gpu->profiles[request->profiles[i]]),
                     i + 1 < request->count ? "+" : " = ");
    }
    mig_text_add(&request->text, "%d %s needed, %d there", sum, what, there);
    return false;
}

static void check_sums(struct request *request) {
    const struct gpu_model *gpu = request->gpu;
    bool slices_suffice = check_sum(request, slices_of, gpu->compute_slices, "compute slices");
    bool units_suffice = check_sum(request, units_of, gpu->memory_units, "memory units");
    if (slices_suffice && !units_suffice) {
        mig_text_add(&request->text, " (the %d compute slices would do)", gpu->compute_slices);
    }
}

static void check_instances(struct request *request) {
    size_t equal = 1;
    for (size_t i = 0; i < request->count; i += equal) {
        const struct mig_profile *profile = &request->gpu->profiles[request->profiles[i]];
        for (equal = 1;
             i + equal < request->count && request->profiles[i + equal] == request->profiles[i];
             equal++) {
        }
        if (equal > (size_t)profile->max_instances) {
            begin_rule(request);
            mig_text_add(&request->text, "at most %d of %s, not %zu", profile->max_instances,
                         profile->name, equal);
        }
    }
    if (request->count > MIG_INSTANCES_LIMIT && request->rules == 0) {
        begin_rule(request);
        mig_text_add(&request->text, "at most %d instances, not %zu", MIG_INSTANCES_LIMIT,
                     request->count);
    }
}

static void list_profiles_without(struct request *request, enum mig_engine engine) {
    const char *separator = " ";
    for (size_t i = 0; i < request->gpu->profile_count; i++) {
        if (mig_engines_of(&request->gpu->profiles[i], engine) == 0) {
            mig_text_add(&request->text, "%s%s", separator, request->gpu->profiles[i].name);
            separator = ", ";
        }
    }
}

static void check_engines(struct request *request, enum mig_engine engine, const char *what) {
    int there = mig_engines_there(request->gpu, engine);
    int needed = 0;
    for (size_t i = 0; i < request->count; i++) {
        needed += mig_engines_of(&request->gpu->profiles[request->profiles[i]], engine);
    }
    if (there >= 0 && needed > there) {
        begin_rule(request);
        mig_text_add(&request->text, "%d %s needed, %d there (none in", needed, what, there);
        list_profiles_without(request, engine);
        mig_text_add(&request->text, ")");
    }
}

/* All sums are fine, and yet. */
static void explain_overlap(struct request *request) {
    begin_rule(request);
    mig_text_add(&request->text, "wherever its instances begin, two of them overlap (");
    for (size_t i = 0; i < request->count; i++) {
        if (i == 0 || request->profiles[i] != request->profiles[i - 1]) {
            const struct mig_profile *profile = &request->gpu->profiles[request->profiles[i]];
            char placements[128];
            mig_text_add(&request->text, "%s%s at %s", i == 0 ? "" : ", ", profile->name,
                         mig_placements_text(profile, placements, sizeof(placements)));
        }
    }
    mig_text_add(&request->text, ")");
}

/* A layout that is possible, and how near it is to the one asked for. */
struct alternative {
    const struct mig_layout *layout;
    int slices;
    size_t common; /* instances that both have */
    int engines;
    int units_off; /* memory units more or less than asked for */
};

static size_t count_common(const struct request *request, const struct mig_layout *layout) {
    size_t common = 0;
    size_t i = 0;
    size_t k = 0;
    while (i < request->count && k < layout->count) {
        int order = mig_compare_profiles(request->gpu, request->profiles[i], layout->profiles[k]);
        common += order == 0;
        i += order <= 0;
        k += order >= 0;
    }
    return common;
}

/* As many instances, none with more slices. */
static bool is_smaller(const struct request *request, const struct mig_layout *layout) {
    for (size_t i = 0; layout->count == request->count && i < layout->count; i++) {
        if (request->gpu->profiles[layout->profiles[i]].compute_slices >
            request->gpu->profiles[request->profiles[i]].compute_slices) {
            return false;
        }
    }
    return layout->count == request->count;
}

static bool is_nearer(const struct alternative *a, const struct alternative *b) {
    if (b->layout == NULL || a->slices != b->slices) {
        return b->layout == NULL || a->slices > b->slices;
    }
    if (a->common != b->common) {
        return a->common > b->common;
    }
    return a->engines != b->engines ? a->engines > b->engines : a->units_off < b->units_off;
}

/* The nearest layout that leaves instances out (first), and the two nearest ones that shrink some.
 */
static void find_alternatives(const struct request *request, const struct mig_layouts *layouts,
                              struct alternative nearest[ALTERNATIVES]) {
    int units = sum_of(request->gpu, request->profiles, request->count, units_of);
    for (size_t i = 0; i < layouts->multiset_count; i++) {
        const struct mig_layout *layout = &layouts->multisets[i];
        struct alternative found = {
            .layout = layout,
            .slices = sum_of(request->gpu, layout->profiles, layout->count, slices_of),
            .common = count_common(request, layout),
            .engines = sum_of(request->gpu, layout->profiles, layout->count, engines_of),
            .units_off =
                abs(units - sum_of(request->gpu, layout->profiles, layout->count, units_of)),
        };
        if (found.common == layout->count && is_nearer(&found, &nearest[0])) {
            nearest[0] = found;
        } else if (is_smaller(request, layout) && is_nearer(&found, &nearest[1])) {
            nearest[2] = nearest[1];
            nearest[1] = found;
        } else if (is_smaller(request, layout) && is_nearer(&found, &nearest[2])) {
            nearest[2] = found;
        }
    }
    if (nearest[2].layout != NULL && nearest[2].slices < nearest[1].slices) {
        nearest[2].layout = NULL;
    }
}

/* From profiles of the kinds that were asked for. */
static void suggest(struct request *request) {
    struct alternative nearest[ALTERNATIVES] = {0};
    enum mig_selection selection = MIG_STANDARD;
    for (size_t i = 0; i < request->count; i++) {
        while (!mig_selected(request->gpu, request->profiles[i], selection)) {
            selection++;
        }
    }
    struct mig_layouts *layouts = mig_layouts_create(request->gpu, selection);
    find_alternatives(request, layouts, nearest);
    const char *separator = "; possible instead: ";
    for (size_t i = 0; i < ALTERNATIVES; i++) {
        char layout[LONGEST_LAYOUT];
        if (nearest[i].layout != NULL) {
            mig_text_add(&request->text, "%s%s", separator,
                         mig_layout_text(request->gpu, nearest[i].layout->profiles,
                                         nearest[i].layout->count, MIG_LIST, layout,
                                         sizeof(layout)));
            separator = " or ";
        }
    }
    mig_layouts_destroy(layouts);
}

void mig_refuse(const struct gpu_model *gpu, const int *profiles, size_t count,
                struct error *error) {
    if (gpu->profile_count == 0) {
        error_set(error, NULL, 0, 0, "%s has no MIG", gpu->name);
        return;
    }
    char buffer[sizeof(error->message)];
    char layout[LONGEST_LAYOUT];
    struct request request = {
        .gpu = gpu,
        .profiles = memory_duplicate(profiles, count * sizeof(profiles[0])),
        .count = count,
        .text = mig_text_start(buffer, sizeof(buffer)),
    };
    mig_sort_profiles(gpu, request.profiles, count);
    mig_text_add(&request.text, "%s cannot hold %s", gpu->name,
                 mig_layout_text(gpu, request.profiles, count, MIG_SHORT, layout, sizeof(layout)));
    check_sums(&request);
    check_instances(&request);
    if (request.rules == 0) { /* else engines are the lesser trouble */
        check_engines(&request, MIG_JPEG, "JPEG engines");
        check_engines(&request, MIG_OPTICAL_FLOW, "optical-flow engines");
    }
    if (request.rules == 0) {
        explain_overlap(&request);
    }
    suggest(&request);
    error_set(error, NULL, 0, 0, "%s", buffer);
    free(request.profiles);
}
