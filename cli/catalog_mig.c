/* headroom catalog mig: how MIG can cut a GPU. */
#include "cli/catalog_mig.h"

#include <string.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "reports/json.h"
#include "reports/number.h"

enum { MOST_CANDIDATES = 6, LONGEST_LIST = 512 };

/* Which tables; all unless a word after the GPU says which. */
enum parts { PART_PROFILES = 1, PART_LAYOUTS = 2, PART_ALL = 3 };

static void list_gpus(const struct catalogue *catalogue, const int *rows, size_t count,
                      char *list) {
    list[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t used = strlen(list);
        snprintf(list + used, LONGEST_LIST - used, "%s%s", i > 0 ? ", " : "",
                 catalogue->gpus[rows[i]].name);
    }
}

/* NULL after printing why there is none of that name. */
static const struct gpu_model *find_gpu(const struct catalogue *catalogue, const char *name) {
    int candidates[MOST_CANDIDATES];
    size_t count = 0;
    char list[LONGEST_LIST];
    int row = catalogue_find_gpu(catalogue, name, candidates, MOST_CANDIDATES, &count);
    if (row >= 0) {
        return &catalogue->gpus[row];
    }
    list_gpus(catalogue, candidates, count, list);
    if (row == CATALOGUE_AMBIGUOUS) {
        complain("'%s' may be several GPUs: %s", name, list);
    } else if (count > 0) {
        complain("there is no GPU '%s'; did you mean %s?", name, list);
    } else {
        complain("there is no GPU '%s'; 'headroom catalog gpus' lists them", name);
    }
    return NULL;
}

/* Those that can be cut. */
static void complain_without_mig(const struct catalogue *catalogue, const char *what) {
    char list[LONGEST_LIST] = "";
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        size_t used = strlen(list);
        if (catalogue->gpus[i].profile_count > 0) {
            snprintf(list + used, sizeof list - used, "%s%s", used > 0 ? ", " : "",
                     catalogue->gpus[i].name);
        }
    }
    complain("%s; GPUs with MIG are %s", what, list);
}

static json_t *counts_json(const struct mig_layouts *layouts) {
    json_t *counts = json_object();
    json_object_set_new(counts, "placements", json_integer((json_int_t)layouts->placements));
    json_object_set_new(counts, "layouts", json_integer((json_int_t)layouts->multiset_count));
    json_object_set_new(counts, "maximal_placements",
                        json_integer((json_int_t)layouts->maximal_placements));
    json_object_set_new(counts, "maximal_layouts",
                        json_integer((json_int_t)layouts->maximal_multisets));
    json_object_set_new(counts, "complete", json_boolean(layouts->complete));
    return counts;
}

/* What is printed of a GPU. */
struct listing {
    const struct gpu_model *gpu;
    enum parts parts;
    struct table *profiles;
    struct table *layouts;
    struct mig_layouts *shown;
    struct mig_layouts *standard; /* without doubled memory */
};

static void print_json(const struct listing *listing) {
    json_t *object = json_object();
    json_object_set_new(object, "gpu", json_text(listing->gpu->name));
    json_object_set_new(object, "compute_slices", json_integer(listing->gpu->compute_slices));
    json_object_set_new(object, "memory_units", json_integer(listing->gpu->memory_units));
    json_object_set_new(object, "sms",
                        listing->gpu->sms > 0 ? json_integer(listing->gpu->sms) : json_null());
    if ((listing->parts & PART_PROFILES) != 0) {
        json_object_set_new(object, "profiles", table_json(listing->profiles));
    }
    if ((listing->parts & PART_LAYOUTS) != 0) {
        json_object_set_new(object, "layouts", table_json(listing->layouts));
        json_object_set_new(object, "counts", counts_json(listing->shown));
        json_object_set_new(object, "counts_without_doubled_memory",
                            counts_json(listing->standard));
    }
    json_print(stdout, object);
    json_decref(object);
}

static void print_heading(const struct gpu_model *gpu) {
    printf("%s: %d compute slices, %d memory units, %s SMs; switching MIG mode %s\n\n", gpu->name,
           gpu->compute_slices, gpu->memory_units,
           gpu->sms > 0 ? number_count(gpu->sms).text : "unknown",
           gpu->mig_mode_needs_reset ? "resets the GPU" : "needs no reset");
}

static bool has_unverified(const struct gpu_model *gpu) {
    for (size_t i = 0; i < gpu->profile_count; i++) {
        if (!provenance_verified(&gpu->profiles[i].geometry) ||
            !provenance_verified(&gpu->profiles[i].size)) {
            return true;
        }
    }
    return false;
}

