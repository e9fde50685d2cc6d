/* Arrivals with a daily rhythm: a Poisson process whose rate at time t is
 * mean + (peak - mean) cos(2 pi (time of day - peak_at) / 24 h), drawn by thinning one of the
 * constant rate `peak`. Source: Lewis and Shedler, Simulation of nonhomogeneous Poisson processes
 * by thinning, Naval Research Logistics Quarterly 26 (1979). */
#include <math.h>

#include "scenarios/quantity.h"
#include "sim/kernel/memory.h"
#include "workloads/arrival_process.h"

#define DAY (INT64_C(86400) * NANOSECONDS_PER_SECOND)

static const struct field diurnal_fields[] = {
    {
        .name = "mean",
        .summary = "arrivals per time, on the average of a day, such as 12/s",
        .type = &field_rate,
        .required = true,
        FIELD_AT(struct diurnal_options, mean),
        FIELD_ABOVE_TO(0, HIGHEST_RATE_PER_S),
    },
    {
        .name = "peak",
        .summary = "arrivals per time at the peak, from once to twice the mean",
        .type = &field_rate,
        .required = true,
        FIELD_AT(struct diurnal_options, peak),
        FIELD_ABOVE_TO(0, HIGHEST_RATE_PER_S),
    },
    {
        .name = "peak_at",
        .summary = "the time of day of the peak, such as \"14:00\"",
        .type = &field_time_of_day,
        .required = true,
        FIELD_AT(struct diurnal_options, peak_at),
    },
    {.name = NULL},
};

const struct field diurnal_field = {
    .summary = "mean and peak of a rate that follows the time of day",
    .type = &field_object,
    .fields = diurnal_fields,
};

struct diurnal {
    struct arrival_process process;
    double mean;     /* as a share of the peak */
    double mean_gap; /* ns, at the peak's rate */
    sim_time phase;  /* from the last peak before t = 0 to t = 0 */
};

bool diurnal_check(const void *options, struct error *error) {
    const struct diurnal_options *given = options;
    if (given->peak < given->mean || given->peak > 2 * given->mean) {
        char mean[RATE_TEXT];
        char peak[RATE_TEXT];
        error_set(error, NULL, 0, 0,
                  "the peak must be from once to twice the mean of %s, not %s, since the rate "
                  "swings as far below the mean as above it",
                  rate_format(given->mean, mean), rate_format(given->peak, peak));
        return false;
    }
    return true;
}

/* The rate at a time, as a share of the peak. */
static double share_of_peak(const struct diurnal *diurnal, sim_time t) {
    sim_time since_peak = (t + diurnal->phase) % DAY;
    double swing = cos(2 * M_PI * (double)since_peak / (double)DAY);
    return diurnal->mean + (1 - diurnal->mean) * swing;
}

static sim_time next(struct arrival_process *process, sim_time last, struct stream *stream) {
    const struct diurnal *diurnal = (const struct diurnal *)process;
    sim_time t = last;
    do {
        t = arrival_process_advance(process, t, diurnal->mean_gap * stream_exponential(stream));
    } while (t != SIM_TIME_NEVER && stream_uniform(stream) >= share_of_peak(diurnal, t));
    return t;
}

struct arrival_process *diurnal_create(const void *options, sim_time start_of_day) {
    const struct diurnal_options *given = options;
    struct diurnal *diurnal = memory_zero(1, sizeof(*diurnal));
    diurnal->process.next = next;
    diurnal->mean = given->mean / given->peak;
    diurnal->mean_gap = (double)NANOSECONDS_PER_SECOND / given->peak;
    diurnal->phase = (start_of_day - given->peak_at + DAY) % DAY;
    return &diurnal->process;
}

double diurnal_rate(const void *options) {
    return ((const struct diurnal_options *)options)->mean;
}

void diurnal_scale(void *options, double factor) {
    struct diurnal_options *given = options;
    given->mean *= factor;
    given->peak *= factor;
}
