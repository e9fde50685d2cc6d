/* What is reserved where GPUs are shared, by cases small enough to compute by hand: under `easy`
 * and under `conservative`, in slots and beside them, where MIG cuts on demand or by the clock, and
 * where hosts are limited. */
#include <stdio.h>

#include "tests/support/scenario_run.h"
#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s,cpus,memory_gib\n"

static const char *const rules[] = {"easy", "conservative"};

/* --- Slots --- */

/* On a node of A100 whose tenants do not slow each other down. */
static void run_on_shares(struct sim_case *sim_case, const char *rule, int gpus, int clients,
                          double cpus, const char *csv) {
    static struct sharing_spec together;
    together = (struct sharing_spec){.clients = clients, .thread_percentage = 1};
    sim_case_initialize(sim_case);
    sim_case_rules(sim_case, "fifo", rule, "first_fit");
    struct pool_spec *pool = sim_case_pool(sim_case, "pool", "A100-SXM4-80GB", 1, gpus);
    pool->sharing = (struct chosen){.index = SHARING_MPS, .options = &together};
    pool->cpus_per_node = cpus;
    sim_case_workload(sim_case, "w", csv)->needs.saturation = 0.1;
    sim_case_run_to_end(sim_case);
}

static void expect(const struct sim_case *sim_case, const char *id, double start_s, double end_s) {
    sim_case_expect_completed(sim_case, "w", id, start_s, end_s);
}

/* One GPU of 80 GiB. h is to have 60 of them in [10, 15), k in [15, 20). c leaves them: 20. d would
 * leave h and c 10 too few. e ends before h comes. */
static void every_job_has_a_slot_reserved(void **state) {
    (void)state;
    struct sim_case sim_case;
    run_on_shares(&sim_case, "conservative", 1, 8, 0,
                  HEADER "a,0,1,10,,50\n"
                         "h,1,1,5,,60\n"
                         "k,1,1,5,,60\n"
                         "c,2,1,20,,20\n"
                         "d,3,1,12,,10\n"
                         "e,4,1,6,,10\n");
    expect(&sim_case, "a", 0, 10);
    expect(&sim_case, "h", 10, 15);
    expect(&sim_case, "k", 15, 20);
    expect(&sim_case, "c", 2, 22);
    expect(&sim_case, "d", 20, 32);
    expect(&sim_case, "e", 4, 10);
    sim_case_terminate(&sim_case);
}

/* Two GPUs of two shares. h is to follow y in [4, 9), and the gang g to have both GPUs from 10 on,
 * when x and h have gone: until 15. z would be there still, on either; v is not. */
static void gangs_and_slots_leave_each_other_alone(void **state) {
    (void)state;
    struct sim_case sim_case;
    run_on_shares(&sim_case, "conservative", 2, 2, 0,
                  HEADER "x,0,1,10,,70\n"
                         "y,0,1,4,,70\n"
                         "h,1,1,5,,70\n"
                         "g,2,2,5,,\n"
                         "z,3,1,8,,5\n"
                         "v,3,1,6,,5\n");
    expect(&sim_case, "h", 4, 9);
    expect(&sim_case, "g", 10, 15);
    expect(&sim_case, "z", 15, 23);
    expect(&sim_case, "v", 3, 9);
    sim_case_terminate(&sim_case);
}

/* 8 CPUs and more shares than jobs. h waits for 7 CPUs, which a leaves at 10. b would keep 2 of
 * them; c leaves 7; d is gone by then. */
static void hosts_are_looked_ahead_at(void **state) {
    (void)state;
    for (int rule = 0; rule < 2; rule++) {
        struct sim_case sim_case;
        run_on_shares(&sim_case, rules[rule], 2, 8, 8,
                      HEADER "a,0,1,10,6,\n"
                             "h,1,1,5,7,\n"
                             "b,2,1,20,2,\n"
                             "c,3,1,20,1,\n"
                             "d,4,1,6,1,\n");
        expect(&sim_case, "h", 10, 15);
        expect(&sim_case, "b", 15, 35);
        expect(&sim_case, "c", 3, 23);
        expect(&sim_case, "d", 4, 10);
        sim_case_terminate(&sim_case);
    }
}

