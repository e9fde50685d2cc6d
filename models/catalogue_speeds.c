/* The measured speeds: the catalogue's two tables, and the speed of a model on a slice. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "models/catalogue_load.h"
#include "models/csv_rows.h"

/* The files of catalogue/, embedded at build time. */
extern const char catalogue_measurements_csv[];
extern const char catalogue_measured_inference_csv[];
extern const char catalogue_measured_training_csv[];

/* measurements.csv: what the tables are of. */
static const char *const measurement_columns[] = {"table", "gpu", "source", "confidence"};
enum { MEASUREMENT_TABLE, MEASUREMENT_GPU, MEASUREMENT_SOURCE };

/* Items per second of each of so many processes. */
static const char *const inference_columns[] = {
    "model",         "compute_slices", "batch",         "items_per_s_1",
    "items_per_s_2", "items_per_s_3",  "items_per_s_4", "items_per_s_5",
};
enum { INFERENCE_MODEL, INFERENCE_SLICES, INFERENCE_BATCH, INFERENCE_FIRST, INFERENCE_COLUMNS = 8 };

/* Seconds per batch on an instance of so many slices. */
static const char *const training_columns[] = {
    "model",          "batch",          "s_per_batch_1g", "s_per_batch_2g",
    "s_per_batch_3g", "s_per_batch_4g", "s_per_batch_7g",
};
static const int training_slices[] = {1, 2, 3, 4, 7};
enum { TRAINING_MODEL, TRAINING_BATCH, TRAINING_FIRST, TRAINING_COLUMNS = 7 };

/* The figures of a measured speed that a whole table shares. */
static struct measured_speed shared_figures(const struct catalogue *catalogue,
                                            const struct csv_rows *measurements, size_t row) {
    static const char *const names[] = {
        [MEASURED_INFERENCE] = "inference", [MEASURED_TRAINING] = "training"};
    assert(strcmp(csv_rows_text(measurements, row, MEASUREMENT_TABLE), names[row]) == 0);
    (void)names;
    return (struct measured_speed){
        .gpu = catalogue_gpu_named(catalogue, csv_rows_text(measurements, row, MEASUREMENT_GPU)),
        .work = (enum measured_work)row,
        .provenance = {.source = csv_rows_text(measurements, row, MEASUREMENT_SOURCE),
                       .confidence = csv_rows_text(measurements, row, MEASUREMENT_SOURCE + 1)},
    };
}

static void add_inference(struct catalogue *catalogue, const struct csv_rows *rows,
                          struct measured_speed speed) {
    for (size_t i = 0; i < rows->count; i++) {
        for (int column = INFERENCE_FIRST; column < INFERENCE_COLUMNS; column++) {
            speed.model = csv_rows_text(rows, i, INFERENCE_MODEL);
            speed.compute_slices = csv_rows_integer(rows, i, INFERENCE_SLICES, 0);
            speed.batch = csv_rows_integer(rows, i, INFERENCE_BATCH, 0);
            speed.processes = column - INFERENCE_FIRST + 1;
            speed.per_process = csv_rows_number(rows, i, column, 0);
            if (speed.per_process > 0) {
                speed.latency_s = speed.batch / speed.per_process;
                catalogue->speeds[catalogue->speed_count++] = speed;
            }
        }
    }
}

static void add_training(struct catalogue *catalogue, const struct csv_rows *rows,
                         struct measured_speed speed) {
    speed.processes = 1;
    for (size_t i = 0; i < rows->count; i++) {
        for (int column = TRAINING_FIRST; column < TRAINING_COLUMNS; column++) {
            speed.model = csv_rows_text(rows, i, TRAINING_MODEL);
            speed.compute_slices = training_slices[column - TRAINING_FIRST];
            speed.batch = csv_rows_integer(rows, i, TRAINING_BATCH, 0);
            speed.latency_s = csv_rows_number(rows, i, column, 0);
            if (speed.latency_s > 0) {
                speed.per_process = 1 / speed.latency_s;
                catalogue->speeds[catalogue->speed_count++] = speed;
            }
        }
    }
}

