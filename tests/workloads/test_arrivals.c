/* Arrival processes against their closed forms, at fixed seeds: every estimate must lie within four
 * standard errors, which a correct one misses once in 16,000. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/kernel/memory.h"
#include "workloads/arrival_process.h"

#define SECOND NANOSECONDS_PER_SECOND
#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)

static struct chosen choose(const char *name, const void *options) {
    for (size_t i = 0; i < arrival_kind_count; i++) {
        if (strcmp(arrival_kinds[i].choice.name, name) == 0) {
            return (struct chosen){.index = (int)i, .options = options};
        }
    }
    fail_msg("no arrivals %s", name);
    return (struct chosen){0};
}

/* As the scenario reader checks options. */
static bool passes_check(struct chosen arrivals, struct error *error) {
    const struct choice *choice = &arrival_kinds[arrivals.index].choice;
    return choice->check == NULL || choice->check(arrivals.options, error);
}

/* Arrivals in each of `windows` stretches of `width`, one after the other from t = 0. */
static void count_windows(struct chosen arrivals, const char *purpose, uint64_t replication,
                          sim_time width, size_t windows, double *counts) {
    struct stream stream;
    struct error error;
    assert_true(passes_check(arrivals, &error));
    stream_initialize(&stream, 20260302, replication, purpose);
    struct arrival_process *process = arrival_process_create(&arrivals, 0);
    memset(counts, 0, windows * sizeof(*counts));
    sim_time last = 0;
    for (;;) {
        sim_time t = arrival_process_next(process, last, &stream);
        assert_true(t >= last);
        if (t >= width * (sim_time)windows) {
            break;
        }
        counts[t / width]++;
        last = t;
    }
    arrival_process_destroy(process);
}

static double sum(const double *values, size_t count) {
    double total = 0;
    for (size_t i = 0; i < count; i++) {
        total += values[i];
    }
    return total;
}

static void assert_within(double value, double expected, double standard_error) {
    if (!(fabs(value - expected) <= 4 * standard_error)) {
        fail_msg("%.8g is not within 4 x %.3g of %.8g", value, standard_error, expected);
    }
}

/* Counts of a Poisson process are Poisson: their mean is rate x width, and sum (n - mean)^2 / mean
 * over k windows is nearly chi-square with k degrees of freedom (variance 2 k + k / mean). */
static void poisson_counts(void **state) {
    (void)state;
    struct poisson_options options = {.rate = 12};
    enum { WINDOWS = 100000 };
    double *counts = memory_zero(WINDOWS, sizeof(*counts));
    count_windows(choose("poisson", &options), "poisson", 0, SECOND, WINDOWS, counts);
    const double expected = 12.0 * WINDOWS;
    assert_within(sum(counts, WINDOWS), expected, sqrt(expected));
    double chi_square = 0;
    for (size_t i = 0; i < WINDOWS; i++) {
        chi_square += (counts[i] - 12) * (counts[i] - 12) / 12;
    }
    assert_within(chi_square, WINDOWS, sqrt(2.0 * WINDOWS + WINDOWS / 12.0));
    free(counts);
}

/* The first arrival of a Poisson process is exponential, too: mean 1 / rate over replications. */
static void poisson_first_arrival(void **state) {
    (void)state;
    struct poisson_options options = {.rate = 0.5};
    struct chosen arrivals = choose("poisson", &options);
    enum { REPLICATIONS = 20000 };
    double total = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        struct stream stream;
        stream_initialize(&stream, 1, i, "first arrival");
        struct arrival_process *process = arrival_process_create(&arrivals, 0);
        total += sim_time_to_seconds(arrival_process_next(process, 0, &stream));
        arrival_process_destroy(process);
    }
    assert_within(total / REPLICATIONS, 2, 2 / sqrt(REPLICATIONS));
}

static void renewal_of_a_constant(void **state) {
    (void)state;
    struct renewal_options options;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "constant");
    distribution_constant(&options.gap, 0.3 * SECOND);
    struct chosen arrivals = choose("renewal", &options);
    struct arrival_process *process = arrival_process_create(&arrivals, 0);
    sim_time t = 0;
    for (int i = 1; i <= 1000; i++) {
        t = arrival_process_next(process, t, &stream);
        assert_int_equal(t, i * (SECOND / 10 * 3));
    }
    arrival_process_destroy(process);
    distribution_clear(&options.gap);
}

/* Gaps of a quarter of a nanosecond add up; so do those of 1/3 s, which no sum of whole nanoseconds
 * reaches: after three million of them a million seconds have passed, to the nanosecond. */
