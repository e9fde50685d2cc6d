/* Machines that fail, are worked on or are reclaimed, in whole runs through the real reader, by
 * hand to the nanosecond. Unless it says otherwise, an A100 costs 1 a second, and a job is
 * submitted 1 ns after the time that its name gives in seconds. */
#include <math.h>
#include <stdio.h>

#include "sim/cluster/fault_clock.h"
#include "tests/support/pool_run.h"
#include "tests/support/unit.h"

#define TO_THE_END "horizon: end_of_work"
#define GPUS(nodes, per_node) "nodes: " #nodes ", gpus_per_node: " #per_node ", "
#define JOB(name, submit, duration, more)                                                          \
    "  " name ": {kind: jobs, limit: 1, arrivals: {renewal: " submit "}, duration: " duration      \
    ", " more "}\n"
#define SAVES "checkpoint: {interval: 30s, save_time: 5s, restore_time: 10s}"

static void expect_near(double value, double expected, double apart) {
    if (!(fabs(value - expected) <= apart)) {
        fail_msg("%.12g instead of %.12g", value, expected);
    }
}

static sim_time moment(double seconds) {
    return sim_time_from_seconds(seconds);
}

static void expect_times(const struct scenario_run *run, const char *name, sim_time start,
                         sim_time end) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    assert_string_equal(job_state_names[row->state], job_state_names[JOB_COMPLETED]);
    assert_int_equal(row->start, start);
    assert_int_equal(row->end, end);
}

static void expect(const struct scenario_run *run, const char *name, double start_s, double end_s) {
    expect_times(run, name, moment(start_s), moment(end_s));
}

static double gpu_seconds(const struct scenario_run *run, enum gpu_category category) {
    double sum = 0;
    for (size_t i = 0; i < run->results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &run->results.gpu_hours[i];
        sum += entry->category == category ? entry->hours * 3600 : 0;
    }
    return sum;
}

static void expect_seconds(const struct scenario_run *run, enum gpu_category category,
                           double seconds) {
    expect_near(gpu_seconds(run, category), seconds, 1e-6);
}

static double of_run(const struct scenario_run *run, const char *metric) {
    return results_metric(&run->results, SCOPE_RUN, "", metric);
}

static double of_job(const struct scenario_run *run, const char *name, const char *metric) {
    return results_metric(&run->results, SCOPE_WORKLOAD, name, metric);
}

/* Saves after 30 s of computing, at 30 (to 35) and 65 (to 70). At 100 the third save has just begun
 * when the GPU fails, so 60 s of work are kept and 30 lost. Up again at 150, restored by 160, saved
 * at 190 and 225; at 250 the next fault costs 20 s. The last 30 s end at 340. */
static void a_fault_goes_back_to_the_last_save(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, GPUS(1, 1) "faults: {gpu: {mtbf: 100s, mttr: 50s}}",
             JOB("a", "1ns", "150s", SAVES));
    expect_times(&run, "a", 1, moment(340));
    expect_seconds(&run, GPU_USEFUL, 150);
    expect_seconds(&run, GPU_REDONE, 50);
    expect_seconds(&run, GPU_CHECKPOINT, 20);
    expect_seconds(&run, GPU_RESTORE, 20);
    expect_seconds(&run, GPU_DOWN, 100);
    expect_seconds(&run, GPU_IDLE, 0);
    expect_near(of_run(&run, "availability"), 240.0 / 340, 1e-12);
    expect_near(of_run(&run, "faults.gpu"), 2, 0);
    expect_near(of_run(&run, "interruptions"), 2, 0);
    expect_near(of_run(&run, "usd_total"), 340, 1e-6); /* what is down is paid for */
    scenario_run_clear(&run);
}

