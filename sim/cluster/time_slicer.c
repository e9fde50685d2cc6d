#include "sim/cluster/time_slicer.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

void time_slicer_initialize(struct time_slicer *slicer, int32_t slots, sim_time slice,
                            sim_time switch_time) {
    assert(slots > 0 && slice > 0 && switch_time >= 0);
    size_t count = (size_t)slots;
    *slicer = (struct time_slicer){
        .next_end = SIM_TIME_NEVER,
        .last = -1,
        .slice = slice,
        .switch_time = switch_time,
        .turn = sim_time_add(slice, switch_time),
        .capacity = slots,
    };
    /* One block, what is read most first. */
    slicer->work =
        memory_zero(count, sizeof *slicer->work + sizeof *slicer->accounts + sizeof *slicer->slots);
    slicer->accounts = (struct time_slicer_account *)(slicer->work + slots);
    slicer->slots = (int32_t *)(slicer->accounts + slots);
}

void time_slicer_terminate(struct time_slicer *slicer) {
    free(slicer->work);
    slicer->work = NULL;
}

/* --- Places --- */

/* Of the first tenant with a task at this slot or after it; count if there is none. */
static int32_t place_from(const struct time_slicer *slicer, int32_t slot) {
    int32_t low = 0;
    int32_t high = slicer->count;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (slicer->slots[middle] < slot) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool holds(const struct time_slicer *slicer, int32_t place, int32_t slot) {
    return place < slicer->count && slicer->slots[place] == slot;
}

static bool is_current(const struct time_slicer *slicer, int32_t place) {
    return slicer->phase != TIME_SLICER_RESTS && place == slicer->current;
}

static int32_t wrapped(const struct time_slicer *slicer, int32_t place) {
    return place < slicer->count ? place : 0;
}

static void move_places(struct time_slicer *slicer, int32_t to, int32_t from) {
    size_t moved = (size_t)(slicer->count - from);
    memmove(&slicer->work[to], &slicer->work[from], moved * sizeof *slicer->work);
    memmove(&slicer->slots[to], &slicer->slots[from], moved * sizeof *slicer->slots);
}

static void insert_place(struct time_slicer *slicer, int32_t place, int32_t slot, sim_time work) {
    move_places(slicer, place + 1, place);
    slicer->slots[place] = slot;
    slicer->work[place] = work;
    slicer->current += place <= slicer->current;
    slicer->count++;
}

static void remove_place(struct time_slicer *slicer, int32_t place) {
    move_places(slicer, place, place + 1);
    slicer->current -= place < slicer->current;
    slicer->count--;
}

static sim_time work_left(const struct time_slicer *slicer, int32_t place) {
    if (!is_current(slicer, place)) {
        return slicer->work[place];
    }
    if (!slicer->has_task) {
        return 0;
    }
    return slicer->work[place] + (slicer->phase == TIME_SLICER_COMPUTES ? slicer->left : 0);
}

/* --- Turns --- */

static void start_slice(struct time_slicer *slicer) {
    slicer->phase = TIME_SLICER_COMPUTES;
    slicer->last = slicer->slots[slicer->current];
    slicer->last_left = false;
    slicer->work[slicer->current] -= slicer->slice;
    slicer->left = slicer->slice;
}

/* Modulo 2^64, so that a switch cut short can be charged the rest of it negatively. */
static void charge_switching(struct time_slicer *slicer, int32_t place, uint64_t time) {
    slicer->accounts[slicer->slots[place]].switching += time;
    slicer->switching += time;
}

/* The tenant at `place` gets the device. */
static void start_turn(struct time_slicer *slicer, int32_t place) {
    slicer->current = place;
    slicer->has_task = true;
    bool other = slicer->last >= 0 && (slicer->last_left || slicer->slots[place] != slicer->last);
    if (other && slicer->switch_time > 0) {
        slicer->phase = TIME_SLICER_SWITCHES;
        slicer->left = slicer->switch_time;
        charge_switching(slicer, place, (uint64_t)slicer->switch_time);
    } else {
        start_slice(slicer);
    }
}

/* How long a turn of each takes; SIM_TIME_NEVER if that is beyond all time. */
static sim_time round_time(const struct time_slicer *slicer) {
    sim_time time = 0;
    return __builtin_mul_overflow(slicer->turn, slicer->count, &time) ? SIM_TIME_NEVER : time;
}

/* --- Time passes --- */

/* The one tenant with a task goes on for `time` > 0 beyond the end of its slice. */
static void pass_alone(struct time_slicer *slicer, sim_time time) {
    sim_time into_slice = (time - 1) % slicer->slice + 1;
    slicer->work[slicer->current] -= time - into_slice;
    start_slice(slicer);
    slicer->left = slicer->slice - into_slice;
}

/* Rounds of all tenants leave everything but the sums as it was. */
static void pass_rounds(struct time_slicer *slicer, sim_time rounds) {
    sim_time computed = rounds * slicer->slice;
    uint64_t switched = (uint64_t)(rounds * slicer->switch_time);
    for (int32_t place = 0; place < slicer->count; place++) {
        slicer->work[place] -= computed;
        charge_switching(slicer, place, switched);
    }
}

/* The same for two tenants or more. The slice's end that `time` may come to is left undecided, so
 * that of rounds and turns those are taken that leave some of it. */
static void pass_turns(struct time_slicer *slicer, sim_time time) {
    sim_time round = round_time(slicer);
    if (time > round) {
        sim_time rounds = (time - 1) / round;
        pass_rounds(slicer, rounds);
        time -= rounds * round;
    }
    int32_t place = wrapped(slicer, slicer->current + 1);
    for (; time > slicer->turn; time -= slicer->turn) {
        charge_switching(slicer, place, (uint64_t)slicer->switch_time);
        slicer->work[place] -= slicer->slice;
        slicer->last = slicer->slots[place];
        place = wrapped(slicer, place + 1);
    }
    start_turn(slicer, place);
    if (slicer->phase == TIME_SLICER_SWITCHES && time >= slicer->switch_time) {
        time -= slicer->switch_time;
        start_slice(slicer);
    }
    slicer->left -= time;
}

void time_slicer_advance(struct time_slicer *slicer, sim_time now) {
    sim_time time = now - slicer->clock;
    assert(time >= 0 && now <= slicer->next_end);
    slicer->clock = now;
    if (time == 0 || slicer->phase == TIME_SLICER_RESTS) {
        return;
    }
    assert(slicer->has_task);
    if (slicer->phase == TIME_SLICER_SWITCHES && time >= slicer->left) {
        time -= slicer->left;
        start_slice(slicer);
    }
    if (time <= slicer->left) {
        slicer->left -= time;
        return;
    }
    time -= slicer->left;
    if (slicer->count == 1) {
        pass_alone(slicer, time);
    } else {
        pass_turns(slicer, time);
    }
}

/* --- The next end --- */

/* How many slices all get before the turns in which the first of them ends. */
static sim_time rounds_before_end(const struct time_slicer *slicer, int32_t first) {
    sim_time least = slicer->work[first];
    if (least > slicer->slice) { /* else, often, there is no need to look at the others */
        for (int32_t place = 0; place < slicer->count; place++) {
            least = slicer->work[place] < least ? slicer->work[place] : least;
        }
    }
    return least > slicer->slice ? (least - 1) / slicer->slice : 0;
}

/* Among two tenants or more, none of which ends before the one at `first` starts a full slice,
 * `time` from now: after the rounds of all, the first in the ring that needs no more than one slice
 * ends. Returns how long from now that is. */
static sim_time first_end_in_turns(const struct time_slicer *slicer, int32_t first, sim_time time) {
    sim_time rounds = rounds_before_end(slicer, first);
    sim_time computed = rounds * slicer->slice;
    int32_t place = first;
    int32_t turns = 0;
    while (slicer->work[place] - computed > slicer->slice) {
        place = wrapped(slicer, place + 1);
        turns++;
    }
    sim_time in_rounds = 0;
    sim_time in_turns = 0;
    if (__builtin_mul_overflow(rounds, round_time(slicer), &in_rounds) ||
        __builtin_mul_overflow(slicer->turn, turns, &in_turns)) {
        return SIM_TIME_NEVER;
    }
    time = sim_time_add(time, sim_time_add(in_rounds, in_turns));
    return sim_time_add(time, slicer->work[place] - computed);
}

/* How long from now, when who has the device has a task. */
static sim_time first_end(const struct time_slicer *slicer) {
    sim_time work = slicer->work[slicer->current];
    if (slicer->phase == TIME_SLICER_COMPUTES) {
        if (slicer->count == 1 || work <= 0) {
            return slicer->left + work;
        }
        return first_end_in_turns(slicer, wrapped(slicer, slicer->current + 1),
                                  sim_time_add(slicer->left, slicer->switch_time));
    }
    if (slicer->count == 1) {
        return sim_time_add(slicer->left, work);
    }
    return first_end_in_turns(slicer, slicer->current, slicer->left);
}

/* --- What happens --- */

/* The tenant that has the device, but no task, gives it up. */
static void yield(struct time_slicer *slicer) {
    if (slicer->phase == TIME_SLICER_SWITCHES) {
        charge_switching(slicer, slicer->current, -(uint64_t)slicer->left);
    }
    remove_place(slicer, slicer->current);
    slicer->phase = TIME_SLICER_RESTS;
}

void time_slicer_seat(struct time_slicer *slicer, int32_t slot, sim_time now) {
    time_slicer_advance(slicer, now);
    bool rests = slicer->phase == TIME_SLICER_RESTS;
    if (!rests && slicer->slots[slicer->current] == slot) {
        assert(!slicer->has_task);
        yield(slicer);
        slicer->from = slot + 1;
    } else if (rests && slicer->last == slot && slicer->from == slot) {
        slicer->from = slot + 1;
    }
    slicer->last_left |= slicer->last == slot;
}

void time_slicer_begin(struct time_slicer *slicer, int32_t slot, sim_time work, sim_time now) {
    assert(slot >= 0 && slot < slicer->capacity && work >= 0);
    time_slicer_advance(slicer, now);
    slicer->accounts[slot].given += (uint64_t)work;
    int32_t place = place_from(slicer, slot);
    if (!holds(slicer, place, slot)) {
        insert_place(slicer, place, slot, work);
        return;
    }
    assert(is_current(slicer, place) && !slicer->has_task);
    slicer->has_task = true;
    slicer->work[place] = work - (slicer->phase == TIME_SLICER_COMPUTES ? slicer->left : 0);
}

sim_time time_slicer_withdraw(struct time_slicer *slicer, int32_t slot, sim_time now) {
    time_slicer_advance(slicer, now);
    int32_t place = place_from(slicer, slot);
    assert(holds(slicer, place, slot));
    sim_time left = work_left(slicer, place);
    slicer->accounts[slot].given -= (uint64_t)left;
    if (is_current(slicer, place)) {
        assert(slicer->has_task);
        slicer->has_task = false;
        slicer->next_end = SIM_TIME_NEVER;
    } else {
        remove_place(slicer, place);
    }
    return left;
}

int32_t time_slicer_end(struct time_slicer *slicer, sim_time now) {
    assert(now == slicer->next_end || slicer->next_end == SIM_TIME_NEVER);
    time_slicer_advance(slicer, now);
    if (now != slicer->next_end) {
        return -1;
    }
    slicer->next_end = SIM_TIME_NEVER;
    if (work_left(slicer, slicer->current) > 0) {
        assert(slicer->left == 0 && slicer->switch_time == 0);
        return -1;
    }
    slicer->has_task = false;
    return slicer->slots[slicer->current];
}

/* The turn of who has the device is over: it goes to the next tenant after it, which may be itself.
 */
static void pass_on(struct time_slicer *slicer) {
    int32_t next = slicer->current + 1;
    if (!slicer->has_task) {
        yield(slicer);
        next--;
    }
    slicer->phase = TIME_SLICER_RESTS;
    slicer->from = slicer->last + slicer->last_left;
    if (slicer->count > 0) {
        start_turn(slicer, wrapped(slicer, next));
    }
}

/* A task whose end is due but not taken yet still has the device. */
static bool goes_on(const struct time_slicer *slicer) {
    bool slice_over = slicer->phase == TIME_SLICER_COMPUTES && slicer->left == 0;
    bool end_due = slicer->next_end == slicer->clock && slicer->work[slicer->current] == 0;
    return slicer->has_task && (!slice_over || end_due);
}

void time_slicer_settle(struct time_slicer *slicer, sim_time now) {
    time_slicer_advance(slicer, now);
    if (slicer->phase == TIME_SLICER_RESTS) {
        if (slicer->count > 0) {
            start_turn(slicer, wrapped(slicer, place_from(slicer, slicer->from)));
        }
    } else if (!goes_on(slicer)) {
        pass_on(slicer);
    }
    bool rests = slicer->phase == TIME_SLICER_RESTS;
    slicer->next_end = rests ? SIM_TIME_NEVER : sim_time_add(now, first_end(slicer));
}

/* --- What was done --- */

enum time_slicer_phase time_slicer_phase(const struct time_slicer *slicer) {
    return (enum time_slicer_phase)slicer->phase;
}

int32_t time_slicer_current(const struct time_slicer *slicer) {
    return slicer->phase == TIME_SLICER_RESTS ? -1 : slicer->slots[slicer->current];
}

sim_time time_slicer_work_left(const struct time_slicer *slicer, int32_t slot) {
    int32_t place = place_from(slicer, slot);
    return holds(slicer, place, slot) ? work_left(slicer, place) : 0;
}

sim_time time_slicer_computing(const struct time_slicer *slicer, int32_t slot) {
    uint64_t left = (uint64_t)time_slicer_work_left(slicer, slot);
    return (sim_time)(slicer->accounts[slot].given - left);
}

/* Of the switch under way, what is charged but yet to come. */
static uint64_t switch_left(const struct time_slicer *slicer) {
    return slicer->phase == TIME_SLICER_SWITCHES ? (uint64_t)slicer->left : 0;
}

sim_time time_slicer_switching_to(const struct time_slicer *slicer, int32_t slot) {
    uint64_t left = time_slicer_current(slicer) == slot ? switch_left(slicer) : 0;
    return (sim_time)(slicer->accounts[slot].switching - left);
}

sim_time time_slicer_switching(const struct time_slicer *slicer) {
    return (sim_time)(slicer->switching - switch_left(slicer));
}
