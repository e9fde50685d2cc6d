/* `warmup: auto`: when the statistics of a run may start. */
#ifndef SIM_WARMUP_H
#define SIM_WARMUP_H

#include "sim/simulation.h"

/* How many batches of waits a pilot keeps, and of how many jobs the first ones are. */
enum { PILOT_BATCHES = 4096, PILOT_BATCH_SIZE = 5 };

/* Runs a pilot, the same run without rows or warm-up, and cuts the waits of its jobs, in the order
 * they started, by MSER-5 (kernel/mser.h). *warmup is the time at which the first job kept
 * started; it is 0 where the queue is unstable (stability.h), for want of a steady state to wait
 * for. RUN_FAILED with advice if the cut lies in the second half: the run is too short to tell
 * where its start-up ends. */
enum run_outcome warmup_find(const struct run_request *request, sim_time *warmup,
                             struct error *error);

#endif
