/* Jobs in slots, by cases small enough to compute by hand: what happens at one instant, and what
 * EASY reserves, how events name them. */
#include <string.h>

#include "tests/support/scenario_run.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,estimate_s,max_wait_s,memory_gib\n"

static const sim_time SECOND = NANOSECONDS_PER_SECOND;

static void expect(const struct sim_case *sim_case, const char *id, double start_s, double end_s) {
    sim_case_expect_completed(sim_case, "w", id, start_s, end_s);
}

/* The only share of the GPU: a ends where it starts, once the GPU is its, so b need not wait. */
static void an_end_at_once_comes_before_withdrawals(void **state) {
    (void)state;
    struct sharing_spec turns = {.replicas = 1, .slice = SECOND, .switch_time = 0};
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    struct pool_spec *pool = sim_case_pool(&sim_case, "pool", "V100-SXM2-32GB", 1, 1);
    pool->sharing = (struct chosen){.index = SHARING_TIMESLICE, .options = &turns};
    sim_case_workload(&sim_case, "w",
                      HEADER "a,3,1,0,,,\n"
                             "b,3,1,2,,0,\n");
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 3, 3);
    expect(&sim_case, "b", 3, 5);
    sim_case_terminate(&sim_case);
}

/* Three GPUs. At 10 both a and b have passed their estimates, so that h, which needs two GPUs, is
 * to get them now, and c may have the third; before that, nothing was sure of b. That must not
 * depend on whether somebody takes a look at 10, too. */
static void a_look_takes_no_pass(void **state) {
    (void)state;
    for (int looks = 0; looks < 2; looks++) {
        struct sim_case sim_case;
        sim_case_initialize(&sim_case);
        sim_case_rules(&sim_case, "fifo", "easy", "first_fit");
        sim_case_pool(&sim_case, "pool", "V100-SXM2-32GB", 1, 3);
        sim_case_workload(&sim_case, "w",
                          HEADER "a,0,1,20,5,,\n"
                                 "b,0,1,20,8,,\n"
                                 "h,1,2,5,5,,\n"
                                 "c,4,1,3,30,6,\n");
        sim_case.scenario.record.timeline = looks * 10 * SECOND;
        sim_case_run_to_end(&sim_case);
        expect(&sim_case, "c", 10, 13);
        expect(&sim_case, "h", 20, 25);
        sim_case_terminate(&sim_case);
    }
}

/* One GPU of 80 GiB. h waits for 60 of them, until a ends at 10. c leaves them: 20. d would not: 10
 * more. e ends before. */
static void easy_reserves_a_slot(void **state) {
    (void)state;
    struct sharing_spec together = {.clients = 8, .thread_percentage = 1};
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_rules(&sim_case, "fifo", "easy", "first_fit");
    struct pool_spec *pool = sim_case_pool(&sim_case, "pool", "A100-SXM4-80GB", 1, 1);
    pool->sharing = (struct chosen){.index = SHARING_MPS, .options = &together};
    struct workload_spec *workload = sim_case_workload(&sim_case, "w",
                                                       HEADER "a,0,1,10,,,50\n"
                                                              "h,1,1,5,,,60\n"
                                                              "c,2,1,20,,,20\n"
                                                              "d,3,1,20,,,10\n"
                                                              "e,4,1,5,,,10\n");
    workload->needs.saturation = 0.1;
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "h", 10, 15);
    expect(&sim_case, "c", 2, 22);
    expect(&sim_case, "d", 15, 35);
    expect(&sim_case, "e", 4, 9);
    sim_case_terminate(&sim_case);
}

/* Three GPUs of two shares each. g waits for two of them: one is free, x stays on another until 50,
 * y on the third until 8. z may join x, whose GPU is not to be had then anyway; q, which is placed
 * beside y, may not; r may. */
static void easy_reserves_gpus_beside_slots(void **state) {
    (void)state;
    struct sharing_spec together = {.clients = 2, .thread_percentage = 1};
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_rules(&sim_case, "fifo", "easy", "first_fit");
    struct pool_spec *pool = sim_case_pool(&sim_case, "pool", "A100-SXM4-80GB", 1, 3);
    pool->sharing = (struct chosen){.index = SHARING_MPS, .options = &together};
    struct workload_spec *workload = sim_case_workload(&sim_case, "w",
                                                       HEADER "x,0,1,50,,,60\n"
                                                              "y,0,1,8,,,60\n"
                                                              "g,1,2,5,,,\n"
                                                              "z,2,1,30,,,10\n"
                                                              "q,3,1,30,,,10\n"
                                                              "r,4,1,4,,,10\n");
    workload->needs.saturation = 0.1;
    sim_case_run_to_end(&sim_case);
    expect(&sim_case, "z", 2, 32); /* beside x */
    expect(&sim_case, "r", 4, 8);  /* beside y, and gone when g comes */
    expect(&sim_case, "g", 8, 13);
    expect(&sim_case, "q", 13, 43);
    sim_case_terminate(&sim_case);
}

