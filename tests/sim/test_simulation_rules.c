/* The rules of one queue and one pool, each by a case small enough to compute by hand. */
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,estimate_s,max_wait_s\n"

/* Runs the jobs on nodes of equal GPUs; the caller ends with sim_case_terminate. */
static void run(struct sim_case *sim_case, const char *order, const char *backfill,
                const char *placement, int32_t nodes, int32_t gpus_per_node, const char *csv) {
    sim_case_initialize(sim_case);
    sim_case_rules(sim_case, order, backfill, placement);
    sim_case_pool(sim_case, "pool", "V100-SXM2-32GB", nodes, gpus_per_node);
    sim_case_workload(sim_case, "w", csv);
    sim_case_run_to_end(sim_case);
}

static void expect(const struct sim_case *sim_case, const char *id, double start_s, double end_s) {
    sim_case_expect_completed(sim_case, "w", id, start_s, end_s);
}

/* --- Order and backfill --- */

/* 4 GPUs. a has 3 of them until 10; b needs 2; c needs the one that is free. */
static const char *const blocked = HEADER "a,0,3,10,,\n"
                                          "b,1,2,5,,\n"
                                          "c,2,1,1,,\n";

/* c waits behind b, which starts when a ends. */
static void fifo_blocks_behind_the_head(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "none", "first_fit", 1, 4, blocked);
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "b", 10, 15);
    expect(&sim_case, "c", 10, 11);
    sim_case_terminate(&sim_case);
}

static void skip_starts_whatever_fits(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "skip", "first_fit", 1, 4, blocked);
    expect(&sim_case, "b", 10, 15);
    expect(&sim_case, "c", 2, 3);
    sim_case_terminate(&sim_case);
}

/* skip goes through the queue in order and lets a large job wait for ever longer: b would fit at 10
 * had c, d and e not started before. */
static void skip_may_starve_a_large_job(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "skip", "first_fit", 1, 4,
        HEADER "a,0,3,10,,\n"
               "b,1,4,5,,\n"
               "c,2,1,10,,\n"
               "d,3,1,10,,\n"
               "e,4,1,30,,\n");
    expect(&sim_case, "c", 2, 12);
    expect(&sim_case, "d", 10, 20);
    expect(&sim_case, "e", 10, 40);
    expect(&sim_case, "b", 40, 45);
    sim_case_terminate(&sim_case);
}

/* One GPU: of those that wait at 10, the shortest goes first. */
static void sjf_takes_the_shortest(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "sjf", "none", "first_fit", 1, 1,
        HEADER "a,0,1,10,,\n"
               "b,1,1,8,,\n"
               "c,2,1,3,,\n"
               "d,3,1,5,,\n");
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "c", 10, 13);
    expect(&sim_case, "d", 13, 18);
    expect(&sim_case, "b", 18, 26);
    sim_case_terminate(&sim_case);
}

/* What counts is the estimate; equal ones go by submission, then by row. */
static void sjf_goes_by_the_estimate(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "sjf", "none", "first_fit", 1, 1,
        HEADER "a,0,1,10,,\n"
               "late,3,1,1,4,\n"
               "long,2,1,20,1,\n"
               "first,2,1,2,4,\n"
               "second,2,1,3,4,\n");
    expect(&sim_case, "long", 10, 30);
    expect(&sim_case, "first", 30, 32);
    expect(&sim_case, "second", 32, 35);
    expect(&sim_case, "late", 35, 36);
    sim_case_terminate(&sim_case);
}

/* sjf also decides who is the head that blocks: b (4 GPUs, 1 s) before c (1 GPU, 2 s). */
static void sjf_blocks_behind_the_shortest(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "sjf", "none", "first_fit", 1, 4,
        HEADER "a,0,3,10,,\n"
               "b,1,4,1,,\n"
               "c,1,1,2,,\n");
    expect(&sim_case, "b", 10, 11);
    expect(&sim_case, "c", 11, 13);
    sim_case_terminate(&sim_case);
}

/* --- easy --- */

