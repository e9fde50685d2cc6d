/* headroom report: the results of a database as one page. */
#include "reports/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/language.h"
#include "sim/kernel/memory.h"

struct report_request {
    struct report_options options;
    const char *output;
    bool format_given;
};

static bool set_output(void *target, const char *value) {
    ((struct report_request *)target)->output = value;
    return true;
}

static bool set_plots(void *target, const char *value) {
    ((struct report_request *)target)->options.plots = value;
    return true;
}

static bool set_format(void *target, const char *value) {
    struct report_request *request = target;
    for (int i = 0; i < PLOT_FORMAT_COUNT; i++) {
        if (strcmp(value, plot_format_names[i]) == 0) {
            request->options.plot_format = (enum plot_format)i;
            request->format_given = true;
            return true;
        }
    }
    complain("--format takes svg or png, not '%s'", value);
    return false;
}

static const struct option_row option_rows[] = {
    {"output", 'o', "FILE", "the page; default: report.html, - for standard output", set_output},
    {"plots", 0, "DIR", "leave the plots here too, with the data and gnuplot scripts", set_plots},
    {"format", 0, "svg|png", "of the plots in DIR; default: svg", set_format},
};

/* The page goes out whole or not at all. */
static int write_page(const char *output, const char *page, size_t size) {
    if (strcmp(output, "-") == 0) {
        fwrite(page, 1, size, stdout);
        return STATUS_DONE;
    }
    FILE *file = fopen(output, "w");
    bool written = file != NULL;
    if (written) {
        written = fwrite(page, 1, size, file) == size;
        written = fclose(file) == 0 && written;
    }
    if (!written) {
        complain("%s: cannot be written: %s", output, strerror(errno));
        return STATUS_FAILED;
    }
    fprintf(stderr, "Wrote %s.\n", output);
    return STATUS_DONE;
}

static int make_page(const struct report_request *request) {
    char *page = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&page, &size);
    if (out == NULL) {
        memory_exhausted(0);
    }
    struct error error;
    bool done = report_print(out, &request->options, &error);
    fclose(out);
    int status = STATUS_BAD_INPUT;
    if (done) {
        status = write_page(request->output, page, size);
    } else {
        complain_error(&error);
    }
    free(page);
    return status;
}

static int run_report(const struct command *command, int argc, char **argv) {
    struct report_request request = {.output = "report.html"};
    int rest = 0;
    enum parse_outcome outcome = options_parse(command, &request, argc, argv, &rest);
    if (outcome != PARSE_OK) {
        return outcome == PARSE_FAILED ? STATUS_BAD_INPUT : STATUS_DONE;
    }
    if (rest != argc - 1) {
        complain("report needs one database: headroom report FILE.db");
        return STATUS_BAD_INPUT;
    }
    if (request.format_given && request.options.plots == NULL) {
        complain("--format is of the plots that --plots DIR leaves; give both");
        return STATUS_BAD_INPUT;
    }
    struct language language;
    language_create(&language);
    request.options.database = argv[rest];
    request.options.context = &language.context;
    int status = make_page(&request);
    language_destroy(&language);
    return status;
}

static const struct command_example examples[] = {
    {"headroom report headroom.db", "Writes report.html: verdict, tables and plots in one file"},
    {"headroom report headroom.db -o week.html --plots plots --format png",
     "Leaves the plots in a folder, too, with data and scripts to restyle them"},
};

const struct command command_report = {
    .name = "report",
    .arguments = "FILE.db [OPTION...]",
    .summary = "Makes one page of a result database, for a meeting.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .main = run_report,
};
