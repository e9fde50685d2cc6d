/* The JSON Schema says what the reader does: its keys are those of the tables, and files that the
 * reader accepts are valid by it. */
#include <glob.h>
#include <jansson.h>
#include <regex.h>

#include "scenarios/language.h"
#include "scenarios/schema_engine.h"
#include "scenarios/yaml_tree.h"
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

static json_t *load(const struct fixture *fixture) {
    char *text = scenario_json_schema(&fixture->context);
    json_error_t error;
    json_t *schema = json_loads(text, 0, &error);
    free(text);
    assert_non_null(schema);
    return schema;
}

static const json_t *at(const json_t *schema, const char *key) {
    const json_t *found = json_object_get(schema, key);
    if (found == NULL) {
        fail_msg("the schema has no %s here", key);
    }
    return found;
}

static void test_the_head(void **state) {
    json_t *schema = load(*state);
    assert_string_equal(json_string_value(at(schema, "$schema")),
                        "https://json-schema.org/draft/2020-12/schema");
    assert_string_equal(json_string_value(at(schema, "title")), "headroom scenario");
    assert_true(json_is_false(at(schema, "additionalProperties")));
    json_decref(schema);
}

/* Walks tables and schema side by side. */
static void compare_fields(const struct field *fields, const json_t *schema) {
    const json_t *properties = at(schema, "properties");
    size_t count = 0;
    size_t required = 0;
    for (const struct field *field = fields; field->name != NULL; field++) {
        const json_t *property = at(properties, field->name);
        assert_string_equal(json_string_value(at(property, "title")), field->name);
        assert_string_equal(json_string_value(at(property, "description")), field->summary);
        assert_true(strlen(field->summary) > 0);
        if (field->type == &field_object) {
            compare_fields(field->fields, property);
        } else if (field->type == &field_map && field->item->type == &field_object) {
            compare_fields(field->item->fields, at(property, "additionalProperties"));
        }
        count++;
        required += field->required;
    }
    assert_int_equal(json_object_size(properties), count);
    assert_int_equal(json_array_size(at(schema, "required")), required);
    assert_true(json_is_false(at(schema, "additionalProperties")));
}

static void test_keys_are_those_of_the_tables(void **state) {
    json_t *schema = load(*state);
    compare_fields(language_scenario.fields, schema);
    json_decref(schema);
}

static void test_registries_are_listed(void **state) {
    json_t *schema = load(*state);
    const json_t *order =
        at(at(at(at(at(schema, "properties"), "scheduler"), "properties"), "order"), "anyOf");
    assert_int_equal(json_array_size(order), 3);
    assert_string_equal(json_string_value(at(json_array_get(order, 1), "const")), "sjf");
    assert_string_equal(json_string_value(at(json_array_get(order, 1), "description")),
                        "shortest job first");
    json_decref(schema);
}

/* A validator of the parts of JSON Schema that are used here, over trees of the reader: a plain
 * scalar is a number, a boolean or null where JSON would have one. */

static bool is_valid(const json_t *schema, const struct node *node);

static json_t *plain_value(const struct node *node) {
    json_t *value = node->quoted ? NULL : json_loads(node->text, JSON_DECODE_ANY, NULL);
    if (value != NULL && !json_is_object(value) && !json_is_array(value)) {
        return value;
    }
    json_decref(value);
    return node_is_empty(node) ? json_null() : json_string(node->text);
}

static bool has_type(const json_t *type, const struct node *node, const json_t *value) {
    const char *name = json_string_value(type);
    bool whole = json_is_number(value) &&
                 json_number_value(value) == (double)(int64_t)json_number_value(value);
    return (strcmp(name, "object") == 0 && node->kind == NODE_MAP) ||
           (strcmp(name, "array") == 0 && node->kind == NODE_LIST) ||
           (strcmp(name, "string") == 0 && json_is_string(value)) ||
           (strcmp(name, "number") == 0 && json_is_number(value)) ||
           (strcmp(name, "integer") == 0 && whole) ||
           (strcmp(name, "boolean") == 0 && json_is_boolean(value)) ||
           (strcmp(name, "null") == 0 && json_is_null(value));
}

