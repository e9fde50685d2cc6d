/* headroom export: results in the formats of other programs. */
#include "reports/export.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "scenarios/quantity.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/sim_time.h"

struct export_options {
    const struct export_format *format;
    struct export_request request;
    const char *output; /* NULL: standard output, or the folder "export" */
    bool has_window;
    bool has_limit;
};

static bool set_format(void *target, const char *value) {
    struct export_options *options = target;
    options->format = export_format_find(value);
    if (options->format == NULL) {
        complain("--format takes perfetto, openmetrics, csv or focus, not '%s'", value);
    }
    return options->format != NULL;
}

static bool set_output(void *target, const char *value) {
    ((struct export_options *)target)->output = value;
    return true;
}

static bool set_variant(void *target, const char *value) {
    ((struct export_options *)target)->request.variant = value;
    return true;
}

static bool parse_moment(const char *option, const char *value, double *seconds) {
    int64_t ns = 0;
    if (!duration_parse(value, &ns)) {
        complain("%s takes a time since the start of the run, such as 90s or 2h, not '%s'", option,
                 value);
        return false;
    }
    *seconds = sim_time_to_seconds(ns);
    return true;
}

static bool set_from(void *target, const char *value) {
    struct export_options *options = target;
    options->has_window = true;
    return parse_moment("--from", value, &options->request.from_s);
}

static bool set_to(void *target, const char *value) {
    struct export_options *options = target;
    options->has_window = true;
    return parse_moment("--to", value, &options->request.to_s);
}

static bool set_limit(void *target, const char *value) {
    struct export_options *options = target;
    long long limit = 0;
    options->has_limit = true;
    bool good = option_integer("--limit", value, 1, INT64_MAX, &limit);
    options->request.most_events = limit;
    return good;
}

static const struct option_row option_rows[] = {
    {"format", 0, "perfetto|openmetrics|csv|focus", "what to write; see below", set_format},
    {"output", 'o', "FILE", "where to; default: - for standard output; of csv: the folder export",
     set_output},
    {"variant", 0, "NAME", "only this variant", set_variant},
    {"from", 0, "T", "of perfetto and the timelines of openmetrics: from this simulated time on",
     set_from},
    {"to", 0, "T", "likewise, up to this time, such as 2h", set_to},
    {"limit", 0, "N", "of perfetto: most events that a trace may have; default: 1000000",
     set_limit},
};

static bool options_fit(const struct export_options *options) {
    const struct export_format *format = options->format;
    if (format == NULL) {
        complain("export needs a format: --format perfetto, openmetrics, csv or focus");
    } else if (options->has_window && !format->has_window) {
        complain("--from and --to are not for %s, which has no moments", format->name);
    } else if (options->has_limit && format->write != export_format_find("perfetto")->write) {
        complain("--limit is for perfetto");
    } else if (!(options->request.from_s < options->request.to_s)) {
        complain("--from must be before --to");
    } else if (format->has_folder && options->output != NULL && strcmp(options->output, "-") == 0) {
        complain("%s writes several files: -o FOLDER, not -", format->name);
    } else {
        return true;
    }
    return false;
}

/* A file that failed half-way is of no use to anybody. */
static int write_file(struct store *store, const struct export_options *options) {
    FILE *out = fopen(options->output, "w");
    if (out == NULL) {
        complain("%s: cannot be written: %s", options->output, strerror(errno));
        return STATUS_BAD_INPUT;
    }
    struct error error;
    bool done = export_write(options->format, &options->request, store, out, &error);
    bool written = ferror(out) == 0;
    written = fclose(out) == 0 && written;
    if (!done) {
        complain_error(&error);
    } else if (!written) {
        complain("%s: cannot be written: %s", options->output, strerror(errno));
    }
    if (!done || !written) {
        unlink(options->output);
        return STATUS_BAD_INPUT;
    }
    fprintf(stderr, "Wrote %s.\n", options->output);
    return STATUS_DONE;
}

static int write_stream(struct store *store, const struct export_options *options) {
    struct error error;
    if (!export_write(options->format, &options->request, store, stdout, &error)) {
        complain_error(&error);
        return STATUS_BAD_INPUT;
    }
    if (options->format->has_folder) {
        fprintf(stderr, "Wrote the files of %s.\n", options->request.folder);
    }
    return STATUS_DONE;
}

static int export_database(const char *path, struct export_options *options) {
    struct error error;
    struct store *store = store_open_existing(path, &error);
    if (store == NULL) {
        complain_error(&error);
        return STATUS_BAD_INPUT;
    }
    options->request.folder = options->output != NULL ? options->output : "export";
    bool file = !options->format->has_folder && options->output != NULL &&
                strcmp(options->output, "-") != 0;
    int status = file ? write_file(store, options) : write_stream(store, options);
    store_close(store);
    return status;
}

static int run_export(const struct command *command, int argc, char **argv) {
    struct export_options options = {
        .request = {.from_s = 0, .to_s = (double)INFINITY, .most_events = 1000000}};
    int rest = 0;
    enum parse_outcome outcome = options_parse(command, &options, argc, argv, &rest);
    if (outcome != PARSE_OK) {
        return outcome == PARSE_FAILED ? STATUS_BAD_INPUT : STATUS_DONE;
    }
    if (rest != argc - 1) {
        complain("export needs one database: headroom export FILE.db --format ...");
        return STATUS_BAD_INPUT;
    }
    return options_fit(&options) ? export_database(argv[rest], &options) : STATUS_BAD_INPUT;
}

static void print_words(FILE *out) {
    for (size_t i = 0; i < export_format_count; i++) {
        fprintf(out, "%s\t%s\n", export_formats[i].name, export_formats[i].summary);
    }
}

static const struct command_example examples[] = {
    {"headroom export headroom.db --format perfetto --variant backfill -o trace.json",
     "A trace to open in ui.perfetto.dev, or in chrome://tracing"},
    {"headroom export headroom.db --format perfetto --from 1d --to 2d -o day.json",
     "The second day of it"},
    {"headroom export headroom.db --format openmetrics -o figures.om",
     "Figures for promtool tsdb create-blocks-from openmetrics"},
    {"headroom export headroom.db --format csv -o tables",
     "A CSV file per view in the folder tables"},
    {"headroom export headroom.db --format focus > costs.csv", "Costs beside the bills of clouds"},
};

const struct command command_export = {
    .name = "export",
    .arguments = "FILE.db --format FORMAT [OPTION...]",
    .summary = "Writes results in the formats of other programs.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .words_title = "Formats",
    .print_words = print_words,
    .main = run_export,
};
