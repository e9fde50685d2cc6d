#include "cli/templates.h"

#include <string.h>

#include "sim/kernel/memory.h"

extern const struct embedded_file template_scenarios[];
extern const struct embedded_file template_data[];
extern const struct embedded_file library_scenarios[];
extern const struct embedded_file library_data[];

static size_t count_of(const struct embedded_file *files) {
    size_t count = 0;
    while (files[count].name != NULL) {
        count++;
    }
    return count;
}

size_t template_count(void) {
    return count_of(template_scenarios) + count_of(library_scenarios);
}

const struct embedded_file *template_at(size_t index) {
    size_t own = count_of(template_scenarios);
    return index < own ? &template_scenarios[index] : &library_scenarios[index - own];
}

char *template_description(const struct embedded_file *scenario) {
    static const char key[] = "\ndescription: ";
    const char *text = strstr(scenario->text, key);
    text = text != NULL ? text + strlen(key) : "";
    size_t length = strcspn(text, "\n");
    char *description = memory_duplicate(text, length + 1);
    description[length] = '\0';
    return description;
}

const char *template_file_name(const struct embedded_file *file) {
    const char *slash = strrchr(file->path, '/');
    return slash != NULL ? slash + 1 : file->path;
}

const struct embedded_file *template_next_data(const struct embedded_file *scenario, size_t *at) {
    size_t own = count_of(template_data);
    size_t all = own + count_of(library_data);
    while (*at < all) {
        const struct embedded_file *file =
            *at < own ? &template_data[*at] : &library_data[*at - own];
        (*at)++;
        if (strstr(scenario->text, template_file_name(file)) != NULL) {
            return file;
        }
    }
    return NULL;
}
