/* The queue against a naive one, and what its contract promises about ties, cancelled events, stale
 * ids and what follows a pop. */
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/event_queue.h"
#include "tests/support/unit.h"

static void on_event(void *context, void *subject) {
    (void)context;
    (void)subject;
}

static void on_other_event(void *context, void *subject) {
    (void)context;
    (void)subject;
}

static void *subject_number(uintptr_t number) {
    return (void *)number;
}

/* The naive model: a list of which the least by (time, rank, insertion) is looked up each time. */
struct pending {
    sim_time time;
    enum event_rank rank;
    uint64_t order;
    event_id id;
};

struct model {
    struct pending *items;
    size_t count;
    uint64_t inserted;
};

static size_t model_first(const struct model *model) {
    size_t first = 0;
    for (size_t i = 1; i < model->count; i++) {
        const struct pending *a = &model->items[i];
        const struct pending *b = &model->items[first];
        bool earlier = a->time != b->time   ? a->time < b->time
                       : a->rank != b->rank ? a->rank < b->rank
                                            : a->order < b->order;
        first = earlier ? i : first;
    }
    return first;
}

static void model_remove(struct model *model, size_t i) {
    model->items[i] = model->items[--model->count];
}

enum { STALE = 64 };

/* One random program of pushes, pops and cancellations; `spread` small makes many ties. */
struct program {
    int steps;
    size_t most; /* events pending */
    int spread;
    int cancel_once_in;
    int beget_once_in; /* pops after which the popped event's id is tried and others are pushed */
};

struct run {
    struct event_queue *queue;
    struct model model;
    struct test_random random;
    sim_time now;
    event_id stale[STALE];
    uint64_t ended;
};

static void push_one(struct run *run, const struct program *program) {
    struct pending *item = &run->model.items[run->model.count++];
    item->time = run->now + test_random_below(&run->random, program->spread);
    item->rank = (enum event_rank)test_random_below(&run->random, RANK_COUNT);
    item->order = run->model.inserted++;
    item->id = event_queue_push(run->queue, item->time, item->rank,
                                item->order % 2 == 0 ? on_event : on_other_event,
                                subject_number(item->order));
    assert_true(item->id != 0);
}

static void forget(struct run *run, size_t i) {
    run->stale[run->ended++ % STALE] = run->model.items[i].id;
    model_remove(&run->model, i);
}

static void pop_one(struct run *run) {
    struct event event;
    if (run->model.count == 0) {
        assert_false(event_queue_pop(run->queue, &event));
        assert_null(event.handle);
        return;
    }
    size_t first = model_first(&run->model);
    const struct pending *expected = &run->model.items[first];
    enum event_rank rank;
    assert_true(event_queue_peek(run->queue, &rank) == expected->time);
    assert_int_equal(rank, expected->rank);
    assert_true(event_queue_pop(run->queue, &event));
    assert_true(event.time == expected->time && event.time >= run->now);
    assert_ptr_equal(event.subject, subject_number(expected->order));
    assert_true(event.handle == (expected->order % 2 == 0 ? on_event : on_other_event));
    run->now = event.time;
    forget(run, first);
}

static void cancel_one(struct run *run) {
    if (run->model.count > 0) {
        size_t i = (size_t)test_random_below(&run->random, (int32_t)run->model.count);
        assert_true(event_queue_cancel(run->queue, run->model.items[i].id));
        forget(run, i);
    }
    assert_false(
        event_queue_cancel(run->queue, run->stale[test_random_below(&run->random, STALE)]));
}

static void check_first(struct run *run) {
    sim_time first =
        run->model.count == 0 ? SIM_TIME_NEVER : run->model.items[model_first(&run->model)].time;
    assert_true(event_queue_peek(run->queue, NULL) == first);
    assert_true(event_queue_size(run->queue) == run->model.count);
}

/* What may follow a pop before the queue has closed the gap: the popped id cancelled in vain,
 * another event cancelled, the next first event looked at, none to three events pushed. */
