/* What the nodes would have free if running jobs later in the order than some waiting one did not
 * run: whether that one is worth planning. Counts only; hosts are not looked at. */
#ifndef SIM_SCHEDULING_BY_ORDER_ROOM_H
#define SIM_SCHEDULING_BY_ORDER_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct job;
struct node_index;
struct piece;
struct scheduler;

struct by_order_room {
    struct node_index *pools; /* without their sets of nodes */
    size_t pool_count;
    uint64_t pass; /* that they are counted for, and after which level or runners */
    int after;
    size_t level_count; /* 0: levels are not known, or not all there is to know */
    uint8_t **behind;   /* by pool: GPUs by level, then node, that jobs at later levels hold */
};

enum { ROOM_OF_RUNNERS = -1 };

void by_order_room_initialize(struct by_order_room *room, const struct scheduler *scheduler,
                              size_t level_count);
void by_order_room_terminate(struct by_order_room *room);

static inline bool by_order_room_knows_levels(const struct by_order_room *room) {
    return room->level_count > 0;
}
/* A running job holds whole GPUs at its level from now on, or (sign -1) up to now. */
void by_order_room_note(struct by_order_room *room, const struct job *job, int sign);

/* Counts for the pass under way what is free, and what jobs at levels after this one hold; or
 * ROOM_OF_RUNNERS: what is free, to which runners are to be added. O(nodes); once for each level.
 */
void by_order_room_begin(struct by_order_room *room, const struct scheduler *scheduler, int after);
/* Pieces of a pool are taken, or (sign -1) not; those on nodes that go out of use are nobody's. */
void by_order_room_take(struct by_order_room *room, const struct scheduler *scheduler, int32_t pool,
                        const struct piece *pieces, int sign);
/* Whether the job would fit in one of its pools; false: it would not, whatever its host has. */
bool by_order_room_fits(const struct by_order_room *room, const struct job *job);

#endif