static void parts_of_a_nanosecond_are_carried(void **state) {
    (void)state;
    struct renewal_options options;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "constant");
    distribution_constant(&options.gap, 0.25);
    struct chosen arrivals = choose("renewal", &options);
    struct arrival_process *process = arrival_process_create(&arrivals, 0);
    sim_time t = 0;
    for (int i = 1; i <= 40; i++) {
        t = arrival_process_next(process, t, &stream);
        assert_int_equal(t, i / 4);
    }
    arrival_process_destroy(process);

    distribution_constant(&options.gap, (double)SECOND / 3);
    process = arrival_process_create(&arrivals, 0);
    t = 0;
    for (int i = 1; i <= 3000000; i++) {
        t = arrival_process_next(process, t, &stream);
    }
    assert_in_range(t, 1000000 * SECOND - 1, 1000000 * SECOND);
    arrival_process_destroy(process);
}

/* By the central limit theorem for renewals, counts have mean T / m and variance T s^2 / m^3; for
 * gaps uniform on [0, 2 s] m = 1 and s^2 = 1/3. The mean is off by (s^2 / m^2 - 1) / 2 = -1/3. */
static void renewal_counts(void **state) {
    (void)state;
    struct renewal_options options = {
        .gap = {.kind = distribution_find("uniform"), .given = {0, 2.0 * SECOND}}};
    struct error error;
    assert_true(distribution_prepare(&options.gap, &error));
    double count;
    const double seconds = 1000000;
    count_windows(choose("renewal", &options), "renewal", 0, 1000000 * SECOND, 1, &count);
    assert_within(count, seconds - 1.0 / 3, sqrt(seconds / 3));
    distribution_clear(&options.gap);
}

/* Two states with rates a, b left at the rates p, q (one over the dwell times): the mean rate is
 * m = (a q + b p) / (p + q), the rate has variance v = p q (a - b)^2 / (p + q)^2 and correlation
 * exp(-(p + q) t), hence counts over t have variance
 * m t + 2 v (t / (p + q) - (1 - exp(-(p + q) t)) / (p + q)^2). */
struct two_states {
    double a, b, p, q;
};

static double mean_rate(struct two_states s) {
    return (s.a * s.q + s.b * s.p) / (s.p + s.q);
}

static double count_variance(struct two_states s, double t) {
    double r = s.p + s.q;
    double v = s.p * s.q * (s.a - s.b) * (s.a - s.b) / (r * r);
    return mean_rate(s) * t + 2 * v * (t / r - (1 - exp(-r * t)) / (r * r));
}

static const struct two_states two_states = {.a = 2, .b = 40, .p = 1 / 50.0, .q = 1 / 10.0};
static double two_rates[] = {2, 40};
static sim_time two_dwells[] = {50 * SECOND, 10 * SECOND};
static const struct mmpp_options mmpp = {
    .rates = two_rates, .rate_count = 2, .dwells = two_dwells, .dwell_count = 2};

static void mmpp_mean_rate(void **state) {
    (void)state;
    double count;
    const double seconds = 1000000;
    count_windows(choose("mmpp", &mmpp), "mmpp", 0, 1000000 * SECOND, 1, &count);
    assert_within(count, mean_rate(two_states) * seconds,
                  sqrt(count_variance(two_states, seconds)));
}

/* The index of dispersion (variance over mean of counts) for windows of several widths: estimated
 * about the known mean, so without bias, in independent replications that give the standard error.
 */
static void mmpp_index_of_dispersion(void **state) {
    (void)state;
    enum { REPLICATIONS = 60, WINDOWS = 2000 };
    const double widths[] = {0.5, 5, 30};
    double *counts = memory_zero(WINDOWS, sizeof(*counts));
    for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
        double mean = mean_rate(two_states) * widths[w];
        double total = 0;
        double squares = 0;
        for (uint64_t i = 0; i < REPLICATIONS; i++) {
            count_windows(choose("mmpp", &mmpp), "mmpp dispersion", i,
                          (sim_time)(widths[w] * SECOND), WINDOWS, counts);
            double index = 0;
            for (size_t k = 0; k < WINDOWS; k++) {
                index += (counts[k] - mean) * (counts[k] - mean) / mean / WINDOWS;
            }
            total += index;
            squares += index * index;
        }
        double average = total / REPLICATIONS;
        double variance = (squares / REPLICATIONS - average * average) / (REPLICATIONS - 1);
        assert_within(average, count_variance(two_states, widths[w]) / mean, sqrt(variance));
    }
    free(counts);
}

/* Starting in the stationary distribution, the very first second is like any other. */
static void mmpp_starts_stationary(void **state) {
    (void)state;
    enum { REPLICATIONS = 20000 };
    double total = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        double count;
        count_windows(choose("mmpp", &mmpp), "mmpp start", i, SECOND, 1, &count);
        total += count;
    }
    assert_within(total / REPLICATIONS, mean_rate(two_states),
                  sqrt(count_variance(two_states, 1) / REPLICATIONS));
}

