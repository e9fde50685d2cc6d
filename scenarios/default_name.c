#include "scenarios/default_name.h"

#include <stdbool.h>
#include <string.h>

const char *default_name(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    if (strcmp(path, "<stdin>") == 0) {
        base = "stdin";
    }
    char *name = arena_duplicate_string(arena, base);
    if (name[0] == '\0') {
        return "scenario";
    }
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot > name) {
        *dot = '\0';
    }
    for (char *at = name; *at != '\0'; at++) {
        bool letter = (*at | 32) >= 'a' && (*at | 32) <= 'z';
        bool digit = *at >= '0' && *at <= '9';
        if (!letter && !digit && (strchr("._-", *at) == NULL || at == name)) {
            *at = at == name ? 'x' : '-';
        }
        if (at - name == 100) {
            *at = '\0';
            break;
        }
    }
    return name;
}
