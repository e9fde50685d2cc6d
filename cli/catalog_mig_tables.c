/* headroom catalog mig: the tables of a GPU's profiles and layouts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/catalog_mig.h"
#include "reports/number.h"

enum { LONGEST_LAYOUT = 512 };

/* For what follows from other figures. */
static const struct provenance exact = {"", ""};

static void add_count(struct table *table, bool known, int64_t count,
                      const struct provenance *provenance) {
    double value = known ? (double)count : (double)NAN;
    catalog_add_figure(table, value, number_count(value).text, provenance);
}

static void add_placements(struct table *table, const struct mig_profile *profile) {
    char text[128];
    table_add_text(table, mig_placements_text(profile, text, sizeof text));
    if (!provenance_verified(&profile->geometry)) {
        table_mark(table, "?");
    }
}

static void add_profile(struct table *table, const struct mig_profile *profile) {
    double gib = profile->memory_mib > 0 ? (double)profile->memory_mib / 1024 : (double)NAN;
    table_add_row(table);
    table_add_text(table, profile->name);
    table_add_number(table, profile->id, number_count(profile->id).text);
    add_count(table, true, profile->max_instances, &profile->geometry);
    add_count(table, true, profile->compute_slices, &profile->geometry);
    add_count(table, true, profile->memory_units, &profile->geometry);
    catalog_add_figure(table, gib, number_plain(gib).text, &profile->size);
    add_count(table, profile->memory_mib > 0, profile->memory_mib, &profile->size);
    add_count(table, profile->sms > 0, profile->sms, &profile->size);
    add_count(table, profile->copy_engines >= 0, profile->copy_engines, &profile->size);
    add_count(table, profile->decoders >= 0, profile->decoders, &profile->size);
    add_count(table, profile->jpeg_engines >= 0, profile->jpeg_engines, &profile->size);
    add_count(table, profile->optical_flow_engines >= 0, profile->optical_flow_engines,
              &profile->size);
    add_placements(table, profile);
    catalog_add_text(table, profile->geometry.source);
    catalog_add_text(table, profile->geometry.confidence);
    catalog_add_text(table, profile->size.source);
    catalog_add_text(table, profile->size.confidence);
}

struct table *mig_profiles_table(const struct gpu_model *gpu, enum table_format format) {
    /* The sources are too long for lines of a terminal. */
    enum table_audience sources = format == TABLE_TEXT ? TABLE_FOR_MACHINES : TABLE_FOR_ALL;
    struct table *table = table_create();
    table_add_column(table, "profile", "profile", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "id", "id", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "at most", "max_instances", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "slices", "compute_slices", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "", "memory_units", TABLE_RIGHT, TABLE_FOR_MACHINES);
    table_add_column(table, "memory GiB", "memory_gib", TABLE_RIGHT, TABLE_FOR_PEOPLE);
    table_add_column(table, "", "memory_mib", TABLE_RIGHT, TABLE_FOR_MACHINES);
    table_add_column(table, "SMs", "sms", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "CE", "copy_engines", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "DEC", "decoders", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "JPEG", "jpeg_engines", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "OFA", "optical_flow_engines", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "placements", "placements", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "source of the geometry", "geometry_source", TABLE_LEFT, sources);
    table_add_column(table, "confidence", "geometry_confidence", TABLE_LEFT, sources);
    table_add_column(table, "source of the size", "size_source", TABLE_LEFT, sources);
    table_add_column(table, "confidence", "size_confidence", TABLE_LEFT, sources);
    for (size_t i = 0; i < gpu->profile_count; i++) {
        add_profile(table, &gpu->profiles[i]);
    }
    return table;
}

/* "9,14,14", as nvidia-smi mig -cgi takes them. */
static void add_ids(struct table *table, const struct gpu_model *gpu,
                    const struct mig_layout *layout) {
    char text[LONGEST_LAYOUT] = "";
    for (size_t i = 0; i < layout->count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%d", i > 0 ? "," : "",
                 gpu->profiles[layout->profiles[i]].id);
    }
    table_add_text(table, text);
}

/* As sure as the least sure size in it. */
static const struct provenance *provenance_of(const struct gpu_model *gpu,
                                              const struct mig_layout *layout) {
    for (size_t i = 0; i < layout->count; i++) {
        const struct provenance *size = &gpu->profiles[layout->profiles[i]].size;
        if (!provenance_verified(size)) {
            return size;
        }
    }
    return &gpu->sms_provenance;
}

static void add_waste(struct table *table, const struct gpu_model *gpu,
                      const struct mig_layout *layout) {
    const struct provenance *provenance = provenance_of(gpu, layout);
    struct mig_waste waste = mig_waste_of(gpu, layout->profiles, layout->count);
    bool sms_known = waste.lost_sms >= 0;
    double gib = waste.stranded_mib >= 0 ? (double)waste.stranded_mib / 1024 : (double)NAN;
    double share = sms_known ? (double)waste.lost_sms / gpu->sms : (double)NAN;
    add_count(table, true, waste.stranded_slices, &exact);
    add_count(table, true, waste.stranded_units, &exact);
    catalog_add_figure(table, gib, number_plain(gib).text, provenance);
    add_count(table, waste.stranded_mib >= 0, waste.stranded_mib, provenance);
    add_count(table, sms_known, waste.lost_sms, provenance);
    catalog_add_figure(table, share, number_share(share).text, provenance);
}

/* For people, with a sign in front if it is full, where it is not cut off. */
static void add_short_layout(struct table *table, const struct gpu_model *gpu,
                             const struct mig_layout *layout) {
    char text[LONGEST_LAYOUT];
    strcpy(text, layout->maximal ? "* " : "  ");
    mig_layout_text(gpu, layout->profiles, layout->count, MIG_SHORT, text + 2, sizeof text - 2);
    table_add_text(table, text);
}

static void add_layout(struct table *table, const struct gpu_model *gpu,
                       const struct mig_layout *layout) {
    char text[LONGEST_LAYOUT];
    table_add_row(table);
    add_short_layout(table, gpu, layout);
    table_add_text(
        table, mig_layout_text(gpu, layout->profiles, layout->count, MIG_LIST, text, sizeof text));
    table_add_text(table, layout->maximal ? "yes" : "no");
    add_ids(table, gpu, layout);
    add_count(table, true, (int64_t)layout->placements, &exact);
    add_waste(table, gpu, layout);
}

struct table *mig_layouts_table(const struct gpu_model *gpu, const struct mig_layouts *layouts) {
    struct table *table = table_create();
    table_add_column(table, "  layout", "layout_short", TABLE_LEFT, TABLE_FOR_PEOPLE);
    table_add_column(table, "", "layout", TABLE_LEFT, TABLE_FOR_MACHINES);
    table_add_column(table, "", "maximal", TABLE_LEFT, TABLE_FOR_MACHINES);
    table_add_column(table, "ids", "ids", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "ways", "placements", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "free slices", "stranded_compute_slices", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "free units", "stranded_memory_units", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "free GiB", "stranded_memory_gib", TABLE_RIGHT, TABLE_FOR_PEOPLE);
    table_add_column(table, "", "stranded_memory_mib", TABLE_RIGHT, TABLE_FOR_MACHINES);
    table_add_column(table, "", "lost_sms", TABLE_RIGHT, TABLE_FOR_MACHINES);
    table_add_column(table, "SMs lost", "lost_sm_share", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < layouts->multiset_count; i++) {
        add_layout(table, gpu, &layouts->multisets[i]);
    }
    return table;
}
