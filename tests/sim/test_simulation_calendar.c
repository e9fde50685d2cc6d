/* GPUs that a calendar cuts anew, in whole runs through the real reader, by hand to the nanosecond:
 * who waits, who is evicted, what re-cuts and mode switches take, and the ledger in SM-seconds.
 * t = 0 is Monday 00:00, so "00:01:40" is 100 s. Nothing gets slower in a smaller instance; a
 * re-cut takes 10 s and a mode switch 20 s unless it says otherwise. */
#include <math.h>
#include <stdio.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

enum { A100_SMS = 108 };

/* On nodes of A100 whose GPUs are shared like that. */
static void run_with(struct scenario_run *run, const char *head, const char *gpus,
                     const char *sharing, const char *workloads) {
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "headroom: 1\n"
                          "name: calendar\n"
                          "start: \"2026-03-02T00:00:00\"\n"
                          "%s\n"
                          "record: {jobs: true, requests: true}\n"
                          "cluster: {pools: {p: {gpu: A100-SXM4-80GB, %s, sharing:\n"
                          "  {mode: mig, %s}}}}\n"
                          "workloads:\n"
                          "%s",
                          head, gpus, sharing, workloads);
    assert_true(length > 0 && (size_t)length < sizeof text);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static void run_on_one(struct scenario_run *run, const char *sharing, const char *workloads) {
    run_with(run, "horizon: end_of_work", "nodes: 1, gpus_per_node: 1", sharing, workloads);
}

/* One job of a workload of that name, submitted then. */
#define JOB(name, submit, duration, more)                                                          \
    "  " name ": {kind: jobs, limit: 1, saturation: 0.0001%, arrivals: {renewal: " submit          \
    "}, duration: " duration ", " more "}\n"
#define SMALL "slot: 1g.10gb"
#define GPU "slot: gpu"
#define ANY "memory: 1GB"
#define SEVEN "layout: [{profile: 1g.10gb, count: 7}], "
#define TIMES "time: 10s, mode_time: 20s"
#define WHOLE_FROM_100_TO(end) "calendar: [{from: \"00:01:40\", to: \"" end "\", mode: exclusive}]"
#define UNTIL_200 "00:03:20"
#define UNTIL_400 "00:06:40"

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

static double sm_seconds(const struct scenario_run *run, enum gpu_category category) {
    double sum = 0;
    for (size_t i = 0; i < run->results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &run->results.gpu_hours[i];
        sum += entry->category == category ? entry->hours * 3600 * A100_SMS : 0;
    }
    return sum;
}

static void expect_ledger(const struct scenario_run *run, double useful, double reconfiguring,
                          double idle, double stranded) {
    assert_float_equal(sm_seconds(run, GPU_USEFUL), useful, 1e-6);
    assert_float_equal(sm_seconds(run, GPU_RECONFIGURING), reconfiguring, 1e-6);
    assert_float_equal(sm_seconds(run, GPU_IDLE), idle, 1e-6);
    assert_float_equal(sm_seconds(run, GPU_STRANDED), stranded, 1e-6);
}

/* a holds an instance over the boundary at 100 to its end at 151: then the mode is switched, and
 * the GPU is whole from 171 on, for g. b has to wait for the next day's cut, which the boundary at
 * 200 begins. Cut into 7 x 1g of 14 SMs, 10 of 108 are in no instance. */
static void waiting_for_what_runs(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, SEVEN "reconfigure: {" TIMES "}, " WHOLE_FROM_100_TO(UNTIL_200),
               JOB("a", "1s", "150s", SMALL) JOB("g", "50s", "10s", GPU)
                   JOB("b", "120s", "5s", SMALL));
    expect_done(&run, "a", 1, 151);
    expect_done(&run, "g", 171, 181);
    expect_done(&run, "b", 220, 225);
    double useful = 14 * 150 + 108 * 10 + 14 * 5;
    double stranded = 10 * (151 + 5);
    expect_ledger(&run, useful, 108 * 20 * 2, 225 * 108 - useful - 108 * 40 - stranded, stranded);
    scenario_run_clear(&run);
}

