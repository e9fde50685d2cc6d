/* Jobs that compute for a share of each iteration, through the real reader: alone their waits are
 * held idle and nothing else changes; beside others they are waits, in which those may compute. By
 * hand, and against brute force. Jobs are submitted at 1 s unless it says otherwise. */
#include <math.h>
#include <stdio.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

static void run_on(struct scenario_run *run, const char *head, const char *pool,
                   const char *workloads) {
    char text[4096];
    int length = snprintf(text, sizeof text,
                          "headroom: 1\n"
                          "name: iterations\n"
                          "%s\n"
                          "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, %s}}}\n"
                          "workloads:\n"
                          "%s",
                          head, pool, workloads);
    assert_true(length > 0 && (size_t)length < sizeof text);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

#define JOB(name, duration, more)                                                                  \
    "  " name ": {kind: jobs, limit: 1, arrivals: {renewal: 1s}, duration: " duration ", " more    \
    "}\n"
#define TURNS "gpus_per_node: 1, sharing: {mode: timeslice, replicas: 2, slice: 10ms, switch: 0s}"
#define MPS "gpus_per_node: 1, sharing: {mode: mps, clients: 8}"

static void expect_end(const struct scenario_run *run, const char *name, double end_s) {
    const struct job_row *row = recording_job(&run->recording, name, "1");
    assert_int_equal(row->end, sim_time_from_seconds(end_s));
}

/* GPU-seconds. */
static double time_in(const struct scenario_run *run, enum gpu_category category) {
    double hours = 0;
    for (size_t i = 0; i < run->results.gpu_hours_count; i++) {
        const struct gpu_hours *entry = &run->results.gpu_hours[i];
        hours += entry->category == category ? entry->hours : 0;
    }
    return hours * 3600;
}

static void expect_time(const struct scenario_run *run, enum gpu_category category, double s) {
    double time = time_in(run, category);
    if (!(fabs(time - s) < 1e-6)) {
        fail_msg("%s: %.9g s, not %.9g", gpu_category_names[category], time, s);
    }
}

static double share_of(const struct scenario_run *run, const char *name) {
    return results_metric(&run->results, SCOPE_RUN, "", name);
}

/* Two GPUs from 1 to 51, of which 60 % are computed, whenever one looks. */
static void whole_gpus(void **state) {
    (void)state;
    struct scenario_run run;
    run_on(&run, "horizon: 100s\nrecord: {timeline: 10s}", "gpus_per_node: 2",
           JOB("w", "50s", "gpus: 2, gpu_active: 60%, saturation: 50%"));
    expect_end(&run, "w", 51);
    expect_time(&run, GPU_USEFUL, 60);
    expect_time(&run, GPU_HELD_IDLE, 40);
    expect_time(&run, GPU_IDLE, 100);
    assert_float_equal(share_of(&run, "utilization.allocated"), 0.5, 1e-9);
    assert_float_equal(share_of(&run, "utilization.busy"), 0.3, 1e-9);
    assert_float_equal(share_of(&run, "utilization.goodput"), 0.3, 1e-9);
    assert_float_equal(share_of(&run, "utilization.sm"), 0.15, 1e-9);
    const struct timeline_row *row = &run.recording.timeline[2];
    assert_float_equal(row->allocated, 1, 1e-9);
    assert_float_equal(row->busy, 0.6, 1e-9);
    assert_float_equal(row->shares[GPU_HELD_IDLE], 0.4, 1e-9);
    row = &run.recording.timeline[5];
    assert_float_equal(row->busy, 0.06, 1e-9);
    scenario_run_clear(&run);
}

/* Of the 30 s after the warm-up only. The figure of what was held is the whole. */
static void whole_gpus_after_the_warm_up(void **state) {
    (void)state;
    struct scenario_run run;
    run_on(&run, "horizon: 100s\nwarmup: 21s", "gpus_per_node: 2",
           JOB("w", "50s", "gpus: 2, gpu_active: 60%"));
    expect_time(&run, GPU_USEFUL, 36);
    expect_time(&run, GPU_HELD_IDLE, 24);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "w", "gpu_hours") * 3600, 60,
                       1e-6);
    scenario_run_clear(&run);
}

