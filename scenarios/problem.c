#include "scenarios/problem.h"

#include <string.h>

void problem_add_v(struct error_list *errors, struct place place, const char *format,
                   va_list arguments) {
    if (errors->count >= MOST_PROBLEMS) {
        return;
    }
    struct error error;
    error_set_v(&error, place.file, place.line, place.column, format, arguments);
    error_list_append(errors, &error);
}

void problem_add(struct error_list *errors, struct place place, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    problem_add_v(errors, place, format, arguments);
    va_end(arguments);
}

bool problems_have(const struct error_list *errors, const struct error *error) {
    for (size_t i = 0; i < errors->count; i++) {
        const struct error *other = &errors->items[i];
        if (other->line == error->line && other->column == error->column &&
            strcmp(other->file, error->file) == 0 && strcmp(other->message, error->message) == 0) {
            return true;
        }
    }
    return false;
}

void problems_merge(struct error_list *errors, const struct error_list *more) {
    for (size_t i = 0; i < more->count; i++) {
        if (!problems_have(errors, &more->items[i])) {
            error_list_append(errors, &more->items[i]);
        }
    }
}
