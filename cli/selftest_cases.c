#include "cli/selftest_cases.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "models/checkpoint.h"
#include "models/queueing.h"
#include "sim/kernel/memory.h"

/* How narrow an interval must be. Where queues are long or services vary much, the same width takes
 * many times the jobs. */
static const double NARROW = 0.01;
static const double HEAVY = 0.03;
static const double WIDE = 0.05;

static struct selftest_case *add_case(struct selftest_cases *cases, const char *name) {
    cases->items =
        memory_grow(cases->items, &cases->capacity, cases->count + 1, sizeof *cases->items);
    struct selftest_case *added = &cases->items[cases->count++];
    *added = (struct selftest_case){.name = name};
    return added;
}

static void add_figure(struct selftest_case *to, struct selftest_figure figure) {
    assert(to->figure_count < SELFTEST_FIGURES);
    to->figures[to->figure_count++] = figure;
}

static double metric_of(const struct selftest_figure *figure,
                        const struct selftest_outcome *outcome, const char *metric) {
    enum scope scope = figure->workload[0] != '\0' ? SCOPE_WORKLOAD : SCOPE_RUN;
    return results_metric(outcome->results, scope, figure->workload, metric);
}

static double metric_value(const struct selftest_figure *figure,
                           const struct selftest_outcome *outcome) {
    return metric_of(figure, outcome, figure->metric);
}

static double share_value(const struct selftest_figure *figure,
                          const struct selftest_outcome *outcome) {
    return metric_of(figure, outcome, figure->metric) / metric_of(figure, outcome, figure->other);
}

/* Little's law: how many there are, from how fast they come and how long they stay. */
static double number_value(const struct selftest_figure *figure,
                           const struct selftest_outcome *outcome) {
    return metric_of(figure, outcome, figure->metric) * metric_of(figure, outcome, figure->other);
}

/* A metric of a workload. */
static void add_metric(struct selftest_case *to, const char *workload, const char *metric,
                       const char *formula, double exact, double widest) {
    add_figure(to, (struct selftest_figure){.name = metric,
                                            .formula = formula,
                                            .exact = exact,
                                            .widest = widest,
                                            .value = metric_value,
                                            .workload = workload,
                                            .metric = metric});
}

/* Jobs of one state as a share of those submitted. */
static void add_share(struct selftest_case *to, const char *metric, const char *name,
                      const char *formula, double exact) {
    add_figure(to, (struct selftest_figure){.name = name,
                                            .formula = formula,
                                            .exact = exact,
                                            .widest = NARROW,
                                            .value = share_value,
                                            .workload = "",
                                            .metric = metric,
                                            .other = "submitted"});
}

/* What wait and response are called. */
struct item_metrics {
    const char *wait_mean;
    const char *wait_p99;
    const char *response_p99;
};
static const struct item_metrics of_jobs = {"wait_s.mean", "wait_s.p99", "jct_s.p99"};
static const struct item_metrics of_requests = {"queue_s.mean", "queue_s.p99", "latency_s.p99"};

static void add_mmc_wait(struct selftest_case *to, const struct item_metrics *of, int servers,
                         double rate, double widest) {
    add_metric(to, "", of->wait_mean, "Erlang C", queueing_mmc_wait(servers, rate, 1), widest);
}

static void add_mmc_wait_p99(struct selftest_case *to, const struct item_metrics *of, int servers,
                             double rate) {
    add_metric(to, "", of->wait_p99, "Erlang C, tail",
               queueing_mmc_wait_quantile(servers, rate, 1, 0.99), WIDE);
}

static void add_mmc_response_p99(struct selftest_case *to, const struct item_metrics *of,
                                 int servers, double rate) {
    add_metric(to, "", of->response_p99, "Erlang C, tail",
               queueing_mmc_response_quantile(servers, rate, 1, 0.99), WIDE);
}

static void add_mmc(struct selftest_cases *cases, const char *name, const struct item_metrics *of,
                    int servers, double rate, double widest) {
    struct selftest_case *added = add_case(cases, name);
    add_mmc_wait(added, of, servers, rate, widest);
    add_mmc_wait_p99(added, of, servers, rate);
    add_mmc_response_p99(added, of, servers, rate);
}

