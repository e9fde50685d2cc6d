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
    {"by", 0, "KEY", "what rows differ by: variant, point, scenario or file", set_by},
    {"baseline", 0, "NAME", "what the others are compared to; default: the first row",
     set_baseline},
    {"format", 0, "FORMAT", "table, markdown, csv or json", set_format},
};

int command_compare(const struct command *command, int argc, char **argv) {
    struct compare_options options = {.format = TABLE_TEXT,
                                      .colour = terminal_wants_colour(stdout)};
    int rest = 0;
    enum parse_outcome outcome =
        options_parse(command, option_rows, sizeof option_rows / sizeof option_rows[0], &options,
                      argc, argv, &rest);
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
