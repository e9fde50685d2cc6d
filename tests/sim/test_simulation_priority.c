/* order: priority: the smallest number first, ties by submission; a job's own priority before that
 * of its class, and both before what its workload says. One GPU, jobs of 10 s. */
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,priority,class\n"

static void set_up(struct sim_case *sim_case, const char *csv) {
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "pool", "V100-SXM2-32GB", 1, 1);
    sim_case_workload(sim_case, "w", csv);
    sim_case_rules(sim_case, "priority", "none", "first_fit");
}

static void expect_start(const struct sim_case *sim_case, const char *workload, const char *id,
                         double start_s) {
    sim_case_expect_completed(sim_case, workload, id, start_s, start_s + 10);
}

/* A job that runs is left alone: x goes on although all others are more urgent. */
static void smaller_numbers_first_ties_by_submission(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, HEADER "x,0,1,10,9,\na,1,1,10,7,\nb,2,1,10,3,\nc,3,1,10,7,\nd,4,1,10,0,\n");
    sim_case_run_to_end(&sim_case);
    expect_start(&sim_case, "w", "x", 0);
    expect_start(&sim_case, "w", "d", 10);
    expect_start(&sim_case, "w", "b", 20);
    expect_start(&sim_case, "w", "a", 30);
    expect_start(&sim_case, "w", "c", 40);
    sim_case_terminate(&sim_case);
}

/* inference 0, finetuning 50, training 100; `e` says 75 and beats its class. */
static void classes_have_priorities(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, HEADER "x,0,1,10,,\na,1,1,10,,training\nb,1,1,10,,finetuning\n"
                             "e,1,1,10,75,inference\nc,1,1,10,,inference\n");
    sim_case_run_to_end(&sim_case);
    expect_start(&sim_case, "w", "c", 10);
    expect_start(&sim_case, "w", "b", 20);
    expect_start(&sim_case, "w", "e", 30);
    expect_start(&sim_case, "w", "a", 40);
    sim_case_terminate(&sim_case);
}

/* Workload w is of class finetuning: 50. Workload v says 49. Rows that say something are right. */
static void workloads_speak_for_rows_that_do_not(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, HEADER "x,0,1,10,,\na,1,1,10,,\nb,1,1,10,48,\n");
    struct workload_spec *second =
        sim_case_workload(&sim_case, "v", HEADER "c,1,1,10,,\nd,1,1,10,,training\n");
    sim_case.workloads[0].job_class = CLASS_FINETUNING;
    second->has_priority = true;
    second->priority = 49;
    sim_case_run_to_end(&sim_case);
    expect_start(&sim_case, "w", "b", 10);
    expect_start(&sim_case, "v", "c", 20);
    expect_start(&sim_case, "w", "a", 30);
    expect_start(&sim_case, "v", "d", 40);
    sim_case_terminate(&sim_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smaller_numbers_first_ties_by_submission),
        cmocka_unit_test(classes_have_priorities),
        cmocka_unit_test(workloads_speak_for_rows_that_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
