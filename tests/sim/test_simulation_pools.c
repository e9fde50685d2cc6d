/* Several pools: a job goes to the first pool of its preference where it fits, takes as long as its
 * GPUs there need, and never to GPUs with too little memory. Small cases, computed by hand. */
#include <math.h>
#include <string.h>

#include "tests/support/sim_case.h"
#include "tests/support/spec.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,memory_gib\n"

static int small_first[] = {0, 1};
static int large_first[] = {1, 0};
static int only_small[] = {0};

/* One T4 (15 GiB) and one V100 (32 GiB). */
static void set_up(struct sim_case *sim_case) {
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "small", "T4-16GB", 1, 1);
    sim_case_pool(sim_case, "large", "V100-SXM2-32GB", 1, 1);
}

static void expect(const struct sim_case *sim_case, const char *id, double start_s, double end_s) {
    sim_case_expect_completed(sim_case, "w", id, start_s, end_s);
}

static void expect_gpu_seconds(const struct sim_case *sim_case, const char *pool, double expected) {
    double hours = results_metric(&sim_case->results, SCOPE_POOL, pool, "gpu_hours");
    assert_true(fabs(hours * 3600 - expected) < 1e-9);
}

/* a takes the preferred pool, b the other one, c waits and takes what becomes free first. The T4
 * runs at half the speed: 10 s there take 20. */
static void check_preference(int *preference, double small_s, double large_s) {
    struct sim_case sim_case;
    struct speed_spec speeds[1];
    set_up(&sim_case);
    struct workload_spec *workload =
        sim_case_workload(&sim_case, "w", HEADER "a,0,1,10,\nb,0,1,10,\nc,1,1,4,\n");
    speeds[0] = (struct speed_spec){.gpu = sim_case.pools[0].gpu, .factor = 0.5};
    workload->needs.speeds = speeds;
    workload->needs.speed_count = 1;
    workload->pools = preference;
    workload->pool_count = preference == NULL ? 0 : 2;
    sim_case_run_to_end(&sim_case);
    bool small = preference != large_first;
    expect(&sim_case, "a", 0, small ? 20 : 10);
    expect(&sim_case, "b", 0, small ? 10 : 20);
    expect(&sim_case, "c", 10, 14);
    expect_gpu_seconds(&sim_case, "small", small_s);
    expect_gpu_seconds(&sim_case, "large", large_s);
    sim_case_terminate(&sim_case);
}

static void preference_decides(void **state) {
    (void)state;
    check_preference(small_first, 20, 14);
    check_preference(large_first, 20, 14);
}

static void all_pools_in_declaration_order_if_none_is_listed(void **state) {
    (void)state;
    check_preference(NULL, 20, 14);
}

/* Only the listed pool is used, though the other one is free. */
static void other_pools_are_left_alone(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    struct workload_spec *workload =
        sim_case_workload(&sim_case, "w", HEADER "a,0,1,10,\nb,1,1,5,\n");
    workload->pools = only_small;
    workload->pool_count = 1;
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "b", 10, 15);
    expect_gpu_seconds(&sim_case, "large", 0);
    sim_case_terminate(&sim_case);
}

/* 15 GiB fit a T4, 16 only the V100. b blocks c, which would fit the T4, as fifo must. */
static void memory_decides_which_gpus_will_do(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    sim_case_workload(&sim_case, "w",
                      HEADER "a,0,1,10,16\n"
                             "b,1,1,10,16\n"
                             "c,2,1,10,15\n");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "b", 10, 20);
    expect(&sim_case, "c", 10, 20);
    sim_case_terminate(&sim_case);
}

/* A job without a figure of its own needs what its workload says. */
static void a_workload_says_how_much_memory_its_jobs_need(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    struct workload_spec *workload =
        sim_case_workload(&sim_case, "w", HEADER "a,0,1,10,\nb,0,1,20,\nc,0,1,3,1\n");
    workload->needs.memory.start = test_constant((double)(INT64_C(20) << 30));
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "b", 10, 30);
    expect(&sim_case, "c", 10, 13);
    sim_case_terminate(&sim_case);
}

/* Two GPUs are more than either pool has, 33 GiB more than any GPU; the first one turned away is
 * explained. */
