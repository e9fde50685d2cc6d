/* Texts, names, words, files and GPUs. */
#include <string.h>

#include "scenarios/schema_engine.h"
#include "scenarios/suggest.h"

static bool is_text(struct reading *reading, const struct field *field, const struct node *node) {
    return node->kind == NODE_SCALAR || reading_refuse_value(reading, field, node, "a text", NULL);
}

static const char *own_text(struct reading *reading, const struct node *node) {
    return arena_duplicate_string(&reading->scenario->arena, node->text);
}

static bool text_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    if (!is_text(reading, field, node)) {
        return false;
    }
    *(const char **)target = own_text(reading, node);
    return true;
}

static void text_describe_schema(const struct reader_context *context, const struct field *field,
                                 json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("string"));
}

const struct field_type field_text = {
    .size = sizeof(char *), .read = text_read, .describe = text_describe_schema};

/* Names go into file names, paths and tables, so they need no quotes anywhere. */

enum { LONGEST_NAME = 100 };
#define LETTERS_AND_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

static bool is_name(const char *text) {
    return text[0] != '\0' && strchr(LETTERS_AND_DIGITS, text[0]) != NULL &&
           strlen(text) <= LONGEST_NAME && strspn(text, LETTERS_AND_DIGITS "._-") == strlen(text);
}

static bool name_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    if (node->kind != NODE_SCALAR || !is_name(node->text)) {
        return reading_refuse_value(reading, field, node,
                                    "a name of letters, digits and . _ -, at most 100 characters, "
                                    "beginning with a letter or a digit",
                                    NULL);
    }
    *(const char **)target = own_text(reading, node);
    return true;
}

static void name_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("string"));
    json_object_set_new(schema, "pattern", json_string("^[A-Za-z0-9][A-Za-z0-9._-]*$"));
    json_object_set_new(schema, "maxLength", json_integer(LONGEST_NAME));
}

const struct field_type field_name = {
    .size = sizeof(char *), .read = name_read, .describe = name_describe};

/* Booleans. */

static bool boolean_read(struct reading *reading, const struct field *field, struct node *node,
                         void *target) {
    bool yes = node->kind == NODE_SCALAR && strcmp(node->text, "true") == 0;
    if (!yes && (node->kind != NODE_SCALAR || strcmp(node->text, "false") != 0)) {
        return reading_refuse_value(reading, field, node, "true or false", NULL);
    }
    *(bool *)target = yes;
    return true;
}

static void boolean_describe(const struct reader_context *context, const struct field *field,
                             json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("boolean"));
}

const struct field_type field_boolean = {
    .size = sizeof(bool), .read = boolean_read, .describe = boolean_describe};

/* Words: the engine reads the right ones before it comes here. */

static bool word_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    (void)target;
    char list[256] = "";
    struct suggestion suggestion = suggestion_start(node->kind == NODE_SCALAR ? node->text : "");
    for (const struct field_word *word = field->words; word->word != NULL; word++) {
        strncat(list, word == field->words ? "" : " or ", sizeof(list) - strlen(list) - 1);
        strncat(list, word->word, sizeof(list) - strlen(list) - 1);
        suggestion_consider(&suggestion, word->word);
    }
    struct field without_words = *field;
    without_words.words = NULL;
    return reading_refuse_value(reading, &without_words, node, list, NULL);
}

static void word_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    (void)context;
    json_t *words = json_array();
    for (const struct field_word *word = field->words; word->word != NULL; word++) {
        json_array_append_new(words, json_string(word->word));
    }
    json_object_set_new(schema, "enum", words);
}

const struct field_type field_word = {
    .size = sizeof(int), .read = word_read, .describe = word_describe};

/* Files: relative ones start at the folder of the scenario, wherever the program runs. */

static bool file_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    if (node->kind != NODE_SCALAR || node->text[0] == '\0') {
        return reading_refuse_value(reading, field, node, "the name of a file", NULL);
    }
    bool as_it_is = node->text[0] == '/' || strcmp(node->text, "-") == 0; /* -: standard input */
    const char *folder = as_it_is ? "" : reading->folder;
    size_t folder_length = strlen(folder);
    size_t length = strlen(node->text);
    char *path = arena_allocate(&reading->scenario->arena, folder_length + length + 1, 1);
    memcpy(path, folder, folder_length);
    memcpy(path + folder_length, node->text, length + 1);
    *(const char **)target = path;
    return true;
}

static void file_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("string"));
    json_object_set_new(schema, "minLength", json_integer(1));
}

const struct field_type field_file = {
    .size = sizeof(char *), .read = file_read, .describe = file_describe};

/* GPUs of the catalogue. */

enum { MOST_CANDIDATES = 6 };

static void list_candidates(const struct catalogue *catalogue, const int *rows, size_t count,
                            char *buffer, size_t size) {
    buffer[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        const char *separator = i == 0 ? "" : i + 1 == count ? " or " : ", ";
        strncat(buffer, separator, size - strlen(buffer) - 1);
        strncat(buffer, catalogue->gpus[rows[i]].name, size - strlen(buffer) - 1);
    }
}

static bool gpu_read(struct reading *reading, const struct field *field, struct node *node,
                     void *target) {
    if (node->kind != NODE_SCALAR) {
        return reading_refuse_value(reading, field, node, "the name of a GPU such as T4-16GB",
                                    NULL);
    }
    const struct catalogue *catalogue = reading->scenario->catalogue;
    int candidates[MOST_CANDIDATES];
    size_t count = 0;
    int row = catalogue_find_gpu(catalogue, node->text, candidates, MOST_CANDIDATES, &count);
    if (row >= 0) {
        *(int *)target = row;
        return true;
    }
    const struct node *own = node_member(reading->root, "catalogue");
    if (own != NULL && own->bad) {
        return false; /* the GPU may be one that could not be read */
    }
    char list[256];
    char found[96];
    node_describe(node, found, sizeof(found));
    list_candidates(catalogue, candidates, count, list, sizeof(list));
    if (row == CATALOGUE_AMBIGUOUS) {
        return reading_report(reading, node->place, "%s: %s may be several GPUs: write %s",
                              reading_path(reading), found, list);
    }
    if (count == 0) {
        return reading_refuse(reading, node->place,
                              "names no known GPU: %s (`headroom catalog gpus` lists them)", found);
    }
    return reading_refuse(reading, node->place, "names no known GPU: %s; did you mean %s?", found,
                          list);
}

/* Any case and short forms are fine, too, so the full names are what editors offer, not a limit. */
static void gpu_describe(const struct reader_context *context, const struct field *field,
                         json_t *schema) {
    (void)field;
    json_t *names = json_array();
    for (size_t i = 0; i < context->catalogue->gpu_count; i++) {
        json_array_append_new(names, json_string(context->catalogue->gpus[i].name));
    }
    json_object_set_new(schema, "anyOf",
                        json_pack("[{s:o}, {s:s, s:s}]", "enum", names, "type", "string", "pattern",
                                  "^[A-Za-z0-9._-]+$"));
}

const struct field_type field_gpu = {
    .size = sizeof(int), .read = gpu_read, .describe = gpu_describe};
