/* Which queues of a run are unstable: small traces by hand, and M/M/8 queues at known load. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

static double of_run(const struct results *results, const char *name) {
    return results_metric(results, SCOPE_RUN, "", name);
}

static double of_workload(const struct results *results, const char *workload, const char *name) {
    return results_metric(results, SCOPE_WORKLOAD, workload, name);
}

/* `jobs` jobs of 2 s, one every `every` seconds. */
static void add_jobs(struct sim_case *sim_case, const char *name, int jobs, int every, int pool) {
    static int pools[] = {0, 1};
    char *text = malloc((size_t)jobs * 32 + 64);
    int used = sprintf(text, "job_id,submit_s,gpus,duration_s\n");
    for (int i = 0; i < jobs; i++) {
        used += sprintf(text + used, "%d,%d,1,2\n", i, i * every);
    }
    struct workload_spec *workload = sim_case_workload(sim_case, name, text);
    workload->pools = &pools[pool];
    workload->pool_count = 1;
    free(text);
}

static void initialize(struct sim_case *sim_case) {
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "first", "V100-SXM2-32GB", 1, 1);
    sim_case_pool(sim_case, "second", "V100-SXM2-32GB", 1, 1);
}

/* On one GPU, every second a job of 2 s: at t = 10 k s, before what happens then, 10 k have come
 * and 5 k have started. So the queue grows by 160 in 320 s, 1,800 an hour. Beside it, jobs that
 * come every 4 s never wait, as `skip` lets them pass those. */
static void the_queue_that_grows_is_named(void **state) {
    (void)state;
    struct sim_case sim_case;
    initialize(&sim_case);
    add_jobs(&sim_case, "hasty", 400, 1, 0);
    add_jobs(&sim_case, "calm", 400, 4, 1);
    sim_case_rules(&sim_case, "fifo", "skip", "first_fit");
    sim_case_horizon(&sim_case, 320 * NANOSECONDS_PER_SECOND);
    sim_case_run_to_end(&sim_case);
    const struct results *results = &sim_case.results;
    assert_true(of_workload(results, "hasty", "unstable") == 1);
    assert_true(fabs(of_workload(results, "hasty", "backlog_growth_per_h") - 1800) < 1e-9);
    assert_true(of_workload(results, "calm", "unstable") == 0);
    assert_true(of_workload(results, "calm", "backlog_growth_per_h") == 0);
    assert_true(of_run(results, "unstable") == 1);
    assert_true(fabs(of_run(results, "backlog_growth_per_h") - 1800) < 1e-9);
    sim_case_terminate(&sim_case);
}

/* The same queue, of which the last job has come when the run ends. */
static void finite_work_is_never_unstable(void **state) {
    (void)state;
    struct sim_case sim_case;
    initialize(&sim_case);
    add_jobs(&sim_case, "hasty", 320, 1, 0);
    sim_case_horizon(&sim_case, 320 * NANOSECONDS_PER_SECOND);
    sim_case_run_to_end(&sim_case);
    assert_true(of_workload(&sim_case.results, "hasty", "unstable") == 0);
    assert_true(isnan(of_workload(&sim_case.results, "hasty", "backlog_growth_per_h")));
    assert_true(of_run(&sim_case.results, "unstable") == 0);
    sim_case.scenario.end_of_work = true;
    sim_case.scenario.horizon = SIM_TIME_NEVER;
    sim_case_run_to_end(&sim_case);
    assert_true(of_run(&sim_case.results, "unstable") == 0);
    assert_true(isnan(of_run(&sim_case.results, "backlog_growth_per_h")));
    sim_case_terminate(&sim_case);
}

/* Eight GPUs and jobs of an hour on average, so many arrivals on average: in how many of the
 * replications the queue is called unstable. */
static int count_unstable(double utilization, int arrivals, int replications) {
    char text[512];
    snprintf(text, sizeof text,
             "headroom: 1\nhorizon: %.9gh\n"
             "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 8}}}\n"
             "workloads: {w: {kind: jobs, arrivals: {poisson: %.9g/h},\n"
             "                duration: {exponential: {mean: 1h}}}}\n"
             "record: {jobs: false}\n",
             arrivals / (8 * utilization), 8 * utilization);
    int unstable = 0;
    for (int i = 0; i < replications; i++) {
        struct scenario_run run;
        scenario_run_text(&run, "/tmp", text, NULL, (uint64_t)i);
        unstable += of_run(&run.results, "unstable") > 0;
        scenario_run_clear(&run);
    }
    return unstable;
}

/* Measured over 20,000 replications at utilization 0.95: 0.1 % at 300 arrivals and less beyond. Of
 * 300 more than 4 would be one chance in 30,000 (Poisson of mean 0.3). */
static void stable_queues_raise_no_alarm(void **state) {
    (void)state;
    assert_in_range(count_unstable(0.95, 300, 300), 0, 4);
    assert_in_range(count_unstable(0.95, 3000, 100), 0, 1);
}

/* The rates measured are 0.998 at 1.2 with 3,000 arrivals and at 1.05 with 30,000. */
static void overload_is_found(void **state) {
    (void)state;
    assert_in_range(count_unstable(1.2, 3000, 40), 38, 40);
    assert_in_range(count_unstable(1.05, 30000, 20), 18, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_queue_that_grows_is_named),
        cmocka_unit_test(finite_work_is_never_unstable),
        cmocka_unit_test(stable_queues_raise_no_alarm),
        cmocka_unit_test(overload_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
