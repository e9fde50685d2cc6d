#include "sim/cluster/slot_states.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "sim/cluster/slots_index.h"
#include "sim/kernel/memory.h"

enum { BUCKETS_AT_FIRST = 64 };

struct slot_states *slot_states_create(slot_growth *growth, int64_t gpu_memory) {
    struct slot_states *states = memory_zero(1, sizeof *states);
    states->growth = growth;
    states->mix.gpu_memory = gpu_memory;
    states->bucket_count = BUCKETS_AT_FIRST;
    states->buckets = memory_zero(states->bucket_count, sizeof *states->buckets);
    return states;
}

void slot_states_destroy(struct slot_states *states) {
    if (states == NULL) {
        return;
    }
    for (size_t i = 0; i < states->present_count; i++) {
        free(states->present[i]);
    }
    while (states->unused != NULL) {
        struct slot_state *next = states->unused->next;
        free(states->unused);
        states->unused = next;
    }
    free(states->buckets);
    free(states->present);
    free(states);
}

/* States */

/* Rounded, so that sums of thirds and the like come out equal. */
static int64_t share_of(double part, double size) {
    return part <= 0 ? 0 : llround(part * size * SLOT_SHARE_UNIT);
}

static int64_t free_share(const struct slots *slots, const struct slot_state *state) {
    const struct slot_kind *kind = &slots->kinds[state->kind];
    double all_slots = kind->mode->slots(kind->spec);
    int64_t share = share_of(state->free_slots / all_slots, kind->sm_share);
    int64_t memory = share_of((double)state->free_memory / (double)kind->memory, kind->sm_share);
    int64_t compute = share_of((double)state->compute / SLOTS_MOST_COMPUTE, 1);
    share = memory < share ? memory : share;
    return compute < share ? compute : share;
}

/* What follows from what is free. */
static void complete(const struct slots *slots, struct slot_state *state) {
    int64_t most = slots->kinds[state->kind].most_memory;
    state->memory = state->free_memory < most ? state->free_memory : most;
    state->share = free_share(slots, state);
}

static void join_company(struct slot_state *state, const struct slot_ask *ask) {
    if (state->company == COMPANY_NOBODY || state->party == ask->party) {
        bool apart = ask->exclusive_party || state->company == COMPANY_OWN_PARTY;
        state->company = apart ? COMPANY_OWN_PARTY : COMPANY_OWN_PARTY | COMPANY_OPEN;
        state->party = ask->party;
    } else {
        state->company = COMPANY_OPEN;
        state->party = -1;
    }
}

struct slot_state slot_state_after(const struct slots *slots, const struct slot_state *state,
                                   const struct slot_ask *ask) {
    struct slot_state after = {.kind = state->kind,
                               .free_slots = state->free_slots - 1,
                               .free_memory = state->free_memory - ask->memory,
                               .compute = state->compute - ask->compute,
                               .company = state->company,
                               .party = state->party};
    join_company(&after, ask);
    complete(slots, &after);
    return after;
}

int64_t slot_kind_takes(const struct slots *slots, int32_t index, const struct slot_ask *ask) {
    const struct slot_kind *kind = &slots->kinds[index];
    struct slot_state empty = {.kind = index,
                               .free_slots = kind->mode->slots(kind->spec),
                               .free_memory = kind->memory,
                               .compute = kind->most_compute,
                               .party = -1};
    return free_share(slots, &empty) - slot_state_after(slots, &empty, ask).share;
}

/* Groups */

