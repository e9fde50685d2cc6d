#include "tests/support/service_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/cluster/engines.h"
#include "tests/support/spec.h"
#include "tests/support/unit.h"

static double seconds(sim_time time) {
    return time == SIM_TIME_NEVER ? -1 : sim_time_to_seconds(time);
}

static void request_started(void *context, const struct service *service,
                            const struct request *request, sim_time now) {
    struct service_case *service_case = context;
    assert_ptr_equal(service, &service_case->service);
    assert_int_equal(request->start, now);
    for (int32_t i = 0; i < service->replica_count; i++) {
        if (service->replicas[i].requests.last == request) {
            service_case->rows[request->number].replica = i;
        }
    }
    service_figures_started(&service_case->figures, request);
}

static void request_left(void *context, const struct service *service,
                         const struct request *request, enum request_state how,
                         const struct task_parts *parts, sim_time now) {
    struct service_case *service_case = context;
    struct service_row *row = &service_case->rows[request->number];
    assert_ptr_equal(service, &service_case->service);
    assert_false(row->left);
    row->left = true;
    row->state = how;
    row->start_s = seconds(request->start);
    row->end_s = seconds(now);
    if (how == REQUEST_COMPLETED) {
        row->parts = *parts;
        row->work_s = seconds(request->task.work);
        row->cold_s = seconds(request->cold);
    }
    service_figures_left(&service_case->figures, request, how, parts, now);
}

static int dispatch_index(const char *name) {
    for (size_t i = 0; i < dispatch_rule_count; i++) {
        if (strcmp(dispatch_rules[i].choice.name, name) == 0) {
            return (int)i;
        }
    }
    fail_msg("nothing is named %s", name);
    return -1;
}

void service_case_initialize(struct service_case *service_case, int32_t replicas,
                             const char *dispatch) {
    assert_true(replicas <= SERVICE_CASE_REPLICAS);
    *service_case = (struct service_case){.now = 0};
    service_case->spec = (struct workload_spec){
        .name = "case",
        .kind = {.index = WORKLOAD_SERVICE},
        .needs = test_needs(),
        .max_queue = INT64_MAX,
        .service = {.replicas = replicas,
                    .concurrency = 1,
                    .dispatch = {.index = dispatch_index(dispatch)},
                    .timeout = SIM_TIME_NEVER,
                    .unload_after = SIM_TIME_NEVER,
                    .slo = SIM_TIME_NEVER},
    };
}

static void open_device(struct service_case *service_case, struct device *device, int32_t slots,
                        const struct device_engine *engine, const struct sharing_spec *spec) {
    *device = (struct device){.host = &service_case->host,
                              .pool = &service_case->pool,
                              .profile = -1,
                              .units = 1,
                              .sm_share = 1,
                              .thread_percentage = 1,
                              .slots = slots};
    device_initialize(device, engine, spec);
}

void service_case_open(struct service_case *service_case, const char *sharing) {
    const struct sharing_spec spec = {.slice = 2 * NANOSECONDS_PER_SECOND,
                                      .switch_time = NANOSECONDS_PER_SECOND,
                                      .thread_percentage = 1};
    int32_t replicas = service_case->spec.service.replicas;
    service_case->events = event_queue_create();
    service_case->host = (struct device_host){
        .events = service_case->events, .accounts = &service_case->account, .pool_count = 1};
    pool_initialize(&service_case->pool, "pool", 1, SERVICE_CASE_REPLICAS, 0);
    if (strcmp(sharing, "exclusive") == 0) {
        for (int32_t i = 0; i < replicas; i++) {
            open_device(service_case, &service_case->devices[i], 1, &engine_alone, NULL);
        }
    } else {
        bool turns = strcmp(sharing, "timeslice") == 0;
        open_device(service_case, &service_case->devices[0], replicas,
                    turns ? &engine_turns : &engine_together, &spec);
    }
    service_case->listener = (struct service_listener){
        .context = service_case, .started = request_started, .left = request_left};
    service_initialize(&service_case->service, &service_case->spec, 0, service_case->events,
                       &service_case->stock, &service_case->listener, 1, 0);
    service_figures_initialize(&service_case->figures, service_case->spec.service.slo);
}

