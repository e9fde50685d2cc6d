/* Every type of field: what it reads, what it refuses and in which words. */
#include "scenarios/schema_engine.h"
#include "scenarios/yaml_tree.h"
#include "tests/scenarios/language_fixture.h"

struct inner {
    bool flag;
    int32_t number;
};

struct named {
    const char *name;
    struct place place;
    struct inner inner;
};

struct sample {
    const char *text;
    const char *name;
    bool boolean;
    bool boolean_given;
    int32_t small;
    int64_t large;
    double number;
    double halved;
    sim_time duration;
    sim_time until;
    int64_t bytes;
    double rate;
    double bandwidth;
    double share;
    double any_share;
    sim_time clock;
    int64_t unit;
    int64_t timestamp;
    struct trace_moment moment;
    int word;
    const char *file;
    struct place file_place;
    int gpu;
    struct chosen order;
    struct chosen arrivals;
    struct chosen sharing;
    struct chosen uncut;
    struct distribution gap;
    struct inner inner;
    int32_t *list;
    size_t list_count;
    struct named *map;
    size_t map_count;
};

static const struct field_word words[] = {{"red", 3}, {"green", 4}, {NULL, 0}};
static const struct field_word never[] = {{"never", SIM_TIME_NEVER}, {NULL, 0}};
static const struct field_word moments[] = {
    {"first", MOMENT_FIRST}, {"start", MOMENT_START}, {NULL, 0}};

static const struct field inner_fields[] = {
    {.name = "flag", .summary = "a flag", .type = &field_boolean, FIELD_AT(struct inner, flag)},
    {.name = "number",
     .summary = "a number",
     .type = &field_integer,
     FIELD_AT(struct inner, number),
     .required = true},
    {.name = NULL}};

static const struct field named_item = {
    .type = &field_object, FIELD_AT(struct named, inner), .fields = inner_fields};
static const struct field named_key = {
    .type = &field_name, FIELD_AT(struct named, name), FIELD_PLACE(struct named, place)};
static const struct field list_item = {
    .type = &field_integer, .size = sizeof(int32_t), FIELD_RANGE(0, 9)};

#define ROW(key, kind, ...)                                                                        \
    {                                                                                              \
        .name = #key, .summary = "", .type = &field_##kind, FIELD_AT(struct sample, key),          \
        __VA_ARGS__                                                                                \
    }

static const struct field fields[] = {
    ROW(text, text, .preset = "plain"),
    ROW(name, name, .preset = "n"),
    ROW(boolean, boolean, FIELD_PRESENCE(struct sample, boolean_given)),
    ROW(small, integer, FIELD_AT_LEAST(-5), .preset = "7"),
    ROW(large, integer, .preset = "0"),
    ROW(number, number, FIELD_ABOVE(0), .preset = "1"),
    ROW(halved, number, .divisor = 2),
    ROW(duration, duration, FIELD_RANGE(1e9, 60e9), .preset = "2s"),
    ROW(until, duration, .words = never, .preset = "never"),
    ROW(bytes, bytes, .preset = "0"),
    ROW(rate, rate, .preset = "0"),
    ROW(bandwidth, bandwidth, .preset = "0"),
    ROW(share, share, .preset = "0"),
    ROW(any_share, share, FIELD_AT_LEAST(0), .preset = "0"),
    ROW(clock, time_of_day, .preset = "00:00"),
    ROW(unit, time_unit, .preset = "s"),
    ROW(timestamp, timestamp, .preset = "1970-01-01"),
    ROW(moment, moment, .words = moments, .preset = "first"),
    ROW(word, word, .words = words, .preset = "green"),
    ROW(file, file, FIELD_PLACE(struct sample, file_place), .preset = "f"),
    ROW(gpu, gpu, .preset = "T4"),
    ROW(order, choice, .registry = "order", .preset = "fifo"),
    ROW(arrivals, choice, .registry = "arrivals"),
    ROW(sharing, choice, .registry = "sharing", .tag = "mode", .preset = "exclusive"),
    ROW(uncut, choice, .registry = "sharing", .tag = "mode", .except = "mig",
        .preset = "{\"mode\": \"timeslice\", \"replicas\": \"3\"}"),
    ROW(gap, distribution, .dimension = DIMENSION_DURATION,
        .preset = "{\"uniform\": [\"10s\", \"30s\"]}"),
    ROW(inner, object, .fields = inner_fields),
    ROW(list, list, FIELD_COUNT(struct sample, list_count), .item = &list_item,
        .item_size = sizeof(int32_t)),
    ROW(map, map, FIELD_COUNT(struct sample, map_count), .key = &named_key, .item = &named_item,
        .item_size = sizeof(struct named), .may_be_empty = true),
    {.name = NULL}};

