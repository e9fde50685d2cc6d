/* What the figures of a report rest on, with sources: each fact once, with the variants it is of.
 */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reports/report_internal.h"
#include "scenarios/pool_price.h"
#include "scenarios/scenario.h"
#include "sim/kernel/memory.h"

/* Texts are in the set's arena. */
struct fact {
    const char *what;
    const char *value;
    const char *source;
    const char *variants;
    size_t variant_count;
};

struct facts {
    struct report *report;
    const char *label; /* of the case that facts are added of */
    struct fact *items;
    size_t count;
    size_t capacity;
};

static const char scenario_source[] = "the scenario, or the default where it says nothing";

static const char *keep_text(const struct report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *keep_text(const struct report *report, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format(format, arguments);
    va_end(arguments);
    const char *kept = arena_duplicate_string(&report->set->arena, text);
    free(text);
    return kept;
}

static void add_fact(struct facts *facts, const char *what, const char *value, const char *source) {
    for (size_t i = 0; i < facts->count; i++) {
        struct fact *fact = &facts->items[i];
        if (strcmp(fact->what, what) == 0 && strcmp(fact->value, value) == 0 &&
            strcmp(fact->source, source) == 0) {
            fact->variants = keep_text(facts->report, "%s, %s", fact->variants, facts->label);
            fact->variant_count++;
            return;
        }
    }
    facts->items =
        memory_grow(facts->items, &facts->capacity, facts->count + 1, sizeof(facts->items[0]));
    facts->items[facts->count++] = (struct fact){what, value, source, facts->label, 1};
}

static double seconds_of(sim_time time) {
    return (double)time / 1e9;
}

static const char *choice_name(const struct report *report, const char *registry,
                               const struct chosen *chosen) {
    return registry_row(registries_find(&report->options->context->registries, registry),
                        (size_t)chosen->index)
        ->name;
}

static void add_price(struct facts *facts, const struct scenario *scenario,
                      const struct pool_spec *pool) {
    struct pool_price price = pool_price(pool, scenario->catalogue);
    const struct list_price *list = price.list;
    const char *source = "given in the scenario";
    if (isnan(price.per_gpu_hour)) {
        source = "no price given, and no list price is known";
    } else if (list != NULL) {
        source = keep_text(facts->report, "list price of %s, %s, %s, %s: %s", list->provider,
                           list->sku, list->kind, list->date, list->provenance.source);
    } else if (pool->price.part_count > 1) {
        char mix[PRICE_MIX_TEXT];
        source = keep_text(facts->report, "given in the scenario: %s", pool_price_mix(pool, mix));
    }
    add_fact(facts, keep_text(facts->report, "price in pool %s", pool->name),
             keep_text(facts->report, "%s per GPU-hour",
                       number_money(price.per_gpu_hour, price.currency).text),
             source);
}

static const char *describe_sharing(const struct report *report, const struct chosen *sharing) {
    const struct sharing_spec *spec = sharing->options;
    const char *mode = choice_name(report, "sharing", sharing);
    if (spec == NULL) {
        return mode;
    }
    if (sharing->index == SHARING_TIMESLICE) {
        return keep_text(report, "%s: turns of %s, a change of turns takes %s", mode,
                         number_duration(seconds_of(spec->slice)).text,
                         number_duration(seconds_of(spec->switch_time)).text);
    }
    if (sharing->index == SHARING_MPS) {
        return keep_text(report, "%s: up to %d clients; interference %s", mode, (int)spec->clients,
                         number_plain(spec->interference).text);
    }
    if (sharing->index == SHARING_MIG) {
        return keep_text(report, "%s%s", mode, spec->dynamic ? ", cut anew as needed" : "");
    }
    return mode;
}

static void add_pool(struct facts *facts, const struct scenario *scenario,
                     const struct pool_spec *pool) {
    const struct report *report = facts->report;
    add_fact(facts, keep_text(report, "pool %s", pool->name),
             keep_text(report, "%d node%s of %d x %s", (int)pool->nodes,
                       pool->nodes == 1 ? "" : "s", (int)pool->gpus_per_node,
                       scenario->catalogue->gpus[pool->gpu].name),
             "the scenario");
    add_price(facts, scenario, pool);
    add_fact(facts, keep_text(report, "sharing in pool %s", pool->name),
             describe_sharing(report, &pool->sharing), scenario_source);
}

/* Whether two workloads are written as one: `count` has made both of it. */
static bool written_together(const struct workload_spec *a, const struct workload_spec *b) {
    return a->place.line == b->place.line && a->place.column == b->place.column &&
           strcmp(a->place.file, b->place.file) == 0;
}

/* A workload, and whether `count` has made it one of several. */
struct written_workload {
    const struct workload_spec *spec;
    bool several;
};

/* Its name as written: chat of chat-1, chat-2, ... */
static const char *written_name(const struct report *report, struct written_workload workload) {
    char *name = arena_duplicate_string(&report->set->arena, workload.spec->name);
    char *dash = strrchr(name, '-');
    if (workload.several && dash != NULL) {
        *dash = '\0';
    }
    return name;
}

static void add_speeds(struct facts *facts, struct written_workload workload) {
    const struct report *report = facts->report;
    const struct model_spec *needs = &workload.spec->needs;
    const char *rule = "no faster beyond its saturation; other GPUs as given";
    const char *source = scenario_source;
    if (needs->speed_rule == SPEED_MEASURED) {
        rule = keep_text(report, "on slices as measured (%s)", needs->measured_as);
        source = "the catalogue's measured tables (`headroom catalog models`)";
    } else if (needs->speed_rule == SPEED_CATALOGUE) {
        rule = "on other GPUs by the catalogue's ratio, an estimate";
        source = "the catalogue (`headroom catalog gpus`)";
    }
    add_fact(facts, keep_text(report, "speed of %s", written_name(report, workload)),
             keep_text(report, "keeps up to %s of a GPU's SMs busy; %s",
                       number_share(needs->saturation).text, rule),
             source);
}

static void add_workload(struct facts *facts, struct written_workload written) {
    const struct report *report = facts->report;
    const struct workload_spec *workload = written.spec;
    const char *name = written_name(report, written);
    if (workload->has_trace) {
        add_fact(facts, keep_text(report, "load of %s", name),
                 keep_text(report, "the trace %s", workload->trace.file), "the scenario");
    } else if (workload->has_arrivals) {
        add_fact(facts, keep_text(report, "load of %s", name),
                 keep_text(report, "drawn at random: %s arrivals",
                           choice_name(report, "arrivals", &workload->arrivals)),
                 "the scenario");
    }
    if (workload->kind.index == WORKLOAD_SERVICE && workload->service.slo != SIM_TIME_NEVER) {
        add_fact(facts, keep_text(report, "SLO of %s", name),
                 keep_text(report, "%s", number_duration(seconds_of(workload->service.slo)).text),
                 "the scenario");
    }
    add_speeds(facts, written);
}

static void add_case(struct facts *facts, const struct scenario *scenario) {
    const struct report *report = facts->report;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        add_pool(facts, scenario, &scenario->pools[i]);
    }
    const struct scheduler_spec *scheduler = &scenario->scheduler;
    add_fact(facts, "scheduler",
             keep_text(report, "order %s, backfill %s, placement %s",
                       choice_name(report, "order", &scheduler->order),
                       choice_name(report, "backfill", &scheduler->backfill),
                       choice_name(report, "placement", &scheduler->placement)),
             scenario_source);
    const struct workload_spec *workloads = scenario->workloads;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        bool again = i > 0 && written_together(&workloads[i], &workloads[i - 1]);
        bool several = again || (i + 1 < scenario->workload_count &&
                                 written_together(&workloads[i], &workloads[i + 1]));
        if (!again) {
            add_workload(facts, (struct written_workload){&workloads[i], several});
        }
    }
}

