/* Markov-modulated Poisson arrivals: the rate is that of a state, which lasts an exponential time
 * and is followed by the next one in a circle (two states alternate). At t = 0 the states are in
 * their stationary distribution, in proportion to their mean times. Source: Fischer and
 * Meier-Hellstern, The Markov-modulated Poisson process (MMPP) cookbook, Performance Evaluation 18
 * (1993). */
#include <assert.h>

#include "sim/kernel/memory.h"
#include "workloads/arrival_process.h"

/* 1us: shorter states would change more often than they have arrivals. */
#define SHORTEST_DWELL 1000

static const struct field mmpp_fields[] = {
    {
        .name = "rates",
        .summary = "arrivals per time in each state, such as [2/s, 40/s]",
        .type = &field_list,
        .required = true,
        FIELD_AT(struct mmpp_options, rates),
        FIELD_COUNT(struct mmpp_options, rate_count),
        .item = &(const struct field){.type = &field_rate,
                                      .size = sizeof(double),
                                      FIELD_RANGE(0, HIGHEST_RATE_PER_S)},
        .item_size = sizeof(double),
    },
    {
        .name = "dwell",
        .summary = "the mean time in each state, such as [5m, 20s]",
        .type = &field_list,
        .required = true,
        FIELD_AT(struct mmpp_options, dwells),
        FIELD_COUNT(struct mmpp_options, dwell_count),
        .item = &(const struct field){.type = &field_duration,
                                      .size = sizeof(sim_time),
                                      FIELD_AT_LEAST(SHORTEST_DWELL)},
        .item_size = sizeof(sim_time),
    },
    {.name = NULL},
};

const struct field mmpp_field = {
    .summary = "rates and mean times of the states that follow each other in a circle",
    .type = &field_object,
    .fields = mmpp_fields,
};

struct mmpp {
    struct arrival_process process;
    const struct mmpp_options *options;
    bool started;
    size_t state;
    double left; /* ns until the state ends */
};

bool mmpp_check(const void *options, struct error *error) {
    const struct mmpp_options *given = options;
    if (given->rate_count != given->dwell_count) {
        error_set(error, NULL, 0, 0, "%zu rates but %zu dwell times; each state has both",
                  given->rate_count, given->dwell_count);
        return false;
    }
    for (size_t i = 0; i < given->rate_count; i++) {
        if (given->rates[i] > 0) {
            return true;
        }
    }
    error_set(error, NULL, 0, 0, "one of the rates must be positive");
    return false;
}

static void enter(struct mmpp *mmpp, size_t state, struct stream *stream) {
    mmpp->state = state;
    mmpp->left = (double)mmpp->options->dwells[state] * stream_exponential(stream);
}

static void start(struct mmpp *mmpp, struct stream *stream) {
    const struct mmpp_options *options = mmpp->options;
    double total = 0;
    for (size_t i = 0; i < options->dwell_count; i++) {
        total += (double)options->dwells[i];
    }
    double place = total * stream_uniform(stream);
    size_t state = 0;
    while (state + 1 < options->dwell_count && place >= (double)options->dwells[state]) {
        place -= (double)options->dwells[state++];
    }
    mmpp->started = true;
    enter(mmpp, state, stream);
}

/* The next arrival is where the rate, summed over time, reaches an exponential variate of mean 1.
 */
static sim_time next(struct arrival_process *process, sim_time last, struct stream *stream) {
    struct mmpp *mmpp = (struct mmpp *)process;
    if (!mmpp->started) {
        start(mmpp, stream);
    }
    double missing = stream_exponential(stream);
    double gap = 0;
    while (gap <= (double)SIM_TIME_LONGEST) {
        double rate = mmpp->options->rates[mmpp->state] / (double)NANOSECONDS_PER_SECOND;
        if (missing < rate * mmpp->left) {
            double part = missing / rate;
            mmpp->left -= part;
            return arrival_process_advance(process, last, gap + part);
        }
        missing -= rate * mmpp->left;
        gap += mmpp->left;
        enter(mmpp, (mmpp->state + 1) % mmpp->options->rate_count, stream);
    }
    return SIM_TIME_NEVER;
}

struct arrival_process *mmpp_create(const void *options, sim_time start_of_day) {
    const struct mmpp_options *given = options;
    assert(given->rate_count == given->dwell_count && given->rate_count > 0);
    (void)start_of_day;
    struct mmpp *mmpp = memory_zero(1, sizeof(*mmpp));
    mmpp->process.next = next;
    mmpp->options = given;
    return &mmpp->process;
}

double mmpp_rate(const void *options) {
    const struct mmpp_options *given = options;
    double arrivals = 0;
    double time = 0;
    for (size_t i = 0; i < given->rate_count; i++) {
        arrivals += given->rates[i] * (double)given->dwells[i];
        time += (double)given->dwells[i];
    }
    return arrivals / time;
}

void mmpp_scale(void *options, double factor) {
    struct mmpp_options *given = options;
    for (size_t i = 0; i < given->rate_count; i++) {
        given->rates[i] *= factor;
    }
}
