/* Memory that is random or grows, in whole runs read by the real reader: who dies when, by hand to
 * the nanosecond. GPUs are V100 of 32 GiB unless said otherwise. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

/* A single GPU; two nodes of two; and work that comes at 0, once. */
#define GPU "gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 1"
#define NODES "gpu: V100-SXM2-32GB, nodes: 2, gpus_per_node: 2"
#define ONCE "arrivals: {closed: {clients: 1, think: 1s}}, limit: 1"

static void run_of(struct scenario_run *run, const char *horizon, const char *pool,
                   const char *workloads, uint64_t replication) {
    char text[4096];
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: memory\n"
             "horizon: %s\n"
             "cluster: {pools: {p: {%s}}}\n"
             "record: {jobs: true, requests: true}\n"
             "workloads:\n"
             "%s",
             horizon, pool, workloads);
    scenario_run_text(run, "/tmp", text, NULL, replication);
}

static sim_time moment(double seconds) {
    return seconds < 0 ? SIM_TIME_NEVER : sim_time_from_seconds(seconds);
}

/* What became of a workload's one job. */
static void expect(const struct scenario_run *run, const char *workload, enum job_state state,
                   double start_s, double end_s) {
    const struct job_row *row = recording_job(&run->recording, workload, "1");
    if (row->state != state || row->start != moment(start_s) || row->end != moment(end_s)) {
        fail_msg("%s: %s, %.9f to %.9f", workload, job_state_names[row->state],
                 sim_time_to_seconds(row->start), sim_time_to_seconds(row->end));
    }
}

static void assert_near(double actual, double expected) {
    if (!(fabs(actual - expected) <= 1e-12 * fmax(1, fabs(expected)))) {
        fail_msg("%.17g is not %.17g", actual, expected);
    }
}

static double of_run(const struct scenario_run *run, const char *name) {
    return results_metric(&run->results, SCOPE_RUN, "", name);
}

/* --- Who dies --- */

/* On GPU 0, a holds 8 GiB + 4 GiB/h x t and b 4 GiB + 2 GiB/h x t: 32 GiB at t = 20 / 6 h = 12,000
 * s. Not slowed down, what lives ends after 5 h; b alone would get to 32 GiB after 14 h. c is on
 * GPU 1, as a GPU takes two clients; w-1 has GPU 2 for itself, and w-2 a GPU of node 1. */
static void run_clients(struct scenario_run *run, const char *oom) {
    char pool[256];
    snprintf(pool, sizeof pool,
             "gpu: V100-SXM2-32GB, nodes: 2, gpus_per_node: 3,"
             " sharing: {mode: mps, clients: 2, oom: %s}",
             oom);
    run_of(run, "end_of_work", pool,
           "  a: {kind: jobs, " ONCE ", duration: 5h, saturation: 50%,"
           " memory: {start: 8GiB, growth: 4GiB/h}}\n"
           "  b: {kind: jobs, " ONCE ", duration: 5h, saturation: 50%,"
           " memory: {start: 4GiB, growth: 2GiB/h}}\n"
           "  c: {kind: jobs, " ONCE ", duration: 5h, saturation: 50%, memory: 30GiB}\n"
           "  w: {kind: jobs, count: 2, " ONCE ", duration: 5h, slot: gpu}\n",
           0);
    assert_int_equal(run->results.overflows, 1);
    assert_non_null(strstr(run->results.first_overflow, "job 1 of workload a"));
    assert_non_null(strstr(run->results.first_overflow, "GPU 0 of node 0 of pool p"));
    expect(run, "a", JOB_FAILED, 0, 12000);
    expect(run, "w-2", JOB_COMPLETED, 0, 18000);
}

static void a_client_dies_alone(void **state) {
    (void)state;
    struct scenario_run run;
    run_clients(&run, "client");
    expect(&run, "b", JOB_COMPLETED, 0, 18000);
    expect(&run, "c", JOB_COMPLETED, 0, 18000);
    expect(&run, "w-1", JOB_COMPLETED, 0, 18000);
    scenario_run_clear(&run);
}

static void all_clients_of_a_gpu_die(void **state) {
    (void)state;
    struct scenario_run run;
    run_clients(&run, "gpu");
    expect(&run, "b", JOB_FAILED, 0, 12000);
    expect(&run, "c", JOB_COMPLETED, 0, 18000);
    expect(&run, "w-1", JOB_COMPLETED, 0, 18000);
    scenario_run_clear(&run);
}

static void all_tenants_of_a_node_die(void **state) {
    (void)state;
    struct scenario_run run;
    run_clients(&run, "node");
    expect(&run, "b", JOB_FAILED, 0, 12000);
    expect(&run, "c", JOB_FAILED, 0, 12000);
    expect(&run, "w-1", JOB_FAILED, 0, 12000);
    scenario_run_clear(&run);
}

