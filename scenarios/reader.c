#include "scenarios/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/canonical.h"
#include "scenarios/checks.h"
#include "scenarios/expansion.h"
#include "scenarios/input_file.h"
#include "scenarios/language.h"
#include "scenarios/needs.h"
#include "scenarios/overrides.h"
#include "scenarios/problem.h"
#include "scenarios/schema_engine.h"
#include "scenarios/yaml_tree.h"
#include "sim/kernel/memory.h"

struct scenario_file {
    const struct reader_context *context;
    char *path; /* what errors call it */
    char *folder;
    char *text;
    size_t length;
    struct arena arena; /* of the tree */
    struct node *root;
    struct error_list variant_problems; /* in the form of `variants`, found once for all of them */
};

enum { LARGEST_FILE = 64 << 20 };

static bool load(struct scenario_file *file, const char *path, struct error_list *errors) {
    struct place place = {file->path, 0, 0};
    bool is_stdin = strcmp(path, "-") == 0;
    FILE *stream = is_stdin ? stdin : fopen(path, "rb");
    if (stream == NULL) {
        problem_add(errors, place, "cannot open the file: %s", strerror(errno));
        return false;
    }
    bool read = input_file_read(stream, LARGEST_FILE, &file->text, &file->length);
    if (!read) {
        problem_add(errors, place, "cannot read the file: %s", strerror(errno));
    } else if (file->length > LARGEST_FILE) {
        problem_add(errors, place, "the file is too large for a scenario (more than 64 MiB)");
        read = false;
    }
    if (!is_stdin) {
        fclose(stream);
    }
    return read;
}

/* "dir/" of "dir/file.yaml"; "" where there is no folder. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    size_t length = slash != NULL ? (size_t)(slash - path) + 1 : 0;
    char *folder = memory_allocate(length + 1);
    memcpy(folder, path, length);
    folder[length] = '\0';
    return folder;
}

/* The name of a scenario that does not say it: the file's, with what a name cannot have replaced.
 */
static const char *name_of(struct arena *arena, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    if (strcmp(path, "<stdin>") == 0) {
        base = "stdin";
    }
    char *name = arena_duplicate_string(arena, base);
    if (name[0] == '\0') {
        return "scenario";
    }
    char *dot = strrchr(name, '.');
    if (dot != NULL && dot > name) {
        *dot = '\0';
    }
    for (char *at = name; *at != '\0'; at++) {
        bool letter = (*at | 32) >= 'a' && (*at | 32) <= 'z';
        bool digit = *at >= '0' && *at <= '9';
        if (!letter && !digit && (strchr("._-", *at) == NULL || at == name)) {
            *at = at == name ? 'x' : '-';
        }
        if (at - name == 100) {
            *at = '\0';
            break;
        }
    }
    return name;
}

/* A copy of the whole tree but for `variants`, of which a scenario is only one. */
static struct node *copy_tree(struct scenario *scenario, const struct node *root) {
    struct node base = *root;
    if (root->kind == NODE_MAP) {
        base.entries = arena_allocate(&scenario->arena, root->count, sizeof(base.entries[0]));
        base.count = 0;
        for (size_t i = 0; i < root->count; i++) {
            if (strcmp(root->entries[i].key, "variants") != 0) {
                base.entries[base.count++] = root->entries[i];
            }
        }
    }
    return node_copy(&scenario->arena, scenario->file, &base);
}

/* One attempt: the scenario with its problems, if any. */
struct attempt {
    struct scenario *scenario;
    bool sound; /* no problems, neither now nor when the tree was made */
    struct error_list problems;
};

static void complete(struct reading *reading, const struct node *root) {
    struct scenario *scenario = reading->scenario;
    scenario->end_of_work = scenario->horizon == SIM_TIME_NEVER;
    if (scenario->name == NULL) {
        scenario->name = name_of(&scenario->arena, scenario->file);
    }
    expansion_apply(scenario);
    char *canonical = canonical_text(root, reading->files);
    scenario->canonical = arena_duplicate_string(&scenario->arena, canonical);
    free(canonical);
}

static struct attempt attempt(const struct scenario_file *file, const char *const *sets,
                              size_t set_count, const char *variant) {
    struct scenario *scenario = memory_zero(1, sizeof(*scenario));
    struct attempt attempt = {.scenario = scenario};
    scenario->file = arena_duplicate_string(&scenario->arena, file->path);
    scenario->catalogue = file->context->catalogue;
    scenario->variant =
        arena_duplicate_string(&scenario->arena, variant != NULL ? variant : "base");
    problems_merge(&attempt.problems, &file->variant_problems);
    struct node *root = copy_tree(scenario, file->root);
    for (size_t i = 0; i < set_count; i++) {
        overrides_apply_set(&scenario->arena, root, sets[i], &attempt.problems);
    }
    if (variant != NULL &&
        !overrides_apply_variant(&scenario->arena, root, node_member(file->root, "variants"),
                                 variant, &attempt.problems)) {
        return attempt;
    }
    struct reading reading = {.context = file->context,
                              .scenario = scenario,
                              .root = root,
                              .folder = file->folder,
                              .errors = &attempt.problems,
                              .files = json_object()};
    attempt.sound = field_read(&reading, &language_scenario, root, scenario);
    needs_resolve(&reading);
    checks_run(&reading);
    attempt.sound &= attempt.problems.count == 0;
    if (attempt.sound) {
        complete(&reading, root);
    }
    json_decref(reading.files);
    return attempt;
}

