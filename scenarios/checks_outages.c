/* Whether what a pool's machines suffer goes together with the pool. */
#include "scenarios/checks.h"

#include <math.h>

/* Where a key of the pool, or of a map in it, is written; else the pool. */
static struct place place_of(const struct reading *reading, size_t pool, const char *key) {
    const struct entry *entry = node_entry(checks_pool_node(reading, pool), key);
    return entry != NULL ? entry->place : reading->scenario->pools[pool].place;
}

static bool is_mps(const struct chosen *sharing) {
    return sharing->index == SHARING_MPS;
}

static const struct sharing_spec *mig_of(const struct chosen *sharing) {
    return sharing->index == SHARING_MIG ? sharing->options : NULL;
}

static bool any_mps(const struct chosen *sharing) {
    const struct sharing_spec *mig = mig_of(sharing);
    bool any = is_mps(sharing);
    for (size_t k = 0; mig != NULL && k < sharing_way_count(mig); k++) {
        struct layout_way way = sharing_way(mig, k);
        for (size_t i = 0; i < way.count; i++) {
            any |= is_mps(&way.items[i].sharing);
        }
    }
    return any;
}

/* How the pool's GPUs are shared, in one word. */
struct ways {
    bool mig;
    bool mps;
};

static struct ways ways_of(const struct pool_spec *pool) {
    struct ways ways = {false, false};
    for (size_t k = 0; k <= pool->layout_count; k++) {
        const struct chosen *shared = checks_shared(pool, k);
        const struct sharing_spec *mig = shared == NULL ? NULL : mig_of(shared);
        ways.mig |= mig != NULL;
        ways.mps |= shared != NULL && any_mps(shared);
    }
    return ways;
}

static void check_sharing(struct reading *reading, size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    const struct outage_spec *spec = &pool->outages;
    struct ways ways = ways_of(pool);
    if (spec->faults[FAULT_INSTANCE].given && !ways.mig) {
        reading_report(
            reading, spec->faults[FAULT_INSTANCE].place,
            "there are faults of MIG instances, but pool %s has none: leave them out, or "
            "give its GPUs a layout",
            pool->name);
    }
    if (spec->faults[FAULT_MPS].given && !ways.mps) {
        reading_report(reading, spec->faults[FAULT_MPS].place,
                       "there are faults of MPS servers, but pool %s has none: leave them out, or "
                       "share its GPUs by mps",
                       pool->name);
    }
}

static bool is_always(const struct weekly_span *span) {
    return span->days == EVERY_WEEKDAY && span->from == 0 && span->to == NANOSECONDS_PER_DAY;
}

static void check_when(struct reading *reading, const struct maintenance_spec *spec,
                       const struct node *node) {
    bool weekly = spec->at == SIM_TIME_NEVER;
    static const char *const hours[] = {"days", "from", "to"};
    for (size_t i = 0; !weekly && i < sizeof hours / sizeof hours[0]; i++) {
        const struct entry *entry = node_entry(node, hours[i]);
        if (entry != NULL) {
            reading_report(reading, entry->place,
                           "this maintenance is at one time, so there is no `%s`: leave it or `at` "
                           "out",
                           hours[i]);
            return;
        }
    }
    if (!weekly && spec->duration == SIM_TIME_NEVER) {
        reading_report(reading, spec->place,
                       "this maintenance is at one time, so it needs a duration: `duration: 2h`");
    } else if (weekly && spec->duration == SIM_TIME_NEVER && is_always(&spec->span)) {
        reading_report(reading, spec->place,
                       "this maintenance needs a time: `at: 12h`, or days and hours such as `days: "
                       "sun, from: \"02:00\", to: \"06:00\"`");
    } else if (weekly && spec->span.from == spec->span.to) {
        reading_report(reading, spec->place,
                       "this maintenance begins and ends at one time of day: leave out from and to "
                       "for whole days, or end it at another");
    } else if (weekly && !reading->scenario->has_start && checks_sound(reading->root, "start")) {
        reading_report(reading, spec->place,
                       "weekly maintenance goes by the wall clock: say what that is at t = 0, such "
                       "as `start: \"2026-03-02T00:00:00\"`, a Monday, or give `at`");
    }
}

static void refuse_node(struct reading *reading, const struct pool_spec *pool, struct place place,
                        int32_t node) {
    reading_report(reading, place, "pool %s has nodes 0 to %d, and no node %d", pool->name,
                   (int)pool_node_count(pool) - 1, (int)node);
}

