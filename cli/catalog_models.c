/* headroom catalog models: what a scenario may name, and which speeds were measured. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/catalog.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "reports/number.h"

/* What was measured of a model at one kind of work. */
struct coverage {
    const struct measured_speed *any; /* NULL: nothing */
    char slices[64];                  /* "1, 2, 3, 4, 7" */
    int smallest_batch;
    int largest_batch;
};

/* Speeds are sorted by slices, so equal ones follow each other. */
static struct coverage cover(const struct catalogue *catalogue, const char *model,
                             enum measured_work work) {
    struct coverage coverage = {.smallest_batch = INT32_MAX};
    int slices = 0;
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        const struct measured_speed *speed = &catalogue->speeds[i];
        if (speed->work != work || strcasecmp(speed->model, model) != 0) {
            continue;
        }
        if (speed->compute_slices != slices) {
            slices = speed->compute_slices;
            size_t used = strlen(coverage.slices);
            snprintf(coverage.slices + used, sizeof coverage.slices - used, "%s%d",
                     used > 0 ? ", " : "", slices);
        }
        coverage.any = speed;
        coverage.smallest_batch =
            speed->batch < coverage.smallest_batch ? speed->batch : coverage.smallest_batch;
        coverage.largest_batch =
            speed->batch > coverage.largest_batch ? speed->batch : coverage.largest_batch;
    }
    return coverage;
}

static void add_coverage(struct table *table, const struct catalogue *catalogue, const char *model,
                         enum measured_work work) {
    struct coverage coverage = cover(catalogue, model, work);
    char batches[32] = "";
    if (coverage.any != NULL) {
        snprintf(batches, sizeof batches, "%d-%d", coverage.smallest_batch, coverage.largest_batch);
    }
    catalog_add_text(table, coverage.any != NULL ? catalogue->gpus[coverage.any->gpu].name : "");
    catalog_add_text(table, coverage.slices);
    catalog_add_text(table, batches);
}

static void add_model(struct table *table, const struct catalogue *catalogue,
                      const struct model_profile *model) {
    double memory_gb = model->memory_bytes > 0 ? (double)model->memory_bytes * 1e-9 : (double)NAN;
    table_add_row(table);
    table_add_text(table, model->name);
    catalog_add_figure(table, memory_gb, number_plain(memory_gb).text, &model->provenance);
    catalog_add_text(table, model->measured_as);
    add_coverage(table, catalogue, model->measured_as, MEASURED_INFERENCE);
    add_coverage(table, catalogue, model->measured_as, MEASURED_TRAINING);
    catalog_add_text(table, model->provenance.source);
    catalog_add_text(table, model->provenance.confidence);
}

/* Whether the speed is the first of its model, and the model has no row of its own. */
static bool is_only_measured(const struct catalogue *catalogue, size_t row) {
    const char *name = catalogue->speeds[row].model;
    for (size_t i = 0; i < catalogue->model_count; i++) {
        if (strcasecmp(catalogue->models[i].measured_as, name) == 0) {
            return false;
        }
    }
    return row == 0 || strcmp(catalogue->speeds[row - 1].model, name) != 0;
}

static struct table *tabulate(const struct catalogue *catalogue, enum table_format format) {
    enum table_audience sources = format == TABLE_TEXT ? TABLE_FOR_MACHINES : TABLE_FOR_ALL;
    struct table *table = table_create();
    table_add_column(table, "model", "name", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "memory GB", "memory_gb", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "measured as", "measured_as", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "inference measured on", "inference_gpu", TABLE_LEFT, sources);
    table_add_column(table, "inference slices", "inference_slices", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "inference batches", "inference_batches", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "training measured on", "training_gpu", TABLE_LEFT, sources);
    table_add_column(table, "training slices", "training_slices", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "training batches", "training_batches", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "source of the memory", "source", TABLE_LEFT, sources);
    table_add_column(table, "confidence", "confidence", TABLE_LEFT, sources);
    for (size_t i = 0; i < catalogue->model_count; i++) {
        add_model(table, catalogue, &catalogue->models[i]);
    }
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        const char *name = catalogue->speeds[i].model;
        if (is_only_measured(catalogue, i)) {
            add_model(table, catalogue,
                      &(struct model_profile){.name = name,
                                              .measured_as = name,
                                              .provenance = {.source = "", .confidence = ""}});
        }
    }
    return table;
}

/* Where the speeds of one kind of work are from. */
static void print_speeds_source(const struct catalogue *catalogue, const char *title,
                                enum measured_work work) {
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        const struct measured_speed *speed = &catalogue->speeds[i];
        if (speed->work == work) {
            printf("\n%s, on %s\n", title, catalogue->gpus[speed->gpu].name);
            catalog_print_source("speeds", &speed->provenance);
            return;
        }
    }
}

static bool has_unverified(const struct catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->model_count; i++) {
        if (!provenance_verified(&catalogue->models[i].provenance)) {
            return true;
        }
    }
    return false;
}

int catalog_models(const struct catalog_request *request) {
    const struct catalogue *catalogue = request->catalogue;
    struct table *table = tabulate(catalogue, request->format);
    table_print(stdout, table, request->format, 0, terminal_wants_colour(stdout));
    table_destroy(table);
    if (request->format == TABLE_TEXT) {
        catalog_print_note("A workload's `model` may be one of the first few, or one of the "
                           "scenario's own. Slices: compute slices of the MIG instances that "
                           "speeds were measured on. Where the figures are from: --sources, or "
                           "--format markdown, csv or json.",
                           has_unverified(catalogue));
        for (size_t i = 0; request->sources && i < catalogue->model_count; i++) {
            printf("\n%s\n", catalogue->models[i].name);
            catalog_print_source("memory", &catalogue->models[i].provenance);
        }
        if (request->sources) {
            print_speeds_source(catalogue, "inference", MEASURED_INFERENCE);
            print_speeds_source(catalogue, "training", MEASURED_TRAINING);
        }
    }
    return STATUS_DONE;
}
