#include "sim/scheduling/scheduler.h"

#include <math.h>
#include <stddef.h>

#include "sim/scheduling/reservation.h"

void scheduler_initialize(struct scheduler *scheduler, struct pool *pools, size_t pool_count,
                          const struct queue_order *order, const struct backfill_rule *backfill,
                          const struct placement_rule *placement,
                          void (*started)(void *context, struct job *job), void *context) {
    *scheduler = (struct scheduler){.pools = pools,
                                    .pool_count = pool_count,
                                    .order = order,
                                    .backfill = backfill,
                                    .placement = placement,
                                    .started = started,
                                    .context = context};
    if (backfill->reserves) {
        scheduler->reservation = reservation_create(pools, pool_count);
    }
}

void scheduler_terminate(struct scheduler *scheduler) {
    reservation_destroy(scheduler->reservation);
    job_queue_clear(&scheduler->queue);
    piece_stock_clear(&scheduler->stock);
}

static void count_waiting(struct scheduler *scheduler, const struct shape *shape, sim_time now,
                          int64_t delta) {
    for (size_t i = 0; i < shape->pool_count; i++) {
        struct time_tally *queued = &scheduler->pools[shape->pools[i].pool].queued_jobs;
        time_tally_set(queued, now, queued->value + delta);
    }
}

void scheduler_submit(struct scheduler *scheduler, struct job *job, sim_time now) {
    job->link.key = scheduler->order->key(job);
    job_queue_add(&scheduler->queue, job);
    count_waiting(scheduler, job->shape, now, 1);
}

void scheduler_withdraw(struct scheduler *scheduler, struct job *job, sim_time now) {
    job_queue_remove(&scheduler->queue, job);
    count_waiting(scheduler, job->shape, now, -1);
}

void scheduler_end(struct scheduler *scheduler, struct job *job, sim_time now) {
    pool_vacate(&scheduler->pools[job->pool], &job->pieces, job->memory, now);
    if (scheduler->reservation != NULL) {
        reservation_note_end(scheduler->reservation, job);
    }
    piece_return_rest(&scheduler->stock, &job->pieces);
    job->running = false;
}

void scheduler_pass(struct scheduler *scheduler, sim_time now) {
    scheduler->now = now;
    scheduler->passes++;
    scheduler->backfill->pass(scheduler);
}

bool scheduler_fits(const struct scheduler *scheduler, const struct shape *shape) {
    for (size_t i = 0; i < shape->pool_count; i++) {
        if (placement_fits(&scheduler->pools[shape->pools[i].pool].index, shape->gpus)) {
            return true;
        }
    }
    return false;
}

const struct shape_pool *scheduler_plan(struct scheduler *scheduler, const struct shape *shape,
                                        struct piece *first) {
    for (size_t i = 0; i < shape->pool_count; i++) {
        struct node_index *index = &scheduler->pools[shape->pools[i].pool].index;
        if (placement_plan(scheduler->placement, index, shape->gpus, &scheduler->stock, first)) {
            return &shape->pools[i];
        }
    }
    return NULL;
}

sim_time scheduler_scale(sim_time on_reference, double speed) {
    if (speed == 1) {
        return on_reference;
    }
    double scaled = (double)on_reference / speed;
    return scaled >= (double)SIM_TIME_LONGEST ? SIM_TIME_LONGEST : (sim_time)llround(scaled);
}

bool scheduler_try_start(struct scheduler *scheduler, struct job *job) {
    const struct shape_pool *where = scheduler_plan(scheduler, job->shape, &job->pieces);
    if (where == NULL) {
        return false;
    }
    scheduler_withdraw(scheduler, job, scheduler->now);
    job->pool = where->pool;
    job->running = true;
    job->start = scheduler->now;
    job->run_time = scheduler_scale(job->duration, where->speed);
    pool_occupy(&scheduler->pools[job->pool], &job->pieces, job->memory, scheduler->now);
    job->expected_end = sim_time_add(scheduler->now, scheduler_scale(job->estimate, where->speed));
    if (scheduler->reservation != NULL) {
        reservation_note_start(scheduler->reservation, job);
    }
    scheduler->started(scheduler->context, job);
    return true;
}
