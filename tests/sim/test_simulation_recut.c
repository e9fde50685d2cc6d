/* GPUs that MIG cuts on demand, in whole runs through the real reader, by hand to the nanosecond:
 * waits, re-cuts and what they keep from others, and the ledger in SM-seconds. Nothing here gets
 * slower in a smaller instance, and re-cuts take 10 s unless it says otherwise. */
#include <math.h>
#include <stdio.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

enum { A100_SMS = 108 };

/* On one node of A100, whose pool is as it says. */
static void run_on(struct scenario_run *run, const char *head, const char *pool,
                   const char *workloads) {
    char text[2048];
    int length = snprintf(text, sizeof text,
                          "headroom: 1\n"
                          "name: recut\n"
                          "%s\n"
                          "record: {jobs: true, requests: true}\n"
                          "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, %s}}}\n"
                          "workloads:\n"
                          "%s",
                          head, pool, workloads);
    assert_true(length > 0 && (size_t)length < sizeof text);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

/* On so many, all cut on demand; `sharing` beside its mode. */
static void run_with(struct scenario_run *run, const char *head, int gpus, const char *sharing,
                     const char *workloads) {
    char pool[256];
    snprintf(pool, sizeof pool, "gpus_per_node: %d, sharing: {mode: mig, dynamic: true, %s}", gpus,
             sharing);
    run_on(run, head, pool, workloads);
}

static void run_on_one(struct scenario_run *run, const char *sharing, const char *workloads) {
    run_with(run, "horizon: end_of_work", 1, sharing, workloads);
}

/* One job of a workload of that name, submitted then. */
#define JOB(name, submit, duration, more)                                                          \
    "  " name ": {kind: jobs, limit: 1, saturation: 0.0001%, arrivals: {renewal: " submit          \
    "}, duration: " duration ", " more "}\n"
#define TEN "reconfigure: {time: 10s}"

static sim_time moment(double seconds) {
    return seconds < 0 ? SIM_TIME_NEVER : sim_time_from_seconds(seconds);
}

/* Below 0: never. */
static void expect(const struct scenario_run *run, const char *name, enum job_state state,
                   double start_s, double end_s) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    assert_string_equal(job_state_names[row->state], job_state_names[state]);
    assert_int_equal(row->start, moment(start_s));
    assert_int_equal(row->end, moment(end_s));
}

static void expect_done(const struct scenario_run *run, const char *name, double start_s,
                        double end_s) {
    expect(run, name, JOB_COMPLETED, start_s, end_s);
}

/* SM-seconds. */
static void expect_ledger(const struct scenario_run *run, double useful, double reconfiguring,
                          double idle, double stranded) {
    const double expected[GPU_CATEGORY_COUNT] = {[GPU_USEFUL] = useful,
                                                 [GPU_RECONFIGURING] = reconfiguring,
                                                 [GPU_IDLE] = idle,
                                                 [GPU_STRANDED] = stranded};
    for (size_t i = 0; i < run->results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &run->results.gpu_hours[i];
        double sm_seconds = entry->hours * 3600 * A100_SMS;
        assert_true(fabs(sm_seconds - expected[entry->category]) < 1e-6);
    }
}

/* a and b wait for the cut of their 3g at 0 and at 4. c's 4g begins at 0 only, so it waits for a,
 * while b's place has been idle since 62; b's instance stays. SMs: 3g 42, 4g 56, and what is left
 * beside one 3g or beside the 4g is a 3g.
 * Reconfiguring 42 in [1, 11) and [2, 12), 56 in [111, 121), where the 3g of 42 is destroyed.
 * Idle: 98 in [0, 1); 42 in [1, 2), [62, 111) and [111, 126); 0 between. */
static void a_profile_waits_for_its_start(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, TEN,
               JOB("a", "1s", "100s", "slot: 3g.40gb") JOB("b", "2s", "50s", "slot: 3g.40gb")
                   JOB("c", "3s", "5s", "slot: 4g.40gb"));
    expect_done(&run, "a", 11, 111);
    expect_done(&run, "b", 12, 62);
    expect_done(&run, "c", 121, 126);
    double useful = 42 * 100 + 42 * 50 + 56 * 5;
    double cutting = 42 * 10 + 42 * 10 + 56 * 10;
    double idle = 98 * 1 + 42 * (1 + 49 + 15);
    expect_ledger(&run, useful, cutting, idle, 126 * A100_SMS - useful - cutting - idle);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "c", "wait_s.mean"), 118, 1e-9);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "a", "wait_s.mean"), 10, 1e-9);
    scenario_run_clear(&run);
}

/* Seven jobs take the seven 1g at once, in order of start. A 2g begins at 0, 2 or 4: the ends at 1
 * and 2 do not make room for it, that at 3 does. */
