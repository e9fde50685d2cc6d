#include "cli/help.h"

#include <stdlib.h>
#include <string.h>

#include "reports/text.h"
#include "sim/kernel/memory.h"

enum { OPTION_WIDTH = 30 };

const struct option_row option_help = {.name = "help", .letter = 'h', .help = "shows this"};

static void print_option(FILE *out, const struct option_row *row) {
    char left[128];
    char letter[8] = "    ";
    if (row->letter != 0) {
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    }
    int width = snprintf(left, sizeof left, "  %s--%s%s%s", letter, row->name,
                         row->argument ? " " : "", row->argument ? row->argument : "");
    if (width > OPTION_WIDTH) {
        fprintf(out, "%s\n%*s ", left, OPTION_WIDTH, "");
    } else {
        fprintf(out, "%-*s ", OPTION_WIDTH, left);
    }
    text_print_wrapped(out, row->help, OPTION_WIDTH + 1, TABLE_WIDTH);
}

void help_for_each_word(const struct command *command,
                        void (*add)(void *context, const char *word, const char *what),
                        void *context) {
    if (command->print_words == NULL) {
        return;
    }
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        memory_exhausted(0);
    }
    command->print_words(out);
    fclose(out);
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        char *what = strchr(line, '\t');
        *what = '\0';
        add(context, line, what + 1);
    }
    free(text);
}

static void print_word(void *context, const char *word, const char *what) {
    enum { MARGIN = 28 };
    if (what[0] == '\0') {
        fprintf(context, "  %s\n", word);
    } else {
        fprintf(context, "  %-*s ", MARGIN - 3, word);
        text_print_wrapped(context, what, MARGIN, TABLE_WIDTH);
    }
}

void help_print_words(FILE *out, const struct command *command) {
    help_for_each_word(command, print_word, out);
}

void help_print(FILE *out, const struct command *command) {
    fprintf(out, "Usage: headroom %s %s\n\n%s\n\nOptions:\n", command->name, command->arguments,
            command->summary);
    for (size_t i = 0; i < command->option_count; i++) {
        print_option(out, &command->options[i]);
    }
    print_option(out, &option_help);
    if (command->print_words != NULL) {
        fprintf(out, "\n%s:\n", command->words_title);
        help_print_words(out, command);
    }
    fputs("\nExamples:\n", out);
    for (size_t i = 0; i < command->example_count; i++) {
        fprintf(out, "  %s\n      %s.\n", command->examples[i].line, command->examples[i].what);
    }
}
