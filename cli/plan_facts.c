/* What the text and the JSON of a plan have in common. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan_report.h"
#include "plan/judge.h"
#include "plan/rank.h"
#include "reports/number.h"
#include "reports/sweep_point.h"
#include "scenarios/pool_price.h"
#include "scenarios/weekly_text.h"
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

double plan_unfinished(const struct plan_study *study, size_t candidate) {
    size_t all = study->problem.candidates[candidate].count;
    double sum = 0;
    for (size_t i = 0; i < all; i++) {
        sum += study->runner.cases[candidate].unfinished[i];
    }
    return sum / (double)all;
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

size_t plan_answer(const struct plan_study *study) {
    return study->ranked > 0 ? study->order[0] : plan_nearest(study);
}

char *plan_when_text(const struct plan_study *study) {
    const struct plan_worst *worst = &study->worst;
    struct number from = number_duration(worst->from_s);
    struct number to = number_duration(worst->to_s);
    int64_t start = study->base->start;
    char first[WEEKLY_TEXT];
    char last[WEEKLY_TEXT];
    weekly_position_format(weekly_position(start + sim_time_from_seconds(worst->from_s)), first);
    weekly_position_format(weekly_position(start + sim_time_from_seconds(worst->to_s)), last);
    if (!study->base->has_start) {
        return text_of("from %s to %s of %s", from.text, to.text,
                       worst->of_day ? "each day" : "the run");
    }
    return worst->of_day
               ? text_of("from %s to %s of the day", strchr(first, ' ') + 1, strchr(last, ' ') + 1)
               : text_of("from %s to %s of the run, %s to %s", from.text, to.text, first, last);
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
    return study->monthly ? text_of("%s per month", number.text)
                          : text_of("%s %s", study->minimized->choice.name, number.text);
}

struct number plan_number(const struct plan_study *study, size_t objective,
                          struct plan_figure figure) {
    const struct metric_row *row = metric_find(study->base->objectives[objective].metric);
    return number_mean(number_kind_of(row->unit), figure.mean, figure.half_width,
                       plan_currency(study));
}

bool plan_alike(const struct plan_study *study, size_t candidate) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    bool alike = of->count > 1 && plan_main(of) != 0; /* no wait at all may be a matter of luck */
    for (size_t i = 1; alike && i < of->count; i++) {
        alike = of->samples[i].main == of->samples[0].main &&
                of->samples[i].excess == of->samples[0].excess;
    }
    return alike;
}

/* "7 of 7 did, with workload.jobs.wait_s.p99 <= 100ms at 62 ms ± 4 ms" */
static char *describe_runs(const struct plan_study *study, size_t candidate, const char *did) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    enum plan_flaw flaw = plan_main_flaw(study, candidate);
    size_t binding = plan_binding(study, candidate);
    const char *objective = study->base->objectives[binding].text;
    struct number number = plan_number(study, binding, plan_figure_of(study, candidate, binding));
    if (flaw != PLAN_SOUND) {
        return text_of("%zu of %zu %s: %s", plan_held(of), of->count, did, plan_flaw_texts[flaw]);
    }
    return plan_alike(study, candidate) ? text_of("%s at %s", objective, number.text)
                                        : text_of("%zu of %zu %s, with %s at %s", plan_held(of),
                                                  of->count, did, objective, number.text);
}

/* Why not the next cheaper one: " nodes=13 does not: 0 of 5 did, with ..."; or nothing. */
static char *describe_miss(const struct plan_study *study, size_t best) {
    size_t candidate = plan_next_cheaper(study, best);
    const struct plan_candidate *of =
        candidate != PLAN_NONE ? &study->problem.candidates[candidate] : NULL;
    if (of == NULL || (of->verdict != PLAN_PRUNED && of->verdict != PLAN_MISSES)) {
        return text_of("%s", "");
    }
    char *name = plan_short_name(study, candidate);
    char *text = NULL;
    if (of->verdict == PLAN_PRUNED) {
        text = text_of(" %s cannot: %s.", name, study->floors[candidate].text);
    } else {
        char *runs = describe_runs(study, candidate, "did");
        text = text_of(" %s %s: %s.", name,
                       of->close ? "is too close to tell, and taken not to" : "does not", runs);
        free(runs);
    }
    free(name);
    return text;
}

static char *state_that_none_will_do(const struct plan_study *study) {
    size_t nearest = plan_nearest(study);
    if (nearest == PLAN_NONE) {
        return text_of("No candidate can meet the objectives: arithmetic rules out all %zu.",
                       study->count);
    }
    char *name = plan_short_name(study, nearest);
    char *runs = describe_runs(study, nearest, "replications did");
    char *text = text_of(
        "No candidate meets the objectives. The nearest is %s: %s%s.", name, runs,
        study->problem.candidates[nearest].close ? " (so close that the test could not tell)" : "");
    free(name);
    free(runs);
    return text;
}

/* "95 % of replications of 7d: 5 of 5 did, with ..." */
static char *describe_proof(const struct plan_study *study, size_t best) {
    const struct scenario *scenario = study->runner.cases[best].scenario;
    char *runs = describe_runs(study, best, "did");
    char *length = scenario->end_of_work
                       ? text_of("%s", "to the end of the work")
                       : text_of("of %s", number_duration((double)scenario->horizon * 1e-9).text);
    char *text = plan_alike(study, best)
                     ? text_of("replications %s, which are all alike: %s", length, runs)
                     : text_of("%.4g %% of replications %s: %s", study->spec->confidence * 100,
                               length, runs);
    free(runs);
    free(length);
    return text;
}

char *plan_statement(const struct plan_study *study) {
    if (study->ranked == 0) {
        return state_that_none_will_do(study);
    }
    size_t best = study->order[0];
    const struct plan_candidate *of = &study->problem.candidates[best];
    long long gpus = (long long)plan_gpus(study->runner.cases[best].scenario);
    char *name = plan_short_name(study, best);
    char *cost = plan_cost_text(study, plan_cost(of));
    char *proof = describe_proof(study, best);
    char *miss = describe_miss(study, best);
    char *text = text_of("%s (%lld GPU%s, %s) meets the objectives in %s%s.%s", name, gpus,
                         gpus == 1 ? "" : "s", cost, proof,
                         of->close ? " (so close that the test could not tell)" : "", miss);
    free(name);
    free(cost);
    free(proof);
    free(miss);
    return text;
}
