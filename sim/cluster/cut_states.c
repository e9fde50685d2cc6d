#include "sim/cluster/cut_states.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

enum { FIRST_CAPACITY = 64 };

uint32_t cut_units(const struct gpu_model *gpu, int profile, int start) {
    return (uint32_t)(((UINT64_C(1) << gpu->profiles[profile].memory_units) - 1) << start);
}

size_t cut_state_instances(const struct cut_states *states, const struct cut_state *state,
                           struct mig_instance instances[MIG_INSTANCES_LIMIT]) {
    size_t count = 0;
    for (int unit = 0; unit < states->gpu->memory_units; unit++) {
        if (state->held[unit] > 0) {
            instances[count++] = (struct mig_instance){state->held[unit] - 1, unit};
        }
    }
    return count;
}

/* What a state leaves */

static bool could_add(const struct gpu_model *gpu, const struct mig_instance *instances,
                      size_t count, uint32_t blocked, int profile, int start) {
    return mig_can_add(gpu, instances, count, profile, start) &&
           (blocked & cut_units(gpu, profile, start)) == 0;
}

static uint32_t starts_of(const struct gpu_model *gpu, const struct mig_instance *instances,
                          size_t count, uint32_t blocked, int profile) {
    uint32_t starts = 0;
    for (int start = 0; start < gpu->memory_units; start++) {
        if (could_add(gpu, instances, count, blocked, profile, start)) {
            starts |= UINT32_C(1) << start;
        }
    }
    return starts;
}

/* How many more of one profile: equally long ones that begin as early as possible are as many as
 * there can be. */
static int32_t most_of(const struct gpu_model *gpu, const struct mig_instance *held, size_t count,
                       int profile) {
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
    size_t all = count;
    memcpy(instances, held, count * sizeof instances[0]);
    for (int start = 0; start < gpu->memory_units; start++) {
        if (mig_can_add(gpu, instances, all, profile, start)) {
            instances[all++] = (struct mig_instance){profile, start};
        }
    }
    return (int32_t)(all - count);
}

/* The search for the instances beside those held that have the most units together. */
struct completion {
    const struct cut_states *states;
    uint32_t blocked;
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
    size_t count;
    int32_t slices_left;
    int32_t sum;
    int32_t best;
    int32_t limit; /* there are no more */
};

static void complete_from(struct completion *completion, int unit) {
    const struct cut_states *states = completion->states;
    const struct gpu_model *gpu = states->gpu;
    if (completion->sum > completion->best) {
        completion->best = completion->sum;
    }
    int64_t bound = completion->sum + (int64_t)completion->slices_left * states->most_per_slice;
    if (unit >= gpu->memory_units || completion->best >= completion->limit ||
        bound <= completion->best) {
        return;
    }
    for (int profile = (int)gpu->profile_count - 1; profile >= 0; profile--) {
        if (could_add(gpu, completion->instances, completion->count, completion->blocked, profile,
                      unit)) {
            const struct mig_profile *added = &gpu->profiles[profile];
            completion->instances[completion->count++] = (struct mig_instance){profile, unit};
            completion->sum += states->units[profile];
            completion->slices_left -= added->compute_slices;
            complete_from(completion, unit + added->memory_units);
            completion->count--;
            completion->sum -= states->units[profile];
            completion->slices_left += added->compute_slices;
        }
    }
    complete_from(completion, unit + 1);
}

static int32_t most_usable(const struct cut_states *states, const struct cut_state *state,
                           const struct mig_instance *held, size_t count) {
    struct completion completion = {.states = states,
                                    .blocked = state->blocked,
                                    .count = count,
                                    .slices_left = state->free_slices,
                                    .limit = states->units_per_gpu};
    memcpy(completion.instances, held, count * sizeof held[0]);
    for (size_t i = 0; i < count; i++) {
        completion.limit -= states->units[held[i].profile];
    }
    complete_from(&completion, 0);
    int32_t limit = completion.limit > 0 ? completion.limit : 0;
    return completion.best < limit ? completion.best : limit;
}

static void work_out(const struct cut_states *states, struct cut_state *state) {
    const struct gpu_model *gpu = states->gpu;
    struct mig_instance held[MIG_INSTANCES_LIMIT];
    size_t count = cut_state_instances(states, state, held);
    state->free_slices = gpu->compute_slices;
    for (size_t i = 0; i < count; i++) {
        state->free_slices -= gpu->profiles[held[i].profile].compute_slices;
    }
    state->usable = most_usable(states, state, held, count);
    state->starts = memory_zero(gpu->profile_count, sizeof *state->starts);
    state->unusable = memory_zero(gpu->profile_count, sizeof *state->unusable);
    for (size_t i = 0; i < gpu->profile_count; i++) {
        int profile = (int)i;
        state->starts[i] = starts_of(gpu, held, count, state->blocked, profile);
        state->unusable[i] = state->free_slices -
                             most_of(gpu, held, count, profile) * gpu->profiles[i].compute_slices;
    }
}

