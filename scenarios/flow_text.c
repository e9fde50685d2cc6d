#include "scenarios/flow_text.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

/* Whether a text without quotes is one word, or several that nobody takes for anything else. */
static bool is_plain(const char *text) {
    bool plain = text[0] != '\0' && text[0] != ' ' && text[strlen(text) - 1] != ' ';
    for (const char *at = text; *at != '\0' && plain; at++) {
        plain = (unsigned char)*at >= ' ' && strchr(",[]{}\"'#\\", *at) == NULL &&
                (at[0] != ':' || at[1] != ' ');
    }
    return plain;
}

static void write_word(FILE *out, const char *text) {
    json_t *string = is_plain(text) ? NULL : json_string(text);
    char *quoted = string != NULL ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    fputs(quoted != NULL ? quoted : text, out);
    free(quoted);
    json_decref(string);
}

/* Trees are at most 64 levels deep, so this recursion is, too. */
static void write_value(FILE *out, const struct node *value) {
    if (value->kind == NODE_SCALAR) {
        write_word(out, node_is_empty(value) ? "null" : value->text);
        return;
    }
    bool list = value->kind == NODE_LIST;
    fputc(list ? '[' : '{', out);
    for (size_t i = 0; i < value->count; i++) {
        fputs(i > 0 ? ", " : "", out);
        if (!list) {
            write_word(out, value->entries[i].key);
            fputs(": ", out);
        }
        write_value(out, value->entries[i].value);
    }
    fputc(list ? ']' : '}', out);
}

const char *flow_text(struct arena *arena, const struct node *value) {
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    if (out == NULL) {
        memory_exhausted(0);
    }
    write_value(out, value);
    if (fclose(out) != 0) {
        memory_exhausted(length);
    }
    const char *copy = arena_duplicate_string(arena, text);
    free(text);
    return copy;
}
