#include "scenarios/language_plan.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/plan_spec.h"
#include "scenarios/suggest.h"
#include "scenarios/sweep.h"

/* vary: lists as in a sweep, and ranges, which are written out as lists. */

struct range {
    int64_t from;
    int64_t to;
    int64_t step;
};

static const struct field range_fields[] = {
    {.name = "from",
     .summary = "the first number to try",
     .type = &field_integer,
     FIELD_AT(struct range, from),
     FIELD_RANGE(0, 1e9),
     .required = true},
    {.name = "to",
     .summary = "the last one",
     .type = &field_integer,
     FIELD_AT(struct range, to),
     FIELD_RANGE(0, 1e9),
     .required = true},
    {.name = "step",
     .summary = "from each to the next",
     .type = &field_integer,
     FIELD_AT(struct range, step),
     FIELD_RANGE(1, 1e9),
     .preset = "1"},
    {.name = NULL},
};

static bool range_check(struct reading *reading, const struct node *node,
                        const struct range *range) {
    if (range->to < range->from) {
        return reading_refuse(reading, node->place,
                              "goes from %" PRId64 " to %" PRId64
                              ": the smaller number comes first",
                              range->from, range->to);
    }
    return (range->to - range->from) / range->step < MOST_SWEEP_POINTS ||
           reading_refuse(reading, node->place, "has more than %d numbers: give a larger step",
                          MOST_SWEEP_POINTS);
}

/* NULL, and reported, if it is none. */
static struct node *list_of_range(struct reading *reading, struct node *node) {
    struct range range = {0};
    if (!fields_read(reading, range_fields, node, &range, NULL) ||
        !range_check(reading, node, &range)) {
        return NULL;
    }
    struct arena *arena = &reading->scenario->arena;
    struct node *list = arena_allocate(arena, 1, sizeof(*list));
    *list = (struct node){.kind = NODE_LIST, .place = node->place};
    list->count = (size_t)((range.to - range.from) / range.step) + 1;
    list->entries = arena_allocate(arena, list->count, sizeof(list->entries[0]));
    for (size_t i = 0; i < list->count; i++) {
        char text[32];
        snprintf(text, sizeof(text), "%" PRId64, range.from + (int64_t)i * range.step);
        struct node *value = arena_allocate(arena, 1, sizeof(*value));
        *value = (struct node){
            .kind = NODE_SCALAR, .place = node->place, .text = arena_duplicate_string(arena, text)};
        list->entries[i] = (struct entry){.place = node->place, .value = value};
    }
    return list;
}

/* All candidates are judged alike. */
static bool check_root(struct reading *reading, const struct entry *entry) {
    static const char *const fixed[] = {"plan", "objectives", "seed", "replications"};
    struct value_path path;
    bool parsed = value_path_parse(&reading->scenario->arena, entry->key, &path);
    for (size_t i = 0; parsed && i < sizeof(fixed) / sizeof(fixed[0]); i++) {
        if (strcmp(path.names[0], fixed[i]) == 0) {
            return reading_report(reading, entry->place,
                                  "a plan cannot change %s, by which its candidates are compared",
                                  fixed[i]);
        }
    }
    return true;
}

static bool vary_read(struct reading *reading, const struct field *field, struct node *node,
                      void *target) {
    static const char advice[] = "a map of paths and what to try there, such as "
                                 "{cluster.pools.a.nodes: {from: 1, to: 64}}";
    if (node->kind != NODE_MAP || node->count == 0) {
        return reading_refuse_value(reading, field, node, advice, NULL);
    }
    struct arena *arena = &reading->scenario->arena;
    struct node *written_out = arena_allocate(arena, 1, sizeof(*written_out));
    *written_out = *node;
    written_out->entries = arena_allocate(arena, node->count, sizeof(node->entries[0]));
    bool sound = true;
    for (size_t i = 0; i < node->count; i++) {
        struct entry *entry = &written_out->entries[i];
        *entry = node->entries[i];
        sound &= check_root(reading, entry);
        if (entry->value->kind == NODE_MAP) {
            size_t before = reading_enter(reading, entry->key);
            entry->value = list_of_range(reading, entry->value);
            reading_leave(reading, before);
            sound &= entry->value != NULL;
        }
    }
    if (!sound || !sweep_check(reading, written_out, "a plan")) {
        return false;
    }
    struct sweep *vary = arena_allocate(arena, 1, sizeof(*vary));
    sweep_create(vary, arena, written_out);
    *(const struct sweep **)target = vary;
    return true;
}

