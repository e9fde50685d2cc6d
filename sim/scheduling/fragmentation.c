#include "sim/scheduling/fragmentation.h"

/* A place that is tried. */
struct trial {
    const struct slots *slots;
    const struct slot_state *before;
    struct slot_state after;
    int32_t node;
    bool hosts_limited;
    struct host_share room; /* on the node's host, before */
    struct host_share left; /* and after */
};

static int64_t usable_share(const struct slot_state *state, const struct slot_ask *ask) {
    return slot_state_admits(state, ask) ? state->share : 0;
}

/* What a request could use of the whole node, were it not for the host. */
static int64_t usable_on_node(const struct trial *trial, const struct request_class *request) {
    const struct slots *slots = trial->slots;
    const struct slot_entry *entries =
        &slots->entries[(size_t)trial->node * (size_t)slots->devices_per_node];
    int64_t usable = 0;
    for (int32_t i = 0; i < slots->devices_per_node; i++) {
        const struct slot_state *state = entries[i].state;
        if (state == NULL) {
            continue;
        }
        if (request->gpus == 0) {
            usable += usable_share(state, &request->slot);
        } else if (state->free_gpus >= request->gpus) {
            usable += state->share;
        }
    }
    return usable;
}

/* Of free GPUs, which the tenant takes one of. */
static int64_t lost_to_gang(const struct trial *trial, int32_t gpus) {
    int32_t free_gpus = trial->before->free_gpus;
    if (free_gpus < gpus) {
        return 0;
    }
    int64_t others = free_gpus > gpus ? 0 : free_gpus - 1; /* too few without it */
    return trial->before->share + others * SLOT_SHARE_UNIT;
}

/* What a request could use of the node before, and cannot after. */
static int64_t lost_to(const struct trial *trial, const struct request_class *request) {
    if (trial->hosts_limited) {
        struct host_share host =
            host_share_times(request->slot.host, request->gpus > 0 ? request->gpus : 1);
        if (!host_share_fits(&host, &trial->room)) {
            return 0;
        }
        if (!host_share_fits(&host, &trial->left)) {
            return usable_on_node(trial, request);
        }
    }
    if (request->gpus > 0) {
        return lost_to_gang(trial, request->gpus);
    }
    int64_t usable = usable_share(trial->before, &request->slot);
    return usable == 0 ? 0 : usable - usable_share(&trial->after, &request->slot);
}

/* What the tenant takes of this kind beyond what it would of the kind that it takes least of. */
static int64_t surplus(const struct trial *trial, const struct slot_ask *ask) {
    int64_t takes = slot_kind_takes(trial->slots, trial->before->kind, ask);
    int64_t least = takes;
    uint64_t others = ask->kinds & ~(UINT64_C(1) << trial->before->kind);
    for (; others != 0; others &= others - 1) {
        int64_t other = slot_kind_takes(trial->slots, __builtin_ctzll(others), ask);
        least = other < least ? other : least;
    }
    return takes - least;
}

int64_t fragmentation_growth(const struct slots *slots, const struct slot_state *state,
                             int32_t node, const struct slot_ask *ask) {
    const struct request_mix *mix = &slots->states->mix;
    struct trial trial = {.slots = slots,
                          .before = state,
                          .after = slot_state_after(slots, state, ask),
                          .node = node,
                          .hosts_limited = slots->index->free_host != NULL};
    if (trial.hosts_limited) {
        trial.room = slots->index->free_host[node];
        trial.left = (struct host_share){trial.room.cpus - ask->host.cpus,
                                         trial.room.memory - ask->host.memory};
    }
    /* The free share falls by what the tenant takes, useful or not to each request. */
    int64_t taken = state->share - trial.after.share;
    int64_t growth = (surplus(&trial, ask) - taken) * mix->total;
    for (size_t i = 0; i < mix->class_count; i++) {
        growth += mix->classes[i].count * lost_to(&trial, &mix->classes[i]);
    }
    return growth;
}
