/* headroom catalog: what the program knows by itself. One row per topic. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/terminal.h"
#include "models/catalogue.h"
#include "reports/number.h"
#include "reports/table.h"

struct catalog_options {
    enum table_format format;
};

static bool set_format(void *target, const char *value) {
    return option_table_format(value, &((struct catalog_options *)target)->format);
}

static const struct option_row option_rows[] = {
    {"format", 0, "FORMAT", "table, markdown, csv or json; all but table with sources", set_format},
};

/* Nothing to machines and a dash to people. */
static void add_text_if_known(struct table *table, const char *text) {
    if (text[0] != '\0') {
        table_add_text(table, text);
    } else {
        table_add_number(table, NAN, "-");
    }
}

static void add_gpu(struct table *table, const struct gpu_model *gpu) {
    double memory_gib = (double)gpu->memory_mib / 1024;
    double price = gpu->price_usd_per_gpu_hour;
    table_add_row(table);
    table_add_text(table, gpu->name);
    table_add_number(table, memory_gib, number_plain(memory_gib).text);
    table_add_number(table, price, number_money(price, "USD").text);
    add_text_if_known(table, gpu->price_provider);
    add_text_if_known(table, gpu->price_kind);
    add_text_if_known(table, gpu->price_date);
    add_text_if_known(table, gpu->memory_source);
    add_text_if_known(table, gpu->price_source);
}

/* The sources are too long for lines of a terminal. */
static struct table *tabulate_gpus(const struct catalogue *catalogue, enum table_format format) {
    enum table_audience sources = format == TABLE_TEXT ? TABLE_FOR_MACHINES : TABLE_FOR_ALL;
    struct table *table = table_create();
    table_add_column(table, "GPU", "name", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "memory GiB", "memory_gib", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "list price per hour", "price_usd_per_gpu_hour", TABLE_RIGHT,
                     TABLE_FOR_ALL);
    table_add_column(table, "provider", "price_provider", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "kind", "price_kind", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "date", "price_date", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "source of the memory", "memory_source", TABLE_LEFT, sources);
    table_add_column(table, "source of the price", "price_source", TABLE_LEFT, sources);
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        add_gpu(table, &catalogue->gpus[i]);
    }
    return table;
}

static void print_gpus(const struct catalog_options *options) {
    struct catalogue *catalogue = catalogue_create();
    struct table *table = tabulate_gpus(catalogue, options->format);
    table_print(stdout, table, options->format, 0, terminal_wants_colour(stdout));
    if (options->format == TABLE_TEXT) {
        puts("\nList prices, of the providers that have one; a pool's `price` replaces them. Where "
             "each figure\nis from: --format markdown, csv or json.");
    }
    table_destroy(table);
    catalogue_destroy(catalogue);
}

static const struct {
    const char *name;
    const char *summary;
    void (*print)(const struct catalog_options *options);
} topics[] = {
    {"gpus", "the GPUs that a pool may have: memory and list price", print_gpus},
};
enum { TOPICS = sizeof topics / sizeof topics[0] };

static void print_topics(void) {
    puts("The catalogues that headroom has:");
    for (size_t i = 0; i < TOPICS; i++) {
        printf("  headroom catalog %-9s %s\n", topics[i].name, topics[i].summary);
    }
}

int command_catalog(const struct command *command, int argc, char **argv) {
    struct catalog_options options = {.format = TABLE_TEXT};
    int rest = 0;
    enum parse_outcome outcome =
        options_parse(command, option_rows, sizeof option_rows / sizeof option_rows[0], &options,
                      argc, argv, &rest);
    if (outcome != PARSE_OK) {
        return outcome == PARSE_FAILED ? STATUS_BAD_INPUT : STATUS_DONE;
    }
    if (rest == argc) {
        print_topics();
        return STATUS_DONE;
    }
    for (size_t i = 0; i < TOPICS && rest + 1 == argc; i++) {
        if (strcmp(argv[rest], topics[i].name) == 0) {
            topics[i].print(&options);
            return STATUS_DONE;
        }
    }
    complain("there is no catalogue '%s'; 'headroom catalog' lists them", argv[argc - 1]);
    return STATUS_BAD_INPUT;
}
