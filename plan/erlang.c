#include "plan/erlang.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/queueing.h"
#include "plan/devices.h"
#include "workloads/arrivals.h"

enum { ENOUGH_ARRIVALS = 10000, SETTLINGS = 20 };

/* The M/M/c that a scenario is. */
struct queue {
    bool of_requests;
    int servers;
    double rate; /* per second */
    double mean; /* seconds, in a slot */
};

struct survey {
    bool shared;
    double gpus;
};

static void look(void *context, const struct plan_device *device) {
    struct survey *survey = context;
    survey->shared |=
        device->profile != NULL || device->sharing->index != SHARING_EXCLUSIVE || device->changes;
    survey->gpus += device->count;
}

static bool is_kind(const struct distribution *distribution, const char *name) {
    return distribution->kind != NULL && strcmp(distribution->kind->name, name) == 0;
}

static const char *obstacle_of_jobs(const struct scenario *scenario,
                                    const struct workload_spec *workload) {
    bool one = is_kind(&workload->gpus, "constant") && workload->gpus.given[0] == 1;
    if (!one) {
        return "jobs ask for different numbers of GPUs";
    }
    if (!is_kind(&workload->duration, "exponential")) {
        return "durations are not exponential";
    }
    if (workload->max_wait != SIM_TIME_NEVER) {
        return "jobs give up waiting";
    }
    /* The first row of the registry is fifo; others change who waits how long. */
    return scenario->scheduler.order.index != 0 ? "jobs are not served in order of arrival" : NULL;
}

static const char *obstacle_of_service(const struct workload_spec *workload, double gpus) {
    const struct service_spec *service = &workload->service;
    if (service->service_time.by_tokens || !is_kind(&service->service_time.time, "exponential")) {
        return "service times are not exponential";
    }
    if (service->concurrency != 1 || service->dispatch.index != 0) {
        return "requests do not wait in one queue for replicas that run one at a time";
    }
    if (service->timeout != SIM_TIME_NEVER || service->unload_after != SIM_TIME_NEVER) {
        return "requests give up, or replicas unload";
    }
    return service->replicas > gpus ? "not every replica has a GPU" : NULL;
}

static struct queue queue_of(const struct scenario *scenario, double gpus) {
    const struct workload_spec *workload = &scenario->workloads[0];
    bool service = workload->kind.index == WORKLOAD_SERVICE;
    const struct distribution *time =
        service ? &workload->service.service_time.time : &workload->duration;
    return (struct queue){.of_requests = service,
                          .servers = service ? workload->service.replicas : (int)gpus,
                          .rate = arrival_rate(&workload->arrivals),
                          .mean = distribution_mean(time) * 1e-9};
}

/* The time in which an M/M/c forgets how it began: mean / (sqrt(c) - sqrt(load))^2, the longest
 * that its spectrum allows. Source: Karlin and McGregor, Many server queueing processes with
 * Poisson input and exponential service times, Pacific Journal of Mathematics 8 (1958). */
static double settling_time(const struct queue *queue) {
    double gap = sqrt(queue->servers) - sqrt(queue->rate * queue->mean);
    return gap > 0 ? queue->mean / (gap * gap) : 0; /* overloaded ones never settle anyway */
}

/* Whether something keeps jobs from starting, or changes how long they take, beside the queue. */
static bool has_more_to_it(const struct scenario *scenario, const struct workload_spec *workload) {
    const struct scheduler_spec *scheduler = &scenario->scheduler;
    return workload->window_count > 0 || workload->array.size > 1 ||
           workload->dependency_count > 0 || workload->checkpoint.given || workload->cpus > 0 ||
           workload->host_memory > 0 || !plan_memory_is_known(workload) ||
           scheduler->kill_at_estimate || scheduler->queue_count > 0 ||
           scheduler->user_limit.given || outage_spec_given(&scenario->pools[0].outages);
}

