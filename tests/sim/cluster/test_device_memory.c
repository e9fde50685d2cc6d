/* Memory that runs out on one device, against a plain account of who holds what: when, who asks for
 * too much, and how much was in use over time. Bytes are few and rates per day whole, so that ties
 * are common. */
#include <math.h>
#include <stdlib.h>

#include "sim/cluster/device_memory.h"
#include "sim/cluster/engines.h"
#include "sim/cluster/pool.h"
#include "tests/support/unit.h"

enum { TENANTS = 6 };

static const sim_time DAY = 86400 * NANOSECONDS_PER_SECOND;

struct bench {
    struct event_queue *events;
    struct device_host host;
    gpu_time account;
    struct pool pool;
    struct device device;
    struct tenant tenants[TENANTS];
    bool overflowed; /* the event has been handled */
};

static void overflows(void *context, void *subject) {
    struct bench *bench = context;
    assert_ptr_equal(subject, &bench->device);
    bench->device.memory_event = 0;
    bench->overflowed = true;
}

static void set_up(struct bench *bench, int64_t memory, int64_t limit) {
    static const struct sharing_spec spec = {.thread_percentage = 1};
    *bench = (struct bench){.events = event_queue_create()};
    bench->host = (struct device_host){.events = bench->events,
                                       .overflows = overflows,
                                       .accounts = &bench->account,
                                       .pool_count = 1};
    pool_initialize(&bench->pool, "pool", 1, 1, memory);
    bench->device = (struct device){.host = &bench->host,
                                    .pool = &bench->pool,
                                    .profile = -1,
                                    .units = 1,
                                    .sm_share = 1,
                                    .thread_percentage = 1,
                                    .memory = memory,
                                    .memory_limit = limit,
                                    .slots = TENANTS};
    device_initialize(&bench->device, &engine_together, &spec);
}

static void tear_down(struct bench *bench) {
    device_terminate(&bench->device);
    pool_terminate(&bench->pool);
    free(bench->host.unsettled);
    event_queue_destroy(bench->events);
}

static struct tenant *seat(struct bench *bench, int i, int64_t ask, int64_t excess, int64_t growth,
                           sim_time now) {
    struct tenant *tenant = &bench->tenants[i];
    *tenant = (struct tenant){.concurrency = 1,
                              .saturation = 1,
                              .memory = ask,
                              .memory_excess = excess,
                              .memory_growth = growth};
    device_seat(&bench->device, tenant, now);
    return tenant;
}

/* When memory runs out next. */
static sim_time next(const struct bench *bench) {
    enum event_rank rank;
    return event_queue_peek(bench->events, &rank);
}

/* 100 bytes; 40 + 10 a day and 20 + 5 a day: at day 40 / 15 = 2 2/3, to the ns above. Once the
 * first has gone at day 2, the other's 30 reach 100 at day 16; a newcomer of 69 at day 2 makes that
 * 1/5 of a day. */
static void sums_by_hand(void **state) {
    (void)state;
    struct bench bench;
    set_up(&bench, 100, 0);
    struct tenant *a = seat(&bench, 0, 40, 0, 10, 0);
    struct tenant *b = seat(&bench, 1, 20, 0, 5, 0);
    assert_int_equal(next(&bench), (8 * DAY + 2) / 3);
    assert_null(device_memory_culprit(&bench.device, next(&bench) - 1));
    assert_ptr_equal(device_memory_culprit(&bench.device, next(&bench)), a);
    device_unseat(a, 2 * DAY);
    assert_int_equal(next(&bench), 16 * DAY);
    struct tenant *c = seat(&bench, 2, 69, 0, 0, 2 * DAY);
    assert_false(c->memory_refused);
    assert_int_equal(next(&bench), 2 * DAY + DAY / 5);
    assert_ptr_equal(device_memory_culprit(&bench.device, next(&bench)), b);
    device_unseat(c, 2 * DAY);
    device_unseat(b, 3 * DAY);
    assert_int_equal(next(&bench), SIM_TIME_NEVER);
    /* 40 x 2 + 10 x 2 x 2 / 2, and 20 x 3 + 5 x 3 x 3 / 2. */
    double used = (double)pool_measure_at(&bench.pool, 3 * DAY).memory / (double)DAY;
    assert_true(fabs(used - (100 + 82.5)) < 1e-9);
    tear_down(&bench);
}