/* An instance of 14 of 108 SMs, of which it could use half. */
static void a_mig_instance(void **state) {
    (void)state;
    struct scenario_run run;
    run_on(&run, "horizon: 100s\nrecord: {timeline: 7s}",
           "gpus_per_node: 1, sharing: {mode: mig, layout: [{profile: 1g.10gb, count: 7}]}",
           JOB("w", "40s", "gpu_active: 75%, saturation: 0.06481481481481481"));
    expect_end(&run, "w", 41);
    expect_time(&run, GPU_USEFUL, 30.0 * 14 / 108);
    expect_time(&run, GPU_HELD_IDLE, 10.0 * 14 / 108);
    assert_float_equal(share_of(&run, "utilization.sm"), 30.0 * 7 / 108 / 100, 1e-9);
    scenario_run_clear(&run);
}

/* Phase 0: computes for 600 of every 1000 ms, last for 500. Phase 700: waits for 300 ms, and of 2.5
 * s there are 200 ms left for a third time. Nobody takes its waits, but they are real. */
static void alone_where_others_could_be(void **state) {
    (void)state;
    const struct {
        const char *job;
        double useful;
    } cases[] = {{JOB("w", "2500ms", "gpu_active: 60%, phase: 0s"), 1.7},
                 {JOB("w", "2500ms", "gpu_active: 60%, phase: 700ms"), 1.4},
                 {JOB("w", "2500ms", "gpu_active: 60%, phase: 300ms, iteration: 500ms"), 1.5}};
    const char *const pools[] = {TURNS, MPS};
    for (size_t i = 0; i < 6; i++) {
        struct scenario_run run;
        run_on(&run, "horizon: 10s", pools[i % 2], cases[i / 2].job);
        expect_end(&run, "w", 3.5);
        expect_time(&run, GPU_USEFUL, cases[i / 2].useful);
        expect_time(&run, GPU_HELD_IDLE, 2.5 - cases[i / 2].useful);
        scenario_run_clear(&run);
    }
}

/* One computes while the other waits: the GPU is never idle, and nobody is slowed. */
static void one_fills_the_other(void **state) {
    (void)state;
    const char *const pools[] = {TURNS, MPS};
    for (size_t i = 0; i < 2; i++) {
        struct scenario_run run;
        run_on(&run, "horizon: 20s", pools[i],
               JOB("a", "10s", "gpu_active: 50%, phase: 0s")
                   JOB("b", "10s", "gpu_active: 50%, phase: 500ms"));
        expect_end(&run, "a", 11);
        expect_end(&run, "b", 11);
        expect_time(&run, GPU_USEFUL, 10);
        expect_time(&run, GPU_HELD_IDLE, 0);
        assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "a", "gpu_hours") * 3600, 5,
                           1e-6);
        scenario_run_clear(&run);
    }
}

/* Two iterations of 500 ms each, both at once. In turns of 10 ms a's 500 take 990, until 1.99, and
 * b's 1000; they wait until 2.49 and 2.50. When b comes a has had 10 ms, and its 49 more are
 * over after 48 more of b's, at 3.48; b's at 3.49. Together by halves: 1000, 500, 1000, 500. */
static void both_at_once(void **state) {
    (void)state;
    struct scenario_run run;
    const char *jobs =
        JOB("a", "2s", "gpu_active: 50%, phase: 0s") JOB("b", "2s", "gpu_active: 50%, phase: 0s");
    run_on(&run, "horizon: 20s", TURNS, jobs);
    expect_end(&run, "a", 3.98);
    expect_end(&run, "b", 3.99);
    expect_time(&run, GPU_USEFUL, 2);
    scenario_run_clear(&run);
    run_on(&run, "horizon: 20s", MPS, jobs);
    expect_end(&run, "a", 4);
    expect_end(&run, "b", 4);
    expect_time(&run, GPU_USEFUL, 2);
    expect_time(&run, GPU_HELD_IDLE, 1);
    scenario_run_clear(&run);
}

