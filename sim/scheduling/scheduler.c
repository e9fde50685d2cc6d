#include "sim/scheduling/scheduler.h"

#include <math.h>
#include <stddef.h>

#include "sim/scheduling/conservative.h"
#include "sim/scheduling/course.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/preemption_by_order.h"
#include "sim/scheduling/quotas.h"
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
                                    .head_of_line = SIM_TIME_NEVER,
                                    .started = started,
                                    .context = context};
    if (backfill->reserves) {
        scheduler->reservation = reservation_create(pools, pool_count);
    }
}

void scheduler_set_quotas(struct scheduler *scheduler, struct quotas *quotas) {
    scheduler->quotas = quotas;
    scheduler->queue.quotas = quotas;
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
        int32_t gpus = 0;
        if (shape->pools[i].whole) {
            gpus = node_index_note_ask(&pool->index, shape->gpus);
        } else {
            recut_note_ask(pool->slots, &shape->pools[i].slot);
        }
        if (pool->slots != NULL) {
            slots_note_ask(pool->slots, gpus, &shape->pools[i].slot);
        }
    }
}

void scheduler_resubmit(struct scheduler *scheduler, struct job *job, sim_time now) {
    job->link.key = scheduler->order->key(job);
    job->pieces = (struct piece){0}; /* nothing is reserved for it */
    job_queue_add(&scheduler->queue, job);
    count_waiting(scheduler, job->shape, now, 1);
}

void scheduler_submit(struct scheduler *scheduler, struct job *job, sim_time now) {
    scheduler_resubmit(scheduler, job, now);
    note_ask(scheduler, job->shape);
}

void scheduler_withdraw(struct scheduler *scheduler, struct job *job, sim_time now) {
    if (job->claim != NULL) {
        preemption_give_up_claim(scheduler->preemption, job);
        quotas_give_back(scheduler->quotas, job);
    } else {
        job_queue_remove(&scheduler->queue, job);
        conservative_forget(scheduler, job);
    }
    count_waiting(scheduler, job->shape, now, -1);
}

/* The job's share of its nodes' hosts is taken, or (sign -1) given back. */
static void use_hosts(struct pool *pool, const struct job *job, int sign) {
    struct gang gang = shape_gang(job->shape);
    if (pool->index.free_host == NULL) {
        return;
    }
    if (job->pieces.gpus > 0) {
        placement_use_hosts(&pool->index, &gang, &job->pieces, sign);
    } else {
        node_index_use_host(&pool->index, job->pieces.node, &gang.each, sign);
    }
}

int32_t scheduler_idle_gpus(const struct pool *pool, const struct job *job) {
    struct gang gang = shape_gang(job->shape);
    return gang_held(&gang, pool->index.gpus_per_node) - gang.gpus;
}

