/* GPUs that are cut on demand when they, or instances of them, are not to be used. */
#include <assert.h>

#include "sim/cluster/pool.h"
#include "sim/cluster/recut_parts.h"

static size_t gpu_at(const struct slots *slots, int32_t node, int32_t gpu) {
    return (size_t)node * (size_t)slots->gpus_per_node + (size_t)gpu;
}

void recut_shut(struct slots *slots, int32_t node, int32_t gpu) {
    recut_unlist_gpu(slots, gpu_at(slots, node, gpu));
    slots->recut->shut[gpu_at(slots, node, gpu)] = true;
}

void recut_reopen(struct slots *slots, int32_t node, int32_t gpu) {
    slots->recut->shut[gpu_at(slots, node, gpu)] = false;
    recut_list_gpu(slots, gpu_at(slots, node, gpu));
}

void recut_abort(struct slots *slots, struct device *device, sim_time now) {
    struct recut *recut = slots->recut;
    struct cut_states *states = &recut->of_gpu[device->gpu]->states;
    struct cut_state *before = recut->state[recut_gpu(slots, device)];
    struct cut_work *work = recut_work(slots, device);
    struct cut_state *after = cut_states_without(states, before, recut_start(slots, device));
    after = cut_states_blocking(states, after, after->blocked & ~work->blocked);
    ledger_move(&device->pool->ledger, now, GPU_RECONFIGURING, GPU_IDLE, work->touched);
    recut_change_state(slots, device, after, before->usable + work->touched, now);
    *work = (struct cut_work){0};
}

/* --- Instances that break --- */

void recut_break(struct slots *slots, struct device *device, sim_time now) {
    recut_hold(slots, device, now);
    recut_work(slots, device)->gives_way = SIM_TIME_NEVER; /* nobody knows */
}

/* On a GPU that is out it gives way at once. */
void recut_mend(struct slots *slots, struct device *device, sim_time now) {
    if (outages_is_out(device->pool->outages, device->node, device->gpu)) {
        slots->recut->idle_count[slots->entries[recut_index(slots, device)].kind]++;
        recut_release(slots, device, now);
    } else {
        recut_free(slots, device, now);
    }
}

static bool is_broken(const struct slots *slots, const struct device *device) {
    return device->pool->outages->instances[recut_index(slots, device)] > 0;
}

/* --- GPUs that begin anew --- */

int32_t recut_usable_units(const struct slots *slots, int32_t node, int32_t gpu) {
    return slots->recut->state[gpu_at(slots, node, gpu)]->usable;
}

/* Instances that have not given way yet do. Returns their units, which are idle in the ledger. */
static int32_t release_all(struct slots *slots, struct device *devices, int32_t count) {
    const struct cut_state *state = slots->recut->state[recut_gpu(slots, devices)];
    int32_t units = 0;
    for (int32_t start = 0; start < count; start++) {
        struct device *device = &devices[start];
        struct cut_work *work = recut_work(slots, device);
        if (work->release != 0) {
            event_queue_cancel(device->host->events, work->release);
            work->release = 0;
        }
        bool there = slots_is_there(slots, device);
        assert(!there || device->tenant_count == 0);
        if (there && state->held[start] > 0 && !is_broken(slots, device)) {
            units += device->units;
        }
    }
    return units;
}

/* All go but for broken ones, which are listed. Returns how many. */
static size_t destroy_all(struct slots *slots, struct device *devices, int32_t count,
                          struct mig_instance there[MIG_INSTANCES_LIMIT]) {
    size_t kept = 0;
    for (int32_t start = 0; start < count; start++) {
        struct slot_entry *entry = &slots->entries[recut_index(slots, &devices[start])];
        if (entry->kind >= 0 && is_broken(slots, &devices[start])) {
            there[kept++] = (struct mig_instance){devices[start].profile, start};
        } else if (entry->kind >= 0) {
            slots->recut->idle_count[entry->kind]--;
            entry->kind = -1;
        }
    }
    return kept;
}

void recut_reset(struct slots *slots, int32_t node, int32_t gpu, sim_time now) {
    struct recut *recut = slots->recut;
    struct device *devices = recut_device_at(slots, gpu_at(slots, node, gpu), 0);
    int32_t first = slots->first_of_gpu[gpu];
    int32_t count = slots->first_of_gpu[gpu + 1] - first;
    struct cut_states *states = &recut->of_gpu[gpu]->states;
    const struct cut_state *before = recut->state[gpu_at(slots, node, gpu)];
    struct mig_instance there[MIG_INSTANCES_LIMIT];
    assert(before->blocked == 0);
    int32_t idle = before->usable + release_all(slots, devices, count);
    size_t kept = destroy_all(slots, devices, count, there);
    struct cut_state *after = cut_states_empty(states);
    for (size_t i = 0; i < kept; i++) {
        after = cut_states_with(states, after, there[i].profile, there[i].start);
    }
    for (int32_t start = 0; start < count; start++) {
        int32_t kind = slots->kind_of[first + start];
        if (kind >= 0 && mig_can_add(recut->gpu, there, kept, slots->kinds[kind].profile, start)) {
            there[kept++] = (struct mig_instance){slots->kinds[kind].profile, start};
            slots_make_device(slots, &devices[start], kind);
            recut->idle_count[kind]++;
        }
    }
    recut_change_state(slots, devices, after, idle, now);
}
