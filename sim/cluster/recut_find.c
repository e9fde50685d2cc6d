/* The instance that a tenant gets on GPUs that are cut on demand: an idle one, or one to be cut. */
#include "sim/cluster/recut_parts.h"
#include "sim/cluster/slots_index.h"

/* The best place so far. */
struct spot {
    int64_t rank;
    int32_t gpu; /* -1: none */
    int start;
};

static int64_t rank_of(const struct recut *recut, struct cutter *cutter, struct cut_state *state,
                       int profile, int start) {
    if (recut->rank == NULL) {
        return 0;
    }
    bool kept = state->held[start] > 0; /* an idle instance that counts as held */
    struct cut_states *states = &cutter->states;
    struct cut_state *before = kept ? cut_states_without(states, state, start) : state;
    return recut->rank(before, kept ? state : cut_states_with(states, state, profile, start),
                       recut->asked_in_all > 0 ? recut->asked : recut->alike,
                       recut->gpu->profile_count);
}

static void consider(struct spot *best, struct spot other) {
    if (best->gpu < 0 || other.rank < best->rank ||
        (other.rank == best->rank &&
         (other.gpu < best->gpu || (other.gpu == best->gpu && other.start < best->start)))) {
        *best = other;
    }
}

/* Idle instances of a kind on GPUs in one state. */
static void consider_idle(const struct slots *slots, struct cutter *cutter, struct cut_state *state,
                          size_t kind, const struct slot_ask *ask, struct spot *best) {
    size_t units = (size_t)slots->recut->gpu->memory_units;
    for (size_t unit = 0; state->idle != NULL && unit < units; unit++) {
        const struct slot_link *found =
            slots_first_in_tree(slots, ask, state->idle[kind * units + unit]);
        if (found != NULL) {
            int start = (int)unit;
            int profile = slots->kinds[kind].profile;
            consider(best, (struct spot){rank_of(slots->recut, cutter, state, profile, start),
                                         (int32_t)recut_gpu(slots, &slots->devices[found->order]),
                                         start});
        }
    }
}

static struct slot_link *idle_root(const struct recut *recut, const struct cut_state *state,
                                   size_t kind, size_t unit) {
    return state->idle == NULL ? NULL : state->idle[kind * (size_t)recut->gpu->memory_units + unit];
}

/* Goes through the idle instances of a kind until `k` are behind it, and returns the next; NULL
 * after the last, with their number in *count. */
static const struct slot_link *nth_idle(const struct slots *slots, size_t kind,
                                        const struct slot_ask *ask, int64_t k, int64_t *count) {
    const struct recut *recut = slots->recut;
    *count = 0;
    for (size_t i = 0; i < recut->cutter_count; i++) {
        for (size_t s = 0; s < recut->cutters[i].present_count; s++) {
            const struct cut_state *state = recut->cutters[i].present[s];
            for (size_t unit = 0; unit < (size_t)recut->gpu->memory_units; unit++) {
                const struct slot_link *root = idle_root(recut, state, kind, unit);
                const struct slot_link *first = slots_first_in_tree(slots, ask, root);
                int32_t here = 0;
                if (first != NULL) {
                    slots_choose_in_tree(slots, ask, root, first, -1, &here);
                }
                if (k >= *count && k < *count + here) {
                    return slots_choose_in_tree(slots, ask, root, first, (int32_t)(k - *count),
                                                &here);
                }
                *count += here;
            }
        }
    }
    return NULL;
}

/* Any of the idle instances of a kind, which are alike. */
static struct device *idle_by_lot(const struct slots *slots, size_t kind,
                                  const struct slot_ask *ask) {
    int64_t count;
    nth_idle(slots, kind, ask, INT64_MAX, &count);
    if (count == 0) {
        return NULL;
    }
    int64_t k = place_draws_choose(slots->index->draws, count);
    return &slots->devices[nth_idle(slots, kind, ask, k, &count)->order];
}

struct device *recut_find_idle(const struct slots *slots, const struct slot_ask *ask) {
    struct recut *recut = slots->recut;
    for (uint64_t kinds = ask->kinds; kinds != 0; kinds &= kinds - 1) {
        size_t kind = (size_t)__builtin_ctzll(kinds);
        struct spot best = {.gpu = -1};
        if (slots->index->draws != NULL && recut->idle_count[kind] > 0) {
            struct device *device = idle_by_lot(slots, kind, ask);
            if (device != NULL) {
                return device;
            }
            continue;
        }
        for (size_t i = 0; recut->idle_count[kind] > 0 && i < recut->cutter_count; i++) {
            struct cutter *cutter = &recut->cutters[i];
            for (size_t k = 0; k < cutter->present_count; k++) {
                consider_idle(slots, cutter, cutter->present[k], kind, ask, &best);
            }
        }
        if (best.gpu >= 0) {
            return recut_device_at(slots, (size_t)best.gpu, best.start);
        }
    }
    return NULL;
}

