#include "sim/job_log.h"

#include <stdio.h>

#include "sim/dependencies.h"
#include "sim/job_events.h"
#include "sim/scheduling/preemption.h"

const char *const job_event_names[JOB_EVENT_COUNT] = {
    [JOB_SUBMITTED] = "submitted",
    [JOB_STARTED] = "started",
    [JOB_RESTORES] = "restores",
    [JOB_COMPUTES] = "computes",
    [JOB_SAVES] = "saves",
    [JOB_SAVED] = "saved",
    [JOB_TOLD_TO_LEAVE] = "told_to_leave",
    [JOB_PREEMPTED] = "preempted",
    [JOB_INTERRUPTED] = "interrupted",
    [JOB_ENDED] = "ended",
    [JOB_DIED] = "failed",
    [JOB_GAVE_UP] = "timed_out",
    [JOB_TURNED_AWAY] = "rejected",
    [JOB_WAITS_FOR_ROOM] = "waits_for_room",
    [JOB_WAITS_FOR_TURN] = "waits_for_turn",
    [JOB_WAITS_FOR_VICTIMS] = "waits_for_victims",
    [JOB_IS_SUSPENDED] = "suspended",
    [JOB_WAITS_FOR_QUOTA] = "waits_for_quota",
    [JOB_IS_HELD] = "held",
};

static bool records(const struct run_state *run) {
    return run->scenario->record.events && run->recorder != NULL && run->recorder->event != NULL &&
           !run->failed;
}

static void write(struct run_state *run, const struct job *job, struct job_event_record *record,
                  const struct job *by) {
    struct job_label label;
    struct job_label other;
    job_events_label(run, job, &label);
    record->time = run->now;
    record->workload = run->scenario->workloads[job->workload].name;
    record->id = label.id;
    if (by != NULL) {
        job_events_label(run, by, &other);
        record->by = other.id;
        record->by_workload = run->scenario->workloads[by->workload].name;
    }
    run->failed = !run->recorder->event(run->recorder->context, record, run->error);
}

/* "2g.20gb@4/1": the profile, the memory unit where it begins on the GPU, and the share; each if
 * there are any. */
static void name_slot(const struct run_state *run, const struct tenant *tenant, char *text,
                      size_t size) {
    const struct device *device = tenant->device;
    const struct slots *slots = device->pool->slots;
    size_t length = 0;
    text[0] = '\0';
    if (device->profile >= 0) {
        int row = run->scenario->pools[device->pool->position].gpu;
        length = (size_t)snprintf(
            text, size, "%s@%d", run->scenario->catalogue->gpus[row].profiles[device->profile].name,
            (int)slots->unit_of[(device - slots->devices) % slots->devices_per_node]);
    }
    if (device->slots > 1 && length < size) {
        snprintf(text + length, size - length, "%s%d", length > 0 ? "/" : "", (int)tenant->slot);
    }
}

static void log_places(struct run_state *run, const struct job *job,
                       struct job_event_record record) {
    char slot[48];
    record.pool = run->pools[job->pool].name;
    if (job->tenant != NULL && job->pieces.gpus == 0) {
        const struct device *device = job->tenant->device;
        name_slot(run, job->tenant, slot, sizeof slot);
        record.node = device->node;
        record.gpu = device->gpu;
        record.slot = slot[0] != '\0' ? slot : NULL;
        write(run, job, &record, NULL);
        return;
    }
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        for (uint64_t mask = piece->mask; mask != 0; mask &= mask - 1) {
            record.node = piece->node;
            record.gpu = __builtin_ctzll(mask);
            write(run, job, &record, NULL);
        }
    }
}

void job_log(struct run_state *run, const struct job *job, enum job_event_kind kind,
             const struct job *by) {
    if (!records(run)) {
        return;
    }
    struct job_event_record record = {.kind = kind, .node = -1, .gpu = -1};
    if (kind == JOB_STARTED) {
        log_places(run, job, record);
        return;
    }
    if (job->running) {
        record.pool = run->pools[job->pool].name;
    }
    write(run, job, &record, by);
}

void job_log_waits(struct run_state *run, const struct job *job) {
    if (!records(run)) {
        return;
    }
    const struct scheduler *scheduler = &run->scheduler;
    const struct job *first = job_queue_first(&scheduler->queue);
    if (job->claim != NULL) {
        job_log(run, job, job->claim->suspended ? JOB_IS_SUSPENDED : JOB_WAITS_FOR_VICTIMS, NULL);
    } else if (job->hold != HOLD_NONE) {
        job_log(run, job, JOB_IS_HELD, NULL);
    } else if (!job_queue_admits(&scheduler->queue, job->shape)) {
        job_log(run, job, JOB_WAITS_FOR_QUOTA, NULL);
    } else if (scheduler_fits(scheduler, job->shape) && first != job) {
        job_log(run, job, JOB_WAITS_FOR_TURN, first);
    } else {
        job_log(run, job, JOB_WAITS_FOR_ROOM, NULL);
    }
}
