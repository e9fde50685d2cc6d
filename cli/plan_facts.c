/* What the text and the JSON of a plan have in common. */
#include <math.h>
#include <stdlib.h>

#include "cli/plan_report.h"
#include "plan/judge.h"
#include "plan/rank.h"
#include "reports/number.h"
#include "reports/sweep_point.h"
#include "scenarios/pool_price.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/statistics.h"

const char *const plan_flaw_texts[PLAN_FLAW_COUNT] = {
    [PLAN_SOUND] = "",
    [PLAN_UNSTABLE] = "a queue grows without limit",
    [PLAN_REJECTED] = "jobs are rejected, as nothing could ever hold them",
    [PLAN_NO_SLOT] = "replicas have no slot",
    [PLAN_NO_VALUE] = "an objective's figure has no value",
};

const char *const plan_verdict_names[] = {[PLAN_OPEN] = "open",
                                          [PLAN_PRUNED] = "pruned",
                                          [PLAN_MEETS] = "meets",
                                          [PLAN_MISSES] = "misses"};

__attribute__((format(printf, 1, 2))) static char *text_of(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format(format, arguments);
    va_end(arguments);
    return text;
}

struct plan_figure plan_figure_of(const struct plan_study *study, size_t candidate,
                                  size_t objective) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    struct plan_figure figure = {.excess = 0};
    double *values = memory_zero(of->count, sizeof *values);
    for (size_t i = 0; i < of->count; i++) {
        values[i] = plan_value(&study->runner, candidate, i, objective);
        figure.excess += plan_objective_excess(&study->base->objectives[objective], values[i]) /
                         (double)of->count;
    }
    statistics_interval(values, of->count, 0.95, &figure.mean, &figure.half_width);
    free(values);
    return figure;
}

size_t plan_binding(const struct plan_study *study, size_t candidate) {
    size_t binding = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < study->runner.objective_count; i++) {
        double excess = plan_figure_of(study, candidate, i).excess;
        if (excess > most) {
            most = excess;
            binding = i;
        }
    }
    return binding;
}

enum plan_flaw plan_main_flaw(const struct plan_study *study, size_t candidate) {
    size_t counts[PLAN_FLAW_COUNT] = {0};
    size_t all = study->problem.candidates[candidate].count;
    for (size_t i = 0; i < all; i++) {
        counts[study->runner.cases[candidate].flaws[i]]++;
    }
    enum plan_flaw main = PLAN_SOUND;
    for (int i = PLAN_SOUND + 1; i < PLAN_FLAW_COUNT; i++) {
        main = counts[i] > counts[main] || (main == PLAN_SOUND && counts[i] > 0) ? (enum plan_flaw)i
                                                                                 : main;
    }
    return 2 * (all - counts[PLAN_SOUND]) >= all ? main : PLAN_SOUND;
}

size_t plan_nearest(const struct plan_study *study) {
    size_t nearest = PLAN_NONE;
    double least = INFINITY;
    for (size_t i = 0; i < study->count; i++) {
        const struct plan_candidate *candidate = &study->problem.candidates[i];
        if (candidate->count == 0 || candidate->verdict == PLAN_MEETS) {
            continue;
        }
        double excess = plan_excess(candidate);
        if (nearest == PLAN_NONE || excess < least) {
            nearest = i;
            least = excess;
        }
    }
    return nearest;
}

char *plan_short_name(const struct plan_study *study, size_t candidate) {
    return sweep_point_short(study->names[candidate]);
}

const char *plan_currency(const struct plan_study *study) {
    const struct scenario *base = study->base;
    const char *currency = pool_price(&base->pools[0], base->catalogue).currency;
    return currency != NULL ? currency : base->pools[0].price.currency;
}

char *plan_cost_text(const struct plan_study *study, double cost) {
    const char *unit = study->minimized->unit;
    struct number number = number_format(number_kind_of(unit), cost, 0, plan_currency(study));
    return study->costs_known ? text_of("%s per month", number.text)
                              : text_of("%s %s", study->minimized->choice.name, number.text);
}

struct number plan_number(const struct plan_study *study, size_t objective,
                          struct plan_figure figure) {
    const struct metric_row *row = metric_find(study->base->objectives[objective].metric);
    return number_mean(number_kind_of(row->unit), figure.mean, figure.half_width,
                       plan_currency(study));
}

/* "7 of 7 did; workload.jobs.wait_s.p99 <= 100ms: 62 ms ± 4 ms" */
static char *describe_runs(const struct plan_study *study, size_t candidate) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    enum plan_flaw flaw = plan_main_flaw(study, candidate);
    size_t binding = plan_binding(study, candidate);
    struct number number = plan_number(study, binding, plan_figure_of(study, candidate, binding));
    return flaw != PLAN_SOUND
               ? text_of("%zu of %zu did: %s", plan_held(of), of->count, plan_flaw_texts[flaw])
               : text_of("%zu of %zu did, with %s at %s", plan_held(of), of->count,
                         study->base->objectives[binding].text, number.text);
}

static char *describe_miss(const struct plan_study *study, size_t candidate) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    char *name = plan_short_name(study, candidate);
    char *text = NULL;
    if (of->verdict == PLAN_PRUNED) {
        text = text_of(" %s cannot: %s.", name, study->floors[candidate].text);
    } else if (of->count > 0 && of->verdict == PLAN_MISSES) {
        char *runs = describe_runs(study, candidate);
        text = text_of(" %s %s: %s.", name,
                       of->close ? "is too close to tell, and taken not to" : "does not", runs);
        free(runs);
    } else {
        text = text_of("%s", "");
    }
    free(name);
    return text;
}

char *plan_statement(const struct plan_study *study) {
    if (study->ranked == 0) {
        size_t nearest = plan_nearest(study);
        if (nearest == PLAN_NONE) {
            return text_of("No candidate can meet the objectives: arithmetic rules out all %zu.",
                           study->count);
        }
        char *miss = describe_miss(study, nearest);
        char *text = text_of("No candidate meets the objectives. The nearest:%s", miss);
        free(miss);
        return text;
    }
    size_t best = study->order[0];
    const struct plan_candidate *of = &study->problem.candidates[best];
    const struct scenario *scenario = study->runner.cases[best].scenario;
    char *name = plan_short_name(study, best);
    char *cost = plan_cost_text(study, plan_cost(of));
    char *runs = describe_runs(study, best);
    size_t cheaper = plan_next_cheaper(study, best);
    char *miss = cheaper != PLAN_NONE ? describe_miss(study, cheaper) : text_of("%s", "");
    char *length = scenario->end_of_work
                       ? text_of("%s", "to the end of the work")
                       : text_of("of %s", number_duration((double)scenario->horizon * 1e-9).text);
    char *text = text_of("%s (%lld GPU%s, %s) meets the objectives in %.4g %% of replications %s: "
                         "%s%s.%s",
                         name, (long long)plan_gpus(scenario), plan_gpus(scenario) == 1 ? "" : "s",
                         cost, study->spec->confidence * 100, length, runs,
                         of->close ? " (so close that the test could not tell)" : "", miss);
    free(name);
    free(cost);
    free(runs);
    free(miss);
    free(length);
    return text;
}
