#include "cli/verdicts.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/kernel/statistics.h"
#include "sim/metrics.h"

/* The values of one objective over the finished replications of one scenario. */
static size_t gather(const struct batch *batch, size_t scenario, size_t objective, double *values) {
    size_t count = 0;
    for (size_t i = 0; i < batch->run_count; i++) {
        if (batch->scenario_of[i] == scenario && batch->notes[i].merged) {
            values[count++] = batch->notes[i].objective_values[objective];
        }
    }
    return count;
}

static void judge(struct verdicts *verdicts, const struct scenario *scenario,
                  const struct objective *objective, const double *values, size_t count) {
    struct objective_verdict verdict = {.text = objective->text,
                                        .scenario = scenario->name,
                                        .variant = scenario->variant,
                                        .point = scenario->point,
                                        .unit = metric_find(objective->metric)->unit,
                                        .currency = scenario->pools[0].price.currency};
    statistics_interval(values, count, 0.95, &verdict.value, &verdict.half_width);
    verdict.met = relation_holds(objective->relation, verdict.value, objective->value);
    verdicts->all_met = verdicts->all_met && verdict.met;
    verdicts->items[verdicts->count++] = verdict;
}

void verdicts_judge(struct verdicts *verdicts, const struct loaded *loaded,
                    const struct batch *batch) {
    *verdicts = (struct verdicts){.all_met = true};
    size_t most = 0;
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        most += loaded->scenarios[i].scenario->objective_count;
    }
    verdicts->items = memory_zero(most, sizeof *verdicts->items);
    double *values = memory_zero(batch->run_count, sizeof *values);
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        const struct scenario *scenario = loaded->scenarios[i].scenario;
        for (size_t o = 0; o < scenario->objective_count; o++) {
            size_t count = gather(batch, i, o, values);
            if (count > 0) {
                judge(verdicts, scenario, &scenario->objectives[o], values, count);
            }
        }
    }
    free(values);
}

void verdicts_clear(struct verdicts *verdicts) {
    free(verdicts->items);
    *verdicts = (struct verdicts){0};
}
