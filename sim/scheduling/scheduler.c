#include "sim/scheduling/scheduler.h"

#include <math.h>
#include <stddef.h>

#include "sim/scheduling/reservation.h"

void scheduler_initialize(struct scheduler *scheduler, struct pool *pools, size_t pool_count,
                          const struct queue_order *order, const struct backfill_rule *backfill,
                          const struct placement_rule *placement,
                          void (*started)(void *context, struct job *job, struct device *device),
                          void *context) {
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

/* A request is counted in each pool that it may get into: what a placement rule may go by. */
static void note_ask(struct scheduler *scheduler, const struct shape *shape) {
    for (size_t i = 0; i < shape->pool_count; i++) {
        struct pool *pool = &scheduler->pools[shape->pools[i].pool];
        if (shape->pools[i].whole) {
            node_index_note_ask(&pool->index, shape->gpus);
        } else {
            recut_note_ask(pool->slots, &shape->pools[i].slot);
        }
    }
}

void scheduler_submit(struct scheduler *scheduler, struct job *job, sim_time now) {
    job->link.key = scheduler->order->key(job);
    job_queue_add(&scheduler->queue, job);
    count_waiting(scheduler, job->shape, now, 1);
    note_ask(scheduler, job->shape);
}

void scheduler_withdraw(struct scheduler *scheduler, struct job *job, sim_time now) {
    job_queue_remove(&scheduler->queue, job);
    count_waiting(scheduler, job->shape, now, -1);
}

void scheduler_end(struct scheduler *scheduler, struct job *job, sim_time now) {
    struct pool *pool = &scheduler->pools[job->pool];
    if (job->tenant == NULL) {
        pool_vacate(pool, &job->pieces, job->memory, now);
    } else if (job->pieces.gpus > 0) {
        pool_unseat_alone(pool, job->tenant, now);
        pool_give_back(pool, &job->pieces);
    } else {
        pool_unseat(pool, job->tenant, now);
    }
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
    struct slot_place place;
    for (size_t i = 0; i < shape->pool_count; i++) {
        const struct shape_pool *wanted = &shape->pools[i];
        const struct pool *pool = &scheduler->pools[wanted->pool];
        if (wanted->whole ? placement_fits(&pool->index, shape->gpus)
                          : slots_find_place(pool->slots, &wanted->slot, &place)) {
            return true;
        }
    }
    return false;
}

/* The same, or a slot for it: place->device is NULL for whole GPUs. */
static const struct shape_pool *find_place(struct scheduler *scheduler, const struct shape *shape,
                                           struct piece *first, struct slot_place *place) {
    *place = (struct slot_place){.cut_as = -1};
    for (size_t i = 0; i < shape->pool_count; i++) {
        const struct shape_pool *wanted = &shape->pools[i];
        struct pool *pool = &scheduler->pools[wanted->pool];
        if (wanted->whole) {
            if (placement_plan(scheduler->placement, &pool->index, shape->gpus, &scheduler->stock,
                               first)) {
                return wanted;
            }
        } else if (slots_find_place(pool->slots, &wanted->slot, place)) {
            *first = (struct piece){.node = place->device->node};
            return wanted;
        }
    }
    return NULL;
}

const struct shape_pool *scheduler_plan(struct scheduler *scheduler, const struct shape *shape,
                                        struct piece *first, struct device **device) {
    struct slot_place place;
    const struct shape_pool *where = find_place(scheduler, shape, first, &place);
    *device = place.device;
    return where;
}

double scheduler_speed(const struct scheduler *scheduler, const struct job *job,
                       const struct shape_pool *where, const struct device *device) {
    return device == NULL || scheduler->slot_speed == NULL
               ? where->speed
               : scheduler->slot_speed(scheduler->context, job, device);
}

/* Replicas never end. */
static void note_reserving(struct scheduler *scheduler, struct job *job,
                           const struct shape_pool *where, const struct device *device) {
    double speed = scheduler_speed(scheduler, job, where, device);
    job->expected_end = job->estimate >= SIM_TIME_LONGEST
                            ? SIM_TIME_NEVER
                            : sim_time_add(scheduler->now, scheduler_scale(job->estimate, speed));
    reservation_note_start(scheduler->reservation, job);
}

sim_time scheduler_scale(sim_time on_reference, double speed) {
    if (speed == 1) {
        return on_reference;
    }
    double scaled = (double)on_reference / speed;
    return scaled >= (double)SIM_TIME_LONGEST ? SIM_TIME_LONGEST : (sim_time)llround(scaled);
}

bool scheduler_try_start(struct scheduler *scheduler, struct job *job) {
    struct slot_place place;
    const struct shape_pool *where = find_place(scheduler, job->shape, &job->pieces, &place);
    if (where == NULL) {
        return false;
    }
    scheduler_withdraw(scheduler, job, scheduler->now);
    job->pool = where->pool;
    job->running = true;
    job->start = scheduler->now;
    job->run_time = scheduler_scale(job->duration, where->speed);
    struct pool *pool = &scheduler->pools[job->pool];
    if (place.device == NULL && job->tenant == NULL) {
        pool_occupy(pool, &job->pieces, job->memory, scheduler->now);
    } else if (place.device == NULL) {
        pool_take(pool, &job->pieces);
    } else if (place.cut_as >= 0) {
        slots_begin_cut(pool->slots, &place, scheduler->now);
    }
    if (scheduler->reservation != NULL) {
        note_reserving(scheduler, job, where, place.device);
    }
    scheduler->started(scheduler->context, job, place.device);
    return true;
}
