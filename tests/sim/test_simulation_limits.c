/* How runs stop before their time, what they need, and that they are pure functions of what they
 * are given. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/sim_case.h"
#include "tests/support/unit.h"

#define HEADER "job_id,submit_s,gpus,duration_s\n"
/* The longest that a duration may be: 36525 days of 86400 s. */
#define HUNDRED_YEARS "3155760000"

static void set_up(struct sim_case *sim_case, int32_t gpus, const char *csv) {
    sim_case_initialize(sim_case);
    sim_case_pool(sim_case, "pool", "V100-SXM2-32GB", 1, gpus);
    sim_case_workload(sim_case, "w", csv);
}

/* `count` jobs of one GPU, one submitted each second; free with free(). */
static char *steady_jobs(int count, int seconds) {
    enum { ROW = 48 };
    char *csv = malloc((size_t)(count + 2) * ROW);
    assert_non_null(csv);
    int length = sprintf(csv, HEADER);
    for (int i = 0; i < count; i++) {
        length += sprintf(csv + length, "%d,%d,1,%d\n", i, i, seconds);
    }
    return csv;
}

/* --- Stopping --- */

static void a_run_can_be_interrupted(void **state) {
    (void)state;
    atomic_bool stop = true;
    char *csv = steady_jobs(20000, 1);
    struct sim_case sim_case;
    set_up(&sim_case, 1, csv);
    sim_case.stop = &stop;
    sim_case_run(&sim_case);
    assert_int_equal(sim_case.outcome, RUN_INTERRUPTED);
    assert_null(sim_case.results.metrics);
    assert_null(sim_case.results.costs);
    assert_in_range(sim_case.recording.job_count, 0, 19999);
    stop = false;
    sim_case_run_to_end(&sim_case);
    assert_int_equal(sim_case.recording.job_count, 20000);
    sim_case_terminate(&sim_case);
    free(csv);
}

/* What a recorder that gives out is asked for. */
struct patience {
    int calls;
};

static bool refuse_third(void *context, const struct job_record *record, struct error *error) {
    struct patience *patience = context;
    (void)record;
    if (++patience->calls == 3) {
        error_set(error, "out.db", 0, 0, "the disk is full");
    }
    return patience->calls < 3;
}

/* The first row that cannot be kept ends the run: no row follows, not even of jobs left at the end.
 */
static void a_recorder_can_stop_the_run(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1, HEADER "a,0,1,1\nb,0,1,1\nc,0,1,1\nd,0,1,1\ne,0,1,1\n");
    struct patience patience = {0};
    struct recorder recorder = {.context = &patience, .job = refuse_third};
    struct run_request request = {.scenario = &sim_case.scenario, .traces = sim_case.traces};
    sim_case.outcome = simulation_run(&request, &recorder, &sim_case.results, &sim_case.error);
    assert_int_equal(sim_case.outcome, RUN_FAILED);
    assert_string_equal(sim_case.error.message, "the disk is full");
    assert_int_equal(patience.calls, 3);
    assert_null(sim_case.results.metrics);
    sim_case_terminate(&sim_case);
}

/* Three times 100 years are more than the 292 that nanoseconds count. */
static void a_run_beyond_all_time_fails(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1,
           HEADER "a,0,1," HUNDRED_YEARS "\nb,0,1," HUNDRED_YEARS "\nc,0,1," HUNDRED_YEARS "\n");
    sim_case_run(&sim_case);
    assert_int_equal(sim_case.outcome, RUN_FAILED);
    assert_non_null(strstr(sim_case.error.message, "292 years"));
    assert_non_null(strstr(sim_case.error.message, "workload w"));
    assert_string_equal(sim_case.error.file, "case.yaml");
    sim_case_terminate(&sim_case);
}

/* Two times 100 and once 50 do not; the rows of the timeline do not lead beyond all time either. */
static void two_hundred_and_fifty_years_are_possible(void **state) {
    (void)state;
    struct sim_case sim_case;
    set_up(&sim_case, 1,
           HEADER "a,0,1," HUNDRED_YEARS "\nb,0,1," HUNDRED_YEARS "\nc,0,1,1577880000\n");
    sim_case.scenario.record.timeline = SIM_TIME_LONGEST;
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "w", "a", 0, 3155760000);
    const struct job_row *last = recording_job(&sim_case.recording, "w", "c");
    assert_int_equal(last->start, 2 * SIM_TIME_LONGEST);
    assert_int_equal(last->end, 2 * SIM_TIME_LONGEST + SIM_TIME_LONGEST / 2);
    assert_int_equal(sim_case.recording.timeline_count, 3);
    sim_case_terminate(&sim_case);
}

/* 100,000 GPUs for ten years of 365 days: 3.15e22 GPU-nanoseconds, 3,400 times what 64 bits hold.
 * In hours that is 100,000 x 87,600; a quarter of the GPUs has another ten years before it. */
static void sums_over_a_large_cluster_are_exact(void **state) {
    (void)state;
    struct sim_case sim_case;
    sim_case_initialize(&sim_case);
    sim_case_pool(&sim_case, "pool", "V100-SXM2-32GB", 12500, 8);
    sim_case_workload(&sim_case, "w", HEADER "a,0,25000,315360000\nb,0,100000,315360000\n");
    sim_case_run_to_end(&sim_case);
    sim_case_expect_completed(&sim_case, "w", "a", 0, 315360000);
    sim_case_expect_completed(&sim_case, "w", "b", 315360000, 630720000);
    const struct results *results = &sim_case.results;
    assert_true(results_metric(results, SCOPE_RUN, "", "gpu_hours") == 1.25 * 100000 * 87600);
    assert_true(results_metric(results, SCOPE_RUN, "", "utilization.allocated") == 0.625);
    sim_case_terminate(&sim_case);
}

