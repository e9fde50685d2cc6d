#include "scenarios/yaml_tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "scenarios/problem.h"
#include "scenarios/yaml_syntax.h"
#include "sim/kernel/memory.h"

/* A list or map that is being read, with the entries so far. */
struct frame {
    struct node *node;
    struct entry *entries;
    size_t count;
    size_t capacity;
    bool has_key;    /* a map: a key has been read, its value comes next */
    const char *key; /* NULL in a map: it was reported, and its value is left out */
    struct place key_place;
};

struct builder {
    struct arena *arena;
    const char *file;
    struct error_list *errors;
    struct frame frames[YAML_TREE_DEPTH];
    size_t depth;
    struct node *root;
    bool document_seen;
};

/* What an event leads to. */
enum step { STEP_ON, STEP_DONE, STEP_FAILED };

static struct place place_of(const struct builder *builder, yaml_mark_t mark) {
    return (struct place){builder->file, (int)mark.line + 1, (int)mark.column + 1};
}

static struct node *make_node(struct builder *builder, enum node_kind kind, yaml_mark_t mark) {
    struct node *node = arena_allocate(builder->arena, 1, sizeof(*node));
    node->kind = kind;
    node->place = place_of(builder, mark);
    return node;
}

#define REPORT(builder, place, ...) problem_add((builder)->errors, place, __VA_ARGS__)

static void refuse_properties(struct builder *builder, struct node *node, const yaml_char_t *anchor,
                              const yaml_char_t *tag) {
    if (anchor != NULL) {
        REPORT(builder, node->place,
               "anchors (&%s) are not part of the language: write the value out where it is used, "
               "or quote a text that starts with &",
               (const char *)anchor);
        node->bad = true;
    }
    if (tag != NULL) {
        REPORT(builder, node->place,
               "tags (!...) are not part of the language: types come from the keys; quote a text "
               "that starts with !");
        node->bad = true;
    }
}

/* A scalar where a map wants a key. */
static void take_key(struct builder *builder, struct frame *frame, const struct node *node) {
    frame->has_key = true;
    frame->key_place = node->place;
    frame->key = NULL;
    if (node->kind != NODE_SCALAR) {
        REPORT(builder, node->place, "a key must be a text, not a list or a map");
    } else if (node_is_empty(node)) {
        REPORT(builder, node->place, "a key is missing before the colon");
    } else {
        frame->key = node->text;
    }
}

/* A node is complete as far as its parent is concerned: hang it in. */
static void attach(struct builder *builder, struct node *node) {
    if (builder->depth == 0) {
        builder->root = node;
        return;
    }
    struct frame *frame = &builder->frames[builder->depth - 1];
    bool in_map = frame->node->kind == NODE_MAP;
    if (in_map && !frame->has_key) {
        take_key(builder, frame, node);
        return;
    }
    frame->has_key = false;
    if (in_map && frame->key == NULL) {
        return;
    }
    frame->entries =
        memory_grow(frame->entries, &frame->capacity, frame->count + 1, sizeof(frame->entries[0]));
    frame->entries[frame->count++] = (struct entry){frame->key, frame->key_place, node};
}

static enum step take_scalar(struct builder *builder, const yaml_event_t *event) {
    struct node *node = make_node(builder, NODE_SCALAR, event->start_mark);
    const char *value = (const char *)event->data.scalar.value;
    node->text = arena_duplicate_string(builder->arena, value);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    refuse_properties(builder, node, event->data.scalar.anchor, event->data.scalar.tag);
    if (strlen(value) != event->data.scalar.length) {
        REPORT(builder, node->place, "a text must not contain the character \\0");
        node->bad = true;
    }
    attach(builder, node);
    return STEP_ON;
}

static enum step take_alias(struct builder *builder, const yaml_event_t *event) {
    struct node *node = make_node(builder, NODE_SCALAR, event->start_mark);
    node->text = "*";
    node->bad = true;
    REPORT(builder, node->place,
           "aliases (*%s) are not part of the language: write the value out, or quote a text that "
           "starts with *",
           (const char *)event->data.alias.anchor);
    attach(builder, node);
    return STEP_ON;
}

static enum step open_collection(struct builder *builder, struct node *node,
                                 const yaml_char_t *anchor, const yaml_char_t *tag) {
    if (builder->depth == YAML_TREE_DEPTH) {
        REPORT(builder, node->place, "lists and maps are nested deeper than %d levels",
               YAML_TREE_DEPTH);
        return STEP_FAILED;
    }
    refuse_properties(builder, node, anchor, tag);
    attach(builder, node);
    builder->frames[builder->depth++] = (struct frame){.node = node};
    return STEP_ON;
}