/* The same memory; slices of 1 s, a first. Each has computed for 6,000 s when a dies at 12,000 s,
 * at the end of a slice of b, who has 12,000 s left. */
static void taking_turns_only_one_dies(void **state) {
    (void)state;
    struct scenario_run run;
    run_of(&run, "end_of_work",
           GPU ", sharing: {mode: timeslice, replicas: 2, slice: 1s, switch: 0s}",
           "  a: {kind: jobs, " ONCE ", duration: 5h, memory: {start: 8GiB, growth: 4GiB/h}}\n"
           "  b: {kind: jobs, " ONCE ", duration: 5h, memory: {start: 4GiB, growth: 2GiB/h}}\n",
           0);
    expect(&run, "a", JOB_FAILED, 0, 12000);
    expect(&run, "b", JOB_COMPLETED, 0, 24000);
    scenario_run_clear(&run);
}

/* 1g.6gb of an A30 has 5,949 MiB: 4,949 and 1,000 an hour are all of it after an hour. The other
 * instance does not care, and its job of an hour of a quarter of the SMs takes four. */
static void an_instance_is_full_by_itself(void **state) {
    (void)state;
    struct scenario_run run;
    run_of(&run, "end_of_work",
           "gpu: A30-24GB, nodes: 1, gpus_per_node: 1,"
           " sharing: {mode: mig, layout: [1g.6gb, 1g.6gb]}",
           "  a: {kind: jobs, " ONCE ", duration: 1h,"
           " memory: {start: 4949MiB, growth: 1000MiB/h}}\n"
           "  b: {kind: jobs, " ONCE ", duration: 1h, memory: 5GB}\n",
           0);
    expect(&run, "a", JOB_FAILED, 0, 3600);
    expect(&run, "b", JOB_COMPLETED, 0, 14400);
    scenario_run_clear(&run);
}

/* Two clients in each of two instances under `oom: gpu`: a takes b along, who shares its instance,
 * but neither c nor d. Of 5,949 MiB, a holds 2,000 + 1,949 x t and b 2,000: full after an hour, at
 * which instant a job of one hour has ended. */
static void an_instance_is_the_scope_of_its_faults(void **state) {
    (void)state;
    struct scenario_run run;
    run_of(&run, "end_of_work",
           "gpu: A30-24GB, nodes: 1, gpus_per_node: 1,"
           " sharing: {mode: mig, layout: [{profile: 1g.6gb, count: 2,"
           " sharing: {mode: mps, clients: 2, oom: gpu}}]}",
           "  a: {kind: jobs, " ONCE ", duration: 1h, saturation: 10%,"
           " memory: {start: 2000MiB, growth: 1949MiB/h}}\n"
           "  b: {kind: jobs, " ONCE ", duration: 2h, saturation: 10%, memory: 2000MiB}\n"
           "  c: {kind: jobs, " ONCE ", duration: 2h, saturation: 10%, memory: 2000MiB}\n"
           "  d: {kind: jobs, " ONCE ", duration: 2h, saturation: 10%, memory: 2000MiB}\n",
           0);
    expect(&run, "a", JOB_COMPLETED, 0, 3600);
    expect(&run, "b", JOB_COMPLETED, 0, 7200);
    scenario_run_clear(&run);
    run_of(&run, "end_of_work",
           "gpu: A30-24GB, nodes: 1, gpus_per_node: 1,"
           " sharing: {mode: mig, layout: [{profile: 1g.6gb, count: 2,"
           " sharing: {mode: mps, clients: 2, oom: gpu}}]}",
           "  a: {kind: jobs, " ONCE ", duration: 2h, saturation: 10%,"
           " memory: {start: 2000MiB, growth: 1949MiB/h}}\n"
           "  b: {kind: jobs, " ONCE ", duration: 2h, saturation: 10%, memory: 2000MiB}\n"
           "  c: {kind: jobs, " ONCE ", duration: 2h, saturation: 10%, memory: 2000MiB}\n"
           "  d: {kind: jobs, " ONCE ", duration: 2h, saturation: 10%, memory: 2000MiB}\n",
           0);
    expect(&run, "a", JOB_FAILED, 0, 3600);
    expect(&run, "b", JOB_FAILED, 0, 3600);
    expect(&run, "c", JOB_COMPLETED, 0, 7200);
    expect(&run, "d", JOB_COMPLETED, 0, 7200);
    scenario_run_clear(&run);
}

