/* One device with tenants, driven by hand in the order of one instant: ends, what the test does,
 * the device's decisions. Times are seconds. */
#ifndef TESTS_SUPPORT_DEVICE_DESK_H
#define TESTS_SUPPORT_DEVICE_DESK_H

#include "sim/cluster/engines.h"
#include "sim/cluster/pool.h"

enum { DESK_TENANTS = 3, DESK_TASKS = 4 };

/* Tenant i is of workload i. */
struct device_desk {
    struct event_queue *events;
    struct device_host host;
    gpu_time accounts[DESK_TENANTS];
    struct pool pool;
    struct device device;
    struct tenant tenants[DESK_TENANTS];
    struct task tasks[DESK_TASKS];
    double ended_s[DESK_TASKS]; /* -1: not yet */
    struct task_parts parts[DESK_TASKS];
    sim_time now;
};

/* A whole GPU; spec NULL: none. */
void desk_open(struct device_desk *desk, const struct device_engine *engine, int32_t slots,
               const struct sharing_spec *spec);
void desk_close(struct device_desk *desk);

/* To a moment, with the ends then; what the test does next comes after them. */
void desk_go_to(struct device_desk *desk, double seconds);

/* Those go there first. */
void desk_seat(struct device_desk *desk, double at_s, int tenant);
void desk_unseat(struct device_desk *desk, double at_s, int tenant);
void desk_set(struct device_desk *desk, double at_s, int tenant, enum tenant_state state);
void desk_load(struct device_desk *desk, double at_s, int tenant, bool loading);
void desk_begin(struct device_desk *desk, double at_s, int tenant, int task, double work_s);

/* Each fails the test unless so it is: a task's end (-1: none); the device's time up to a moment by
 * category; what is on the tenants' accounts, within the rounding of each booking. */
void desk_expect_end(const struct device_desk *desk, int task, double at_s);
void desk_expect_time(struct device_desk *desk, double at_s, double useful, double loading,
                      double switching, double held_idle);
void desk_expect_accounts(const struct device_desk *desk, double first, double second,
                          double third);
void desk_expect_near(double actual, double expected, double apart);

#endif
