/* The completion of bash. */
#include <string.h>

#include "cli/documents/documents.h"
#include "cli/help.h"

static const char beginning[] =
    "# Completion of headroom for bash; made from the tables of headroom " HEADROOM_VERSION ".\n"
    "\n"
    "# Offers words that begin as the current one does.\n"
    "_headroom_words() {\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$current\")\n"
    "}\n"
    "\n"
    "# Offers folders, and files with one of the endings; without any, all files.\n"
    "_headroom_files() {\n"
    "    local ending\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    if [ $# -eq 0 ]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -f -- \"$current\")\n"
    "        return\n"
    "    fi\n"
    "    mapfile -t COMPREPLY < <(compgen -d -- \"$current\"\n"
    "        for ending in \"$@\"; do compgen -f -X \"!*.$ending\" -- \"$current\"; done)\n"
    "}\n"
    "\n"
    "_headroom_folders() {\n"
    "    compopt -o filenames 2>/dev/null\n"
    "    mapfile -t COMPREPLY < <(compgen -d -- \"$current\")\n"
    "}\n"
    "\n"
    "_headroom() {\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n";

static void print_completion(FILE *out, const struct argument *argument, const char *words) {
    switch (argument->kind) {
    case ARGUMENT_TEXT:
        fputs("return", out);
        break;
    case ARGUMENT_WORDS:
        fputs("_headroom_words '", out);
        document_print_words(out, words, ' ');
        fputc('\'', out);
        break;
    case ARGUMENT_FILE:
        fputs("_headroom_files", out);
        fputs(argument->endings[0] != '\0' ? " " : "", out);
        document_print_words(out, argument->endings, ' ');
        break;
    case ARGUMENT_FOLDER:
        fputs("_headroom_folders", out);
        break;
    }
}

/* What follows an option that takes an argument. */
static void print_option_argument(FILE *out, const char *command, const struct option_row *row) {
    if (row->argument == NULL) {
        return;
    }
    struct argument argument = argument_of(row->argument);
    fprintf(out, "    '%s --%s'", command, row->name);
    if (row->letter != 0) {
        fprintf(out, " | '%s -%c'", command, row->letter);
    }
    fputs(") ", out);
    print_completion(out, &argument, row->argument);
    fputs("; return ;;\n", out);
}

static void print_option_names(FILE *out, const struct option_row *row) {
    fprintf(out, " --%s", row->name);
    if (row->letter != 0) {
        fprintf(out, " -%c", row->letter);
    }
}

static void print_word(void *context, const char *word, const char *what) {
    (void)what;
    fprintf(context, " %s", word);
}

static void print_command(FILE *out, const struct command *command) {
    fprintf(out,
            "    %s)\n        if [[ $current == -* ]]; then\n"
            "            _headroom_words '",
            command->name);
    fprintf(out, "--%s -%c", option_help.name, option_help.letter);
    for (size_t i = 0; i < command->option_count; i++) {
        print_option_names(out, &command->options[i]);
    }
    fputs("'\n        else\n            ", out);
    struct argument argument = argument_of(command->arguments);
    if (argument.kind == ARGUMENT_TEXT && command->print_words != NULL) {
        fputs("_headroom_words '", out);
        help_for_each_word(command, print_word, out);
        fputc('\'', out);
    } else {
        print_completion(out, &argument, command->arguments);
    }
    fputs("\n        fi\n        ;;\n", out);
}

void bash_completion_write(FILE *out) {
    fputs(beginning, out);
    fputs("        _headroom_words '--help --version", out);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(out, " %s", commands[i]->name);
    }
    fputs("'\n        return\n    fi\n    case \"${COMP_WORDS[1]} $previous\" in\n", out);
    for (size_t i = 0; i < command_count; i++) {
        for (size_t o = 0; o < commands[i]->option_count; o++) {
            print_option_argument(out, commands[i]->name, &commands[i]->options[o]);
        }
    }
    fputs("    esac\n    case \"${COMP_WORDS[1]}\" in\n", out);
    for (size_t i = 0; i < command_count; i++) {
        print_command(out, commands[i]);
    }
    fputs("    esac\n}\n\ncomplete -F _headroom headroom\n", out);
}
