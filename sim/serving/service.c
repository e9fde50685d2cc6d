#include "sim/serving/service.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/device_memory.h"
#include "sim/cluster/engines.h"
#include "sim/kernel/memory.h"
#include "sim/scheduling/scheduler.h"
#include "sim/serving/loading.h"
#include "sim/serving/waiting.h"
#include "workloads/draws.h"

/* --- Running --- */

static bool has_room(const struct replica *replica) {
    return replica->state == REPLICA_UP && replica->running < replica->limit;
}

/* Keeps the set of replicas with room, once that may have changed. */
static void note_room(struct service *service, const struct replica *replica) {
    if (!dispatcher_has_one_queue(&service->dispatcher)) {
        return;
    }
    if (has_room(replica)) {
        index_set_add(&service->idle, replica->index);
    } else {
        index_set_remove(&service->idle, replica->index);
    }
}

static void unload(void *context, void *subject) {
    struct replica *replica = subject;
    struct service *service = replica->service;
    (void)context;
    replica->unload = 0;
    replica->state = REPLICA_COLD;
    index_set_add(&service->cold, replica->index);
    note_room(service, replica);
    if (--service->up_count == 0) {
        service->cold_since = replica->unload_at;
    }
}

/* An idle replica unloads in a while, if it is to. */
static void note_idle(struct replica *replica, sim_time now) {
    struct service *service = replica->service;
    sim_time after = service->spec->service.unload_after;
    if (after != SIM_TIME_NEVER && replica->running == 0 && replica->state == REPLICA_UP) {
        replica->unload_at = sim_time_add(now, after);
        replica->unload = replica->unload_at == SIM_TIME_NEVER
                              ? 0
                              : event_queue_push(service->events, replica->unload_at, RANK_TIMEOUT,
                                                 unload, replica);
    }
}

static void cancel_unload(struct replica *replica) {
    if (replica->unload != 0) {
        event_queue_cancel(replica->service->events, replica->unload);
        replica->unload = 0;
    }
}

static void start(struct replica *replica, struct request *request, sim_time now) {
    struct service *service = replica->service;
    cancel_unload(replica);
    request->cold = service_cold_time(service, now) - request->cold;
    request_list_append(&replica->requests, request);
    replica->running++;
    service->running++;
    replica_change_load(replica, 1);
    if (request->start == SIM_TIME_NEVER) {
        request->start = now;
        service->listener->started(service->listener->context, service, request, now);
    }
    device_begin(&replica->tenant, &request->task,
                 scheduler_scale(request->service, replica->speed), now);
}

/* The request is no longer run. */
static void stop(struct replica *replica, struct request *request) {
    request_list_remove(&replica->requests, request);
    replica->running--;
    replica->service->running--;
    replica_change_load(replica, -1);
}

/* Starts what waits for it, as far as there is room. */
static void serve(struct replica *replica, sim_time now) {
    struct service *service = replica->service;
    bool one_queue = dispatcher_has_one_queue(&service->dispatcher);
    const struct request_list *queue = one_queue ? &service->queue : &replica->queue;
    while (has_room(replica) && queue->first != NULL) {
        struct request *request = queue->first;
        waiting_dequeue(service, request);
        waiting_end(service, request);
        start(replica, request, now);
    }
}

static void leave(struct service *service, struct request *request, enum request_state how,
                  const struct task_parts *parts, sim_time now) {
    service->listener->left(service->listener->context, service, request, how, parts, now);
    request_stock_return(service->stock, request);
}

/* What waits goes to the replicas with room, of lowest index first. */
static void serve_idle(void *context, void *subject) {
    struct service *service = subject;
    (void)context;
    service->serving_pending = false;
    while (service->queue.first != NULL && index_set_first(&service->idle) >= 0) {
        struct replica *replica = &service->replicas[index_set_first(&service->idle)];
        serve(replica, service->serving_at);
        note_room(service, replica);
    }
}

/* Whether more may end at this instant: then who gets what waits is decided after all ends, not by
 * the order in which they come. */
static bool more_may_end(struct service *service, sim_time now) {
    enum event_rank rank;
    return dispatcher_has_one_queue(&service->dispatcher) && service->queue.first != NULL &&
           event_queue_peek(service->events, &rank) == now && rank == RANK_END;
}

static void serve_or_wait(struct replica *replica, sim_time now) {
    struct service *service = replica->service;
    if (service->serving_pending) {
        return;
    }
    if (more_may_end(service, now)) {
        service->serving_pending = true;
        service->serving_at = now;
        event_queue_push(service->events, now, RANK_END, serve_idle, service);
    } else {
        serve(replica, now);
    }
}

static void note_retired(struct replica *replica, sim_time now) {
    const struct service_listener *listener = replica->service->listener;
    if (replica->running == 0) {
        listener->retired(listener->context, replica, now);
    }
}