/* What ends at the very instant of a fault has ended. */
static void an_end_comes_before_a_fault(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, GPUS(1, 1) "faults: {gpu: {mtbf: 100s, mttr: 50s}}",
             JOB("a", "10s", "90s", "gpus: 1") JOB("b", "100s", "50s", "gpus: 1"));
    expect(&run, "a", 10, 100);
    expect(&run, "b", 150, 200);
    expect_near(of_run(&run, "interruptions"), 0, 0);
    scenario_run_clear(&run);
}

/* Both clients of the GPU lose all their work at 160, 140 s of b and 150 of c; d finds the server
 * restarted at 180. */
static void an_mps_server_takes_all_its_clients(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             GPUS(1, 1) "sharing: {mode: mps, clients: 4}, faults: {mps: {mtbf: 160s, mttr: 20s}}",
             JOB("a", "10s", "120s", "saturation: 30%") JOB("b", "20s", "150s", "saturation: 30%")
                 JOB("c", "10s", "155s", "saturation: 30%")
                     JOB("d", "170s", "100s", "saturation: 30%"));
    expect(&run, "a", 10, 130);
    expect(&run, "b", 20, 330);
    expect(&run, "c", 10, 335);
    expect(&run, "d", 180, 280);
    expect_seconds(&run, GPU_DOWN, 20);
    expect_near(of_run(&run, "faults.mps"), 1, 0);
    scenario_run_clear(&run);
}

/* The request that came at 90 fails at 100; that of 120 waits for the replica to be there again, at
 * 150. */
static void requests_of_a_replica_that_dies_fail(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, GPUS(1, 1) "faults: {gpu: {mtbf: 100s, mttr: 50s}}",
             "  s: {kind: service, arrivals: {renewal: 30s}, limit: 5, service_time: 20s}\n");
    const struct request_row *row = recording_request(&run.recording, "s", 3);
    assert_int_equal(row->state, REQUEST_FAILED);
    assert_int_equal(row->end, moment(100));
    row = recording_request(&run.recording, "s", 4);
    assert_int_equal(row->state, REQUEST_COMPLETED);
    assert_int_equal(row->start, moment(150));
    assert_int_equal(recording_request(&run.recording, "s", 5)->end, moment(190));
    scenario_run_clear(&run);
}

/* When the units of a kind fail for the first time, as their own clocks say. */
static void first_faults(const struct distribution *up, const char *purpose, int32_t units,
                         sim_time *at) {
    struct fault_clock clock;
    struct distribution down;
    distribution_constant(&down, 1);
    fault_clock_initialize(&clock, units, up, &down, 0, 1, 0, purpose);
    for (int32_t unit = 0; unit < units; unit++) {
        at[unit] = clock.next[unit];
    }
    fault_clock_terminate(&clock);
}

static void exponential(struct distribution *distribution, double mean_s) {
    struct error error;
    *distribution =
        (struct distribution){.kind = distribution_find("exponential"), .given = {mean_s * 1e9}};
    assert_true(distribution_prepare(distribution, &error));
}

/* The gang loses both nodes, but only one is down: b, which waited behind it, gets the other. */
static void a_fault_takes_a_whole_gang(void **state) {
    (void)state;
    struct scenario_run run;
    struct distribution up;
    sim_time at[2];
    exponential(&up, 5000);
    first_faults(&up, "node faults of pool p", 2, at);
    sim_time first = at[0] < at[1] ? at[0] : at[1];
    assert_true(first > moment(20) && llabs(at[0] - at[1]) > moment(20));
    pool_run(&run, "horizon: 30000s\nscheduler: {backfill: skip}",
             GPUS(2, 1) "faults: {node: {mtbf: {exponential: {mean: 5000s}}, mttr: 10000s}}",
             JOB("a", "1s", "100000s", "gpus: 2") JOB("b", "2s", "10s", "gpus: 1"));
    expect_times(&run, "b", first, first + moment(10));
    assert_true(of_job(&run, "a", "interruptions") >= 1);
    expect_near(of_job(&run, "a", "unfinished"), 1, 0);
    scenario_run_clear(&run);
}