static bool fits_type(const json_t *schema, const struct node *node, const json_t *value) {
    const json_t *type = json_object_get(schema, "type");
    if (!json_is_array(type)) {
        return type == NULL || has_type(type, node, value);
    }
    for (size_t i = 0; i < json_array_size(type); i++) {
        if (has_type(json_array_get(type, i), node, value)) {
            return true;
        }
    }
    return false;
}

static bool matches(const char *pattern, const char *text) {
    regex_t regex;
    assert_int_equal(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0);
    bool match = regexec(&regex, text, 0, NULL, 0) == 0;
    regfree(&regex);
    return match;
}

static bool fits_scalar(const json_t *schema, const json_t *value) {
    const json_t *fixed = json_object_get(schema, "const");
    const json_t *allowed = json_object_get(schema, "enum");
    const json_t *pattern = json_object_get(schema, "pattern");
    const json_t *minimum = json_object_get(schema, "minimum");
    const json_t *maximum = json_object_get(schema, "maximum");
    const json_t *above = json_object_get(schema, "exclusiveMinimum");
    if (fixed != NULL && !json_equal(fixed, value)) {
        return false;
    }
    bool listed = allowed == NULL;
    for (size_t i = 0; i < json_array_size(allowed); i++) {
        listed |= json_equal(json_array_get(allowed, i), value);
    }
    if (pattern != NULL && json_is_string(value) &&
        !matches(json_string_value(pattern), json_string_value(value))) {
        return false;
    }
    double number = json_number_value(value);
    bool is_number = json_is_number(value);
    return listed && !(is_number && minimum != NULL && number < json_number_value(minimum)) &&
           !(is_number && maximum != NULL && number > json_number_value(maximum)) &&
           !(is_number && above != NULL && number <= json_number_value(above));
}

static bool fits_map(const json_t *schema, const struct node *node) {
    const json_t *properties = json_object_get(schema, "properties");
    const json_t *others = json_object_get(schema, "additionalProperties");
    const json_t *required = json_object_get(schema, "required");
    const json_t *names = json_object_get(schema, "propertyNames");
    for (size_t i = 0; i < json_array_size(required); i++) {
        if (node_member(node, json_string_value(json_array_get(required, i))) == NULL) {
            return false;
        }
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        const struct node key = {.kind = NODE_SCALAR, .text = entry->key, .quoted = true};
        const json_t *property = json_object_get(properties, entry->key);
        property = property != NULL ? property : others;
        if ((names != NULL && !is_valid(names, &key)) || json_is_false(property) ||
            (json_is_object(property) && !is_valid(property, entry->value))) {
            return false;
        }
    }
    return true;
}

static bool fits_list(const json_t *schema, const struct node *node) {
    const json_t *items = json_object_get(schema, "items");
    const json_t *first = json_object_get(schema, "prefixItems");
    const json_t *most = json_object_get(schema, "maxItems");
    const json_t *least = json_object_get(schema, "minItems");
    if ((most != NULL && (json_int_t)node->count > json_integer_value(most)) ||
        (least != NULL && (json_int_t)node->count < json_integer_value(least))) {
        return false;
    }
    for (size_t i = 0; json_is_true(json_object_get(schema, "uniqueItems")) && i < node->count;
         i++) {
        for (size_t j = 0; j < i; j++) {
            const struct node *one = node->entries[i].value;
            const struct node *other = node->entries[j].value;
            if (one->kind == NODE_SCALAR && other->kind == NODE_SCALAR &&
                strcmp(one->text, other->text) == 0) {
                return false;
            }
        }
    }
    for (size_t i = 0; i < node->count; i++) {
        const json_t *item = first != NULL ? json_array_get(first, i) : items;
        if (item != NULL && !is_valid(item, node->entries[i].value)) {
            return false;
        }
    }
    return true;
}

