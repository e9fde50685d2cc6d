#include "cli/precision.h"

#include <math.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/kernel/statistics.h"

enum { FEWEST_REPLICATIONS = 5 };

static size_t at_most(size_t count, size_t max) {
    return count < max ? count : max;
}

size_t precision_first_checkpoint(size_t max) {
    return at_most(FEWEST_REPLICATIONS, max);
}

size_t precision_next_checkpoint(size_t count, size_t max) {
    return at_most(count + count / 2, max);
}

bool precision_reached(const struct scenario *scenario, const struct run_outcome_note *notes,
                       size_t count) {
    double *values = memory_zero(count, sizeof *values);
    bool reached = true;
    for (size_t o = 0; o < scenario->objective_count && reached; o++) {
        double mean = 0;
        double half_width = 0;
        for (size_t i = 0; i < count; i++) {
            values[i] = notes[i].objective_values[o];
        }
        reached = statistics_interval(values, count, 0.95, &mean, &half_width) &&
                  half_width <= scenario->precision * fabs(mean);
    }
    free(values);
    return reached;
}