/* 8 GiB + 4 GiB/h are the 10 GiB allowed after half an hour, though the GPU has 32. */
static void a_limit_of_its_own(void **state) {
    (void)state;
    struct scenario_run run;
    run_of(&run, "end_of_work", GPU ", sharing: {mode: mps, clients: 4, memory_limit: 10GiB}",
           "  a: {kind: jobs, " ONCE ", duration: 1h, saturation: 20%,"
           " memory: {start: 8GiB, growth: 4GiB/h}}\n"
           "  b: {kind: jobs, " ONCE ", duration: 1h, saturation: 20%, memory: 10GiB}\n",
           0);
    expect(&run, "a", JOB_FAILED, 0, 1800);
    expect(&run, "b", JOB_COMPLETED, 0, 3600);
    scenario_run_clear(&run);
}

/* 8 GiB + 6 GiB/h x t = 32 GiB at 14,400 s, on whole GPUs and in a slot. A job that ends at that
 * very instant has ended; 1 ns more is too long. */
static void who_ends_in_time_has_ended(void **state) {
    (void)state;
    static const char *const pools[] = {NODES, NODES ", sharing: {mode: timeslice, replicas: 2}",
                                        NODES ", sharing: {mode: mps}"};
    for (size_t i = 0; i < 3; i++) {
        for (int gpus = 1; gpus <= 3; gpus++) {
            for (int late = 0; late <= 1; late++) {
                char job[256];
                struct scenario_run run;
                snprintf(job, sizeof job,
                         "  a: {kind: jobs, " ONCE ", duration: 14400.00000000%ds, gpus: %d,"
                         " memory: {start: 8GiB, growth: 6GiB/h}}\n",
                         late, gpus);
                run_of(&run, "end_of_work", pools[i], job, 0);
                expect(&run, "a", late ? JOB_FAILED : JOB_COMPLETED, 0, 14400);
                assert_int_equal(run.results.overflows, late);
                scenario_run_clear(&run);
            }
        }
    }
}

/* a ends at the instant at which a and b would be too much (see above): b lives on. */
static void an_end_makes_room_at_that_instant(void **state) {
    (void)state;
    struct scenario_run run;
    run_of(&run, "end_of_work", GPU ", sharing: {mode: mps}",
           "  b: {kind: jobs, " ONCE ", duration: 5h, saturation: 50%,"
           " memory: {start: 4GiB, growth: 4GiB/h}}\n"
           "  a: {kind: jobs, " ONCE ", duration: 12000s, saturation: 50%,"
           " memory: {start: 8GiB, growth: 2GiB/h}}\n",
           0);
    expect(&run, "a", JOB_COMPLETED, 0, 12000);
    expect(&run, "b", JOB_COMPLETED, 0, 18000);
    scenario_run_clear(&run);
}

/* --- Random memory --- */

/* Two jobs at 0 that take 1 or 29 GiB each, 15 on average: placed by that, both start on the one
 * GPU; if both take 29, the second dies then and there. Under `strict` that one waits until the
 * first has ended, and the same draws tell so. */
static void drawn_memory(void **state) {
    (void)state;
    static const char *const pool = GPU ", sharing: {mode: mps}";
    static const char *const job =
        "  w: {kind: jobs, arrivals: {closed: {clients: 2, think: 1s}}, limit: 2, duration: 1h,"
        " saturation: 50%%, memory: {choice: {1GiB: 0.5, 29GiB: 0.5}}, memory_policy: %s}\n";
    int died = 0;
    for (uint64_t replication = 0; replication < 40; replication++) {
        struct scenario_run overflow;
        struct scenario_run strict;
        char workloads[512];
        snprintf(workloads, sizeof workloads, job, "overflow");
        run_of(&overflow, "end_of_work", pool, workloads, replication);
        snprintf(workloads, sizeof workloads, job, "strict");
        run_of(&strict, "end_of_work", pool, workloads, replication);
        const struct job_row *failed = recording_job(&overflow.recording, "w", "2");
        const struct job_row *waited = recording_job(&strict.recording, "w", "2");
        bool dies = failed->state == JOB_FAILED;
        expect(&overflow, "w", JOB_COMPLETED, 0, 3600);
        assert_int_equal(failed->start, 0);
        assert_int_equal(failed->end, dies ? 0 : moment(3600));
        assert_int_equal(waited->state, JOB_COMPLETED);
        assert_int_equal(waited->start, dies ? moment(3600) : 0);
        assert_int_equal(overflow.results.overflows, dies);
        assert_int_equal(strict.results.overflows, 0);
        died += dies;
        scenario_run_clear(&overflow);
        scenario_run_clear(&strict);
    }
    /* Binomial(40, 1/4): outside this range once in 10^5. */
    assert_in_range(died, 1, 22);
}

/* 20 or 40 GiB, 30 on average, on whole GPUs of 32: half of the jobs die at once, one after the
 * other, and their GPUs go to the next. */