static bool is_valid(const json_t *schema, const struct node *node) {
    json_t *value = node->kind == NODE_SCALAR ? plain_value(node) : NULL;
    bool listed =
        json_object_get(schema, "enum") != NULL || json_object_get(schema, "const") != NULL;
    bool valid = fits_type(schema, node, value) && (value != NULL || !listed);
    if (valid) {
        valid = node->kind == NODE_SCALAR ? fits_scalar(schema, value)
                : node->kind == NODE_MAP  ? fits_map(schema, node)
                                          : fits_list(schema, node);
    }
    json_decref(value);
    const json_t *any = json_object_get(schema, "anyOf");
    bool one = any == NULL;
    for (size_t i = 0; i < json_array_size(any); i++) {
        one |= is_valid(json_array_get(any, i), node);
    }
    return valid && one;
}

static bool validates(const json_t *schema, const char *yaml) {
    struct arena arena = {0};
    struct error_list errors = {0};
    const struct node *node = yaml_tree_parse(&arena, "f", yaml, strlen(yaml), &errors);
    assert_non_null(node);
    bool valid = is_valid(schema, node);
    arena_clear(&arena);
    error_list_clear(&errors);
    return valid;
}

/* Reader and schema agree on the text, for better or worse. */
static void expect_both(struct fixture *fixture, const json_t *schema, const char *text,
                        bool good) {
    if ((fixture_read(fixture, text) != NULL) != good) {
        fail_msg("the reader disagrees: %s\n%s", text, fixture_errors(fixture));
    }
    if (validates(schema, text) != good) {
        fail_msg("the schema disagrees: %s", text);
    }
}

static void test_reader_and_schema_agree(void **state) {
    static const struct {
        const char *line;
        bool good;
    } cases[] = {
        {"description: x", true},
        {"warmup: 3h", true},
        {"warmup: 0", true},
        {"warmup: 1.5e3s", true},
        {"warmup: 3", false},
        {"warmup: auto", true},
        {"warmup: 3x", false},
        {"warmup: -3s", false},
        {"seed: 5", true},
        {"seed: -1", false},
        {"seed: 1.5", false},
        {"replications: 0", false},
        {"replications: {auto: {relative: 2%}}\nobjectives: [run.completed >= 3]", true},
        {"replications: {auto: {relative: 2%, max: 50}}\nobjectives: [run.completed >= 3]", true},
        {"replications: {auto: {max: 50}}", false},
        {"replications: {auto: {relative: 2s}}", false},
        {"start: 2026-03-02", true},
        {"start: 2026-03-02T10:00:00Z", true},
        {"start: tomorrow", false},
        {"reference_gpu: A100-SXM4-80GB", true},
        {"reference_gpu: [A100]", false},
        {"scheduler: {order: sjf}", true},
        {"scheduler: {order: lottery}", false},
        {"scheduler: {orders: sjf}", false},
        {"record: {jobs: false, timeline: none}", true},
        {"record: {timeline: 60s}", true},
        {"record: {jobs: 3}", false},
        {"record: {requests: true}", true},
        {"models: {m: {memory: 14GB, saturation: 45%, load_time: 20s, speed: catalogue}}", true},
        {"models: {m: {memory: {start: 6GB, growth: 50MB/h}, measured_batch: 8}}", true},
        {"models: {m: {memory: {uniform: [1GB, 2GB]}}}", true},
        {"models: {m: {memory: {growth: 50MB/h}}}", false},
        {"models: {m: {saturation: 0}}", false},
        {"models: {m: {replicas: 2}}", false},
        {"objectives: [run.completed >= 3]", true},
        {"objectives: [completed]", false},
        {"objectives: []", true},
        {"variants: {x: {seed: 3}, y: {}, z: }", true},
        {"variants: {x: 3}", false},
        {"sweep: {seed: [1, 2], scheduler.order: [fifo, sjf]}", true},
        {"sweep: {}", true},
        {"sweep: {seed: 3}", false},
        {"sweep: {seed: []}", false},
        {"sweep: {seed: [1, 1]}", false},
        {"sweep: [3]", false},
        {"nonsense: 3", false},
    };
    struct fixture *fixture = *state;
    json_t *schema = load(fixture);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text), FIXTURE_VALID "%s\n", cases[i].line);
        expect_both(fixture, schema, text, cases[i].good);
    }
    json_decref(schema);
}

