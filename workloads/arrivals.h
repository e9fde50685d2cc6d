/* When synthetic work arrives: one row per arrival process, with its options and its draw. */
#ifndef WORKLOADS_ARRIVALS_H
#define WORKLOADS_ARRIVALS_H

#include <stdbool.h>

#include "scenarios/choice.h"
#include "sim/kernel/sim_time.h"
#include "sim/kernel/stream.h"

struct arrival_process;

struct arrival_kind {
    struct choice choice; /* poisson, renewal, mmpp, diurnal, closed */
    /* Makes the process (its state is its own) from the row's options, which it borrows and which
     * have passed the row's check. */
    struct arrival_process *(*create)(const void *options, sim_time start_of_day);
    /* Arrivals per second in the long run; NaN: it depends on the ends of jobs. */
    double (*rate)(const void *options);
    /* Makes that many times as many arrive, otherwise alike and from the same random numbers. */
    void (*scale)(void *options, double factor);
};

extern const struct arrival_kind arrival_kinds[];
extern const size_t arrival_kind_count;

/* start_of_day: the time of day at t = 0, in [0, 24 h); 0 when the scenario has no start. */
struct arrival_process *arrival_process_create(const struct chosen *arrivals,
                                               sim_time start_of_day);
void arrival_process_destroy(struct arrival_process *process);
double arrival_rate(const struct chosen *arrivals);
/* factor above 0; changes the options, which belong to a scenario, in place. */
void arrival_scale(struct chosen *arrivals, double factor);
/* The next arrival after `last` (0 at first), never earlier; SIM_TIME_NEVER if there is none. */
sim_time arrival_process_next(struct arrival_process *process, sim_time last,
                              struct stream *stream);

/* Whether arrivals depend on the ends of jobs. What has no next arrival may have one after an end.
 */
bool arrival_process_is_closed(const struct arrival_process *process);
/* Tells a closed process that a job has ended while `pending` is the next arrival (SIM_TIME_NEVER:
 * there is none). Returns the next arrival from now on: `pending`, or an earlier one in its place.
 */
sim_time arrival_process_ended(struct arrival_process *process, sim_time now, sim_time pending,
                               struct stream *stream);

#endif