/* b needs all 4 GPUs and is promised 10. c, which ends by then, starts beside a; d would not end in
 * time (its 9 s from 2 on) and no GPU is left beside the reservation. */
static void easy_lets_end_by_the_shadow_time(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "easy", "first_fit", 1, 4,
        HEADER "a,0,3,10,,\n"
               "b,1,4,5,,\n"
               "d,2,1,9,,\n"
               "c,2,1,8,,\n");
    expect(&sim_case, "c", 2, 10);
    expect(&sim_case, "b", 10, 15);
    expect(&sim_case, "d", 15, 24);
    sim_case_terminate(&sim_case);
}

/* Two nodes of 2. c needs a whole node and is promised node 0 at 10; d takes the free GPU of node 1
 * for as long as it likes. */
static void easy_leaves_other_nodes_alone(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "easy", "first_fit", 2, 2,
        HEADER "a,0,2,10,,\n"
               "b,1,1,20,,\n"
               "c,2,2,2,,\n"
               "d,3,1,100,,\n");
    expect(&sim_case, "b", 1, 21);
    expect(&sim_case, "d", 3, 103);
    expect(&sim_case, "c", 10, 12);
    sim_case_terminate(&sim_case);
}

/* Of 6 GPUs b needs 5 at 10, so one is left beside it. e ends in time and takes nothing of that; c
 * takes it; for d a GPU is free at 2, but none beside the reservation. */
static void easy_counts_what_is_left_beside_the_reservation(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "easy", "first_fit", 1, 6,
        HEADER "a,0,3,10,,\n"
               "b,1,5,5,,\n"
               "e,2,1,8,,\n"
               "c,2,1,100,,\n"
               "d,2,1,100,,\n");
    expect(&sim_case, "e", 2, 10);
    expect(&sim_case, "c", 2, 102);
    expect(&sim_case, "b", 10, 15);
    expect(&sim_case, "d", 15, 115);
    sim_case_terminate(&sim_case);
}

/* a1 and a2 end at 10 and release their GPUs together. So b (3 GPUs) is promised node 0, the first
 * with room then, although a2 alone, which started first, would already make room on node 1; and c
 * may keep the free GPU of node 1. */
static void easy_releases_simultaneous_ends_together(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "easy", "first_fit", 2, 3,
        HEADER "x,0,3,1,,\n"
               "a2,0,2,10,,\n"
               "a1,1,3,9,,\n"
               "b,2,3,5,,\n"
               "c,3,1,100,,\n");
    expect(&sim_case, "a1", 1, 10);
    expect(&sim_case, "c", 3, 103);
    expect(&sim_case, "b", 10, 15);
    sim_case_terminate(&sim_case);
}

/* a is past its estimate of 5 s at 6, so it counts as ending then: only what claims to take no time
 * may start, and d does, however long it really takes. */
static void easy_counts_overdue_jobs_as_ending_now(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "easy", "first_fit", 1, 4,
        HEADER "a,0,2,10,5,\n"
               "b,1,4,5,5,\n"
               "e,6,1,3,3,\n"
               "d,6,1,3,0,\n");
    expect(&sim_case, "d", 6, 9);
    expect(&sim_case, "b", 10, 15);
    expect(&sim_case, "e", 15, 18);
    sim_case_terminate(&sim_case);
}

/* Two nodes of 4: a leaves 2 free on node 0, z 1 on node 1. b is promised all of node 0 at 10.
 * first_fit puts c on node 0, where it would be in the way, and node 1 is not tried; best_fit puts
 * it there. */
static void easy_tries_one_place_only(void **state) {
    (void)state;
    const char *csv = HEADER "a,0,2,10,,\n"
                             "z,0,3,50,,\n"
                             "b,1,4,5,,\n"
                             "c,2,1,100,,\n";
    struct sim_case sim_case;
    run(&sim_case, "fifo", "easy", "first_fit", 2, 4, csv);
    expect(&sim_case, "b", 10, 15);
    expect(&sim_case, "c", 10, 110);
    sim_case_terminate(&sim_case);
    run(&sim_case, "fifo", "easy", "best_fit", 2, 4, csv);
    expect(&sim_case, "b", 10, 15);
    expect(&sim_case, "c", 2, 102);
    sim_case_terminate(&sim_case);
}

