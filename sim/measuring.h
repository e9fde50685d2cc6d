/* When a run measures: from the end of its warm-up on, and at the ticks of its timeline. */
#ifndef SIM_MEASURING_H
#define SIM_MEASURING_H

#include "sim/run_state.h"

/* Schedules all that is measured on the way. */
void measuring_begin(struct run_state *run);
/* The run is over: the last, shorter row of the timeline. */
void measuring_end(struct run_state *run);

#endif
