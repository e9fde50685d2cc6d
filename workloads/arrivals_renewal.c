/* Renewal arrivals: independent gaps of any distribution, the first from t = 0 on. */
#include "sim/kernel/memory.h"
#include "workloads/arrival_process.h"

const struct field renewal_field = {
    .summary = "the distribution of the time between two arrivals",
    .type = &field_distribution,
    FIELD_AT(struct renewal_options, gap),
    FIELD_AT_LEAST(0),
    .dimension = DIMENSION_DURATION,
};

struct renewal {
    struct arrival_process process;
    const struct distribution *gap;
};

bool renewal_check(const void *options, struct error *error) {
    const struct renewal_options *given = options;
    if (!(distribution_mean(&given->gap) >= 1)) {
        error_set(error, NULL, 0, 0, "the mean time between arrivals must be at least 1ns");
        return false;
    }
    return true;
}

static sim_time next(struct arrival_process *process, sim_time last, struct stream *stream) {
    const struct renewal *renewal = (const struct renewal *)process;
    return arrival_process_advance(process, last, distribution_draw(renewal->gap, stream));
}

struct arrival_process *renewal_create(const void *options, sim_time start_of_day) {
    const struct renewal_options *given = options;
    (void)start_of_day;
    struct renewal *renewal = memory_zero(1, sizeof(*renewal));
    renewal->process.next = next;
    renewal->gap = &given->gap;
    return &renewal->process;
}

double renewal_rate(const void *options) {
    const struct renewal_options *given = options;
    return (double)NANOSECONDS_PER_SECOND / distribution_mean(&given->gap);
}

void renewal_scale(void *options, double factor) {
    distribution_scale(&((struct renewal_options *)options)->gap, 1 / factor);
}