/* --- Memory --- */

struct watch {
    size_t rows;
    size_t early; /* bytes of the heap in use */
    size_t late;
};

static bool look_at_the_heap(void *context, const struct job_record *record, struct error *error) {
    struct watch *watch = context;
    (void)record;
    (void)error;
    watch->rows++;
    if (watch->rows == 20000) {
        watch->early = mallinfo2().uordblks + mallinfo2().hblkhd;
    } else if (watch->rows == 200000) {
        watch->late = mallinfo2().uordblks + mallinfo2().hblkhd;
    }
    return true;
}

/* Never more than 4 jobs alive: after 200,000 the heap holds what it held after 20,000. (Under a
 * sanitizer the heap cannot be looked at, and says 0 both times.) */
static void memory_follows_the_jobs_alive(void **state) {
    (void)state;
    char *csv = steady_jobs(200000, 3);
    struct sim_case sim_case;
    set_up(&sim_case, 4, csv);
    struct watch watch = {0};
    struct recorder recorder = {.context = &watch, .job = look_at_the_heap};
    struct run_request request = {.scenario = &sim_case.scenario, .traces = sim_case.traces};
    sim_case.outcome = simulation_run(&request, &recorder, &sim_case.results, &sim_case.error);
    assert_int_equal(sim_case.outcome, RUN_DONE);
    assert_int_equal(watch.rows, 200000);
    assert_in_range(watch.late, 0, watch.early + 4096);
    sim_case_terminate(&sim_case);
    free(csv);
}

/* --- Determinism --- */

/* Two pools, two workloads and easy: 400 jobs with many ties. */
static void set_up_mixture(struct sim_case *sim_case) {
    struct test_random random = {11};
    sim_case_initialize(sim_case);
    sim_case_rules(sim_case, "sjf", "easy", "best_fit");
    sim_case_pool(sim_case, "one", "V100-SXM2-32GB", 3, 4);
    sim_case_pool(sim_case, "two", "A100-SXM4-80GB", 2, 8);
    for (int w = 0; w < 2; w++) {
        char csv[20000];
        int length = sprintf(csv, HEADER);
        for (int i = 0; i < 200; i++) {
            length +=
                sprintf(csv + length, "%d,%d,%d,%d\n", i, i / 7,
                        test_random_between(&random, 1, 12), test_random_between(&random, 0, 20));
        }
        sim_case_workload(sim_case, w == 0 ? "u" : "v", csv);
    }
    sim_case->scenario.record.timeline = 7 * NANOSECONDS_PER_SECOND;
}

static void assert_same(const struct sim_case *a, const struct sim_case *b) {
    assert_int_equal(a->outcome, RUN_DONE);
    assert_int_equal(b->outcome, RUN_DONE);
    assert_int_equal(a->results.events, b->results.events);
    assert_int_equal(a->results.metric_count, b->results.metric_count);
    for (size_t i = 0; i < a->results.metric_count; i++) {
        assert_memory_equal(&a->results.metrics[i].value, &b->results.metrics[i].value,
                            sizeof(double));
    }
    assert_int_equal(a->recording.job_count, b->recording.job_count);
    for (size_t i = 0; i < a->recording.job_count; i++) {
        const struct job_row *left = &a->recording.jobs[i];
        const struct job_row *right = &b->recording.jobs[i];
        assert_string_equal(left->id, right->id);
        assert_int_equal(left->start, right->start);
        assert_int_equal(left->end, right->end);
    }
    assert_int_equal(a->recording.timeline_count, b->recording.timeline_count);
    for (size_t i = 0; i < a->recording.timeline_count; i++) {
        assert_memory_equal(&a->recording.timeline[i].allocated,
                            &b->recording.timeline[i].allocated, sizeof(double));
    }
}

static void the_same_bits_twice(void **state) {
    (void)state;
    struct sim_case first;
    struct sim_case second;
    set_up_mixture(&first);
    set_up_mixture(&second);
    sim_case_run(&first);
    sim_case_run(&second);
    assert_same(&first, &second);
    sim_case_run(&second);
    assert_same(&first, &second);
    sim_case_terminate(&first);
    sim_case_terminate(&second);
}

static void *run_in_thread(void *sim_case) {
    sim_case_run(sim_case);
    return NULL;
}

static void the_same_bits_side_by_side(void **state) {
    (void)state;
    enum { THREADS = 4 };
    struct sim_case alone;
    struct sim_case *together[THREADS];
    pthread_t threads[THREADS];
    set_up_mixture(&alone);
    sim_case_run(&alone);
    for (int i = 0; i < THREADS; i++) {
        together[i] = malloc(sizeof *together[i]);
        assert_non_null(together[i]);
        set_up_mixture(together[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run_in_thread, together[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_same(&alone, together[i]);
        sim_case_terminate(together[i]);
        free(together[i]);
    }
    sim_case_terminate(&alone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_can_be_interrupted),
        cmocka_unit_test(a_recorder_can_stop_the_run),
        cmocka_unit_test(a_run_beyond_all_time_fails),
        cmocka_unit_test(two_hundred_and_fifty_years_are_possible),
        cmocka_unit_test(sums_over_a_large_cluster_are_exact),
        cmocka_unit_test(memory_follows_the_jobs_alive),
        cmocka_unit_test(the_same_bits_twice),
        cmocka_unit_test(the_same_bits_side_by_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
