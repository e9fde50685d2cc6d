/* Invariant: transfers under way share the bandwidth equally at every moment. Cases by hand at 4
 * bytes per ns, and random ones against brute force. */
#include "sim/cluster/storage.h"

#include <math.h>

#include "tests/support/unit.h"

enum { TRANSFERS = 40 };

struct item {
    struct transfer transfer; /* first: the storage hands it back */
    int64_t bytes;
    sim_time begin;
    sim_time cancel; /* SIM_TIME_NEVER: not */
    sim_time end;    /* SIM_TIME_NEVER: not yet, or never */
};

struct bench {
    struct event_queue *events;
    struct storage storage;
    struct item items[TRANSFERS];
    int order[TRANSFERS]; /* of ends */
    int ended;
    int again; /* times that item 0 is to begin anew at its end */
};

static void done(void *context, struct transfer *transfer, sim_time now) {
    struct bench *bench = context;
    struct item *item = (struct item *)transfer;
    assert_false(transfer->under_way);
    item->end = now;
    bench->order[bench->ended++] = (int)(item - bench->items);
    if (item == bench->items && bench->again-- > 0) {
        storage_begin(&bench->storage, transfer, item->bytes, now);
    }
}

static void open_bench(struct bench *bench, double bandwidth) {
    *bench = (struct bench){.events = event_queue_create()};
    storage_initialize(&bench->storage, bandwidth, bench->events);
    for (int i = 0; i < TRANSFERS; i++) {
        bench->items[i] =
            (struct item){.transfer.done = done, .cancel = SIM_TIME_NEVER, .end = SIM_TIME_NEVER};
    }
}

static void close_bench(struct bench *bench) {
    assert_int_equal(event_queue_size(bench->events), 0);
    storage_terminate(&bench->storage);
    event_queue_destroy(bench->events);
}

/* All ends up to then. */
static void go_to(struct bench *bench, sim_time to) {
    while (event_queue_peek(bench->events, NULL) <= to) {
        struct event event;
        if (!event_queue_pop(bench->events, &event)) {
            break;
        }
        event.handle(bench, event.subject);
    }
}

static void begin(struct bench *bench, sim_time at, int item, int64_t bytes) {
    go_to(bench, at);
    bench->items[item].bytes = bytes;
    storage_begin(&bench->storage, &bench->items[item].transfer, bytes, at);
}

/* 140 GB at 4 GB/s take 35 s, at 4.7 GB/s 29.787234042553... s. */
static void one_alone(void **state) {
    (void)state;
    struct bench bench;
    open_bench(&bench, 4e9);
    begin(&bench, 7, 0, INT64_C(140000000000));
    go_to(&bench, SIM_TIME_LONGEST);
    assert_int_equal(bench.items[0].end, 7 + INT64_C(35000000000));
    assert_int_equal(storage_time_alone(&bench.storage, 2), 0);
    assert_int_equal(storage_time_alone(&bench.storage, 3), 1);
    close_bench(&bench);
    open_bench(&bench, 4.7e9);
    begin(&bench, 0, 0, INT64_C(140000000000));
    go_to(&bench, SIM_TIME_LONGEST);
    assert_int_equal(bench.items[0].end, INT64_C(29787234043));
    close_bench(&bench);
}

/* Each alone takes 100 ns. The first is alone 0-50 and shares 50-150, when it is done; the other
 * has 50 left then and takes them alone, until 200. */
static void two_that_overlap_half(void **state) {
    (void)state;
    struct bench bench;
    open_bench(&bench, 4e9);
    begin(&bench, 0, 0, 400);
    begin(&bench, 50, 1, 400);
    assert_int_equal(storage_time_now(&bench.storage, 400, 50), 100 + 50 + 100);
    assert_int_equal(storage_time_now(&bench.storage, 120, 50), 30 + 30 + 30);
    go_to(&bench, 1000);
    assert_int_equal(bench.items[0].end, 150);
    assert_int_equal(bench.items[1].end, 200);
    assert_int_equal(storage_time_now(&bench.storage, 400, 1000), 100);
    close_bench(&bench);
}

