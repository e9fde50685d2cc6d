#include "scenarios/choice.h"

#include <string.h>

const struct registry *registries_find(const struct registries *registries, const char *name) {
    for (size_t i = 0; i < registries->count; i++) {
        if (strcmp(registries->items[i].name, name) == 0) {
            return &registries->items[i];
        }
    }
    return NULL;
}

const struct choice *registry_row(const struct registry *registry, size_t index) {
    return (const struct choice *)((const char *)registry->rows + index * registry->stride);
}

int registry_index(const struct registry *registry, const char *name) {
    for (size_t i = 0; i < registry->count; i++) {
        if (strcmp(registry_row(registry, i)->name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}
