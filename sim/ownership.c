#include "sim/ownership.h"

#include <math.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

static int64_t limit_of(struct gpu_amount amount, int64_t gpus) {
    double in_gpus = gpu_limit_in(amount, gpus);
    return in_gpus >= (double)QUOTA_NO_LIMIT / QUOTA_GPU ? QUOTA_NO_LIMIT
                                                         : llround(in_gpus * (double)QUOTA_GPU);
}

static int64_t gpus_of(const struct scenario *scenario) {
    int64_t gpus = 0;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        gpus += (int64_t)scenario->pools[i].nodes * scenario->pools[i].gpus_per_node;
    }
    return gpus;
}

static void add_account(struct ownership *ownership, size_t workload,
                        const struct workload_spec *spec, const char *queue, const char *user) {
    queue = queue != NULL ? queue : spec->queue;
    user = user != NULL ? user : spec->user;
    ownership->by_queue |= queue != NULL;
    ownership->by_user |= user != NULL;
    int32_t owner = owner_table_add(&ownership->names, queue != NULL ? queue : DEFAULT_QUEUE, user);
    struct owner_pair pair = ownership->names.pairs[owner];
    ownership->accounts[ownership->account_count++] = (struct account){
        .workload = (int32_t)workload, .queue = pair.queue, .user = pair.user, .owner = owner};
}

static void list_accounts(struct ownership *ownership, const struct scenario *scenario,
                          struct trace *const *traces) {
    size_t count = 0;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        count += traces[i] == NULL ? 1 : (size_t)trace_owner_count(traces[i]);
    }
    ownership->accounts = memory_zero(count, sizeof *ownership->accounts);
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *spec = &scenario->workloads[i];
        ownership->first[i] = (int32_t)ownership->account_count;
        for (int32_t k = 0; traces[i] != NULL && k < trace_owner_count(traces[i]); k++) {
            const char *queue;
            const char *user;
            trace_owner(traces[i], k, &queue, &user);
            add_account(ownership, i, spec, queue, user);
        }
        if (traces[i] == NULL) {
            add_account(ownership, i, spec, NULL, NULL);
        }
    }
}

static bool limits_users(const struct scheduler_spec *spec) {
    bool limited = spec->user_limit.given;
    for (size_t i = 0; i < spec->queue_count; i++) {
        limited |= spec->queues[i].user_limit.given;
    }
    return limited;
}

/* Without limits of users, those of one queue count as one. */
static void merge_owners(struct ownership *ownership) {
    for (size_t i = 0; i < ownership->account_count; i++) {
        ownership->accounts[i].owner = ownership->accounts[i].queue;
    }
}

static void fill_queues(struct quotas *quotas, const struct scenario *scenario) {
    int64_t gpus = gpus_of(scenario);
    for (size_t i = 0; i < scenario->scheduler.queue_count; i++) {
        const struct queue_spec *spec = &scenario->scheduler.queues[i];
        struct quota_queue *queue = &quotas->queues[i];
        queue->guaranteed = llround(gpu_amount_in(spec->guaranteed, gpus) * (double)QUOTA_GPU);
        queue->limit = limit_of(spec->limit, gpus);
        queue->user_limit = limit_of(spec->user_limit, gpus);
        queue->weight = spec->weight;
    }
    quotas->user_limit = limit_of(scenario->scheduler.user_limit, gpus);
}

static struct quotas *create_quotas(struct ownership *ownership, const struct scenario *scenario,
                                    bool users) {
    const struct owner_table *names = &ownership->names;
    size_t owners = users ? names->count : names->queues.count;
    struct quotas *quotas = quotas_create(names->queues.count, owners, names->users.count);
    fill_queues(quotas, scenario);
    for (size_t i = 0; i < names->queues.count; i++) {
        quotas->queues[i].name = names->queues.names[i];
    }
    for (size_t i = 0; i < owners; i++) {
        quotas->owners[i] = users ? (struct quota_owner){.queue = names->pairs[i].queue,
                                                         .user = names->pairs[i].user}
                                  : (struct quota_owner){.queue = (int32_t)i, .user = -1};
    }
    return quotas;
}

static void forget_owners(struct ownership *ownership) {
    for (size_t i = 0; i < ownership->account_count; i++) {
        ownership->accounts[i].owner = 0;
    }
}

void ownership_initialize(struct ownership *ownership, const struct scenario *scenario,
                          struct trace *const *traces, bool fair) {
    const struct scheduler_spec *scheduler = &scenario->scheduler;
    *ownership = (struct ownership){.by_queue = scheduler->queue_count > 0};
    ownership->first = memory_zero(scenario->workload_count, sizeof *ownership->first);
    /* Listed queues come first, so that their numbers are those of the list. */
    for (size_t i = 0; i < scheduler->queue_count; i++) {
        name_table_add(&ownership->names.queues, scheduler->queues[i].name);
    }
    list_accounts(ownership, scenario, traces);
    bool users = limits_users(scheduler);
    if (!users) {
        merge_owners(ownership);
    }
    if (fair || users || scheduler->queue_count > 0) {
        ownership->quotas = create_quotas(ownership, scenario, users);
        ownership->quotas->fair = fair;
    } else {
        forget_owners(ownership);
    }
}

void ownership_terminate(struct ownership *ownership) {
    quotas_destroy(ownership->quotas);
    owner_table_clear(&ownership->names);
    free(ownership->accounts);
    free(ownership->first);
}

const char *ownership_queue(const struct ownership *ownership, int32_t account) {
    return ownership->by_queue ? ownership->names.queues.names[ownership->accounts[account].queue]
                               : NULL;
}

const char *ownership_user(const struct ownership *ownership, int32_t account) {
    int32_t user = ownership->accounts[account].user;
    return user >= 0 ? ownership->names.users.names[user] : NULL;
}