static void what_fits_nowhere_is_rejected(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    sim_case_workload(&sim_case, "w",
                      HEADER "a,0,1,10,\n"
                             "wide,3,2,10,\n"
                             "large,4,1,10,33\n"
                             "b,5,1,10,32\n");
    sim_case_run_to_end(&sim_case);
    sim_case_expect_turned_away(&sim_case, "w", "wide", JOB_REJECTED, 3);
    sim_case_expect_turned_away(&sim_case, "w", "large", JOB_REJECTED, 4);
    expect(&sim_case, "b", 5, 15);
    assert_int_equal(sim_case.results.rejected, 2);
    assert_true(results_metric(&sim_case.results, SCOPE_RUN, "", "rejected") == 2);
    assert_non_null(strstr(sim_case.results.first_rejected, "wide"));
    assert_non_null(strstr(sim_case.results.first_rejected, "2 GPUs"));
    sim_case_terminate(&sim_case);
}

/* easy across pools. b (1 GPU, 32 GiB) is promised the V100 at 10. c prefers it but would have to
 * end by then, so it stays away from it, and goes where it is placed: the T4, which is free. */
static void a_reservation_is_for_one_pool(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case);
    sim_case_rules(&sim_case, "fifo", "easy", "first_fit");
    struct workload_spec *workload =
        sim_case_workload(&sim_case, "w", HEADER "a,0,1,10,\nb,1,1,10,32\nc,2,1,50,\n");
    workload->pools = large_first;
    workload->pool_count = 2;
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "b", 10, 20);
    expect(&sim_case, "c", 2, 52);
    sim_case_terminate(&sim_case);
}

/* easy at half the speed, where all lasts twice as long, as the scheduler knows: a ends at 20,
 * which is when b is promised all 4 GPUs. c, 9 s and so 2-20, may start before it, d, 10 s and so
 * 22, may not. */
static void reservations_reckon_with_the_speed(void **state) {
    (void)state;
    struct sim_case sim_case;
    struct speed_spec speeds[1];
    sim_case_initialize(&sim_case);
    sim_case_rules(&sim_case, "fifo", "easy", "first_fit");
    sim_case_pool(&sim_case, "t4", "T4-16GB", 1, 4);
    struct workload_spec *workload =
        sim_case_workload(&sim_case, "w", HEADER "a,0,2,10,\nb,1,4,5,\nd,2,1,10,\nc,2,1,9,\n");
    speeds[0] = (struct speed_spec){.gpu = sim_case.pools[0].gpu, .factor = 0.5};
    workload->needs.speeds = speeds;
    workload->needs.speed_count = 1;
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 20);
    expect(&sim_case, "c", 2, 20);
    expect(&sim_case, "b", 20, 30);
    expect(&sim_case, "d", 30, 50);
    sim_case_terminate(&sim_case);
}

/* A third of the speed: 10 s take 30; at 3 times the speed 3.333333333 s, to the nearest
 * nanosecond. */
static void durations_follow_the_speed(void **state) {
    (void)state;
    struct sim_case sim_case;
    struct speed_spec speeds[2];
    set_up(&sim_case);
    struct workload_spec *workload =
        sim_case_workload(&sim_case, "w", HEADER "a,0,1,10,\nb,0,1,10,\n");
    speeds[0] = (struct speed_spec){.gpu = sim_case.pools[0].gpu, .factor = 1.0 / 3};
    speeds[1] = (struct speed_spec){.gpu = sim_case.pools[1].gpu, .factor = 3};
    workload->needs.speeds = speeds;
    workload->needs.speed_count = 2;
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 30);
    expect(&sim_case, "b", 0, 3.333333333);
    sim_case_terminate(&sim_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(preference_decides),
        cmocka_unit_test(all_pools_in_declaration_order_if_none_is_listed),
        cmocka_unit_test(other_pools_are_left_alone),
        cmocka_unit_test(memory_decides_which_gpus_will_do),
        cmocka_unit_test(a_workload_says_how_much_memory_its_jobs_need),
        cmocka_unit_test(what_fits_nowhere_is_rejected),
        cmocka_unit_test(a_reservation_is_for_one_pool),
        cmocka_unit_test(reservations_reckon_with_the_speed),
        cmocka_unit_test(durations_follow_the_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
