/* What is installed beside the program and is made of its own tables when it is built: the man page
 * and the completions of shells. */
#ifndef CLI_DOCUMENTS_DOCUMENTS_H
#define CLI_DOCUMENTS_DOCUMENTS_H

#include <stdio.h>

#include "cli/command.h"

void man_page_write(FILE *out);
void bash_completion_write(FILE *out);
void zsh_completion_write(FILE *out);

/* How an argument is completed, which its name tells. */
enum argument_kind {
    ARGUMENT_TEXT,   /* not at all */
    ARGUMENT_WORDS,  /* "svg|png" */
    ARGUMENT_FILE,   /* by files with the endings */
    ARGUMENT_FOLDER, /* "DIR" */
};

struct argument {
    enum argument_kind kind;
    const char *endings; /* of files: "yaml|yml|json", "" for any */
};

/* Of an option's argument, or the first one of a command. */
struct argument argument_of(const char *name);

/* Prints the text, with a backslash before each character of `special`. */
void document_print_escaped(FILE *out, const char *text, const char *special);
/* Prints "a|b|c" with another separator. */
void document_print_words(FILE *out, const char *words, char separator);

#endif
