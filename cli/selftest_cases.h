/* The reference cases of `headroom selftest`: scenarios whose answer is known in closed form, and
 * the figures of each that are compared. A case is a file tests/reference/NAME.yaml and a row here.
 */
#ifndef CLI_SELFTEST_CASES_H
#define CLI_SELFTEST_CASES_H

#include "cli/selftest_wave.h"
#include "sim/simulation.h"

/* What one run came to. */
struct selftest_outcome {
    const struct results *results;
    const struct wave *wave;
};

struct selftest_figure {
    const char *name;    /* as in results.md where it is a metric itself */
    const char *formula; /* how the exact value is computed (models/queueing.h) */
    double exact;
    double
        widest; /* half-width that its interval may have at most, as a share of the exact value */
    /* The figure of one run, from up to two metrics of a workload ("" for the run). */
    double (*value)(const struct selftest_figure *figure, const struct selftest_outcome *outcome);
    const char *workload;
    const char *metric;
    const char *other;
};

enum { SELFTEST_FIGURES = 3 };

struct selftest_case {
    const char *name;
    struct selftest_figure figures[SELFTEST_FIGURES];
    size_t figure_count;
};

struct selftest_cases {
    struct selftest_case *items;
    size_t count;
    size_t capacity;
};

/* All cases, with their exact values computed. Free with selftest_cases_clear. */
void selftest_cases_create(struct selftest_cases *cases);
void selftest_cases_clear(struct selftest_cases *cases);

#endif
