/* What is measured of the requests of one service; of several together by merging. */
#ifndef SIM_SERVING_SERVICE_FIGURES_H
#define SIM_SERVING_SERVICE_FIGURES_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/cluster/device.h"
#include "sim/kernel/histogram.h"
#include "sim/serving/latency_parts.h"
#include "sim/serving/request.h"

struct service_figures {
    int64_t submitted;
    int64_t started;
    int64_t completed;
    int64_t timed_out;
    int64_t rejected;
    int64_t failed;
    int64_t oom_kills;  /* in the measured time: replicas that running out of memory killed */
    int64_t running;    /* at the end of the run */
    int64_t queued;     /* likewise */
    bool counts_tokens; /* its requests may have some: */
    int64_t tokens[TOKEN_KINDS]; /* those of completed requests */
    sim_time slo;                /* latency to keep; SIM_TIME_NEVER: none given. Of one service */
    int64_t slo_due;             /* requests of services with an slo that have left, however */
    int64_t slo_met;
    struct histogram queue;   /* ns from arrival to start, of started requests */
    struct histogram latency; /* ns, of completed requests */
    struct latency_parts parts;
};

void service_figures_initialize(struct service_figures *figures, sim_time slo);
void service_figures_terminate(struct service_figures *figures);

/* For the first time. */
void service_figures_started(struct service_figures *figures, const struct request *request);
/* parts: of a completed request, else NULL. */
void service_figures_left(struct service_figures *figures, const struct request *request,
                          enum request_state how, const struct task_parts *parts, sim_time now);
/* Of a request queued or running when the run ends. */
void service_figures_remained(struct service_figures *figures, enum request_state how);
void service_figures_merge(struct service_figures *figures, const struct service_figures *other);

/* All together. */
static inline int64_t service_figures_tokens(const struct service_figures *figures) {
    return figures->tokens[TOKENS_OF_PROMPT] + figures->tokens[TOKENS_MADE];
}

/* The share of requests within the slo; NaN where none is due. */
double service_figures_slo_attainment(const struct service_figures *figures);

#endif