static void task_ended(void *context, struct tenant *tenant, struct task *task,
                       const struct task_parts *parts, sim_time now) {
    (void)context;
    struct replica *replica = (struct replica *)tenant;
    struct request *request = (struct request *)task;
    struct service *service = replica->service;
    bool had_room = has_room(replica);
    __builtin_prefetch(service->queue.first); /* a long queue is in no cache */
    stop(replica, request);
    leave(service, request, REQUEST_COMPLETED, parts, now);
    if (replica->state == REPLICA_RETIRING) {
        note_retired(replica, now);
        return;
    }
    serve_or_wait(replica, now);
    note_idle(replica, now);
    if (has_room(replica) != had_room) {
        note_room(service, replica);
    }
}

/* --- Dispatching --- */

/* The replica that is to run the next request or to have it in its own queue; NULL: it waits in the
 * service's. */
static struct replica *choose(struct service *service) {
    struct dispatcher *dispatcher = &service->dispatcher;
    if (dispatcher_has_one_queue(dispatcher)) {
        int32_t index = index_set_first(&service->idle);
        return index < 0 ? NULL : &service->replicas[index];
    }
    return service->up_count == 0 ? NULL : dispatcher->rule->pick(dispatcher);
}

static void begin_loading(struct replica *replica, sim_time now);

/* A request waits for want of room: an unloaded replica loads, unless as many as wait do already.
 */
static void wake(struct service *service, sim_time now) {
    int32_t index = index_set_first(&service->cold);
    if (index >= 0 && service->waiting > service->loading_count) {
        index_set_remove(&service->cold, index);
        begin_loading(&service->replicas[index], now);
    }
}

/* Sends a request that is in no queue on its way; `waits`: it has waited so far. */
static void dispatch(struct service *service, struct request *request, bool waits, sim_time now) {
    struct replica *replica = choose(service);
    if (replica == NULL || !has_room(replica)) {
        if (!waits) {
            waiting_begin(service, request);
        }
        waiting_enqueue(service, replica, request);
        wake(service, now);
        return;
    }
    if (waits) {
        waiting_end(service, request);
    }
    start(replica, request, now);
    if (!has_room(replica)) {
        note_room(service, replica);
    }
}

/* Does so with a list of waiting requests. */
static void dispatch_all(struct service *service, struct request_list *requests, sim_time now) {
    while (requests->first != NULL) {
        struct request *request = requests->first;
        request_list_remove(requests, request);
        dispatch(service, request, true, now);
    }
}

void service_arrive(struct service *service, const struct arrival *arrival, sim_time now) {
    struct request *request = request_stock_take(service->stock);
    request->arrival = now;
    request->start = SIM_TIME_NEVER;
    request->service = arrival->duration;
    request->number = arrival->number;
    request->cold = service_cold_time(service, now);
    if (service->counts_tokens) {
        request->tokens[TOKENS_OF_PROMPT] = arrival->prompt_tokens;
        request->tokens[TOKENS_MADE] = arrival->output_tokens;
    }
    dispatch(service, request, false, now);
    if (request->start == SIM_TIME_NEVER) {
        waiting_watch(service, now);
    }
}

/* --- Replicas --- */

void replica_change_load(struct replica *replica, int64_t change) {
    replica->load += change;
    if (replica->state != REPLICA_RETIRING) { /* else it is no candidate */
        dispatcher_load_changed(&replica->service->dispatcher, replica);
    }
}

static void come_up(void *context, void *subject) {
    (void)context;
    struct replica *replica = subject;
    struct service *service = replica->service;
    sim_time now = replica->up_at;
    if (device_memory_is_out(replica->tenant.device, now)) {
        replica->loaded = event_queue_push(service->events, now, RANK_KILL, come_up, replica);
        return; /* if it lives */
    }
    replica->loaded = 0;
    replica->state = REPLICA_UP;
    device_set_state(&replica->tenant, TENANT_WAITS, now);
    service->cold_time = service_cold_time(service, now);
    service->up_count++;
    service->loading_count--;
    serve_or_wait(replica, now);
    note_idle(replica, now);
    if (!dispatcher_has_one_queue(&service->dispatcher)) {
        dispatch_all(service, &service->queue, now);
    }
    note_room(service, replica);
}

/* Where tenants take turns, each has one task at a time. */
static int32_t concurrency_on(const struct device *device, int32_t concurrency) {
    return device->engine == &engine_turns ? 1 : concurrency;
}

int64_t service_draw_memory(struct service *service) {
    return draw_bytes(&service->spec->needs.memory.start, &service->memory_stream);
}

static void begin_loading(struct replica *replica, sim_time now) {
    replica->state = REPLICA_LOADING;
    replica->service->loading_count++;
    device_set_state(&replica->tenant, TENANT_LOADS, now);
    loading_begin(replica, come_up, now);
}

