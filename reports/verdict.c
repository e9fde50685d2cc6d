#include "reports/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/sweep_point.h"
#include "reports/unstable.h"
#include "sim/kernel/memory.h"

static bool one_variant(const struct case_set *cases) {
    bool one = true;
    for (size_t i = 1; i < cases->count && one; i++) {
        one = strcmp(cases->cases[i].variant, cases->cases[0].variant) == 0;
    }
    return one;
}

const char *case_label(const struct case_set *cases, const struct result_case *of) {
    if (of->point[0] == '\0') {
        return of->variant;
    }
    bool one = one_variant(cases);
    char *point = sweep_point_short(of->point);
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", one ? "" : of->variant, one ? "" : ", ", point) < 0) {
        memory_exhausted(0);
    }
    const char *label = arena_duplicate_string(&cases->set->arena, text);
    free(text);
    free(point);
    return label;
}

static bool is_stable(const struct case_set *cases, const struct result_case *of) {
    return unstable_runs(cases->set, of, SCOPE_RUN, "") == 0;
}

bool case_meets_all(const struct case_set *cases, const struct result_case *of) {
    struct objective_score score = result_objectives(cases->set, of);
    return score.count > 0 && score.met == score.count && is_stable(cases, of);
}

bool cases_have_objectives(const struct case_set *cases) {
    bool has = false;
    for (size_t i = 0; i < cases->count && !has; i++) {
        has = result_objectives(cases->set, &cases->cases[i]).count > 0;
    }
    return has;
}

size_t cases_count_meeting(const struct case_set *cases) {
    size_t count = 0;
    for (size_t i = 0; i < cases->count; i++) {
        count += case_meets_all(cases, &cases->cases[i]);
    }
    return count;
}

static double run_mean(const struct case_set *cases, const struct result_case *of,
                       const char *metric) {
    return result_figure(cases->set, of, SCOPE_RUN, "", metric).mean;
}

static bool counts(const struct case_set *cases, const struct result_case *of, bool meeting) {
    return meeting ? case_meets_all(cases, of) : is_stable(cases, of);
}

struct lowest cases_lowest(const struct case_set *cases, const char *metric, bool meeting) {
    struct lowest lowest = {.metric = metric, .per = "", .value = NAN, .meeting = meeting};
    for (size_t i = 0; i < cases->count; i++) {
        double value = run_mean(cases, &cases->cases[i], metric);
        if (!isnan(value) && !(value >= lowest.value) && counts(cases, &cases->cases[i], meeting)) {
            lowest.value = value;
        }
    }
    return lowest;
}

struct lowest cases_cheapest(const struct case_set *cases, bool meeting) {
    double services = run_mean(cases, &cases->cases[0], "services");
    bool differ = false;
    bool known = true;
    for (size_t i = 0; i < cases->count; i++) {
        const struct result_case *of = &cases->cases[i];
        differ = differ || run_mean(cases, of, "services") != services;
        known = known && !isnan(run_mean(cases, of, "usd_per_model_month"));
    }
    bool per_model = differ && known;
    struct lowest lowest =
        cases_lowest(cases, per_model ? "usd_per_model_month" : "usd_per_month", meeting);
    lowest.per = per_model ? "a month per model" : "a month";
    return lowest;
}

bool case_has_lowest(const struct case_set *cases, const struct result_case *of,
                     const struct lowest *lowest) {
    double value = run_mean(cases, of, lowest->metric);
    return fabs(value - lowest->value) <= 1e-9 * fabs(lowest->value) &&
           counts(cases, of, lowest->meeting);
}
