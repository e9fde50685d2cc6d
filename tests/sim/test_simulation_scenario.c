/* From scenario file and trace to rows and figures: small cases, computed by hand, that go through
 * the real reader; and what replications and variants of synthetic load share. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

static int make_folder(void **state) {
    static char folder[] = "/tmp/headroom-scenario-XXXXXX";
    *state = mkdtemp(folder);
    return *state == NULL ? -1 : 0;
}

static int remove_folder(void **state) {
    return rmdir(*state);
}

static void write_trace(const char *folder, char path[256], const char *csv) {
    snprintf(path, 256, "%s/jobs.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(csv, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_job(const struct scenario_run *run, const char *workload, const char *id,
                       enum job_state state, int start_s, int end_s) {
    const struct job_row *row = recording_job(&run->recording, workload, id);
    assert_string_equal(job_state_names[row->state], job_state_names[state]);
    assert_int_equal(row->start, start_s < 0 ? SIM_TIME_NEVER : start_s * NANOSECONDS_PER_SECOND);
    assert_int_equal(row->end, end_s < 0 ? SIM_TIME_NEVER : end_s * NANOSECONDS_PER_SECOND);
}

/* A V100 node of 2 GPUs, the reference, and a T4 of half the speed. a takes the V100s, b (20 GiB)
 * waits for them though the T4 is free, c passes it there by `skip` and takes 2 x 4 s; d gives up
 * after 3 s; e asks for more GPUs than there are. */
static const char *const mixed_csv = "job_id,submit_s,gpus,duration_s,memory_gib,queue\n"
                                     "a,100,2,10,,red\n"
                                     "b,101,1,5,20,blue\n"
                                     "c,102,1,4,,\n"
                                     "d,103,1,6,,\n"
                                     "e,104,3,6,,\n";

static const char *const mixed_yaml =
    "headroom: 1\n"
    "name: mixed\n"
    "horizon: 1m\n"
    "cluster:\n"
    "  pools:\n"
    "    v100: {gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 2}\n"
    "    t4: {gpu: T4, nodes: 1, gpus_per_node: 1}\n"
    "scheduler: {order: fifo, backfill: skip, placement: best_fit}\n"
    "workloads:\n"
    "  w:\n"
    "    kind: jobs\n"
    "    trace: {file: jobs.csv, format: csv}\n"
    "    memory: 1GiB\n"
    "    speed: {T4: 0.5}\n"
    "    max_wait: 3s\n"
    "variants:\n"
    "  patient: {workloads.w.max_wait: 1h}\n"
    "  strict: {workloads.w.max_wait: 1h, scheduler.backfill: none}\n";

static void run_mixed(struct scenario_run *run, const char *folder, const char *variant) {
    char path[256];
    write_trace(folder, path, mixed_csv);
    scenario_run_text(run, folder, mixed_yaml, variant, 0);
    assert_int_equal(unlink(path), 0);
}

/* t = 0 is the first job kept. b waits from 1 on and would start at 10: it gives up at 4. */
static void a_scenario_by_hand(void **state) {
    struct scenario_run run;
    run_mixed(&run, *state, NULL);
    assert_job(&run, "w", "a", JOB_COMPLETED, 0, 10);
    assert_job(&run, "w", "b", JOB_TIMED_OUT, -1, 4);
    assert_job(&run, "w", "c", JOB_COMPLETED, 2, 10);
    assert_job(&run, "w", "d", JOB_TIMED_OUT, -1, 6);
    assert_job(&run, "w", "e", JOB_REJECTED, -1, 4);
    assert_string_equal(recording_job(&run.recording, "w", "a")->queue, "red");
    assert_string_equal(recording_job(&run.recording, "w", "c")->queue, "default");
    assert_int_equal(recording_job(&run.recording, "w", "e")->gpus, 3);
    assert_int_equal(run.results.end, 60 * NANOSECONDS_PER_SECOND);
    scenario_run_clear(&run);
}

/* At 10, in order: b takes a V100, d the other one. */
static void variants_change_what_they_name(void **state) {
    struct scenario_run run;
    run_mixed(&run, *state, "patient");
    assert_job(&run, "w", "b", JOB_COMPLETED, 10, 15);
    assert_job(&run, "w", "c", JOB_COMPLETED, 2, 10);
    assert_job(&run, "w", "d", JOB_COMPLETED, 10, 16);
    scenario_run_clear(&run);
    run_mixed(&run, *state, "strict");
    assert_job(&run, "w", "b", JOB_COMPLETED, 10, 15);
    assert_job(&run, "w", "c", JOB_COMPLETED, 10, 14);
    /* The second V100 is c's now, and the T4 takes 12 s. */
    assert_job(&run, "w", "d", JOB_COMPLETED, 10, 22);
    scenario_run_clear(&run);
}