/* A request every 500 ms takes 100, in which a job waits that computes for the 400 between: from 1
 * to 10.5, behind 100 ms of waiting at first. Nobody is slowed. */
static void a_service_between_iterations(void **state) {
    (void)state;
    struct scenario_run run;
    run_on(&run, "horizon: 11s", TURNS,
           "  s: {kind: service, arrivals: {renewal: 500ms}, service_time: 100ms}\n" JOB(
               "w", "9500ms", "gpu_active: 80%, iteration: 500ms, phase: 400ms"));
    expect_end(&run, "w", 10.5);
    expect_time(&run, GPU_USEFUL, 21 * 0.1 + 19 * 0.4);
    expect_time(&run, GPU_HELD_IDLE, 11 - 21 * 0.1 - 19 * 0.4);
    assert_float_equal(results_metric(&run.results, SCOPE_WORKLOAD, "s", "latency_s.max"), 0.1,
                       1e-3);
    scenario_run_clear(&run);
}

/* t, computing in the first half of each second and i0 in the second half of it, hold the two slots
 * when i1 comes at 1.7 for 2 s. t, which waits then, leaves, and has kept 700 ms. At 3.7 it goes on
 * there: waits until 4, and ends after 9.3 s. Nobody ever meets. Killed, it loses the 500 ms that
 * it has computed. */
static void preempted_in_a_wait(void **state) {
    (void)state;
    struct scenario_run run;
    const char *jobs = JOB("t", "10s", "preemptible: true, gpu_active: 50%, phase: 0s")
        JOB("i0", "100s",
            "class: inference, gpu_active: 50%, phase: 500ms") "  i1: {kind: jobs, class: "
                                                               "inference, limit: 1, arrivals: "
                                                               "{renewal: 1700ms}, duration: 2s, "
                                                               "gpu_active: 50%, phase: 700ms}\n";
    run_on(&run, "horizon: 20s\nscheduler: {order: priority, preemption: {min_runtime: 0s}}", TURNS,
           jobs);
    expect_end(&run, "i1", 3.7);
    expect_end(&run, "t", 13);
    expect_time(&run, GPU_USEFUL, 5 + 9.5 + 1);
    scenario_run_clear(&run);
    run_on(&run,
           "horizon: 3s\nscheduler: {order: priority, preemption: {min_runtime: 0s, mode: kill}}",
           TURNS, jobs);
    expect_time(&run, GPU_REDONE, 0.5);
    scenario_run_clear(&run);
}

/* The same of a whole GPU, at any moment of its iteration: 60 % of 3.3 s are lost. */
static void preempted_on_a_whole_gpu(void **state) {
    (void)state;
    struct scenario_run run;
    const char *jobs =
        JOB("t", "10s",
            "preemptible: true, gpu_active: 60%") "  i: {kind: jobs, class: inference, limit: 1, "
                                                  "arrivals: {renewal: 4300ms}, duration: "
                                                  "2s}\n";
    run_on(&run,
           "horizon: 20s\nscheduler: {order: priority, preemption: {min_runtime: 0s, mode: kill}}",
           "gpus_per_node: 1", jobs);
    expect_end(&run, "t", 16.3);
    expect_time(&run, GPU_REDONE, 0.6 * 3.3);
    expect_time(&run, GPU_USEFUL, 6 + 2);
    expect_time(&run, GPU_HELD_IDLE, 0.4 * 13.3);
    scenario_run_clear(&run);
}

/* 2000 jobs of 300 ms begin anywhere in an iteration of 1 s, of which the first half is computed:
 * 150 ms on average, and between 0 and 300, so with a standard deviation of at most 150. */
static void first_phases_are_uniform(void **state) {
    (void)state;
    struct scenario_run run;
    run_on(&run, "horizon: end_of_work\nrecord: {jobs: false}", TURNS,
           "  w: {kind: jobs, limit: 2000, arrivals: {renewal: 1s}, duration: 300ms, "
           "gpu_active: 50%}\n");
    double mean = time_in(&run, GPU_USEFUL) / 2000;
    assert_true(fabs(mean - 0.15) < 4 * 0.15 / sqrt(2000));
    expect_time(&run, GPU_HELD_IDLE, 600 - 2000 * mean);
    scenario_run_clear(&run);
}