static void check_maintenance(struct reading *reading, size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    const struct node *list = node_member(checks_pool_node(reading, index), "maintenance");
    for (size_t i = 0; list != NULL && !list->bad && i < pool->outages.maintenance_count; i++) {
        const struct maintenance_spec *spec = &pool->outages.maintenance[i];
        const struct node *node = list->entries[i].value;
        const struct node *nodes = node_member(node, "nodes");
        if (node->bad || node->kind != NODE_MAP) {
            continue;
        }
        check_when(reading, spec, node);
        for (size_t k = 0; k < spec->node_count && nodes != NULL && !nodes->bad; k++) {
            if (spec->nodes[k] >= pool_node_count(pool)) {
                refuse_node(reading, pool, nodes->entries[k].value->place, spec->nodes[k]);
                break;
            }
        }
    }
}

/* The nodes of a list, each once. */
static void check_cordoned(struct reading *reading, size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    const struct outage_spec *spec = &pool->outages;
    const struct node *list = node_member(checks_pool_node(reading, index), "cordoned");
    for (size_t i = 0; list != NULL && !list->bad && i < spec->cordoned_count; i++) {
        bool twice = false;
        for (size_t k = 0; k < i; k++) {
            twice |= spec->cordoned[k] == spec->cordoned[i];
        }
        if (spec->cordoned[i] >= pool_node_count(pool)) {
            refuse_node(reading, pool, list->entries[i].value->place, spec->cordoned[i]);
        } else if (twice) {
            reading_report(reading, list->entries[i].value->place,
                           "node %d is cordoned already: name it once", (int)spec->cordoned[i]);
        }
    }
}

static void check_occupied(struct reading *reading, size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    const struct outage_spec *spec = &pool->outages;
    for (size_t i = 0; i < spec->occupied_count; i++) {
        const struct occupied_spec *entry = &spec->occupied[i];
        int64_t gpus = 0;
        for (size_t k = 0; k <= i; k++) {
            gpus += spec->occupied[k].node == entry->node ? spec->occupied[k].gpus : 0;
        }
        if (entry->node >= pool_node_count(pool)) {
            refuse_node(reading, pool, entry->place, entry->node);
        } else if (gpus > pool->gpus_per_node) {
            reading_report(reading, entry->place,
                           "%lld GPUs of node %d are occupied, but each node of pool %s has %d",
                           (long long)gpus, (int)entry->node, pool->name, (int)pool->gpus_per_node);
        }
    }
}

static void check_capacity(struct reading *reading, size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    for (size_t i = 0; i < pool->outages.capacity_count; i++) {
        const struct capacity_spec *spec = &pool->outages.capacity[i];
        if (spec->nodes >= pool->nodes) {
            reading_report(reading, spec->place,
                           "pool %s has %d nodes, and at these hours it is to have fewer: give the "
                           "most that it ever has as its nodes",
                           pool->name, (int)pool->nodes);
        } else if (spec->span.from == spec->span.to || is_always(&spec->span)) {
            reading_report(reading, spec->place,
                           "these hours never end, or never begin: give days, from and to of the "
                           "part of the week, such as `from: \"20:00\", to: \"08:00\"`");
        } else if (!reading->scenario->has_start && checks_sound(reading->root, "start")) {
            reading_report(
                reading, spec->place,
                "hours of the week go by the wall clock: say what that is at t = 0, such "
                "as `start: \"2026-03-02T00:00:00\"`, a Monday");
        }
    }
}

static void check_spares(struct reading *reading, size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    if (pool->outages.spares > 0 && !pool->outages.faults[FAULT_NODE].given) {
        reading_report(reading, place_of(reading, index, "spares"),
                       "pool %s has spares, which take the place of nodes that fail, but its nodes "
                       "never do: add `faults: {node: {mtbf: ..., mttr: ...}}`",
                       pool->name);
    }
}

/* What is always up has to be there, and may not be more than some hours allow. */
static void check_least(struct reading *reading, const struct pool_spec *pool) {
    const struct outage_spec *outages = &pool->outages;
    int32_t open = pool->nodes - (int32_t)outages->cordoned_count;
    if (outages->autoscale.least > open) {
        reading_report(
            reading, outages->autoscale.place,
            "at least %d nodes of pool %s are to be up, but %d of its %d are not cordoned",
            (int)outages->autoscale.least, pool->name, (int)open, (int)pool->nodes);
    }
    for (size_t i = 0; i < outages->capacity_count; i++) {
        if (outages->capacity[i].nodes < outages->autoscale.least) {
            reading_report(reading, outages->capacity[i].place,
                           "at these hours at most %d nodes of pool %s are to be up, but its "
                           "autoscaler has at least %d: lower `least`, or allow more",
                           (int)outages->capacity[i].nodes, pool->name,
                           (int)outages->autoscale.least);
        }
    }
}

