#include "sim/serving/waiting.h"

void waiting_begin(struct service *service, struct request *request) {
    service->waiting++;
    if (service->keeps_ages && request->start == SIM_TIME_NEVER) {
        request_ages_append(&service->ages, request);
    }
}

void waiting_end(struct service *service, struct request *request) {
    service->waiting--;
    if (service->keeps_ages && request->start == SIM_TIME_NEVER) {
        request_ages_remove(&service->ages, request);
    }
}

static struct request_list *queue_of(struct service *service, struct replica *replica) {
    return replica == NULL ? &service->queue : &replica->queue;
}

void waiting_enqueue(struct service *service, struct replica *replica, struct request *request) {
    struct request_list *queue = queue_of(service, replica);
    struct request *before = NULL;
    if (request->start != SIM_TIME_NEVER) {
        before = queue->first; /* hardly any arrived earlier: those that started before, too */
        while (before != NULL && before->number < request->number) {
            before = before->next;
        }
    }
    request_list_insert(queue, request, before);
    request->waiting.replica = replica;
    if (replica != NULL) {
        replica_change_load(replica, 1);
    }
}

void waiting_dequeue(struct service *service, struct request *request) {
    struct replica *replica = request->waiting.replica;
    request_list_remove(queue_of(service, replica), request);
    if (replica != NULL) {
        replica_change_load(replica, -1);
    }
}

static void turn_away(struct service *service, struct request *request, enum request_state how,
                      sim_time now) {
    waiting_dequeue(service, request);
    waiting_end(service, request);
    service->listener->left(service->listener->context, service, request, how, NULL, now);
    request_stock_return(service->stock, request);
}

static void expire(void *context, void *subject);

/* One event for the oldest will do, as all have the same timeout. If that one starts in time, the
 * event finds another the oldest. */
static void watch_oldest(struct service *service) {
    const struct request *oldest = service->ages.first;
    if (service->expiry_pending || oldest == NULL) {
        return;
    }
    service->expiry = sim_time_add(oldest->arrival, service->spec->service.timeout);
    if (service->expiry != SIM_TIME_NEVER) {
        service->expiry_pending = true;
        event_queue_push(service->events, service->expiry, RANK_TIMEOUT, expire, service);
    }
}

static void turn_away_expired(struct service *service, sim_time now) {
    struct request *oldest = service->ages.first;
    while (oldest != NULL && now - oldest->arrival >= service->spec->service.timeout) {
        turn_away(service, oldest, REQUEST_TIMED_OUT, now);
        oldest = service->ages.first;
    }
}

/* The last of those that arrived at this instant. */
static void turn_away_overflow(struct service *service, sim_time now) {
    struct request *youngest = service->ages.last;
    while (service->waiting > service->spec->max_queue && youngest != NULL &&
           youngest->arrival == now) {
        turn_away(service, youngest, REQUEST_REJECTED, now);
        youngest = service->ages.last;
    }
}

/* Who has waited too long makes room; who must not wait at all is turned away for want of it. */
static void turn_away_at(struct service *service, sim_time now) {
    if (service->spec->service.timeout > 0) {
        turn_away_expired(service, now);
        turn_away_overflow(service, now);
    } else {
        turn_away_overflow(service, now);
        turn_away_expired(service, now);
    }
    watch_oldest(service);
}

static void expire(void *context, void *subject) {
    (void)context;
    struct service *service = subject;
    service->expiry_pending = false;
    turn_away_at(service, service->expiry);
}

static void overflow(void *context, void *subject) {
    (void)context;
    struct service *service = subject;
    service->overflow_pending = false;
    turn_away_at(service, service->overflow);
}

void waiting_watch(struct service *service, sim_time now) {
    if (!service->keeps_ages) {
        return;
    }
    if (service->waiting > service->spec->max_queue && !service->overflow_pending) {
        service->overflow_pending = true;
        service->overflow = now;
        event_queue_push(service->events, now, RANK_TIMEOUT, overflow, service);
    }
    watch_oldest(service);
}
