/* A request inside the simulation: alive from its arrival until it has ended or was turned away. */
#ifndef SIM_SERVING_REQUEST_H
#define SIM_SERVING_REQUEST_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/cluster/device.h"
#include "sim/kernel/sim_time.h"
#include "sim/serving/request_state.h"

struct replica;
struct request;

/* What concerns a request only while it waits. */
struct waiting_links {
    struct replica *replica; /* in whose own queue it is; NULL: in its service's */
    struct request *older;   /* those of a service with a timeout or a bounded queue, by age, */
    struct request *younger; /* unless they have started before */
};

/* A long queue is nothing but these, so they are small. */
struct request {
    union {
        struct task task; /* while it runs; first: a device hands it back */
        struct waiting_links waiting;
    };
    struct request *next; /* in its queue, or among those that its replica runs */
    struct request *previous;
    sim_time arrival;
    sim_time start;   /* the first one; SIM_TIME_NEVER before */
    sim_time service; /* alone on the reference GPU */
    int64_t number;   /* 1-based, in order of arrival */
    /* Once started: the time that it waited while its service had no replica up. While it waits:
     * the service's time without one at which that was zero. */
    sim_time cold;
    int32_t tokens[]; /* of the prompt, and made; where its service counts them */
};
enum { TOKENS_OF_PROMPT, TOKENS_MADE, TOKEN_KINDS };
static_assert(offsetof(struct request, task) == 0, "a task is its request");
static_assert(sizeof(struct request) == 96, "a queued request takes a cache line and a half");

#endif
