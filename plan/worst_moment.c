#include "plan/worst_moment.h"

#include <math.h>
#include <stdlib.h>

#include "plan/evaluate.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/statistics.h"

static double value_of(const struct plan_moments *moments, const struct moment_part *part) {
    const struct metric_row *row = moments->row;
    if (part->weight <= 0) {
        return (double)NAN;
    }
    if (plan_moments_are_shares(moments)) {
        return part->sum / part->weight;
    }
    return row->scale * (row->quantile < 0 ? histogram_mean(&part->values)
                                           : histogram_quantile(&part->values, row->quantile));
}

/* How many values a part must have on average for its figure to be one: ten beyond a percentile. */
static double enough(const struct plan_moments *moments) {
    double quantile = moments->row->quantile;
    double few = plan_moments_are_of_gpus(moments) ? 0 : 30;
    bool percentile = !plan_moments_are_shares(moments) && quantile >= 0 && quantile < 1;
    return percentile ? fmax(few, 10 / (1 - quantile)) : few;
}

/* Replications first, first + step, ... put together; and parts, if they lie a multiple of `period`
 * apart. Part PLAN_NONE: all of the time. */
struct choice_of {
    struct plan_moments *moments;
    size_t count;
    size_t first;
    size_t step;
    size_t period; /* parts; MOMENT_PARTS: none */
};

static void pool_parts(struct choice_of of, size_t part, struct moment_part *pooled) {
    moment_part_create(pooled);
    for (size_t r = of.first; r < of.count; r += of.step) {
        const struct plan_moments *moments = &of.moments[r];
        for (size_t i = 0; i < MOMENT_PARTS; i++) {
            bool measured = (sim_time)i * plan_moments_width(moments) >= moments->measured_from;
            if (measured && (part == PLAN_NONE || part == i % of.period)) {
                moment_part_add(pooled, &moments->parts[i]);
            }
        }
    }
}

static double pooled_value(struct choice_of of, size_t part, double *weight) {
    struct moment_part pooled;
    pool_parts(of, part, &pooled);
    double value = value_of(of.moments, &pooled);
    *weight = pooled.weight;
    histogram_terminate(&pooled.values);
    return value;
}

/* The part that is worst, of those with a quarter of what is enough; PLAN_NONE: none. */
static size_t find_worst(struct choice_of of, double least) {
    size_t worst = PLAN_NONE;
    double most = -INFINITY;
    for (size_t i = 0; i < of.period; i++) {
        double weight;
        double value = pooled_value(of, i, &weight);
        double excess = plan_objective_excess(of.moments->objective, value);
        if (weight > 0 && weight >= least && excess > most) {
            worst = i;
            most = excess;
        }
    }
    return worst;
}

/* The average weight of the parts that have any. */
static double mean_weight(struct choice_of all, size_t *used) {
    double sum = 0;
    *used = 0;
    for (size_t i = 0; i < all.period; i++) {
        double weight;
        pooled_value(all, i, &weight);
        sum += weight;
        *used += weight > 0;
    }
    return *used > 0 ? sum / (double)*used : 0;
}

/* Chosen in the odd replications, tried in the even ones, which know nothing of the choice. */
static bool stands_out(struct choice_of all, double least) {
    struct choice_of odd = {all.moments, all.count, 1, 2, all.period};
    size_t worst = find_worst(odd, least / 2);
    if (worst == PLAN_NONE) {
        return false;
    }
    size_t tried = 0;
    double *more = memory_zero(all.count, sizeof *more);
    for (size_t r = 0; r < all.count; r += 2) {
        struct choice_of one = {all.moments, r + 1, r, 1, all.period};
        const struct objective *objective = all.moments->objective;
        double weight;
        double there = plan_objective_excess(objective, pooled_value(one, worst, &weight));
        double overall = plan_objective_excess(objective, pooled_value(one, PLAN_NONE, &weight));
        more[tried++] = there - overall;
    }
    double mean;
    double half_width;
    bool known = statistics_interval(more, tried, 0.9, &mean, &half_width);
    free(more);
    return known && mean - half_width > 0;
}

/* All to the width of the widest. */
static void align(struct plan_moments *moments, size_t count) {
    sim_time width = 0;
    for (size_t r = 0; r < count; r++) {
        sim_time its = plan_moments_width(&moments[r]);
        width = its > width ? its : width;
    }
    for (size_t r = 0; r < count; r++) {
        while (plan_moments_width(&moments[r]) < width && plan_moments_widen(&moments[r])) {
        }
    }
}

static bool widen_all(struct plan_moments *moments, size_t count) {
    bool widened = count > 0;
    for (size_t r = 0; r < count; r++) {
        widened = plan_moments_widen(&moments[r]) && widened;
    }
    return widened;
}

/* Parts in a day; 0: there are no two days, or none lies within one. */
static size_t parts_of_day(const struct plan_moments *moments, size_t count) {
    sim_time width = plan_moments_width(moments);
    size_t parts = width < NANOSECONDS_PER_DAY ? (size_t)(NANOSECONDS_PER_DAY / width) : 0;
    bool several = false;
    for (size_t r = 0; r < count && 2 * parts <= MOMENT_PARTS; r++) {
        for (size_t i = 2 * parts - 1; i < MOMENT_PARTS; i++) {
            several = several || moments[r].parts[i].weight > 0;
        }
    }
    return several ? parts : 0;
}

/* With the narrowest parts that have enough on average. */
static void find(struct plan_moments *moments, size_t count, bool of_day,
                 struct plan_worst *worst) {
    double least = enough(moments);
    size_t period;
    size_t used = 0;
    double weight = -1;
    *worst = (struct plan_worst){.known = false};
    while ((period = of_day ? parts_of_day(moments, count) : MOMENT_PARTS) > 0) {
        weight = mean_weight((struct choice_of){moments, count, 0, 1, period}, &used);
        if (weight >= least || !widen_all(moments, count)) {
            break;
        }
    }
    struct choice_of all = {moments, count, 0, 1, period};
    size_t part = weight < least || used < 2 ? PLAN_NONE : find_worst(all, least / 4);
    if (part != PLAN_NONE) {
        sim_time width = plan_moments_width(moments);
        sim_time to = (sim_time)(part + 1) * width;
        sim_time end = moments->scenario->horizon;
        *worst = (struct plan_worst){.known = true,
                                     .of_day = of_day,
                                     .from_s = sim_time_to_seconds((sim_time)part * width),
                                     .to_s = sim_time_to_seconds(to < end ? to : end),
                                     .value = pooled_value(all, part, &weight),
                                     .overall = pooled_value(all, PLAN_NONE, &weight)};
        worst->stands_out = stands_out(all, least / 4);
    }
}

void plan_moments_worst(struct plan_moments *moments, size_t count, struct plan_worst *worst) {
    align(moments, count);
    find(moments, count, true, worst);
    if (!worst->stands_out) {
        find(moments, count, false, worst);
    }
}