/* What does not fit now does not block what is free: while the GPU drains, nobody new gets in. */
static void nobody_gets_into_what_drains(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, SEVEN "reconfigure: {" TIMES "}, " WHOLE_FROM_100_TO(UNTIL_200),
               JOB("a", "1s", "150s", SMALL) JOB("early", "99s", "100s", SMALL)
                   JOB("late", "100s", "1s", SMALL));
    expect_done(&run, "early", 99, 199);
    /* Drained at 199, switched until 219, and back from there: at 239. */
    expect_done(&run, "late", 239, 240);
    scenario_run_clear(&run);
}

/* The 3g lies at 4 in both layouts and stays, with a in it. b's 2g and the idle one are touched:
 * cut at 121, when b has left, and back again at 200. */
static void what_is_in_both_layouts_stays(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               "layout: [3g.40gb, 2g.20gb, 2g.20gb], reconfigure: {" TIMES
               "}, calendar: [{from: \"00:01:40\", to: \"" UNTIL_200
               "\", layout: [3g.40gb, {profile: 1g.10gb, count: 4}]}]",
               JOB("a", "1s", "300s", "slot: 3g.40gb") JOB("b", "1s", "120s", "slot: 2g.20gb")
                   JOB("c", "1s", "20s", "slot: 2g.20gb") JOB("d", "105s", "10s", SMALL)
                       JOB("e", "110s", "10s", "slot: 2g.20gb"));
    expect_done(&run, "a", 1, 301);
    expect_done(&run, "b", 1, 121);
    expect_done(&run, "c", 1, 21);
    expect_done(&run, "d", 131, 141);
    expect_done(&run, "e", 210, 220);
    /* SMs: 42 + 2 x 28 or 42 + 4 x 14 of 108. */
    double useful = 42 * 300 + 28 * 120 + 28 * 20 + 14 * 10 + 28 * 10;
    expect_ledger(&run, useful, 56 * 20, 98 * 301 - useful - 56 * 20, 10 * 301);
    scenario_run_clear(&run);
}

/* a has worked for 99 s when it is killed; the GPU is whole at 120, and a begins anew there. */
static void killing(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, SEVEN "reconfigure: {" TIMES ", drain: kill}, " WHOLE_FROM_100_TO(UNTIL_400),
               JOB("a", "1s", "150s", ANY));
    expect_done(&run, "a", 1, 270);
    assert_float_equal(sm_seconds(&run, GPU_REDONE), 14 * 99, 1e-6);
    expect_ledger(&run, 108 * 150, 108 * 20, 98 * 100 - 14 * 99, 10 * 100);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "a", "preemptions"), 1, 0);
    scenario_run_clear(&run);
}

/* A save that takes nothing keeps the 99 s. */
static void preempting(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN "reconfigure: {" TIMES ", drain: preempt}, " WHOLE_FROM_100_TO(UNTIL_400),
               JOB("a", "1s", "150s", ANY));
    expect_done(&run, "a", 1, 171);
    expect_ledger(&run, 14 * 99 + 108 * 51, 108 * 20, 98 * 100 - 14 * 99, 10 * 100);
    scenario_run_clear(&run);
}

/* One of 5 s holds the instance meanwhile. */
static void preempting_with_a_save(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN "reconfigure: {" TIMES ", drain: preempt}, " WHOLE_FROM_100_TO(UNTIL_400),
               JOB("a", "1s", "150s", ANY ", checkpoint: {save_time: 5s, restore_time: 3s}"));
    expect_done(&run, "a", 1, 105 + 20 + 3 + 51);
    assert_float_equal(sm_seconds(&run, GPU_CHECKPOINT), 14 * 5, 1e-6);
    assert_float_equal(sm_seconds(&run, GPU_RESTORE), 108 * 3, 1e-6);
    scenario_run_clear(&run);
}