static void list_exponential(struct selftest_cases *cases) {
    add_mmc(cases, "mm1", &of_jobs, 1, 0.8, NARROW);
    add_mmc(cases, "mm1-service", &of_requests, 1, 0.8, NARROW);
    add_mmc_wait(add_case(cases, "mm2"), &of_jobs, 2, 1, NARROW);
    add_mmc(cases, "mm8", &of_jobs, 8, 7.2, HEAVY);
    struct selftest_case *mm64 = add_case(cases, "mm64");
    add_mmc_wait(mm64, &of_requests, 64, 60.8, WIDE);
    add_mmc_wait_p99(mm64, &of_requests, 64, 60.8);
}

static void list_loss(struct selftest_cases *cases) {
    add_share(add_case(cases, "loss-10"), "timed_out", "blocking", "Erlang B",
              queueing_erlang_b(10, 8));
    add_share(add_case(cases, "loss-100"), "rejected", "blocking", "Erlang B",
              queueing_erlang_b(100, 90));
}

static void list_bounded(struct selftest_cases *cases) {
    struct selftest_case *room = add_case(cases, "room-10");
    struct queueing_bounded exact = queueing_mmck(4, 10, 5, 1);
    add_share(room, "rejected", "blocking", "birth and death", exact.blocking);
    add_figure(room, (struct selftest_figure){.name = "jobs_in_system",
                                              .formula = "birth and death",
                                              .exact = exact.number,
                                              .widest = NARROW,
                                              .value = number_value,
                                              .workload = "",
                                              .metric = "throughput_per_s",
                                              .other = "jct_s.mean"});
    add_metric(room, "", "jct_s.mean", "birth and death", exact.response, NARROW);
}

static void add_mdc(struct selftest_cases *cases, const char *name, int servers, double rate,
                    double widest) {
    add_metric(add_case(cases, name), "", "wait_s.mean", "Crommelin",
               queueing_mdc_wait(servers, rate, 1), widest);
}

static void list_general(struct selftest_cases *cases) {
    add_mdc(cases, "md1", 1, 0.8, NARROW);
    add_mdc(cases, "md2", 2, 1.6, NARROW);
    add_mdc(cases, "md4", 4, 3.6, HEAVY);
    add_mdc(cases, "md8", 8, 7.2, HEAVY);
    add_metric(add_case(cases, "mg1-hyperexp"), "", "wait_s.mean", "Pollaczek-Khinchine",
               queueing_mg1_wait(0.7, 1, 2), NARROW);
    add_metric(add_case(cases, "mg1-lognormal"), "", "wait_s.mean", "Pollaczek-Khinchine",
               queueing_mg1_wait(0.7, 1, 2), HEAVY);
}

static void add_priorities(struct selftest_case *to, double high, double low) {
    add_metric(to, "high", "wait_s.mean", "Cobham", high, NARROW);
    to->figures[0].name = "high.wait_s.mean";
    add_metric(to, "low", "wait_s.mean", "Cobham", low, NARROW);
    to->figures[1].name = "low.wait_s.mean";
}

static void list_priorities(struct selftest_cases *cases) {
    const struct queueing_class equal[] = {{0.3, 1}, {0.5, 1}};
    const struct queueing_class unequal[] = {{0.4, 0.5}, {0.3, 2}};
    const double rates[] = {1.2, 2.0};
    add_priorities(add_case(cases, "priority-mm1"), queueing_priority_wait(equal, 2, 0),
                   queueing_priority_wait(equal, 2, 1));
    add_priorities(add_case(cases, "priority-mm4"), queueing_mmc_priority_wait(4, rates, 2, 1, 0),
                   queueing_mmc_priority_wait(4, rates, 2, 1, 1));
    add_priorities(add_case(cases, "priority-mg1"), queueing_priority_wait(unequal, 2, 0),
                   queueing_priority_wait(unequal, 2, 1));
}

