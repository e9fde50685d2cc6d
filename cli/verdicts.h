/* Judges the objectives of a batch. */
#ifndef CLI_VERDICTS_H
#define CLI_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/batch.h"
#include "reports/summary.h"

struct verdicts {
    struct objective_verdict *items;
    size_t count;
    bool all_met;
};

/* One verdict per loaded scenario and objective, by the mean over its finished replications. Texts
 * are borrowed from the scenarios. Free with verdicts_clear. */
void verdicts_judge(struct verdicts *verdicts, const struct loaded *loaded,
                    const struct batch *batch);
void verdicts_clear(struct verdicts *verdicts);

#endif
