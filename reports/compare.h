/* `headroom compare`: the newest results of one or several databases beside each other, and their
 * differences to a baseline. */
#ifndef REPORTS_COMPARE_H
#define REPORTS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "reports/table.h"
#include "sim/kernel/error.h"

/* What rows differ by, within which they are compared to the baseline: variants of one scenario at
 * one sweep point, say. */
enum compare_by {
    COMPARE_BY_VARIANT,
    COMPARE_BY_POINT,
    COMPARE_BY_SCENARIO,
    COMPARE_BY_FILE,
    COMPARE_BY_COUNT
};
/* variant, point, scenario, file */
extern const char *const compare_by_names[COMPARE_BY_COUNT];

struct compare_options {
    const char *by; /* one of compare_by_names; NULL: the first of which there are several */
    /* The value of `by` that others are compared to, of points also as people read them (nodes=2);
     * NULL: the first row's. */
    const char *baseline;
    enum table_format format;
    bool colour; /* the caller honours NO_COLOR and knows whether out is a terminal */
};

/* Reads of each (scenario, variant, point) the newest batch of each database, and prints one row
 * for each with 95 % Student intervals where there are two or more replications; then the
 * differences to the baseline, with the interval of paired differences (by replication number)
 * where both have two or more in common. Says on messages, one line each, what was left out and
 * what to be careful about. False with an error: a database that cannot be read or holds no runs,
 * an unknown baseline.
 *
 * JSON: {"headroom": 1, "format": "compare", "by": "variant", "baseline": "base", "rows": [{...}]},
 * each row with the members of a CSV line: file, scenario, variant, point, batch, replications,
 * baseline (what the row is compared to, null for a baseline itself); of each headline figure KEY,
 * its mean, KEY_half_width, KEY_difference, KEY_difference_half_width and KEY_significant (1 or 0,
 * null with fewer than two common replications); unstable, 1 if the queue grows without limit in
 * any replication, else 0; objectives, objectives_met and cheapest, 1 for the cheapest of the
 * scenario's rows that meet them all. "models": [{...}] has a row for each row and model, of
 * model_figures. */
bool compare_print(FILE *out, FILE *messages, const char *const *paths, size_t count,
                   const struct compare_options *options, struct error *error);

#endif