static void add_preemptive(struct selftest_cases *cases, const char *name, int servers,
                           const double *rates) {
    struct selftest_case *to = add_case(cases, name);
    add_metric(to, "high", "jct_s.mean", "Erlang C, Little",
               queueing_mmc_preemptive_response(servers, rates, 1, 0), NARROW);
    to->figures[0].name = "high.jct_s.mean";
    add_metric(to, "low", "jct_s.mean", "Erlang C, Little",
               queueing_mmc_preemptive_response(servers, rates, 1, 1), NARROW);
    to->figures[1].name = "low.jct_s.mean";
}

static void list_preemption(struct selftest_cases *cases) {
    add_preemptive(cases, "preemptive-mm1", 1, (const double[]){0.3, 0.5});
    add_preemptive(cases, "preemptive-mm4", 4, (const double[]){1.2, 2.0});
}

static void add_closed(struct selftest_cases *cases, const char *name, int clients) {
    struct queueing_closed exact = queueing_closed_loop(clients, 10, 1);
    struct selftest_case *added = add_case(cases, name);
    add_metric(added, "", "throughput_per_s", "machine repair", exact.throughput, NARROW);
    add_metric(added, "", "jct_s.mean", "machine repair", exact.response, NARROW);
}

static const double SWING = 0.8; /* of the arrival rate, as a share of its mean */
static const double PEAK_H = 6;

static double ratio_value(const struct selftest_figure *figure,
                          const struct selftest_outcome *outcome) {
    (void)figure;
    return wave_relative_amplitude(outcome->wave) / SWING;
}

static double lag_value(const struct selftest_figure *figure,
                        const struct selftest_outcome *outcome) {
    (void)figure;
    return wave_peak_h(outcome->wave) - PEAK_H;
}

static void list_sinusoid(struct selftest_cases *cases) {
    struct selftest_case *added = add_case(cases, "sinusoid");
    struct queueing_sine exact = queueing_sinusoidal(24, 1);
    add_figure(added, (struct selftest_figure){.name = "amplitude_ratio",
                                               .formula = "Eick, Massey, Whitt",
                                               .exact = exact.ratio,
                                               .widest = NARROW,
                                               .value = ratio_value});
    add_figure(added, (struct selftest_figure){.name = "lag_h",
                                               .formula = "Eick, Massey, Whitt",
                                               .exact = exact.lag,
                                               .widest = NARROW,
                                               .value = lag_value});
}

static void add_gangs(struct selftest_cases *cases, const char *name, double share) {
    add_metric(add_case(cases, name), "", "throughput_per_s", "three states",
               queueing_gang_throughput(share, 1), NARROW);
}

static void list_closed(struct selftest_cases *cases) {
    add_closed(cases, "closed-5", 5);
    add_closed(cases, "closed-20", 20);
    add_gangs(cases, "gangs-10", 0.1);
    add_gangs(cases, "gangs-50", 0.5);
    add_gangs(cases, "gangs-90", 0.9);
}

/* Jobs of 24 h that are interrupted once in 6 h for 1 h; saves of 5 minutes. */
static void add_checkpoints(struct selftest_cases *cases, const char *name, double interval,
                            double save, double widest) {
    struct checkpoint_course course = {.work = 24,
                                       .interval = interval,
                                       .save = save,
                                       .final = save > 0,
                                       .rate = 1.0 / 6,
                                       .out = 1};
    add_metric(add_case(cases, name), "work", "jct_s.mean", "Duda",
               3600 * checkpoint_expected_time(&course), widest);
}

static void list_checkpoints(struct selftest_cases *cases) {
    add_checkpoints(cases, "checkpoint-none", INFINITY, 0, HEAVY);
    add_checkpoints(cases, "checkpoint-4h", 4, 5.0 / 60, NARROW);
    add_checkpoints(cases, "checkpoint-1h", 1, 5.0 / 60, NARROW);
    /* The limit of ever finer saves that cost nothing. */
    add_metric(add_case(cases, "checkpoint-kept"), "work", "jct_s.mean", "24 h (1 + 1/6)",
               24 * 3600 * (1 + 1.0 / 6), NARROW);
}

