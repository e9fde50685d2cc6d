/* Invariants of the scheduler under random load, for every order, backfill and placement: masks,
 * counts and ledger of the pools stay consistent through every pass and every reservation; after a
 * pass nothing waits that its rule would have started; each pool counts the jobs that may run
 * there; and all GPUs are free in the end. */
#include <stdlib.h>
#include <string.h>

#include "sim/scheduling/job_store.h"
#include "sim/scheduling/scheduler.h"
#include "tests/support/unit.h"

enum { POOLS = 2, SHAPES = 8, STEPS = 1000, RUNNING_MOST = 64 };

struct bench {
    struct test_random random;
    struct pool pools[POOLS];
    struct shape shapes[SHAPES];
    struct shape_pool shape_pools[SHAPES][POOLS];
    struct scheduler scheduler;
    struct job_store jobs;
    struct job *running[RUNNING_MOST];
    int running_count;
    uint64_t sequence;
    sim_time now;
};

/* Shapes of 1 to 8 GPUs; every third may use the second pool only, of 2 nodes x 4 at half the
 * speed. */
static void make_shapes(struct bench *bench) {
    for (int i = 0; i < SHAPES; i++) {
        struct shape *shape = &bench->shapes[i];
        shape->gpus = 1 + i;
        shape->pools = bench->shape_pools[i];
        if (i % 3 != 0) {
            shape->pools[shape->pool_count++] =
                (struct shape_pool){.pool = 0, .whole = true, .speed = 1};
        }
        shape->pools[shape->pool_count++] =
            (struct shape_pool){.pool = 1, .whole = true, .speed = 0.5};
    }
}

static void note_start(void *context, struct job *job, struct device *device) {
    struct bench *bench = context;
    assert_null(device);
    assert_true(job->running);
    assert_int_equal(job->start, bench->now);
    assert_int_equal(bench->pools[job->pool].queued_jobs.since, bench->now);
    assert_true(bench->running_count < RUNNING_MOST);
    int32_t held = 0;
    for (const struct piece *piece = &job->pieces; piece != NULL; piece = piece->next) {
        assert_int_equal(__builtin_popcountll(piece->mask), piece->gpus);
        held += piece->gpus;
    }
    assert_int_equal(held, job->gpus);
    bench->running[bench->running_count++] = job;
}

static void submit(struct bench *bench) {
    struct job *job = job_store_take(&bench->jobs);
    job->shape = &bench->shapes[test_random_below(&bench->random, SHAPES)];
    job->gpus = job->shape->gpus;
    job->sequence = bench->sequence++;
    job->submit = bench->now;
    job->duration = test_random_below(&bench->random, 20);
    job->estimate = test_random_below(&bench->random, 20);
    job->memory = test_random_below(&bench->random, 3);
    scheduler_submit(&bench->scheduler, job, bench->now);
}

static void end_one(struct bench *bench) {
    int which = test_random_below(&bench->random, bench->running_count);
    struct job *job = bench->running[which];
    bench->running[which] = bench->running[--bench->running_count];
    scheduler_end(&bench->scheduler, job, bench->now);
    assert_false(job->running);
    job_store_return(&bench->jobs, job);
}

static void withdraw_one(struct bench *bench) {
    const struct job_queue *queue = &bench->scheduler.queue;
    int which = test_random_below(&bench->random, (int32_t)queue->active_count);
    struct job *job = queue->active[which]->waiting.first;
    scheduler_withdraw(&bench->scheduler, job, bench->now);
    job_store_return(&bench->jobs, job);
}

/* Jobs waiting that may run in the pool. */
static uint64_t waiting_for(const struct bench *bench, int32_t pool) {
    uint64_t count = 0;
    for (int i = 0; i < SHAPES; i++) {
        for (size_t p = 0; p < bench->shapes[i].pool_count; p++) {
            bool may = bench->shapes[i].pools[p].pool == pool;
            count += may ? bench->shapes[i].waiting.count : 0;
        }
    }
    return count;
}

static void check_pools(const struct bench *bench) {
    for (int32_t pool = 0; pool < POOLS; pool++) {
        assert_true(pool_is_consistent(&bench->pools[pool]));
        assert_int_equal(bench->pools[pool].queued_jobs.value, waiting_for(bench, pool));
    }
    assert_int_equal(bench->jobs.alive,
                     bench->scheduler.queue.count + (uint64_t)bench->running_count);
}