/* Of two instances the one that fails first takes only its own job. */
static void an_instance_fails_alone(void **state) {
    (void)state;
    struct scenario_run run;
    struct distribution up;
    sim_time at[2];
    exponential(&up, 5000);
    first_faults(&up, "instance faults of pool p", 2, at);
    sim_time first = at[0] < at[1] ? at[0] : at[1];
    sim_time second = at[0] < at[1] ? at[1] : at[0];
    char jobs[512];
    /* Each alone on its kind of instance, for a little longer than to the first fault. */
    double work_s = sim_time_to_seconds(first) + 1;
    assert_true(second > moment(work_s + 2));
    snprintf(jobs, sizeof jobs,
             "  large: {kind: jobs, limit: 1, arrivals: {renewal: 1ns}, slot: 3g.40gb, "
             "saturation: 1%%, duration: %.0fns}\n"
             "  small: {kind: jobs, limit: 1, arrivals: {renewal: 1ns}, slot: 2g.20gb, "
             "saturation: 1%%, duration: %.0fns}\n",
             work_s * 1e9, work_s * 1e9);
    pool_run(&run, "horizon: 200000s",
             GPUS(1, 1) "sharing: {mode: mig, layout: [3g.40gb, 2g.20gb]},\n"
                        "  faults: {instance: {mtbf: {exponential: {mean: 5000s}}, mttr: 100s}}",
             jobs);
    bool large_first = at[0] < at[1];
    assert_true(of_job(&run, large_first ? "large" : "small", "interruptions") >= 1);
    expect_near(of_job(&run, large_first ? "small" : "large", "interruptions"), 0, 0);
    expect_times(&run, large_first ? "small" : "large", 1, 1 + moment(work_s));
    scenario_run_clear(&run);
}

/* The third node takes the place of the first that fails, a minute later; the gang goes on there.
 */
static void a_spare_takes_the_place_of_a_node(void **state) {
    (void)state;
    struct scenario_run run;
    struct distribution up;
    sim_time at[3];
    exponential(&up, 50000);
    first_faults(&up, "node faults of pool p", 3, at);
    sim_time first = at[0] < at[1] ? at[0] : at[1];
    sim_time other = at[0] < at[1] ? at[1] : at[0];
    sim_time end = first + moment(60 + 500);
    assert_true(first > 0 && at[2] > end && other > end);
    char jobs[256];
    snprintf(jobs, sizeof jobs,
             "  a: {kind: jobs, limit: 1, arrivals: {renewal: %lldns}, gpus: 2, duration: 500s}\n"
             "  b: {kind: jobs, limit: 1, arrivals: {renewal: 1s}, gpus: 3, duration: 1s}\n",
             (long long)(first - moment(300)));
    pool_run(&run, TO_THE_END,
             GPUS(2, 1) "spares: 1, spare_time: 60s,\n"
                        "  faults: {node: {mtbf: {exponential: {mean: 50000s}}, mttr: 100000s}}",
             jobs);
    expect_times(&run, "a", first - moment(300), end);
    /* Three GPUs are never in use at a time, though three are paid for. */
    assert_int_equal(recording_job(&run.recording, "b", "1")->state, JOB_REJECTED);
    expect_near(of_run(&run, "usd_total"), 3 * sim_time_to_seconds(end), 1e-3);
    scenario_run_clear(&run);
}

/* One node at a time: node 0 is closed from 100, empty at 130 and worked on to 180; node 1 drains
 * from then on, is empty at 250 and back at 300. c finds node 0 at 180, d needs both. */