static void check_autoscale(struct reading *reading, size_t index) {
    const struct pool_spec *pool = &reading->scenario->pools[index];
    const struct autoscale_spec *spec = &pool->outages.autoscale;
    int32_t most = spec->most < pool->nodes ? spec->most : pool->nodes;
    if (spec->most != INT32_MAX && spec->most > pool->nodes) {
        reading_report(reading, spec->place,
                       "at most %d nodes are to be up, but pool %s has %d: give the most that it "
                       "ever has as its nodes",
                       (int)spec->most, pool->name, (int)pool->nodes);
    } else if (spec->least > most) {
        reading_report(reading, spec->place,
                       "at least %d nodes of pool %s are to be up, but at most %d",
                       (int)spec->least, pool->name, (int)most);
    } else {
        check_least(reading, pool);
    }
}

/* An interval by the fault rate needs one, and a save that costs something. */
static void check_interval(struct reading *reading, const struct subject *subject) {
    const struct scenario *scenario = reading->scenario;
    const struct workload_spec *workload = subject->workload;
    const struct node *checkpoint = node_member(subject->node, "checkpoint");
    sim_time interval = workload->checkpoint.interval;
    if (checkpoint == NULL || checkpoint->bad || checkpoint->kind != NODE_MAP ||
        (interval != INTERVAL_YOUNG && interval != INTERVAL_DALY)) {
        return;
    }
    struct place place = node_entry(checkpoint, "interval")->place;
    const char *name = interval == INTERVAL_YOUNG ? "young" : "daly";
    if (workload->checkpoint.save_time == 0 || workload->checkpoint.overhead == 0 ||
        (workload->checkpoint.save_time < 0 && checkpoint_spec_size(&workload->checkpoint) == 0)) {
        reading_report(reading, place,
                       "interval: %s weighs faults against what a save costs, and the saves of "
                       "workload %s cost nothing: give a size, parameters or a save_time",
                       name, workload->name);
        return;
    }
    for (size_t i = 0;
         checks_sound(subject->node, "pools") && i < checks_pool_count(reading, workload); i++) {
        size_t pool = checks_pool(workload, i);
        const double each[FAULT_KIND_COUNT] = {1, 1, 1, 1};
        if (checks_sound(checks_pool_node(reading, pool), "faults") &&
            checks_sound(checks_pool_node(reading, pool), "spot") &&
            isinf(outage_spec_mean_between(&scenario->pools[pool].outages, each))) {
            reading_report(reading, place,
                           "interval: %s goes by the fault rate, but pool %s has no faults: add "
                           "`faults: {gpu: {mtbf: ..., mttr: ...}}` there, or give an interval "
                           "such as 30m",
                           name, scenario->pools[pool].name);
            return;
        }
    }
}

void checks_outages(struct reading *reading) {
    struct subject subject;
    for (size_t i = 0; i < reading->scenario->pool_count; i++) {
        const struct node *node = checks_pool_node(reading, i);
        if (reading->scenario->pools[i].name == NULL || node->kind != NODE_MAP) {
            continue;
        }
        if (checks_sound(node, "faults") && checks_sound(node, "spot") &&
            checks_sharing_known(reading, i)) {
            check_sharing(reading, i);
        }
        check_maintenance(reading, i);
        check_cordoned(reading, i);
        if (checks_sound(node, "occupied") && checks_sound(node, "gpus_per_node")) {
            check_occupied(reading, i);
        }
        if (checks_sound(node, "capacity") && checks_sound(node, "nodes")) {
            check_capacity(reading, i);
        }
        if (checks_sound(node, "faults") && checks_sound(node, "spares")) {
            check_spares(reading, i);
        }
        if (node_entry(node, "autoscale") != NULL && checks_sound(node, "autoscale") &&
            checks_sound(node, "nodes") && checks_sound(node, "cordoned") &&
            checks_sound(node, "capacity")) {
            check_autoscale(reading, i);
        }
    }
    for (size_t i = 0; i < reading->scenario->workload_count; i++) {
        if (checks_subject(reading, i, &subject)) {
            check_interval(reading, &subject);
        }
    }
}
