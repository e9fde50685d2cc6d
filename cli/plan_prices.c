/* At which price of a GPU another candidate becomes the cheapest: bills are sums of GPUs times
 * their prices and of what no price changes, so two of them are equal at one factor of one price.
 */
#include <math.h>
#include <string.h>

#include "cli/plan_study.h"
#include "plan/rank.h"
#include "scenarios/pool_price.h"
#include "sim/kernel/memory.h"

/* What has one price: GPUs of a model, in pools of a name, at that price. */
struct priced {
    const char *pool;
    int gpu;
    double per_hour;
};

static struct priced priced_of(const struct scenario *scenario, size_t pool) {
    const struct pool_spec *spec = &scenario->pools[pool];
    return (struct priced){spec->name, spec->gpu,
                           pool_price(spec, scenario->catalogue).per_gpu_hour};
}

static bool is_same(const struct priced *a, const struct priced *b) {
    return a->gpu == b->gpu && a->per_hour == b->per_hour && strcmp(a->pool, b->pool) == 0;
}

/* What a candidate pays a month for such GPUs. */
static double part_of(const struct scenario *scenario, const struct priced *priced) {
    double sum = 0;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        struct priced its = priced_of(scenario, i);
        sum += is_same(&its, priced) ? plan_pool_month(scenario, i) : 0;
    }
    return sum;
}

/* Bests of groups were simulated and meet the objectives; of a group that was left before its best
 * was known, those that were not tried may. */
static bool may_win(const struct plan_study *study, size_t candidate, bool *simulated) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    const struct plan_group *group = &study->problem.groups[of->group];
    *simulated = group->best != PLAN_NONE && group->members[group->best] == candidate;
    return study->runner.cases[candidate].scenario != NULL &&
           (*simulated || (group->best == PLAN_NONE && of->verdict == PLAN_OPEN));
}

/* The factor of the price at which the candidate's bill is no higher than the best's; NaN: none. */
static double factor_of(const struct plan_study *study, size_t candidate,
                        const struct priced *priced) {
    size_t best = study->order[0];
    double more = plan_cost(&study->problem.candidates[candidate]) -
                  plan_cost(&study->problem.candidates[best]);
    double its = part_of(study->runner.cases[candidate].scenario, priced);
    double of_best = part_of(study->runner.cases[best].scenario, priced);
    double factor = 1 + more / (of_best - its);
    return more > 0 && its != of_best && factor > 1e-9 ? factor : (double)NAN;
}

/* Whether a change comes before another; of two at the same price, that of the candidate which is
 * the cheaper one beyond it. */
static bool is_nearer(const struct plan_study *study, const struct priced *priced, bool up,
                      size_t a, size_t b) {
    double factor_a = factor_of(study, a, priced);
    double factor_b = factor_of(study, b, priced);
    if (fabs(factor_a - factor_b) > 1e-12) {
        return up ? factor_a < factor_b : factor_a > factor_b;
    }
    double part_a = part_of(study->runner.cases[a].scenario, priced);
    double part_b = part_of(study->runner.cases[b].scenario, priced);
    return up ? part_a < part_b : part_a > part_b;
}

/* The nearest factor above 1 (up) or below it. */
static void find_nearest(struct plan_study *study, const struct scenario *named,
                         const struct priced *priced, bool up) {
    size_t nearest = PLAN_NONE;
    bool simulated;
    for (size_t i = 0; i < study->count; i++) {
        double factor = may_win(study, i, &simulated) ? factor_of(study, i, priced) : (double)NAN;
        bool counts = !isnan(factor) && (factor > 1) == up;
        if (counts && (nearest == PLAN_NONE || is_nearer(study, priced, up, i, nearest))) {
            nearest = i;
        }
    }
    if (nearest == PLAN_NONE) {
        return;
    }
    may_win(study, nearest, &simulated);
    study->price_changes = memory_grow(study->price_changes, &study->price_change_capacity,
                                       study->price_change_count + 1, sizeof *study->price_changes);
    study->price_changes[study->price_change_count++] =
        (struct plan_price_change){.pool = priced->pool,
                                   .gpu = named->catalogue->gpus[priced->gpu].name,
                                   .now = priced->per_hour,
                                   .then = priced->per_hour * factor_of(study, nearest, priced),
                                   .best = nearest,
                                   .simulated = simulated};
}

/* Whether a candidate before this one, or a pool before, has such GPUs, too. */
static bool was_asked(const struct plan_study *study, size_t candidate, size_t pool) {
    struct priced priced = priced_of(study->runner.cases[candidate].scenario, pool);
    bool simulated;
    for (size_t i = 0; i <= candidate; i++) {
        const struct scenario *scenario = study->runner.cases[i].scenario;
        size_t pools = i == candidate ? pool : scenario != NULL ? scenario->pool_count : 0;
        for (size_t p = 0; p < pools && may_win(study, i, &simulated); p++) {
            struct priced its = priced_of(scenario, p);
            if (is_same(&its, &priced)) {
                return true;
            }
        }
    }
    return false;
}

void plan_study_find_price_changes(struct plan_study *study) {
    bool simulated;
    for (size_t i = 0; study->monthly && study->fees_fixed && i < study->count; i++) {
        const struct scenario *scenario = study->runner.cases[i].scenario;
        for (size_t p = 0; may_win(study, i, &simulated) && p < scenario->pool_count; p++) {
            if (!was_asked(study, i, p)) {
                struct priced priced = priced_of(scenario, p);
                find_nearest(study, scenario, &priced, false);
                find_nearest(study, scenario, &priced, true);
            }
        }
    }
}
