#include "sim/kernel/error.h"

#include <stdbool.h>
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

/* How many bytes at the front of the text could drive a terminal: control characters (C0, DEL, C1)
 * and the bidirectional overrides and isolates, which make a text look like another one. 0: none.
 */
static size_t hostile_length(const char *text, unsigned *code) {
    const unsigned char *bytes = (const unsigned char *)text;
    *code = bytes[0];
    bool stray = (bytes[0] & 0xC0) == 0x80; /* not UTF-8, but C1 to an old terminal */
    if (bytes[0] < 0x20 || bytes[0] == 0x7F || stray) {
        return 1;
    }
    if (bytes[0] == 0xC2 && bytes[1] >= 0x80 && bytes[1] <= 0x9F) {
        *code = bytes[1];
        return 2;
    }
    if (bytes[0] != 0xE2 || (bytes[1] != 0x80 && bytes[1] != 0x81) || (bytes[2] & 0xC0) != 0x80) {
        return 0;
    }
    *code = 0x2000u + (bytes[1] & 0x3Fu) * 64u + (bytes[2] & 0x3Fu);
    bool override = *code >= 0x202A && *code <= 0x202E;
    bool isolate = *code >= 0x2066 && *code <= 0x2069;
    return override || isolate ? 3 : 0;
}

/* A text being written into a buffer, as far as there is room. */
struct writing {
    char *buffer;
    size_t size;
    size_t used;
};

static void append(struct writing *writing, const char *text) {
    size_t room = writing->size - writing->used;
    copy_text(writing->buffer + writing->used, room, text);
    writing->used += strlen(writing->buffer + writing->used);
}

/* With what could drive a terminal shown as \x1b or \u202e. */
static void append_visibly(struct writing *writing, const char *text) {
    while (*text != '\0' && writing->used + 1 < writing->size) {
        unsigned code;
        size_t hostile = hostile_length(text, &code);
        char piece[16];
        size_t length = hostile;
        if (hostile > 0) {
            snprintf(piece, sizeof(piece), code < 0x100 ? "\\x%02x" : "\\u%04x", code);
        } else {
            /* One whole character, so that none is split at the end of the buffer. */
            size_t most = (unsigned char)text[0] < 0x80 ? 1 : 4;
            do {
                piece[length] = text[length];
                length++;
            } while (length < most && ((unsigned char)text[length] & 0xC0) == 0x80);
            piece[length] = '\0';
        }
        size_t before = writing->used;
        append(writing, piece);
        if (writing->used == before) {
            return;
        }
        text += length;
    }
}

const char *error_format(const struct error *error, char *buffer, size_t size) {
    struct writing writing = {.buffer = buffer, .size = size};
    buffer[0] = '\0';
    if (error->file[0] != '\0') {
        char place[32] = ": ";
        if (error->line > 0 && error->column > 0) {
            snprintf(place, sizeof(place), ":%d:%d: ", error->line, error->column);
        } else if (error->line > 0) {
            snprintf(place, sizeof(place), ":%d: ", error->line);
        }
        append_visibly(&writing, error->file);
        append(&writing, place);
    }
    append_visibly(&writing, error->message);
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
