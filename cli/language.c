#include "cli/language.h"

#include <stdlib.h>

#include "sim/cluster/sharing.h"
#include "sim/kernel/memory.h"
#include "sim/metrics.h"
#include "sim/scheduling/backfill.h"
#include "sim/scheduling/order.h"
#include "sim/scheduling/placement.h"
#include "sim/scheduling/victims.h"
#include "sim/serving/dispatch.h"
#include "workloads/arrivals.h"
#include "workloads/trace_format.h"

static const struct choice workload_kinds[] = {
    [WORKLOAD_JOBS] = {.name = "jobs", .summary = "batch jobs that ask for GPUs for a duration"},
    [WORKLOAD_SERVICE] = {.name = "service",
                          .summary = "requests that replicas of a model answer, each in a slot"},
};

void language_create(struct language *language) {
    const struct registry tables[] = {
        {"order", queue_orders, sizeof queue_orders[0], queue_order_count},
        {"backfill", backfill_rules, sizeof backfill_rules[0], backfill_rule_count},
        {"placement", placement_rules, sizeof placement_rules[0], placement_rule_count},
        {"victims", victim_rules, sizeof victim_rules[0], victim_rule_count},
        {"sharing", sharing_modes, sizeof sharing_modes[0], sharing_mode_count},
        {"metric", metric_rows, sizeof metric_rows[0], metric_row_count},
        {"arrivals", arrival_kinds, sizeof arrival_kinds[0], arrival_kind_count},
        {"trace format", trace_formats, trace_format_stride, trace_format_count},
        {"workload kind", workload_kinds, sizeof workload_kinds[0],
         sizeof workload_kinds / sizeof workload_kinds[0]},
        {"dispatch", dispatch_rules, sizeof dispatch_rules[0], dispatch_rule_count},
    };
    language->tables = memory_duplicate(tables, sizeof tables);
    language->catalogue = catalogue_create();
    language->context = (struct reader_context){
        .registries = {.items = language->tables, .count = sizeof tables / sizeof tables[0]},
        .catalogue = language->catalogue,
    };
}

void language_destroy(struct language *language) {
    free(language->tables);
    catalogue_destroy(language->catalogue);
}