static void test_workloads_agree(void **state) {
    static const struct {
        const char *keys;
        bool good;
    } cases[] = {
        {"arrivals: {poisson: 12/h}, duration: 2h", true},
        {"arrivals: {poisson: 12}, duration: 2h", false},
        {"arrivals: {mmpp: {rates: [1/s], dwell: [3s]}}, duration: {uniform: [1s, 2s]}", true},
        {"arrivals: {mmpp: {rates: [1/s]}}, duration: 2h", false},
        {"arrivals: {renewal: {exponential: {mean: 3s}}}, duration: {constant: 2h}", true},
        {"arrivals: {poisson: 1/h}, duration: {uniform: [1s]}", false},
        {"arrivals: {poisson: 1/h}, duration: {lognormal: {mean: 1h, cv: 2}}, gpus: 4", true},
        {"arrivals: {poisson: 1/h}, duration: {lognormal: {mean: 1h}}", false},
        {"arrivals: {poisson: 1/h}, duration: 1h, gpus: {choice: {1: 0.5, 2: 50%}}", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, gpus: {choice: {1: x}}", false},
        {"arrivals: {poisson: 1/h}, duration: 1h, limit: none, max_wait: never", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, memory: 40GB, speed: {T4-16GB: 0.5}", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, speed: {T4-16GB: 0}", false},
        {"arrivals: {poisson: 1/h}, duration: 1h, pools: [a]", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, speed: {3g.40gb: 0.5}", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, speed: catalogue", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, speed: guessed", false},
        {"arrivals: {poisson: 1/h}, duration: 1h, gpus: 0.5", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, compute: 40%", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, compute: 2", false},
        {"arrivals: {poisson: 1/h}, duration: 1h, slot: smallest", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, slot: large", false},
        {"arrivals: {poisson: 1/h}, duration: 1h, tenant: red, isolation: weak", true},
        {"arrivals: {poisson: 1/h}, duration: 1h, isolation: some", false},
        {"arrivals: {poisson: 1/h}, duration: 1h, model: llama-7b, memory_policy: strict", true},
        {"trace: {file: x, from: 0s, to: 3d, columns: {gpus: n}, on_error: skip}", true},
        {"trace: {file: x, from: 2017-10-09, origin: first}", true},
        {"trace: {file: x, on_error: panic}", false},
        {"trace: {from: 0s}", false},
    };
    struct fixture *fixture = *state;
    json_t *schema = load(fixture);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 FIXTURE_HEAD FIXTURE_CLUSTER "workloads: {w: {kind: jobs, %s}}\n", cases[i].keys);
        expect_both(fixture, schema, text, cases[i].good);
    }
    json_decref(schema);
}

static void test_services_agree(void **state) {
    static const struct {
        const char *keys;
        bool good;
    } cases[] = {
        {"arrivals: {poisson: 12/s}, service_time: 80ms", true},
        {"arrivals: {poisson: 12/s}, service_time: {lognormal: {mean: 80ms, cv: 0.6}}", true},
        {"arrivals: {poisson: 12/s}, service_time: {tokens: {base: 1ms}}", true},
        {"arrivals: {poisson: 12/s}, service_time: {tokens: 3}", false},
        {"arrivals: {poisson: 12/s}, service_time: {token: {base: 1ms}}", false},
        {"trace: {file: x}, replicas: 2, concurrency: 4, dispatch: random", true},
        {"trace: {file: x}, dispatch: nearest", false},
        {"trace: {file: x}, timeout: never, slo: none", true},
        {"trace: {file: x}, timeout: 10s, slo: 500ms, prompt_tokens: {uniform: [1, 9]}", true},
        {"trace: {file: x}, replicas: 0", false},
        {"trace: {file: x}, output_tokens: 3s", false},
    };
    struct fixture *fixture = *state;
    json_t *schema = load(fixture);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 FIXTURE_HEAD FIXTURE_CLUSTER "workloads: {w: {kind: service, %s}}\n",
                 cases[i].keys);
        expect_both(fixture, schema, text, cases[i].good);
    }
    json_decref(schema);
}