static const struct field sample_field = {.type = &field_object, .fields = fields};

/* One reading; the struct's pointers live in the scenario until the next. */
struct bench {
    struct catalogue *catalogue;
    struct reader_context context;
    struct scenario *scenario;
    struct sample sample;
    struct error_list errors;
};

static int setup(void **state) {
    struct bench *bench = calloc(1, sizeof(*bench));
    bench->catalogue = catalogue_create();
    bench->context = fixture_context(bench->catalogue);
    *state = bench;
    return 0;
}

static void clear(struct bench *bench) {
    scenario_destroy(bench->scenario);
    bench->scenario = NULL;
    error_list_clear(&bench->errors);
}

static int teardown(void **state) {
    struct bench *bench = *state;
    clear(bench);
    catalogue_destroy(bench->catalogue);
    free(bench);
    return 0;
}

static bool read_text(struct bench *bench, const char *yaml) {
    clear(bench);
    bench->scenario = calloc(1, sizeof(*bench->scenario));
    bench->scenario->catalogue = bench->catalogue;
    bench->sample = (struct sample){0};
    struct node *root =
        yaml_tree_parse(&bench->scenario->arena, "f.yaml", yaml, strlen(yaml), &bench->errors);
    struct reading reading = {.context = &bench->context,
                              .scenario = bench->scenario,
                              .root = root,
                              .folder = "data/",
                              .errors = &bench->errors};
    return root != NULL && field_read(&reading, &sample_field, root, &bench->sample);
}

static const struct sample *accept(struct bench *bench, const char *yaml) {
    if (!read_text(bench, yaml)) {
        fail_msg("refused: %s (%s)", yaml,
                 bench->errors.count > 0 ? bench->errors.items[0].message : "without a word");
    }
    assert_int_equal(bench->errors.count, 0);
    return &bench->sample;
}

/* Exactly these errors, as "L:C: message" joined by bars. */
static void refuse(struct bench *bench, const char *yaml, const char *expected) {
    char text[4096] = "";
    assert_false(read_text(bench, yaml));
    for (size_t i = 0; i < bench->errors.count; i++) {
        const struct error *error = &bench->errors.items[i];
        size_t used = strlen(text);
        snprintf(text + used, sizeof(text) - used, "%s%d:%d: %s", i > 0 ? "|" : "", error->line,
                 error->column, error->message);
    }
    assert_string_equal(text, expected);
}

static void test_presets(void **state) {
    const struct sample *sample = accept(*state, "{text: x}");
    assert_string_equal(sample->text, "x");
    assert_string_equal(sample->name, "n");
    assert_int_equal(sample->small, 7);
    assert_true(sample->number == 1);
    assert_true(sample->duration == 2 * NANOSECONDS_PER_SECOND);
    assert_true(sample->until == SIM_TIME_NEVER);
    assert_int_equal(sample->moment.kind, MOMENT_FIRST);
    assert_int_equal(sample->word, 4);
    assert_string_equal(sample->file, "data/f");
    assert_int_equal(sample->order.index, 0);
    assert_false(sample->boolean_given);
    assert_null(sample->list);
    assert_int_equal(sample->map_count, 0);
}