const char *plan_erlang_obstacle(const struct scenario *scenario) {
    struct survey survey = {0};
    plan_each_device(scenario, look, &survey);
    if (scenario->workload_count != 1 || scenario->pool_count != 1) {
        return "there is more than one workload or pool";
    }
    const struct workload_spec *workload = &scenario->workloads[0];
    if (survey.shared) {
        return "GPUs are shared";
    }
    if (scenario->pools[0].gpu != scenario->reference_gpu) {
        return "times are those of another GPU";
    }
    if (!workload->has_arrivals || workload->arrivals.index != 0) {
        return "arrivals are not Poisson";
    }
    if (workload->limit != 0 || workload->max_queue != INT64_MAX || scenario->end_of_work) {
        return "work is finite, or is turned away";
    }
    if (has_more_to_it(scenario, workload)) {
        return "more than the queue decides when work is done";
    }
    const char *obstacle = workload->kind.index == WORKLOAD_SERVICE
                               ? obstacle_of_service(workload, survey.gpus)
                               : obstacle_of_jobs(scenario, workload);
    if (obstacle != NULL) {
        return obstacle;
    }
    struct queue queue = queue_of(scenario, survey.gpus);
    double warmup = scenario->warmup > 0 ? (double)scenario->warmup : 0;
    double measured = ((double)scenario->horizon - warmup) * 1e-9;
    if (measured * queue.rate < ENOUGH_ARRIVALS) {
        return "a replication has too few arrivals";
    }
    return measured < SETTLINGS * settling_time(&queue)
               ? "a replication is too short for the queue to settle"
               : NULL;
}

/* The stationary figure; NaN: the formula does not give it. */
static double figure(const struct queue *queue, const char *metric) {
    static const struct {
        const char *name;
        double quantile;
    } percentiles[] = {{".p50", 0.5}, {".p90", 0.9}, {".p95", 0.95}, {".p99", 0.99}};
    double load = queue->rate * queue->mean;
    const char *waits = queue->of_requests ? "queue_s" : "wait_s";
    const char *response = queue->of_requests ? "latency_s" : "jct_s";
    size_t length = strcspn(metric, ".");
    bool of_wait = strncmp(metric, waits, length) == 0 && strlen(waits) == length;
    bool of_response = strncmp(metric, response, length) == 0 && strlen(response) == length;
    if (strcmp(metric, "waited") == 0) {
        return queueing_erlang_c(queue->servers, load);
    }
    if (strcmp(metric + length, ".mean") == 0 && (of_wait || of_response)) {
        return of_wait ? queueing_mmc_wait(queue->servers, queue->rate, queue->mean)
                       : queueing_mmc_response(queue->servers, queue->rate, queue->mean);
    }
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++) {
        double q = percentiles[i].quantile;
        if (strcmp(metric + length, percentiles[i].name) == 0 && (of_wait || of_response)) {
            return of_wait ? queueing_mmc_wait_quantile(queue->servers, queue->rate, queue->mean, q)
                           : queueing_mmc_response_quantile(queue->servers, queue->rate,
                                                            queue->mean, q);
        }
    }
    return (double)NAN;
}

bool plan_erlang_misses(const struct scenario *scenario, double tolerance, char *text,
                        size_t size) {
    struct survey survey = {0};
    plan_each_device(scenario, look, &survey);
    struct queue queue = queue_of(scenario, survey.gpus);
    if (queue.rate * queue.mean >= queue.servers) {
        snprintf(text, size, "a load of %.4g on %d servers is more than they can ever do",
                 queue.rate * queue.mean, queue.servers);
        return true;
    }
    for (size_t i = 0; i < scenario->objective_count; i++) {
        const struct objective *objective = &scenario->objectives[i];
        bool at_most = objective->relation == AT_MOST || objective->relation == LESS;
        double value =
            objective->scope == SCOPE_POOL ? (double)NAN : figure(&queue, objective->metric);
        if (at_most && value > objective->value * (1 + tolerance)) {
            snprintf(text, size, "M/M/%d has %s = %.4g, and the bound is %.4g", queue.servers,
                     objective->metric, value, objective->value);
            return true;
        }
    }
    return false;
}