/* Three share from 0. At 90 each has had 30 of 100 ns: the first is broken off, and the others need
 * 140 for their 70, until 230. A cancelled one may begin anew: at 230, alone, until 330. */
static void broken_off(void **state) {
    (void)state;
    struct bench bench;
    open_bench(&bench, 4e9);
    for (int i = 0; i < 3; i++) {
        begin(&bench, 0, i, 400);
    }
    go_to(&bench, 90);
    storage_cancel(&bench.storage, &bench.items[0].transfer, 90);
    assert_int_equal(bench.items[0].end, SIM_TIME_NEVER);
    go_to(&bench, 230);
    assert_int_equal(bench.items[1].end, 230);
    assert_int_equal(bench.items[2].end, 230);
    begin(&bench, 230, 0, 400);
    go_to(&bench, 1000);
    assert_int_equal(bench.items[0].end, 330);
    close_bench(&bench);
}

/* At its own end, before that is told, it can still be broken off, and another begin. */
static void broken_off_at_its_end(void **state) {
    (void)state;
    struct bench bench;
    open_bench(&bench, 4e9);
    begin(&bench, 0, 0, 400);
    storage_cancel(&bench.storage, &bench.items[0].transfer, 100);
    storage_begin(&bench.storage, &bench.items[1].transfer, 40, 100);
    go_to(&bench, 1000);
    assert_int_equal(bench.items[0].end, SIM_TIME_NEVER);
    assert_int_equal(bench.items[1].end, 110);
    close_bench(&bench);
}

/* Of those that are through at one moment, the first to begin is first; one that begins anew when
 * it is told so has its turn after them: 400 bytes each by 200, then 400 alone by 300. */
static void ends_at_one_moment(void **state) {
    (void)state;
    struct bench bench;
    open_bench(&bench, 4e9);
    bench.again = 1;
    begin(&bench, 0, 0, 400);
    begin(&bench, 0, 1, 400);
    go_to(&bench, 1000);
    assert_int_equal(bench.ended, 3);
    assert_int_equal(bench.order[0], 0);
    assert_int_equal(bench.order[1], 1);
    assert_int_equal(bench.order[2], 0);
    assert_int_equal(bench.items[1].end, 200);
    assert_int_equal(bench.items[0].end, 300);
    close_bench(&bench);
}

/* No time, but an event: nothing is told before storage_begin is over. So with nothing to move. */
static void without_a_limit(void **state) {
    (void)state;
    struct bench bench;
    for (int limited = 0; limited < 2; limited++) {
        open_bench(&bench, limited * 1e9);
        begin(&bench, 5, 0, limited == 1 ? 0 : INT64_C(1) << 60);
        storage_begin(&bench.storage, &bench.items[1].transfer, limited == 1 ? 0 : 1, 5);
        assert_int_equal(bench.ended, 0);
        go_to(&bench, 5);
        assert_int_equal(bench.ended, 2);
        assert_int_equal(bench.order[0], 0);
        assert_int_equal(bench.items[0].end, 5);
        close_bench(&bench);
    }
}

/* --- Brute force --- */

static int64_t below(struct test_random *random, int64_t count) {
    return (int64_t)(test_random_next(random) % (uint64_t)count);
}

static void draw(struct bench *bench, struct test_random *random) {
    int64_t span = test_random_once_in(random, 3) ? 1000 : INT64_C(3600000000000);
    for (int i = 0; i < TRANSFERS; i++) {
        struct item *item = &bench->items[i];
        item->begin = below(random, span);
        item->bytes = below(random, span / 4) * 3;
        if (test_random_once_in(random, 4)) {
            item->cancel = item->begin + below(random, span);
        }
    }
}

