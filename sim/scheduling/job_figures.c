#include "sim/scheduling/job_figures.h"

void job_figures_initialize(struct job_figures *figures) {
    *figures = (struct job_figures){0};
    histogram_initialize(&figures->wait, HISTOGRAM_FINE);
    histogram_initialize(&figures->jct, HISTOGRAM_MEDIUM);
    histogram_initialize(&figures->slowdown, HISTOGRAM_MEDIUM);
}

void job_figures_terminate(struct job_figures *figures) {
    histogram_terminate(&figures->wait);
    histogram_terminate(&figures->jct);
    histogram_terminate(&figures->slowdown);
}

void job_figures_started(struct job_figures *figures, sim_time submit, sim_time start) {
    histogram_add(&figures->wait, (uint64_t)(start - submit));
}

void job_figures_completed(struct job_figures *figures, sim_time submit, sim_time run,
                           sim_time end) {
    sim_time bounded = run > SLOWDOWN_SHORTEST ? run : SLOWDOWN_SHORTEST;
    double slowdown = (double)(end - submit) / (double)bounded;
    figures->completed++;
    histogram_add(&figures->jct, (uint64_t)(end - submit));
    histogram_add(&figures->slowdown, (uint64_t)(slowdown * SLOWDOWN_UNIT + 0.5));
}

void job_figures_forget_time(struct job_figures *figures) {
    figures->computed = figures->redone = figures->checkpoint = figures->restore = 0;
}

void job_figures_merge(struct job_figures *figures, const struct job_figures *other) {
    figures->submitted += other->submitted;
    figures->completed += other->completed;
    figures->timed_out += other->timed_out;
    figures->rejected += other->rejected;
    figures->failed += other->failed;
    figures->killed_at_estimate += other->killed_at_estimate;
    figures->oom_kills += other->oom_kills;
    figures->running += other->running;
    figures->queued += other->queued;
    figures->preemptions += other->preemptions;
    figures->interruptions += other->interruptions;
    figures->computed += other->computed;
    figures->redone += other->redone;
    figures->checkpoint += other->checkpoint;
    figures->restore += other->restore;
    histogram_merge(&figures->wait, &other->wait);
    histogram_merge(&figures->jct, &other->jct);
    histogram_merge(&figures->slowdown, &other->slowdown);
}