static int compare_speeds(const void *left, const void *right) {
    const struct measured_speed *a = left;
    const struct measured_speed *b = right;
    int order = strcmp(a->model, b->model);
    order = order != 0 ? order : a->gpu - b->gpu;
    order = order != 0 ? order : (int)a->work - (int)b->work;
    order = order != 0 ? order : a->compute_slices - b->compute_slices;
    order = order != 0 ? order : a->processes - b->processes;
    return order != 0 ? order : a->batch - b->batch;
}

void catalogue_load_speeds(struct catalogue *catalogue) {
    struct arena *arena = &catalogue->storage->arena;
    struct csv_rows measurements = csv_rows_parse(arena, catalogue_measurements_csv,
                                                  measurement_columns, MEASUREMENT_SOURCE + 2);
    struct csv_rows inference = csv_rows_parse(arena, catalogue_measured_inference_csv,
                                               inference_columns, INFERENCE_COLUMNS);
    struct csv_rows training =
        csv_rows_parse(arena, catalogue_measured_training_csv, training_columns, TRAINING_COLUMNS);
    catalogue->speeds = arena_allocate(arena,
                                       inference.count * (INFERENCE_COLUMNS - INFERENCE_FIRST) +
                                           training.count * (TRAINING_COLUMNS - TRAINING_FIRST),
                                       sizeof(catalogue->speeds[0]));
    add_inference(catalogue, &inference,
                  shared_figures(catalogue, &measurements, MEASURED_INFERENCE));
    add_training(catalogue, &training, shared_figures(catalogue, &measurements, MEASURED_TRAINING));
    qsort(catalogue->speeds, catalogue->speed_count, sizeof(catalogue->speeds[0]), compare_speeds);
}

/* One process of the model on a slice, at one batch size. */
static const struct measured_speed *find_speed(const struct catalogue *catalogue,
                                               const struct measured_speed *like, int slices) {
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        const struct measured_speed *speed = &catalogue->speeds[i];
        if (speed->compute_slices == slices && speed->processes == 1 && speed->work == like->work &&
            speed->gpu == like->gpu && speed->batch == like->batch &&
            strcmp(speed->model, like->model) == 0) {
            return speed;
        }
    }
    return NULL;
}

/* A batch size at which both the slice and the whole GPU were measured. */
struct point {
    int batch;
    double speed;
};

/* The points next to `batch` on either side of it, or on one side twice. */
static bool find_neighbours(const struct catalogue *catalogue, const char *measured_as,
                            enum measured_work work, int compute_slices, double batch,
                            struct point *below, struct point *above, int *gpu) {
    bool has_below = false;
    bool has_above = false;
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        const struct measured_speed *speed = &catalogue->speeds[i];
        if (speed->work != work || speed->compute_slices != compute_slices ||
            speed->processes != 1 || strcasecmp(speed->model, measured_as) != 0) {
            continue;
        }
        const struct measured_speed *whole =
            find_speed(catalogue, speed, catalogue->gpus[speed->gpu].compute_slices);
        if (whole == NULL) {
            continue;
        }
        struct point point = {speed->batch, speed->per_process / whole->per_process};
        *gpu = speed->gpu;
        if (point.batch <= batch) {
            *below = point; /* batches ascend, so the last one is the nearest */
            has_below = true;
        } else if (!has_above) {
            *above = point;
            has_above = true;
        }
    }
    *below = has_below ? *below : *above;
    *above = has_above ? *above : *below;
    return has_below || has_above;
}

bool catalogue_measured_speed(const struct catalogue *catalogue, const char *measured_as,
                              enum measured_work work, int compute_slices, double batch,
                              double *speed, int *gpu) {
    struct point below = {0};
    struct point above = {0};
    if (!find_neighbours(catalogue, measured_as, work, compute_slices, batch, &below, &above,
                         gpu)) {
        return false;
    }
    double gap = above.batch - below.batch;
    double part = gap > 0 ? (batch - below.batch) / gap : 0;
    *speed = below.speed + part * (above.speed - below.speed);
    return true;
}
