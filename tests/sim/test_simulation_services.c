/* Services in whole runs, through the real reader: by hand to the nanosecond, and against queueing
 * theory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "models/queueing.h"
#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

/* A scenario of one node of a pool that is as it says, and these workloads. */
static void run_on(struct scenario_run *run, const char *head, const char *pool,
                   const char *workloads, uint64_t replication) {
    char text[2048];
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: services\n"
             "%s\n"
             "cluster: {pools: {p: {nodes: 1, %s}}}\n"
             "record: {requests: true}\n"
             "workloads:\n"
             "%s",
             head, pool, workloads);
    scenario_run_text(run, "/tmp", text, NULL, replication);
}

/* On so many exclusive GPUs. */
static void run(struct scenario_run *run, const char *head, int gpus, const char *workloads,
                uint64_t replication) {
    char pool[64];
    snprintf(pool, sizeof pool, "gpu: V100-SXM2-32GB, gpus_per_node: %d", gpus);
    run_on(run, head, pool, workloads, replication);
}

static sim_time moment(double seconds) {
    return seconds < 0 ? SIM_TIME_NEVER : sim_time_from_seconds(seconds);
}

/* Below 0: never. */
static void expect(const struct scenario_run *run, int64_t seq, enum request_state state,
                   double arrival_s, double start_s, double end_s) {
    const struct request_row *row = recording_request(&run->recording, "w", seq);
    assert_string_equal(request_state_names[row->state], request_state_names[state]);
    assert_int_equal(row->arrival, moment(arrival_s));
    assert_int_equal(row->start, moment(start_s));
    assert_int_equal(row->end, moment(end_s));
}

static double metric(const struct scenario_run *run, enum scope scope, const char *subject,
                     const char *name) {
    return results_metric(&run->results, scope, subject, name);
}

/* One every 2 s that takes 3 s: 1 runs in [2, 5), 2 from 5 on; 3 came at 6 and waits at the end,
 * and one that comes at the horizon is part of the run. Replicas are not among the jobs. */
static void until_a_horizon(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 6s", 1,
        "  w: {kind: service, arrivals: {renewal: 2s}, service_time: 3s}\n", 0);
    expect(&case_run, 1, REQUEST_COMPLETED, 2, 2, 5);
    expect(&case_run, 2, REQUEST_RUNNING, 4, 5, -1);
    expect(&case_run, 3, REQUEST_QUEUED, 6, -1, -1);
    assert_int_equal(case_run.recording.request_count, 3);
    assert_int_equal(case_run.recording.job_count, 0);
    scenario_run_clear(&case_run);
}

/* Three requests, the last of which ends at 2 + 3 x 3 s: that is the end of all work, though the
 * replica stays. */
static void until_the_end_of_work(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: end_of_work", 1,
        "  w: {kind: service, arrivals: {renewal: 2s}, service_time: 3s, limit: 3}\n", 0);
    expect(&case_run, 3, REQUEST_COMPLETED, 6, 8, 11);
    assert_int_equal(case_run.results.end, 11 * NANOSECONDS_PER_SECOND);
    assert_true(metric(&case_run, SCOPE_RUN, "", "makespan_s") == 9);
    scenario_run_clear(&case_run);
}

/* Clients think for 3 s after the end of their request (compare those of jobs): 1 and 3 of the
 * first client, 2 and 4 of the second. */
static void clients_wait_for_their_ends(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 12s", 1,
        "  w: {kind: service, arrivals: {closed: {clients: 2, think: 3s}}, service_time: 2s}\n", 0);
    expect(&case_run, 1, REQUEST_COMPLETED, 0, 0, 2);
    expect(&case_run, 2, REQUEST_COMPLETED, 0, 2, 4);
    expect(&case_run, 3, REQUEST_COMPLETED, 5, 5, 7);
    expect(&case_run, 4, REQUEST_COMPLETED, 7, 7, 9);
    expect(&case_run, 5, REQUEST_COMPLETED, 10, 10, 12);
    expect(&case_run, 6, REQUEST_RUNNING, 12, 12, -1);
    scenario_run_clear(&case_run);
}

