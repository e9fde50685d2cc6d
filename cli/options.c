#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/command.h"
#include "cli/help.h"
#include "scenarios/quantity.h"

enum { MOST_OPTIONS = 32, HELP_CODE = 1000 };

void complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("headroom: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void complain_error(const struct error *error) {
    char buffer[2048];
    complain("%s", error_format(error, buffer, sizeof buffer));
}

bool option_integer(const char *option, const char *value, long long least, long long most,
                    long long *number) {
    int64_t parsed = 0;
    if (!integer_parse(value, &parsed) || parsed < least || parsed > most) {
        complain("%s takes a whole number from %lld to %lld, not '%s'", option, least, most, value);
        return false;
    }
    *number = parsed;
    return true;
}

bool option_table_format(const char *value, enum table_format *format) {
    if (!table_format_find(value, format)) {
        complain("--format takes table, markdown, csv or json, not '%s'", value);
        return false;
    }
    return true;
}

/* The tables getopt wants; codes are 1 + the row, so that letters and long names meet. */
static void build_tables(const struct option_row *rows, size_t count, struct option *long_options,
                         char *letters) {
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        long_options[i] =
            (struct option){.name = rows[i].name,
                            .has_arg = rows[i].argument != NULL ? required_argument : no_argument,
                            .val = HELP_CODE + 1 + (int)i};
        if (rows[i].letter != 0) {
            letters[at++] = rows[i].letter;
            if (rows[i].argument != NULL) {
                letters[at++] = ':';
            }
        }
    }
    long_options[count] = (struct option){.name = option_help.name, .val = HELP_CODE};
    long_options[count + 1] = (struct option){0};
    letters[at++] = option_help.letter;
    letters[at] = '\0';
}

static const struct option_row *row_of(const struct option_row *rows, size_t count, int code) {
    for (size_t i = 0; i < count; i++) {
        if (code == HELP_CODE + 1 + (int)i || (rows[i].letter != 0 && code == rows[i].letter)) {
            return &rows[i];
        }
    }
    return NULL;
}

enum parse_outcome options_parse(const struct command *command, void *target, int argc, char **argv,
                                 int *rest) {
    struct option long_options[MOST_OPTIONS + 2];
    char letters[2 * MOST_OPTIONS + 2];
    char program[64];
    build_tables(command->options, command->option_count, long_options, letters);
    snprintf(program, sizeof program, "headroom: %s", command->name);
    argv[0] = program; /* getopt begins its messages with it */
    optind = 1;
    enum parse_outcome outcome = PARSE_OK;
    int code = 0;
    while (outcome == PARSE_OK &&
           (code = getopt_long(argc, argv, letters, long_options, NULL)) != -1) {
        const struct option_row *row = row_of(command->options, command->option_count, code);
        if (code == option_help.letter || code == HELP_CODE) {
            help_print(stdout, command);
            outcome = PARSE_HELP_SHOWN;
        } else if (row == NULL) {
            complain("'headroom %s --help' lists the options", command->name);
            outcome = PARSE_FAILED;
        } else if (!row->apply(target, optarg)) {
            outcome = PARSE_FAILED;
        }
    }
    argv[0] = NULL; /* `program` ends with this call */
    *rest = optind;
    return outcome;
}