void scheduler_end(struct scheduler *scheduler, struct job *job, sim_time now) {
    struct pool *pool = &scheduler->pools[job->pool];
    scheduler->now = now;
    if (scheduler->preemption != NULL) {
        preemption_note_end(scheduler->preemption, job);
    }
    use_hosts(pool, job, -1);
    if (job->tenant == NULL) {
        pool_leave_idle(pool, scheduler_idle_gpus(pool, job), job->memory, -1, now);
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
    quotas_give_back(scheduler->quotas, job);
    job->running = false;
}

void scheduler_cancel(struct scheduler *scheduler, struct job *job, sim_time now) {
    scheduler->now = now;
    use_hosts(&scheduler->pools[job->pool], job, -1);
    if (scheduler->reservation != NULL) {
        reservation_note_end(scheduler->reservation, job);
    }
    quotas_give_back(scheduler->quotas, job);
    job->running = false;
    scheduler_resubmit(scheduler, job, now);
}

void scheduler_pass(struct scheduler *scheduler, sim_time now) {
    scheduler->now = now;
    scheduler->passes++;
    if (scheduler->preemption != NULL) {
        preemption_serve(scheduler->preemption);
    }
    if (scheduler->preemption != NULL && scheduler->preemption->rule->by_order) {
        preemption_pass_by_order(scheduler, scheduler->backfill->strict);
    } else {
        scheduler->backfill->pass(scheduler);
    }
}

bool scheduler_may_not_overtake(const struct scheduler *scheduler, const struct job *job) {
    sim_time latest = scheduler->now - scheduler->head_of_line;
    if (scheduler->head_of_line == SIM_TIME_NEVER || latest < 0) {
        return false;
    }
    const struct job *first = job_queue_submitted_by(&scheduler->queue, latest);
    return first != NULL && first != job && job_queue_before(&scheduler->queue, first, job);
}

bool scheduler_fits(const struct scheduler *scheduler, const struct shape *shape) {
    struct slot_place place;
    struct gang gang = shape_gang(shape);
    for (size_t i = 0; i < shape->pool_count; i++) {
        const struct shape_pool *wanted = &shape->pools[i];
        const struct pool *pool = &scheduler->pools[wanted->pool];
        place = (struct slot_place){.cut_as = -1};
        if ((wanted->whole ? placement_fits(&pool->index, &gang)
                           : slots_find_place(pool->slots, &wanted->slot, &place)) &&
            quotas_admit_at(scheduler->quotas, shape, pool, wanted, &place)) {
            return true;
        }
    }
    return false;
}

const struct shape_pool *scheduler_plan(struct scheduler *scheduler, const struct shape *shape,
                                        struct piece *first, struct slot_place *place) {
    struct gang gang = shape_gang(shape);
    for (size_t i = 0; i < shape->pool_count; i++) {
        const struct shape_pool *wanted = &shape->pools[i];
        struct pool *pool = &scheduler->pools[wanted->pool];
        *place = (struct slot_place){.cut_as = -1};
        if (wanted->whole) {
            if (quotas_admit_at(scheduler->quotas, shape, pool, wanted, place) &&
                placement_plan(scheduler->placement, &pool->index, &gang, &scheduler->stock,
                               first)) {
                return wanted;
            }
        } else if (slots_find_place(pool->slots, &wanted->slot, place) &&
                   quotas_admit_at(scheduler->quotas, shape, pool, wanted, place)) {
            *first = (struct piece){.node = place->device->node};
            return wanted;
        }
    }
    *place = (struct slot_place){.cut_as = -1};
    return NULL;
}

double scheduler_speed(const struct scheduler *scheduler, const struct job *job,
                       const struct shape_pool *where, const struct device *device) {
    return device == NULL || scheduler->slot_speed == NULL
               ? where->speed
               : scheduler->slot_speed(scheduler->context, job, device);
}

double scheduler_speed_in(const struct scheduler *scheduler, const struct job *job,
                          const struct shape_pool *where, int32_t kind) {
    struct pool *pool = &scheduler->pools[where->pool];
    struct device device = {.pool = pool};
    slots_describe(pool->slots, &device, kind);
    return scheduler_speed(scheduler, job, where, &device);
}

/* What of its estimate a job that has run before need not do again is done. */
static sim_time expected_end(const struct scheduler *scheduler, const struct job *job,
                             double speed) {
    sim_time done = job->course == NULL ? 0 : course_progress(job->course, scheduler->now);
    sim_time left = job->estimate > done ? job->estimate - done : 0;
    return job->estimate >= SIM_TIME_LONGEST
               ? SIM_TIME_NEVER
               : sim_time_add(scheduler->now, scheduler_scale(left, speed));
}

sim_time scheduler_expected_end(const struct scheduler *scheduler, const struct job *job,
                                const struct shape_pool *where, const struct device *device) {
    return expected_end(scheduler, job, scheduler_speed(scheduler, job, where, device));
}

static void note_reserving(struct scheduler *scheduler, struct job *job,
                           const struct shape_pool *where, const struct slot_place *place) {
    double speed = place->cut_as >= 0
                       ? scheduler_speed_in(scheduler, job, where, place->cut_as)
                       : scheduler_speed(scheduler, job, where, place->device) *
                             pool_gang_speed(&scheduler->pools[where->pool], &job->pieces);
    job->expected_end = expected_end(scheduler, job, speed);
    reservation_note_start(scheduler->reservation, job);
}

sim_time scheduler_scale(sim_time on_reference, double speed) {
    if (speed == 1) {
        return on_reference;
    }
    double scaled = (double)on_reference / speed;
    return scaled >= (double)SIM_TIME_LONGEST ? SIM_TIME_LONGEST : (sim_time)llround(scaled);
}

/* Starts a job that no longer waits, on pieces of its own or in the slot found. set_aside: the GPUs
 * of its pieces are off the index already, and named. */
static void start_job(struct scheduler *scheduler, struct job *job, const struct shape_pool *where,
                      const struct slot_place *place, bool set_aside) {
    struct pool *pool = &scheduler->pools[where->pool];
    count_waiting(scheduler, job->shape, scheduler->now, -1);
    job->pool = where->pool;
    job->running = true;
    job->start = scheduler->now;
    job->run_time =
        scheduler_scale(job->duration, where->speed * pool_gang_speed(pool, &job->pieces));
    quotas_take(scheduler->quotas, job, pool, where, place);
    use_hosts(pool, job, 1);
    if (pool->index.draws != NULL) {
        place_draws_keep(pool->index.draws);
    }
    if (place->device == NULL && !set_aside) {
        pool_take(pool, &job->pieces);
    }
    if (place->device == NULL && job->tenant == NULL) {
        pool_begin_use(pool, &job->pieces, job->memory, scheduler->now);
        pool_leave_idle(pool, scheduler_idle_gpus(pool, job), job->memory, 1, scheduler->now);
    } else if (place->cut_as >= 0) {
        pool_begin_cut(pool, place, scheduler->now);
    }
    if (scheduler->reservation != NULL) {
        note_reserving(scheduler, job, where, place);
    }
    scheduler->started(scheduler->context, job, place->device);
}

bool scheduler_try_start(struct scheduler *scheduler, struct job *job) {
    struct slot_place place;
    struct piece first;
    const struct shape_pool *where = scheduler_plan(scheduler, job->shape, &first, &place);
    if (where == NULL) {
        return false;
    }
    conservative_forget(scheduler, job);
    job->pieces = first;
    job_queue_remove(&scheduler->queue, job);
    start_job(scheduler, job, where, &place, false);
    return true;
}

void scheduler_start_on(struct scheduler *scheduler, struct job *job,
                        const struct shape_pool *where) {
    struct slot_place nowhere = {.cut_as = -1};
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        node_index_change(&scheduler->pools[where->pool].index, piece->node, -piece->gpus);
    }
    bool named = job->pieces.mask != 0;
    if (named) {
        pool_take_named(&scheduler->pools[where->pool], &job->pieces);
    }
    job_queue_remove(&scheduler->queue, job);
    start_job(scheduler, job, where, &nowhere, named);
}

void scheduler_start_in(struct scheduler *scheduler, struct job *job,
                        const struct shape_pool *where, const struct slot_place *place) {
    job->pieces = (struct piece){.node = place->device->node};
    job_queue_remove(&scheduler->queue, job);
    start_job(scheduler, job, where, place, false);
}

void scheduler_start_claimed(struct scheduler *scheduler, struct job *job,
                             const struct shape_pool *where, struct device *device) {
    struct slot_place place = {.device = device, .cut_as = -1};
    pool_take_aside(&scheduler->pools[where->pool], &job->pieces);
    start_job(scheduler, job, where, &place, true);
}
