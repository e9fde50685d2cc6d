#include "scenarios/objectives.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/quantity.h"
#include "scenarios/suggest.h"

const char *const scope_names[SCOPE_COUNT] = {
    [SCOPE_RUN] = "run",     [SCOPE_POOL] = "pool",   [SCOPE_WORKLOAD] = "workload",
    [SCOPE_MODEL] = "model", [SCOPE_QUEUE] = "queue", [SCOPE_USER] = "user",
};

const char *const relation_signs[RELATION_COUNT] = {
    [AT_MOST] = "<=", [AT_LEAST] = ">=", [LESS] = "<", [MORE] = ">"};

bool relation_holds(enum relation relation, double value, double bound) {
    switch (relation) {
    case AT_MOST:
        return value <= bound;
    case AT_LEAST:
        return value >= bound;
    case LESS:
        return value < bound;
    case MORE:
        return value > bound;
    case RELATION_COUNT:
        break;
    }
    return false;
}

/* What the value of a metric is, told by the metric's name. */
static const struct measure {
    enum quantity_kind kind;
    bool bare; /* no quantity but a number */
} duration_measure = {QUANTITY_DURATION, false}, share_measure = {QUANTITY_SHARE, false},
  number_measure = {.bare = true};

/* wait_s.p95 is in seconds; throughput_per_s is not. */
static const struct measure *measure_of(const char *metric) {
    static const char seconds[] = "_s";
    static const char per_second[] = "_per_s";
    size_t length = strcspn(metric, ".");
    if (length >= strlen(per_second) &&
        strncmp(metric + length - strlen(per_second), per_second, strlen(per_second)) == 0) {
        return &number_measure;
    }
    if (length > strlen(seconds) &&
        strncmp(metric + length - strlen(seconds), seconds, strlen(seconds)) == 0) {
        return &duration_measure;
    }
    bool share = strncmp(metric, "utilization.", strlen("utilization.")) == 0 ||
                 strcmp(metric, "slo_attainment") == 0 || strcmp(metric, "waited") == 0;
    return share ? &share_measure : &number_measure;
}

/* The text, taken apart from left to right. */
struct parts {
    char *rest; /* of a copy that is cut up; the parts point into it */
    const char *scope;
    const char *subject;
    const char *metric;
    const char *value;
};

static void skip_blanks(struct parts *parts) {
    parts->rest += strspn(parts->rest, " ");
}

/* Cuts off what comes before the next dot, or what is in quotes before it. */
static bool cut_name(struct parts *parts, const char **name) {
    bool quoted = *parts->rest == '"';
    parts->rest += quoted;
    *name = parts->rest;
    size_t length = strcspn(parts->rest, quoted ? "\"" : ". \"");
    char *end = parts->rest + length;
    if (length == 0 || *end == '\0' || (!quoted && *end != '.') || (quoted && end[1] != '.')) {
        return false;
    }
    *end = '\0';
    parts->rest = end + 1 + quoted;
    return true;
}

static bool cut_relation(struct parts *parts, struct objective *objective) {
    skip_blanks(parts);
    /* Longer signs stand before those that they begin with. */
    for (int i = 0; i < RELATION_COUNT; i++) {
        size_t length = strlen(relation_signs[i]);
        if (strncmp(parts->rest, relation_signs[i], length) == 0) {
            objective->relation = (enum relation)i;
            parts->rest += length;
            return true;
        }
    }
    return false;
}

/* Returns false if the text has another form. */
static bool take_apart(char *text, struct parts *parts, struct objective *objective) {
    *parts = (struct parts){.rest = text, .subject = ""};
    skip_blanks(parts);
    if (!cut_name(parts, &parts->scope)) {
        return false;
    }
    if (strcmp(parts->scope, scope_names[SCOPE_RUN]) != 0 && !cut_name(parts, &parts->subject)) {
        return false;
    }
    parts->metric = parts->rest;
    parts->rest += strcspn(parts->rest, " <>=");
    char *metric_end = parts->rest;
    if (!cut_relation(parts, objective)) {
        return false;
    }
    *metric_end = '\0';
    skip_blanks(parts);
    parts->value = parts->rest;
    parts->rest += strcspn(parts->rest, " ");
    char *value_end = parts->rest;
    skip_blanks(parts);
    bool whole = *parts->rest == '\0' && value_end > parts->value && parts->metric[0] != '\0';
    *value_end = '\0';
    return whole;
}