/* --- GPUs that MIG cuts --- */

/* One job of a workload of that name, submitted then. */
#define JOB(name, submit, duration, slot)                                                          \
    "  " name ": {kind: jobs, limit: 1, saturation: 0.0001%, arrivals: {renewal: " submit          \
    "}, duration: " duration ", slot: " slot "}\n"

static void run_on_mig(struct scenario_run *run, const char *rule, const char *sharing,
                       const char *workloads) {
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "headroom: 1\n"
                          "name: promises\n"
                          "start: \"2026-03-02T00:00:00\"\n"
                          "horizon: 10m\n"
                          "record: {jobs: true}\n"
                          "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1,\n"
                          "  sharing: {mode: mig, %s}}}}\n"
                          "scheduler: {backfill: %s}\n"
                          "workloads:\n"
                          "%s",
                          sharing, rule, workloads);
    assert_true(length > 0 && (size_t)length < sizeof text);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

/* Below 0: never. */
static void expect_of(const struct scenario_run *run, const char *name, double start_s,
                      double end_s) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    assert_int_equal(row->start, start_s < 0 ? SIM_TIME_NEVER : sim_time_from_seconds(start_s));
    assert_int_equal(row->end, end_s < 0 ? SIM_TIME_NEVER : sim_time_from_seconds(end_s));
}

/* Cuts take 10 s. a has its 4g in [11, 111), so that the cut of h's 7g can begin at 111. b is cut
 * and over by then: 6 + 10 + 60. g, in the instance that b has left, would be there until 112, d is
 * not. After h the GPU is cut for g, and only then for f. */
static void what_is_cut_on_demand_is_reserved(void **state) {
    (void)state;
    for (int rule = 0; rule < 2; rule++) {
        struct scenario_run run;
        run_on_mig(&run, rules[rule], "dynamic: true, reconfigure: {time: 10s}",
                   JOB("a", "1s", "100s", "4g.40gb") JOB("h", "5s", "10s", "gpu")
                       JOB("b", "6s", "60s", "3g.40gb") JOB("g", "79s", "33s", "3g.40gb")
                           JOB("d", "81s", "30s", "3g.40gb") JOB("f", "90s", "5s", "3g.40gb"));
        expect_of(&run, "a", 11, 111);
        expect_of(&run, "h", 121, 131);
        expect_of(&run, "b", 16, 76);
        expect_of(&run, "g", 141, 174);
        expect_of(&run, "d", 81, 111);
        expect_of(&run, "f", 151, 156);
        scenario_run_clear(&run);
    }
}

/* The GPU is whole from 100 to 400, and 20 s go by before it is what it is to be. h waits for that;
 * nobody who would be there still at 100 starts before. At 170, when c waits for its 3g to be back,
 * e would keep the GPU whole until 470, and g does not. */
static void what_is_cut_by_the_clock_is_reserved(void **state) {
    (void)state;
    for (int rule = 0; rule < 2; rule++) {
        struct scenario_run run;
        run_on_mig(&run, rules[rule],
                   "layout: [3g.40gb, 3g.40gb], reconfigure: {mode_time: 20s},\n"
                   "  calendar: [{from: \"00:01:40\", to: \"00:06:40\", mode: exclusive}]",
                   JOB("h", "2s", "50s", "gpu") JOB("b", "3s", "97s", "3g.40gb")
                       JOB("c", "4s", "97s", "3g.40gb") JOB("d", "5s", "90s", "3g.40gb")
                           JOB("e", "6s", "300s", "gpu") JOB("g", "7s", "200s", "gpu"));
        expect_of(&run, "h", 120, 170);
        expect_of(&run, "b", 3, 100);
        expect_of(&run, "c", 420, 517);
        expect_of(&run, "d", 5, 95);
        expect_of(&run, "e", -1, -1);
        expect_of(&run, "g", 170, 370);
        scenario_run_clear(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_job_has_a_slot_reserved),
        cmocka_unit_test(gangs_and_slots_leave_each_other_alone),
        cmocka_unit_test(hosts_are_looked_ahead_at),
        cmocka_unit_test(what_is_cut_on_demand_is_reserved),
        cmocka_unit_test(what_is_cut_by_the_clock_is_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
