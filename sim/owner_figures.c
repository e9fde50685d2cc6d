#include "sim/owner_figures.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

static struct job_figures *create(size_t count, bool waits_only) {
    struct job_figures *figures = memory_zero(count, sizeof *figures);
    for (size_t i = 0; i < count; i++) {
        job_figures_initialize(&figures[i]);
        if (waits_only) {
            histogram_initialize(&figures[i].wait, HISTOGRAM_FAST);
        }
    }
    return figures;
}

static void destroy(struct job_figures *figures, size_t count) {
    for (size_t i = 0; i < count; i++) {
        job_figures_terminate(&figures[i]);
    }
    free(figures);
}

void owner_figures_initialize(struct owner_figures *figures, const struct ownership *ownership) {
    *figures = (struct owner_figures){0};
    if (ownership->by_queue) {
        figures->queue_count = ownership->names.queues.count;
        figures->queues = create(figures->queue_count, false);
    }
    if (ownership->by_user) {
        figures->user_count = ownership->names.users.count + 1;
        figures->users = create(figures->user_count, true);
    }
}

const char *owner_figures_queue(const struct ownership *ownership, size_t queue) {
    return ownership->names.queues.names[queue];
}

const char *owner_figures_user(const struct ownership *ownership, size_t user) {
    const struct name_table *users = &ownership->names.users;
    return user < users->count ? users->names[user] : "(nobody)";
}

void owner_figures_terminate(struct owner_figures *figures) {
    destroy(figures->queues, figures->queue_count);
    destroy(figures->users, figures->user_count);
}

static void count(struct job_figures *figures, const struct job_record *record, bool turnaround) {
    int64_t *const counts[JOB_STATE_COUNT] = {
        [JOB_COMPLETED] = &figures->completed, [JOB_RUNNING] = &figures->running,
        [JOB_QUEUED] = &figures->queued,       [JOB_TIMED_OUT] = &figures->timed_out,
        [JOB_REJECTED] = &figures->rejected,   [JOB_FAILED] = &figures->failed,
    };
    figures->submitted++;
    if (turnaround && record->state == JOB_COMPLETED) {
        job_figures_completed(figures, record->submit, record->run, record->end);
    } else {
        ++*counts[record->state];
    }
    if (record->start != SIM_TIME_NEVER) {
        job_figures_started(figures, record->submit, record->start);
    }
}

void owner_figures_count(struct owner_figures *figures, const struct account *account,
                         const struct job_record *record) {
    if (figures->queues != NULL) {
        count(&figures->queues[account->queue], record, true);
    }
    if (figures->users != NULL) {
        size_t user = account->user >= 0 ? (size_t)account->user : figures->user_count - 1;
        count(&figures->users[user], record, false);
    }
}