static void beget(struct run *run, const struct program *program) {
    if (run->model.count == 0 || run->model.count + 3 > program->most) {
        return;
    }
    pop_one(run);
    if (test_random_once_in(&run->random, 3)) {
        event_id popped = run->stale[(run->ended - 1) % STALE];
        assert_false(event_queue_cancel(run->queue, popped));
    }
    if (test_random_once_in(&run->random, 5)) {
        cancel_one(run);
    }
    int pushes = test_random_below(&run->random, 4);
    for (int i = 0; i < pushes; i++) {
        if (test_random_once_in(&run->random, 2)) {
            check_first(run);
        }
        push_one(run, program);
    }
}

static void check_program(const struct program *program, uint64_t seed) {
    struct run run = {.queue = event_queue_create(), .random = {seed}};
    run.model.items = calloc(program->most, sizeof(struct pending));
    for (int step = 0; step < program->steps; step++) {
        /* In turns more pushes and more pops, so that the queue fills and empties. */
        bool filling = step / (int)program->most % 2 == 0;
        if (test_random_once_in(&run.random, program->cancel_once_in)) {
            cancel_one(&run);
        } else if (test_random_once_in(&run.random, program->beget_once_in)) {
            beget(&run, program);
        } else if (run.model.count < program->most &&
                   test_random_below(&run.random, 10) < (filling ? 7 : 3)) {
            push_one(&run, program);
        } else {
            pop_one(&run);
        }
        check_first(&run);
    }
    while (run.model.count > 0) {
        pop_one(&run);
    }
    pop_one(&run);
    free(run.model.items);
    event_queue_destroy(run.queue);
}

static void random_programs(void **state) {
    (void)state;
    const struct program programs[] = {
        {100000, 5, 3, 4, 3},      {100000, 40, 1, 5, 2},    {100000, 200, 50, 3, 2},
        {20000, 700, 5, 2, 2},     {20000, 700, 1000, 9, 2}, {20000, 700, 1000000, 3, 4},
        {30000, 6000, 100, 20, 3}, {50000, 12, 2, 50, 1},
    };
    for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++) {
        check_program(&programs[i], i + 1);
        check_program(&programs[i], i + 1000);
    }
}

static void one_instant_goes_by_rank_then_by_insertion(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    for (uintptr_t i = 0; i < 400; i++) {
        event_queue_push(queue, 5, (enum event_rank)(3 - i % 4), on_event, subject_number(i));
    }
    for (uintptr_t i = 0; i < 400; i++) {
        struct event event;
        assert_true(event_queue_pop(queue, &event));
        /* Of rank r, the k-th pushed is number 4 k + 3 - r. */
        assert_ptr_equal(event.subject, subject_number(4 * (i % 100) + 3 - i / 100));
    }
    event_queue_destroy(queue);
}

static void at_the_present_time_too(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    struct event event;
    event_queue_push(queue, 5, RANK_SCHEDULE, on_event, subject_number(1));
    assert_true(event_queue_pop(queue, &event));
    event_queue_push(queue, 5, RANK_SCHEDULE, on_event, subject_number(2));
    event_id end = event_queue_push(queue, 5, RANK_END, on_event, subject_number(3));
    event_queue_push(queue, 5, RANK_END, on_event, subject_number(4));
    assert_true(event_queue_cancel(queue, end));
    assert_true(event_queue_pop(queue, &event) && event.subject == subject_number(4));
    assert_true(event_queue_pop(queue, &event) && event.subject == subject_number(2));
    assert_false(event_queue_pop(queue, &event));
    event_queue_destroy(queue);
}