/* Being turned away at 0, 3 and 6, and giving up, are ends, too. */
static void turned_away_clients_come_again(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 7s", 1,
        "  w: {kind: service, arrivals: {closed: {clients: 2, think: 3s}}, service_time: 9s,\n"
        "      max_queue: 0}\n",
        0);
    expect(&case_run, 1, REQUEST_RUNNING, 0, 0, -1);
    expect(&case_run, 2, REQUEST_REJECTED, 0, -1, 0);
    expect(&case_run, 3, REQUEST_REJECTED, 3, -1, 3);
    expect(&case_run, 4, REQUEST_REJECTED, 6, -1, 6);
    scenario_run_clear(&case_run);
    run(&case_run, "horizon: 6s", 1,
        "  w: {kind: service, arrivals: {closed: {clients: 2, think: 3s}}, service_time: 9s,\n"
        "      timeout: 1s}\n",
        0);
    expect(&case_run, 2, REQUEST_TIMED_OUT, 0, -1, 1);
    expect(&case_run, 3, REQUEST_TIMED_OUT, 4, -1, 5);
    scenario_run_clear(&case_run);
}

/* The model loads for 5 s: 1, of 2 s, waits for it. */
static void a_model_is_loaded_first(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 20s", 1,
        "  w: {kind: service, arrivals: {renewal: 3s}, service_time: 2s, load_time: 5s}\n", 0);
    expect(&case_run, 1, REQUEST_COMPLETED, 3, 5, 7);
    expect(&case_run, 2, REQUEST_COMPLETED, 6, 7, 9);
    expect(&case_run, 3, REQUEST_COMPLETED, 9, 9, 11);
    scenario_run_clear(&case_run);
}

/* Two replicas and a job on two GPUs: the replicas were first, and stay. On three there is room. */
static void replicas_hold_their_gpus(void **state) {
    (void)state;
    for (int gpus = 2; gpus <= 3; gpus++) {
        struct scenario_run case_run;
        run(&case_run, "horizon: 20s", gpus,
            "  j: {kind: jobs, arrivals: {renewal: 4s}, limit: 1, duration: 5s, class: inference}\n"
            "  w: {kind: service, arrivals: {renewal: 1s}, service_time: 2s, replicas: 2}\n",
            0);
        const struct job_row *job = recording_job(&case_run.recording, "j", "1");
        assert_int_equal(job->state, gpus == 2 ? JOB_QUEUED : JOB_COMPLETED);
        assert_int_equal(job->end, gpus == 2 ? SIM_TIME_NEVER : moment(9));
        expect(&case_run, 7, REQUEST_COMPLETED, 7, 7, 9);
        scenario_run_clear(&case_run);
    }
}

/* No V100 has 40 GB: the requests wait for ever, and the run says why. */
static void a_replica_that_fits_nowhere(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 5s", 1,
        "  w: {kind: service, arrivals: {renewal: 2s}, service_time: 1s, memory: 40GB}\n", 0);
    expect(&case_run, 1, REQUEST_QUEUED, 2, -1, -1);
    expect(&case_run, 2, REQUEST_QUEUED, 4, -1, -1);
    assert_int_equal(case_run.results.rejected, 1);
    assert_non_null(strstr(case_run.results.first_rejected, "service w"));
    scenario_run_clear(&case_run);
}

/* Two of three replicas get one of the two instances, of half the speed: requests, one a second,
 * take 4 s there and start at 1 and 2, then as these end at 5 and 6. */
static void on_mig_instances(void **state) {
    (void)state;
    struct scenario_run case_run;
    run_on(
        &case_run, "horizon: 20s",
        "gpu: A100-SXM4-80GB, gpus_per_node: 1, sharing: {mode: mig, layout: [3g.40gb, 3g.40gb]}",
        "  w: {kind: service, arrivals: {renewal: 1s}, service_time: 2s, replicas: 3,\n"
        "      speed: {3g.40gb: 0.5}}\n",
        0);
    expect(&case_run, 1, REQUEST_COMPLETED, 1, 1, 5);
    expect(&case_run, 2, REQUEST_COMPLETED, 2, 2, 6);
    expect(&case_run, 3, REQUEST_COMPLETED, 3, 5, 9);
    expect(&case_run, 4, REQUEST_COMPLETED, 4, 6, 10);
    scenario_run_clear(&case_run);
}

