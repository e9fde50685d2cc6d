/* The man page, in the language of man(7). */
#include <string.h>

#include "cli/documents/documents.h"
#include "cli/help.h"

/* Text for roff: no hyphen is turned into a dash, and no line begins with a request. */
static void print_text(FILE *out, const char *text) {
    if (text[0] == '.' || text[0] == '\'') {
        fputs("\\&", out);
    }
    for (const char *at = text; *at != '\0'; at++) {
        switch (*at) {
        case '\\':
            fputs("\\e", out);
            break;
        case '-':
            fputs("\\-", out);
            break;
        case '\'':
            fputs("\\(aq", out);
            break;
        case '`':
            fputs("\\(ga", out);
            break;
        default:
            fputc(*at, out);
        }
    }
}

static void print_heading(FILE *out, const char *heading) {
    fprintf(out, ".SH %s\n", heading);
}

/* A term and, indented below it, what it is. */
static void print_item(FILE *out, const char *term, const char *what) {
    fputs(".TP\n.B ", out);
    print_text(out, term);
    fputc('\n', out);
    print_text(out, what);
    fputs(".\n", out);
}

static void print_option(FILE *out, const struct option_row *row) {
    fputs(".TP\n\\fB", out);
    if (row->letter != 0) {
        fprintf(out, "\\-%c\\fR, \\fB", row->letter);
    }
    fputs("\\-\\-", out);
    print_text(out, row->name);
    fputs("\\fR", out);
    if (row->argument != NULL) {
        fputs(" \\fI", out);
        print_text(out, row->argument);
        fputs("\\fR", out);
    }
    fputc('\n', out);
    print_text(out, row->help);
    fputc('\n', out);
}

static void print_word(void *context, const char *word, const char *what) {
    FILE *out = context;
    if (what[0] == '\0') {
        fputs(".br\n", out);
        print_text(out, word);
        fputc('\n', out);
    } else {
        fputs(".TP\n.B ", out);
        print_text(out, word);
        fputc('\n', out);
        print_text(out, what);
        fputc('\n', out);
    }
}

static void print_examples(FILE *out, const struct command *command) {
    fputs(".PP\nExamples:\n", out);
    for (size_t i = 0; i < command->example_count; i++) {
        fputs(".PP\n.nf\n.RS 4\n.B ", out);
        print_text(out, command->examples[i].line);
        fputs("\n.RE\n.fi\n.RS 8\n", out);
        print_text(out, command->examples[i].what);
        fputs(".\n.RE\n", out);
    }
}

static void print_command(FILE *out, const struct command *command) {
    fputs(".SS headroom ", out);
    print_text(out, command->name);
    fputc(' ', out);
    print_text(out, command->arguments);
    fputc('\n', out);
    print_text(out, command->summary);
    fputc('\n', out);
    for (size_t i = 0; i < command->option_count; i++) {
        print_option(out, &command->options[i]);
    }
    print_option(out, &option_help);
    if (command->print_words != NULL) {
        fprintf(out, ".PP\n%s:\n", command->words_title);
        help_for_each_word(command, print_word, out);
    }
    print_examples(out, command);
}

static void print_statuses(FILE *out) {
    for (size_t i = 0; i < exit_status_count; i++) {
        char status[16];
        snprintf(status, sizeof status, "%d", exit_statuses[i].status);
        print_item(out, status, exit_statuses[i].meaning);
    }
}

void man_page_write(FILE *out) {
    fputs(".TH HEADROOM 1 \"\" \"headroom " HEADROOM_VERSION "\" \"User Commands\"\n", out);
    print_heading(out, "NAME");
    fputs("headroom \\- answers capacity questions about GPU clusters by simulating them\n", out);
    print_heading(out, "SYNOPSIS");
    for (size_t i = 0; i < command_count; i++) {
        fprintf(out, "%s.B headroom %s\n", i > 0 ? ".br\n" : "", commands[i]->name);
        print_text(out, commands[i]->arguments);
        fputc('\n', out);
    }
    print_heading(out, "DESCRIPTION");
    fputs(
        "A scenario file describes a cluster of GPUs, how they are shared, and what is to run on "
        "them.\nheadroom simulates it and writes utilization, queue waits, percentiles of latency "
        "and\ncosts to an SQLite database, to tables and to a report.\nResults go to the standard "
        "output, messages and progress (only on a terminal) to the\nstandard error. The file name "
        "\\(lq\\-\\(rq is the standard input or output.\n",
        out);
    print_heading(out, "COMMANDS");
    for (size_t i = 0; i < command_count; i++) {
        print_command(out, commands[i]);
    }
    print_heading(out, "EXIT STATUS");
    print_statuses(out);
    print_heading(out, "ENVIRONMENT");
    print_item(out, "NO_COLOR", "If set and not empty, nothing is coloured");
    print_heading(out, "FILES");
    print_item(out, "headroom.db", "The results database that run and sweep append to without -o");
}
