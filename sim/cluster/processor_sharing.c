#include "sim/cluster/processor_sharing.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "models/mps.h"
#include "sim/kernel/memory.h"

/* Work is in ns with this many binary places, and rates have as many: then progress, a rate times a
 * time, is exact, however it is cut into steps, and a century of it fits. */
enum { PLACES = 62 };
typedef __int128 exact_work;

/* A task ends when each task of its tenant has received as much work since the tenant was last idle
 * as its tag says: the tenant's virtual time. */
struct finish {
    exact_work tag;
    uint64_t sequence; /* of begin */
    struct sharing_task *task;
};

struct sharing_slot {
    struct mps_tenant tenant;
    double inverse_speed;
    double rate;  /* of all its tasks together, */
    double share; /* over the sum of rates, */
    double lost;  /* and by how much others slow it */
    exact_work virtual_time;
    int64_t task_rate;   /* of each task, in 2^-PLACES */
    sim_time since;      /* virtual_time and the integrals are complete up to here */
    sim_time end;        /* of its first task */
    struct finish *heap; /* binary, the first to end on top */
    size_t count;
    size_t capacity;
    uint64_t begun;
    sim_time computing;
    double part;
    double delayed;
};

void processor_sharing_initialize(struct processor_sharing *ps, int32_t slots,
                                  double interference) {
    assert(slots > 0 && interference >= 0);
    *ps = (struct processor_sharing){
        .slots = slots,
        .interference = interference,
        .slot = memory_zero((size_t)slots, sizeof *ps->slot),
        .computing = memory_zero((size_t)slots, sizeof *ps->computing),
        .next = SIM_TIME_NEVER,
    };
}

void processor_sharing_terminate(struct processor_sharing *ps) {
    for (int32_t i = 0; i < ps->slots; i++) {
        free(ps->slot[i].heap);
    }
    free(ps->slot);
    free(ps->computing);
    *ps = (struct processor_sharing){0};
}

static bool ends_before(const struct finish *a, const struct finish *b) {
    return a->tag != b->tag ? a->tag < b->tag : a->sequence < b->sequence;
}

static void put(struct sharing_slot *slot, size_t place, struct finish finish) {
    slot->heap[place] = finish;
    finish.task->place = place;
}

static void sift_up(struct sharing_slot *slot, size_t place, struct finish finish) {
    while (place > 0) {
        size_t parent = (place - 1) / 2;
        if (!ends_before(&finish, &slot->heap[parent])) {
            break;
        }
        put(slot, place, slot->heap[parent]);
        place = parent;
    }
    put(slot, place, finish);
}

static void sift_down(struct sharing_slot *slot, size_t place, struct finish finish) {
    for (size_t child = 2 * place + 1; child < slot->count; child = 2 * place + 1) {
        if (child + 1 < slot->count && ends_before(&slot->heap[child + 1], &slot->heap[child])) {
            child++;
        }
        if (!ends_before(&slot->heap[child], &finish)) {
            break;
        }
        put(slot, place, slot->heap[child]);
        place = child;
    }
    put(slot, place, finish);
}

static void heap_remove(struct sharing_slot *slot, size_t place) {
    struct finish last = slot->heap[--slot->count];
    if (place == slot->count) {
        return;
    }
    if (place > 0 && ends_before(&last, &slot->heap[(place - 1) / 2])) {
        sift_up(slot, place, last);
    } else {
        sift_down(slot, place, last);
    }
}

static void bring_up(struct sharing_slot *slot, sim_time now) {
    sim_time elapsed = now - slot->since;
    slot->virtual_time += (exact_work)slot->task_rate * elapsed;
    slot->computing += elapsed;
    slot->part += slot->share * (double)elapsed;
    slot->delayed += slot->lost * (double)elapsed;
    slot->since = now;
}

static void bring_up_device(struct processor_sharing *ps, sim_time now) {
    ps->occupied = processor_sharing_occupied_time(ps);
    ps->computing_time = processor_sharing_computing_time(ps);
    ps->since = now;
}

/* The first whole nanosecond by which the task is done, or so nearly that the rounding of rates may
 * be what is missing: an end that is a whole number in exact arithmetic must not come one later. */
