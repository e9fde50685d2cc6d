#include "sim/cluster/recut.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/pool.h"
#include "sim/cluster/slots.h"
#include "sim/kernel/memory.h"

static size_t index_of(const struct slots *slots, const struct device *device) {
    return (size_t)(device - slots->devices);
}

static size_t gpu_of(const struct slots *slots, const struct device *device) {
    return (size_t)device->node * (size_t)slots->gpus_per_node + (size_t)device->gpu;
}

/* The device that stands for what begins at this unit of a GPU. */
static struct device *device_at(const struct slots *slots, size_t gpu, int start) {
    size_t node = gpu / (size_t)slots->gpus_per_node;
    size_t within = gpu % (size_t)slots->gpus_per_node;
    return &slots->devices[node * (size_t)slots->devices_per_node +
                           (size_t)slots->first_of_gpu[within] + (size_t)start];
}

static int start_of(const struct slots *slots, const struct device *device) {
    return (int)(device - device_at(slots, gpu_of(slots, device), 0));
}

void recut_note_ask(struct slots *slots, const struct slot_ask *ask) {
    struct recut *recut = slots->recut;
    if (recut != NULL && ask->kinds != 0) {
        int32_t profile = slots->kinds[__builtin_ctzll(ask->kinds)].profile;
        if (profile >= 0) {
            recut->asked[profile]++;
            recut->asked_in_all++;
        }
    }
}

/* Finding a place */

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
            slot_tree_find(state->idle[kind * units + unit], ask->memory, ask->compute);
        if (found != NULL) {
            int start = (int)unit;
            int profile = slots->kinds[kind].profile;
            consider(best,
                     (struct spot){rank_of(slots->recut, cutter, state, profile, start),
                                   (int32_t)gpu_of(slots, &slots->devices[found->order]), start});
        }
    }
}

static struct slot_link *idle_root(const struct recut *recut, const struct cut_state *state,
                                   size_t kind, size_t unit) {
    return state->idle == NULL ? NULL : state->idle[kind * (size_t)recut->gpu->memory_units + unit];
}

/* Goes through the idle instances of a kind until `k` are behind it, and returns the next; NULL
 * after the last, with their number in *count. */
