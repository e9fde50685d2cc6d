/* Invariant: jumping over whole rounds comes to the same as taking every slice and switch by
 * itself. Thousands of small random cases on coarse grids of time, where ends of slices and
 * switches, arrivals and withdrawals fall on one instant as often as not; compared to the
 * nanosecond at every instant with tests/support/naive_time_slicer.c: ends, sums, who has the
 * device, work left. */
#include "sim/cluster/time_slicer.h"
#include "tests/support/naive_time_slicer.h"
#include "tests/support/unit.h"

/* What the caller of a slicer keeps: a queue per tenant, its first task with the slicer if begun.
 */
struct queue {
    int tasks[NAIVE_TASKS];
    int first;
    int count;
    bool begun;
};

struct pair {
    struct time_slicer slicer;
    struct naive_time_slicer naive;
    struct test_random random;
    struct queue queues[NAIVE_SLOTS];
    int64_t work[NAIVE_TASKS];
    int64_t end[NAIVE_TASKS];
    int task_count;
};

/* How one case draws its times. */
struct grid {
    int64_t unit;
    int32_t gap;  /* most units between two instants */
    int32_t work; /* most units of a task */
};

/* --- The slicer with its caller --- */

static void begin_first(struct pair *pair, int slot, int64_t now) {
    struct queue *queue = &pair->queues[slot];
    if (!queue->begun && queue->first < queue->count) {
        queue->begun = true;
        time_slicer_begin(&pair->slicer, slot, pair->work[queue->tasks[queue->first]], now);
    }
}

/* The next task of a tenant whose task ends may begin at once or with the arrivals. */
static void take_end(struct pair *pair, int64_t now) {
    int32_t slot = time_slicer_end(&pair->slicer, now);
    if (slot < 0) {
        return;
    }
    struct queue *queue = &pair->queues[slot];
    assert_true(queue->begun);
    queue->begun = false;
    pair->end[queue->tasks[queue->first++]] = now;
    if (test_random_once_in(&pair->random, 2)) {
        begin_first(pair, slot, now);
    }
}

static void settle(struct pair *pair, int64_t now) {
    for (;;) {
        for (int slot = 0; slot < pair->naive.slots; slot++) {
            begin_first(pair, slot, now);
        }
        time_slicer_settle(&pair->slicer, now);
        if (time_slicer_next(&pair->slicer) > now) {
            return;
        }
        take_end(pair, now);
    }
}

/* Up to `time`, undecided there; true if something ended there that asks for a decision. */
static bool reach(struct pair *pair, int64_t time) {
    for (int64_t next; (next = time_slicer_next(&pair->slicer)) < time;) {
        take_end(pair, next);
        settle(pair, next);
    }
    if (time_slicer_next(&pair->slicer) == time) {
        take_end(pair, time);
        return true;
    }
    time_slicer_advance(&pair->slicer, time);
    return false;
}

/* --- Both --- */

static void check_device(const struct pair *pair) {
    static const enum time_slicer_phase phases[] = {[NAIVE_RESTING] = TIME_SLICER_RESTS,
                                                    [NAIVE_SWITCHING] = TIME_SLICER_SWITCHES,
                                                    [NAIVE_COMPUTING] = TIME_SLICER_COMPUTES};
    assert_int_equal(time_slicer_phase(&pair->slicer), phases[pair->naive.doing]);
    assert_int_equal(time_slicer_current(&pair->slicer), pair->naive.who);
}

static void check_sums(const struct pair *pair) {
    int64_t switching = 0;
    int64_t computing = 0;
    for (int slot = 0; slot < pair->naive.slots; slot++) {
        assert_int_equal(time_slicer_computing(&pair->slicer, slot), pair->naive.computing[slot]);
        assert_int_equal(time_slicer_switching_to(&pair->slicer, slot),
                         pair->naive.switching[slot]);
        computing += time_slicer_computing(&pair->slicer, slot);
        switching += time_slicer_switching_to(&pair->slicer, slot);
        int head = naive_time_slicer_head(&pair->naive, slot);
        if (pair->queues[slot].begun) {
            assert_int_equal(pair->queues[slot].tasks[pair->queues[slot].first], head);
            assert_int_equal(time_slicer_work_left(&pair->slicer, slot),
                             pair->naive.tasks[head].left);
        } else {
            assert_int_equal(time_slicer_work_left(&pair->slicer, slot), 0);
        }
    }
    assert_int_equal(time_slicer_switching(&pair->slicer), switching);
    assert_int_equal(computing + switching + pair->naive.resting, pair->naive.now);
}

static void check(const struct pair *pair) {
    for (int task = 0; task < pair->task_count; task++) {
        assert_int_equal(pair->end[task], pair->naive.tasks[task].end);
    }
    check_device(pair);
    check_sums(pair);
}

static void arrive(struct pair *pair, int slot, int64_t work, int64_t now) {
    struct queue *queue = &pair->queues[slot];
    pair->work[pair->task_count] = work;
    pair->end[pair->task_count] = -1;
    queue->tasks[queue->count++] = pair->task_count++;
    naive_time_slicer_arrive(&pair->naive, slot, work);
    if (test_random_once_in(&pair->random, 2)) {
        begin_first(pair, slot, now);
    }
}