/* A popped event's place waits for the next push: nobody sees it. */
static void after_a_pop(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    struct event event;
    enum event_rank rank;
    event_id first = event_queue_push(queue, 5, RANK_END, on_event, subject_number(1));
    event_queue_push(queue, 7, RANK_SCHEDULE, on_event, subject_number(2));
    event_id last = event_queue_push(queue, 9, RANK_END, on_event, subject_number(3));
    assert_true(event_queue_pop(queue, &event) && event.subject == subject_number(1));
    assert_int_equal(event_queue_size(queue), 2);
    assert_true(event_queue_peek(queue, &rank) == 7 && rank == RANK_SCHEDULE);
    assert_false(event_queue_cancel(queue, first));
    /* Of the next one's time: of equal rank it comes after it, of an earlier rank before. */
    event_id same = event_queue_push(queue, 7, RANK_SCHEDULE, on_event, subject_number(4));
    assert_true(same != first && !event_queue_cancel(queue, first));
    assert_true(event_queue_peek(queue, NULL) == 7);
    assert_true(event_queue_pop(queue, &event) && event.subject == subject_number(2));
    event_queue_push(queue, 7, RANK_END, on_event, subject_number(5));
    assert_true(event_queue_pop(queue, &event) && event.subject == subject_number(5));
    assert_true(event_queue_cancel(queue, last));
    assert_int_equal(event_queue_size(queue), 1);
    assert_true(event_queue_pop(queue, &event) && event.subject == subject_number(4));
    assert_int_equal(event_queue_size(queue), 0);
    assert_true(event_queue_peek(queue, NULL) == SIM_TIME_NEVER);
    assert_false(event_queue_cancel(queue, same));
    event_queue_prefetch(queue);
    assert_false(event_queue_pop(queue, &event));
    event_queue_destroy(queue);
}

static void an_empty_queue(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    struct event event;
    enum event_rank rank;
    for (int round = 0; round < 2; round++) {
        assert_true(event_queue_peek(queue, &rank) == SIM_TIME_NEVER);
        assert_true(rank >= RANK_COUNT);
        assert_int_equal(event_queue_size(queue), 0);
        assert_false(event_queue_pop(queue, &event));
        event_queue_prefetch(queue);
        event_queue_push(queue, 1, RANK_END, on_event, NULL);
        event_queue_prefetch(queue);
        assert_true(event_queue_pop(queue, &event));
    }
    event_queue_destroy(queue);
    event_queue_destroy(NULL);
}

/* A slot is used anew by the next push: an id must not reach the event that came after its own. */
static void stale_ids_reach_nothing(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    struct event event;
    assert_false(event_queue_cancel(queue, 0));
    assert_false(event_queue_cancel(queue, 1)); /* a slot's first id, not handed out yet */
    assert_false(event_queue_cancel(queue, UINT64_MAX));
    event_id popped = event_queue_push(queue, 1, RANK_END, on_event, NULL);
    assert_true(event_queue_pop(queue, &event));
    event_id cancelled = event_queue_push(queue, 1, RANK_END, on_event, NULL);
    assert_true(event_queue_cancel(queue, cancelled));
    event_id live = event_queue_push(queue, 1, RANK_END, on_event, NULL);
    assert_false(event_queue_cancel(queue, popped));
    assert_false(event_queue_cancel(queue, cancelled));
    assert_int_equal(event_queue_size(queue), 1);
    assert_true(event_queue_cancel(queue, live));
    assert_false(event_queue_cancel(queue, live));
    assert_false(event_queue_pop(queue, &event));
    event_queue_destroy(queue);
}

static void times_below_zero_and_at_the_end_of_time(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    const sim_time times[] = {0, SIM_TIME_NEVER - 1, -1, INT64_MIN, 1};
    const sim_time sorted[] = {INT64_MIN, -1, 0, 1, SIM_TIME_NEVER - 1};
    for (int i = 0; i < 5; i++) {
        event_queue_push(queue, times[i], RANK_TIMEOUT, on_event, NULL);
    }
    for (int i = 0; i < 5; i++) {
        struct event event;
        assert_true(event_queue_pop(queue, &event) && event.time == sorted[i]);
    }
    event_queue_destroy(queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),
        cmocka_unit_test(one_instant_goes_by_rank_then_by_insertion),
        cmocka_unit_test(at_the_present_time_too),
        cmocka_unit_test(after_a_pop),
        cmocka_unit_test(an_empty_queue),
        cmocka_unit_test(stale_ids_reach_nothing),
        cmocka_unit_test(times_below_zero_and_at_the_end_of_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
