#include "plan/judge.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

static const double error_in_all = 0.05;

size_t plan_next_look(const struct plan_rule *rule, size_t count) {
    size_t next = count < 3             ? (count < 2 ? 2 : 3)
                  : count < rule->least ? rule->least
                                        : count + count / 2;
    return count >= rule->most ? 0 : next < rule->most ? next : rule->most;
}

static double error_per_look(const struct plan_rule *rule) {
    int looks = 0;
    for (size_t n = plan_next_look(rule, 0); n > 0; n = plan_next_look(rule, n)) {
        looks++;
    }
    return error_in_all / looks;
}

static size_t count_above(const struct plan_candidate *candidate, double excess) {
    size_t above = 0;
    for (size_t i = 0; i < candidate->count; i++) {
        above += !(candidate->samples[i].excess <= excess);
    }
    return above;
}

size_t plan_held(const struct plan_candidate *candidate) {
    return candidate->count - count_above(candidate, 0);
}

/* Misses are binomial with probability 1 - confidence at the very limit. */
static bool misses_too_often(const struct plan_rule *rule, size_t misses, size_t count,
                             double error) {
    return misses > 0 &&
           gsl_cdf_binomial_Q((unsigned)misses - 1, 1 - rule->confidence, (unsigned)count) <= error;
}

static bool misses_so_seldom(const struct plan_rule *rule, size_t misses, size_t count,
                             double error) {
    return gsl_cdf_binomial_P((unsigned)misses, 1 - rule->confidence, (unsigned)count) <= error;
}

double plan_tolerance_factor(size_t n, double content, double error) {
    double z_content = gsl_cdf_ugaussian_Pinv(content);
    double z_error = gsl_cdf_ugaussian_Pinv(1 - error);
    double a = 1 - z_error * z_error / (2 * ((double)n - 1));
    double b = z_content * z_content - z_error * z_error / (double)n;
    return a > 0 ? (z_content + sqrt(z_content * z_content - a * b)) / a : (double)INFINITY;
}

static bool holds_by_a_margin(const struct plan_rule *rule, const struct plan_candidate *candidate,
                              double error) {
    double count = (double)candidate->count;
    double mean = 0;
    double squares = 0;
    for (size_t i = 0; i < candidate->count; i++) {
        mean += candidate->samples[i].excess / count;
    }
    for (size_t i = 0; i < candidate->count; i++) {
        squares += pow(candidate->samples[i].excess - mean, 2);
    }
    double deviation = sqrt(squares / (count - 1));
    double factor = plan_tolerance_factor(candidate->count, rule->confidence, error);
    /* Equal values vary by the rounding of their mean only. */
    double limit = deviation > 1e-12 ? mean + factor * deviation : mean;
    return limit <= rule->tolerance; /* never of infinite or missing values */
}

static bool within_share(const struct plan_rule *rule, size_t misses, size_t count) {
    return (double)misses <= (1 - rule->confidence) * (double)count + 1e-9;
}

void plan_judge(const struct plan_rule *rule, struct plan_candidate *candidate) {
    size_t count = candidate->count;
    double error = error_per_look(rule);
    size_t misses = count_above(candidate, 0);
    candidate->close = false;
    if (misses_too_often(rule, misses, count, error)) {
        candidate->verdict = PLAN_MISSES;
    } else if (count >= rule->least &&
               (misses_so_seldom(rule, count_above(candidate, rule->tolerance), count, error) ||
                (within_share(rule, misses, count) && holds_by_a_margin(rule, candidate, error)))) {
        candidate->verdict = PLAN_MEETS;
    } else if (count >= rule->most) {
        candidate->verdict = within_share(rule, misses, count) ? PLAN_MEETS : PLAN_MISSES;
        candidate->close = true;
    } else {
        candidate->verdict = PLAN_OPEN;
    }
}

void plan_share_interval(size_t held, size_t count, double *low, double *high) {
    double k = (double)held;
    double n = (double)count;
    *low = held == 0 ? 0 : gsl_cdf_beta_Pinv(0.025, k, n - k + 1);
    *high = held == count ? 1 : gsl_cdf_beta_Pinv(0.975, k + 1, n - k);
}