static void maintenance_goes_from_node_to_node(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, GPUS(2, 1) "maintenance: [{at: 100s, duration: 50s, at_most: 1}]",
             JOB("a", "1ns", "130s", "gpus: 1") JOB("b", "60s", "190s", "gpus: 1")
                 JOB("c", "110s", "10s", "gpus: 1") JOB("d", "185s", "10s", "gpus: 2"));
    expect_times(&run, "a", 1, 1 + moment(130));
    expect(&run, "b", 60, 250);
    expect_times(&run, "c", 1 + moment(180), 1 + moment(190));
    expect(&run, "d", 300, 310);
    expect_seconds(&run, GPU_DOWN, 100);
    expect_near(of_run(&run, "interruptions"), 0, 0);
    scenario_run_clear(&run);
}

/* a saves from 100 to 105, and b, without a checkpoint, leaves at once with nothing lost: a save of
 * no size costs nothing. Each node is worked on for 50 s from then on; a, the first to wait, gets
 * the one that is back at 150. */
static void maintenance_preempts(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             GPUS(2, 1) "maintenance: [{at: 100s, duration: 50s, drain: preempt}]",
             JOB("a", "10s", "120s", "checkpoint: {save_time: 5s, restore_time: 10s}")
                 JOB("b", "20s", "100s", "gpus: 1"));
    expect(&run, "a", 10, 190); /* restored at 160, with 30 s left */
    expect(&run, "b", 20, 175);
    expect_seconds(&run, GPU_DOWN, 100);
    expect_seconds(&run, GPU_REDONE, 0);
    scenario_run_clear(&run);
}

/* The limit is over at 140: what a has done since its save at 40 is lost. */
static void a_drain_has_its_limit(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             GPUS(1, 1) "maintenance: [{at: 100s, duration: 50s, drain_limit: 40s}]",
             JOB("a", "10s", "200s", "checkpoint: {interval: 30s, save_time: 1s}")
                 JOB("b", "110s", "10s", "gpus: 1"));
    /* Saves at 40, 71, 102 and 133, each for a second: 120 s are kept, 6 lost. From 190 on, 80 s
     * and two saves. */
    expect(&run, "a", 10, 272);
    expect(&run, "b", 272, 282);
    expect_seconds(&run, GPU_REDONE, 6);
    scenario_run_clear(&run);
}

/* Sundays from 01:00 to 02:00. Node 0 drains until a ends at 01:10, so node 1 has its turn a
 * quarter of an hour later, at 01:25, and still empties in time. The hours are over before node 2's
 * turn, with which the next Sunday begins; node 0 follows, and node 1. */
static void maintenance_goes_on_next_week(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 8d\nstart: \"2026-03-01T00:00:00\"",
             GPUS(3, 1) "maintenance: [{days: sun, from: \"01:00\", to: \"02:00\",\n"
                        "    duration: 30m, at_most: 1, drain: kill}]",
             JOB("a", "10s", "90m", "gpus: 1") JOB("g", "2h", "158h", "gpus: 3")
                 JOB("c", "10150m", "1m", "gpus: 3") JOB("d", "10235m", "1m", "gpus: 3"));
    /* Killed at 01:00 on node 0, it begins anew at once on node 1, where it is killed at 01:30 and
     * begins anew on node 0. */
    expect_times(&run, "a", moment(10), moment(90 * 60 + 90 * 60));
    expect(&run, "g", 3 * 3600., 161 * 3600.);
    /* Next Sunday: node 2 from 169:00 to 169:30, node 0 to 170:00, and no more. */
    expect(&run, "c", 170 * 3600., 170 * 3600. + 60);
    expect(&run, "d", 170.5 * 3600 + 300, 170.5 * 3600 + 360);
    expect_seconds(&run, GPU_DOWN, 4 * 1800);
    scenario_run_clear(&run);
}

/* Reclaimed every 100 s that it is there, for 50. a is told 30 s before: it has computed for 70 s,
 * saves from 70 to 75 and leaves. Back at 150: restored at 160, it computes to 220 and saves; back
 * at 300, the same to 375; back at 450, it has 10 s left after 190, from 460 on. Nobody pays for
 * three times 50 s. */
