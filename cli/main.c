/* headroom: a discrete-event simulator of GPU clusters. One subcommand per file, but that sweep is
 * in that of run. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static const struct command commands[] = {
    {"run", "SCENARIO... [OPTION...]",
     "Simulates scenarios and writes what came out to a database and a table.", command_run},
    {"sweep", "SCENARIO... [OPTION...]",
     "Simulates every point of the sweeps in scenarios, as run does.", command_sweep},
    {"check", "SCENARIO... [OPTION...]",
     "Reads scenarios and their traces and reports every problem in them.", command_check},
    {"compare", "FILE.db... [OPTION...]", "Compares the variants in result databases side by side.",
     command_compare},
    {"report", "FILE.db [OPTION...]", "Makes one page of a result database, for a meeting.",
     command_report},
    {"catalog", "[TOPIC] [OPTION...]", "Prints what is known of GPUs, with its sources.",
     command_catalog},
    {"selftest", "[NAME...] [OPTION...]",
     "Simulates cases whose answer is known in closed form, and compares.", command_selftest},
};
static const size_t command_count = sizeof commands / sizeof commands[0];

static void print_usage(FILE *out) {
    fputs("headroom answers capacity questions about GPU clusters by simulating them.\n\n"
          "Usage: headroom COMMAND ...\n\n",
          out);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    }
    fputs("\n'headroom COMMAND --help' tells more; 'headroom --version' which version this is.\n",
          out);
}

/* What was printed must have arrived: a full disk or a closed pipe must not pass for success. */
static int flush_output(int status) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("headroom: writing the output");
        return status == STATUS_DONE || status == STATUS_UNMET ? STATUS_FAILED : status;
    }
    return status;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        print_usage(stderr);
        return STATUS_BAD_INPUT;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
        strcmp(argv[1], "help") == 0) {
        print_usage(stdout);
        return flush_output(STATUS_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("headroom " HEADROOM_VERSION);
        return flush_output(STATUS_DONE);
    }
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return flush_output(commands[i].main(&commands[i], argc - 1, argv + 1));
        }
    }
    complain("there is no command '%s'; 'headroom --help' lists them", argv[1]);
    return STATUS_BAD_INPUT;
}