/* Whatever the rule, the head does not fit after a pass; under skip nothing that waits does. */
static void check_queue(const struct bench *bench) {
    const struct job_queue *queue = &bench->scheduler.queue;
    if (queue->head != NULL) {
        assert_false(scheduler_fits(&bench->scheduler, queue->head->shape));
    }
    if (strcmp(bench->scheduler.backfill->choice.name, "skip") == 0) {
        for (size_t i = 0; i < queue->active_count; i++) {
            assert_false(scheduler_fits(&bench->scheduler, queue->active[i]));
        }
    }
}

static void take_step(struct bench *bench, bool more_jobs) {
    bench->now += test_random_below(&bench->random, 3);
    int what = test_random_below(&bench->random, 10);
    if (more_jobs && what < 5) {
        submit(bench);
    } else if (what < 9 && bench->running_count > 0) {
        end_one(bench);
    } else if (what == 9 && bench->scheduler.queue.active_count > 0) {
        withdraw_one(bench);
    }
    scheduler_pass(&bench->scheduler, bench->now);
    check_pools(bench);
    check_queue(bench);
}

static void check_rules(const struct queue_order *order, const struct backfill_rule *backfill,
                        const struct placement_rule *placement) {
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->random.state = 3;
    pool_initialize(&bench->pools[0], "fast", 3, 4, 100);
    pool_initialize(&bench->pools[1], "slow", 2, 4, 100);
    for (int i = 0; placement->draws && i < POOLS; i++) {
        node_index_draw(&bench->pools[i].index, 1, 0, bench->pools[i].name);
    }
    make_shapes(bench);
    scheduler_initialize(&bench->scheduler, bench->pools, POOLS, order, backfill, placement,
                         note_start, bench);
    for (int i = 0; i < STEPS; i++) {
        take_step(bench, true);
    }
    while (bench->jobs.alive > 0) {
        take_step(bench, false);
    }
    for (int i = 0; i < POOLS; i++) {
        assert_int_equal(bench->pools[i].index.free_total, bench->pools[i].gpus);
        assert_int_equal(bench->pools[i].memory_used.value, 0);
        pool_terminate(&bench->pools[i]);
    }
    scheduler_terminate(&bench->scheduler);
    job_store_clear(&bench->jobs);
    free(bench);
}

static void random_load_under_all_rules(void **state) {
    (void)state;
    for (size_t order = 0; order < queue_order_count; order++) {
        for (size_t backfill = 0; backfill < backfill_rule_count; backfill++) {
            for (size_t placement = 0; placement < placement_rule_count; placement++) {
                check_rules(&queue_orders[order], &backfill_rules[backfill],
                            &placement_rules[placement]);
            }
        }
    }
}

/* To the nearest nanosecond; never beyond the longest time. 10 / 3 = 3.33, 11 / 3 = 3.67, 5 / 2
 * = 2.5. */
static void durations_are_scaled_to_the_nearest_nanosecond(void **state) {
    (void)state;
    assert_int_equal(scheduler_scale(10, 1), 10);
    assert_int_equal(scheduler_scale(10, 0.5), 20);
    assert_int_equal(scheduler_scale(10, 3), 3);
    assert_int_equal(scheduler_scale(11, 3), 4);
    assert_int_equal(scheduler_scale(5, 2), 3);
    assert_int_equal(scheduler_scale(0, 0.1), 0);
    assert_int_equal(scheduler_scale(SIM_TIME_LONGEST, 1), SIM_TIME_LONGEST);
    assert_int_equal(scheduler_scale(SIM_TIME_LONGEST, 0.5), SIM_TIME_LONGEST);
    assert_int_equal(scheduler_scale(SIM_TIME_LONGEST, 1e-300), SIM_TIME_LONGEST);
}

static const struct queue_order *order_named(const char *name) {
    for (size_t i = 0; i < queue_order_count; i++) {
        if (strcmp(queue_orders[i].choice.name, name) == 0) {
            return &queue_orders[i];
        }
    }
    fail_msg("no order %s", name);
    return NULL;
}

static void orders_by_submission_or_estimate(void **state) {
    (void)state;
    struct job job = {.submit = 5, .estimate = 7, .duration = 9};
    assert_int_equal(order_named("fifo")->key(&job), 5);
    assert_int_equal(order_named("sjf")->key(&job), 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_load_under_all_rules),
        cmocka_unit_test(durations_are_scaled_to_the_nearest_nanosecond),
        cmocka_unit_test(orders_by_submission_or_estimate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