/* Three states in a circle, one of them silent: time shares are 6/10, 3/10 and 1/10, so the mean is
 * 0.6 x 5 + 0.3 x 0 + 0.1 x 100 = 13/s. Its standard error comes from replications. */
static void mmpp_of_three_states(void **state) {
    (void)state;
    double rates[] = {5, 0, 100};
    sim_time dwells[] = {6 * SECOND, 3 * SECOND, SECOND};
    struct mmpp_options options = {
        .rates = rates, .rate_count = 3, .dwells = dwells, .dwell_count = 3};
    enum { REPLICATIONS = 100 };
    double total = 0;
    double squares = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        double count;
        count_windows(choose("mmpp", &options), "mmpp three", i, 1000 * SECOND, 1, &count);
        total += count / 1000;
        squares += count * count / 1e6;
    }
    double mean = total / REPLICATIONS;
    assert_within(mean, 13, sqrt((squares / REPLICATIONS - mean * mean) / (REPLICATIONS - 1)));
}

/* For a rate m + a cos(w (t - peak)) over whole days T, sum cos(w (t_i - peak)) has mean a T / 2,
 * sum sin(w (t_i - peak)) has mean 0, and both have variance m T / 2 (a Poisson integral of the
 * square; the term in a vanishes over whole days). The count is Poisson of mean m T. */
static void diurnal_peak(void **state) {
    (void)state;
    struct diurnal_options options = {.mean = 0.5, .peak = 0.8, .peak_at = 14 * HOUR};
    struct chosen arrivals = choose("diurnal", &options);
    const sim_time starts[] = {0, 6 * HOUR, 20 * HOUR};
    const sim_time peaks[] = {14 * HOUR, 8 * HOUR, 18 * HOUR}; /* since t = 0, modulo a day */
    const int days = 10;
    const double seconds = 86400.0 * days;
    for (size_t i = 0; i < 3; i++) {
        struct stream stream;
        stream_initialize(&stream, 7, i, "diurnal");
        struct arrival_process *process = arrival_process_create(&arrivals, starts[i]);
        double count = 0;
        double in_phase = 0;
        double out_of_phase = 0;
        for (sim_time t = 0; (t = arrival_process_next(process, t, &stream)) < days * DAY;) {
            double angle = 2 * M_PI * sim_time_to_seconds(t - peaks[i]) / 86400;
            count++;
            in_phase += cos(angle);
            out_of_phase += sin(angle);
        }
        arrival_process_destroy(process);
        assert_within(count, 0.5 * seconds, sqrt(0.5 * seconds));
        assert_within(in_phase, 0.3 * seconds / 2, sqrt(0.5 * seconds / 2));
        assert_within(out_of_phase, 0, sqrt(0.5 * seconds / 2));
    }
}

/* With peak = 2 mean the rate touches zero twelve hours after the peak: in the hour around that,
 * mean (1 - sin(pi/24) / (pi/24)) x 3600 arrivals a day, about 10 of 0.5/s; at the peak about 3590.
 */
static void diurnal_trough(void **state) {
    (void)state;
    struct diurnal_options options = {.mean = 0.5, .peak = 1, .peak_at = 12 * HOUR + HOUR / 2};
    enum { DAYS = 50, WINDOWS = DAYS * 24 };
    double counts[WINDOWS];
    count_windows(choose("diurnal", &options), "trough", 0, HOUR, WINDOWS, counts);
    double trough = 0;
    double peak = 0;
    for (size_t day = 0; day < DAYS; day++) {
        trough += counts[day * 24];
        peak += counts[day * 24 + 12];
    }
    double ratio = sin(M_PI / 24) / (M_PI / 24);
    double expected = 0.5 * 3600 * DAYS;
    assert_within(trough, expected * (1 - ratio), sqrt(expected * (1 - ratio)));
    assert_within(peak, expected * (1 + ratio), sqrt(expected * (1 + ratio)));
}

static void options_must_go_together(void **state) {
    (void)state;
    struct error error;
    struct mmpp_options odd = {
        .rates = two_rates, .rate_count = 1, .dwells = two_dwells, .dwell_count = 2};
    struct chosen arrivals = choose("mmpp", &odd);
    assert_false(passes_check(arrivals, &error));
    assert_string_equal(error.message, "1 rates but 2 dwell times; each state has both");
    double none[] = {0, 0};
    struct mmpp_options silent = {
        .rates = none, .rate_count = 2, .dwells = two_dwells, .dwell_count = 2};
    arrivals = choose("mmpp", &silent);
    assert_false(passes_check(arrivals, &error));
    assert_string_equal(error.message, "one of the rates must be positive");
    struct diurnal_options steep = {.mean = 1, .peak = 2.5};
    arrivals = choose("diurnal", &steep);
    assert_false(passes_check(arrivals, &error));
    assert_string_equal(error.message,
                        "the peak must be from once to twice the mean of 1/s, not 2.5/s, since the "
                        "rate swings as far below the mean as above it");
    steep.peak = 0.5;
    assert_false(passes_check(arrivals, &error));
    steep.peak = 2;
    assert_true(passes_check(arrivals, &error));
    struct renewal_options still;
    distribution_constant(&still.gap, 0);
    arrivals = choose("renewal", &still);
    assert_false(passes_check(arrivals, &error));
    assert_string_equal(error.message, "the mean time between arrivals must be at least 1ns");
}