/* a may go on until 130, b ends at that very instant, and so by itself; c is at rest in both. */
static void a_limit_of_draining(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN "reconfigure: {" TIMES
                     ", drain: wait, drain_limit: 30s}, " WHOLE_FROM_100_TO(UNTIL_400),
               JOB("a", "1s", "150s", ANY) JOB("b", "1s", "129s", ANY));
    expect_done(&run, "b", 1, 130);
    expect_done(&run, "a", 1, 130 + 20 + 150);
    assert_float_equal(sm_seconds(&run, GPU_REDONE), 14 * 129, 1e-6);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "b", "preemptions"), 0, 0);
    scenario_run_clear(&run);
}

/* A GPU that has drained before its limit is not disturbed by it later. */
static void a_limit_that_is_not_reached(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN "reconfigure: {" TIMES
                     ", drain: wait, drain_limit: 30s}, " WHOLE_FROM_100_TO(UNTIL_400),
               JOB("a", "1s", "110s", ANY) JOB("b", "105s", "100s", ANY));
    expect_done(&run, "a", 1, 111);
    expect_done(&run, "b", 131, 231);
    scenario_run_clear(&run);
}

/* At 130 the limit is over, and the old layout holds again: nobody is killed for one that does not.
 */
static void a_limit_at_a_boundary(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN "reconfigure: {" TIMES
                     ", drain: wait, drain_limit: 30s}, " WHOLE_FROM_100_TO("00:02:10"),
               JOB("a", "1s", "150s", ANY) JOB("b", "120s", "5s", ANY));
    expect_done(&run, "a", 1, 151);
    expect_done(&run, "b", 130, 135);
    scenario_run_clear(&run);
}

#define ONE_EACH "layout: [7g.80gb], reconfigure: {" TIMES ", at_most: 1}, "
static void run_on_two(struct scenario_run *run, const char *workloads) {
    run_with(run, "horizon: end_of_work\nscheduler: {backfill: skip}", "nodes: 1, gpus_per_node: 2",
             ONE_EACH WHOLE_FROM_100_TO(UNTIL_400), workloads);
}

/* The second GPU goes on until the first is done: c still gets its instance at 160. Both are whole,
 * for the gang, at 190. */
static void one_gpu_at_a_time(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_two(&run,
               JOB("a", "1s", "149s", "slot: 7g.80gb") JOB("b", "1s", "159s", "slot: 7g.80gb")
                   JOB("c", "110s", "5s", "slot: 7g.80gb") JOB("gang", "120s", "10s", "gpus: 2"));
    expect_done(&run, "a", 1, 150);
    expect_done(&run, "b", 1, 160);
    expect_done(&run, "c", 160, 165);
    expect_done(&run, "gang", 190, 200);
    scenario_run_clear(&run);
}

/* One that waits for its turn when the old layout is back has nothing to do. */
static void a_turn_that_never_comes(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_two(&run, JOB("a", "1s", "449s", "slot: 7g.80gb") JOB("b", "1s", "99s", "slot: 7g.80gb")
                         JOB("c", "410s", "5s", "slot: 7g.80gb"));
    expect_done(&run, "a", 1, 450);
    expect_done(&run, "c", 410, 415);
    assert_float_equal(sm_seconds(&run, GPU_RECONFIGURING), 0, 1e-9);
    scenario_run_clear(&run);
}

/* a drains for whole GPUs when the 2g are to be there, from 200 on: MIG stays on, so that takes the
 * 10 s of a re-cut. */
static void a_boundary_while_it_drains(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN "reconfigure: {" TIMES "}, calendar: ["
                     "{from: \"00:01:40\", to: \"" UNTIL_200 "\", mode: exclusive}, "
                     "{from: \"" UNTIL_200 "\", to: \"" UNTIL_400 "\", layout: [2g.20gb]}]",
               JOB("a", "1s", "249s", SMALL) JOB("b", "150s", "5s", "slot: 2g.20gb"));
    expect_done(&run, "a", 1, 250);
    expect_done(&run, "b", 260, 265);
    /* Of the 2g of 28 SMs, 80 are in no instance. */
    expect_ledger(&run, 14 * 249 + 28 * 5, 98 * 10, 98 * 250 - 14 * 249, 10 * 260 + 80 * 5);
    scenario_run_clear(&run);
}