static void test_texts_and_names(void **state) {
    assert_string_equal(accept(*state, "text: 12")->text, "12");
    assert_string_equal(accept(*state, "text: ''")->text, "");
    assert_string_equal(accept(*state, "text: 'null'")->text, "null");
    assert_string_equal(accept(*state, "name: llama-3.1_8b")->name, "llama-3.1_8b");
    refuse(*state, "text: [a]", "1:7: text must be a text, not a list");
    refuse(*state, "text: ~", "1:7: text needs a value");
    refuse(*state, "text:", "1:6: text needs a value");
    refuse(*state, "name: a b",
           "1:7: name must be a name of letters, digits and . _ -, at most 100 characters, "
           "beginning with a letter or a digit, not \"a b\"");
    refuse(*state, "name: ../x",
           "1:7: name must be a name of letters, digits and . _ -, at most 100 characters, "
           "beginning with a letter or a digit, not \"../x\"");
}

static void test_booleans(void **state) {
    assert_true(accept(*state, "boolean: true")->boolean);
    assert_false(accept(*state, "boolean: false")->boolean);
    assert_true(accept(*state, "boolean: false")->boolean_given);
    refuse(*state, "boolean: yes", "1:10: boolean must be true or false, not \"yes\"");
    refuse(*state, "boolean: {}", "1:10: boolean must be true or false, not a map");
}

static void test_integers(void **state) {
    assert_int_equal(accept(*state, "small: -5")->small, -5);
    assert_true(accept(*state, "large: 9223372036854775807")->large == INT64_MAX);
    refuse(*state, "small: -6", "1:8: small must be at least -5, not \"-6\"");
    refuse(*state, "small: 2147483648",
           "1:8: small must be from -5 to 2147483647, not \"2147483648\"");
    refuse(*state, "large: 9223372036854775808",
           "1:8: large must be from -9223372036854775808 to 9223372036854775807, "
           "not \"9223372036854775808\"");
    refuse(*state, "small: 1e18", "1:8: small must be from -5 to 2147483647, not \"1e18\"");
    refuse(*state, "small: -1e18", "1:8: small must be at least -5, not \"-1e18\"");
    refuse(*state, "large: 18446744073709551615",
           "1:8: large must be from -9223372036854775808 to 9223372036854775807, "
           "not \"18446744073709551615\"");
    refuse(*state, "small: 1e1", "1:8: small must be a whole number, not \"1e1\"");
    refuse(*state, "small: 1.5", "1:8: small must be a whole number, not \"1.5\"");
    refuse(*state, "small: 1,000",
           "1:8: small must be a whole number, not \"1,000\" (digits are not grouped, and a "
           "fraction is written with a point)");
}

static void test_numbers(void **state) {
    assert_true(accept(*state, "number: 2.5e-3")->number == 2.5e-3);
    assert_true(accept(*state, "halved: 5")->halved == 2.5);
    refuse(*state, "number: 0", "1:9: number must be above 0, not \"0\"");
    refuse(*state, "number: nan", "1:9: number must be a number, not \"nan\"");
}

static void test_quantities(void **state) {
    const struct sample *sample =
        accept(*state, "{duration: 1.5s, until: 3d, bytes: 2GiB, rate: 30/min, bandwidth: 4GB/s, "
                       "share: 40%, any_share: 250%}");
    assert_true(sample->duration == 1500000000);
    assert_true(sample->until == 3 * 86400 * NANOSECONDS_PER_SECOND);
    assert_true(sample->bytes == INT64_C(2) << 30);
    assert_true(sample->rate == 0.5);
    assert_true(sample->bandwidth == 4e9);
    assert_true(sample->share == 0.4);
    assert_true(sample->any_share == 2.5);
    refuse(*state, "duration: 90s", "1:11: duration must be from 1s to 1m, not \"90s\"");
    refuse(
        *state, "until: 3",
        "1:8: until must be a duration such as 500ms, 30s, 15m, 2h or 7d, or never, not \"3\" (a "
        "number needs its unit)");
    refuse(*state, "until: -3s",
           "1:8: until must be a duration such as 500ms, 30s, 15m, 2h or 7d, or never, not \"-3s\" "
           "(it cannot be negative)");
    refuse(*state, "until: 3 s",
           "1:8: until must be a duration such as 500ms, 30s, 15m, 2h or 7d, or never, not \"3 s\" "
           "(no blank between number and unit)");
    refuse(*state, "until: 40000d",
           "1:8: until must be a duration such as 500ms, 30s, 15m, 2h or 7d, or never, not "
           "\"40000d\" (the longest is 36525d)");
    refuse(*state, "bytes: 10G",
           "1:8: bytes must be a size such as 512MiB, 14GB or 80GiB, not \"10G\"");
    refuse(*state, "rate: [1/s]",
           "1:7: rate must be a rate such as 0.5/s, 30/min or 12/h, not a list");
    refuse(*state, "share: 40", "1:8: share must be from 0% to 100%, not \"40\"");
    refuse(*state, "share: 101%", "1:8: share must be from 0% to 100%, not \"101%\"");
}

