/* Spans, hosts, the limit to overtaking and jobs ended at their estimate, by hand: what the naive
 * cluster does not see, such as the books, and slots. */
#include <math.h>
#include <stdlib.h>

#include "sim/simulation.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

static struct sim_case *start(void **state) {
    struct sim_case *sim_case = *state;
    sim_case_initialize(sim_case);
    return sim_case;
}

static int make_case(void **state) {
    *state = calloc(1, sizeof(struct sim_case));
    return *state == NULL ? -1 : 0;
}

static int drop_case(void **state) {
    sim_case_terminate(*state);
    free(*state);
    return 0;
}

static void assert_close(double actual, double expected, double tolerance) {
    if (!(fabs(actual - expected) <= tolerance)) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

static double metric(const struct sim_case *sim_case, enum scope scope, const char *subject,
                     const char *name) {
    return results_metric(&sim_case->results, scope, subject, name);
}

/* 8 GPUs. A holds 5 until 10, B wants all 8 from 1 on. C (1 GPU, 3 s) may pass it at 2. At 6 B has
 * waited for 5 s: D may not; B runs from 10 to 14, then D. Without a limit D starts at once. */
static void a_job_that_has_waited_is_not_overtaken(void **state) {
    struct sim_case *sim_case = start(state);
    sim_case_pool(sim_case, "p", "A100-SXM4-80GB", 1, 8);
    sim_case_workload(sim_case, "w",
                      "job_id,submit_s,gpus,duration_s\na,0,5,10\nb,1,8,4\nc,2,1,3\nd,6,1,3\n");
    const char *const rules[] = {"skip", "easy", "conservative"};
    for (int i = 0; i < 3; i++) {
        sim_case_rules(sim_case, "fifo", rules[i], "first_fit");
        sim_case->scenario.scheduler.head_of_line = 5 * NANOSECONDS_PER_SECOND;
        sim_case_run_to_end(sim_case);
        sim_case_expect_completed(sim_case, "w", "c", 2, 5);
        sim_case_expect_completed(sim_case, "w", "b", 10, 14);
        sim_case_expect_completed(sim_case, "w", "d", 14, 17);
        sim_case->scenario.scheduler.head_of_line = SIM_TIME_NEVER;
        sim_case_run_to_end(sim_case);
        sim_case_expect_completed(sim_case, "w", "d", 6, 9);
    }
}

/* A job of 3 GPUs has a node of 4 for itself for 10 s, then one of 1 GPU runs for 10 s. Of 80
 * GPU-seconds: 40 computing, 10 held idle. The memory of the idle GPU is not in use. */
static void whole_nodes_are_billed(void **state) {
    struct sim_case *sim_case = start(state);
    sim_case_pool(sim_case, "p", "A100-SXM4-80GB", 1, 4);
    sim_case_workload(sim_case, "w", "job_id,submit_s,gpus,duration_s,memory_gib\na,0,3,10,8\n")
        ->span = SPAN_WHOLE_NODES;
    sim_case_workload(sim_case, "v", "job_id,submit_s,gpus,duration_s\nb,0,1,10\n");
    sim_case_run_to_end(sim_case);
    sim_case_expect_completed(sim_case, "w", "a", 0, 10);
    sim_case_expect_completed(sim_case, "v", "b", 10, 20);
    assert_close(metric(sim_case, SCOPE_POOL, "p", "utilization.busy"), 40.0 / 80, 1e-12);
    assert_close(metric(sim_case, SCOPE_POOL, "p", "utilization.allocated"), 50.0 / 80, 1e-12);
    /* 3 GPUs with 8 GiB each for half of the time, of 4 with 80 GiB. */
    assert_close(metric(sim_case, SCOPE_POOL, "p", "utilization.memory"), 0.5 * 24 / 320, 1e-12);
    assert_int_equal(sim_case->results.cost_count, 4);
    const struct cost *a = &sim_case->results.costs[2];
    const struct cost *b = &sim_case->results.costs[3];
    assert_close(a->usd / b->usd, 4, 1e-9); /* 40 GPU-seconds held, against 10 */
}

/* At 2, nodes have 4, 1 and 2 GPUs free: all of them for a gang of 7. By size it needs 4 and 3,
 * which are free once y and z have ended; and no node has 7. */
static void any_takes_what_is_free(void **state) {
    struct sim_case *sim_case = start(state);
    sim_case_pool(sim_case, "p", "A100-SXM4-80GB", 3, 4);
    sim_case_workload(sim_case, "v",
                      "job_id,submit_s,gpus,duration_s\nx,0,4,1\ny,0,3,9\nz,0,2,9\n");
    struct workload_spec *workload =
        sim_case_workload(sim_case, "w", "job_id,submit_s,gpus,duration_s\na,2,7,2\n");
    workload->span = SPAN_ANY;
    sim_case_run_to_end(sim_case);
    sim_case_expect_completed(sim_case, "w", "a", 2, 4);
    workload->span = SPAN_DEFAULT;
    sim_case_run_to_end(sim_case);
    sim_case_expect_completed(sim_case, "w", "a", 9, 11);
    workload->span = SPAN_NODE;
    sim_case_run_to_end(sim_case);
    sim_case_expect_turned_away(sim_case, "w", "a", JOB_REJECTED, 2);
}

/* One GPU shared by four under MPS, on a host with 10 CPUs: two tenants of 4 each fit, and the
 * third waits for one of them. */
static void slots_take_their_share_of_the_host(void **state) {
    struct sim_case *sim_case = start(state);
    struct sharing_spec mps = {.clients = 4, .thread_percentage = 1};
    struct pool_spec *pool = sim_case_pool(sim_case, "p", "A100-SXM4-80GB", 1, 1);
    pool->sharing = (struct chosen){.index = SHARING_MPS, .options = &mps};
    pool->cpus_per_node = 10;
    sim_case_workload(sim_case, "w",
                      "job_id,submit_s,gpus,duration_s,compute_pct,cpus\n"
                      "a,0,1,10,25,4\nb,0,1,20,25,4\nc,0,1,10,25,4\n")
        ->needs.saturation = 0.25;
    sim_case_run_to_end(sim_case);
    sim_case_expect_completed(sim_case, "w", "a", 0, 10);
    sim_case_expect_completed(sim_case, "w", "b", 0, 20);
    sim_case_expect_completed(sim_case, "w", "c", 10, 20);
}

/* On whole GPUs and in slots: 4 of 10 s are too short, 10 and 11 are not. In a slot the limit is
 * rounded up by a nanosecond. */
static void jobs_end_at_their_estimates(void **state) {
    struct sim_case *sim_case = start(state);
    struct sharing_spec mps = {.clients = 4, .thread_percentage = 1};
    struct pool_spec *pool = sim_case_pool(sim_case, "p", "A100-SXM4-80GB", 3, 1);
    sim_case_workload(sim_case, "w",
                      "job_id,submit_s,gpus,duration_s,estimate_s\n"
                      "a,0,1,10,4\nb,0,1,10,10\nc,0,1,10,11\n")
        ->needs.saturation = 0.25;
    sim_case->scenario.scheduler.kill_at_estimate = true;
    for (int slots = 0; slots < 2; slots++) {
        sim_case_run_to_end(sim_case);
        const struct job_row *row = recording_job(&sim_case->recording, "w", "a");
        assert_int_equal(row->state, JOB_FAILED);
        assert_int_equal(row->end, 4 * NANOSECONDS_PER_SECOND + slots);
        sim_case_expect_completed(sim_case, "w", "b", 0, 10);
        sim_case_expect_completed(sim_case, "w", "c", 0, 10);
        assert_close(metric(sim_case, SCOPE_RUN, "", "killed_at_estimate"), 1, 0);
        assert_close(metric(sim_case, SCOPE_RUN, "", "failed"), 1, 0);
        pool->sharing = (struct chosen){.index = SHARING_MPS, .options = &mps};
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_job_that_has_waited_is_not_overtaken, make_case,
                                        drop_case),
        cmocka_unit_test_setup_teardown(whole_nodes_are_billed, make_case, drop_case),
        cmocka_unit_test_setup_teardown(any_takes_what_is_free, make_case, drop_case),
        cmocka_unit_test_setup_teardown(slots_take_their_share_of_the_host, make_case, drop_case),
        cmocka_unit_test_setup_teardown(jobs_end_at_their_estimates, make_case, drop_case),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