/* Back to the layout that it still has: it opens at once, and nothing was cut. */
static void a_boundary_that_takes_the_last_back(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, SEVEN "reconfigure: {" TIMES "}, " WHOLE_FROM_100_TO(UNTIL_200),
               JOB("a", "1s", "249s", SMALL) JOB("b", "150s", "5s", SMALL));
    expect_done(&run, "b", 200, 205);
    expect_done(&run, "a", 1, 250);
    assert_float_equal(sm_seconds(&run, GPU_RECONFIGURING), 0, 1e-9);
    scenario_run_clear(&run);
}

/* A switch that is under way is ended, and then taken back: g never sees the whole GPU. */
static void a_boundary_while_it_is_cut(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: 500s\nscheduler: {backfill: skip}", "nodes: 1, gpus_per_node: 1",
             SEVEN "reconfigure: {time: 10s, mode_time: 150s}, " WHOLE_FROM_100_TO(UNTIL_200),
             JOB("g", "10s", "10s", GPU) JOB("b", "150s", "5s", SMALL));
    expect_done(&run, "b", 400, 405);
    expect(&run, "g", JOB_QUEUED, -1, -1);
    assert_float_equal(sm_seconds(&run, GPU_RECONFIGURING), 108 * 300, 1e-6);
    scenario_run_clear(&run);
}

/* The run begins as the calendar says for that time, at no cost. */
static void it_begins_within_an_entry(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN "reconfigure: {" TIMES "}, calendar: [{days: sun-mon, from: \"23:00\", to: "
                     "\"00:00:50\", mode: exclusive}]",
               JOB("g", "1s", "10s", GPU) JOB("a", "20s", "5s", SMALL));
    expect_done(&run, "g", 1, 11);
    expect_done(&run, "a", 70, 75);
    expect_ledger(&run, 108 * 10 + 14 * 5, 108 * 20, 108 * (50 - 10) + 98 * 5 - 14 * 5, 10 * 5);
    scenario_run_clear(&run);
}

/* At the instant of the boundary a ends, and the cut begins; one that takes no time is done at that
 * very instant, and b, submitted then, starts in the new layout. */
static void a_boundary_at_an_end(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN
               "reconfigure: {time: 0s, mode_time: 0s, drain: kill}, " WHOLE_FROM_100_TO(UNTIL_400),
               JOB("a", "1s", "99s", SMALL) JOB("b", "100s", "5s", GPU));
    expect_done(&run, "a", 1, 100);
    expect_done(&run, "b", 100, 105);
    scenario_run_clear(&run);
}

/* A gang over two nodes holds one GPU that is to be cut: it goes as one. GPU 0 of each node is
 * never cut, so the pool has whole nodes of 2 by night. */
static void gangs_go_as_one(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: 500s\nscheduler: {backfill: skip}",
             "nodes: 2, gpus_per_node: 2, layouts: [{gpus: [0], sharing: exclusive}]",
             SEVEN "reconfigure: {" TIMES ", drain: kill}, calendar: [{from: \"00:00\", to: "
                   "\"00:01:40\", mode: exclusive}]",
             JOB("gang", "1s", "150s", "gpus: 4") JOB("one", "110s", "5s", GPU)
                 JOB("slices", "115s", "5s", SMALL));
    /* Killed at 100, and not placed again that day. */
    expect(&run, "gang", JOB_QUEUED, 1, -1);
    expect_done(&run, "one", 110, 115);
    expect_done(&run, "slices", 120, 125);
    assert_float_equal(sm_seconds(&run, GPU_REDONE), 4 * 108 * 99, 1e-6);
    scenario_run_clear(&run);
}

