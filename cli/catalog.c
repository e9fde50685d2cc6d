/* headroom catalog: what the program knows by itself. One row per topic. */
#include "cli/catalog.h"

#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/language.h"
#include "scenarios/catalogue_file.h"

struct catalog_options {
    struct catalog_request request;
    const char *file; /* --catalogue; NULL: not given */
};

static bool set_format(void *target, const char *value) {
    return option_table_format(value, &((struct catalog_options *)target)->request.format);
}

static bool set_sources(void *target, const char *value) {
    (void)value;
    ((struct catalog_options *)target)->request.sources = true;
    return true;
}

static bool set_layout(void *target, const char *value) {
    ((struct catalog_options *)target)->request.layout = value;
    return true;
}

static bool set_engines(void *target, const char *value) {
    (void)value;
    ((struct catalog_options *)target)->request.engines = true;
    return true;
}

static bool set_file(void *target, const char *value) {
    ((struct catalog_options *)target)->file = value;
    return true;
}

static const struct option_row option_rows[] = {
    {"format", 0, "table|markdown|csv|json", "all but table, the default, with sources",
     set_format},
    {"sources", 0, NULL, "where each figure is from, below a table, too", set_sources},
    {"catalogue", 'c', "FILE", "with the entries of a file, as in a scenario's `catalogue`",
     set_file},
    {"layout", 0, "LIST", "of mig: places these profiles, such as 3g.40gb,2g.20gb,2g.20gb",
     set_layout},
    {"engines", 0, NULL, "of mig: layouts of profiles that differ in engines alone, too",
     set_engines},
};

static const struct {
    const char *name;
    const char *argument; /* that must follow; "": none */
    const char *summary;
    int (*print)(const struct catalog_request *request);
} topics[] = {
    {"gpus", "", "the GPUs that a pool may have: memory, SMs, power and list price", catalog_gpus},
    {"mig", "GPU", "how MIG can cut a GPU: its profiles and layouts", catalog_mig},
    {"prices", "", "list prices of GPUs, with provider and date", catalog_prices},
    {"models", "", "models with their memory, and what speeds were measured", catalog_models},
};
enum { TOPICS = sizeof topics / sizeof topics[0] };

static void print_topics(void) {
    puts("The catalogues that headroom has:");
    for (size_t i = 0; i < TOPICS; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s %s", topics[i].name, topics[i].argument);
        printf("  headroom catalog %-9s %s\n", name, topics[i].summary);
    }
}

static void print_words(FILE *out) {
    for (size_t i = 0; i < TOPICS; i++) {
        fprintf(out, "%s\t%s\n", topics[i].name, topics[i].summary);
    }
}

static int print_topic(struct catalog_options *options, const char *name) {
    struct catalog_request *request = &options->request;
    for (size_t i = 0; i < TOPICS; i++) {
        if (strcmp(name, topics[i].name) != 0) {
            continue;
        }
        if (topics[i].argument[0] == '\0' && request->argument_count > 0) {
            complain("catalog %s takes no argument, so not '%s'", name, request->arguments[0]);
            return STATUS_BAD_INPUT;
        }
        if (topics[i].argument[0] == '\0' && request->layout != NULL) {
            complain("--layout is for 'headroom catalog mig GPU'");
            return STATUS_BAD_INPUT;
        }
        return topics[i].print(request);
    }
    complain("there is no catalogue '%s'; 'headroom catalog' lists them", name);
    return STATUS_BAD_INPUT;
}

/* With the catalogue of the file. */
static int print_with_file(struct catalog_options *options, const char *name,
                           const struct reader_context *context) {
    struct error_list errors = {0};
    struct scenario *scenario = catalogue_file_open(options->file, context, &errors);
    int status = STATUS_BAD_INPUT;
    if (scenario != NULL) {
        options->request.catalogue = scenario->catalogue;
        status = print_topic(options, name);
    }
    error_list_sort(&errors);
    for (size_t i = 0; i < errors.count; i++) {
        char buffer[2048];
        fprintf(stderr, "%s\n", error_format(&errors.items[i], buffer, sizeof buffer));
    }
    scenario_destroy(scenario);
    error_list_clear(&errors);
    return status;
}

static int print_with_catalogue(struct catalog_options *options, const char *name) {
    struct language language;
    language_create(&language);
    options->request.catalogue = language.catalogue;
    int status = options->file != NULL ? print_with_file(options, name, &language.context)
                                       : print_topic(options, name);
    language_destroy(&language);
    return status;
}

static int run_catalog(const struct command *command, int argc, char **argv) {
    struct catalog_options options = {.request = {.format = TABLE_TEXT}};
    int rest = 0;
    enum parse_outcome outcome = options_parse(command, &options, argc, argv, &rest);
    if (outcome != PARSE_OK) {
        return outcome == PARSE_FAILED ? STATUS_BAD_INPUT : STATUS_DONE;
    }
    if (rest == argc) {
        print_topics();
        return STATUS_DONE;
    }
    options.request.arguments = argv + rest + 1;
    options.request.argument_count = argc - rest - 1;
    return print_with_catalogue(&options, argv[rest]);
}

static const struct command_example examples[] = {
    {"headroom catalog gpus", "GPUs with memory, SMs, power and list price"},
    {"headroom catalog mig A100-SXM4-80GB --layout 3g.40gb,2g.20gb,2g.20gb",
     "Whether and where a GPU can be cut so; exit status 2 if it cannot"},
    {"headroom catalog prices --format csv",
     "List prices with provider and date, for a spreadsheet"},
};

const struct command command_catalog = {
    .name = "catalog",
    .arguments = "[TOPIC] [OPTION...]",
    .summary = "Prints what is known of GPUs, with its sources.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .words_title = "Topics",
    .print_words = print_words,
    .main = run_catalog,
};
