#include "cli/documents/documents.h"

#include <string.h>

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

struct argument argument_of(const char *name) {
    name += name[0] == '[';
    if (strchr(name, '|') != NULL) {
        return (struct argument){ARGUMENT_WORDS, ""};
    }
    if (begins_with(name, "SCENARIO") || strstr(name, ".yaml") != NULL) {
        return (struct argument){ARGUMENT_FILE, "yaml|yml|json"};
    }
    if (strstr(name, ".db") != NULL) {
        return (struct argument){ARGUMENT_FILE, "db"};
    }
    if (begins_with(name, "FILE")) {
        return (struct argument){ARGUMENT_FILE, ""};
    }
    return (struct argument){begins_with(name, "DIR") ? ARGUMENT_FOLDER : ARGUMENT_TEXT, ""};
}

void document_print_escaped(FILE *out, const char *text, const char *special) {
    for (const char *at = text; *at != '\0'; at++) {
        if (strchr(special, *at) != NULL) {
            fputc('\\', out);
        }
        fputc(*at, out);
    }
}

void document_print_words(FILE *out, const char *words, char separator) {
    for (const char *at = words; *at != '\0'; at++) {
        fputc(*at == '|' ? separator : *at, out);
    }
}
