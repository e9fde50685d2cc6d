/* What happens within the queue: sequence numbers that run out, where keys and slots lie in memory,
 * and that a warm queue allocates nothing. */
#include "sim/kernel/event_queue.h"
#include "tests/support/unit.h"

static void on_event(void *context, void *subject) {
    (void)context;
    (void)subject;
}

static void *subject_number(uintptr_t number) {
    return (void *)number;
}

/* Numbers run out in the middle of ties, with cancelled events in between: the order of insertion
 * holds across the renumbering, and old ids still cancel. */
static void sequence_numbers_run_out(void **state) {
    (void)state;
    enum { N = 1000 };
    for (int before = 1; before < N; before += 97) {
        struct event_queue *queue = event_queue_create();
        event_id ids[N];
        queue->next_sequence = EVENT_SEQUENCE_END - (uint64_t)before;
        for (int i = 0; i < N; i++) {
            ids[i] = event_queue_push(queue, i % 3, RANK_ARRIVAL, on_event,
                                      subject_number((uintptr_t)i));
            if (i % 7 == 3) {
                assert_true(event_queue_cancel(queue, ids[i - 1]));
            }
        }
        assert_true(queue->next_sequence <= N); /* it happened */
        for (int i = 0; i < N; i++) {
            if (i % 7 == 5) {
                assert_true(event_queue_cancel(queue, ids[i]));
            }
        }
        for (int time = 0; time < 3; time++) {
            for (int i = time; i < N; i += 3) {
                if (i % 7 == 5 || (i % 7 == 2 && i + 1 < N)) {
                    continue;
                }
                struct event event;
                assert_true(event_queue_pop(queue, &event));
                assert_int_equal(event.time, time);
                assert_ptr_equal(event.subject, subject_number((uintptr_t)i));
            }
        }
        assert_int_equal(event_queue_size(queue), 0);
        event_queue_destroy(queue);
    }
}

/* Between a pop and the push that follows. */
static void numbers_run_out_after_a_pop(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    struct event event;
    for (uintptr_t i = 0; i < 3; i++) {
        event_queue_push(queue, 1, RANK_END, on_event, subject_number(i));
    }
    assert_true(event_queue_pop(queue, &event) && event.subject == subject_number(0));
    queue->next_sequence = EVENT_SEQUENCE_END;
    event_queue_push(queue, 1, RANK_END, on_event, subject_number(3));
    assert_true(queue->next_sequence == 3);
    for (uintptr_t i = 1; i <= 3; i++) {
        assert_true(event_queue_pop(queue, &event) && event.subject == subject_number(i));
    }
    assert_false(event_queue_pop(queue, &event));
    event_queue_destroy(queue);
}

/* Each group of children starts a cache line, after growing too; past the end are last keys. */
static void the_layout(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    for (int i = 0; i < 5000; i++) {
        event_queue_push(queue, 5000 - i, RANK_END, on_event, NULL);
        assert_int_equal((uintptr_t)&queue->keys[1] % 64, 0);
        assert_int_equal((uintptr_t)&queue->slots[0] % 64, 0);
        assert_true(queue->keys[queue->count] == EVENT_LAST_KEY);
    }
    event_queue_destroy(queue);
}

/* Once warm, a queue does not grow: 100,000 events through one that holds 1000. */
static void no_allocation_once_warm(void **state) {
    (void)state;
    struct event_queue *queue = event_queue_create();
    struct test_random random = {1};
    for (int i = 0; i < 1000; i++) {
        event_queue_push(queue, test_random_below(&random, 100), RANK_END, on_event, NULL);
    }
    const void *keys = queue->keys;
    const void *slots = queue->slots;
    event_id cancel = 0;
    for (int i = 0; i < 100000; i++) {
        struct event event;
        assert_true(event_queue_pop(queue, &event));
        sim_time time = event.time + test_random_below(&random, 100);
        event_queue_push(queue, time, RANK_END, on_event, NULL);
        event_queue_cancel(queue, cancel);
        while (event_queue_size(queue) < 1000) {
            cancel = event_queue_push(queue, time + 5, RANK_TIMEOUT, on_event, NULL);
        }
    }
    assert_ptr_equal(queue->keys, keys);
    assert_ptr_equal(queue->slots, slots);
    event_queue_destroy(queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequence_numbers_run_out),
        cmocka_unit_test(numbers_run_out_after_a_pop),
        cmocka_unit_test(the_layout),
        cmocka_unit_test(no_allocation_once_warm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