static void print_notes(const struct listing *listing, bool engines) {
    const struct mig_layouts *shown = listing->shown;
    const struct mig_layouts *standard = listing->standard;
    char note[1024];
    int used = snprintf(note, sizeof note,
                        "%s%zu layouts in %zu placements. To %zu layouts (*), however placed, and "
                        "to %zu placements nothing can be added.",
                        shown->complete ? "" : "At least ", shown->multiset_count,
                        shown->placements, shown->maximal_multisets, shown->maximal_placements);
    if (standard->multiset_count != shown->multiset_count) {
        used += snprintf(note + used, sizeof note - (size_t)used,
                         " Without profiles that only differ in doubled memory%s: %zu layouts in "
                         "%zu placements, %zu and %zu of them full.",
                         engines ? " or in engines" : "", standard->multiset_count,
                         standard->placements, standard->maximal_multisets,
                         standard->maximal_placements);
    }
    if (!engines) {
        snprintf(note + used, sizeof note - (size_t)used,
                 " Profiles that only differ in engines (+me, -me) are not combined: --engines "
                 "does that, too.");
    }
    catalog_print_note(note, has_unverified(listing->gpu));
}

static void print_sources(const struct gpu_model *gpu) {
    for (size_t i = 0; i < gpu->profile_count; i++) {
        printf("\n%s\n", gpu->profiles[i].name);
        catalog_print_source("geometry", &gpu->profiles[i].geometry);
        catalog_print_source("size", &gpu->profiles[i].size);
    }
}

static void print_tables(const struct listing *listing, const struct catalog_request *request) {
    bool for_terminal = request->format == TABLE_TEXT;
    bool colour = terminal_wants_colour(stdout);
    if (for_terminal) {
        print_heading(listing->gpu);
    }
    if ((listing->parts & PART_PROFILES) != 0) {
        table_print(stdout, listing->profiles, request->format, 0, colour);
    }
    if (listing->parts == PART_ALL) {
        putchar('\n');
    }
    if ((listing->parts & PART_LAYOUTS) != 0) {
        table_print(stdout, listing->layouts, request->format, 0, colour);
    }
    if (for_terminal && (listing->parts & PART_LAYOUTS) != 0) {
        print_notes(listing, request->engines);
    } else if (for_terminal && has_unverified(listing->gpu)) {
        puts("\n?: not verified.");
    }
    if (for_terminal && request->sources) {
        print_sources(listing->gpu);
    }
}

static void print_listing(const struct catalog_request *request, const struct gpu_model *gpu,
                          enum parts parts) {
    struct listing listing = {
        .gpu = gpu,
        .parts = parts,
        .profiles = mig_profiles_table(gpu, request->format),
        .shown = mig_layouts_create(gpu, request->engines ? MIG_ALL : MIG_SIZES),
        .standard = mig_layouts_create(gpu, MIG_STANDARD),
    };
    listing.layouts = mig_layouts_table(gpu, listing.shown);
    if (request->format == TABLE_JSON) {
        print_json(&listing);
    } else {
        print_tables(&listing, request);
    }
    table_destroy(listing.profiles);
    table_destroy(listing.layouts);
    mig_layouts_destroy(listing.shown);
    mig_layouts_destroy(listing.standard);
}

/* The word after the GPU; false after printing what it may be. */
static bool read_parts(const struct catalog_request *request, enum parts *parts) {
    const char *word = request->argument_count > 1 ? request->arguments[1] : NULL;
    *parts = word == NULL ? PART_ALL : strcmp(word, "profiles") == 0 ? PART_PROFILES : PART_LAYOUTS;
    if (request->argument_count > 2 || (*parts == PART_LAYOUTS && strcmp(word, "layouts") != 0)) {
        complain("catalog mig GPU may be followed by 'profiles' or 'layouts', not by '%s'",
                 request->arguments[request->argument_count - 1]);
        return false;
    }
    if (*parts == PART_ALL && request->format == TABLE_CSV && request->layout == NULL) {
        complain("a CSV file is one table: say 'profiles' or 'layouts' after the GPU");
        return false;
    }
    return true;
}

int catalog_mig(const struct catalog_request *request) {
    if (request->argument_count == 0) {
        complain_without_mig(request->catalogue, "catalog mig needs a GPU");
        return STATUS_BAD_INPUT;
    }
    const struct gpu_model *gpu = find_gpu(request->catalogue, request->arguments[0]);
    enum parts parts;
    if (gpu == NULL || !read_parts(request, &parts)) {
        return STATUS_BAD_INPUT;
    }
    if (gpu->profile_count == 0) {
        char what[128];
        snprintf(what, sizeof what, "%s has no MIG", gpu->name);
        complain_without_mig(request->catalogue, what);
        return STATUS_BAD_INPUT;
    }
    if (request->layout != NULL) {
        return mig_layout_print(request, gpu);
    }
    print_listing(request, gpu, parts);
    return STATUS_DONE;
}
