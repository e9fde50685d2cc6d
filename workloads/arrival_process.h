/* What arrival processes are made of: a new one is one file with its options and its draw, and one
 * row in arrivals.c. */
#ifndef WORKLOADS_ARRIVAL_PROCESS_H
#define WORKLOADS_ARRIVAL_PROCESS_H

#include "scenarios/schema.h"
#include "sim/kernel/distribution.h"
#include "sim/kernel/error.h"
#include "workloads/arrivals.h"

/* What every process begins with; allocated as one block, so free() destroys it. */
struct arrival_process {
    sim_time (*next)(struct arrival_process *process, sim_time last, struct stream *stream);
    /* Closed processes: see arrival_process_ended. NULL: arrivals do not depend on ends. */
    sim_time (*ended)(struct arrival_process *process, sim_time now, sim_time pending,
                      struct stream *stream);
    double
        remainder; /* the part of a nanosecond by which the process is ahead of its last arrival */
};

/* The time `gap` nanoseconds after the process's exact position, which is `last` and the remainder.
 * Whole nanoseconds are added as integers and the rest is carried over, so that a long run loses
 * nothing. SIM_TIME_NEVER beyond SIM_TIME_LONGEST. */
sim_time arrival_process_advance(struct arrival_process *process, sim_time last, double gap);

/* More than one arrival per nanosecond has no time left between them. */
#define HIGHEST_RATE_PER_S 1e9

/* The rows of the table: options and how to make and check one. */
struct poisson_options {
    double rate; /* per second */
};

struct renewal_options {
    struct distribution gap; /* ns */
};

struct mmpp_options {
    double *rates; /* per second, by state */
    size_t rate_count;
    sim_time *dwells; /* means, by state */
    size_t dwell_count;
};

struct diurnal_options {
    double mean; /* per second */
    double peak;
    sim_time peak_at; /* since midnight */
};

struct closed_options {
    int32_t clients;
    struct distribution think; /* ns */
};

extern const struct field poisson_field;
struct arrival_process *poisson_create(const void *options, sim_time start_of_day);
double poisson_rate(const void *options);
void poisson_scale(void *options, double factor);

extern const struct field renewal_field;
bool renewal_check(const void *options, struct error *error);
struct arrival_process *renewal_create(const void *options, sim_time start_of_day);
double renewal_rate(const void *options);
void renewal_scale(void *options, double factor);

extern const struct field mmpp_field;
bool mmpp_check(const void *options, struct error *error);
struct arrival_process *mmpp_create(const void *options, sim_time start_of_day);
double mmpp_rate(const void *options);
void mmpp_scale(void *options, double factor);

extern const struct field diurnal_field;
bool diurnal_check(const void *options, struct error *error);
struct arrival_process *diurnal_create(const void *options, sim_time start_of_day);
double diurnal_rate(const void *options);
void diurnal_scale(void *options, double factor);

extern const struct field closed_field;
bool closed_check(const void *options, struct error *error);
struct arrival_process *closed_create(const void *options, sim_time start_of_day);
double closed_rate(const void *options);
void closed_scale(void *options, double factor);

#endif
