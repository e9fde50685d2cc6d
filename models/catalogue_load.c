/* The catalogue's files of GPUs, MIG profiles, prices and models. */
#include "models/catalogue_load.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "models/csv_rows.h"

/* The files of catalogue/, embedded at build time. */
extern const char catalogue_gpus_csv[];
extern const char catalogue_mig_profiles_csv[];
extern const char catalogue_prices_csv[];
extern const char catalogue_models_csv[];

#define COLUMN_COUNT(columns) (sizeof(columns) / sizeof(columns[0]))

int catalogue_gpu_named(const struct catalogue *catalogue, const char *name) {
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        if (strcmp(catalogue->gpus[i].name, name) == 0) {
            return (int)i;
        }
    }
    assert(false && "a GPU that gpus.csv does not have");
    return 0;
}

/* Two cells side by side. */
static struct provenance provenance_at(const struct csv_rows *rows, size_t row, int column) {
    return (struct provenance){.source = csv_rows_text(rows, row, column),
                               .confidence = csv_rows_text(rows, row, column + 1)};
}

/* gpus.csv */

static const char *const gpu_columns[] = {
    "name",         "memory_mib",   "memory_source",        "memory_confidence",
    "sms",          "sms_source",   "sms_confidence",       "compute_slices",
    "memory_units", "mig_family",   "mig_mode_needs_reset", "idle_w",
    "limit_w",      "power_source", "power_confidence",
};
enum {
    GPU_NAME,
    GPU_MEMORY_MIB,
    GPU_MEMORY_SOURCE,
    GPU_SMS = 4,
    GPU_SMS_SOURCE,
    GPU_COMPUTE_SLICES = 7,
    GPU_MEMORY_UNITS,
    GPU_MIG_FAMILY,
    GPU_MIG_MODE_NEEDS_RESET,
    GPU_IDLE_W,
    GPU_LIMIT_W,
    GPU_POWER_SOURCE,
};

void catalogue_load_gpus(struct catalogue *catalogue) {
    struct arena *arena = &catalogue->storage->arena;
    struct csv_rows rows =
        csv_rows_parse(arena, catalogue_gpus_csv, gpu_columns, COLUMN_COUNT(gpu_columns));
    const char **families = arena_allocate(arena, rows.count, sizeof(families[0]));
    catalogue->gpu_count = rows.count;
    catalogue->gpus = arena_allocate(arena, rows.count, sizeof(catalogue->gpus[0]));
    for (size_t i = 0; i < rows.count; i++) {
        families[i] = csv_rows_text(&rows, i, GPU_MIG_FAMILY);
        catalogue->gpus[i] = (struct gpu_model){
            .name = csv_rows_text(&rows, i, GPU_NAME),
            .memory_mib = csv_rows_integer(&rows, i, GPU_MEMORY_MIB, 0),
            .memory = provenance_at(&rows, i, GPU_MEMORY_SOURCE),
            .sms = csv_rows_integer(&rows, i, GPU_SMS, 0),
            .sms_provenance = provenance_at(&rows, i, GPU_SMS_SOURCE),
            .compute_slices = csv_rows_integer(&rows, i, GPU_COMPUTE_SLICES, 0),
            .memory_units = csv_rows_integer(&rows, i, GPU_MEMORY_UNITS, 0),
            .mig_mode_needs_reset =
                strcmp(csv_rows_text(&rows, i, GPU_MIG_MODE_NEEDS_RESET), "yes") == 0,
            .idle_watts = csv_rows_number(&rows, i, GPU_IDLE_W, (double)NAN),
            .limit_watts = csv_rows_number(&rows, i, GPU_LIMIT_W, (double)NAN),
            .power = provenance_at(&rows, i, GPU_POWER_SOURCE),
        };
        assert(catalogue->gpus[i].memory_mib > 0);
    }
    catalogue_load_profiles(catalogue, families);
}

/* mig_profiles.csv: the profiles of a family of boards stand together, and a family may be of
 * several GPUs. */

static const char *const profile_columns[] = {
    "family",
    "profile",
    "id",
    "compute_slices",
    "memory_units",
    "memory_mib",
    "sms",
    "copy_engines",
    "decoders",
    "jpeg_engines",
    "optical_flow_engines",
    "max_instances",
    "starts",
    "geometry_source",
    "geometry_confidence",
    "size_source",
    "size_confidence",
};
enum {
    PROFILE_FAMILY,
    PROFILE_NAME,
    PROFILE_ID,
    PROFILE_COMPUTE_SLICES,
    PROFILE_MEMORY_UNITS,
    PROFILE_MEMORY_MIB,
    PROFILE_SMS,
    PROFILE_COPY_ENGINES,
    PROFILE_DECODERS,
    PROFILE_JPEG_ENGINES,
    PROFILE_OPTICAL_FLOW_ENGINES,
    PROFILE_MAX_INSTANCES,
    PROFILE_STARTS,
    PROFILE_GEOMETRY_SOURCE,
    PROFILE_SIZE_SOURCE = 15,
};

/* "0 2 4" to a bit for each. */
static uint32_t parse_starts(const char *text) {
    uint32_t starts = 0;
    while (*text != '\0') {
        char *end;
        long unit = strtol(text, &end, 10);
        assert(end > text && unit >= 0 && unit < 32);
        starts |= UINT32_C(1) << unit;
        text = end;
    }
    assert(starts != 0);
    return starts;
}

