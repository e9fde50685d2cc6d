/* headroom compare: the variants in result databases side by side. */
#include "reports/compare.h"

#include "cli/command.h"
#include "cli/terminal.h"

static bool set_by(void *target, const char *value) {
    ((struct compare_options *)target)->by = value;
    return true;
}

static bool set_baseline(void *target, const char *value) {
    ((struct compare_options *)target)->baseline = value;
    return true;
}

static bool set_format(void *target, const char *value) {
    return option_table_format(value, &((struct compare_options *)target)->format);
}

static const struct option_row option_rows[] = {
    {"by", 0, "variant|point|scenario|file", "what rows differ by", set_by},
    {"baseline", 0, "NAME", "what the others are compared to; default: the first row",
     set_baseline},
    {"format", 0, "table|markdown|csv|json", "default: table", set_format},
};

static int run_compare(const struct command *command, int argc, char **argv) {
    struct compare_options options = {.format = TABLE_TEXT,
                                      .colour = terminal_wants_colour(stdout)};
    int rest = 0;
    enum parse_outcome outcome = options_parse(command, &options, argc, argv, &rest);
    if (outcome != PARSE_OK) {
        return outcome == PARSE_FAILED ? STATUS_BAD_INPUT : STATUS_DONE;
    }
    if (rest == argc) {
        complain("compare needs a database: headroom compare FILE.db...");
        return STATUS_BAD_INPUT;
    }
    struct error error;
    if (!compare_print(stdout, stderr, (const char *const *)argv + rest, (size_t)(argc - rest),
                       &options, &error)) {
        complain_error(&error);
        return STATUS_BAD_INPUT;
    }
    return STATUS_DONE;
}

static const struct command_example examples[] = {
    {"headroom compare headroom.db",
     "The newest results of each variant, and differences to the first"},
    {"headroom compare headroom.db --baseline backfill --format markdown",
     "Differences to another variant, as a table for a wiki"},
    {"headroom compare headroom.db --format csv > compared.csv",
     "Every figure with its interval, for a spreadsheet"},
};

const struct command command_compare = {
    .name = "compare",
    .arguments = "FILE.db... [OPTION...]",
    .summary = "Compares the variants in result databases side by side.",
    .options = option_rows,
    .option_count = sizeof option_rows / sizeof option_rows[0],
    .examples = examples,
    .example_count = sizeof examples / sizeof examples[0],
    .main = run_compare,
};
