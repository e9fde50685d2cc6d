/* The event queue with more events than are kept near: against a sorted list of what is pending. */
#include <stdlib.h>

#include "sim/kernel/event_queue.h"
#include "tests/support/unit.h"

enum { MANY = 60000 };

struct pending {
    sim_time time;
    enum event_rank rank;
    uint64_t order;
    event_id id;
    bool cancelled;
};

static int compare_pending(const void *left, const void *right) {
    const struct pending *a = left;
    const struct pending *b = right;
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    if (a->rank != b->rank) {
        return a->rank < b->rank ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

static void nothing(void *context, void *subject) {
    (void)context;
    (void)subject;
}

/* Pushes MANY events from `from` on, `spread` apart at most, and cancels one in `cancel` of them.
 */
static void fill(struct event_queue *queue, struct pending *pending, struct test_random *random,
                 sim_time from, int32_t spread, int32_t cancel) {
    static int subjects[MANY];
    for (uint64_t i = 0; i < MANY; i++) {
        struct pending *event = &pending[i];
        *event = (struct pending){.time = from + test_random_below(random, spread),
                                  .rank = test_random_below(random, 2) ? RANK_END : RANK_TIMEOUT,
                                  .order = i};
        event->id = event_queue_push(queue, event->time, event->rank, nothing, &subjects[i]);
        if (test_random_once_in(random, cancel)) {
            struct pending *victim = &pending[test_random_below(random, (int32_t)i + 1)];
            assert_int_equal(event_queue_cancel(queue, victim->id), !victim->cancelled);
            victim->cancelled = true;
        }
    }
}

static void drain(struct event_queue *queue, struct pending *pending) {
    uint64_t left = 0;
    for (uint64_t i = 0; i < MANY; i++) {
        left += !pending[i].cancelled;
    }
    qsort(pending, MANY, sizeof pending[0], compare_pending);
    for (uint64_t i = 0; i < MANY; i++) {
        if (pending[i].cancelled) {
            assert_false(event_queue_cancel(queue, pending[i].id));
            continue;
        }
        enum event_rank rank = RANK_COUNT;
        struct event event;
        assert_int_equal(event_queue_size(queue), left--);
        assert_int_equal(event_queue_peek(queue, &rank), pending[i].time);
        assert_int_equal(rank, pending[i].rank);
        assert_true(event_queue_pop(queue, &event));
        assert_int_equal(event.time, pending[i].time);
    }
    assert_int_equal(event_queue_size(queue), 0);
    assert_int_equal(event_queue_peek(queue, NULL), SIM_TIME_NEVER);
}

/* Widely spread, crowded and all at one instant; hardly any and nearly all cancelled. */
static void in_order_whatever_the_times(void **state) {
    (void)state;
    static const int32_t cases[][2] = {{1000000000, 1000}, {1000000000, 1}, {500, 3}, {1, 2}};
    struct test_random random = {.state = 7};
    struct event_queue *queue = event_queue_create();
    struct pending *pending = calloc(MANY, sizeof *pending);
    sim_time from = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        fill(queue, pending, &random, from, cases[i][0], cases[i][1]);
        drain(queue, pending);
        from += cases[i][0];
    }
    free(pending);
    event_queue_destroy(queue);
}

/* Each pop is followed by a push, as in a simulation: time never runs backwards, ties come in order
 * of insertion, and the subjects that come out are those that went in. */
static void holds_run_forwards(void **state) {
    (void)state;
    struct test_random random = {.state = 11};
    struct event_queue *queue = event_queue_create();
    uint64_t *pushed = calloc(MANY, sizeof *pushed);
    uint64_t order = 0;
    for (int i = 0; i < MANY; i++) {
        pushed[i] = order++;
        event_queue_push(queue, test_random_below(&random, 100000), RANK_END, nothing, &pushed[i]);
    }
    struct event last = {.time = -1};
    uint64_t last_order = 0;
    for (int i = 0; i < 20 * MANY; i++) {
        struct event event;
        assert_true(event_queue_pop(queue, &event));
        uint64_t *subject = event.subject;
        assert_true(event.time > last.time || (event.time == last.time && *subject > last_order));
        last = event;
        last_order = *subject;
        *subject = order++;
        sim_time ahead = test_random_once_in(&random, 10) ? test_random_below(&random, 3)
                                                          : test_random_below(&random, 200000);
        event_queue_push(queue, event.time + ahead, RANK_END, nothing, subject);
        assert_int_equal(event_queue_size(queue), MANY);
    }
    free(pushed);
    event_queue_destroy(queue);
}

/* The model of random interleavings: a binary heap of all that was pushed, from which cancelled
 * events are dropped when they surface. */
struct model {
    struct pending **heap;
    size_t count;
    size_t live;
};

static void model_swap(struct model *model, size_t i, size_t j) {
    struct pending *pending = model->heap[i];
    model->heap[i] = model->heap[j];
    model->heap[j] = pending;
}

static bool earlier(const struct model *model, size_t i, size_t j) {
    return compare_pending(model->heap[i], model->heap[j]) < 0;
}

static void model_push(struct model *model, struct pending *pending) {
    size_t i = model->count++;
    model->heap[i] = pending;
    model->live++;
    for (; i > 0 && earlier(model, i, (i - 1) / 2); i = (i - 1) / 2) {
        model_swap(model, i, (i - 1) / 2);
    }
}

static void model_drop_first(struct model *model) {
    model_swap(model, 0, --model->count);
    for (size_t i = 0, child; (child = 2 * i + 1) < model->count; i = child) {
        child += child + 1 < model->count && earlier(model, child + 1, child);
        if (!earlier(model, child, i)) {
            return;
        }
        model_swap(model, i, child);
    }
}

static struct pending *model_first(struct model *model) {
    while (model->count > 0 && model->heap[0]->cancelled) {
        model_drop_first(model);
    }
    return model->count > 0 ? model->heap[0] : NULL;
}

enum { ROUNDS = 2, FILLED = 36000, HELD_STEPS = 15000, PUSHES = 300000 };

struct interleaving {
    struct event_queue *queue;
    struct model model;
    struct pending *pushed;
    uint64_t pushes;
    struct test_random random;
    sim_time now;
    int32_t spread;
};

/* Mostly within the spread, now and then this very instant or far beyond it. */
static void interleaved_push(struct interleaving *run) {
    struct pending *event = &run->pushed[run->pushes];
    int32_t kind = test_random_below(&run->random, 10);
    sim_time ahead = kind == 0   ? 0
                     : kind == 1 ? 20 * (sim_time)test_random_below(&run->random, run->spread)
                                 : test_random_below(&run->random, run->spread);
    *event = (struct pending){.time = run->now + ahead,
                              .rank = test_random_below(&run->random, 2) ? RANK_END : RANK_TIMEOUT,
                              .order = run->pushes++};
    event->id = event_queue_push(run->queue, event->time, event->rank, nothing, event);
    model_push(&run->model, event);
}

static void interleaved_pop(struct interleaving *run) {
    struct pending *expected = model_first(&run->model);
    struct event event;
    assert_int_equal(event_queue_pop(run->queue, &event), expected != NULL);
    if (expected == NULL) {
        return;
    }
    assert_ptr_equal(event.subject, expected);
    assert_true(event.time == expected->time);
    run->now = event.time;
    model_drop_first(&run->model);
    run->model.live--;
    expected->cancelled = true; /* no longer there, either way */
}

static void interleaved_cancel(struct interleaving *run, struct pending *victim) {
    assert_int_equal(event_queue_cancel(run->queue, victim->id), !victim->cancelled);
    run->model.live -= !victim->cancelled;
    victim->cancelled = true;
}

static void interleaved_step(struct interleaving *run, bool growing) {
    int32_t kind = test_random_below(&run->random, 16);
    if (kind < (growing ? 6 : 1)) {
        interleaved_push(run);
    } else if (kind < 8) {
        interleaved_pop(run);
    } else if (kind < 9 && run->pushes > 0) {
        uint64_t back = (uint64_t)test_random_below(&run->random, 100000);
        uint64_t last = run->pushes - 1;
        interleaved_cancel(run, &run->pushed[back < last ? last - back : last]);
    } else {
        const struct pending *first = model_first(&run->model);
        interleaved_pop(run);
        if (first != NULL && kind == 10) {
            assert_false(event_queue_cancel(run->queue, first->id));
        }
        if (kind > 10 || growing) {
            interleaved_push(run);
        }
    }
    const struct pending *first = model_first(&run->model);
    enum event_rank rank;
    assert_true(event_queue_peek(run->queue, &rank) ==
                (first == NULL ? SIM_TIME_NEVER : first->time));
    assert_true(first == NULL || rank == first->rank);
    assert_int_equal(event_queue_size(run->queue), run->model.live);
}

/* Pushes, pops, pushes that follow a pop and cancellations in any order, while events go from near
 * to far and back: filled beyond what is kept near, held there, emptied and filled again. */
static void any_interleaving(void **state) {
    (void)state;
    static const int32_t spreads[] = {20, 3000, 1000000};
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++) {
        struct interleaving run = {.queue = event_queue_create(),
                                   .pushed = calloc(PUSHES, sizeof *run.pushed),
                                   .random = {.state = 17 + i},
                                   .spread = spreads[i]};
        run.model.heap = calloc(PUSHES, sizeof *run.model.heap);
        for (int round = 0; round < ROUNDS; round++) {
            while (run.model.live < FILLED) {
                interleaved_push(&run);
            }
            for (int step = 0; step < HELD_STEPS; step++) {
                interleaved_step(&run, true);
            }
            while (run.model.live > 0) {
                interleaved_step(&run, false);
            }
        }
        assert_true(run.pushes < PUSHES);
        interleaved_pop(&run);
        free(run.model.heap);
        free(run.pushed);
        event_queue_destroy(run.queue);
    }
}

/* Numbers of insertion begin anew in the midst of far events: their order stays. */
static void numbers_begin_anew(void **state) {
    (void)state;
    struct test_random random = {.state = 13};
    struct event_queue *queue = event_queue_create();
    struct pending *pending = calloc(MANY, sizeof *pending);
    queue->next_sequence = EVENT_SEQUENCE_END - MANY / 2;
    fill(queue, pending, &random, 0, 50, 4);
    assert_true(queue->next_sequence <= MANY);
    drain(queue, pending);
    free(pending);
    event_queue_destroy(queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_order_whatever_the_times),
        cmocka_unit_test(holds_run_forwards),
        cmocka_unit_test(any_interleaving),
        cmocka_unit_test(numbers_begin_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