static void test_times(void **state) {
    const struct sample *sample =
        accept(*state, "{clock: 14:30, unit: ms, timestamp: 2026-03-02T00:00:00Z, moment: 3d}");
    assert_true(sample->clock == (14 * 60 + 30) * 60 * NANOSECONDS_PER_SECOND);
    assert_int_equal(sample->unit, 1000000);
    assert_true(sample->timestamp == INT64_C(1772409600) * NANOSECONDS_PER_SECOND);
    assert_int_equal(sample->moment.kind, MOMENT_CLOCK);
    assert_true(sample->moment.ns == 3 * 86400 * NANOSECONDS_PER_SECOND);
    sample = accept(*state, "{moment: \"2017-10-09 06:00:00\"}");
    assert_int_equal(sample->moment.kind, MOMENT_WALL);
    assert_true(sample->moment.ns == INT64_C(1507528800) * NANOSECONDS_PER_SECOND);
    assert_int_equal(accept(*state, "moment: start")->moment.kind, MOMENT_START);
    assert_int_equal(accept(*state, "moment: 0")->moment.kind, MOMENT_CLOCK);
    refuse(
        *state, "clock: 25:00",
        "1:8: clock must be a time of day from 00:00 to 23:59, such as \"14:00\", not \"25:00\"");
    refuse(*state, "unit: sec", "1:7: unit must be a unit: ns, us, ms, s, m, h or d, not \"sec\"");
    refuse(*state, "timestamp: 2026-02-30",
           "1:12: timestamp must be a date such as 2026-03-02 or a time such as "
           "2026-03-02T14:30:00, not \"2026-02-30\"");
    refuse(*state, "timestamp: 2026-03-02T00:00:00+02:00",
           "1:12: timestamp must be the wall clock that calendars go by: write it without an "
           "offset, or in UTC with Z, not \"2026-03-02T00:00:00+02:00\"");
    refuse(*state, "moment: soon",
           "1:9: moment must be a date such as 2017-10-09, or a time such as 2017-10-09T06:00:00, "
           "or a time on the trace's own clock such as 0s or 3d, or first, or start, not \"soon\"");
}

static void test_words_files_and_gpus(void **state) {
    assert_int_equal(accept(*state, "word: red")->word, 3);
    assert_string_equal(accept(*state, "file: a/b.csv")->file, "data/a/b.csv");
    assert_string_equal(accept(*state, "file: /a/b.csv")->file, "/a/b.csv");
    assert_int_equal(accept(*state, "{text: a, file: b}")->file_place.column, 17);
    const struct bench *bench = *state;
    assert_string_equal(bench->catalogue->gpus[accept(*state, "gpu: l4")->gpu].name, "L4-24GB");
    refuse(*state, "word: blue", "1:7: word must be red or green, not \"blue\"");
    refuse(*state, "file: ''", "1:7: file must be the name of a file, not \"\"");
    refuse(*state, "gpu: V100",
           "1:6: gpu: \"V100\" may be several GPUs: write V100-SXM2-16GB or V100-SXM2-32GB");
    refuse(*state, "gpu: A100-80GB",
           "1:6: gpu names no known GPU: \"A100-80GB\"; did you mean A100-SXM4-80GB or "
           "A100-PCIE-80GB?");
    refuse(*state, "gpu: teapot",
           "1:6: gpu names no known GPU: \"teapot\" (`headroom catalog gpus` lists them)");
}