/* Both services have a request every 10 s, of 3 and 1 s: w computes for a slice of 2 s, v for 1 s
 * after a switch of 1 s, and w for the last second after another. At 20 w was the last that ran,
 * and goes first without a switch. */
static void services_in_turns(void **state) {
    (void)state;
    struct scenario_run case_run;
    run_on(&case_run, "horizon: 38s",
           "gpu: V100-SXM2-32GB, gpus_per_node: 1, sharing: {mode: timeslice, replicas: 2, slice: "
           "2s, switch: 1s}",
           "  w: {kind: service, arrivals: {renewal: 10s}, service_time: 3s}\n"
           "  v: {kind: service, arrivals: {renewal: 10s}, service_time: 1s}\n",
           0);
    for (int i = 1; i <= 3; i++) {
        expect(&case_run, i, REQUEST_COMPLETED, 10 * i, 10 * i, 10 * i + 6);
        const struct request_row *other = recording_request(&case_run.recording, "v", i);
        assert_int_equal(other->end, moment(10 * i + 4));
    }
    scenario_run_clear(&case_run);
}

/* Under MPS both run at half speed while both do: v is done at 12, and w has 2 of 3 s left then. */
static void services_together(void **state) {
    (void)state;
    struct scenario_run case_run;
    run_on(&case_run, "horizon: 19s", "gpu: V100-SXM2-32GB, gpus_per_node: 1, sharing: {mode: mps}",
           "  w: {kind: service, arrivals: {renewal: 10s}, service_time: 3s}\n"
           "  v: {kind: service, arrivals: {renewal: 10s}, service_time: 1s}\n",
           0);
    expect(&case_run, 1, REQUEST_COMPLETED, 10, 10, 14);
    assert_int_equal(recording_request(&case_run.recording, "v", 1)->end, moment(12));
    scenario_run_clear(&case_run);
}

/* Work comes twice as fast as it is done, so the queue grows without limit, unless requests give
 * up.
 */
static void an_overloaded_service(void **state) {
    (void)state;
    static const char *const timeouts[] = {"never", "10s"};
    for (int bounded = 0; bounded < 2; bounded++) {
        struct scenario_run case_run;
        char workload[256];
        snprintf(workload, sizeof workload,
                 "  w: {kind: service, arrivals: {poisson: 2/s}, service_time: 1s, timeout: %s}\n",
                 timeouts[bounded]);
        run(&case_run, "horizon: 5000s", 1, workload, 0);
        assert_true(metric(&case_run, SCOPE_WORKLOAD, "w", "unstable") == 1 - bounded);
        assert_true(metric(&case_run, SCOPE_RUN, "", "unstable") == 1 - bounded);
        scenario_run_clear(&case_run);
    }
}

/* Waits are shorter at first, as the service starts empty: a warm-up is found. */
static void a_warm_up_is_found(void **state) {
    (void)state;
    struct scenario_run case_run;
    run(&case_run, "horizon: 20000s\nwarmup: auto", 1,
        "  w: {kind: service, arrivals: {poisson: 0.8/s}, service_time: {exponential: {mean: "
        "1s}}}\n",
        0);
    double warmup_s = metric(&case_run, SCOPE_RUN, "", "warmup_s");
    assert_true(warmup_s >= 0 && warmup_s < 10000);
    assert_true(case_run.results.measured_since == moment(warmup_s));
    scenario_run_clear(&case_run);
}

/* --- Queueing theory --- */

enum { REPLICATIONS = 10 };

/* Student's 0.9995 quantile at 9 degrees of freedom: a right program fails for one seed in 1000. */
static const double STUDENT = 4.781;