/* A replica holds one of two GPUs for good. What can never start holds up nobody, also where GPUs
 * are slower than the reference, at which estimates are scaled. */
static void who_never_starts_holds_up_nobody(void **state) {
    (void)state;
    static const char text[] = "headroom: 1\n"
                               "name: case\n"
                               "horizon: 100s\n"
                               "reference_gpu: A100-SXM4-80GB\n"
                               "cluster:\n"
                               "  pools:\n"
                               "    p: {gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 2}\n"
                               "scheduler: {backfill: easy}\n"
                               "workloads:\n"
                               "  s:\n"
                               "    kind: service\n"
                               "    speed: {V100-SXM2-32GB: 0.5}\n"
                               "    arrivals: {renewal: 1s}\n"
                               "    limit: 1\n"
                               "    service_time: 1s\n"
                               "  both:\n"
                               "    kind: jobs\n"
                               "    speed: {V100-SXM2-32GB: 0.5}\n"
                               "    arrivals: {renewal: 1s}\n"
                               "    limit: 1\n"
                               "    gpus: 2\n"
                               "    duration: 1s\n"
                               "  one:\n"
                               "    kind: jobs\n"
                               "    speed: {V100-SXM2-32GB: 0.5}\n"
                               "    arrivals: {renewal: 2s}\n"
                               "    limit: 1\n"
                               "    gpus: 1\n"
                               "    duration: 10s\n";
    struct scenario_run run;
    scenario_run_text(&run, "/tmp", text, NULL, 0);
    const struct job_row *row = recording_job(&run.recording, "one", "1");
    assert_int_equal(row->state, JOB_COMPLETED);
    assert_int_equal(row->start, row->submit);
    assert_int_equal(row->end - row->start, 20 * SECOND);
    scenario_run_clear(&run);
}

static void expect_slot(const struct recording *recording, const char *workload, const char *slot) {
    for (size_t i = 0; i < recording->event_count; i++) {
        const struct event_row *event = &recording->events[i];
        if (event->kind == JOB_STARTED && strcmp(event->workload, workload) == 0) {
            assert_string_equal(event->slot, slot);
            return;
        }
    }
    fail_msg("%s has not started", workload);
}

/* A 3g.40gb begins at unit 0 or 4 of an A100 and takes four, a 2g.20gb at 0, 2 or 4 and takes two,
 * a 1g.10gb takes one. The first of a layout lies as low as it can, beside all others: before two
 * 2g the 3g is at 4, and they are at 0 and 2. Before a 2g and a 1g it is at 0, they at 4 and 6. */
static void events_tell_where_instances_of_a_layout_begin(void **state) {
    (void)state;
    struct scenario_run run;
    scenario_run_text(
        &run, "/tmp",
        "headroom: 1\n"
        "name: where\n"
        "horizon: end_of_work\n"
        "record: {events: true}\n"
        "cluster:\n"
        "  pools:\n"
        "    a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1,\n"
        "      sharing: {mode: mig, layout: [3g.40gb, 2g.20gb, 2g.20gb]}}\n"
        "    b: {gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 2, cordoned: [0],\n"
        "      sharing: {mode: mig, layout: [3g.40gb, 2g.20gb,\n"
        "        {profile: 1g.10gb, count: 1, sharing: {mode: timeslice, replicas: 2}}]}}\n"
        "workloads:\n"
        "  a3: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 9s, pools: [a],\n"
        "    slot: 3g.40gb}\n"
        "  a2: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 9s, pools: [a],\n"
        "    slot: 2g.20gb}\n"
        "  a2-later: {kind: jobs, limit: 1, arrivals: {renewal: 2s}, duration: 9s, pools: [a],\n"
        "    slot: 2g.20gb}\n"
        "  b3: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 9s, pools: [b],\n"
        "    slot: 3g.40gb}\n"
        "  b2: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 9s, pools: [b],\n"
        "    slot: 2g.20gb}\n"
        "  b1: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: 9s, pools: [b],\n"
        "    slot: 1g.10gb}\n",
        NULL, 0);
    expect_slot(&run.recording, "a3", "3g.40gb@4");
    expect_slot(&run.recording, "a2", "2g.20gb@0");
    expect_slot(&run.recording, "a2-later", "2g.20gb@2");
    expect_slot(&run.recording, "b3", "3g.40gb@0");
    expect_slot(&run.recording, "b2", "2g.20gb@4");
    expect_slot(&run.recording, "b1", "1g.10gb@6/0");
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_at_once_comes_before_withdrawals),
        cmocka_unit_test(a_look_takes_no_pass),
        cmocka_unit_test(easy_reserves_a_slot),
        cmocka_unit_test(easy_reserves_gpus_beside_slots),
        cmocka_unit_test(who_never_starts_holds_up_nobody),
        cmocka_unit_test(events_tell_where_instances_of_a_layout_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