static void test_choices(void **state) {
    assert_int_equal(accept(*state, "order: sjf")->order.index, 1);
    const struct sample *sample = accept(*state, "arrivals: {poisson: 12/h}");
    assert_int_equal(sample->arrivals.index, 0);
    assert_true(*(const double *)sample->arrivals.options == 12.0 / 3600);
    sample = accept(*state, "arrivals: {mmpp: {rates: [1/s, 2/s], dwell: [3s, 4s]}}");
    const struct mmpp_options *mmpp = sample->arrivals.options;
    assert_int_equal(mmpp->rate_count, 2);
    assert_true(mmpp->rates[1] == 2 && mmpp->dwells[0] == 3 * NANOSECONDS_PER_SECOND);
    refuse(*state, "order: sfj", "1:8: unknown order \"sfj\": did you mean \"sjf\"?");
    refuse(*state, "order: lottery",
           "1:8: unknown order \"lottery\": choose fifo, sjf or priority");
    refuse(*state, "order: {fifo: 3}", "1:9: fifo takes no options: write just fifo");
    refuse(*state, "order: {}",
           "1:8: order must be fifo, sjf or priority, or such a name with its "
           "options as {name: options}, not a map");
    refuse(*state, "arrivals: poisson",
           "1:11: poisson needs a value: write {poisson: ...} (at a constant rate)");
    refuse(
        *state, "arrivals: {mmpp: {rates: [1/s, 2]}}",
        "1:32: arrivals.mmpp.rates must be a rate such as 0.5/s, 30/min or 12/h, not \"2\" (a "
        "number needs its unit)|1:18: arrivals.mmpp needs the key \"dwell\" (how long each state "
        "lasts)");
    refuse(*state, "arrivals: {mmpp: {rates: [1/s, 2/s], dwell: [3s]}}",
           "1:12: arrivals: mmpp needs as many dwell times as rates");
}

static void test_tagged_choices(void **state) {
    assert_int_equal(accept(*state, "sharing: exclusive")->sharing.index, 0);
    assert_int_equal(accept(*state, "sharing: {mode: exclusive}")->sharing.index, 0);
    const struct sharing_spec *mps = accept(*state, "sharing: mps")->sharing.options;
    assert_int_equal(mps->clients, 48);
    mps = accept(*state, "sharing: {clients: 7, mode: mps}")->sharing.options;
    assert_int_equal(mps->clients, 7);
    assert_true(mps->thread_percentage == 1);
    refuse(*state, "sharing: {mode: mps, client: 7}",
           "1:22: unknown key \"client\" in sharing.mps: did you mean \"clients\"?");
    refuse(*state, "sharing: {mode: exclusive, clients: 7}",
           "1:28: exclusive takes no options, such as \"clients\"");
    refuse(*state, "sharing: timeslice",
           "1:10: sharing.timeslice needs the key \"replicas\" (how many tenants take turns on one "
           "GPU)");
    refuse(*state, "sharing: {mps: {clients: 7}}",
           "1:10: sharing must be exclusive, mig, mps or timeslice, or a map with the key "
           "\"mode\", not a map");
}

static void test_a_choice_may_leave_a_row_out(void **state) {
    assert_int_equal(accept(*state, "uncut: mps")->uncut.index, SHARING_MPS);
    refuse(*state, "uncut: {mode: mig, dynamic: true}", "1:15: uncut cannot be mig ()");
    refuse(*state, "uncut: mug",
           "1:8: unknown sharing \"mug\": choose exclusive, mps or timeslice");
}

static void test_a_preset_may_be_a_map(void **state) {
    const struct sample *sample = accept(*state, "{}");
    assert_string_equal(sample->gap.kind->name, "uniform");
    assert_true(sample->gap.given[0] == 10e9 && sample->gap.given[1] == 30e9);
    assert_int_equal(sample->uncut.index, SHARING_TIMESLICE);
    assert_int_equal(((const struct sharing_spec *)sample->uncut.options)->replicas, 3);
}