static void vary_describe(const struct reader_context *context, const struct field *field,
                          json_t *schema) {
    (void)field;
    json_t *range = json_object();
    fields_describe(context, range_fields, range);
    json_object_set_new(schema, "type", json_string("object"));
    json_object_set_new(schema, "additionalProperties",
                        json_pack("{s:[{s:s, s:i, s:b}, o], s:s}", "anyOf", "type", "array",
                                  "minItems", 1, "uniqueItems", 1, range, "description",
                                  "the values to try at this path"));
}

static const struct field_type vary_type = {
    .size = sizeof(const struct sweep *), .read = vary_read, .describe = vary_describe};

/* minimize: a figure of the run. */

static bool minimize_read(struct reading *reading, const struct field *field, struct node *node,
                          void *target) {
    const struct registry *metrics = registries_find(&reading->context->registries, "metric");
    assert(metrics != NULL && "the reader's context lacks the metrics");
    if (node->kind != NODE_SCALAR) {
        return reading_refuse_value(reading, field, node,
                                    "a figure of the run such as usd_per_month", NULL);
    }
    if (registry_index(metrics, node->text) >= 0) {
        *(const char **)target = arena_duplicate_string(&reading->scenario->arena, node->text);
        return true;
    }
    struct suggestion suggestion = suggestion_start(node->text);
    for (size_t i = 0; i < metrics->count; i++) {
        suggestion_consider(&suggestion, registry_row(metrics, i)->name);
    }
    char shown[96];
    char hint[128] = "";
    if (suggestion.best != NULL) {
        snprintf(hint, sizeof(hint), ": did you mean \"%s\"?", suggestion.best);
    }
    return reading_refuse(
        reading, node->place, "is no figure of the run: %s%s",
        text_describe(node->text, shown, sizeof(shown)),
        hint[0] != '\0' ? hint : "; known are such as usd_per_month and usd_per_1k_requests");
}

/* Not a row's preset, which would have to be a name of the registry, whatever that is. */
static void minimize_preset(struct reading *reading, const struct field *field, void *target) {
    (void)reading;
    (void)field;
    *(const char **)target = "usd_per_month";
}

static void minimize_describe(const struct reader_context *context, const struct field *field,
                              json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("string"));
    json_object_set_new(schema, "default", json_string("usd_per_month"));
}

static const struct field_type minimize_type = {.size = sizeof(const char *),
                                                .read = minimize_read,
                                                .preset = minimize_preset,
                                                .describe = minimize_describe};

/* replications */

static const struct field replications_fields[] = {
    {.name = "least",
     .summary = "replications of a candidate before it can be accepted",
     .type = &field_integer,
     FIELD_AT(struct plan_spec, least),
     FIELD_RANGE(2, 10000),
     .preset = "5"},
    {.name = "most",
     .summary = "replications of a candidate at most",
     .type = &field_integer,
     FIELD_AT(struct plan_spec, most),
     FIELD_RANGE(2, 10000),
     .preset = "60"},
    {.name = NULL},
};

const struct field language_plan_fields[] = {
    {.name = "vary",
     .summary = "paths, and the values to try at each: a list, or {from: 1, to: 64}",
     .type = &vary_type,
     FIELD_AT(struct plan_spec, vary),
     .required = true},
    {.name = "minimize",
     .summary = "the figure of the run that should be as low as can be",
     .type = &minimize_type,
     FIELD_AT(struct plan_spec, minimize)},
    {.name = "tolerance",
     .summary = "share of an objective's bound by which a miss may pass for met",
     .type = &field_share,
     FIELD_AT(struct plan_spec, tolerance),
     .preset = "5%"},
    {.name = "confidence",
     .summary = "share of the replications in which all objectives must hold",
     .type = &field_share,
     FIELD_AT(struct plan_spec, confidence),
     FIELD_RANGE(0.5, 0.999),
     .preset = "95%"},
    {.name = "replications",
     .summary = "how many of a candidate, as close as it may be",
     .type = &field_object,
     .fields = replications_fields},
    {.name = NULL},
};
