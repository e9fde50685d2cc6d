/* A closed loop: clients that each submit a job, wait for its end, think, and submit again. All
 * submit their first at t = 0. Which client a job belongs to makes no difference, so what is kept
 * is when those that think will be done. */
#include <math.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "workloads/arrival_process.h"

static const struct field closed_fields[] = {
    {
        .name = "clients",
        .summary = "how many clients there are",
        .type = &field_integer,
        .required = true,
        FIELD_AT(struct closed_options, clients),
        FIELD_RANGE(1, 1000000),
    },
    {
        .name = "think",
        .summary = "the time from the end of a client's job to its next one",
        .type = &field_distribution,
        .required = true,
        FIELD_AT(struct closed_options, think),
        FIELD_AT_LEAST(0),
        .dimension = DIMENSION_DURATION,
    },
    {.name = NULL},
};

const struct field closed_field = {
    .summary = "clients that wait for the end of their job, think, and submit the next",
    .type = &field_object,
    .fields = closed_fields,
};

/* The clients that think are a binary heap by when they will be done. */
struct closed {
    struct arrival_process process;
    const struct distribution *think;
    size_t thinking;
    sim_time done[];
};

/* Without any time to think, jobs that take no time (or are turned away) would follow each other
 * for ever at one instant. */
bool closed_check(const void *options, struct error *error) {
    const struct closed_options *given = options;
    if (!(distribution_mean(&given->think) > 0)) {
        error_set(error, NULL, 0, 0,
                  "the mean time to think must be positive; 1ms is short enough to keep a cluster "
                  "busy all the time");
        return false;
    }
    return true;
}

static sim_time pop_first(struct closed *closed) {
    sim_time first = closed->done[0];
    sim_time moving = closed->done[--closed->thinking];
    size_t at = 0;
    for (size_t child = 1; child < closed->thinking; child = 2 * at + 1) {
        child += child + 1 < closed->thinking && closed->done[child + 1] < closed->done[child];
        if (closed->done[child] >= moving) {
            break;
        }
        closed->done[at] = closed->done[child];
        at = child;
    }
    closed->done[at] = moving;
    return first;
}

static void push(struct closed *closed, sim_time time) {
    size_t at = closed->thinking++;
    while (at > 0 && closed->done[(at - 1) / 2] > time) {
        closed->done[at] = closed->done[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    closed->done[at] = time;
}

static sim_time next(struct arrival_process *process, sim_time last, struct stream *stream) {
    struct closed *closed = (struct closed *)process;
    (void)last;
    (void)stream;
    return closed->thinking > 0 ? pop_first(closed) : SIM_TIME_NEVER;
}

/* The client of the pending arrival thinks on if the one whose job has ended will be done first. */
static sim_time ended(struct arrival_process *process, sim_time now, sim_time pending,
                      struct stream *stream) {
    struct closed *closed = (struct closed *)process;
    double think = distribution_draw(closed->think, stream);
    sim_time time = think < (double)SIM_TIME_LONGEST
                        ? sim_time_add(now, think > 0 ? (sim_time)(think + 0.5) : 0)
                        : SIM_TIME_NEVER;
    if (time == SIM_TIME_NEVER) {
        return pending; /* a client that thinks for ever is gone */
    }
    if (pending <= time && pending != SIM_TIME_NEVER) {
        push(closed, time);
        return pending;
    }
    if (pending != SIM_TIME_NEVER) {
        push(closed, pending);
    }
    return time;
}

struct arrival_process *closed_create(const void *options, sim_time start_of_day) {
    const struct closed_options *given = options;
    (void)start_of_day;
    size_t clients = (size_t)given->clients;
    struct closed *closed = memory_zero(1, sizeof(*closed) + clients * sizeof(closed->done[0]));
    closed->process.next = next;
    closed->process.ended = ended;
    closed->think = &given->think;
    closed->thinking = clients; /* at t = 0 all are done */
    return &closed->process;
}

double closed_rate(const void *options) {
    (void)options;
    return (double)NAN;
}

/* By the clients: as many as come closest, and at least one. */
void closed_scale(void *options, double factor) {
    struct closed_options *given = options;
    int32_t clients = (int32_t)lround(given->clients * factor);
    given->clients = clients > 1 ? clients : 1;
}