/* `count: 2` makes two workloads of the same jobs, which arrive in the order of their numbers. */
static void counted_workloads(void **state) {
    struct scenario_run run;
    char path[256];
    write_trace(*state, path, "job_id,submit_s,gpus,duration_s\na,0,1,3\nb,0,1,4\n");
    scenario_run_text(
        &run, *state,
        "headroom: 1\n"
        "name: twins\n"
        "horizon: end_of_work\n"
        "cluster: {pools: {v100: {gpu: V100-SXM2-32GB, nodes: 1, gpus_per_node: 1}}}\n"
        "workloads:\n"
        "  w: {kind: jobs, count: 2, trace: {file: jobs.csv, format: csv}}\n",
        NULL, 0);
    assert_int_equal(unlink(path), 0);
    assert_job(&run, "w-1", "a", JOB_COMPLETED, 0, 3);
    assert_job(&run, "w-1", "b", JOB_COMPLETED, 3, 7);
    assert_job(&run, "w-2", "a", JOB_COMPLETED, 7, 10);
    assert_job(&run, "w-2", "b", JOB_COMPLETED, 10, 14);
    scenario_run_clear(&run);
}

/* --- Synthetic load --- */

static const char *const synthetic_yaml =
    "headroom: 1\n"
    "name: synthetic\n"
    "seed: 7\n"
    "horizon: 10h\n"
    "cluster: {pools: {v100: {gpu: V100-SXM2-32GB, nodes: 2, gpus_per_node: 4}}}\n"
    "scheduler: {backfill: easy}\n"
    "workloads:\n"
    "  w:\n"
    "    kind: jobs\n"
    "    arrivals: {poisson: 60/h}\n"
    "    gpus: {choice: {1: 0.7, 4: 0.2, 6: 0.1}}\n"
    "    duration: {lognormal: {mean: 5m, cv: 2}}\n"
    "variants:\n"
    "  small: {}\n"
    "  large: {cluster.pools.v100.nodes: 4}\n";

static const struct job_row *numbered(const struct scenario_run *run, size_t number) {
    char id[24];
    snprintf(id, sizeof id, "%zu", number);
    return recording_job(&run->recording, "w", id);
}

static void the_same_bits_for_the_same_replication(void **state) {
    struct scenario_run first;
    struct scenario_run second;
    scenario_run_text(&first, *state, synthetic_yaml, NULL, 3);
    scenario_run_text(&second, *state, synthetic_yaml, NULL, 3);
    assert_int_equal(first.recording.job_count, second.recording.job_count);
    assert_true(first.recording.job_count > 100);
    for (size_t i = 0; i < first.recording.job_count; i++) {
        const struct job_row *a = &first.recording.jobs[i];
        const struct job_row *b = &second.recording.jobs[i];
        assert_string_equal(a->id, b->id);
        assert_true(a->submit == b->submit && a->start == b->start && a->end == b->end);
    }
    for (size_t i = 0; i < first.results.metric_count; i++) {
        assert_memory_equal(&first.results.metrics[i].value, &second.results.metrics[i].value,
                            sizeof(double));
    }
    scenario_run_clear(&first);
    scenario_run_clear(&second);
}

static void other_replications_draw_anew(void **state) {
    struct scenario_run first;
    struct scenario_run second;
    scenario_run_text(&first, *state, synthetic_yaml, NULL, 0);
    scenario_run_text(&second, *state, synthetic_yaml, NULL, 1);
    assert_int_not_equal(numbered(&first, 1)->submit, numbered(&second, 1)->submit);
    scenario_run_clear(&first);
    scenario_run_clear(&second);
}

/* Common random numbers: a larger cluster gets the very same jobs. */
static void variants_share_their_arrivals(void **state) {
    struct scenario_run small;
    struct scenario_run large;
    scenario_run_text(&small, *state, synthetic_yaml, "small", 0);
    scenario_run_text(&large, *state, synthetic_yaml, "large", 0);
    assert_int_equal(small.recording.job_count, large.recording.job_count);
    for (size_t i = 1; i <= small.recording.job_count; i++) {
        const struct job_row *a = numbered(&small, i);
        const struct job_row *b = numbered(&large, i);
        assert_int_equal(a->submit, b->submit);
        assert_int_equal(a->gpus, b->gpus);
        if (a->state == JOB_COMPLETED && b->state == JOB_COMPLETED) {
            assert_int_equal(a->end - a->start, b->end - b->start);
        }
    }
    scenario_run_clear(&small);
    scenario_run_clear(&large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scenario_by_hand),
        cmocka_unit_test(variants_change_what_they_name),
        cmocka_unit_test(counted_workloads),
        cmocka_unit_test(the_same_bits_for_the_same_replication),
        cmocka_unit_test(other_replications_draw_anew),
        cmocka_unit_test(variants_share_their_arrivals),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
