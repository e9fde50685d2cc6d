/* headroom catalog prices: what a GPU costs, of whom. */
#include <stdio.h>

#include "cli/catalog.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "reports/number.h"

static void add_price(struct table *table, const char *gpu, const struct list_price *price,
                      bool counts) {
    double usd = price->usd_per_gpu_hour;
    table_add_row(table);
    table_add_text(table, gpu);
    catalog_add_figure(table, usd, number_money(usd, "USD").text, &price->provenance);
    if (counts) {
        table_mark(table, "*");
    }
    catalog_add_text(table, price->provider);
    catalog_add_text(table, price->sku);
    catalog_add_text(table, price->kind);
    catalog_add_text(table, price->date);
    table_add_text(table, counts ? "yes" : "no");
    catalog_add_text(table, price->provenance.source);
    catalog_add_text(table, price->provenance.confidence);
}

/* The sources are too long for lines of a terminal. */
static struct table *tabulate(const struct catalogue *catalogue, enum table_format format) {
    enum table_audience sources = format == TABLE_TEXT ? TABLE_FOR_MACHINES : TABLE_FOR_ALL;
    struct table *table = table_create();
    table_add_column(table, "GPU", "gpu", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "price per hour", "usd_per_gpu_hour", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "provider", "provider", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "product", "sku", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "kind", "kind", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "date", "date", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "", "counts", TABLE_LEFT, TABLE_FOR_MACHINES);
    table_add_column(table, "source", "source", TABLE_LEFT, sources);
    table_add_column(table, "confidence", "confidence", TABLE_LEFT, sources);
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        const struct list_price *counting = catalogue_price(catalogue, (int)i);
        for (size_t p = 0; p < gpu->price_count; p++) {
            add_price(table, gpu->name, &gpu->prices[p], &gpu->prices[p] == counting);
        }
    }
    return table;
}

static bool has_unverified(const struct catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        for (size_t p = 0; p < catalogue->gpus[i].price_count; p++) {
            if (!provenance_verified(&catalogue->gpus[i].prices[p].provenance)) {
                return true;
            }
        }
    }
    return false;
}

static void print_sources(const struct catalogue *catalogue) {
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        const struct gpu_model *gpu = &catalogue->gpus[i];
        if (gpu->price_count > 0) {
            printf("\n%s\n", gpu->name);
        }
        for (size_t p = 0; p < gpu->price_count; p++) {
            double usd = gpu->prices[p].usd_per_gpu_hour;
            catalog_print_source(number_money(usd, "USD").text, &gpu->prices[p].provenance);
        }
    }
}

int catalog_prices(const struct catalog_request *request) {
    struct table *table = tabulate(request->catalogue, request->format);
    table_print(stdout, table, request->format, 0, terminal_wants_colour(stdout));
    table_destroy(table);
    if (request->format == TABLE_TEXT) {
        catalog_print_note("Of one GPU for one hour. *: counts where a pool gives no price of its "
                           "own. Prices move; where each is from: --sources, or --format "
                           "markdown, csv or json.",
                           has_unverified(request->catalogue));
        if (request->sources) {
            print_sources(request->catalogue);
        }
    }
    return STATUS_DONE;
}
