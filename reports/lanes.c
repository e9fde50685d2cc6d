#include "reports/lanes.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"

struct lane_group {
    double *ends; /* of the last span of each lane */
    size_t count;
    size_t capacity;
};

struct lanes {
    struct lane_group *groups;
    size_t count;
    size_t capacity;
};

struct lanes *lanes_create(void) {
    return memory_zero(1, sizeof(struct lanes));
}

void lanes_destroy(struct lanes *lanes) {
    for (size_t i = 0; i < lanes->count; i++) {
        free(lanes->groups[i].ends);
    }
    free(lanes->groups);
    free(lanes);
}

int64_t lanes_take(struct lanes *lanes, int64_t group, double begin, double end) {
    size_t wanted = (size_t)group + 1;
    lanes->groups = memory_grow(lanes->groups, &lanes->capacity, wanted, sizeof *lanes->groups);
    while (lanes->count < wanted) {
        lanes->groups[lanes->count++] = (struct lane_group){0};
    }
    struct lane_group *of = &lanes->groups[group];
    size_t lane = 0;
    while (lane < of->count && of->ends[lane] > begin) {
        lane++;
    }
    if (lane == of->count) {
        of->ends = memory_grow(of->ends, &of->capacity, of->count + 1, sizeof *of->ends);
        of->count++;
    }
    of->ends[lane] = end;
    return (int64_t)lane + 1;
}

int64_t lanes_count(const struct lanes *lanes, int64_t group) {
    return (size_t)group < lanes->count ? (int64_t)lanes->groups[group].count : 0;
}