static size_t bucket_of(const struct slot_states *states, const struct slot_state *key) {
    uint64_t hash = (uint64_t)key->free_memory * UINT64_C(0x9fb21c651e98df25) +
                    (uint64_t)(uint32_t)key->compute * UINT64_C(0x27d4eb2f165667c5) +
                    (uint64_t)(uint32_t)key->free_slots * UINT64_C(0x9e3779b97f4a7c15) +
                    (uint64_t)(uint32_t)key->free_gpus * UINT64_C(0xc2b2ae3d27d4eb4f) +
                    (uint64_t)(uint32_t)key->party * UINT64_C(0x85ebca77c2b2ae63) +
                    (uint64_t)(uint32_t)(key->kind * 4 + key->company);
    hash = (hash ^ (hash >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return (size_t)(hash >> 32) & (states->bucket_count - 1);
}

static bool is_same(const struct slot_state *a, const struct slot_state *b) {
    return a->kind == b->kind && a->free_slots == b->free_slots &&
           a->free_memory == b->free_memory && a->compute == b->compute &&
           a->company == b->company && a->party == b->party && a->free_gpus == b->free_gpus;
}

static void double_buckets(struct slot_states *states) {
    free(states->buckets);
    states->bucket_count *= 2;
    states->buckets = memory_zero(states->bucket_count, sizeof *states->buckets);
    for (size_t i = 0; i < states->present_count; i++) {
        struct slot_state *state = states->present[i];
        struct slot_state **bucket = &states->buckets[bucket_of(states, state)];
        state->next = *bucket;
        *bucket = state;
    }
}

static struct slot_state *find_or_make(struct slot_states *states, const struct slot_state *key) {
    struct slot_state *state = states->buckets[bucket_of(states, key)];
    while (state != NULL && !is_same(state, key)) {
        state = state->next;
    }
    if (state != NULL) {
        return state;
    }
    if (states->present_count == states->bucket_count) {
        double_buckets(states);
    }
    state = states->unused;
    if (state != NULL) {
        states->unused = state->next;
    } else {
        state = memory_zero(1, sizeof *state);
    }
    *state = *key;
    struct slot_state **bucket = &states->buckets[bucket_of(states, state)];
    state->next = *bucket;
    *bucket = state;
    states->present = memory_grow(states->present, &states->present_capacity,
                                  states->present_count + 1, sizeof *states->present);
    state->position = states->present_count;
    states->present[states->present_count++] = state;
    return state;
}

static void drop(struct slot_states *states, struct slot_state *state) {
    struct slot_state **link = &states->buckets[bucket_of(states, state)];
    while (*link != state) {
        link = &(*link)->next;
    }
    *link = state->next;
    struct slot_state *last = states->present[--states->present_count];
    states->present[state->position] = last;
    last->position = state->position;
    state->next = states->unused;
    states->unused = state;
}

void slot_states_add(struct slots *slots, size_t index, int64_t rank) {
    const struct device *device = &slots->devices[index];
    struct slot_entry *entry = &slots->entries[index];
    struct slot_state key = {
        .kind = entry->kind,
        .free_slots = device->slots - device->tenant_count - device->promised.slots,
        .free_memory = device->memory - device->memory_used - device->promised.memory,
        .compute = slots_compute_left(device),
        .party = -1};
    key.company = slots_company(device, &key.party);
    if ((key.company & COMPANY_OWN_PARTY) == 0) {
        key.party = -1;
    }
    if (slots_is_for_gangs(slots, device->node, device->gpu)) {
        key.free_gpus = slots_free_gpus(slots, device->node);
    }
    complete(slots, &key);
    entry->state = find_or_make(slots->states, &key);
    entry->links[0] = (struct slot_link){.rank = rank, .order = (int32_t)index};
    entry->state->devices = slot_tree_add(entry->state->devices, &entry->links[0]);
}

void slot_states_remove(struct slots *slots, size_t index) {
    struct slot_entry *entry = &slots->entries[index];
    entry->state->devices = slot_tree_remove(entry->state->devices, &entry->links[0]);
    if (entry->state->devices == NULL) {
        drop(slots->states, entry->state);
    }
    entry->state = NULL;
}

/* Finding */

/* A device, and what it is compared by. */
struct candidate {
    const struct slot_link *link; /* NULL: none */
    int64_t growth;
    int64_t memory;
    int32_t units;
};

static bool is_better(const struct candidate *a, const struct candidate *b) {
    if (b->link == NULL || a->growth != b->growth) {
        return b->link == NULL || a->growth < b->growth;
    }
    if (a->memory != b->memory || a->units != b->units) {
        return a->memory < b->memory || (a->memory == b->memory && a->units < b->units);
    }
    return a->link->rank < b->link->rank ||
           (a->link->rank == b->link->rank && a->link->order < b->link->order);
}

static void consider(const struct slots *slots, const struct slot_state *state,
                     const struct slot_link *link, const struct slot_ask *ask,
                     struct candidate *best) {
    struct candidate other = {
        .link = link,
        .growth = slots->states->growth(slots, state, slots->devices[link->order].node, ask),
        .memory = state->memory,
        .units = slots->kinds[state->kind].units};
    if (is_better(&other, best)) {
        *best = other;
    }
}

/* Where hosts are limited, nodes differ in more than their devices. */
static void consider_each(const struct slots *slots, const struct slot_state *state,
                          const struct slot_ask *ask, struct candidate *best) {
    int32_t last = -1;
    const struct slot_link *link = slot_tree_find(state->devices, 0, 0);
    for (; link != NULL; link = slot_tree_next(state->devices, link, 0)) {
        int32_t node = slots->devices[link->order].node;
        if (node != last && node_index_has_room(slots->index, node, &ask->host)) {
            consider(slots, state, link, ask, best);
        }
        last = node;
    }
}

struct device *slot_states_find(const struct slots *slots, const struct slot_ask *ask) {
    const struct slot_states *states = slots->states;
    struct candidate best = {.link = NULL};
    for (size_t i = 0; i < states->present_count; i++) {
        const struct slot_state *state = states->present[i];
        if (!slot_state_admits(state, ask)) {
            continue;
        }
        if (slots->index->free_host == NULL) {
            consider(slots, state, slot_tree_find(state->devices, 0, 0), ask, &best);
        } else {
            consider_each(slots, state, ask, &best);
        }
    }
    return best.link == NULL ? NULL : &slots->devices[best.link->order];
}