/* The second was placed by 30, of 60 left, and takes 70: it gets nothing and is the one to go, at
 * once. A third that takes 5 less than it was placed by makes room for who takes 5 more. */
static void what_is_drawn_decides(void **state) {
    (void)state;
    struct bench bench;
    set_up(&bench, 100, 0);
    seat(&bench, 0, 40, 0, 0, 0);
    struct tenant *greedy = seat(&bench, 1, 30, 40, 3, DAY);
    assert_true(greedy->memory_refused);
    assert_int_equal(next(&bench), DAY);
    assert_ptr_equal(device_memory_culprit(&bench.device, DAY), greedy);
    device_unseat(greedy, DAY);
    assert_int_equal(next(&bench), SIM_TIME_NEVER);
    struct tenant *modest = seat(&bench, 2, 30, -5, 0, DAY);
    struct tenant *rest = seat(&bench, 3, 30, 5, 0, DAY);
    assert_false(modest->memory_refused || rest->memory_refused);
    assert_int_equal(next(&bench), SIM_TIME_NEVER);
    double used = (double)pool_measure_at(&bench.pool, 2 * DAY).memory / (double)DAY;
    assert_true(fabs(used - (40 + 40 + 25 + 35)) < 1e-9);
    tear_down(&bench);
}

/* --- The plain account --- */

struct holding {
    bool here;
    bool refused;
    int64_t start;
    int64_t growth;
    sim_time seated;
};

struct plain {
    struct holding tenants[TENANTS];
    int slot_of[TENANTS];
    int64_t memory;
    int64_t limit;
    long double used_days; /* byte-days up to `now` */
    sim_time now;
};

/* In units of 1 byte / DAY. */
static __int128 held(const struct holding *holding, sim_time time) {
    return !holding->here || holding->refused
               ? 0
               : (__int128)holding->start * DAY +
                     (__int128)holding->growth * (time - holding->seated);
}

static __int128 sum(const struct plain *plain, sim_time time) {
    __int128 all = 0;
    for (int i = 0; i < TENANTS; i++) {
        all += held(&plain->tenants[i], time);
    }
    return all;
}

/* Who is to go at that time: a tenant's number, -1: nobody. */
static int culprit(const struct plain *plain, sim_time time) {
    int refused = -1;
    int limited = -1;
    int fastest = -1;
    for (int slot = 0; slot < TENANTS; slot++) {
        for (int i = 0; i < TENANTS; i++) {
            const struct holding *holding = &plain->tenants[i];
            if (!holding->here || plain->slot_of[i] != slot) {
                continue;
            }
            if (holding->refused) {
                refused = refused < 0 ? i : refused;
            } else if (holding->growth > 0) {
                bool over = plain->limit > 0 && held(holding, time) >= (__int128)plain->limit * DAY;
                limited = over && limited < 0 ? i : limited;
                const struct holding *best = fastest < 0 ? NULL : &plain->tenants[fastest];
                bool first =
                    best == NULL || holding->growth > best->growth ||
                    (holding->growth == best->growth && held(holding, time) > held(best, time));
                fastest = first ? i : fastest;
            }
        }
    }
    bool full = sum(plain, time) >= (__int128)plain->memory * DAY;
    return refused >= 0 ? refused : limited >= 0 ? limited : full ? fastest : -1;
}

