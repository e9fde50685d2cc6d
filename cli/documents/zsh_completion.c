/* The completion of zsh. */
#include <string.h>

#include "cli/documents/documents.h"
#include "cli/help.h"

/* Texts stand in single quotes, where a quote is '\'' and the given characters are special. */
static void print_quoted(FILE *out, const char *text, const char *special) {
    for (const char *at = text; *at != '\0'; at++) {
        char one[2] = {*at, '\0'};
        if (*at == '\'') {
            fputs("'\\''", out);
        } else {
            document_print_escaped(out, one, special);
        }
    }
}

static void print_completion(FILE *out, const struct argument *argument, const char *words) {
    switch (argument->kind) {
    case ARGUMENT_TEXT:
        break;
    case ARGUMENT_WORDS:
        fputc('(', out);
        document_print_words(out, words, ' ');
        fputc(')', out);
        break;
    case ARGUMENT_FILE:
        fputs("_files", out);
        if (argument->endings[0] != '\0') {
            fprintf(out, " -g \"*.(%s)\"", argument->endings);
        }
        break;
    case ARGUMENT_FOLDER:
        fputs("_files -/", out);
        break;
    }
}

/* One way to write an option: '*--output=[what it does]:FILE.db:_files -g "*.(db)"'. */
static void print_spelling(FILE *out, const struct option_row *row, const char *spelling,
                           const char *joint) {
    fprintf(out, "            '*%s", spelling);
    if (row->argument != NULL) {
        fputs(joint, out);
    }
    fputc('[', out);
    print_quoted(out, row->help, "[]:\\");
    fputc(']', out);
    if (row->argument != NULL) {
        struct argument argument = argument_of(row->argument);
        fputc(':', out);
        print_quoted(out, argument.kind == ARGUMENT_WORDS ? row->name : row->argument, ":\\");
        fputc(':', out);
        print_completion(out, &argument, row->argument);
    }
    fputs("' \\\n", out);
}

static void print_option(FILE *out, const struct option_row *row) {
    char spelling[64];
    snprintf(spelling, sizeof spelling, "--%s", row->name);
    print_spelling(out, row, spelling, "=");
    if (row->letter != 0) {
        snprintf(spelling, sizeof spelling, "-%c", row->letter);
        print_spelling(out, row, spelling, "+");
    }
}

/* In ((word\:what it is ...)): spaces of descriptions are escaped, as words end there. */
static void print_word(void *context, const char *word, const char *what) {
    fprintf(context, "%s", word);
    if (what[0] != '\0') {
        fputs("\\:", context);
        print_quoted(context, what, " ()[]:;&|<>$`\"\\*?~#");
    }
    fputc(' ', context);
}

static void print_command(FILE *out, const struct command *command) {
    fprintf(out, "        %s)\n            _arguments \\\n", command->name);
    for (size_t i = 0; i < command->option_count; i++) {
        print_option(out, &command->options[i]);
    }
    print_option(out, &option_help);
    fputs("            '*:argument:", out);
    struct argument argument = argument_of(command->arguments);
    if (argument.kind == ARGUMENT_TEXT && command->print_words != NULL) {
        fputs("((", out);
        help_for_each_word(command, print_word, out);
        fputs("))", out);
    } else {
        print_completion(out, &argument, command->arguments);
    }
    fputs("'\n            ;;\n", out);
}

void zsh_completion_write(FILE *out) {
    fputs("#compdef headroom\n"
          "# Completion of headroom for zsh; made from the tables of headroom " HEADROOM_VERSION
          ".\n\n_headroom() {\n"
          "    local curcontext=\"$curcontext\" state line\n"
          "    typeset -A opt_args\n"
          "    local -a commands=(\n",
          out);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(out, "        '%s:", commands[i]->name);
        print_quoted(out, commands[i]->summary, ":\\");
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    _arguments -C '(- *)--help[lists the commands]' '(- *)--version[the version]' \\\n"
          "        '1: :->command' '*:: :->rest'\n"
          "    case $state in\n"
          "    command) _describe -t commands command commands ;;\n"
          "    rest)\n"
          "        case $words[1] in\n",
          out);
    for (size_t i = 0; i < command_count; i++) {
        print_command(out, commands[i]);
    }
    fputs("        esac\n        ;;\n    esac\n}\n\n_headroom \"$@\"\n", out);
}
