/* Poisson arrivals: independent exponential gaps. */
#include "sim/kernel/memory.h"
#include "workloads/arrival_process.h"

const struct field poisson_field = {
    .summary = "arrivals per time, such as 12/s",
    .type = &field_rate,
    FIELD_AT(struct poisson_options, rate),
    FIELD_ABOVE_TO(0, HIGHEST_RATE_PER_S),
};

struct poisson {
    struct arrival_process process;
    double mean_gap; /* ns */
};

static sim_time next(struct arrival_process *process, sim_time last, struct stream *stream) {
    const struct poisson *poisson = (const struct poisson *)process;
    return arrival_process_advance(process, last, poisson->mean_gap * stream_exponential(stream));
}

struct arrival_process *poisson_create(const void *options, sim_time start_of_day) {
    const struct poisson_options *given = options;
    (void)start_of_day;
    struct poisson *poisson = memory_zero(1, sizeof(*poisson));
    poisson->process.next = next;
    poisson->mean_gap = (double)NANOSECONDS_PER_SECOND / given->rate;
    return &poisson->process;
}

double poisson_rate(const void *options) {
    return ((const struct poisson_options *)options)->rate;
}

void poisson_scale(void *options, double factor) {
    ((struct poisson_options *)options)->rate *= factor;
}