static void add_fact_row(struct table *table, const struct fact *fact, size_t case_count) {
    table_add_row(table);
    table_add_text(table, fact->what);
    table_add_text(table, fact->value);
    table_add_text(table, fact->source);
    table_add_text(table, fact->variant_count == case_count ? "all" : fact->variants);
}

/* Whether it is the first of those that say the same thing of other variants. */
static bool is_first(const struct facts *facts, size_t index) {
    bool first = true;
    for (size_t i = 0; i < index && first; i++) {
        first = strcmp(facts->items[i].what, facts->items[index].what) != 0;
    }
    return first;
}

static void print_facts(const struct facts *facts, size_t case_count) {
    struct table *table = table_create();
    table_add_column(table, "assumption", "what", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "value", "value", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "source", "source", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "variants", "variants", TABLE_LEFT,
                     case_count > 1 ? TABLE_FOR_ALL : TABLE_FOR_MACHINES);
    for (size_t i = 0; i < facts->count; i++) {
        for (size_t j = i; is_first(facts, i) && j < facts->count; j++) {
            if (strcmp(facts->items[i].what, facts->items[j].what) == 0) {
                add_fact_row(table, &facts->items[j], case_count);
            }
        }
    }
    report_table(facts->report, table, "Assumptions and where they come from");
    table_destroy(table);
}

void report_assumptions(struct report *report) {
    struct facts facts = {.report = report};
    size_t unread = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        facts.label = report_label(report, &report->cases[i]);
        if (report->scenarios[i] != NULL) {
            add_case(&facts, report->scenarios[i]);
        } else {
            unread++;
        }
    }
    fputs("<section class=\"words\"><h2>What this rests on</h2>\n", report->out);
    if (facts.count > 0) {
        print_facts(&facts, report->case_count);
    }
    fputs("<p class=\"note\">As the text of the scenario has it; what a run was told besides by "
          "<code>--set</code> is not in it. ",
          report->out);
    if (unread > 0) {
        html_print(report->out,
                   "The text of %d of the variants could not be read again here (a file it names "
                   "may be elsewhere), so their assumptions and layouts are missing.",
                   (int)unread);
    }
    fputs("</p></section>\n", report->out);
    free(facts.items);
}
