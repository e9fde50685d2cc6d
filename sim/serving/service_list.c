/* The requests that a service has not come to an end with. */
#include <assert.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/serving/service.h"

/* Writes a list behind `end`; returns the new end. */
static struct live_request *list(struct live_request *end, const struct request_list *requests,
                                 bool runs) {
    for (const struct request *request = requests->first; request != NULL;
         request = request->next) {
        *end++ = (struct live_request){request, runs};
    }
    return end;
}

static int compare_numbers(const void *a, const void *b) {
    int64_t left = ((const struct live_request *)a)->request->number;
    int64_t right = ((const struct live_request *)b)->request->number;
    return (left > right) - (left < right);
}

struct live_request *service_list(const struct service *service) {
    size_t alive = (size_t)service_alive(service);
    struct live_request *all = memory_zero(alive, sizeof *all);
    struct live_request *end = list(all, &service->queue, false);
    for (int32_t i = 0; i < service->replica_count; i++) {
        end = list(end, &service->replicas[i].queue, false);
        end = list(end, &service->replicas[i].requests, true);
    }
    assert(end == all + alive);
    qsort(all, alive, sizeof *all, compare_numbers);
    return all;
}
