#include "plan/rank.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "plan/judge.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/statistics.h"

static double figure(const struct plan_sample *sample, size_t field) {
    return *(const double *)((const char *)sample + field);
}

static double mean_of(const struct plan_candidate *candidate, size_t field) {
    double sum = 0;
    for (size_t i = 0; i < candidate->count; i++) {
        sum += figure(&candidate->samples[i], field);
    }
    return sum / (double)candidate->count;
}

double plan_cost(const struct plan_candidate *candidate) {
    return isnan(candidate->known_cost) ? mean_of(candidate, offsetof(struct plan_sample, cost))
                                        : candidate->known_cost;
}

double plan_main(const struct plan_candidate *candidate) {
    return mean_of(candidate, offsetof(struct plan_sample, main));
}

double plan_excess(const struct plan_candidate *candidate) {
    return mean_of(candidate, offsetof(struct plan_sample, excess));
}

static struct plan_difference compare(const struct plan_candidate *a,
                                      const struct plan_candidate *b, size_t field, double level) {
    struct plan_difference difference = {.pairs = a->count < b->count ? a->count : b->count};
    double *values = memory_zero(difference.pairs, sizeof *values);
    for (size_t i = 0; i < difference.pairs; i++) {
        values[i] = figure(&a->samples[i], field) - figure(&b->samples[i], field);
    }
    bool known = statistics_interval(values, difference.pairs, level, &difference.mean,
                                     &difference.half_width);
    difference.significant = known && fabs(difference.mean) > difference.half_width;
    free(values);
    return difference;
}

struct plan_difference plan_compare_cost(const struct plan_candidate *a,
                                         const struct plan_candidate *b) {
    if (!isnan(a->known_cost) && !isnan(b->known_cost)) {
        double difference = a->known_cost - b->known_cost;
        return (struct plan_difference){.mean = difference, .significant = difference != 0};
    }
    return compare(a, b, offsetof(struct plan_sample, cost), 0.95);
}

struct plan_difference plan_compare_main(const struct plan_candidate *a,
                                         const struct plan_candidate *b) {
    return compare(a, b, offsetof(struct plan_sample, main), 0.95);
}

bool plan_is_worse(const struct plan_candidate *a, const struct plan_candidate *b,
                   double tolerance) {
    double of_a = plan_excess(a);
    double of_b = plan_excess(b);
    if (!isfinite(of_a) || !isfinite(of_b)) {
        return isfinite(of_b) && !isfinite(of_a);
    }
    /* Many such pairs are looked at, so a rare event is asked for. */
    struct plan_difference difference = compare(a, b, offsetof(struct plan_sample, excess), 0.999);
    return difference.significant && difference.mean > tolerance;
}

/* Whether one candidate ranks before another. */
static bool is_before(const struct plan_candidate *a, const struct plan_candidate *b, double sign) {
    double cost_a = plan_cost(a);
    double cost_b = plan_cost(b);
    return cost_a < cost_b || (cost_a == cost_b && sign * plan_main(a) < sign * plan_main(b));
}

size_t plan_rank(const struct plan_problem *problem, double sign, size_t *order) {
    size_t count = 0;
    for (size_t i = 0; i < problem->group_count; i++) {
        const struct plan_group *group = &problem->groups[i];
        if (group->best == PLAN_NONE) {
            continue;
        }
        size_t at = count++;
        size_t candidate = group->members[group->best];
        while (at > 0 && is_before(&problem->candidates[candidate],
                                   &problem->candidates[order[at - 1]], sign)) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = candidate;
    }
    return count;
}

/* Whether it takes more replications to tell a candidate's cost from the first one's. */
static bool is_undecided(const struct plan_problem *problem, size_t candidate, size_t first) {
    const struct plan_candidate *a = &problem->candidates[candidate];
    const struct plan_candidate *b = &problem->candidates[first];
    struct plan_difference difference = plan_compare_cost(a, b);
    return !difference.significant && difference.half_width > 0 &&
           fabs(difference.mean) + difference.half_width >
               problem->rule.tolerance * fabs(plan_cost(b));
}

bool plan_race(struct plan_problem *problem, const struct plan_evaluator *evaluator, double sign) {
    size_t *order = memory_zero(problem->group_count, sizeof *order);
    size_t *racing = memory_zero(problem->group_count, sizeof *racing);
    size_t *upto = memory_zero(problem->group_count, sizeof *upto);
    bool sound = true;
    for (bool more = true; more && sound;) {
        size_t count = plan_rank(problem, sign, order);
        size_t entered = 0;
        for (size_t i = 1; i < count; i++) {
            if (is_undecided(problem, order[i], order[0])) {
                racing[entered++] = order[i];
            }
        }
        more = entered > 0;
        if (more) {
            racing[entered++] = order[0];
        }
        /* The one with the fewest sets the pace, so that all have pairs. */
        size_t fewest = SIZE_MAX;
        for (size_t i = 0; i < entered; i++) {
            size_t have = problem->candidates[racing[i]].count;
            fewest = have < fewest ? have : fewest;
        }
        size_t next = more ? plan_next_look(&problem->rule, fewest) : 0;
        more = next > 0;
        for (size_t i = 0; i < entered; i++) {
            upto[i] = next;
        }
        sound = !more || plan_replicate(problem, evaluator, racing, upto, entered);
    }
    free(order);
    free(racing);
    free(upto);
    return sound;
}

size_t plan_front(const struct plan_problem *problem, double sign, size_t *front) {
    size_t count = 0;
    for (size_t i = 0; i < problem->candidate_count; i++) {
        const struct plan_candidate *candidate = &problem->candidates[i];
        bool known = candidate->count > 0 && isfinite(plan_cost(candidate)) &&
                     isfinite(plan_main(candidate)) && isfinite(plan_excess(candidate));
        if (!known) {
            continue;
        }
        size_t at = count++;
        while (at > 0 && is_before(candidate, &problem->candidates[front[at - 1]], sign)) {
            front[at] = front[at - 1];
            at--;
        }
        front[at] = i;
    }
    size_t kept = 0;
    double best = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double main = sign * plan_main(&problem->candidates[front[i]]);
        if (main < best) {
            best = main;
            front[kept++] = front[i];
        }
    }
    return kept;
}
