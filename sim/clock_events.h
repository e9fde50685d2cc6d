/* What calendars do in a run: they cut GPUs anew (relayout.h), and open and close the windows in
 * which workloads may start. */
#ifndef SIM_CLOCK_EVENTS_H
#define SIM_CLOCK_EVENTS_H

#include "sim/run_state.h"

struct run_clock {
    sim_time last_start; /* of a job */
    sim_time patience;   /* without a start for so long, nothing more will come of it */
};

/* Whether any calendar or window takes jobs off their GPUs before they are done. */
bool clock_events_interrupt_jobs(const struct scenario *scenario);

/* The GPUs are cut as their calendars say for the start, and the windows open or closed; before
 * anything arrives. */
void clock_events_begin(struct run_state *run);
void clock_events_terminate(struct run_state *run);

/* GPUs that drain have been left, or taken: to be looked at once nothing more ends at this instant.
 */
static inline bool clock_events_are_due(const struct run_state *run) {
    return run->devices.changed_count > 0;
}
void clock_events_look(struct run_state *run);

/* A job starts. */
static inline void clock_events_note_start(struct run_state *run) {
    if (run->clock != NULL) {
        run->clock->last_start = run->now;
    }
}
/* Whether nothing but calendars goes on, and has for so long that nothing else ever will. */
bool clock_events_idle(const struct run_state *run);

#endif
