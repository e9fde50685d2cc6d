#include "cli/plan_circumstances.h"

#include <math.h>

#include "workloads/arrivals.h"

/* Options belong to the scenario; workloads of one `count` have theirs together. */
static void change_load(struct scenario *scenario, double factor) {
    for (size_t i = 0; i < scenario->workload_count; i++) {
        struct workload_spec *workload = &scenario->workloads[i];
        bool done = false;
        for (size_t j = 0; j < i && !done; j++) {
            done = scenario->workloads[j].arrivals.options == workload->arrivals.options;
        }
        if (workload->has_arrivals && !done) {
            arrival_scale(&workload->arrivals, factor);
        }
        workload->trace.time_scale /= factor;
    }
}

static void change_switch(const struct chosen *sharing, double factor) {
    struct sharing_spec *spec = (struct sharing_spec *)sharing->options;
    if (spec != NULL) {
        spec->switch_time = (sim_time)llround((double)spec->switch_time * factor);
        for (size_t i = 0; i < spec->layout_count; i++) {
            change_switch(&spec->layout[i].sharing, factor);
        }
    }
}

static void change_switches(struct scenario *scenario, double factor) {
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const struct pool_spec *pool = &scenario->pools[i];
        change_switch(&pool->sharing, factor);
        for (size_t k = 0; k < pool->layout_count; k++) {
            change_switch(&pool->layouts[k].sharing, factor);
        }
    }
}

void circumstances_apply(struct circumstances circumstances, struct scenario *scenario) {
    if (circumstances.load != 1) {
        change_load(scenario, circumstances.load);
    }
    if (circumstances.switch_time != 1) {
        change_switches(scenario, circumstances.switch_time);
    }
}