/* GPUs that are repaired at once, and the job of 24 h on one of them. */
static void list_faults(struct selftest_cases *cases) {
    struct checkpoint_course course = {.work = 24,
                                       .interval = 4,
                                       .save = 5.0 / 60,
                                       .final = true,
                                       .restore = 10.0 / 60,
                                       .rate = 1.0 / 6,
                                       .out = 1};
    add_metric(add_case(cases, "repair-gpus"), "", "availability", "machine repair",
               queueing_availability(9, 1), NARROW);
    add_metric(add_case(cases, "fault-restore"), "work", "jct_s.mean", "Duda, Daly",
               3600 * checkpoint_expected_time(&course), NARROW);
}

static void add_sharing(struct selftest_cases *cases, const char *name) {
    add_metric(add_case(cases, name), "", "latency_s.mean", "Sakata et al.",
               queueing_mg1_sharing_response(0.7, 1), NARROW);
}

static void list_processor_sharing(struct selftest_cases *cases) {
    add_sharing(cases, "ps-mps-cv1");
    add_sharing(cases, "ps-mps-cv2");
    add_sharing(cases, "ps-turns-cv1");
    add_sharing(cases, "ps-turns-cv2");
    add_sharing(cases, "ps-alone-cv0");
}

static void add_response(struct selftest_cases *cases, const char *name, int servers, double rate,
                         double mean) {
    add_metric(add_case(cases, name), "", "latency_s.mean", "Erlang C",
               queueing_mmc_response(servers, rate, mean), NARROW);
}

static void list_setup(struct selftest_cases *cases) {
    add_metric(add_case(cases, "setup-exp"), "", "latency_s.mean", "Welch",
               queueing_setup_response(0.5, 1, 10, 1), NARROW);
    add_metric(add_case(cases, "setup-det"), "", "latency_s.mean", "Welch",
               queueing_setup_response(0.5, 1, 10, 0), NARROW);
}

static void list_slices(struct selftest_cases *cases) {
    add_response(cases, "mig-apart", 1, 0.8, 1);
    add_response(cases, "mig-together", 7, 5.6, 1);
    add_response(cases, "mig-whole", 1, 5.6, 1.0 / 7);
}

/* Of a job without end: what it held, less what all held and did not compute, in proportion. */
static double held_value(const struct selftest_figure *figure,
                         const struct selftest_outcome *outcome) {
    const struct results *results = outcome->results;
    double held = metric_of(figure, outcome, "gpu_hours");
    double held_by_all = results_metric(results, SCOPE_RUN, "", "gpu_hours");
    return held / held_by_all * results_metric(results, SCOPE_RUN, "", "utilization.goodput");
}

/* The part of its time that each of two tenants has of a GPU, which is also how many requests of
 * 1 s it completes per second; and the part of both. */
static void add_turns(struct selftest_case *to, const char *first, const char *second,
                      double (*value)(const struct selftest_figure *figure,
                                      const struct selftest_outcome *outcome)) {
    static const char *const names[] = {"first.useful", "second.useful"};
    const char *const workloads[] = {first, second};
    double share = queueing_turns_share(2, 2e-3, 0.2e-3);
    for (int i = 0; i < 2; i++) {
        add_figure(to, (struct selftest_figure){.name = names[i],
                                                .formula = "slices of turns",
                                                .exact = share,
                                                .widest = NARROW,
                                                .value = value,
                                                .workload = workloads[i],
                                                .metric = "throughput_per_s"});
    }
    add_metric(to, "", "utilization.goodput", "slices of turns", 2 * share, NARROW);
    to->figures[2].name = "goodput";
}

static void list_turns(struct selftest_cases *cases) {
    add_turns(add_case(cases, "turns-jobs"), "jobs-1", "jobs-2", held_value);
    add_turns(add_case(cases, "turns-service"), "requests-1", "requests-2", metric_value);
}

void selftest_cases_create(struct selftest_cases *cases) {
    *cases = (struct selftest_cases){0};
    list_exponential(cases);
    list_loss(cases);
    list_bounded(cases);
    list_general(cases);
    list_priorities(cases);
    list_closed(cases);
    list_preemption(cases);
    list_checkpoints(cases);
    list_faults(cases);
    list_sinusoid(cases);
    list_processor_sharing(cases);
    list_setup(cases);
    list_slices(cases);
    list_turns(cases);
}

void selftest_cases_clear(struct selftest_cases *cases) {
    free(cases->items);
    *cases = (struct selftest_cases){0};
}