static void neighbours_make_room(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, "layout: [{profile: 1g.10gb, count: 7}], " TEN,
               JOB("a0", "1s", "100s", "memory: 1GB") JOB("a1", "1s", "10s", "memory: 1GB")
                   JOB("a2", "1s", "20s", "memory: 1GB") JOB("a3", "1s", "30s", "memory: 1GB")
                       JOB("a4", "1s", "100s", "memory: 1GB") JOB("a5", "1s", "100s", "memory: 1GB")
                           JOB("a6", "1s", "100s", "memory: 1GB")
                               JOB("b", "2s", "7s", "slot: 2g.20gb"));
    expect_done(&run, "a6", 1, 101);
    expect_done(&run, "a3", 1, 31);
    expect_done(&run, "b", 41, 48);
    /* Useful: 14 SMs each, 28 for b. Idle is all that is free, as 1g can use it. */
    double useful = 14 * (4 * 100 + 10 + 20 + 30) + 28 * 7;
    double idle = 98 * 1 + 14 * (21 - 11) + 28 * (31 - 21) + 14 * (48 - 31) + 42 * (101 - 48);
    expect_ledger(&run, useful, 28 * 10, idle, 10 * 101);
    scenario_run_clear(&run);
}

/* a's 1g destroys the idle 4g, whose units 1 to 3 nobody gets until 11. So b's 2g does not go to 2
 * but to 4, which destroys the 3g, with units 6 and 7 until 12. c finds room when a's re-cut ends,
 * though no job does then: at 1, until 21. Reconfiguring: 56 in [1, 11), 42 in [2, 12), 14 in [11,
 * 21). */
static void destroyed_instances_keep_their_units(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, "layout: [4g.40gb, 3g.40gb], " TEN,
               JOB("a", "1s", "30s", "slot: 1g.10gb") JOB("b", "2s", "30s", "slot: 2g.20gb")
                   JOB("c", "3s", "30s", "memory: 9GB"));
    expect_done(&run, "a", 11, 41);
    expect_done(&run, "b", 12, 42);
    expect_done(&run, "c", 21, 51);
    /* Beside a: a 3g of 42 in [1, 2); beside a and b, in [2, 11) nothing, and in [11, 12) what c
     * leaves at 2 and 3, 28; from 12 on the 1g at 6, too, 42; 56 beside b and c in [41, 42) with
     * a's; beside c alone 1g at 0, 2g at 2, 3g at 4: 84 in [42, 51). */
    double idle = 98 * 1 + 42 * 1 + 28 * 1 + 42 * (41 - 12) + 56 * 1 + 84 * 9;
    double useful = 14 * 30 + 28 * 30 + 14 * 30;
    double cutting = 56 * 10 + 42 * 10 + 14 * 10;
    expect_ledger(&run, useful, cutting, idle, 51 * A100_SMS - useful - cutting - idle);
    scenario_run_clear(&run);
}

/* A whole GPU is the 7g, for which all must be idle; it is gone again for who comes next. A free
 * instance of the right size is taken at once, a larger one is not: it takes the re-cut. */
static void a_whole_gpu_is_the_largest_profile(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, "layout: [1g.10gb], " TEN,
               JOB("a", "1s", "20s", "memory: 1GB") JOB("b", "2s", "20s", "slot: gpu")
                   JOB("c", "3s", "20s", "slot: any") JOB("d", "4s", "20s", "isolation: full"));
    expect_done(&run, "a", 1, 21);
    expect_done(&run, "b", 31, 51);
    expect_done(&run, "c", 61, 81);
    expect_done(&run, "d", 91, 111);
    scenario_run_clear(&run);
}

/* a does not take the instance with engines that it does not ask for, but destroys it, as it lies
 * at the lowest start; b, on the second GPU, has it at once. */
static void engines_are_for_who_names_them(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work", 2, "layout: [1g.10gb+me], " TEN,
             JOB("a", "1s", "20s", "memory: 1GB") JOB("b", "2s", "20s", "slot: 1g.10gb+me"));
    expect_done(&run, "a", 11, 31);
    expect_done(&run, "b", 2, 22);
    scenario_run_clear(&run);
}

/* a's place is decided within its longest wait, so it starts after it; b is withdrawn. Of c, whose
 * re-cut begins with that, the horizon sees nothing: it is still queued. */
static void waits_and_horizons(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: 60s", 1, "reconfigure: {time: 10s}",
             JOB("a", "1s", "40s", "slot: gpu, max_wait: 6s")
                 JOB("b", "2s", "40s", "slot: 1g.10gb, max_wait: 6s")
                     JOB("c", "3s", "40s", "slot: 1g.10gb"));
    expect_done(&run, "a", 11, 51);
    expect(&run, "b", JOB_TIMED_OUT, -1, 8);
    expect(&run, "c", JOB_QUEUED, -1, -1);
    expect_ledger(&run, 98 * 40, 98 * (10 + 9), 98 * 1, 10 * 60);
    scenario_run_clear(&run);
}