/* The table */

void cut_states_initialize(struct cut_states *states, const struct gpu_model *gpu,
                           const int32_t *units, int32_t units_per_gpu) {
    assert(gpu->memory_units <= CUT_UNITS_LIMIT && gpu->profile_count < UINT8_MAX);
    *states = (struct cut_states){
        .gpu = gpu, .units = units, .units_per_gpu = units_per_gpu, .capacity = FIRST_CAPACITY};
    states->entries = memory_zero(states->capacity, sizeof(struct cut_state *));
    for (size_t i = 0; i < gpu->profile_count; i++) {
        int32_t slices = gpu->profiles[i].compute_slices;
        int32_t per_slice = (units[i] + slices - 1) / slices;
        states->most_per_slice =
            per_slice > states->most_per_slice ? per_slice : states->most_per_slice;
    }
}

static void destroy_state(struct cut_state *state) {
    free(state->starts);
    free(state->unusable);
    free(state->after);
    if (state->gpus.words != NULL) {
        index_set_terminate(&state->gpus);
    }
    free(state->idle);
    free(state);
}

void cut_states_terminate(struct cut_states *states) {
    for (size_t i = 0; i < states->capacity; i++) {
        if (states->entries[i] != NULL) {
            destroy_state(states->entries[i]);
        }
    }
    free(states->entries);
}

/* FNV-1a (Fowler, Noll and Vo), over words of eight units. */
static uint64_t hash_of(const struct cut_state *key) {
    const uint64_t prime = UINT64_C(0x100000001b3);
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ key->blocked;
    for (size_t i = 0; i < CUT_UNITS_LIMIT; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, &key->held[i], sizeof word);
        hash = (hash ^ word) * prime;
        hash ^= hash >> 32;
    }
    return hash;
}

static struct cut_state **entry_of(struct cut_state **entries, size_t capacity,
                                   const struct cut_state *key) {
    size_t i = (size_t)hash_of(key) & (capacity - 1);
    while (entries[i] != NULL && (entries[i]->blocked != key->blocked ||
                                  memcmp(entries[i]->held, key->held, sizeof key->held) != 0)) {
        i = (i + 1) & (capacity - 1);
    }
    return &entries[i];
}

static void make_room(struct cut_states *states) {
    size_t capacity = states->capacity * 2;
    struct cut_state **entries = memory_zero(capacity, sizeof(struct cut_state *));
    for (size_t i = 0; i < states->capacity; i++) {
        if (states->entries[i] != NULL) {
            *entry_of(entries, capacity, states->entries[i]) = states->entries[i];
        }
    }
    free(states->entries);
    states->entries = entries;
    states->capacity = capacity;
}

/* The state with what is held and blocked in `key`, of which nothing else counts. */
static struct cut_state *find(struct cut_states *states, const struct cut_state *key) {
    struct cut_state **entry = entry_of(states->entries, states->capacity, key);
    if (*entry != NULL) {
        return *entry;
    }
    if ((states->count + 1) * 2 > states->capacity) {
        make_room(states);
        entry = entry_of(states->entries, states->capacity, key);
    }
    struct cut_state *state = memory_zero(1, sizeof *state);
    memcpy(state->held, key->held, sizeof state->held);
    state->blocked = key->blocked;
    work_out(states, state);
    *entry = state;
    states->count++;
    return state;
}

struct cut_state *cut_states_empty(struct cut_states *states) {
    return find(states, &(struct cut_state){.blocked = 0});
}

struct cut_state *cut_states_with(struct cut_states *states, struct cut_state *state, int profile,
                                  int start) {
    size_t units = (size_t)states->gpu->memory_units;
    assert((state->starts[profile] >> start & 1) != 0);
    if (state->after == NULL) {
        state->after = memory_zero(states->gpu->profile_count * units, sizeof(struct cut_state *));
    }
    struct cut_state **after = &state->after[(size_t)profile * units + (size_t)start];
    if (*after == NULL) {
        struct cut_state key = {.blocked = state->blocked};
        memcpy(key.held, state->held, sizeof key.held);
        key.held[start] = (uint8_t)(1 + profile);
        *after = find(states, &key);
    }
    return *after;
}

struct cut_state *cut_states_without(struct cut_states *states, const struct cut_state *state,
                                     int start) {
    struct cut_state key = {.blocked = state->blocked};
    assert(state->held[start] > 0);
    memcpy(key.held, state->held, sizeof key.held);
    key.held[start] = 0;
    return find(states, &key);
}

struct cut_state *cut_states_blocking(struct cut_states *states, struct cut_state *state,
                                      uint32_t blocked) {
    if (state->blocked == blocked) {
        return state;
    }
    struct cut_state key = {.blocked = blocked};
    memcpy(key.held, state->held, sizeof key.held);
    return find(states, &key);
}