static sim_time first_end(const struct sharing_slot *slot) {
    exact_work left = slot->heap[0].tag - slot->virtual_time;
    int64_t rate = slot->task_rate;
    int64_t allowance = rate / 64; /* what it does in 1/64 ns */
    if (left <= allowance) {
        return slot->since;
    }
    unsigned __int128 wait = (unsigned __int128)(left - allowance + rate - 1) / (uint64_t)rate;
    return wait > (uint64_t)(SIM_TIME_NEVER - slot->since) ? SIM_TIME_NEVER
                                                           : slot->since + (sim_time)wait;
}

/* After its rate or its tasks changed. The change was due `late` ns ago, which is not 0 where an
 * end had to wait for a whole nanosecond. */
static void renew_end(struct sharing_slot *slot, double late) {
    int64_t task_rate = (int64_t)(slot->rate / (double)slot->count * 0x1p62);
    task_rate = task_rate > 0 ? task_rate : 1;
    slot->virtual_time += (int64_t)(late * (double)(task_rate - slot->task_rate));
    slot->task_rate = task_rate;
    slot->end = first_end(slot);
}

/* After a tenant began or ceased to compute: sums are taken anew in the order of slots, so that
 * rates depend on who computes, not on what was before. */
static void renew_rates(struct processor_sharing *ps, double late) {
    double demand = 0;
    for (int32_t i = 0; i < ps->computing_count; i++) {
        demand += ps->slot[ps->computing[i]].tenant.demand;
    }
    ps->demand = demand;
    double sum = 0;
    for (int32_t i = 0; i < ps->computing_count; i++) {
        struct sharing_slot *slot = &ps->slot[ps->computing[i]];
        bring_up(slot, ps->now);
        slot->rate = mps_rate(slot->tenant, demand, ps->interference);
        sum += slot->rate;
    }
    double inverse = sum > 0 ? 1 / sum : 0;
    for (int32_t i = 0; i < ps->computing_count; i++) {
        struct sharing_slot *slot = &ps->slot[ps->computing[i]];
        slot->share = slot->rate * inverse;
        slot->lost = (slot->tenant.speed - slot->rate) * slot->inverse_speed;
        renew_end(slot, late);
    }
}

static void choose_next(struct processor_sharing *ps) {
    ps->next = SIM_TIME_NEVER;
    for (int32_t i = 0; i < ps->computing_count; i++) {
        int32_t slot = ps->computing[i];
        if (ps->slot[slot].end < ps->next) {
            ps->next = ps->slot[slot].end;
            ps->next_slot = slot;
        }
    }
}

void processor_sharing_seat(struct processor_sharing *ps, int32_t slot, double saturation,
                            double thread_share) {
    assert(slot >= 0 && slot < ps->slots && ps->slot[slot].count == 0);
    ps->slot[slot].tenant = mps_tenant_of(saturation, thread_share);
    ps->slot[slot].inverse_speed = 1 / ps->slot[slot].tenant.speed;
}

/* The slot gets its first task. */
static void start_computing(struct processor_sharing *ps, int32_t index) {
    bring_up_device(ps, ps->now);
    int32_t place = ps->computing_count++;
    for (; place > 0 && ps->computing[place - 1] > index; place--) {
        ps->computing[place] = ps->computing[place - 1];
    }
    ps->computing[place] = index;
    struct sharing_slot *slot = &ps->slot[index];
    slot->virtual_time = 0;
    slot->task_rate = 0;
    slot->since = ps->now;
}

/* The slot's last task is gone. */
static void stop_computing(struct processor_sharing *ps, int32_t index) {
    bring_up_device(ps, ps->now);
    int32_t place = 0;
    while (ps->computing[place] != index) {
        place++;
    }
    ps->computing_count--;
    memmove(&ps->computing[place], &ps->computing[place + 1],
            (size_t)(ps->computing_count - place) * sizeof *ps->computing);
}