/* Re-cuts that take no time. */
static void at_no_time(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, "reconfigure: {time: 0s}",
               JOB("a", "1s", "0s", "slot: gpu, max_wait: 0s")
                   JOB("b", "1s", "5s", "slot: 3g.40gb, max_wait: 0s"));
    expect_done(&run, "a", 1, 1);
    expect_done(&run, "b", 1, 6);
    expect_ledger(&run, 42 * 5, 0, 98 * 1 + 42 * 5, 10 * 1 + 24 * 5);
    scenario_run_clear(&run);
}

/* A replica asks at 0, is cut until 10, loads until 15. */
static void a_replica_waits_for_its_instance(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, TEN,
               "  w: {kind: service, arrivals: {renewal: 2s}, limit: 1, service_time: 3s, "
               "load_time: 5s, memory: 15GB, saturation: 0.0001%}\n");
    const struct request_row *row = recording_request(&run.recording, "w", 1);
    assert_int_equal(row->start, moment(15));
    assert_int_equal(row->end, moment(18));
    scenario_run_clear(&run);
}

/* Two share the first instance; the next one is cut, and shared likewise, by c and d. */
static void new_instances_are_shared_as_the_layout_says(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, "layout: [{profile: 1g.10gb, sharing: {mode: timeslice, replicas: 2}}], " TEN,
               JOB("a", "1s", "50s", "memory: 1GB") JOB("b", "2s", "50s", "memory: 1GB")
                   JOB("c", "3s", "50s", "memory: 1GB") JOB("d", "14s", "50s", "memory: 1GB"));
    assert_int_equal(recording_job(&run.recording, "a", "1")->start, moment(1));
    assert_int_equal(recording_job(&run.recording, "b", "1")->start, moment(2));
    assert_int_equal(recording_job(&run.recording, "c", "1")->start, moment(13));
    assert_int_equal(recording_job(&run.recording, "d", "1")->start, moment(14));
    scenario_run_clear(&run);
}

/* The 7g begins where the shared 1g did, and follows it at the very instant of its end; then comes
 * another shared 1g. Alone, a tenant of a shared instance is as fast as one that has it. */
static void an_instance_of_another_mode_follows(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               "layout: [{profile: 1g.10gb, sharing: {mode: timeslice, replicas: 2}}], "
               "reconfigure: {time: 0s}",
               JOB("a", "1s", "5s", "memory: 1GB") JOB("b", "2s", "5s", "slot: gpu")
                   JOB("c", "3s", "5s", "memory: 1GB") JOB("d", "4s", "5s", "slot: gpu")
                       JOB("e", "30s", "5s", "memory: 1GB"));
    expect_done(&run, "a", 1, 6);
    expect_done(&run, "b", 6, 11);
    expect_done(&run, "c", 11, 16);
    expect_done(&run, "d", 16, 21);
    expect_done(&run, "e", 30, 35);
    scenario_run_clear(&run);
}

/* Beside a GPU that is left whole: it is what `gpu` means then, so d does not go to the other one,
 * idle from 31 on. Out of that a small instance is cut; the 7g is not possible when c comes, so c
 * gets the whole GPU when it is free. Who asks for two GPUs is rejected. */
static void beside_whole_gpus(void **state) {
    (void)state;
    struct scenario_run run;
    run_on(&run, "horizon: end_of_work",
           "gpus_per_node: 2, layouts: [{gpus: [1], sharing: {mode: mig, dynamic: true, " TEN "}}]",
           JOB("a", "1s", "20s", "memory: 1GB") JOB("b", "2s", "20s", "slot: gpu")
               JOB("c", "3s", "20s", "memory: 50GB") JOB("d", "4s", "20s", "slot: gpu")
                   JOB("e", "5s", "20s", "gpus: 2"));
    expect_done(&run, "a", 11, 31);
    expect_done(&run, "b", 2, 22);
    expect_done(&run, "c", 22, 42);
    expect_done(&run, "d", 42, 62);
    expect(&run, "e", JOB_REJECTED, -1, 5);
    scenario_run_clear(&run);
}

/* Three 4g have come and gone when a 1g comes, and then another 4g. The first fit for the 1g is at
 * 0, where all 4g begin. The gradient: of 3 requests for 4g and 1 for 1g, 1g at 0 makes 6 slices
 * useless to 4g, from 3 before: (6 - 3) x 3; at 4, 6 - 4 = 2 of them: (2 - 3) x 3. So it goes to 4,
 * and the idle 4g is still there. Of d's 10 s of waiting there are none then. */