/* The first GPU in a state whose host has room, after another (-1: of all); -1: none. */
static int32_t next_gpu(const struct slots *slots, const struct slot_ask *ask,
                        const struct cut_state *state, int32_t after) {
    int32_t gpu = after < 0 ? index_set_first(&state->gpus) : index_set_next(&state->gpus, after);
    while (gpu >= 0 && !node_index_has_room(slots->index, gpu / slots->gpus_per_node, &ask->host)) {
        gpu = index_set_next(&state->gpus, gpu);
    }
    return gpu;
}

/* Starts for a profile on GPUs in one state; of equal ones the lowest on the first GPU counts. */
static void consider_cuts(const struct slots *slots, const struct slot_ask *ask,
                          struct cutter *cutter, struct cut_state *state, int profile,
                          struct spot *best) {
    uint32_t starts = state->starts[profile];
    int32_t gpu = starts == 0 ? -1 : next_gpu(slots, ask, state, -1);
    for (; gpu >= 0 && starts != 0; starts &= starts - 1) {
        int start = __builtin_ctz(starts);
        consider(best,
                 (struct spot){rank_of(slots->recut, cutter, state, profile, start), gpu, start});
    }
}

/* The GPUs in a state whose hosts have room: how many, and the k-th of them. */
static int32_t nth_in_state(const struct slots *slots, const struct slot_ask *ask,
                            struct cut_state *state, int32_t k, int32_t *count) {
    if (slots->index->free_host == NULL) {
        *count = state->gpu_count;
        if (k >= 0 && state->gpus.counts == NULL) {
            index_set_count_members(&state->gpus);
        }
        return k < 0 ? -1 : index_set_at(&state->gpus, k);
    }
    *count = 0;
    int32_t gpu = next_gpu(slots, ask, state, -1);
    for (; gpu >= 0 && *count != k; gpu = next_gpu(slots, ask, state, gpu)) {
        ++*count;
    }
    return gpu;
}

/* The same of GPUs on which a profile can be cut as an instance of the kind, at the lowest start.
 */
static struct spot nth_cut(const struct slots *slots, const struct slot_ask *ask, int32_t kind,
                           int64_t k, int64_t *count) {
    const struct recut *recut = slots->recut;
    int32_t profile = slots->kinds[kind].profile;
    *count = 0;
    for (size_t i = 0; i < recut->cutter_count; i++) {
        const struct cutter *cutter = &recut->cutters[i];
        bool makes = cutter->kind_of_profile[profile] == kind;
        for (size_t s = 0; makes && s < cutter->present_count; s++) {
            struct cut_state *state = cutter->present[s];
            int32_t here = 0;
            if (state->starts[profile] != 0) {
                nth_in_state(slots, ask, state, -1, &here);
            }
            if (k >= *count && k < *count + here) {
                int32_t gpu = nth_in_state(slots, ask, state, (int32_t)(k - *count), &here);
                return (struct spot){0, gpu, __builtin_ctz(state->starts[profile])};
            }
            *count += here;
        }
    }
    return (struct spot){.gpu = -1};
}

/* Any of those GPUs. */
static struct spot cut_by_lot(const struct slots *slots, const struct slot_ask *ask, int32_t kind) {
    int64_t count;
    struct spot none = nth_cut(slots, ask, kind, INT64_MAX, &count);
    if (count == 0) {
        return none;
    }
    int64_t k = place_draws_choose(slots->index->draws, count);
    return nth_cut(slots, ask, kind, k, &count);
}

bool recut_find_cut(const struct slots *slots, const struct slot_ask *ask,
                    struct slot_place *place) {
    struct recut *recut = slots->recut;
    for (uint64_t kinds = ask->kinds; kinds != 0; kinds &= kinds - 1) {
        int32_t kind = __builtin_ctzll(kinds);
        int32_t profile = slots->kinds[kind].profile;
        struct spot best = {.gpu = -1};
        bool draws = slots->index->draws != NULL;
        if (draws && profile >= 0) {
            best = cut_by_lot(slots, ask, kind);
        }
        for (size_t i = 0; !draws && profile >= 0 && i < recut->cutter_count; i++) {
            struct cutter *cutter = &recut->cutters[i];
            for (size_t k = 0;
                 cutter->kind_of_profile[profile] == kind && k < cutter->present_count; k++) {
                consider_cuts(slots, ask, cutter, cutter->present[k], profile, &best);
            }
        }
        if (best.gpu >= 0) {
            *place = (struct slot_place){
                .device = recut_device_at(slots, (size_t)best.gpu, best.start), .cut_as = kind};
            return true;
        }
    }
    return false;
}
