#include "sim/serving/loading.h"

#include "sim/cluster/pool.h"
#include "sim/serving/service.h"
#include "workloads/draws.h"

static void read_from_storage(void *context, struct transfer *transfer, sim_time now) {
    struct replica *replica =
        (struct replica *)((char *)transfer - offsetof(struct replica, transfer));
    replica->up_at = now;
    replica->come_up(context, replica);
}

void loading_begin(struct replica *replica, event_handler *come_up, sim_time now) {
    struct service *service = replica->service;
    const struct model_spec *needs = &service->spec->needs;
    if (needs->load_from_storage) {
        const struct tenant *tenant = &replica->tenant;
        replica->up_at = SIM_TIME_NEVER;
        replica->come_up = come_up;
        replica->transfer.done = read_from_storage;
        storage_begin(&tenant->device->pool->storage, &replica->transfer,
                      tenant->memory + tenant->memory_excess, now);
        return;
    }
    replica->up_at = sim_time_add(now, draw_duration(&needs->load_time, &service->load_stream));
    /* An event even if it takes no time: all that are seated at one instant are candidates when the
     * first of them comes up. */
    if (replica->up_at != SIM_TIME_NEVER) {
        replica->loaded =
            event_queue_push(service->events, replica->up_at, RANK_END, come_up, replica);
    }
}

void loading_break_off(struct replica *replica, sim_time now) {
    if (replica->transfer.under_way) {
        storage_cancel(&replica->tenant.device->pool->storage, &replica->transfer, now);
    } else {
        event_queue_cancel(replica->service->events, replica->loaded);
    }
}
