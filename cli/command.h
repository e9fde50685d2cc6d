/* The command line: subcommands, exit statuses, and the one option parser. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

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

struct command {
    const char *name;
    const char *arguments; /* for the usage line */
    const char *summary;   /* one line */
    int (*main)(const struct command *command, int argc, char **argv);
};

int command_run(const struct command *command, int argc, char **argv);
int command_sweep(const struct command *command, int argc, char **argv);
int command_check(const struct command *command, int argc, char **argv);
int command_compare(const struct command *command, int argc, char **argv);
int command_report(const struct command *command, int argc, char **argv);
int command_catalog(const struct command *command, int argc, char **argv);
int command_selftest(const struct command *command, int argc, char **argv);

/* One option; argument NULL: it takes none. */
struct option_row {
    const char *name; /* without the dashes */
    char letter;      /* 0: none */
    const char *argument;
    const char *help;
    /* Takes the value (NULL without argument); false: bad, after printing why. */
    bool (*apply)(void *target, const char *value);
};

enum parse_outcome { PARSE_OK, PARSE_HELP_SHOWN, PARSE_FAILED };

/* Reads the options in any place among the others, which end up in argv[*rest] and after. Answers
 * --help itself. */
enum parse_outcome options_parse(const struct command *command, const struct option_row *rows,
                                 size_t count, void *target, int argc, char **argv, int *rest);

/* A whole number within [least, most]; false after printing what is wrong with `option`. */
bool option_integer(const char *option, const char *value, long long least, long long most,
                    long long *number);

/* The value of --format; false after printing what it may be. */
bool option_table_format(const char *value, enum table_format *format);

/* "headroom: " and the message on stderr, as one line. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
void complain_error(const struct error *error);

#endif
