/* A service put together in C, on devices of its own, driven in the order of one instant: ends,
 * arrivals, devices, withdrawals. Whole seconds, for cases by hand. */
#ifndef TESTS_SUPPORT_SERVICE_CASE_H
#define TESTS_SUPPORT_SERVICE_CASE_H

#include "sim/cluster/pool.h"
#include "sim/serving/service.h"
#include "sim/serving/service_figures.h"

enum { SERVICE_CASE_REPLICAS = 4, SERVICE_CASE_REQUESTS = 64 };

/* What became of a request: seconds, -1 where it did not come to that. */
struct service_row {
    bool left;
    enum request_state state;
    double start_s;
    double end_s;
    int replica; /* where it started first */
    struct task_parts parts;
    double work_s;
    double cold_s;
};

struct service_case {
    struct workload_spec spec;
    struct event_queue *events;
    struct device_host host;
    gpu_time account;
    struct pool pool;
    struct device devices[SERVICE_CASE_REPLICAS]; /* one for each replica, or the first for all */
    struct request_stock stock;
    struct service_listener listener;
    struct service service;
    struct service_figures figures;
    struct service_row rows[SERVICE_CASE_REQUESTS + 1]; /* by number, from 1 */
    int64_t arrived;
    sim_time now;
};

/* The language's defaults but for so many replicas; change service_case.spec, then open. */
void service_case_initialize(struct service_case *service_case, int32_t replicas,
                             const char *dispatch);
/* With a GPU for each replica, or one that they share: "timeslice" (slice 2 s, switch 1 s) or
 * "mps". Nobody is seated yet. */
void service_case_open(struct service_case *service_case, const char *sharing);
void service_case_terminate(struct service_case *service_case);

/* What happens up to a moment, that included but for the devices' decisions and the withdrawals
 * then; all of what happens. */
void service_case_advance(struct service_case *service_case, double to_s);
void service_case_finish(struct service_case *service_case);

/* Those go there first. */
void service_case_seat(struct service_case *service_case, double at_s, int32_t replica,
                       double speed);
void service_case_lose(struct service_case *service_case, double at_s, int32_t replica,
                       enum running_requests fate);
/* Requests are numbered from 1. */
void service_case_arrive(struct service_case *service_case, double at_s, double service_s);

/* Each fails the test unless this is what became of the request, to the nanosecond. */
void service_case_expect_completed(const struct service_case *service_case, int number, int replica,
                                   double start_s, double end_s);
void service_case_expect_left(const struct service_case *service_case, int number,
                              enum request_state how, double at_s);

#endif
