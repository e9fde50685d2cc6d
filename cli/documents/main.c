/* headroom-documents FOLDER: writes the man page and the completions. Part of the build only. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/documents/documents.h"

static const struct {
    const char *name;
    void (*write)(FILE *out);
} documents[] = {
    {"headroom.1", man_page_write},
    {"headroom.bash", bash_completion_write},
    {"_headroom", zsh_completion_write},
};

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("Usage: headroom-documents FOLDER\n", stderr);
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", argv[1], documents[i].name);
        FILE *out = fopen(path, "w");
        if (out == NULL) {
            perror(path);
            return EXIT_FAILURE;
        }
        documents[i].write(out);
        if (ferror(out) != 0 || fclose(out) != 0) {
            perror(path);
            return EXIT_FAILURE;
        }
    }
    return EXIT_SUCCESS;
}