/* The mean of what started and arrived from 500 s on: seconds. */
static double mean_wait(const struct scenario_run *run) {
    double sum = 0;
    double count = 0;
    for (size_t i = 0; i < run->recording.request_count; i++) {
        const struct request_row *row = &run->recording.requests[i];
        if (row->arrival >= moment(500) && row->start != SIM_TIME_NEVER) {
            sum += sim_time_to_seconds(row->start - row->arrival);
            count++;
        }
    }
    return sum / count;
}

static void expect_wait(int gpus, const char *workload, double exact) {
    double sum = 0;
    double squares = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        struct scenario_run case_run;
        run(&case_run, "horizon: 20000s", gpus, workload, i);
        double wait = mean_wait(&case_run);
        sum += wait;
        squares += wait * wait;
        scenario_run_clear(&case_run);
    }
    double mean = sum / REPLICATIONS;
    double variance = (squares - sum * mean) / (REPLICATIONS - 1);
    double half_width = STUDENT * sqrt(variance / REPLICATIONS);
    if (fabs(mean - exact) > half_width || half_width > 0.15 * exact) {
        fail_msg("mean wait %.4f s +- %.4f s, not %.4f s", mean, half_width, exact);
    }
}

static void mm1(void **state) {
    (void)state;
    expect_wait(1,
                "  w: {kind: service, arrivals: {poisson: 0.7/s}, service_time: {exponential: "
                "{mean: 1s}}}\n",
                queueing_mmc_wait(1, 0.7, 1));
}

static void mm8(void **state) {
    (void)state;
    expect_wait(8,
                "  w: {kind: service, arrivals: {poisson: 7/s}, replicas: 8,\n"
                "      service_time: {exponential: {mean: 1s}}}\n",
                queueing_mmc_wait(8, 7, 1));
}

static void md1(void **state) {
    (void)state;
    expect_wait(1, "  w: {kind: service, arrivals: {poisson: 0.7/s}, service_time: 1s}\n",
                queueing_mdc_wait(1, 0.7, 1));
}

/* At random among four, Poisson arrivals are split into four independent Poisson streams: each
 * replica is an M/M/1. */
static void split_at_random(void **state) {
    (void)state;
    expect_wait(4,
                "  w: {kind: service, arrivals: {poisson: 2.8/s}, replicas: 4, dispatch: random,\n"
                "      service_time: {exponential: {mean: 1s}}}\n",
                queueing_mmc_wait(1, 0.7, 1));
}

/* Two at once on one GPU, each at half speed when there are two: the GPU ends requests at the rate
 * of one server, so the number there is that of an M/M/1. The mean number that waits is the sum
 * over n > 2 of (n - 2) (1 - rho) rho^n = rho^3 / (1 - rho), and by Little's law the mean wait is
 * that over the arrival rate, 0.7/s. */
static void two_at_once(void **state) {
    (void)state;
    expect_wait(1,
                "  w: {kind: service, arrivals: {poisson: 0.7/s}, concurrency: 2,\n"
                "      service_time: {exponential: {mean: 1s}}}\n",
                0.7 * 0.7 * 0.7 / (1 - 0.7) / 0.7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(until_a_horizon),
        cmocka_unit_test(until_the_end_of_work),
        cmocka_unit_test(clients_wait_for_their_ends),
        cmocka_unit_test(turned_away_clients_come_again),
        cmocka_unit_test(a_model_is_loaded_first),
        cmocka_unit_test(replicas_hold_their_gpus),
        cmocka_unit_test(a_replica_that_fits_nowhere),
        cmocka_unit_test(on_mig_instances),
        cmocka_unit_test(services_in_turns),
        cmocka_unit_test(services_together),
        cmocka_unit_test(an_overloaded_service),
        cmocka_unit_test(a_warm_up_is_found),
        cmocka_unit_test(mm1),
        cmocka_unit_test(mm8),
        cmocka_unit_test(md1),
        cmocka_unit_test(split_at_random),
        cmocka_unit_test(two_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