static void a_spot_node_is_told_before(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, GPUS(1, 1) "spot: {reclaim: 100s, notice: 30s, back_after: 50s}",
             JOB("a", "1ns", "200s", "checkpoint: {save_time: 5s, restore_time: 10s}"));
    expect_times(&run, "a", 1, 1 + moment(470));
    expect_seconds(&run, GPU_USEFUL, 200);
    expect_seconds(&run, GPU_CHECKPOINT, 15);
    expect_seconds(&run, GPU_RESTORE, 30);
    expect_seconds(&run, GPU_IDLE, 75);
    expect_seconds(&run, GPU_DOWN, 0);
    expect_near(of_run(&run, "usd_total"), 320, 1e-6);
    expect_near(of_run(&run, "gpus_present"), 320.0 / 470, 1e-9);
    expect_near(of_run(&run, "utilization.allocated"), 245.0 / 320, 1e-9);
    expect_near(of_run(&run, "reclaims"), 3, 0);
    scenario_run_clear(&run);
}

/* A save that the notice is too short for is not begun: all is lost at 97, and once more, for it
 * never gets beyond the 97 s. */
static void a_notice_may_be_too_short(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 240s", GPUS(1, 1) "spot: {reclaim: 100s, notice: 3s, back_after: 50s}",
             JOB("a", "1ns", "200s", "checkpoint: {save_time: 5s, restore_time: 10s}"));
    expect_seconds(&run, GPU_REDONE, 97);
    expect_seconds(&run, GPU_USEFUL, 90);
    expect_seconds(&run, GPU_IDLE, 3);
    scenario_run_clear(&run);
}

/* u wants the GPU at 50, and v saves for it until 70. Before that is done the node is taken out of
 * use, from 60 to 160: v has lost its 60 s, u waits again, and is still ahead of v. */
static void a_claim_to_what_fails_is_closed(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(
        &run, TO_THE_END "\nscheduler: {order: priority, preemption: {min_runtime: 0s}}",
        GPUS(1, 1) "maintenance: [{at: 60s, duration: 100s, drain: kill}]",
        JOB("v", "1ns", "100s", "preemptible: true, checkpoint: {save_time: 20s, restore_time: 0s}")
            JOB("u", "50s", "10s", "class: inference"));
    expect(&run, "u", 160, 170);
    expect_times(&run, "v", 1, moment(270));
    expect_near(of_job(&run, "v", "redone_gpu_hours") * 3600, 50, 1e-6);
    scenario_run_clear(&run);
}

/* Nobody knows when a node is back, so nothing is reserved for h, which needs it: l starts. */
static void easy_does_not_wait_for_a_repair(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END "\nscheduler: {backfill: easy}",
             GPUS(2, 1) "maintenance: [{nodes: [1], at: 100s, duration: 100s}]",
             JOB("h", "110s", "10s", "gpus: 2") JOB("l", "120s", "500s", "gpus: 1")
                 JOB("m", "210s", "500s", "gpus: 1") JOB("n", "220s", "300s", "gpus: 1"));
    expect(&run, "l", 120, 620);
    /* From 200 on both nodes are there again, and h is to start at 620, when l ends: m would delay
     * it, and n would not. */
    expect(&run, "h", 620, 630);
    expect(&run, "n", 220, 520);
    expect(&run, "m", 630, 1130);
    scenario_run_clear(&run);
}

/* Young: sqrt(2 x 5 ms x 1e6 s) = 100 s; Daly: 100 s (1 + 5 ms / 100 s / 6 + ...) - 5 ms. At 100 s
 * the first has begun its save; the second has saved for 5/6 x 5 ms less that of the expansion's
 * next term more. */
