/* `warmup: auto`: a pilot run finds when measuring starts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

/* One GPU; `burst` jobs of a second at 0, then `calm` more from 100 s on, one every two seconds. */
static void initialize(struct sim_case *sim_case, int burst, int calm) {
    char *text = malloc((size_t)(burst + calm) * 32 + 64);
    int used = sprintf(text, "job_id,submit_s,gpus,duration_s\n");
    for (int i = 0; i < burst; i++) {
        used += sprintf(text + used, "b%d,0,1,1\n", i);
    }
    for (int i = 0; i < calm; i++) {
        used += sprintf(text + used, "c%d,%d,1,1\n", i, 100 + 2 * i);
    }
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "pool", "V100-SXM2-32GB", 1, 1);
    sim_case_workload(sim_case, "w", text);
    sim_case->scenario.warmup = WARMUP_AUTO;
    free(text);
}

static double of_run(const struct sim_case *sim_case, const char *name) {
    return results_metric(&sim_case->results, SCOPE_RUN, "", name);
}

/* The jobs of the burst wait 0 to 49 s, all others not at all: the first ten batches of five are
 * left out, and the first job kept starts at 100 s. Rows are recorded once. */
static void a_burst_at_the_start_is_left_out(void **state) {
    (void)state;
    struct sim_case sim_case;
    initialize(&sim_case, 50, 350);
    sim_case_run_to_end(&sim_case);
    assert_true(of_run(&sim_case, "warmup_s") == 100);
    assert_int_equal(sim_case.results.measured_since, 100 * NANOSECONDS_PER_SECOND);
    assert_true(of_run(&sim_case, "submitted") == 350);
    assert_true(of_run(&sim_case, "wait_s.max") == 0);
    assert_int_equal(sim_case.recording.job_count, 400);
    sim_case_terminate(&sim_case);
}

static void a_steady_run_is_measured_from_its_start(void **state) {
    (void)state;
    struct sim_case sim_case;
    initialize(&sim_case, 0, 100);
    sim_case_run_to_end(&sim_case);
    assert_true(of_run(&sim_case, "warmup_s") == 0);
    assert_true(of_run(&sim_case, "submitted") == 100);
    sim_case_terminate(&sim_case);
}

static void expect_refusal(struct sim_case *sim_case, const char *text) {
    sim_case_run(sim_case);
    assert_int_equal(sim_case->outcome, RUN_FAILED);
    if (strstr(sim_case->error.message, text) == NULL) {
        fail_msg("%s", sim_case->error.message);
    }
    assert_int_equal(sim_case->recording.job_count, 0);
    sim_case_terminate(sim_case);
}

/* 300 jobs of a burst wait 0 to 299 s, a trend all the way. */
static void a_start_up_that_does_not_end_is_refused(void **state) {
    (void)state;
    struct sim_case sim_case;
    initialize(&sim_case, 300, 1);
    expect_refusal(&sim_case, "half of its jobs or more; lengthen the horizon or set a warmup");
}

static void too_few_jobs_are_refused(void **state) {
    (void)state;
    struct sim_case sim_case;
    initialize(&sim_case, 0, 49);
    expect_refusal(&sim_case, "9 batches of 5 jobs started, and it takes 10");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_burst_at_the_start_is_left_out),
        cmocka_unit_test(a_steady_run_is_measured_from_its_start),
        cmocka_unit_test(a_start_up_that_does_not_end_is_refused),
        cmocka_unit_test(too_few_jobs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
