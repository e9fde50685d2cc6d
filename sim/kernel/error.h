/* Errors for people: where it is, what is wrong, what to do about it. The one error type of the
 * project; functions fill it in and return failure, and only cli/ prints and exits. */
#ifndef SIM_KERNEL_ERROR_H
#define SIM_KERNEL_ERROR_H

#include <stdarg.h>
#include <stddef.h>

/* line 0: the error concerns the whole file; an empty file: it has no place (a bad option, say). */
struct error {
    char file[512];
    int line;   /* 1-based */
    int column; /* 1-based, in characters; 0: the whole line */
    char message[1024];
};

/* Fills in *error. Longer texts are cut; file may be NULL for no place. */
void error_set(struct error *error, const char *file, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void error_set_v(struct error *error, const char *file, int line, int column, const char *format,
                 va_list arguments);

/* Writes "FILE:LINE:COLUMN: message" (the parts that are known), with control characters and
 * bidirectional overrides escaped (\x1b, \u202e), since file names and texts may come from anyone.
 * Returns buffer. */
const char *error_format(const struct error *error, char *buffer, size_t size);

/* All the errors of one input, in the order found. Zero-initialize; free with error_list_clear. */
struct error_list {
    struct error *items;
    size_t count;
    size_t capacity;
};

void error_list_add(struct error_list *list, const char *file, int line, int column,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));
void error_list_append(struct error_list *list, const struct error *error);
/* Orders by file, line and column, as a reader of the file meets them; stable. */
void error_list_sort(struct error_list *list);
void error_list_clear(struct error_list *list);

#endif