/* Says which variant it is whose problems the base does not have. */
static void name_variant(struct attempt *failed, const struct scenario_file *file,
                         const char *const *sets, size_t set_count, const char *variant) {
    struct attempt base = attempt(file, sets, set_count, NULL);
    for (size_t i = 0; i < failed->problems.count; i++) {
        struct error *error = &failed->problems.items[i];
        if (!problems_have(&base.problems, error)) {
            error_set(error, error->file, error->line, error->column, "in variant %s: %s", variant,
                      error->message);
        }
    }
    scenario_destroy(base.scenario);
    error_list_clear(&base.problems);
}

struct scenario *scenario_file_resolve(const struct scenario_file *file, const char *const *sets,
                                       size_t set_count, const char *variant,
                                       struct error_list *errors) {
    struct attempt result = attempt(file, sets, set_count, variant);
    if (result.sound) {
        return result.scenario;
    }
    if (variant != NULL && node_at(file->root, "variants", variant, NULL) != NULL) {
        name_variant(&result, file, sets, set_count, variant);
    }
    error_list_sort(&result.problems);
    if (result.problems.count == MOST_PROBLEMS) {
        error_list_add(&result.problems, file->path, 0, 0,
                       "there are more problems; these are the first %d", MOST_PROBLEMS);
    }
    problems_merge(errors, &result.problems);
    scenario_destroy(result.scenario);
    error_list_clear(&result.problems);
    return NULL;
}

/* The form of `variants`, on a copy, because reading marks what is bad. */
static void check_variants(struct scenario_file *file) {
    static const struct field variants_field = {.type = &variants_type, .may_be_empty = true};
    const struct entry *written = node_entry(file->root, "variants");
    if (written == NULL) {
        return;
    }
    struct scenario *scenario = memory_zero(1, sizeof(*scenario));
    struct entry entry = *written;
    entry.value = node_copy(&scenario->arena, file->path, written->value);
    struct reading reading = {.context = file->context,
                              .scenario = scenario,
                              .root = file->root,
                              .folder = file->folder,
                              .errors = &file->variant_problems};
    field_read_member(&reading, &variants_field, file->root, &entry, scenario);
    scenario_destroy(scenario);
}

/* Whether the text is a tree. If it is one with mistakes against the subset, what else is wrong
 * with it is told along with them. */
static bool parse(struct scenario_file *file, struct error_list *errors) {
    struct error_list problems = {0};
    file->root = yaml_tree_parse(&file->arena, file->path, file->text, file->length, &problems);
    if (file->root == NULL && problems.count == 0) {
        problem_add(&problems, (struct place){file->path, 0, 0},
                    "there is nothing in the file: a scenario begins with headroom: 1");
    }
    if (file->root != NULL) {
        check_variants(file);
    }
    bool sound = problems.count == 0;
    if (!sound && file->root != NULL) {
        struct scenario *scenario = scenario_file_resolve(file, NULL, 0, NULL, &problems);
        scenario_destroy(scenario);
        error_list_sort(&problems);
    }
    problems_merge(errors, &problems);
    error_list_clear(&problems);
    return sound;
}

static struct scenario_file *make_file(const char *path, const struct reader_context *context) {
    struct scenario_file *file = memory_zero(1, sizeof(*file));
    file->context = context;
    file->path = memory_duplicate_string(strcmp(path, "-") == 0 ? "<stdin>" : path);
    file->folder = folder_of(path);
    return file;
}

struct scenario_file *scenario_file_open(const char *path, const struct reader_context *context,
                                         struct error_list *errors) {
    struct scenario_file *file = make_file(path, context);
    if (!load(file, path, errors) || !parse(file, errors)) {
        scenario_file_close(file);
        return NULL;
    }
    return file;
}

struct scenario_file *scenario_file_open_text(const char *path, const char *text, size_t length,
                                              const struct reader_context *context,
                                              struct error_list *errors) {
    struct scenario_file *file = make_file(path, context);
    file->text = memory_allocate(length + 1);
    memcpy(file->text, text, length);
    file->text[length] = '\0';
    file->length = length;
    if (!parse(file, errors)) {
        scenario_file_close(file);
        return NULL;
    }
    return file;
}

void scenario_file_close(struct scenario_file *file) {
    if (file == NULL) {
        return;
    }
    arena_clear(&file->arena);
    error_list_clear(&file->variant_problems);
    free(file->path);
    free(file->folder);
    free(file->text);
    free(file);
}

const char *scenario_file_text(const struct scenario_file *file) {
    return file->text;
}

size_t scenario_file_variant_count(const struct scenario_file *file) {
    const struct node *variants = node_member(file->root, "variants");
    return variants != NULL && variants->kind == NODE_MAP ? variants->count : 0;
}

const char *scenario_file_variant(const struct scenario_file *file, size_t index) {
    return node_member(file->root, "variants")->entries[index].key;
}

char *scenario_json_schema(const struct reader_context *context) {
    json_t *schema = field_describe(context, &language_scenario);
    json_object_set_new(schema, "$schema",
                        json_string("https://json-schema.org/draft/2020-12/schema"));
    json_object_set_new(schema, "title", json_string("headroom scenario"));
    char *text = json_dumps(schema, JSON_INDENT(2));
    json_decref(schema);
    if (text == NULL) {
        memory_exhausted(0);
    }
    return text;
}