/* Instances are the same only if they are shared in the same way: the 3g at 4, of which two take
 * turns, stays, and so does a in it; the one at 0 is shared in one layout only, so b has to go. */
static void shared_instances(void **state) {
    (void)state;
    struct scenario_run run;
#define TURNS "{profile: 3g.40gb, sharing: {mode: timeslice, replicas: 2, slice: 1s, switch: 0s}}"
    run_on_one(&run,
               "layout: [3g.40gb, " TURNS "], reconfigure: {" TIMES ", drain: preempt}, "
               "calendar: [{from: \"00:01:40\", to: \"" UNTIL_400 "\", layout: [" TURNS ", " TURNS
               "]}]",
               JOB("b", "1s", "150s", ANY) JOB("a", "2s", "50s", ANY) JOB("c", "3s", "100s", ANY)
                   JOB("d", "115s", "4s", ANY));
#undef TURNS
    /* a and c take turns of a second, from 3 to 103 or so; b is cut off at 100 and goes to c, as
     * the place at 4 is the first with room. */
    const struct job_row *b = recording_job(&run.recording, "b", "1");
    assert_int_equal(b->state, JOB_COMPLETED);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "b", "preemptions"), 1, 0);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "a", "preemptions"), 0, 0);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "c", "preemptions"), 0, 0);
    assert_float_equal(sm_seconds(&run, GPU_RECONFIGURING), 42 * 10, 1e-6);
    scenario_run_clear(&run);
}

/* --- Services --- */

#define SERVICE(more)                                                                              \
    "  s: {kind: service, saturation: 0.0001%, load_time: 10s, service_time: 50s, "                \
    "arrivals: {renewal: 95s}, limit: 2, " more "}\n"

static void expect_request(const struct scenario_run *run, int64_t seq, enum request_state state,
                           double start_s, double end_s) {
    const struct request_row *row = recording_request(&run->recording, "s", seq);
    assert_int_equal(row->state, state);
    assert_int_equal(row->start, moment(start_s));
    assert_int_equal(row->end, moment(end_s));
}

/* The replica ends what it runs at 145, and the GPU is whole at 165; it loads there until 175. The
 * second request arrives at 190. */
static void replicas_end_what_they_run(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, SEVEN "reconfigure: {" TIMES "}, " WHOLE_FROM_100_TO(UNTIL_400), SERVICE(""));
    expect_request(&run, 1, REQUEST_COMPLETED, 95, 145);
    expect_request(&run, 2, REQUEST_COMPLETED, 190, 240);
    assert_float_equal(sm_seconds(&run, GPU_LOADING), 14 * 10 + 108 * 10, 1e-6);
    scenario_run_clear(&run);
}

/* What arrives while it retires waits for it to be up again, under each way of dispatch. */
static void retiring_replicas_begin_nothing(void **state) {
    (void)state;
    static const char *const rules[] = {"central", "round_robin", "random", "least_loaded"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct scenario_run run;
        char more[256];
        snprintf(more, sizeof more,
                 "  s: {kind: service, saturation: 0.0001%%, load_time: 10s, service_time: 50s, "
                 "arrivals: {renewal: 60s}, limit: 2, dispatch: %s}\n",
                 rules[i]);
        run_on_one(&run, SEVEN "reconfigure: {" TIMES "}, " WHOLE_FROM_100_TO(UNTIL_400), more);
        /* The first runs from 60 to 110; the second arrives at 120, in the switch to 130. */
        expect_request(&run, 1, REQUEST_COMPLETED, 60, 110);
        expect_request(&run, 2, REQUEST_COMPLETED, 140, 190);
        scenario_run_clear(&run);
    }
}

/* It goes at 100; the request returns, and starts anew when the replica has loaded at 130. */
static void replicas_give_their_requests_back(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run,
               SEVEN "reconfigure: {" TIMES ", drain: preempt}, " WHOLE_FROM_100_TO(UNTIL_400),
               SERVICE(""));
    expect_request(&run, 1, REQUEST_COMPLETED, 95, 180);
    expect_request(&run, 2, REQUEST_COMPLETED, 190, 240);
    scenario_run_clear(&run);
}