/* --- Placement --- */

/* Two nodes of 4: a leaves 2 free on node 0, b 1 on node 1 until 5. c (1 GPU) goes to node 0 by
 * first and worst fit, so d (2 GPUs) waits for b; best fit sends c to node 1, and d starts at once.
 */
static void best_fit_keeps_room_for_larger_jobs(void **state) {
    (void)state;
    const char *csv = HEADER "a,0,2,100,,\n"
                             "b,0,3,5,,\n"
                             "c,1,1,100,,\n"
                             "d,2,2,10,,\n";
    struct sim_case sim_case;
    run(&sim_case, "fifo", "none", "first_fit", 2, 4, csv);
    expect(&sim_case, "d", 5, 15);
    sim_case_terminate(&sim_case);
    run(&sim_case, "fifo", "none", "worst_fit", 2, 4, csv);
    expect(&sim_case, "d", 5, 15);
    sim_case_terminate(&sim_case);
    run(&sim_case, "fifo", "none", "best_fit", 2, 4, csv);
    expect(&sim_case, "d", 2, 12);
    sim_case_terminate(&sim_case);
}

/* Three nodes of 4. b (9) takes nodes 1 and 2 and one GPU of node 0; c the two left there; d (5)
 * waits for a whole node until 6 and finds its fifth GPU on node 0. */
static void a_gang_takes_whole_nodes_and_a_remainder(void **state) {
    (void)state;
    struct sim_case sim_case;
    run(&sim_case, "fifo", "none", "first_fit", 3, 4,
        HEADER "a,0,1,10,,\n"
               "b,1,9,5,,\n"
               "c,2,2,20,,\n"
               "d,3,5,7,,\n");
    expect(&sim_case, "b", 1, 6);
    expect(&sim_case, "c", 2, 22);
    expect(&sim_case, "d", 6, 13);
    sim_case_terminate(&sim_case);
}

/* Three single GPUs: on node 0 by first fit, so that two whole nodes are free for g (5); on a node
 * each by worst fit, where g waits although 9 GPUs are free. */
static void free_gpus_are_no_whole_node(void **state) {
    (void)state;
    const char *csv = HEADER "a,0,1,10,,\n"
                             "b,0,1,20,,\n"
                             "c,0,1,30,,\n"
                             "g,1,5,4,,\n";
    struct sim_case sim_case;
    run(&sim_case, "fifo", "none", "first_fit", 3, 4, csv);
    expect(&sim_case, "g", 1, 5);
    sim_case_terminate(&sim_case);
    run(&sim_case, "fifo", "none", "worst_fit", 3, 4, csv);
    expect(&sim_case, "g", 10, 14);
    sim_case_terminate(&sim_case);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fifo_blocks_behind_the_head),
        cmocka_unit_test(skip_starts_whatever_fits),
        cmocka_unit_test(skip_may_starve_a_large_job),
        cmocka_unit_test(sjf_takes_the_shortest),
        cmocka_unit_test(sjf_goes_by_the_estimate),
        cmocka_unit_test(sjf_blocks_behind_the_shortest),
        cmocka_unit_test(easy_lets_end_by_the_shadow_time),
        cmocka_unit_test(easy_leaves_other_nodes_alone),
        cmocka_unit_test(easy_counts_what_is_left_beside_the_reservation),
        cmocka_unit_test(easy_releases_simultaneous_ends_together),
        cmocka_unit_test(easy_counts_overdue_jobs_as_ending_now),
        cmocka_unit_test(easy_tries_one_place_only),
        cmocka_unit_test(best_fit_keeps_room_for_larger_jobs),
        cmocka_unit_test(a_gang_takes_whole_nodes_and_a_remainder),
        cmocka_unit_test(free_gpus_are_no_whole_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
