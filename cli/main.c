/* headroom: a discrete-event simulator of GPU clusters. One subcommand per file, but that sweep is
 * in that of run. */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"

static void print_usage(FILE *out) {
    fputs("headroom answers capacity questions about GPU clusters by simulating them.\n\n"
          "Usage: headroom COMMAND ...\n\n",
          out);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(out, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs("\n'headroom COMMAND --help' tells more; 'headroom --version' which version this is.\n\n"
          "Exit status:\n",
          out);
    for (size_t i = 0; i < exit_status_count; i++) {
        fprintf(out, "  %-9d %s\n", exit_statuses[i].status, exit_statuses[i].meaning);
    }
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
        if (strcmp(argv[1], commands[i]->name) == 0) {
            return flush_output(commands[i]->main(commands[i], argc - 1, argv + 1));
        }
    }
    complain("there is no command '%s'; 'headroom --help' lists them", argv[1]);
    return STATUS_BAD_INPUT;
}