static void test_objects(void **state) {
    const struct sample *sample = accept(*state, "inner: {flag: true, number: 3}");
    assert_true(sample->inner.flag);
    assert_int_equal(sample->inner.number, 3);
    refuse(*state, "inner: {flag: true}", "1:8: inner needs the key \"number\" (a number)");
    refuse(*state, "inner: 3", "1:8: inner must be a map with the keys flag, number, not \"3\"");
    refuse(*state, "inner:\n  number:3\n",
           "2:3: inner must be a map with the keys flag, number, not \"number:3\" (is a blank "
           "missing after the colon?)");
    refuse(*state, "inner: {number:3}", "1:9: a blank is missing after the colon in \"number:3\"");
    refuse(*state, "inner: {number: 1,5}",
           "1:19: \"5\" has no value; if the comma before it belongs to a value, put that value in "
           "quotes");
    /* A misspelt key is not also a missing one. */
    refuse(*state, "inner: {nubmer: 3}",
           "1:9: unknown key \"nubmer\" in inner: did you mean \"number\"?");
    refuse(*state, "inner: {number: 3, frequency: 2}",
           "1:20: unknown key \"frequency\" in inner, which takes flag, number");
}

static void test_lists(void **state) {
    const struct sample *sample = accept(*state, "list: [3, 1, 2]");
    assert_int_equal(sample->list_count, 3);
    assert_int_equal(sample->list[2], 2);
    refuse(*state, "list: []", "1:7: list needs at least one item");
    refuse(*state, "list: 3", "1:7: list must be a list such as [a, b], not \"3\"");
    refuse(*state, "list:\n  - 1\n  - x\n  - 12\n",
           "3:5: list must be a whole number, not \"x\"|4:5: list must be from 0 to 9, not \"12\"");
}

static void test_maps_of_named_things(void **state) {
    const struct sample *sample = accept(*state, "map:\n  b: {number: 1}\n  a.c: {number: 2}\n");
    assert_int_equal(sample->map_count, 2);
    assert_string_equal(sample->map[0].name, "b");
    assert_string_equal(sample->map[1].name, "a.c");
    assert_int_equal(sample->map[1].inner.number, 2);
    assert_int_equal(sample->map[1].place.line, 3);
    assert_int_equal(sample->map[1].place.column, 3);
    assert_int_equal(accept(*state, "map: {}")->map_count, 0);
    assert_int_equal(accept(*state, "map:")->map_count, 0);
    refuse(*state, "map: {a.b: {number: x}}",
           "1:21: map.\"a.b\".number must be a whole number, not \"x\"");
    refuse(
        *state, "map: {a b: {number: 1}}",
        "1:7: map must be a name of letters, digits and . _ -, at most 100 characters, beginning "
        "with a letter or a digit, not \"a b\"");
    refuse(*state, "map: {a:1}", "1:7: a blank is missing after the colon in \"a:1\"");
    refuse(*state, "map: [a]", "1:6: map must be a map, not a list");
}

static void test_all_errors_at_once(void **state) {
    refuse(
        *state, "text: [a]\nsmall: x\nfoo: 1\ninner: {}\nlist: [1, x]\n",
        "3:1: unknown key \"foo\" in the scenario, which takes text, name, boolean, small, large, "
        "number, halved, duration, until, bytes, rate, bandwidth, share, any_share, clock, unit, "
        "timestamp, moment, word, file, gpu, order, arrivals, sharing, uncut, gap, inner, list, "
        "map|1:7: "
        "text must be a text, not a list|2:8: small must be a whole number, not \"x\"|4:8: inner "
        "needs the key \"number\" (a number)|5:11: list must be a whole number, not \"x\"");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_texts_and_names),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_words_files_and_gpus),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_tagged_choices),
        cmocka_unit_test(test_a_choice_may_leave_a_row_out),
        cmocka_unit_test(test_a_preset_may_be_a_map),
        cmocka_unit_test(test_objects),
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_maps_of_named_things),
        cmocka_unit_test(test_all_errors_at_once),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