static const struct slot_link *nth_idle(const struct recut *recut, size_t kind,
                                        const struct slot_ask *ask, int64_t k, int64_t *count) {
    *count = 0;
    for (size_t i = 0; i < recut->cutter_count; i++) {
        for (size_t s = 0; s < recut->cutters[i].present_count; s++) {
            const struct cut_state *state = recut->cutters[i].present[s];
            for (size_t unit = 0; unit < (size_t)recut->gpu->memory_units; unit++) {
                const struct slot_link *root = idle_root(recut, state, kind, unit);
                const struct slot_link *first = slot_tree_find(root, ask->memory, ask->compute);
                int32_t here =
                    first == NULL ? 0 : slot_tree_count(root, first->memory, ask->compute);
                if (k >= *count && k < *count + here) {
                    return slot_tree_at(root, first->memory, ask->compute, (int32_t)(k - *count));
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
    nth_idle(slots->recut, kind, ask, INT64_MAX, &count);
    if (count == 0) {
        return NULL;
    }
    int64_t k = place_draws_choose(slots->index->draws, count);
    return &slots->devices[nth_idle(slots->recut, kind, ask, k, &count)->order];
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
            return device_at(slots, (size_t)best.gpu, best.start);
        }
    }
    return NULL;
}

/* Starts for a profile on GPUs in one state; of equal ones the lowest on the first GPU counts. */
static void consider_cuts(const struct recut *recut, struct cutter *cutter, struct cut_state *state,
                          int profile, struct spot *best) {
    uint32_t starts = state->starts[profile];
    if (starts == 0) {
        return;
    }
    int32_t gpu = index_set_first(&state->gpus);
    for (; starts != 0; starts &= starts - 1) {
        int start = __builtin_ctz(starts);
        consider(best, (struct spot){rank_of(recut, cutter, state, profile, start), gpu, start});
    }
}

/* The same of GPUs on which a profile can be cut as an instance of the kind, at the lowest start.
 */
static struct spot nth_cut(const struct recut *recut, int32_t kind, int32_t profile, int64_t k,
                           int64_t *count) {
    *count = 0;
    for (size_t i = 0; i < recut->cutter_count; i++) {
        const struct cutter *cutter = &recut->cutters[i];
        bool makes = cutter->kind_of_profile[profile] == kind;
        for (size_t s = 0; makes && s < cutter->present_count; s++) {
            struct cut_state *state = cutter->present[s];
            int32_t here = state->starts[profile] != 0 ? state->gpu_count : 0;
            if (k >= *count && k < *count + here) {
                if (state->gpus.counts == NULL) {
                    index_set_count_members(&state->gpus);
                }
                return (struct spot){0, index_set_at(&state->gpus, (int32_t)(k - *count)),
                                     __builtin_ctz(state->starts[profile])};
            }
            *count += here;
        }
    }
    return (struct spot){.gpu = -1};
}

/* Any of those GPUs. */
static struct spot cut_by_lot(const struct slots *slots, int32_t kind, int32_t profile) {
    int64_t count;
    struct spot none = nth_cut(slots->recut, kind, profile, INT64_MAX, &count);
    if (count == 0) {
        return none;
    }
    int64_t k = place_draws_choose(slots->index->draws, count);
    return nth_cut(slots->recut, kind, profile, k, &count);
}

bool recut_find_cut(const struct slots *slots, uint64_t kinds, struct slot_place *place) {
    struct recut *recut = slots->recut;
    for (; kinds != 0; kinds &= kinds - 1) {
        int32_t kind = __builtin_ctzll(kinds);
        int32_t profile = slots->kinds[kind].profile;
        struct spot best = {.gpu = -1};
        bool draws = slots->index->draws != NULL;
        if (draws && profile >= 0) {
            best = cut_by_lot(slots, kind, profile);
        }
        for (size_t i = 0; !draws && profile >= 0 && i < recut->cutter_count; i++) {
            struct cutter *cutter = &recut->cutters[i];
            for (size_t k = 0;
                 cutter->kind_of_profile[profile] == kind && k < cutter->present_count; k++) {
                consider_cuts(recut, cutter, cutter->present[k], profile, &best);
            }
        }
        if (best.gpu >= 0) {
            *place = (struct slot_place){.device = device_at(slots, (size_t)best.gpu, best.start),
                                         .cut_as = kind};
            return true;
        }
    }
    return false;
}

struct slot_link **recut_idle_tree(const struct slots *slots, const struct device *device) {
    struct cut_state *state = slots->recut->state[gpu_of(slots, device)];
    size_t units = (size_t)slots->recut->gpu->memory_units;
    if (state->idle == NULL) {
        state->idle = memory_zero(slots->kind_count * units, sizeof(struct slot_link *));
    }
    size_t kind = (size_t)slots->entries[index_of(slots, device)].kind;
    return &state->idle[kind * units + (size_t)start_of(slots, device)];
}

struct cut_work *recut_work(const struct slots *slots, const struct device *device) {
    return &slots->recut->works[index_of(slots, device)];
}

/* Changing a GPU */

static void leave_state(struct cutter *cutter, struct cut_state *state, int32_t gpu) {
    index_set_remove(&state->gpus, gpu);
    if (--state->gpu_count == 0) {
        struct cut_state *last = cutter->present[--cutter->present_count];
        cutter->present[state->position] = last;
        last->position = state->position;
    }
}

static void enter_state(const struct slots *slots, struct cutter *cutter, struct cut_state *state,
                        int32_t gpu) {
    if (state->gpus.words == NULL) {
        index_set_initialize(&state->gpus, slots->node_count * slots->gpus_per_node);
    }
    index_set_add(&state->gpus, gpu);
    if (state->gpu_count++ == 0) {
        cutter->present = memory_grow(cutter->present, &cutter->present_capacity,
                                      cutter->present_count + 1, sizeof(struct cut_state *));
        state->position = (int32_t)cutter->present_count;
        cutter->present[cutter->present_count++] = state;
    }
    slots->recut->state[gpu] = state;
}

/* The GPU gets into another state. What nobody holds of it is idle as far as it is usable, else
 * stranded; `idle` units of it are in the ledger as idle now. */
static void change_state(struct slots *slots, const struct device *device, struct cut_state *after,
                         int64_t idle, sim_time now) {
    struct cutter *cutter = slots->recut->of_gpu[device->gpu];
    size_t gpu = gpu_of(slots, device);
    struct ledger *ledger = &device->pool->ledger;
    if (idle > after->usable) {
        ledger_move(ledger, now, GPU_IDLE, GPU_STRANDED, idle - after->usable);
    } else {
        ledger_move(ledger, now, GPU_STRANDED, GPU_IDLE, after->usable - idle);
    }
    leave_state(cutter, slots->recut->state[gpu], (int32_t)gpu);
    enter_state(slots, cutter, after, (int32_t)gpu);
}

void recut_hold(struct slots *slots, const struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    struct cut_state *before = recut->state[gpu_of(slots, device)];
    int start = start_of(slots, device);
    struct cut_work *work = recut_work(slots, device);
    if (work->release != 0) {
        event_queue_cancel(device->host->events, work->release);
        work->release = 0;
    }
    recut->idle_count[slots->entries[index_of(slots, device)].kind]--;
    if (before->held[start] == 0) { /* else it was cut for this tenant, or has not given way */
        struct cut_states *states = &recut->of_gpu[device->gpu]->states;
        struct cut_state *after = cut_states_with(states, before, device->profile, start);
        change_state(slots, device, after, before->usable - device->units, now);
    }
}

void recut_release(struct slots *slots, const struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    struct cut_states *states = &recut->of_gpu[device->gpu]->states;
    struct cut_state *before = recut->state[gpu_of(slots, device)];
    struct cut_state *after = cut_states_without(states, before, start_of(slots, device));
    recut_work(slots, device)->release = 0;
    change_state(slots, device, after, before->usable + device->units, now);
}

void recut_free(struct slots *slots, struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    sim_time end = sim_time_add(now, recut->of_gpu[device->gpu]->spec->hysteresis);
    recut->idle_count[slots->entries[index_of(slots, device)].kind]++;
    if (end == now) {
        recut_release(slots, device, now);
    } else if (end != SIM_TIME_NEVER) {
        recut_work(slots, device)->release =
            event_queue_push(device->host->events, end, RANK_END, device->host->gives_way, device);
    }
}

/* Destroys the idle instances that cannot stay beside what is held now: in order of start, each
 * stays if it can beside those before it. */
static void make_way(struct slots *slots, const struct device *device,
                     const struct cut_state *before, const struct cut_state *held,
                     struct cut_work *work) {
    struct recut *recut = slots->recut;
    const struct gpu_model *gpu = recut->gpu;
    int profile = slots->kinds[work->kind].profile;
    uint32_t own = cut_units(gpu, profile, start_of(slots, device));
    int32_t under = 0; /* units of those where the new one will be, and beside it */
    int32_t beside = 0;
    struct mig_instance there[MIG_INSTANCES_LIMIT];
    size_t count = cut_state_instances(&recut->of_gpu[device->gpu]->states, held, there);
    struct device *devices = device_at(slots, gpu_of(slots, device), 0);
    int32_t device_count = slots->first_of_gpu[device->gpu + 1] - slots->first_of_gpu[device->gpu];
    for (int start = 0; start < device_count; start++) {
        struct device *idle = &devices[start];
        struct slot_entry *entry = &slots->entries[index_of(slots, idle)];
        if (entry->kind < 0 || idle->tenant_count > 0 || before->held[start] > 0) {
            continue;
        }
        if (mig_can_add(gpu, there, count, idle->profile, start)) {
            there[count++] = (struct mig_instance){idle->profile, start};
            continue;
        }
        uint32_t units = cut_units(gpu, idle->profile, start);
        *((units & own) != 0 ? &under : &beside) += idle->units;
        work->blocked |= units & ~own;
        recut->idle_count[entry->kind]--;
        entry->kind = -1;
    }
    int32_t made = recut->units[profile];
    int32_t touched = (made > under ? made : under) + beside;
    work->touched = touched < before->usable ? touched : before->usable;
}

void recut_begin(struct slots *slots, struct device *device, int32_t kind, sim_time now) {
    struct recut *recut = slots->recut;
    struct cut_states *states = &recut->of_gpu[device->gpu]->states;
    struct cut_state *before = recut->state[gpu_of(slots, device)];
    struct cut_state *held =
        cut_states_with(states, before, slots->kinds[kind].profile, start_of(slots, device));
    struct cut_work *work = recut_work(slots, device);
    *work = (struct cut_work){.kind = kind};
    make_way(slots, device, before, held, work);
    device->profile = slots->kinds[kind].profile; /* its speed may be asked for already */
    device->sm_share = slots->kinds[kind].sm_share;
    struct cut_state *after = cut_states_blocking(states, held, before->blocked | work->blocked);
    ledger_move(&device->pool->ledger, now, GPU_IDLE, GPU_RECONFIGURING, work->touched);
    change_state(slots, device, after, before->usable - work->touched, now);
}

void recut_end(struct slots *slots, struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    struct cut_states *states = &recut->of_gpu[device->gpu]->states;
    struct cut_state *before = recut->state[gpu_of(slots, device)];
    struct cut_work *work = recut_work(slots, device);
    struct cut_state *after = cut_states_blocking(states, before, before->blocked & ~work->blocked);
    ledger_move(&device->pool->ledger, now, GPU_RECONFIGURING, GPU_IDLE, work->touched);
    slots_make_device(slots, device, work->kind);
    recut->idle_count[work->kind]++;
    change_state(slots, device, after, before->usable + work->touched - device->units, now);
}

void recut_open(struct slots *slots) {
    struct recut *recut = slots->recut;
    size_t devices = (size_t)slots->node_count * (size_t)slots->devices_per_node;
    for (size_t i = 0; i < devices; i++) {
        int32_t kind = slots->entries[i].kind;
        if (kind >= 0 && recut->of_gpu[slots->devices[i].gpu] != NULL) {
            recut->idle_count[kind]++;
        }
    }
    for (int32_t gpu = 0; gpu < slots->node_count * slots->gpus_per_node; gpu++) {
        struct cutter *cutter = recut->of_gpu[gpu % slots->gpus_per_node];
        if (cutter != NULL) {
            enter_state(slots, cutter, cut_states_empty(&cutter->states), gpu);
        }
    }
}
