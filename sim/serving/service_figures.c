#include "sim/serving/service_figures.h"

#include <math.h>

void service_figures_initialize(struct service_figures *figures, sim_time slo) {
    *figures = (struct service_figures){.slo = slo};
    histogram_initialize(&figures->queue, HISTOGRAM_FAST);
    histogram_initialize(&figures->latency, HISTOGRAM_FAST);
}

void service_figures_terminate(struct service_figures *figures) {
    histogram_terminate(&figures->queue);
    histogram_terminate(&figures->latency);
    latency_parts_terminate(&figures->parts);
}

void service_figures_started(struct service_figures *figures, const struct request *request) {
    figures->started++;
    histogram_add(&figures->queue, (uint64_t)(request->start - request->arrival));
}

static void complete(struct service_figures *figures, const struct request *request,
                     const struct task_parts *parts, sim_time now) {
    uint64_t latency = (uint64_t)(now - request->arrival);
    struct latency_parts *sums = &figures->parts;
    const struct histogram *beside = &figures->latency;
    figures->completed++;
    figures->slo_met += now - request->arrival <= figures->slo && figures->slo != SIM_TIME_NEVER;
    histogram_add(&figures->latency, latency);
    if (figures->counts_tokens) {
        figures->tokens[TOKENS_OF_PROMPT] += request->tokens[TOKENS_OF_PROMPT];
        figures->tokens[TOKENS_MADE] += request->tokens[TOKENS_MADE];
    }
    latency_parts_add(sums, beside, latency, LATENCY_SERVICE,
                      (double)request->task.work + parts->capped);
    latency_parts_add(sums, beside, latency, LATENCY_LOADING, (double)request->cold);
    latency_parts_add(sums, beside, latency, LATENCY_OTHERS, parts->others);
    latency_parts_add(sums, beside, latency, LATENCY_SWITCHING, parts->switching);
    latency_parts_add(sums, beside, latency, LATENCY_INTERFERENCE, parts->interference);
    latency_parts_add(sums, beside, latency, LATENCY_BATCHING, parts->batching);
}

void service_figures_left(struct service_figures *figures, const struct request *request,
                          enum request_state how, const struct task_parts *parts, sim_time now) {
    figures->slo_due += figures->slo != SIM_TIME_NEVER;
    if (how == REQUEST_COMPLETED) {
        complete(figures, request, parts, now);
    } else if (how == REQUEST_TIMED_OUT) {
        figures->timed_out++;
    } else if (how == REQUEST_REJECTED) {
        figures->rejected++;
    } else {
        figures->failed++;
    }
}

void service_figures_remained(struct service_figures *figures, enum request_state how) {
    figures->running += how == REQUEST_RUNNING;
    figures->queued += how == REQUEST_QUEUED;
}

void service_figures_merge(struct service_figures *figures, const struct service_figures *other) {
    figures->submitted += other->submitted;
    figures->started += other->started;
    figures->completed += other->completed;
    figures->timed_out += other->timed_out;
    figures->rejected += other->rejected;
    figures->failed += other->failed;
    figures->oom_kills += other->oom_kills;
    figures->running += other->running;
    figures->queued += other->queued;
    figures->slo_due += other->slo_due;
    figures->slo_met += other->slo_met;
    for (int kind = 0; kind < TOKEN_KINDS; kind++) {
        figures->tokens[kind] += other->tokens[kind];
    }
    histogram_merge(&figures->queue, &other->queue);
    histogram_merge(&figures->latency, &other->latency);
    latency_parts_merge(&figures->parts, &other->parts, &figures->latency);
}

double service_figures_slo_attainment(const struct service_figures *figures) {
    return figures->slo_due == 0 ? NAN : (double)figures->slo_met / (double)figures->slo_due;
}