static int compare_keys(const void *left, const void *right) {
    const struct entry *a = *(const struct entry *const *)left;
    const struct entry *b = *(const struct entry *const *)right;
    int order = strcmp(a->key, b->key);
    return order != 0 ? order : (a > b) - (a < b);
}

/* Reports all but the first of equal keys, and leaves them out. */
static void drop_duplicates(struct builder *builder, struct frame *frame) {
    struct entry **sorted = memory_zero(frame->count, sizeof(struct entry *));
    for (size_t i = 0; i < frame->count; i++) {
        sorted[i] = &frame->entries[i];
    }
    qsort(sorted, frame->count, sizeof(struct entry *), compare_keys);
    const struct entry *first = frame->count > 0 ? sorted[0] : NULL;
    for (size_t i = 1; i < frame->count; i++) {
        if (strcmp(first->key, sorted[i]->key) != 0) {
            first = sorted[i];
            continue;
        }
        REPORT(builder, sorted[i]->place,
               "the key \"%.100s\" is already given at line %d, column %d", first->key,
               first->place.line, first->place.column);
        sorted[i]->value = NULL;
    }
    free(sorted);
    size_t kept = 0;
    for (size_t i = 0; i < frame->count; i++) {
        if (frame->entries[i].value != NULL) {
            frame->entries[kept++] = frame->entries[i];
        }
    }
    frame->count = kept;
}

static enum step close_collection(struct builder *builder) {
    struct frame *frame = &builder->frames[--builder->depth];
    if (frame->node->kind == NODE_MAP) {
        drop_duplicates(builder, frame);
    }
    struct node *node = frame->node;
    node->count = frame->count;
    node->entries = arena_allocate(builder->arena, frame->count, sizeof(node->entries[0]));
    if (frame->count > 0) {
        memcpy(node->entries, frame->entries, frame->count * sizeof(node->entries[0]));
    }
    free(frame->entries);
    return STEP_ON;
}

static enum step open_document(struct builder *builder, const yaml_event_t *event) {
    struct place place = place_of(builder, event->start_mark);
    if (builder->document_seen) {
        REPORT(builder, place, "a second document starts here (---): one file is one scenario");
        return STEP_FAILED;
    }
    builder->document_seen = true;
    if (event->data.document_start.tag_directives.start !=
        event->data.document_start.tag_directives.end) {
        REPORT(builder, place, "tags (%%TAG) are not part of the language");
    }
    return STEP_ON;
}

static enum step take_event(struct builder *builder, const yaml_event_t *event) {
    struct node *node;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return open_document(builder, event);
    case YAML_SCALAR_EVENT:
        return take_scalar(builder, event);
    case YAML_ALIAS_EVENT:
        return take_alias(builder, event);
    case YAML_SEQUENCE_START_EVENT:
        node = make_node(builder, NODE_LIST, event->start_mark);
        node->flow = event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        return open_collection(builder, node, event->data.sequence_start.anchor,
                               event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        node = make_node(builder, NODE_MAP, event->start_mark);
        node->flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        return open_collection(builder, node, event->data.mapping_start.anchor,
                               event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return close_collection(builder);
    case YAML_STREAM_END_EVENT:
        return STEP_DONE;
    default:
        return STEP_ON;
    }
}

static enum step take_events(struct builder *builder, yaml_parser_t *parser, const char *text,
                             size_t length) {
    enum step step = STEP_ON;
    while (step == STEP_ON) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            if (parser->error == YAML_MEMORY_ERROR) {
                memory_exhausted(0);
            }
            yaml_syntax_report(parser, builder->file, text, length, builder->errors);
            return STEP_FAILED;
        }
        step = take_event(builder, &event);
        yaml_event_delete(&event);
    }
    return step;
}

struct node *yaml_tree_parse(struct arena *arena, const char *file, const char *text, size_t length,
                             struct error_list *errors) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    if (length >= 3 && memcmp(text, byte_order_mark, 3) == 0) {
        text += 3;
        length -= 3;
    }
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser)) {
        memory_exhausted(0);
    }
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    struct builder builder = {.arena = arena, .file = file, .errors = errors};
    enum step step = take_events(&builder, &parser, text, length);
    yaml_parser_delete(&parser);
    while (builder.depth > 0) {
        free(builder.frames[--builder.depth].entries);
    }
    return step == STEP_DONE ? builder.root : NULL;
}