void processor_sharing_begin(struct processor_sharing *ps, int32_t slot, struct sharing_task *task,
                             sim_time work, sim_time now) {
    assert(slot >= 0 && slot < ps->slots && ps->slot[slot].tenant.demand > 0 && work >= 0);
    processor_sharing_advance(ps, now);
    struct sharing_slot *own = &ps->slot[slot];
    bool first = own->count == 0;
    if (first) {
        start_computing(ps, slot);
    } else {
        bring_up(own, now);
    }
    own->heap = memory_grow(own->heap, &own->capacity, own->count + 1, sizeof *own->heap);
    struct finish finish = {.tag = own->virtual_time + ((exact_work)work << PLACES),
                            .sequence = own->begun++,
                            .task = task};
    sift_up(own, own->count++, finish);
    if (first) {
        renew_rates(ps, 0);
    } else {
        renew_end(own, 0);
    }
    choose_next(ps);
}

/* The slot, brought up to now, loses a task. */
static void take(struct processor_sharing *ps, int32_t index, size_t place, double late) {
    struct sharing_slot *slot = &ps->slot[index];
    heap_remove(slot, place);
    if (slot->count == 0) {
        stop_computing(ps, index);
        renew_rates(ps, late);
    } else {
        renew_end(slot, late);
    }
    choose_next(ps);
}

sim_time processor_sharing_withdraw(struct processor_sharing *ps, int32_t slot,
                                    struct sharing_task *task, sim_time now) {
    processor_sharing_advance(ps, now);
    struct sharing_slot *own = &ps->slot[slot];
    assert(task->place < own->count && own->heap[task->place].task == task);
    bring_up(own, now);
    exact_work left = own->heap[task->place].tag - own->virtual_time;
    take(ps, slot, task->place, 0);
    exact_work up = ((exact_work)1 << PLACES) - ((exact_work)1 << (PLACES - 6));
    return left > 0 ? (sim_time)((left + up) >> PLACES) : 0;
}

sim_time processor_sharing_next(const struct processor_sharing *ps) {
    return ps->next;
}

struct sharing_task *processor_sharing_end(struct processor_sharing *ps, sim_time now) {
    assert(now == ps->next && now != SIM_TIME_NEVER);
    processor_sharing_advance(ps, now);
    int32_t index = ps->next_slot;
    struct sharing_slot *slot = &ps->slot[index];
    bring_up(slot, now);
    struct finish first = slot->heap[0];
    double late = (double)(slot->virtual_time - first.tag) / (double)slot->task_rate;
    /* What began at this very instant may have changed the rate since. */
    late = late < 1 ? late : 1;
    take(ps, index, 0, late);
    return first.task;
}

sim_time processor_sharing_work_ahead(const struct processor_sharing *ps, int32_t slot,
                                      sim_time work, sim_time now) {
    struct sharing_slot copy = ps->slot[slot];
    if (copy.count > 0) {
        bring_up(&copy, now);
    }
    exact_work most = (exact_work)work << PLACES;
    sim_time ahead = 0;
    exact_work rest = 0; /* below a ns, of each */
    for (size_t i = 0; i < copy.count; i++) {
        exact_work left = copy.heap[i].tag - copy.virtual_time;
        exact_work part = left < 0 ? 0 : left < most ? left : most;
        rest += part & (((exact_work)1 << PLACES) - 1);
        ahead = sim_time_add(ahead, (sim_time)(part >> PLACES));
    }
    exact_work half = (exact_work)1 << (PLACES - 1);
    return sim_time_add(ahead, (sim_time)((rest + half) >> PLACES));
}

void processor_sharing_advance(struct processor_sharing *ps, sim_time now) {
    assert(now >= ps->now && now <= ps->next);
    ps->now = now;
}

struct sharing_times processor_sharing_slot_times(const struct processor_sharing *ps,
                                                  int32_t slot) {
    struct sharing_slot copy = ps->slot[slot];
    if (copy.count > 0) {
        bring_up(&copy, ps->now);
    }
    return (struct sharing_times){
        .part = copy.part, .computing = (double)copy.computing, .delayed = copy.delayed};
}

sim_time processor_sharing_computing_time(const struct processor_sharing *ps) {
    return ps->computing_time + (ps->computing_count > 0 ? ps->now - ps->since : 0);
}

double processor_sharing_occupied_time(const struct processor_sharing *ps) {
    double busy = ps->demand < 1 ? ps->demand : 1;
    return ps->occupied + busy * (double)(ps->now - ps->since);
}
