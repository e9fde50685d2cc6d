/* headroom catalog gpus: what a pool may have. */
#include <math.h>
#include <stdio.h>

#include "cli/catalog.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "reports/number.h"

static void add_provenance(struct table *table, const struct provenance *provenance) {
    catalog_add_text(table, provenance->source);
    catalog_add_text(table, provenance->confidence);
}

static void add_price(struct table *table, const struct list_price *price) {
    static const struct list_price unknown = {(double)NAN, "", "", "", "", {"", ""}};
    price = price != NULL ? price : &unknown;
    double usd = price->usd_per_gpu_hour;
    catalog_add_figure(table, usd, number_money(usd, "USD").text, &price->provenance);
    catalog_add_text(table, price->provider);
    catalog_add_text(table, price->sku);
    catalog_add_text(table, price->kind);
    catalog_add_text(table, price->date);
}

static void add_count(struct table *table, int count, const struct provenance *provenance) {
    double value = count > 0 ? count : (double)NAN;
    catalog_add_figure(table, value, number_count(value).text, provenance);
}

static void add_mig(struct table *table, const struct gpu_model *gpu) {
    static const struct provenance known = {"", ""};
    char slices[32];
    snprintf(slices, sizeof slices, "%d slices", gpu->compute_slices);
    bool mig = gpu->compute_slices > 0;
    catalog_add_figure(table, mig ? gpu->compute_slices : (double)NAN, slices, &known);
    add_count(table, gpu->memory_units, &known);
    catalog_add_text(table, !mig ? "" : gpu->mig_mode_needs_reset ? "yes" : "no");
}

static void add_gpu(struct table *table, const struct catalogue *catalogue, size_t row) {
    const struct gpu_model *gpu = &catalogue->gpus[row];
    const struct list_price *price = catalogue_price(catalogue, (int)row);
    double memory_gib = (double)gpu->memory_mib / 1024;
    table_add_row(table);
    table_add_text(table, gpu->name);
    catalog_add_figure(table, memory_gib, number_plain(memory_gib).text, &gpu->memory);
    add_count(table, gpu->sms, &gpu->sms_provenance);
    add_mig(table, gpu);
    catalog_add_figure(table, gpu->idle_watts, number_plain(gpu->idle_watts).text, &gpu->power);
    catalog_add_figure(table, gpu->limit_watts, number_count(gpu->limit_watts).text, &gpu->power);
    add_price(table, price);
    add_provenance(table, &gpu->memory);
    add_provenance(table, &gpu->sms_provenance);
    add_provenance(table, &gpu->power);
    add_provenance(table, price != NULL ? &price->provenance : &(struct provenance){"", ""});
}

/* The sources are too long for lines of a terminal. */
static struct table *tabulate(const struct catalogue *catalogue, enum table_format format) {
    enum table_audience sources = format == TABLE_TEXT ? TABLE_FOR_MACHINES : TABLE_FOR_ALL;
    struct table *table = table_create();
    table_add_column(table, "GPU", "name", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "memory GiB", "memory_gib", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "SMs", "sms", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "MIG", "compute_slices", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "", "memory_units", TABLE_RIGHT, TABLE_FOR_MACHINES);
    table_add_column(table, "", "mig_mode_needs_reset", TABLE_LEFT, TABLE_FOR_MACHINES);
    table_add_column(table, "idle W", "idle_w", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "limit W", "limit_w", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "list price per hour", "price_usd_per_gpu_hour", TABLE_RIGHT,
                     TABLE_FOR_ALL);
    table_add_column(table, "provider", "price_provider", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "product", "price_sku", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "kind", "price_kind", TABLE_LEFT, sources);
    table_add_column(table, "date", "price_date", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "source of the memory", "memory_source", TABLE_LEFT, sources);
    table_add_column(table, "confidence", "memory_confidence", TABLE_LEFT, sources);
    table_add_column(table, "source of the SMs", "sms_source", TABLE_LEFT, sources);
    table_add_column(table, "confidence", "sms_confidence", TABLE_LEFT, sources);
    table_add_column(table, "source of the power", "power_source", TABLE_LEFT, sources);
    table_add_column(table, "confidence", "power_confidence", TABLE_LEFT, sources);
    table_add_column(table, "source of the price", "price_source", TABLE_LEFT, sources);
    table_add_column(table, "confidence", "price_confidence", TABLE_LEFT, sources);
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        add_gpu(table, catalogue, i);
    }
    return table;
}

static void print_sources(const struct catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        const struct list_price *price = catalogue_price(catalogue, (int)i);
        printf("\n%s\n", gpu->name);
        catalog_print_source("memory", &gpu->memory);
        catalog_print_source("SMs", &gpu->sms_provenance);
        catalog_print_source("power", &gpu->power);
        if (price != NULL) {
            catalog_print_source("price", &price->provenance);
        }
    }
}

static bool has_unverified(const struct catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        if (!provenance_verified(&gpu->memory) || !provenance_verified(&gpu->sms_provenance) ||
            !provenance_verified(&gpu->power)) {
            return true;
        }
    }
    return false;
}

int catalog_gpus(const struct catalog_request *request) {
    struct table *table = tabulate(request->catalogue, request->format);
    table_print(stdout, table, request->format, 0, terminal_wants_colour(stdout));
    table_destroy(table);
    if (request->format == TABLE_TEXT) {
        catalog_print_note("On-demand list prices of the GPUs that have one; a pool's `price` "
                           "replaces them, and `headroom catalog prices` has more. Where each "
                           "figure is from: --sources, or --format markdown, csv or json.",
                           has_unverified(request->catalogue));
        if (request->sources) {
            print_sources(request->catalogue);
        }
    }
    return STATUS_DONE;
}