static void too_much_for_a_whole_gpu(void **state) {
    (void)state;
    struct scenario_run run;
    run_of(&run, "end_of_work", GPU,
           "  w: {kind: jobs, arrivals: {closed: {clients: 1, think: 1s}}, limit: 100,"
           " duration: 10s, memory: {choice: {20GiB: 0.5, 40GiB: 0.5}}}\n",
           0);
    int64_t failed = 0;
    for (size_t i = 0; i < run.recording.job_count; i++) {
        const struct job_row *row = &run.recording.jobs[i];
        bool dies = row->state == JOB_FAILED;
        assert_true(dies || row->state == JOB_COMPLETED);
        assert_int_equal(row->start, row->submit);
        assert_int_equal(row->end - row->start, dies ? 0 : moment(10));
        failed += dies;
    }
    assert_int_equal(run.results.overflows, failed);
    assert_in_range(failed, 25, 75); /* 5 standard deviations */
    scenario_run_clear(&run);
    run_of(&run, "end_of_work", GPU,
           "  w: {kind: jobs, arrivals: {closed: {clients: 1, think: 1s}}, limit: 100,"
           " duration: 10s, memory: {choice: {20GiB: 0.5, 40GiB: 0.5}}, memory_policy: strict}\n",
           0);
    assert_int_equal(run.results.rejected, failed); /* the same draws */
    assert_int_equal(run.results.overflows, 0);
    scenario_run_clear(&run);
}

/* --- Memory over time --- */

/* 8 GiB + 4 GiB/h for 2 h of 4 on the only GPU: 8 x 2 + 4 x 2 x 2 / 2 = 24 of 128 GiB h. What it
 * keeps from others beside: 24 x 2 - 8 = 40 GiB h over 4 h. After a warm-up of 1 h: 14 of 96 GiB h,
 * and 24 - 6 = 18 GiB h over 3 h. The same on a GPU taken as a whole, and in a slot of an exclusive
 * one beside shared ones, but for three times as much memory there. */
static void memory_in_use_is_a_triangle(void **state) {
    (void)state;
    static const char *const exclusive = GPU;
    static const char *const beside =
        "gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 3, sharing: exclusive,"
        " layouts: [{gpus: [1, 2], sharing: {mode: timeslice, replicas: 2}}]";
    for (int slot = 0; slot <= 1; slot++) {
        for (int warmup = 0; warmup <= 1; warmup++) {
            struct scenario_run run;
            char horizon[64];
            snprintf(horizon, sizeof horizon, "4h\nwarmup: %dh", warmup);
            run_of(&run, horizon, slot ? beside : exclusive,
                   "  a: {kind: jobs, " ONCE ", duration: 2h, isolation: hard,"
                   " memory: {start: 8GiB, growth: 4GiB/h}}\n",
                   0);
            double memory = (slot ? 3 : 1) * 32 * (4 - warmup);
            assert_near(of_run(&run, "utilization.memory"), (warmup ? 14 : 24) / memory);
            assert_near(of_run(&run, "memory_wasted_gib"), warmup ? 18 / 3.0 : 40 / 4.0);
            scenario_run_clear(&run);
        }
    }
}

/* Drawn 10 or 20 GiB, placed by 15: what counts is what it takes. In a share nothing is wasted. */
static void memory_in_use_is_what_was_drawn(void **state) {
    (void)state;
    for (uint64_t replication = 0; replication < 8; replication++) {
        struct scenario_run run;
        run_of(&run, "4h", "gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 2",
               "  a: {kind: jobs, " ONCE ", duration: 2h, gpus: 2,"
               " memory: {choice: {10GiB: 0.5, 20GiB: 0.5}}}\n",
               replication);
        double used = of_run(&run, "utilization.memory") * 32 * 4 / 2;
        assert_true(used == 10 || used == 20);
        assert_near(of_run(&run, "memory_wasted_gib"), (32 - used) * 2 * 2 / 4);
        scenario_run_clear(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_client_dies_alone),
        cmocka_unit_test(all_clients_of_a_gpu_die),
        cmocka_unit_test(all_tenants_of_a_node_die),
        cmocka_unit_test(taking_turns_only_one_dies),
        cmocka_unit_test(an_instance_is_full_by_itself),
        cmocka_unit_test(an_instance_is_the_scope_of_its_faults),
        cmocka_unit_test(a_limit_of_its_own),
        cmocka_unit_test(who_ends_in_time_has_ended),
        cmocka_unit_test(an_end_makes_room_at_that_instant),
        cmocka_unit_test(drawn_memory),
        cmocka_unit_test(too_much_for_a_whole_gpu),
        cmocka_unit_test(memory_in_use_is_a_triangle),
        cmocka_unit_test(memory_in_use_is_what_was_drawn),
    };
    return cmocka_run_group_tests_name("simulation memory", tests, NULL, NULL);
}