static void intervals_by_the_fault_rate(void **state) {
    (void)state;
    struct scenario_run run;
    const char *pool = GPUS(1, 2) "faults: {gpu: {mtbf: {exponential: {mean: 2e6s}}, mttr: 1s}}";
    pool_run(&run, "horizon: 100004ms", pool,
             JOB("a", "1ns", "1000s", "gpus: 2, checkpoint: {interval: young, save_time: 5ms}"));
    expect_near(of_job(&run, "a", "checkpoint_gpu_hours") * 3600, 2 * 0.004, 1e-7);
    scenario_run_clear(&run);
    pool_run(&run, "horizon: 100s", pool,
             JOB("a", "1ns", "1000s", "gpus: 2, checkpoint: {interval: daly, save_time: 5ms}"));
    double part = 0.005 / (2 * 1e6);
    double daly = 100 * (1 + sqrt(part) / 3 + part / 9) - 0.005;
    expect_near(of_job(&run, "a", "checkpoint_gpu_hours") * 3600, 2 * (100 - daly), 1e-7);
    scenario_run_clear(&run);
}

/* The node, its GPU and the maintenance: in use again when all of them are over. */
static void outages_add_up(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             GPUS(1, 1) "maintenance: [{at: 110s, duration: 20s}, {at: 120s, duration: 50s}],\n"
                        "  faults: {gpu: {mtbf: 100s, mttr: 30s}, node: {mtbf: 115s, mttr: 10s}}",
             JOB("a", "90s", "50s", "gpus: 1"));
    /* Down from 100 to 170. The node's second fault is at 125 + 115 = 240, the GPU's at 230. */
    expect(&run, "a", 90, 220);
    expect_seconds(&run, GPU_DOWN, 70);
    expect_seconds(&run, GPU_REDONE, 10);
    scenario_run_clear(&run);
}

/* What a job does has no say in when machines fail. */
static void faults_do_not_depend_on_the_work(void **state) {
    (void)state;
    double faults[2];
    for (int i = 0; i < 2; i++) {
        struct scenario_run run;
        pool_run(
            &run, "horizon: 50d",
            GPUS(8, 4) "faults: {gpu: {mtbf: {weibull: {mean: 100h, cv: 1.5}}, mttr: {lognormal: "
                       "{mean: 5h, cv: 1}}}}",
            i == 0 ? JOB("a", "1s", "1s", "gpus: 1")
                   : "  a: {kind: jobs, arrivals: {poisson: 2/h}, gpus: 4, duration: 3h}\n");
        faults[i] = of_run(&run, "faults.gpu");
        assert_true(faults[i] > 300);
        scenario_run_clear(&run);
    }
    expect_near(faults[0], faults[1], 0);
}

/* Node 1 is cordoned: idle, paid for, and nobody's. A job of two nodes can never be. */
static void nobody_starts_on_a_cordoned_node(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END, GPUS(2, 1) "cordoned: [1]",
             JOB("a", "10s", "100s", "gpus: 1") JOB("b", "20s", "100s", "gpus: 1")
                 JOB("c", "30s", "1s", "gpus: 2"));
    expect(&run, "a", 10, 110);
    expect(&run, "b", 110, 210);
    assert_int_equal(recording_job(&run.recording, "c", "1")->state, JOB_REJECTED);
    expect_seconds(&run, GPU_IDLE, 210 + 10);
    scenario_run_clear(&run);
}

/* Three of four GPUs are somebody else's, two to 50 and one to 100: a has the fourth, b the two. */
static void gpus_that_somebody_else_has(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, TO_THE_END,
             GPUS(1, 4) "occupied: [{node: 0, gpus: 2, for: 50s}, {node: 0, gpus: 1, for: 100s}]",
             JOB("a", "10s", "90s", "gpus: 1") JOB("b", "20s", "10s", "gpus: 2")
                 JOB("c", "30s", "20s", "gpus: 4"));
    expect(&run, "a", 10, 100);
    expect(&run, "b", 50, 60);
    expect(&run, "c", 100, 120);
    expect_near(of_run(&run, "usd_total"), 4 * 120 - 2 * 50 - 100, 1e-6);
    expect_near(of_run(&run, "utilization.allocated"), (90 + 20 + 80) / 280., 1e-9);
    scenario_run_clear(&run);
}

