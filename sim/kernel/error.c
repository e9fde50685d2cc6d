#include "sim/kernel/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* Copies what fits, without splitting the last UTF-8 character. */
static void copy_text(char *target, size_t size, const char *text) {
    size_t length = strlen(text);
    if (length >= size) {
        length = size - 1;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) {
            length--;
        }
    }
    memmove(target, text, length);
    target[length] = '\0';
}

void error_set_v(struct error *error, const char *file, int line, int column, const char *format,
                 va_list arguments) {
    /* The arguments may point into *error itself (a message made longer), so format first. One byte
     * more than fits shows whether the text was cut, and where. */
    char message[sizeof(error->message) + 4];
    if (vsnprintf(message, sizeof(message), format, arguments) < 0) {
        message[0] = '\0';
    }
    copy_text(error->message, sizeof(error->message), message);
    copy_text(error->file, sizeof(error->file), file != NULL ? file : "");
    error->line = line;
    error->column = column;
}

void error_set(struct error *error, const char *file, int line, int column, const char *format,
               ...) {
    va_list arguments;
    va_start(arguments, format);
    error_set_v(error, file, line, column, format, arguments);
    va_end(arguments);
}

const char *error_format(const struct error *error, char *buffer, size_t size) {
    if (error->file[0] == '\0') {
        snprintf(buffer, size, "%s", error->message);
    } else if (error->line <= 0) {
        snprintf(buffer, size, "%s: %s", error->file, error->message);
    } else if (error->column <= 0) {
        snprintf(buffer, size, "%s:%d: %s", error->file, error->line, error->message);
    } else {
        snprintf(buffer, size, "%s:%d:%d: %s", error->file, error->line, error->column,
                 error->message);
    }
    return buffer;
}

void error_list_append(struct error_list *list, const struct error *error) {
    /* error may be an item of this list, which growing moves. */
    struct error copy = *error;
    list->items =
        memory_grow(list->items, &list->capacity, list->count + 1, sizeof(list->items[0]));
    list->items[list->count++] = copy;
}

void error_list_add(struct error_list *list, const char *file, int line, int column,
                    const char *format, ...) {
    struct error error;
    va_list arguments;
    va_start(arguments, format);
    error_set_v(&error, file, line, column, format, arguments);
    va_end(arguments);
    error_list_append(list, &error);
}

/* By place; errors at one place keep their order, which is that of their addresses. */
static int compare_places(const void *left, const void *right) {
    const struct error *a = *(const struct error *const *)left;
    const struct error *b = *(const struct error *const *)right;
    int files = strcmp(a->file, b->file);
    if (files != 0) {
        return files;
    }
    if (a->line != b->line) {
        return a->line < b->line ? -1 : 1;
    }
    if (a->column != b->column) {
        return a->column < b->column ? -1 : 1;
    }
    return (a > b) - (a < b);
}

void error_list_sort(struct error_list *list) {
    if (list->count < 2) {
        return;
    }
    const struct error **order = memory_zero(list->count, sizeof(order[0]));
    for (size_t i = 0; i < list->count; i++) {
        order[i] = &list->items[i];
    }
    qsort(order, list->count, sizeof(order[0]), compare_places);
    struct error *sorted = memory_zero(list->count, sizeof(sorted[0]));
    for (size_t i = 0; i < list->count; i++) {
        sorted[i] = *order[i];
    }
    free(order);
    free(list->items);
    list->items = sorted;
    list->capacity = list->count;
}

void error_list_clear(struct error_list *list) {
    free(list->items);
    *list = (struct error_list){0};
}