/* The first time from now on at which somebody is to go, by bisection. */
static sim_time first_overflow(const struct plain *plain) {
    sim_time never = plain->now + 100000 * DAY;
    sim_time low = plain->now;
    sim_time high = never;
    if (culprit(plain, high) < 0) {
        return SIM_TIME_NEVER;
    }
    while (low < high) {
        sim_time middle = low + (high - low) / 2;
        if (culprit(plain, middle) >= 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static void go_on(struct plain *plain, sim_time time) {
    for (int i = 0; i < TENANTS; i++) {
        long double from = (long double)held(&plain->tenants[i], plain->now);
        long double to = (long double)held(&plain->tenants[i], time);
        long double days = (long double)(time - plain->now) / (long double)DAY;
        plain->used_days += (from + to) / 2 / (long double)DAY * days;
    }
    plain->now = time;
}

static void leave(struct bench *bench, struct plain *plain, int i) {
    device_unseat(&bench->tenants[i], plain->now);
    plain->tenants[i].here = false;
}

/* Asks fit, as those that the scheduler places do. */
static void come(struct bench *bench, struct plain *plain, struct test_random *random, int i) {
    struct holding *holding = &plain->tenants[i];
    int64_t left = bench->device.memory - bench->device.memory_used;
    left = plain->limit > 0 && plain->limit < left ? plain->limit : left;
    int64_t ask = test_random_between(random, 0, (int32_t)left);
    bool drawn = test_random_once_in(random, 3);
    int64_t start = drawn ? test_random_between(random, 0, 60) : ask;
    int64_t growth = test_random_once_in(random, 2) ? test_random_between(random, 1, 9) : 0;
    __int128 all = sum(plain, plain->now) + (__int128)start * DAY;
    bool refused =
        all > (__int128)plain->memory * DAY || (plain->limit > 0 && start > plain->limit);
    seat(bench, i, ask, start - ask, growth, plain->now);
    *holding = (struct holding){true, refused, start, growth, plain->now};
    plain->slot_of[i] = bench->tenants[i].slot;
}

static void overflow(struct bench *bench, struct plain *plain, sim_time due) {
    struct event event;
    go_on(plain, due);
    assert_true(event_queue_pop(bench->events, &event));
    assert_int_equal(event.time, due);
    event.handle(bench, event.subject);
    int expected = culprit(plain, due);
    assert_ptr_equal(device_memory_culprit(&bench->device, due), &bench->tenants[expected]);
    leave(bench, plain, expected);
}

static void like_a_plain_account(void **state) {
    (void)state;
    enum { RUNS = 300, STEPS = 60 };
    struct test_random random = {.state = 7};
    int overflow_count = 0;
    for (int run = 0; run < RUNS; run++) {
        struct bench bench;
        struct plain plain = {.memory = test_random_between(&random, 50, 100),
                              .limit = test_random_once_in(&random, 3) ? 40 : 0};
        set_up(&bench, plain.memory, plain.limit);
        for (int step = 0; step < STEPS; step++) {
            sim_time pause = test_random_once_in(&random, 2)
                                 ? test_random_below(&random, 4) * DAY
                                 : (sim_time)(test_random_next(&random) % (uint64_t)(3 * DAY));
            sim_time time = plain.now + pause;
            sim_time due = first_overflow(&plain);
            while (due <= time) {
                assert_int_equal(next(&bench), due);
                overflow(&bench, &plain, due);
                overflow_count++;
                due = first_overflow(&plain);
            }
            assert_int_equal(next(&bench), due);
            go_on(&plain, time);
            int i = test_random_below(&random, TENANTS);
            if (plain.tenants[i].here) {
                leave(&bench, &plain, i);
            } else {
                come(&bench, &plain, &random, i);
            }
        }
        double used = (double)pool_measure_at(&bench.pool, plain.now).memory / (double)DAY;
        assert_true(fabs(used - (double)plain.used_days) < 1e-6);
        tear_down(&bench);
    }
    assert_true(overflow_count > RUNS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_by_hand),
        cmocka_unit_test(what_is_drawn_decides),
        cmocka_unit_test(like_a_plain_account),
    };
    return cmocka_run_group_tests_name("device memory", tests, NULL, NULL);
}