/* --- Brute force: jobs that share one GPU by equal rates --- */

enum { JOBS = 6 };

struct stepped {
    long double submit, length, active, position, left, end;
};

/* From one change to the next: computing jobs get 1 / n each, and waits pass. */
static void step_through(struct stepped *jobs) {
    long double now = 0;
    for (;;) {
        long double step = INFINITY;
        int computing = 0;
        for (int i = 0; i < JOBS; i++) {
            computing +=
                jobs[i].submit <= now && jobs[i].left > 0 && jobs[i].position < jobs[i].active;
        }
        long double rates[JOBS];
        for (int i = 0; i < JOBS; i++) {
            struct stepped *job = &jobs[i];
            rates[i] = 0;
            if (job->left <= 0) {
                continue;
            }
            if (job->submit > now) {
                step = fminl(step, job->submit - now);
                continue;
            }
            bool computes = job->position < job->active;
            rates[i] = computes ? 1.0L / computing : 1;
            long double to = (computes ? job->active : job->length) - job->position;
            step = fminl(step, fminl(to, job->left) / rates[i]);
        }
        if (step == INFINITY) {
            return;
        }
        now += step;
        for (int i = 0; i < JOBS; i++) {
            struct stepped *job = &jobs[i];
            if (rates[i] == 0) {
                continue;
            }
            job->position += rates[i] * step;
            job->left -= rates[i] * step;
            if (fabsl(job->position - job->active) < 1e-9L) {
                job->position = job->active;
            } else if (job->position > job->length - 1e-9L) {
                job->position = 0;
            }
            if (job->left < 1e-9L) {
                job->left = 0;
                job->end = now;
            }
        }
    }
}

static void as_brute_force_has_it(void **state) {
    (void)state;
    struct test_random random = {.state = 5};
    for (int trial = 0; trial < 60; trial++) {
        char text[2048];
        struct stepped jobs[JOBS];
        int used = 0;
        for (int i = 0; i < JOBS; i++) {
            int submit = test_random_between(&random, 1, 20000);
            int duration = test_random_between(&random, 1, 20000);
            int length = test_random_between(&random, 2, 3000);
            int active = test_random_between(&random, 1, 99);
            int phase = test_random_below(&random, length);
            jobs[i] = (struct stepped){.submit = submit / 1e3L,
                                       .length = length / 1e3L,
                                       .active = length * active / 1e5L,
                                       .position = phase / 1e3L,
                                       .left = duration / 1e3L};
            used += snprintf(text + used, sizeof text - (size_t)used,
                             "  w%d: {kind: jobs, limit: 1, arrivals: {renewal: %dms}, duration: "
                             "%dms, gpu_active: %d%%, iteration: %dms, phase: %dms}\n",
                             i, submit, duration, active, length, phase);
        }
        struct scenario_run run;
        run_on(&run, "horizon: end_of_work", MPS, text);
        step_through(jobs);
        for (int i = 0; i < JOBS; i++) {
            char name[8];
            snprintf(name, sizeof name, "w%d", i);
            double end = sim_time_to_seconds(recording_job(&run.recording, name, "1")->end);
            /* Each part of thousands may end a nanosecond late. */
            if (!(fabs(end - (double)jobs[i].end) < 1e-4)) {
                fail_msg("trial %d: %s ends at %.9f, not %.9Lf\n%s", trial, name, end, jobs[i].end,
                         text);
            }
        }
        scenario_run_clear(&run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_gpus),
        cmocka_unit_test(whole_gpus_after_the_warm_up),
        cmocka_unit_test(a_mig_instance),
        cmocka_unit_test(alone_where_others_could_be),
        cmocka_unit_test(one_fills_the_other),
        cmocka_unit_test(both_at_once),
        cmocka_unit_test(a_service_between_iterations),
        cmocka_unit_test(preempted_in_a_wait),
        cmocka_unit_test(preempted_on_a_whole_gpu),
        cmocka_unit_test(first_phases_are_uniform),
        cmocka_unit_test(as_brute_force_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