static void test_sharing_agrees(void **state) {
    static const struct {
        const char *keys;
        bool good;
    } cases[] = {
        {"sharing: exclusive", true},
        {"sharing: mps", true},
        {"sharing: {mode: mps, clients: 4, memory_limit: none, oom: node}", true},
        {"sharing: {mode: mps, thread_percentage: 0}", false},
        {"sharing: timeslice", false},
        {"sharing: {mode: timeslice, replicas: 4, slice: 2ms, switch: 0}", true},
        {"sharing: {mode: timeslice, replicas: 4, clients: 2}", false},
        {"sharing: {mode: mig, layout: [3g.40gb, 14]}", true},
        {"sharing: {mode: mig, layout: []}", false},
        {"sharing: {mode: mig, layout: [{profile: 1g.10gb, count: 7, sharing: mps}]}", true},
        {"sharing: {mode: mig, layout: [{profile: 1g.10gb, sharing: {mode: mig, dynamic: true}}]}",
         false},
        {"sharing: {mode: mig, layout: [{count: 7}]}", false},
        {"sharing: {mode: mig, dynamic: true, reconfigure: {time: 3s, drain: wait}}", true},
        {"sharing: {mode: mig, dynamic: true, reconfigure: {drain: slowly}}", false},
        {"layouts: [{gpus: [0, 1], sharing: exclusive}]", true},
        {"layouts: [{gpus: [0, 1]}]", false},
        {"layouts: [{gpus: [-1], sharing: mps}]", false},
    };
    struct fixture *fixture = *state;
    json_t *schema = load(fixture);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[1024];
        snprintf(text, sizeof(text),
                 FIXTURE_HEAD "cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: "
                              "8, %s}}}\n" FIXTURE_WORK,
                 cases[i].keys);
        expect_both(fixture, schema, text, cases[i].good);
    }
    json_decref(schema);
}

/* The scenarios that ship use the registries of the program, of which these tests know nothing;
 * their keys are checked. */
static bool keys_known(const json_t *schema, const struct node *node, const char *file) {
    const json_t *properties = json_object_get(schema, "properties");
    for (size_t i = 0; node->kind == NODE_MAP && properties != NULL && i < node->count; i++) {
        const struct entry *entry = &node->entries[i];
        const json_t *property = json_object_get(properties, entry->key);
        if (property == NULL) {
            print_error("%s:%d: %s is not in the schema\n", file, entry->place.line, entry->key);
            return false;
        }
        if (!keys_known(property, entry->value, file)) {
            return false;
        }
    }
    const json_t *others = json_object_get(schema, "additionalProperties");
    for (size_t i = 0; node->kind == NODE_MAP && json_is_object(others) && i < node->count; i++) {
        if (!keys_known(others, node->entries[i].value, file)) {
            return false;
        }
    }
    return true;
}

static void test_shipped_scenarios_use_known_keys(void **state) {
    json_t *schema = load(*state);
    glob_t files;
    int status = glob(TEST_SOURCE_DIR "/../scenarios/library/*.yaml", 0, NULL, &files);
    for (size_t i = 0; status == 0 && i < files.gl_pathc; i++) {
        struct arena arena = {0};
        struct error_list errors = {0};
        static char text[1 << 20];
        FILE *stream = fopen(files.gl_pathv[i], "rb");
        assert_non_null(stream);
        size_t length = fread(text, 1, sizeof(text), stream);
        fclose(stream);
        const struct node *node = yaml_tree_parse(&arena, files.gl_pathv[i], text, length, &errors);
        assert_non_null(node);
        assert_int_equal(errors.count, 0);
        assert_true(keys_known(schema, node, files.gl_pathv[i]));
        arena_clear(&arena);
    }
    globfree(&files);
    json_decref(schema);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_head),
        cmocka_unit_test(test_keys_are_those_of_the_tables),
        cmocka_unit_test(test_registries_are_listed),
        cmocka_unit_test(test_reader_and_schema_agree),
        cmocka_unit_test(test_workloads_agree),
        cmocka_unit_test(test_services_agree),
        cmocka_unit_test(test_sharing_agrees),
        cmocka_unit_test(test_shipped_scenarios_use_known_keys),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
