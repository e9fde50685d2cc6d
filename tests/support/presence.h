/* Who is on which GPU and slot, as the events of a run tell it, one after the other. */
#ifndef TESTS_SUPPORT_PRESENCE_H
#define TESTS_SUPPORT_PRESENCE_H

#include "tests/support/sim_case.h"

enum { PRESENCE_MOST = 512 };

struct presence {
    const struct event_row *here[PRESENCE_MOST];
    size_t count;
};

/* A start or leave takes effect; others are nothing. Fails the test if somebody gets a GPU or a
 * slot that another has, or an instance of MIG on units of another's. */
void presence_follow(struct presence *presence, const struct event_row *event);
/* Fails the test if anybody is there; gpu -1: on any of the node. */
void presence_expect_nobody(const struct presence *presence, int32_t node, int32_t gpu);
/* How many nodes of a pool of 64 at most anybody is on. */
int32_t presence_nodes(const struct presence *presence);

/* Fails the test unless both runs have the same events. */
void presence_expect_same(const struct recording *a, const struct recording *b);

#endif