static struct mig_profile profile_at(const struct csv_rows *rows, size_t row) {
    return (struct mig_profile){
        .name = csv_rows_text(rows, row, PROFILE_NAME),
        .id = csv_rows_integer(rows, row, PROFILE_ID, -1),
        .compute_slices = csv_rows_integer(rows, row, PROFILE_COMPUTE_SLICES, 0),
        .memory_units = csv_rows_integer(rows, row, PROFILE_MEMORY_UNITS, 0),
        .memory_mib = csv_rows_integer(rows, row, PROFILE_MEMORY_MIB, 0),
        .sms = csv_rows_integer(rows, row, PROFILE_SMS, 0),
        .copy_engines = csv_rows_integer(rows, row, PROFILE_COPY_ENGINES, -1),
        .decoders = csv_rows_integer(rows, row, PROFILE_DECODERS, -1),
        .jpeg_engines = csv_rows_integer(rows, row, PROFILE_JPEG_ENGINES, -1),
        .optical_flow_engines = csv_rows_integer(rows, row, PROFILE_OPTICAL_FLOW_ENGINES, -1),
        .max_instances = csv_rows_integer(rows, row, PROFILE_MAX_INSTANCES, 0),
        .starts = parse_starts(csv_rows_text(rows, row, PROFILE_STARTS)),
        .geometry = provenance_at(rows, row, PROFILE_GEOMETRY_SOURCE),
        .size = provenance_at(rows, row, PROFILE_SIZE_SOURCE),
    };
}

void catalogue_load_profiles(struct catalogue *catalogue, const char *const *family_of_gpu) {
    struct arena *arena = &catalogue->storage->arena;
    struct csv_rows rows = csv_rows_parse(arena, catalogue_mig_profiles_csv, profile_columns,
                                          COLUMN_COUNT(profile_columns));
    struct mig_profile *profiles = arena_allocate(arena, rows.count, sizeof(profiles[0]));
    for (size_t i = 0; i < rows.count; i++) {
        profiles[i] = profile_at(&rows, i);
        for (size_t g = 0; g < catalogue->gpu_count; g++) {
            struct gpu_model *gpu = &catalogue->gpus[g];
            if (strcmp(csv_rows_text(&rows, i, PROFILE_FAMILY), family_of_gpu[g]) == 0) {
                gpu->profiles = gpu->profile_count == 0 ? &profiles[i] : gpu->profiles;
                assert(&profiles[i] == gpu->profiles + gpu->profile_count && "a family is torn");
                gpu->profile_count++;
            }
        }
    }
}

/* prices.csv: the prices of a GPU stand together. */

static const char *const price_columns[] = {
    "gpu", "provider", "sku", "kind", "usd_per_gpu_hour", "date", "source", "confidence",
};
enum {
    PRICE_GPU,
    PRICE_PROVIDER,
    PRICE_SKU,
    PRICE_KIND,
    PRICE_USD_PER_GPU_HOUR,
    PRICE_DATE,
    PRICE_SOURCE,
};

void catalogue_load_prices(struct catalogue *catalogue) {
    struct arena *arena = &catalogue->storage->arena;
    struct csv_rows rows =
        csv_rows_parse(arena, catalogue_prices_csv, price_columns, COLUMN_COUNT(price_columns));
    struct list_price *prices = arena_allocate(arena, rows.count, sizeof(prices[0]));
    for (size_t i = 0; i < rows.count; i++) {
        int row = catalogue_gpu_named(catalogue, csv_rows_text(&rows, i, PRICE_GPU));
        struct gpu_model *gpu = &catalogue->gpus[row];
        prices[i] = (struct list_price){
            .usd_per_gpu_hour = csv_rows_number(&rows, i, PRICE_USD_PER_GPU_HOUR, (double)NAN),
            .provider = csv_rows_text(&rows, i, PRICE_PROVIDER),
            .sku = csv_rows_text(&rows, i, PRICE_SKU),
            .kind = csv_rows_text(&rows, i, PRICE_KIND),
            .date = csv_rows_text(&rows, i, PRICE_DATE),
            .provenance = provenance_at(&rows, i, PRICE_SOURCE),
        };
        gpu->prices = gpu->price_count == 0 ? &prices[i] : gpu->prices;
        assert(&prices[i] == gpu->prices + gpu->price_count && "the prices of a GPU are torn");
        gpu->price_count++;
    }
}

/* models.csv */

static const char *const model_columns[] = {"name", "memory_gb", "measured_as", "source",
                                            "confidence"};
enum { MODEL_NAME, MODEL_MEMORY_GB, MODEL_MEASURED_AS, MODEL_SOURCE };

void catalogue_load_models(struct catalogue *catalogue) {
    struct arena *arena = &catalogue->storage->arena;
    struct csv_rows rows =
        csv_rows_parse(arena, catalogue_models_csv, model_columns, COLUMN_COUNT(model_columns));
    catalogue->model_count = rows.count;
    catalogue->models = arena_allocate(arena, rows.count, sizeof(catalogue->models[0]));
    for (size_t i = 0; i < rows.count; i++) {
        catalogue->models[i] = (struct model_profile){
            .name = csv_rows_text(&rows, i, MODEL_NAME),
            .memory_bytes = llround(csv_rows_number(&rows, i, MODEL_MEMORY_GB, 0) * 1e9),
            .measured_as = csv_rows_text(&rows, i, MODEL_MEASURED_AS),
            .provenance = provenance_at(&rows, i, MODEL_SOURCE),
        };
    }
}
