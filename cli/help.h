/* What a subcommand's --help prints. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

void help_print(FILE *out, const struct command *command);

/* Calls add once per word that the command has to choose from. */
void help_for_each_word(const struct command *command,
                        void (*add)(void *context, const char *word, const char *what),
                        void *context);
/* Prints them with what they are, a line or so each. */
void help_print_words(FILE *out, const struct command *command);

#endif