/* The next begin or cancel of the script after `now`. */
static sim_time next_in_script(const struct bench *bench, sim_time now) {
    sim_time next = SIM_TIME_NEVER;
    for (int i = 0; i < TRANSFERS; i++) {
        const struct item *item = &bench->items[i];
        next = item->begin > now && item->begin < next ? item->begin : next;
        next = item->cancel > now && item->cancel < next ? item->cancel : next;
    }
    return next;
}

static void run_script(struct bench *bench) {
    for (sim_time now = next_in_script(bench, -1); now != SIM_TIME_NEVER;
         now = next_in_script(bench, now)) {
        go_to(bench, now);
        for (int i = 0; i < TRANSFERS; i++) {
            struct item *item = &bench->items[i];
            if (item->begin == now) {
                storage_begin(&bench->storage, &item->transfer, item->bytes, now);
            }
            if (item->cancel == now && item->transfer.under_way) {
                storage_cancel(&bench->storage, &item->transfer, now);
            }
        }
    }
    go_to(bench, SIM_TIME_LONGEST);
}

/* The exact ends, -1: broken off. Steps from one change to the next; what is left is in ns alone.
 */
static void step_through(const struct bench *bench, double bandwidth, long double ends[TRANSFERS]) {
    long double left[TRANSFERS];
    bool active[TRANSFERS] = {false};
    long double now = -1;
    for (int i = 0; i < TRANSFERS; i++) {
        left[i] = nearbyintl((long double)bench->items[i].bytes * 1e9L / bandwidth);
        ends[i] = -1;
    }
    for (;;) {
        int count = 0;
        long double least = INFINITY;
        for (int i = 0; i < TRANSFERS; i++) {
            count += active[i];
            least = active[i] && left[i] < least ? left[i] : least;
        }
        sim_time script = next_in_script(bench, (sim_time)floorl(now));
        long double next = count > 0 ? now + least * count : INFINITY;
        bool by_script = (long double)script <= next && script != SIM_TIME_NEVER;
        if (!by_script && count == 0) {
            return;
        }
        next = by_script ? (long double)script : next;
        for (int i = 0; i < TRANSFERS; i++) {
            if (active[i]) {
                left[i] -= (next - now) / count;
                if (left[i] <= 1e-3L) {
                    active[i] = false;
                    ends[i] = next;
                }
            }
        }
        now = next;
        for (int i = 0; i < TRANSFERS && by_script; i++) {
            const struct item *item = &bench->items[i];
            active[i] = (active[i] || item->begin == script) && item->cancel != script;
        }
    }
}

static void as_brute_force_has_it(void **state) {
    (void)state;
    struct test_random random = {.state = 11};
    for (int trial = 0; trial < 400; trial++) {
        struct bench bench;
        double bandwidth = 1e9 * (double)(1 + test_random_below(&random, 12)) / 7;
        open_bench(&bench, bandwidth);
        draw(&bench, &random);
        run_script(&bench);
        long double ends[TRANSFERS];
        step_through(&bench, bandwidth, ends);
        for (int i = 0; i < TRANSFERS; i++) {
            const struct item *item = &bench.items[i];
            bool ended = item->end != SIM_TIME_NEVER;
            if (ended != (ends[i] >= 0)) {
                /* Through and broken off within one nanosecond. */
                assert_true(item->cancel != SIM_TIME_NEVER);
                continue;
            }
            long double off = ended ? (long double)item->end - ends[i] : 0;
            if (off < -0.02L || off > 1.001L) {
                fail_msg("trial %d: transfer %d is %Lg ns off", trial, i, off);
            }
        }
        close_bench(&bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_alone),
        cmocka_unit_test(two_that_overlap_half),
        cmocka_unit_test(broken_off),
        cmocka_unit_test(broken_off_at_its_end),
        cmocka_unit_test(ends_at_one_moment),
        cmocka_unit_test(without_a_limit),
        cmocka_unit_test(as_brute_force_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
