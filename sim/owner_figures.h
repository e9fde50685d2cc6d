/* What is measured by queue and by user. */
#ifndef SIM_OWNER_FIGURES_H
#define SIM_OWNER_FIGURES_H

#include "sim/ownership.h"
#include "sim/scheduling/job_figures.h"
#include "sim/simulation.h"

struct owner_figures {
    struct job_figures *queues; /* NULL: no job says its queue */
    size_t queue_count;
    struct job_figures *users; /* NULL: no job says its user; the last one is of jobs of nobody.
                                  Waits only, in smaller histograms: there may be thousands */
    size_t user_count;
};

void owner_figures_initialize(struct owner_figures *figures, const struct ownership *ownership);
/* How a user, or a queue, of that number is called in results. */
const char *owner_figures_queue(const struct ownership *ownership, size_t queue);
const char *owner_figures_user(const struct ownership *ownership, size_t user);
void owner_figures_terminate(struct owner_figures *figures);

/* A job of the measured time has left, or the run is over: what became of it. */
void owner_figures_count(struct owner_figures *figures, const struct account *account,
                         const struct job_record *record);

#endif
