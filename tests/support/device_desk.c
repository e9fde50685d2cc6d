#include "tests/support/device_desk.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/unit.h"

void desk_expect_near(double actual, double expected, double apart) {
    if (!(fabs(actual - expected) <= apart)) {
        fail_msg("%.12g, not %.12g", actual, expected);
    }
}

static sim_time at(double seconds) {
    return sim_time_from_seconds(seconds);
}

static void task_ended(void *context, struct tenant *tenant, struct task *task,
                       const struct task_parts *parts, sim_time now) {
    struct device_desk *told = context;
    (void)tenant;
    told->ended_s[task - told->tasks] = sim_time_to_seconds(now);
    told->parts[task - told->tasks] = *parts;
}

void desk_open(struct device_desk *desk, const struct device_engine *engine, int32_t slots,
               const struct sharing_spec *spec) {
    *desk = (struct device_desk){.events = event_queue_create()};
    desk->host =
        (struct device_host){.events = desk->events, .accounts = desk->accounts, .pool_count = 1};
    pool_initialize(&desk->pool, "pool", 1, 1, 0);
    desk->device = (struct device){.host = &desk->host,
                                   .pool = &desk->pool,
                                   .profile = -1,
                                   .units = 1,
                                   .sm_share = 1,
                                   .thread_percentage = 1,
                                   .slots = slots};
    device_initialize(&desk->device, engine, spec);
    for (int i = 0; i < DESK_TENANTS; i++) {
        desk->tenants[i] = (struct tenant){.task_ended = task_ended,
                                           .workload = i,
                                           .account = i,
                                           .concurrency = 1,
                                           .saturation = 1};
    }
    for (int i = 0; i < DESK_TASKS; i++) {
        desk->ended_s[i] = -1;
    }
}

void desk_close(struct device_desk *desk) {
    device_terminate(&desk->device);
    pool_terminate(&desk->pool);
    event_queue_destroy(desk->events);
    free(desk->host.unsettled);
}

void desk_go_to(struct device_desk *desk, double seconds) {
    sim_time to = at(seconds);
    for (;;) {
        enum event_rank rank;
        sim_time next = event_queue_peek(desk->events, &rank);
        if (!device_host_is_settled(&desk->host) && (next > desk->now && to > desk->now)) {
            device_host_settle(&desk->host, desk->now);
            continue;
        }
        if (next > to || next == SIM_TIME_NEVER) {
            break;
        }
        struct event event;
        event_queue_pop(desk->events, &event);
        desk->now = event.time;
        event.handle(desk, event.subject);
    }
    desk->now = to;
}

void desk_seat(struct device_desk *desk, double at_s, int tenant) {
    desk_go_to(desk, at_s);
    device_seat(&desk->device, &desk->tenants[tenant], desk->now);
}

void desk_unseat(struct device_desk *desk, double at_s, int tenant) {
    desk_go_to(desk, at_s);
    device_unseat(&desk->tenants[tenant], desk->now);
}

void desk_set(struct device_desk *desk, double at_s, int tenant, enum tenant_state state) {
    desk_go_to(desk, at_s);
    device_set_state(&desk->tenants[tenant], state, desk->now);
}

void desk_load(struct device_desk *desk, double at_s, int tenant, bool loading) {
    desk_set(desk, at_s, tenant, loading ? TENANT_LOADS : TENANT_WAITS);
}

void desk_begin(struct device_desk *desk, double at_s, int tenant, int task, double work_s) {
    desk_go_to(desk, at_s);
    device_begin(&desk->tenants[tenant], &desk->tasks[task], at(work_s), desk->now);
}

void desk_expect_end(const struct device_desk *desk, int task, double at_s) {
    desk_expect_near(desk->ended_s[task], at_s, 1.5e-9);
}

void desk_expect_time(struct device_desk *desk, double at_s, double useful, double loading,
                      double switching, double held_idle) {
    desk_go_to(desk, at_s);
    device_book(&desk->device, desk->now);
    const double expected[] = {[GPU_USEFUL] = useful,
                               [GPU_LOADING] = loading,
                               [GPU_SWITCH] = switching,
                               [GPU_HELD_IDLE] = held_idle,
                               [GPU_IDLE] = at_s - useful - loading - switching - held_idle};
    for (int i = 0; i <= GPU_IDLE; i++) {
        gpu_time time = ledger_integral(&desk->pool.ledger, (enum gpu_category)i, desk->now);
        desk_expect_near((double)time * 1e-9, expected[i], 1e-9);
    }
    assert_true(ledger_balances(&desk->pool.ledger, desk->now));
}

void desk_expect_accounts(const struct device_desk *desk, double first, double second,
                          double third) {
    const double expected[] = {first, second, third};
    for (int i = 0; i < DESK_TENANTS; i++) {
        desk_expect_near((double)desk->accounts[i] * 1e-9, expected[i], 1e-8);
    }
}
