#include "scenarios/catalogue_file.h"

#include <errno.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/catalogue_merge.h"
#include "scenarios/input_file.h"
#include "scenarios/problem.h"
#include "scenarios/yaml_tree.h"
#include "sim/kernel/memory.h"

enum { LARGEST_FILE = 16 << 20 };

/* The bytes of a file, zero-terminated; NULL and why in *refusal if it cannot be read. */
static char *load(const char *path, size_t *length, const char **refusal) {
    FILE *stream = fopen(path, "rb");
    char *text = NULL;
    *refusal = stream == NULL ? strerror(errno) : input_file_refusal(fileno(stream));
    if (*refusal == NULL && !input_file_read(stream, LARGEST_FILE, &text, length)) {
        *refusal = strerror(errno);
    } else if (*refusal == NULL && *length > LARGEST_FILE) {
        *refusal = "it is too large for a catalogue (more than 16 MiB)";
    }
    if (stream != NULL) {
        fclose(stream);
    }
    if (*refusal != NULL) {
        free(text);
        return NULL;
    }
    return text;
}

/* The catalogue of a text; what is wrong with it is reported at its places in `path`. */
static const struct catalogue *read_text(struct reading *reading, const char *path,
                                         const char *text, size_t length) {
    const struct catalogue *base = reading->context->catalogue;
    struct node *root =
        yaml_tree_parse(&reading->scenario->arena, path, text, length, reading->errors);
    if (root == NULL) {
        if (length == 0 || strspn(text, " \t\r\n") == length) {
            reading_report(
                reading, (struct place){path, 0, 0},
                "there is nothing in the file: a catalogue has the keys gpus and models");
        }
        return base;
    }
    struct reading inner = *reading;
    inner.root = root;
    inner.whole = "the catalogue";
    inner.path_length = 0;
    inner.path[0] = '\0';
    struct catalogue_entries entries = {0};
    field_read(&inner, &language_catalogue, root, &entries);
    return catalogue_merge(&inner, base, &entries);
}

/* Reads the file if it can be read; what else is wrong is told at its places. */
static const struct catalogue *read_file(struct reading *reading, const char *path, char sha256[65],
                                         const char **refusal) {
    size_t length = 0;
    char *text = load(path, &length, refusal);
    if (text == NULL) {
        return reading->context->catalogue;
    }
    SHA256_CTX hash;
    SHA256Init(&hash);
    SHA256Update(&hash, (const unsigned char *)text, length);
    SHA256End(&hash, sha256);
    const struct catalogue *catalogue = read_text(reading, path, text, length);
    free(text);
    return catalogue;
}

static bool catalogue_read(struct reading *reading, const struct field *field, struct node *node,
                           void *target) {
    *(const struct catalogue **)target = reading->context->catalogue;
    const char *path = NULL;
    if (!field_file.read(reading, field, node, &path)) {
        return false;
    }
    if (strcmp(path, "-") == 0) {
        return reading_refuse(reading, node->place,
                              "must name a file: standard input cannot be read more than once");
    }
    size_t problems = reading->errors->count;
    const char *refusal = NULL;
    char sha256[65];
    *(const struct catalogue **)target = read_file(reading, path, sha256, &refusal);
    if (refusal != NULL) {
        return reading_report(reading, node->place, "%s: cannot open %s: %s", reading_path(reading),
                              path, refusal);
    }
    json_object_set_new(reading->files, node->text, json_string(sha256));
    return reading->errors->count == problems;
}

static void catalogue_preset(struct reading *reading, const struct field *field, void *target) {
    (void)field;
    *(const struct catalogue **)target = reading->context->catalogue;
}

static void catalogue_describe(const struct reader_context *context, const struct field *field,
                               json_t *schema) {
    field_file.describe(context, field, schema);
}

const struct field_type catalogue_file_type = {.size = sizeof(struct catalogue *),
                                               .read = catalogue_read,
                                               .preset = catalogue_preset,
                                               .describe = catalogue_describe};

struct scenario *catalogue_file_open(const char *path, const struct reader_context *context,
                                     struct error_list *errors) {
    struct scenario *scenario = memory_zero(1, sizeof(*scenario));
    struct reading reading = {
        .context = context, .scenario = scenario, .folder = "", .errors = errors};
    size_t problems = errors->count;
    const char *refusal = NULL;
    char sha256[65];
    scenario->file = arena_duplicate_string(&scenario->arena, path);
    scenario->catalogue = read_file(&reading, scenario->file, sha256, &refusal);
    if (refusal != NULL) {
        problem_add(errors, (struct place){path, 0, 0}, "cannot open the file: %s", refusal);
    }
    if (errors->count > problems) {
        scenario_destroy(scenario);
        return NULL;
    }
    return scenario;
}