void service_replica_seated(struct service *service, struct replica *replica, double speed,
                            sim_time now) {
    assert(replica->state == REPLICA_WAITING && replica->tenant.device != NULL);
    replica->speed = speed;
    replica->limit = concurrency_on(replica->tenant.device, service->spec->service.concurrency);
    dispatcher_add(&service->dispatcher, replica);
    begin_loading(replica, now);
}

/* Takes what it runs from its device: the last started first, so that `returned` is in order. */
static void take_back_running(struct replica *replica, enum running_requests fate,
                              struct request_list *returned, sim_time now) {
    struct service *service = replica->service;
    while (replica->requests.last != NULL) {
        struct request *request = replica->requests.last;
        device_withdraw(&replica->tenant, &request->task, now);
        stop(replica, request);
        if (fate == RUNNING_FAIL) {
            leave(service, request, REQUEST_FAILED, NULL, now);
        } else {
            request->cold = service_cold_time(service, now) - request->cold;
            waiting_begin(service, request);
            request_list_insert(returned, request, returned->first);
        }
    }
}

void service_replica_down(struct service *service, struct replica *replica,
                          enum running_requests fate, sim_time now) {
    assert(replica->state != REPLICA_WAITING);
    take_back_running(replica, fate, &replica->returned, now);
    replica_change_load(replica, -replica->load);
    if (replica->state != REPLICA_RETIRING) {
        dispatcher_remove(&service->dispatcher, replica);
    }
    cancel_unload(replica);
    if (replica->state == REPLICA_LOADING) {
        loading_break_off(replica, now);
        device_set_state(&replica->tenant, TENANT_WAITS, now);
        service->loading_count--;
    } else if (replica->state == REPLICA_COLD) {
        index_set_remove(&service->cold, replica->index);
    } else if (replica->state == REPLICA_UP && --service->up_count == 0) {
        service->cold_since = now;
    }
    replica->state = REPLICA_WAITING;
    note_room(service, replica);
}

bool service_replica_retire(struct service *service, struct replica *replica, sim_time now) {
    if (replica->running == 0 || replica->state == REPLICA_RETIRING) {
        return replica->running > 0;
    }
    dispatcher_remove(&service->dispatcher, replica);
    replica->state = REPLICA_RETIRING;
    note_room(service, replica);
    if (--service->up_count == 0) {
        service->cold_since = now;
    }
    service_replica_clear(service, replica, now);
    return true;
}

void service_replica_clear(struct service *service, struct replica *replica, sim_time now) {
    struct request_list queued = replica->queue;
    replica->queue = (struct request_list){0};
    dispatch_all(service, &replica->returned, now);
    dispatch_all(service, &queued, now);
}

/* --- The service as a whole --- */

static void initialize_replica(struct service *service, int32_t index) {
    const struct workload_spec *spec = service->spec;
    struct replica *replica = &service->replicas[index];
    replica->service = service;
    replica->index = index;
    replica->tenant.task_ended = task_ended;
    replica->tenant.workload = service->workload;
    replica->tenant.concurrency = spec->service.concurrency;
    replica->tenant.saturation = spec->needs.saturation;
    replica->tenant.compute = spec->compute;
    replica->tenant.exclusive_party = spec->isolation == ISOLATION_WEAK;
}

void service_initialize(struct service *service, const struct workload_spec *spec, int32_t workload,
                        struct event_queue *events, struct request_stock *stock,
                        const struct service_listener *listener, uint64_t seed,
                        uint64_t replication) {
    *service = (struct service){.spec = spec,
                                .listener = listener,
                                .events = events,
                                .stock = stock,
                                .workload = workload,
                                .replica_count = spec->service.replicas};
    service->counts_tokens = spec->has_trace || tokens_given(&spec->service.prompt_tokens) ||
                             tokens_given(&spec->service.output_tokens);
    stock->counts_tokens |= service->counts_tokens;
    service->keeps_ages = spec->service.timeout != SIM_TIME_NEVER || spec->max_queue != INT64_MAX;
    service->replicas = memory_zero((size_t)spec->service.replicas, sizeof *service->replicas);
    for (int32_t i = 0; i < service->replica_count; i++) {
        initialize_replica(service, i);
    }
    index_set_initialize(&service->idle, service->replica_count);
    index_set_initialize(&service->cold, service->replica_count);
    dispatcher_initialize(&service->dispatcher, &dispatch_rules[spec->service.dispatch.index],
                          service->replica_count, seed, replication, spec->name);
    draws_start_stream(&service->load_stream, seed, replication, "load time", spec->name);
    draws_start_stream(&service->memory_stream, seed, replication, "memory", spec->name);
}

void service_terminate(struct service *service) {
    for (int32_t i = 0; i < service->replica_count; i++) {
        device_terminate(&service->replicas[i].own);
    }
    index_set_terminate(&service->idle);
    index_set_terminate(&service->cold);
    dispatcher_terminate(&service->dispatcher);
    free(service->replicas);
}