/* After the longest time there are no arrivals, and asking again does no harm. */
static void ends_after_the_longest_time(void **state) {
    (void)state;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "end");
    struct poisson_options rare = {.rate = 1e-12};
    struct chosen arrivals = choose("poisson", &rare);
    struct arrival_process *process = arrival_process_create(&arrivals, 0);
    sim_time t = 0;
    for (int i = 0; i < 10; i++) {
        t = arrival_process_next(process, t, &stream);
    }
    assert_true(t == SIM_TIME_NEVER);
    arrival_process_destroy(process);
    double rates[] = {1e-12, 0};
    sim_time dwells[] = {SIM_TIME_LONGEST / 10, SIM_TIME_LONGEST / 10};
    struct mmpp_options slow = {
        .rates = rates, .rate_count = 2, .dwells = dwells, .dwell_count = 2};
    arrivals = choose("mmpp", &slow);
    process = arrival_process_create(&arrivals, 0);
    assert_true(arrival_process_next(process, 0, &stream) == SIM_TIME_NEVER);
    arrival_process_destroy(process);
}

/* Twice as many, otherwise alike: each comes in half the time, to the rounding of a nanosecond. The
 * rates are those of the options; 4 of mmpp are (1 x 30 + 10 x 15) / 45. */
static void scaling(void **state) {
    (void)state;
    struct poisson_options poisson = {.rate = 3};
    struct renewal_options renewal = {0};
    renewal.gap.kind = distribution_find("erlang");
    renewal.gap.given[0] = 2;
    renewal.gap.given[1] = 0.5 * (double)SECOND;
    struct error error;
    assert_true(distribution_prepare(&renewal.gap, &error));
    double rates[] = {1, 10};
    sim_time dwells[] = {30 * SECOND, 15 * SECOND};
    struct mmpp_options states = {rates, 2, dwells, 2};
    struct diurnal_options diurnal = {.mean = 2, .peak = 3};
    struct closed_options closed = {.clients = 5};
    const struct {
        struct chosen arrivals;
        double rate;
    } cases[] = {{choose("poisson", &poisson), 3},
                 {choose("renewal", &renewal), 2},
                 {choose("mmpp", &states), 4},
                 {choose("diurnal", &diurnal), 2}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct chosen arrivals = cases[i].arrivals;
        assert_true(fabs(arrival_rate(&arrivals) - cases[i].rate) < 1e-9);
        arrival_scale(&arrivals, 2);
        assert_true(fabs(arrival_rate(&arrivals) - 2 * cases[i].rate) < 1e-9);
        assert_true(passes_check(arrivals, &error));
    }
    struct chosen loop = choose("closed", &closed);
    assert_true(isnan(arrival_rate(&loop)));
    arrival_scale(&loop, 1.2);
    assert_int_equal(closed.clients, 6);
    /* The gaps of a Poisson process at half the rate are twice as long. */
    struct poisson_options slow = {.rate = 3};
    struct chosen both[] = {choose("poisson", &poisson), choose("poisson", &slow)};
    sim_time last[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        struct stream stream;
        stream_initialize(&stream, 1, 0, "scaling");
        struct arrival_process *process = arrival_process_create(&both[k], 0);
        for (int i = 0; i < 100; i++) {
            last[k] = arrival_process_next(process, last[k], &stream);
        }
        arrival_process_destroy(process);
    }
    assert_in_range(last[1] - 2 * last[0] + 2, 0, 4);
    distribution_clear(&renewal.gap);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson_counts),
        cmocka_unit_test(poisson_first_arrival),
        cmocka_unit_test(renewal_of_a_constant),
        cmocka_unit_test(parts_of_a_nanosecond_are_carried),
        cmocka_unit_test(renewal_counts),
        cmocka_unit_test(mmpp_mean_rate),
        cmocka_unit_test(mmpp_index_of_dispersion),
        cmocka_unit_test(mmpp_starts_stationary),
        cmocka_unit_test(mmpp_of_three_states),
        cmocka_unit_test(diurnal_peak),
        cmocka_unit_test(diurnal_trough),
        cmocka_unit_test(options_must_go_together),
        cmocka_unit_test(ends_after_the_longest_time),
        cmocka_unit_test(scaling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
