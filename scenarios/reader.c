#include "scenarios/reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/canonical.h"
#include "scenarios/checks.h"
#include "scenarios/default_name.h"
#include "scenarios/expansion.h"
#include "scenarios/input_file.h"
#include "scenarios/language.h"
#include "scenarios/needs.h"
#include "scenarios/overrides.h"
#include "scenarios/problem.h"
#include "scenarios/schema_engine.h"
#include "scenarios/sweep.h"
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
    struct sweep sweep;
    /* In the form of `variants` and `sweep`, found once for all of them. */
    struct error_list form_problems;
};

/* One way to read the file. */
struct way {
    const char *const *sets;
    size_t set_count;
    const char *variant;       /* NULL: the base */
    const struct sweep *sweep; /* NULL: at no point */
    size_t point;
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

/* A copy of the whole tree but for `variants` and `sweep`, of which a scenario is only one. */
static struct node *copy_tree(struct scenario *scenario, const struct node *root) {
    struct node base = *root;
    if (root->kind == NODE_MAP) {
        base.entries = arena_allocate(&scenario->arena, root->count, sizeof(base.entries[0]));
        base.count = 0;
        for (size_t i = 0; i < root->count; i++) {
            const char *key = root->entries[i].key;
            if (strcmp(key, "variants") != 0 && strcmp(key, "sweep") != 0) {
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
        scenario->name = default_name(&scenario->arena, scenario->file);
    }
    expansion_apply(scenario);
    char *canonical = canonical_text(root, reading->files);
    scenario->canonical = arena_duplicate_string(&scenario->arena, canonical);
    free(canonical);
}

/* Puts in all that replaces what the file says; false, and reported, if there is no such variant.
 */
static bool override(const struct scenario_file *file, const struct way *way,
                     struct scenario *scenario, struct node *root, struct error_list *problems) {
    for (size_t i = 0; i < way->set_count; i++) {
        overrides_apply_set(&scenario->arena, root, way->sets[i], problems);
    }
    if (way->variant != NULL &&
        !overrides_apply_variant(&scenario->arena, root, node_member(file->root, "variants"),
                                 way->variant, problems)) {
        return false;
    }
    if (way->sweep != NULL) {
        sweep_apply(way->sweep, &scenario->arena, root, way->point, problems);
    }
    return true;
}

static struct attempt attempt(const struct scenario_file *file, const struct way *way) {
    struct scenario *scenario = memory_zero(1, sizeof(*scenario));
    struct attempt attempt = {.scenario = scenario};
    scenario->file = arena_duplicate_string(&scenario->arena, file->path);
    scenario->catalogue = file->context->catalogue;
    scenario->variant =
        arena_duplicate_string(&scenario->arena, way->variant != NULL ? way->variant : "base");
    scenario->point =
        way->sweep != NULL ? sweep_point_name(way->sweep, &scenario->arena, way->point) : "";
    problems_merge(&attempt.problems, &file->form_problems);
    struct node *root = copy_tree(scenario, file->root);
    if (!override(file, way, scenario, root, &attempt.problems)) {
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

/* The problems of another way to read the file. */
static struct error_list problems_of(const struct scenario_file *file, const struct way *way,
                                     const char *variant, const struct sweep *sweep) {
    struct way other = {way->sets, way->set_count, variant, sweep, way->point};
    struct attempt result = attempt(file, &other);
    scenario_destroy(result.scenario);
    return result.problems;
}

/* Says of a problem which variant it is of, and which point, where it is not in their values. */
static void name_problem(struct error *error, const char *variant, const char *point) {
    char text[sizeof(error->message)];
    snprintf(text, sizeof(text), "%s%s%s%s%s", variant != NULL ? "in variant " : "",
             variant != NULL ? variant : "", variant != NULL && point != NULL ? ", " : "",
             point != NULL ? "at " : "", point != NULL ? point : "");
    if (text[0] != '\0') {
        error_set(error, error->file, error->line, error->column, "%s: %s", text, error->message);
    }
}

/* Says which variant or point it is whose problems the base does not have. */
static void name_problems(struct attempt *failed, const struct scenario_file *file,
                          const struct way *way) {
    const char *variant = way->variant;
    bool at_point = way->sweep != NULL;
    struct error_list base = problems_of(file, way, NULL, NULL);
    struct error_list of_variant = {0};
    struct error_list of_point = {0};
    if (at_point && variant != NULL) {
        of_variant = problems_of(file, way, variant, NULL);
        of_point = problems_of(file, way, NULL, way->sweep);
    }
    for (size_t i = 0; i < failed->problems.count; i++) {
        struct error *error = &failed->problems.items[i];
        if (problems_have(&base, error)) {
            continue;
        }
        bool in_values = at_point && strcmp(error->file, file->path) == 0 &&
                         sweep_has_place(way->sweep, way->point, error->line, error->column);
        bool without_point = !at_point || in_values || problems_have(&of_variant, error);
        name_problem(error, problems_have(&of_point, error) ? NULL : variant,
                     without_point ? NULL : failed->scenario->point);
    }
    error_list_clear(&base);
    error_list_clear(&of_variant);
    error_list_clear(&of_point);
}

/* Moves what has been told before out of the problems. */
static void drop_told(struct error_list *problems, struct error_list *told) {
    size_t kept = 0;
    for (size_t i = 0; i < problems->count; i++) {
        if (!problems_have(told, &problems->items[i])) {
            error_list_append(told, &problems->items[i]);
            problems->items[kept++] = problems->items[i];
        }
    }
    problems->count = kept;
}

static struct scenario *resolve(const struct scenario_file *file, const struct way *way,
                                struct error_list *told, struct error_list *errors) {
    struct attempt result = attempt(file, way);
    if (result.sound) {
        return result.scenario;
    }
    bool many = result.problems.count == MOST_PROBLEMS;
    if (told != NULL) {
        drop_told(&result.problems, told);
    }
    bool has_variant =
        way->variant != NULL && node_at(file->root, "variants", way->variant, NULL) != NULL;
    if ((has_variant || way->sweep != NULL) && result.problems.count > 0) {
        name_problems(&result, file, way);
    }
    error_list_sort(&result.problems);
    if (many) {
        error_list_add(&result.problems, file->path, 0, 0,
                       "there are more problems; these are the first %d", MOST_PROBLEMS);
    }
    problems_merge(errors, &result.problems);
    scenario_destroy(result.scenario);
    error_list_clear(&result.problems);
    return NULL;
}

struct scenario *scenario_file_resolve(const struct scenario_file *file, const char *const *sets,
                                       size_t set_count, const char *variant,
                                       struct error_list *errors) {
    struct way way = {sets, set_count, variant, NULL, 0};
    return resolve(file, &way, NULL, errors);
}

struct scenario *scenario_file_resolve_point(const struct scenario_file *file,
                                             const char *const *sets, size_t set_count,
                                             const char *variant, size_t point,
                                             struct error_list *told, struct error_list *errors) {
    return scenario_file_resolve_at(file, sets, set_count, variant, &file->sweep, point, told,
                                    errors);
}

struct scenario *scenario_file_resolve_at(const struct scenario_file *file, const char *const *sets,
                                          size_t set_count, const char *variant,
                                          const struct sweep *sweep, size_t point,
                                          struct error_list *told, struct error_list *errors) {
    struct way way = {sets, set_count, variant, sweep, point};
    return resolve(file, &way, told, errors);
}

/* The form of `variants` or `sweep`, on a copy, because reading marks what is bad. */
static bool check_form(struct scenario_file *file, const char *key, const struct field_type *type) {
    const struct field field = {.type = type, .may_be_empty = true};
    const struct entry *written = node_entry(file->root, key);
    if (written == NULL) {
        return true;
    }
    struct scenario *scenario = memory_zero(1, sizeof(*scenario));
    struct entry entry = *written;
    entry.value = node_copy(&scenario->arena, file->path, written->value);
    struct reading reading = {.context = file->context,
                              .scenario = scenario,
                              .root = file->root,
                              .folder = file->folder,
                              .errors = &file->form_problems};
    bool sound = field_read_member(&reading, &field, file->root, &entry, scenario);
    scenario_destroy(scenario);
    return sound;
}

static void check_forms(struct scenario_file *file) {
    check_form(file, "variants", &variants_type);
    if (check_form(file, "sweep", &sweep_type)) {
        sweep_create(&file->sweep, &file->arena, node_member(file->root, "sweep"));
    }
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
        check_forms(file);
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
    error_list_clear(&file->form_problems);
    free(file->path);
    free(file->folder);
    free(file->text);
    free(file);
}

const char *scenario_file_path(const struct scenario_file *file) {
    return file->path;
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

size_t scenario_file_point_count(const struct scenario_file *file) {
    return file->sweep.point_count;
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