void service_case_terminate(struct service_case *service_case) {
    service_terminate(&service_case->service);
    service_figures_terminate(&service_case->figures);
    request_stock_clear(&service_case->stock);
    for (int32_t i = 0; i < SERVICE_CASE_REPLICAS; i++) {
        device_terminate(&service_case->devices[i]);
    }
    pool_terminate(&service_case->pool);
    event_queue_destroy(service_case->events);
    free(service_case->host.unsettled);
}

/* The devices decide once an instant is over, before its withdrawals. */
static void advance(struct service_case *service_case, sim_time to) {
    for (;;) {
        enum event_rank rank;
        sim_time next = event_queue_peek(service_case->events, &rank);
        bool ends = next <= to && rank == RANK_END;
        bool decide = !device_host_is_settled(&service_case->host) &&
                      (next > service_case->now || rank == RANK_TIMEOUT) && to > service_case->now;
        if (decide) {
            device_host_settle(&service_case->host, service_case->now);
            continue;
        }
        if (next == SIM_TIME_NEVER || !(ends || next < to)) {
            break;
        }
        struct event event;
        event_queue_pop(service_case->events, &event);
        service_case->now = event.time;
        event.handle(NULL, event.subject);
    }
    service_case->now = to;
}

void service_case_advance(struct service_case *service_case, double to_s) {
    advance(service_case, sim_time_from_seconds(to_s));
}

void service_case_finish(struct service_case *service_case) {
    advance(service_case, SIM_TIME_NEVER);
}

void service_case_seat(struct service_case *service_case, double at_s, int32_t replica,
                       double speed) {
    bool shared = service_case->devices[0].slots > 1;
    struct replica *seated = &service_case->service.replicas[replica];
    service_case_advance(service_case, at_s);
    device_seat(&service_case->devices[shared ? 0 : replica], &seated->tenant, service_case->now);
    service_replica_seated(&service_case->service, seated, speed, service_case->now);
}

void service_case_lose(struct service_case *service_case, double at_s, int32_t replica,
                       enum running_requests fate) {
    struct replica *lost = &service_case->service.replicas[replica];
    service_case_advance(service_case, at_s);
    service_replica_down(&service_case->service, lost, fate, service_case->now);
    service_replica_clear(&service_case->service, lost, service_case->now);
    device_unseat(&lost->tenant, service_case->now);
}

void service_case_arrive(struct service_case *service_case, double at_s, double service_s) {
    service_case_advance(service_case, at_s);
    struct arrival arrival = {.submit = service_case->now,
                              .duration = sim_time_from_seconds(service_s),
                              .number = ++service_case->arrived};
    assert_true(service_case->arrived <= SERVICE_CASE_REQUESTS);
    service_case->figures.submitted++;
    service_arrive(&service_case->service, &arrival, service_case->now);
}

static const struct service_row *row_of(const struct service_case *service_case, int number,
                                        enum request_state state) {
    const struct service_row *row = &service_case->rows[number];
    if (!row->left) {
        fail_msg("request %d is still there", number);
    }
    if (row->state != state) {
        fail_msg("request %d: %s, not %s", number, request_state_names[row->state],
                 request_state_names[state]);
    }
    return row;
}

static void assert_moment(int number, const char *what, double actual, double expected) {
    if (fabs(actual - expected) > 0.6e-9) {
        fail_msg("request %d: %s at %.9f s, not at %.9f s", number, what, actual, expected);
    }
}

void service_case_expect_completed(const struct service_case *service_case, int number, int replica,
                                   double start_s, double end_s) {
    const struct service_row *row = row_of(service_case, number, REQUEST_COMPLETED);
    if (row->replica != replica) {
        fail_msg("request %d: on replica %d, not %d", number, row->replica, replica);
    }
    assert_moment(number, "started", row->start_s, start_s);
    assert_moment(number, "ended", row->end_s, end_s);
}

void service_case_expect_left(const struct service_case *service_case, int number,
                              enum request_state how, double at_s) {
    assert_moment(number, "left", row_of(service_case, number, how)->end_s, at_s);
}
