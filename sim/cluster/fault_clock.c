#include "sim/cluster/fault_clock.h"

#include <math.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

/* To the nearest nanosecond, and at least one: time goes on. */
static sim_time whole_time(double ns) {
    return !(ns > 1) ? 1 : ns < (double)SIM_TIME_LONGEST ? (sim_time)llround(ns) : SIM_TIME_LONGEST;
}

/* Draws how long the unit is up from `now` on, and down after that. */
static void draw(struct fault_clock *clock, int32_t unit, sim_time now) {
    struct stream stream;
    stream_initialize(&stream, clock->key + clock->cycle[unit]++, (uint64_t)unit, "fault");
    sim_time up = whole_time(distribution_draw(clock->up, &stream));
    sim_time down = whole_time(distribution_draw(clock->down, &stream));
    clock->warned[unit] = clock->warning < up ? clock->warning : up - 1;
    clock->next[unit] = sim_time_add(now, up - clock->warned[unit]);
    clock->repair[unit] = sim_time_add(clock->warned[unit], down);
}

static bool is_before(const struct fault_clock *clock, int32_t a, int32_t b) {
    return clock->next[a] < clock->next[b] || (clock->next[a] == clock->next[b] && a < b);
}

static void put(struct fault_clock *clock, int32_t place, int32_t unit) {
    clock->heap[place] = unit;
    clock->place[unit] = place;
}

/* Puts the unit into the heap's place `hole` or below. */
static void sift(struct fault_clock *clock, int32_t hole, int32_t unit) {
    int32_t *heap = clock->heap;
    for (int32_t child = 2 * hole + 1; child < clock->units; child = 2 * hole + 1) {
        child += child + 1 < clock->units && is_before(clock, heap[child + 1], heap[child]);
        if (is_before(clock, unit, heap[child])) {
            break;
        }
        put(clock, hole, heap[child]);
        hole = child;
    }
    put(clock, hole, unit);
}

/* The unit's next turn has changed. */
static void move(struct fault_clock *clock, int32_t unit) {
    int32_t hole = clock->place[unit];
    while (hole > 0 && is_before(clock, unit, clock->heap[(hole - 1) / 2])) {
        put(clock, hole, clock->heap[(hole - 1) / 2]);
        hole = (hole - 1) / 2;
    }
    sift(clock, hole, unit);
}

void fault_clock_initialize(struct fault_clock *clock, int32_t units, const struct distribution *up,
                            const struct distribution *down, sim_time warning, uint64_t seed,
                            uint64_t replication, const char *purpose) {
    struct stream stream;
    size_t count = (size_t)units;
    stream_initialize(&stream, seed, replication, purpose);
    *clock = (struct fault_clock){
        .up = up, .down = down, .key = stream_next(&stream), .units = units, .warning = warning};
    clock->warned = memory_zero(count, sizeof *clock->warned);
    clock->next = memory_zero(count, sizeof *clock->next);
    clock->repair = memory_zero(count, sizeof *clock->repair);
    clock->cycle = memory_zero(count, sizeof *clock->cycle);
    clock->is_down = memory_zero(count, sizeof *clock->is_down);
    clock->heap = memory_zero(count, sizeof *clock->heap);
    clock->place = memory_zero(count, sizeof *clock->place);
    for (int32_t unit = 0; unit < units; unit++) {
        draw(clock, unit, 0);
        put(clock, unit, unit);
    }
    for (int32_t at = units / 2; at-- > 0;) {
        sift(clock, at, clock->heap[at]);
    }
}

void fault_clock_terminate(struct fault_clock *clock) {
    free(clock->next);
    free(clock->warned);
    free(clock->repair);
    free(clock->cycle);
    free(clock->is_down);
    free(clock->heap);
    free(clock->place);
}

int32_t fault_clock_turn(struct fault_clock *clock) {
    int32_t unit = clock->heap[0];
    sim_time now = clock->next[unit];
    clock->is_down[unit] = !clock->is_down[unit];
    if (clock->is_down[unit]) {
        clock->next[unit] = sim_time_add(now, clock->repair[unit]);
    } else {
        draw(clock, unit, now);
    }
    sift(clock, 0, unit);
    return unit;
}

void fault_clock_stop(struct fault_clock *clock, int32_t unit) {
    clock->is_down[unit] = false;
    clock->next[unit] = SIM_TIME_NEVER;
    move(clock, unit);
}

void fault_clock_begin_anew(struct fault_clock *clock, int32_t unit, sim_time now) {
    clock->is_down[unit] = false;
    draw(clock, unit, now);
    move(clock, unit);
}
