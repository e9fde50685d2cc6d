/* The command line: subcommands, exit statuses, and the one option parser. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reports/table.h"
#include "sim/kernel/error.h"

enum exit_status {
    STATUS_DONE = 0,
    STATUS_FAILED = 1,    /* while running */
    STATUS_BAD_INPUT = 2, /* usage, scenario, trace, database */
    STATUS_UNMET = 3,     /* done, but an objective is not met */
    STATUS_UNSTABLE = 4,  /* done, but a queue grows without limit; before STATUS_UNMET */
    STATUS_INTERRUPTED = 130,
};

struct option_row;

/* A line that works as it stands, once the files it names are there. */
struct command_example {
    const char *line;
    const char *what; /* what it does, as a sentence without its full stop */
};

/* All that help, man page and completions tell of a subcommand, which have no other source. */
struct command {
    const char *name;
    const char
        *arguments;      /* for the usage line: SCENARIO and FILE.db are completed by such files */
    const char *summary; /* one line */
    const struct option_row *options;
    size_t option_count;
    const struct command_example *examples;
    size_t example_count;
    /* Words to choose from, as the first argument where that is no file: what they are called
     * ("Templates"), and what prints them, a line "word<TAB>what it is" each. NULL: none. */
    const char *words_title;
    void (*print_words)(FILE *out);
    int (*main)(const struct command *command, int argc, char **argv);
};

extern const struct command command_run;
extern const struct command command_sweep;
extern const struct command command_plan;
extern const struct command command_check;
extern const struct command command_compare;
extern const struct command command_report;
extern const struct command command_catalog;
extern const struct command command_selftest;
extern const struct command command_init;
extern const struct command command_export;

/* All of them, in the order in which help lists them. */
extern const struct command *const commands[];
extern const size_t command_count;

struct exit_status_row {
    enum exit_status status;
    const char *meaning;
};
extern const struct exit_status_row exit_statuses[];
extern const size_t exit_status_count;

/* One option; argument NULL: it takes none. Words to choose from are written "svg|png". */
struct option_row {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    const char *argument;
    const char *help;
    /* Takes the value (NULL without argument); false: bad, after printing why. */
    bool (*apply)(void *target, const char *value);
};

enum parse_outcome { PARSE_OK, PARSE_HELP_SHOWN, PARSE_FAILED };

/* Reads the command's options in any place among the others, which end up in argv[*rest] and after.
 * Answers --help itself. */
enum parse_outcome options_parse(const struct command *command, void *target, int argc, char **argv,
                                 int *rest);
/* What every command has besides its own. */
extern const struct option_row option_help;

/* A whole number within [least, most]; false after printing what is wrong with `option`. */
bool option_integer(const char *option, const char *value, long long least, long long most,
                    long long *number);

/* The value of --format; false after printing what it may be. */
bool option_table_format(const char *value, enum table_format *format);

/* "headroom: " and the message on stderr, as one line. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void complain_error(const struct error *error);

#endif