static void fragmentation_keeps_large_profiles_possible(void **state) {
    (void)state;
    const char *workloads = JOB("a", "1s", "1s", "slot: 4g.40gb")
        JOB("b", "21s", "1s", "slot: 4g.40gb") JOB("c", "31s", "1s", "slot: 4g.40gb")
            JOB("small", "41s", "100s", "slot: 1g.10gb") JOB("d", "42s", "1s", "slot: 4g.40gb");
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work\nscheduler: {placement: first_fit}", 1, TEN, workloads);
    expect_done(&run, "b", 21, 22);
    expect_done(&run, "small", 51, 151);
    expect_done(&run, "d", 161, 162);
    scenario_run_clear(&run);
    run_with(&run, "horizon: end_of_work\nscheduler: {placement: fragmentation}", 1, TEN,
             workloads);
    expect_done(&run, "small", 51, 151);
    expect_done(&run, "d", 42, 43);
    scenario_run_clear(&run);
}

/* The n-th re-cut of a pool takes the same time whatever else is random: from a stream of its own,
 * and within its distribution. */
static void times_come_from_the_pools_own_stream(void **state) {
    (void)state;
    struct scenario_run run;
    const char *more[] = {"", "  z: {kind: jobs, arrivals: {poisson: 1/s}, limit: 3, duration: 0s, "
                              "saturation: 0.0001%, slot: gpu, max_wait: 0s}\n"};
    sim_time start[2];
    for (int i = 0; i < 2; i++) {
        char workloads[512];
        snprintf(workloads, sizeof workloads, "%s%s", JOB("a", "10ms", "500s", "slot: 2g.20gb"),
                 more[i]);
        run_on_one(&run, "reconfigure: {time: {uniform: [10s, 30s]}}", workloads);
        start[i] = recording_job(&run.recording, "a", "1")->start;
        scenario_run_clear(&run);
    }
    assert_int_equal(start[0], start[1]);
    assert_in_range(start[0], moment(10.01), moment(30.01));
}

/* a leaves its 3g at 61. Without a hysteresis b's 4g, whose 10 s begin then, destroys it, and c has
 * a cut to wait for when it comes at 65. With one of 20 s the 3g is kept for c, from 65 to 85, and
 * gives way at 105: b's cut begins then. d's 2g fits beside a kept 3g: at once. */
#define FOR_A_TIME "hysteresis: 20s, layout: [3g.40gb], " TEN
#define HYSTERESIS_JOBS                                                                            \
    JOB("a", "1s", "60s", "slot: 3g.40gb")                                                         \
    JOB("b", "20s", "5s", "slot: 4g.40gb") JOB("c", "65s", "20s", "slot: 3g.40gb")

static void idle_instances_are_kept_for_a_time(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work\nscheduler: {backfill: skip}", 1, FOR_A_TIME,
             HYSTERESIS_JOBS JOB("d", "70s", "5s", "slot: 2g.20gb"));
    expect_done(&run, "a", 1, 61);
    expect_done(&run, "c", 65, 85);
    expect_done(&run, "b", 115, 120);
    expect_done(&run, "d", 80, 85);
    scenario_run_clear(&run);
    run_with(&run, "horizon: end_of_work\nscheduler: {backfill: skip}", 1,
             "layout: [3g.40gb], " TEN, HYSTERESIS_JOBS);
    expect_done(&run, "b", 71, 76);
    /* The other 3g lies at 4, beside b's. */
    expect_done(&run, "c", 75, 95);
    scenario_run_clear(&run);
}

/* A job that holds any instance takes the 3g that is free, rather than have a 1g cut. */
static void idle_instances_come_before_cuts(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, FOR_A_TIME, JOB("a", "1s", "5s", "memory: 1GB"));
    expect_done(&run, "a", 1, 6);
    scenario_run_clear(&run);
    run_on_one(&run, "layout: [3g.40gb], " TEN, JOB("a", "1s", "5s", "memory: 1GB"));
    expect_done(&run, "a", 11, 16);
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_instances_are_kept_for_a_time),
        cmocka_unit_test(idle_instances_come_before_cuts),
        cmocka_unit_test(a_profile_waits_for_its_start),
        cmocka_unit_test(neighbours_make_room),
        cmocka_unit_test(destroyed_instances_keep_their_units),
        cmocka_unit_test(a_whole_gpu_is_the_largest_profile),
        cmocka_unit_test(engines_are_for_who_names_them),
        cmocka_unit_test(waits_and_horizons),
        cmocka_unit_test(at_no_time),
        cmocka_unit_test(a_replica_waits_for_its_instance),
        cmocka_unit_test(new_instances_are_shared_as_the_layout_says),
        cmocka_unit_test(an_instance_of_another_mode_follows),
        cmocka_unit_test(beside_whole_gpus),
        cmocka_unit_test(fragmentation_keeps_large_profiles_possible),
        cmocka_unit_test(times_come_from_the_pools_own_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