/* From 01:00 to 02:00 there is one node. Node 1 is left at 01:10 and there again at 02:00. */
static void fewer_nodes_at_some_hours(void **state) {
    (void)state;
    struct scenario_run run;
    pool_run(&run, "horizon: 3h\nstart: \"2026-03-02T00:00:00\"",
             GPUS(2, 1) "capacity: [{from: \"01:00\", to: \"02:00\", nodes: 1}]",
             JOB("a", "10m", "90m", "gpus: 1") JOB("b", "20m", "50m", "gpus: 1")
                 JOB("c", "30m", "10m", "gpus: 1") JOB("d", "40m", "10m", "gpus: 2"));
    expect(&run, "a", 600, 6000);
    expect(&run, "b", 1200, 4200);
    expect(&run, "c", 6000, 6600);
    expect(&run, "d", 7200, 7800);
    expect_near(of_run(&run, "gpus_present"), 2 - 50 / 180., 1e-9);
    expect_near(of_run(&run, "usd_total"), 2 * 10800 - 3000, 1e-6);
    scenario_run_clear(&run);
}

/* Of six nodes, racks of two: a gets 0 and 1 in one rack, b 2 to 4 in two, c one. 90 % and 50 % as
 * fast; the reservation of h knows when they end. */
static void gangs_over_several_nodes_are_slower(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct scenario_run run;
        pool_run(&run,
                 i == 0 ? TO_THE_END "\nscheduler: {backfill: easy}"
                        : TO_THE_END "\nscheduler: {backfill: easy, preemption: {}}",
                 GPUS(6, 2) "interconnect: {same_rack: 90%, across: 50%, nodes_per_rack: 2}",
                 JOB("a", "1s", "90s", "gpus: 4")
                     JOB("b", "2s", "100s", "gpus: 6, preemptible: true")
                         JOB("c", "3s", "100s", "gpus: 1") JOB("h", "4s", "30s", "gpus: 12")
                             JOB("e", "5s", "197s", "gpus: 1") JOB("f", "5s", "198s", "gpus: 1"));
        expect(&run, "a", 1, 101);
        expect(&run, "b", 2, 202);
        expect(&run, "c", 3, 103);
        expect(&run, "e", 5, 202);
        expect(&run, "h", 202, 262);
        expect(&run, "f", 262, 460);
        scenario_run_clear(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fault_goes_back_to_the_last_save),
        cmocka_unit_test(an_end_comes_before_a_fault),
        cmocka_unit_test(an_mps_server_takes_all_its_clients),
        cmocka_unit_test(requests_of_a_replica_that_dies_fail),
        cmocka_unit_test(a_fault_takes_a_whole_gang),
        cmocka_unit_test(an_instance_fails_alone),
        cmocka_unit_test(a_spare_takes_the_place_of_a_node),
        cmocka_unit_test(maintenance_goes_from_node_to_node),
        cmocka_unit_test(maintenance_preempts),
        cmocka_unit_test(a_drain_has_its_limit),
        cmocka_unit_test(maintenance_goes_on_next_week),
        cmocka_unit_test(a_spot_node_is_told_before),
        cmocka_unit_test(a_notice_may_be_too_short),
        cmocka_unit_test(a_claim_to_what_fails_is_closed),
        cmocka_unit_test(easy_does_not_wait_for_a_repair),
        cmocka_unit_test(intervals_by_the_fault_rate),
        cmocka_unit_test(outages_add_up),
        cmocka_unit_test(faults_do_not_depend_on_the_work),
        cmocka_unit_test(nobody_starts_on_a_cordoned_node),
        cmocka_unit_test(gpus_that_somebody_else_has),
        cmocka_unit_test(fewer_nodes_at_some_hours),
        cmocka_unit_test(gangs_over_several_nodes_are_slower),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