static void killed_replicas_fail_their_requests(void **state) {
    (void)state;
    struct scenario_run run;
    run_on_one(&run, SEVEN "reconfigure: {" TIMES ", drain: kill}, " WHOLE_FROM_100_TO(UNTIL_400),
               SERVICE(""));
    expect_request(&run, 1, REQUEST_FAILED, 95, 100);
    expect_request(&run, 2, REQUEST_COMPLETED, 190, 240);
    scenario_run_clear(&run);
}

/* Two replicas of which one has to go: its request goes to the other, which runs two at once. */
static void requests_go_to_who_stays(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work",
             "nodes: 1, gpus_per_node: 2, layouts: [{gpus: [0], "
             "sharing: exclusive}]",
             "layout: [7g.80gb], reconfigure: {" TIMES
             ", drain: preempt}, " WHOLE_FROM_100_TO(UNTIL_400),
             "  s: {kind: service, saturation: 0.0001%, load_time: 10s, service_time: 50s, "
             "replicas: 2, arrivals: {renewal: 45s}, limit: 2}\n");
    /* The first runs on a replica from 45 to 95, the second from 90 to 140; the instance is taken
     * first, being smaller, by replica 0, so that the second request is on the whole GPU. */
    expect_request(&run, 1, REQUEST_COMPLETED, 45, 95);
    expect_request(&run, 2, REQUEST_COMPLETED, 90, 140);
    scenario_run_clear(&run);
}

/* --- The end of work --- */

/* g never gets the GPU, which the replica holds whole whenever it is: calendars alone do not keep
 * the run going. */
static void calendars_alone_end_the_run(void **state) {
    (void)state;
    struct scenario_run run;
    run_with(&run, "horizon: end_of_work\nscheduler: {order: priority}",
             "nodes: 1, gpus_per_node: 1",
             SEVEN "reconfigure: {" TIMES ", drain: preempt}, " WHOLE_FROM_100_TO(UNTIL_400),
             "  s: {kind: service, slot: gpu, service_time: 1s, arrivals: {renewal: 120s}, "
             "limit: 1}\n" JOB("g", "130s", "5s", GPU));
    expect(&run, "g", JOB_QUEUED, -1, -1);
    assert_true(run.results.end < sim_time_from_seconds(30 * 86400.0));
    scenario_run_clear(&run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waiting_for_what_runs),
        cmocka_unit_test(nobody_gets_into_what_drains),
        cmocka_unit_test(what_is_in_both_layouts_stays),
        cmocka_unit_test(killing),
        cmocka_unit_test(preempting),
        cmocka_unit_test(preempting_with_a_save),
        cmocka_unit_test(a_limit_of_draining),
        cmocka_unit_test(a_limit_that_is_not_reached),
        cmocka_unit_test(a_limit_at_a_boundary),
        cmocka_unit_test(one_gpu_at_a_time),
        cmocka_unit_test(a_turn_that_never_comes),
        cmocka_unit_test(a_boundary_while_it_drains),
        cmocka_unit_test(a_boundary_that_takes_the_last_back),
        cmocka_unit_test(a_boundary_while_it_is_cut),
        cmocka_unit_test(it_begins_within_an_entry),
        cmocka_unit_test(a_boundary_at_an_end),
        cmocka_unit_test(gangs_go_as_one),
        cmocka_unit_test(shared_instances),
        cmocka_unit_test(replicas_end_what_they_run),
        cmocka_unit_test(retiring_replicas_begin_nothing),
        cmocka_unit_test(replicas_give_their_requests_back),
        cmocka_unit_test(killed_replicas_fail_their_requests),
        cmocka_unit_test(requests_go_to_who_stays),
        cmocka_unit_test(calendars_alone_end_the_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
