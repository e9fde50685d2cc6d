#include "scenarios/checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/expansion.h"
#include "scenarios/language_price.h"
#include "scenarios/pool_price.h"
#include "scenarios/suggest.h"

bool checks_sound(const struct node *map, const char *key) {
    const struct node *value = node_member(map, key);
    return value == NULL || !value->bad;
}

bool checks_subject(const struct reading *reading, size_t index, struct subject *subject) {
    const struct node *workloads = node_member(reading->root, "workloads");
    *subject = (struct subject){.workload = &reading->scenario->workloads[index],
                                .node = workloads->entries[index].value};
    return subject->workload->enabled && subject->workload->name != NULL &&
           subject->node->kind == NODE_MAP;
}

size_t checks_pool_count(const struct reading *reading, const struct workload_spec *workload) {
    return workload->pool_count > 0 ? workload->pool_count : reading->scenario->pool_count;
}

size_t checks_pool(const struct workload_spec *workload, size_t index) {
    return workload->pool_count > 0 ? (size_t)workload->pools[index] : index;
}

const char *checks_chosen_name(const struct reading *reading, const char *registry,
                               const struct chosen *chosen) {
    const struct registry *rows = registries_find(&reading->context->registries, registry);
    return registry_row(rows, (size_t)chosen->index)->name;
}

static const struct node *pools_node(const struct reading *reading) {
    return node_at(reading->root, "cluster", "pools", NULL);
}

const struct node *checks_pool_node(const struct reading *reading, size_t index) {
    return pools_node(reading)->entries[index].value;
}

bool checks_gpu_known(const struct reading *reading, size_t index) {
    const struct node *node = checks_pool_node(reading, index);
    return reading->scenario->pools[index].name != NULL && node_member(node, "gpu") != NULL &&
           checks_sound(node, "gpu");
}

/* Of a mix, each part is checked when it is read. */
static void check_price(struct reading *reading, const struct pool_spec *pool,
                        const struct node *price) {
    const struct entry *found = NULL;
    for (size_t i = 0; price->kind == NODE_MAP && price_keys[i] != NULL; i++) {
        const struct entry *entry = node_entry(price, price_keys[i]);
        if (entry != NULL && found != NULL) {
            reading_report(reading, entry > found ? entry->place : found->place,
                           "the price of pool %s is given twice, as %s and %s: leave one out",
                           pool->name, found->key, entry->key);
            return;
        }
        found = entry != NULL ? entry : found;
    }
    if (price->kind == NODE_MAP && found == NULL && !price->strange) {
        reading_report(reading, price->place,
                       "the price of pool %s needs per_gpu_hour, per_gpu_month, per_node_hour or "
                       "per_node_month",
                       pool->name);
    }
}

/* What the costs of a pool are in; NULL: it has none, or something is wrong with it. */
static const char *currency_of(const struct reading *reading, size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    const struct node *node = checks_pool_node(reading, index);
    if (!checks_sound(node, "price") || !checks_gpu_known(reading, index)) {
        return NULL;
    }
    return pool_price(pool, reading->scenario->catalogue).currency;
}

static void check_currencies(struct reading *reading) {
    const struct scenario *scenario = reading->scenario;
    const char *first = NULL;
    size_t first_pool = 0;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const char *currency = currency_of(reading, i);
        if (first == NULL) {
            first = currency;
            first_pool = i;
        } else if (currency != NULL && strcmp(first, currency) != 0) {
            const struct pool_spec *pool = &scenario->pools[i];
            const struct node *price = node_member(checks_pool_node(reading, i), "price");
            reading_report(reading, price != NULL ? price->place : pool->place,
                           "pool %s costs %s%s, but pool %s costs %s%s: costs are added up, so all "
                           "pools need one currency",
                           pool->name, currency, pool->price.given ? "" : " (its list price)",
                           scenario->pools[first_pool].name, first,
                           scenario->pools[first_pool].price.given ? "" : " (its list price)");
            return;
        }
    }
}

/* Electricity with a price needs GPUs of which is known how much they draw. */
static void check_power(struct reading *reading) {
    const struct scenario *scenario = reading->scenario;
    const struct node *power = node_at(reading->root, "cluster", "power", NULL);
    for (size_t i = 0; i < scenario->pool_count && scenario->power.given; i++) {
        if (!checks_gpu_known(reading, i)) {
            continue;
        }
        const struct gpu_model *gpu = &scenario->catalogue->gpus[scenario->pools[i].gpu];
        if (isnan(gpu->idle_watts) || isnan(gpu->limit_watts)) {
            reading_report(reading, power->place,
                           "what the electricity of pool %s costs is not known, as the catalogue "
                           "lacks the %s power of %s: give it in a file of your own (catalogue: "
                           "FILE), or leave cluster.power out",
                           scenario->pools[i].name, isnan(gpu->idle_watts) ? "idle" : "greatest",
                           gpu->name);
        }
    }
}

static void check_times(struct reading *reading) {
    const struct scenario *scenario = reading->scenario;
    const struct node *warmup = node_member(reading->root, "warmup");
    if (warmup != NULL && checks_sound(reading->root, "warmup") &&
        checks_sound(reading->root, "horizon") && scenario->horizon > 0 &&
        scenario->warmup >= scenario->horizon) {
        reading_report(reading, warmup->place,
                       "the warmup must be shorter than the horizon, or nothing is measured");
    }
}

