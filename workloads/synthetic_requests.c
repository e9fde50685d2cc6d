/* Requests of a service drawn at random: their tokens and how long they take. */
#include "sim/kernel/memory.h"
#include "workloads/service_times.h"
#include "workloads/work_synthetic.h"

struct requests {
    struct synthetic synthetic;
    int32_t priority;
    struct service_times times;
};

static void draw_request(struct synthetic *synthetic, struct arrival *request) {
    struct requests *requests = (struct requests *)synthetic;
    *request = (struct arrival){
        .submit = synthetic->last,
        .duration = ARRIVAL_ABSENT,
        .max_wait = synthetic->workload->service.timeout,
        .number = synthetic->count + 1,
        .index = synthetic->count,
        .priority = requests->priority,
        .prompt_tokens = ARRIVAL_ABSENT,
        .output_tokens = ARRIVAL_ABSENT,
        .gpus = 0,
        .compute = 0,
        .estimate = 0,
        .memory = 0,
        .id = NULL,
        .queue = NULL,
        .user = NULL,
        .waits_on = NULL,
        .after_ok = false,
        .owner = 0,
    };
    service_times_complete(&requests->times, request);
}

struct synthetic *synthetic_requests(const struct workload_spec *workload, uint64_t seed,
                                     uint64_t replication) {
    struct requests *requests = memory_zero(1, sizeof(*requests));
    requests->synthetic.draw = draw_request;
    requests->priority = workload_priority(workload);
    service_times_initialize(&requests->times, workload, seed, replication);
    return &requests->synthetic;
}