static bool find_scope(struct reading *reading, const struct node *node, const char *name,
                       struct objective *objective) {
    for (int scope = 0; scope < SCOPE_COUNT; scope++) {
        if (strcmp(scope_names[scope], name) == 0) {
            objective->scope = (enum scope)scope;
            return true;
        }
    }
    return reading_report(reading, node->place,
                          "an objective begins with run, pool.NAME, workload.NAME, model.NAME, "
                          "queue.NAME or user.NAME, not \"%s\"",
                          name);
}

static bool find_metric(struct reading *reading, const struct node *node, const char *name) {
    const struct registry *metrics = registries_find(&reading->context->registries, "metric");
    assert(metrics != NULL && "the reader's context lacks the metrics");
    if (registry_index(metrics, name) >= 0) {
        return true;
    }
    struct suggestion suggestion = suggestion_start(name);
    for (size_t i = 0; i < metrics->count; i++) {
        suggestion_consider(&suggestion, registry_row(metrics, i)->name);
    }
    char shown[96];
    text_describe(name, shown, sizeof(shown));
    if (suggestion.best != NULL) {
        return reading_report(reading, node->place, "unknown metric %s: did you mean \"%s\"?",
                              shown, suggestion.best);
    }
    return reading_report(reading, node->place,
                          "unknown metric %s: known are such as wait_s.p95, jct_s.mean, "
                          "utilization.allocated, completed and usd_total",
                          shown);
}

static bool read_number(const struct measure *measure, const char *text, double *value) {
    int64_t ns;
    if (measure->bare) {
        return decimal_parse(text, value);
    }
    if (measure->kind == QUANTITY_SHARE) {
        return share_parse(text, value) && *value <= 1;
    }
    if (!duration_parse(text, &ns)) {
        return false;
    }
    *value = (double)ns / 1e9;
    return true;
}

static bool read_value(struct reading *reading, const struct node *node, const struct parts *parts,
                       struct objective *objective) {
    const struct measure *measure = measure_of(parts->metric);
    if (read_number(measure, parts->value, &objective->value)) {
        return true;
    }
    struct node value = {.kind = NODE_SCALAR, .text = parts->value};
    double share;
    const char *hint = measure->bare ? number_hint(&value) : quantity_hint(measure->kind, &value);
    if (measure == &share_measure && share_parse(parts->value, &share)) {
        hint = "at most 1, or 100%";
    }
    char shown[96];
    return reading_report(
        reading, node->place, "%s is compared with %s, not %s%s%s%s", parts->metric,
        measure->bare ? "a number" : quantity_advice(measure->kind),
        text_describe(parts->value, shown, sizeof(shown)), hint != NULL ? " (" : "",
        hint != NULL ? hint : "", hint != NULL ? ")" : "");
}

static bool objective_read(struct reading *reading, const struct field *field, struct node *node,
                           void *target) {
    static const char advice[] = "a text such as workload.train.wait_s.p95 <= 30m or "
                                 "run.utilization.allocated >= 60%";
    struct objective *objective = target;
    if (node->kind != NODE_SCALAR) {
        return reading_refuse_value(reading, field, node, advice, NULL);
    }
    struct arena *arena = &reading->scenario->arena;
    struct parts parts;
    objective->text = arena_duplicate_string(arena, node->text);
    if (!take_apart(arena_duplicate_string(arena, node->text), &parts, objective)) {
        return reading_refuse_value(reading, field, node, advice, NULL);
    }
    objective->subject = parts.subject;
    objective->metric = parts.metric;
    return find_scope(reading, node, parts.scope, objective) &&
           find_metric(reading, node, parts.metric) && read_value(reading, node, &parts, objective);
}

static void objective_describe(const struct reader_context *context, const struct field *field,
                               json_t *schema) {
    (void)context;
    (void)field;
    json_object_set_new(schema, "type", json_string("string"));
    json_object_set_new(
        schema, "pattern",
        json_string(
            "^ *(run|(pool|workload|model|queue|user)[.](\"[^\"]+\"|[^. \"]+))[.][a-z0-9_.]+ "
            "*(<=|>=|<|>) *[^ ]+ *$"));
}

const struct field_type objective_type = {
    .size = sizeof(struct objective), .read = objective_read, .describe = objective_describe};