/* The first task of a tenant or all of them, where the tenant may go on with the next at once. */
static void drop(struct pair *pair, int slot, bool all, int64_t now) {
    struct queue *queue = &pair->queues[slot];
    if (queue->first == queue->count) {
        return;
    }
    if (queue->begun) {
        int head = naive_time_slicer_head(&pair->naive, slot);
        assert_int_equal(time_slicer_withdraw(&pair->slicer, slot, now),
                         pair->naive.tasks[head].left);
        queue->begun = false;
    }
    naive_time_slicer_drop(&pair->naive, slot, all);
    queue->first = all ? queue->count : queue->first + 1;
    if (test_random_once_in(&pair->random, 2)) {
        begin_first(pair, slot, now);
    }
}

/* --- Cases --- */

static int64_t draw_work(struct pair *pair, const struct grid *grid) {
    int64_t work = grid->unit * test_random_between(&pair->random, 0, grid->work);
    if (test_random_once_in(&pair->random, 5)) {
        work += test_random_between(&pair->random, work > 0 ? -1 : 0, 1);
    }
    return test_random_once_in(&pair->random, 12) ? 0 : work;
}

static void happen(struct pair *pair, const struct grid *grid, int tasks, int64_t now) {
    for (int events = test_random_between(&pair->random, 1, 3); events > 0; events--) {
        int slot = test_random_below(&pair->random, pair->naive.slots);
        if (test_random_once_in(&pair->random, 5)) {
            drop(pair, slot, test_random_once_in(&pair->random, 2), now);
        } else if (pair->task_count < tasks) {
            arrive(pair, slot, draw_work(pair, grid), now);
        }
    }
}

static void decide(struct pair *pair, int64_t now) {
    settle(pair, now);
    naive_time_slicer_decide(&pair->naive);
    check(pair);
}

static void instant(struct pair *pair, const struct grid *grid, int tasks, int64_t now) {
    bool ended = reach(pair, now);
    naive_time_slicer_reach(&pair->naive, now);
    check(pair);
    bool only_looks = test_random_once_in(&pair->random, 6);
    if (!only_looks) {
        happen(pair, grid, tasks, now);
    }
    if (ended || !only_looks) {
        decide(pair, now);
    }
}

static void run_case(struct pair *pair, const struct grid *grid, int64_t slice,
                     int64_t switch_time) {
    int slots = test_random_between(&pair->random, 1, NAIVE_SLOTS);
    int tasks = test_random_between(&pair->random, 1, NAIVE_TASKS);
    time_slicer_initialize(&pair->slicer, slots, slice, switch_time);
    naive_time_slicer_initialize(&pair->naive, slots, slice, switch_time);
    int64_t now = 0;
    while (pair->task_count < tasks) {
        now += grid->unit * test_random_between(&pair->random, 0, grid->gap);
        instant(pair, grid, tasks, now);
    }
    for (int64_t next; (next = time_slicer_next(&pair->slicer)) != SIM_TIME_NEVER;) {
        reach(pair, next);
        naive_time_slicer_reach(&pair->naive, next);
        decide(pair, next);
    }
    assert_int_equal(pair->naive.doing, NAIVE_RESTING);
    time_slicer_terminate(&pair->slicer);
}

static int32_t draw_size(struct test_random *random) {
    static const int32_t sizes[] = {1, 4, 12, 40};
    return sizes[test_random_below(random, 4)];
}

static int64_t draw_switch(struct test_random *random, int64_t unit, int32_t slice_units) {
    return test_random_once_in(random, 3) ? 0
                                          : unit * test_random_between(random, 0, 2 * slice_units);
}

/* Slice and switch in units of the grid. */
static void on_one_grid(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        static const int64_t units[] = {1, 2, 10, 60000, 2000000};
        struct pair pair = {.random = {seed}};
        struct grid grid = {.unit = units[test_random_below(&pair.random, 5)],
                            .gap = draw_size(&pair.random),
                            .work = draw_size(&pair.random)};
        int32_t slice_units = test_random_between(&pair.random, 1, 6);
        run_case(&pair, &grid, grid.unit * slice_units,
                 draw_switch(&pair.random, grid.unit, slice_units));
    }
}

/* Any slice up to 1000 ns, arrivals and work in whole slices, switches or turns. */
static void on_grids_of_turns(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6000; seed++) {
        struct pair pair = {.random = {~seed}};
        int32_t slice = test_random_between(&pair.random, 1, 1000);
        int64_t switch_time = draw_switch(&pair.random, 1, slice);
        const int64_t units[] = {slice, switch_time > 0 ? switch_time : 1, slice + switch_time};
        struct grid grid = {.unit = units[test_random_below(&pair.random, 3)],
                            .gap = draw_size(&pair.random)};
        /* The long way must not become too long. */
        int64_t most = 40 * (int64_t)slice / grid.unit;
        grid.work = (int32_t)(most < 40 ? most : 40) + 1;
        run_case(&pair, &grid, slice, switch_time);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_one_grid),
        cmocka_unit_test(on_grids_of_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
