#include "sim/cluster/recut.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/cluster/pool.h"
#include "sim/cluster/recut_parts.h"
#include "sim/kernel/memory.h"

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

struct slot_link **recut_idle_tree(const struct slots *slots, const struct device *device) {
    struct cut_state *state = slots->recut->state[recut_gpu(slots, device)];
    size_t units = (size_t)slots->recut->gpu->memory_units;
    if (state->idle == NULL) {
        state->idle = memory_zero(slots->kind_count * units, sizeof(struct slot_link *));
    }
    size_t kind = (size_t)slots->entries[recut_index(slots, device)].kind;
    return &state->idle[kind * units + (size_t)recut_start(slots, device)];
}

struct cut_work *recut_work(const struct slots *slots, const struct device *device) {
    return &slots->recut->works[recut_index(slots, device)];
}

/* Changing a GPU */

static struct cutter *cutter_of(const struct slots *slots, size_t gpu) {
    return slots->recut->of_gpu[gpu % (size_t)slots->gpus_per_node];
}

void recut_unlist_gpu(struct slots *slots, size_t gpu) {
    struct cutter *cutter = cutter_of(slots, gpu);
    struct cut_state *state = slots->recut->state[gpu];
    index_set_remove(&state->gpus, (int32_t)gpu);
    if (--state->gpu_count == 0) {
        struct cut_state *last = cutter->present[--cutter->present_count];
        cutter->present[state->position] = last;
        last->position = state->position;
    }
}

void recut_list_gpu(struct slots *slots, size_t gpu) {
    struct cutter *cutter = cutter_of(slots, gpu);
    struct cut_state *state = slots->recut->state[gpu];
    if (state->gpus.words == NULL) {
        index_set_initialize(&state->gpus, slots->node_count * slots->gpus_per_node);
    }
    index_set_add(&state->gpus, (int32_t)gpu);
    if (state->gpu_count++ == 0) {
        cutter->present = memory_grow(cutter->present, &cutter->present_capacity,
                                      cutter->present_count + 1, sizeof(struct cut_state *));
        state->position = (int32_t)cutter->present_count;
        cutter->present[cutter->present_count++] = state;
    }
}

/* What nobody holds of a GPU is idle as far as it is usable, else stranded; while all of it is out,
 * it is neither. */
void recut_change_state(struct slots *slots, const struct device *device, struct cut_state *after,
                        int64_t idle, sim_time now) {
    struct recut *recut = slots->recut;
    size_t gpu = recut_gpu(slots, device);
    const struct outages *outages = device->pool->outages;
    struct ledger *ledger = &device->pool->ledger;
    bool out = outages != NULL && outages_is_out(outages, device->node, device->gpu);
    if (!out && idle > after->usable) {
        ledger_move(ledger, now, GPU_IDLE, GPU_STRANDED, idle - after->usable);
    } else if (!out) {
        ledger_move(ledger, now, GPU_STRANDED, GPU_IDLE, after->usable - idle);
    }
    if (!recut->shut[gpu]) {
        recut_unlist_gpu(slots, gpu);
    }
    recut->state[gpu] = after;
    if (!recut->shut[gpu]) {
        recut_list_gpu(slots, gpu);
    }
}

void recut_hold(struct slots *slots, const struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    struct cut_state *before = recut->state[recut_gpu(slots, device)];
    int start = recut_start(slots, device);
    struct cut_work *work = recut_work(slots, device);
    if (work->release != 0) {
        event_queue_cancel(device->host->events, work->release);
        work->release = 0;
    }
    recut->idle_count[slots->entries[recut_index(slots, device)].kind]--;
    if (before->held[start] == 0) { /* else it was cut for this tenant, or has not given way */
        struct cut_states *states = &recut->of_gpu[device->gpu]->states;
        struct cut_state *after = cut_states_with(states, before, device->profile, start);
        recut_change_state(slots, device, after, before->usable - device->units, now);
    }
}

void recut_release(struct slots *slots, const struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    struct cut_states *states = &recut->of_gpu[device->gpu]->states;
    struct cut_state *before = recut->state[recut_gpu(slots, device)];
    struct cut_state *after = cut_states_without(states, before, recut_start(slots, device));
    recut_work(slots, device)->release = 0;
    recut_change_state(slots, device, after, before->usable + device->units, now);
}

void recut_free(struct slots *slots, struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    sim_time end = sim_time_add(now, recut->of_gpu[device->gpu]->spec->hysteresis);
    recut->idle_count[slots->entries[recut_index(slots, device)].kind]++;
    recut_work(slots, device)->gives_way = end;
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
    uint32_t own = cut_units(gpu, profile, recut_start(slots, device));
    int32_t under = 0; /* units of those where the new one will be, and beside it */
    int32_t beside = 0;
    struct mig_instance there[MIG_INSTANCES_LIMIT];
    size_t count = cut_state_instances(&recut->of_gpu[device->gpu]->states, held, there);
    struct device *devices = recut_device_at(slots, recut_gpu(slots, device), 0);
    int32_t device_count = slots->first_of_gpu[device->gpu + 1] - slots->first_of_gpu[device->gpu];
    for (int start = 0; start < device_count; start++) {
        struct device *idle = &devices[start];
        struct slot_entry *entry = &slots->entries[recut_index(slots, idle)];
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
    struct cut_state *before = recut->state[recut_gpu(slots, device)];
    struct cut_state *held =
        cut_states_with(states, before, slots->kinds[kind].profile, recut_start(slots, device));
    struct cut_work *work = recut_work(slots, device);
    *work = (struct cut_work){.kind = kind};
    make_way(slots, device, before, held, work);
    device->profile = slots->kinds[kind].profile; /* its speed may be asked for already */
    device->sm_share = slots->kinds[kind].sm_share;
    struct cut_state *after = cut_states_blocking(states, held, before->blocked | work->blocked);
    ledger_move(&device->pool->ledger, now, GPU_IDLE, GPU_RECONFIGURING, work->touched);
    recut_change_state(slots, device, after, before->usable - work->touched, now);
}

void recut_end(struct slots *slots, struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    struct cut_states *states = &recut->of_gpu[device->gpu]->states;
    struct cut_state *before = recut->state[recut_gpu(slots, device)];
    struct cut_work *work = recut_work(slots, device);
    struct cut_state *after = cut_states_blocking(states, before, before->blocked & ~work->blocked);
    ledger_move(&device->pool->ledger, now, GPU_RECONFIGURING, GPU_IDLE, work->touched);
    slots_make_device(slots, device, work->kind);
    recut->idle_count[work->kind]++;
    recut_change_state(slots, device, after, before->usable + work->touched - device->units, now);
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
            recut->state[gpu] = cut_states_empty(&cutter->states);
            recut_list_gpu(slots, (size_t)gpu);
        }
    }
}