/* The reference GPU, or -1 if nobody can tell because of what was reported. */
static int reference_gpu(const struct reading *reading) {
    const struct scenario *scenario = reading->scenario;
    if (node_member(reading->root, "reference_gpu") != NULL) {
        return checks_sound(reading->root, "reference_gpu") ? scenario->reference_gpu : -1;
    }
    return scenario->pool_count > 0 && checks_gpu_known(reading, 0) ? scenario->pools[0].gpu : -1;
}

static void check_pool_subject(struct reading *reading, const struct objective *objective) {
    const struct node *pools = pools_node(reading);
    if (pools == NULL || pools->kind != NODE_MAP ||
        node_member(pools, objective->subject) != NULL) {
        return;
    }
    struct suggestion suggestion = suggestion_start(objective->subject);
    for (size_t i = 0; i < pools->count; i++) {
        suggestion_consider(&suggestion, pools->entries[i].key);
    }
    bool close = suggestion.best != NULL;
    reading_report(reading, objective->place, "there is no pool \"%s\"%s%s%s", objective->subject,
                   close ? ": did you mean \"" : "", close ? suggestion.best : "",
                   close ? "\"?" : "");
}

static bool is_written(const struct workload_spec *workload, const struct objective *objective) {
    return strcmp(workload->name, objective->subject) == 0;
}

static void check_workload_subject(struct reading *reading, const struct objective *objective) {
    const struct scenario *scenario = reading->scenario;
    const struct node *workloads = node_member(reading->root, "workloads");
    if (workloads == NULL || workloads->kind != NODE_MAP) {
        return;
    }
    struct suggestion suggestion = suggestion_start(objective->subject);
    for (size_t i = 0; i < workloads->count; i++) {
        suggestion_consider(&suggestion, workloads->entries[i].key);
    }
    bool close = suggestion.best != NULL;
    const struct workload_spec *found = expansion_find(scenario, objective->subject);
    const struct workload_spec *near =
        found == NULL && close ? expansion_find(scenario, suggestion.best) : found;
    if (near != NULL && near->count > 1 && (found == NULL || is_written(found, objective))) {
        reading_report(reading, objective->place,
                       "workload %s is %d workloads: name one of them, %s-1 to %s-%d", near->name,
                       (int)near->count, near->name, near->name, (int)near->count);
    } else if (found == NULL) {
        reading_report(reading, objective->place, "there is no workload \"%s\"%s%s%s",
                       objective->subject, close ? ": did you mean \"" : "",
                       close ? suggestion.best : "", close ? "\"?" : "");
    }
}

static void check_model_subject(struct reading *reading, const struct objective *objective) {
    const struct scenario *scenario = reading->scenario;
    struct suggestion suggestion = suggestion_start(objective->subject);
    bool found = false;
    for (size_t i = 0; i < scenario->workload_count && !found; i++) {
        const char *model = scenario->workloads[i].model;
        found = model != NULL && strcmp(model, objective->subject) == 0;
        if (model != NULL) {
            suggestion_consider(&suggestion, model);
        }
    }
    if (!found) {
        bool close = suggestion.best != NULL;
        reading_report(reading, objective->place, "no workload has the model \"%s\"%s%s%s",
                       objective->subject, close ? ": did you mean \"" : "",
                       close ? suggestion.best : "", close ? "\"?" : "");
    }
}

/* They are what a number of replications is found by. */
static void check_precision(struct reading *reading) {
    const struct node *replications = node_member(reading->root, "replications");
    if (replications != NULL && !replications->bad && reading->scenario->precision > 0 &&
        checks_sound(reading->root, "objectives") && reading->scenario->objective_count == 0) {
        reading_report(reading, replications->place,
                       "replications: auto goes on until every objective is known well enough, but "
                       "there are none: add objectives, or give a number");
    }
}

static void check_objectives(struct reading *reading) {
    const struct node *objectives = node_member(reading->root, "objectives");
    for (size_t i = 0; objectives != NULL && i < reading->scenario->objective_count; i++) {
        const struct objective *objective = &reading->scenario->objectives[i];
        if (objectives->entries[i].value->bad) {
            continue;
        }
        if (objective->scope == SCOPE_POOL) {
            check_pool_subject(reading, objective);
        } else if (objective->scope == SCOPE_WORKLOAD) {
            check_workload_subject(reading, objective);
        } else if (objective->scope == SCOPE_MODEL && checks_sound(reading->root, "workloads")) {
            check_model_subject(reading, objective);
        }
    }
}

void checks_run(struct reading *reading) {
    struct scenario *scenario = reading->scenario;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const struct node *price = node_member(checks_pool_node(reading, i), "price");
        if (price != NULL && scenario->pools[i].name != NULL) {
            check_price(reading, &scenario->pools[i], price);
        }
    }
    check_currencies(reading);
    check_power(reading);
    check_times(reading);
    checks_sharing(reading);
    checks_workloads(reading);
    checks_queues(reading);
    checks_preemption(reading);
    checks_outages(reading);
    checks_scheduler(reading);
    checks_slots(reading);
    int reference = reference_gpu(reading);
    if (reference >= 0) {
        checks_speeds(reading, reference);
    }
    check_objectives(reading);
    check_precision(reading);
    scenario->reference_gpu = reference;
}
