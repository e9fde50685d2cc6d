/* Weeks of Microsoft's Philly trace through the whole way from scenario file to figures, against
 * the figures of two implementations that have nothing to do with this one. Skipped where the trace
 * is not at hand. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "tests/support/scenario_run.h"
#include "tests/support/unit.h"

static const char trace_path[] = TEST_SHARED_DIR "/traces/philly_jobs/philly.csv";

/* The jobs submitted in [from, to) on `nodes` nodes of `gpus_per_node`. */
struct week {
    const char *from;
    const char *to;
    int nodes;
    int gpus_per_node;
    const char *order;
    const char *backfill;
    const char *placement;
};

static void skip_without_trace(void) {
    if (access(trace_path, R_OK) != 0) {
        print_message("SKIPPED: there is no %s\n", trace_path);
        skip();
    }
}

static void run_week(struct scenario_run *run, const struct week *week) {
    char text[2048];
    skip_without_trace();
    snprintf(text, sizeof text,
             "headroom: 1\n"
             "name: philly\n"
             "horizon: end_of_work\n"
             "cluster:\n"
             "  pools:\n"
             "    gpus: {gpu: P100-16GB, nodes: %d, gpus_per_node: %d}\n"
             "scheduler: {order: %s, backfill: %s, placement: %s}\n"
             "workloads:\n"
             "  philly:\n"
             "    kind: jobs\n"
             "    trace: {file: %s, format: philly, from: %s, to: %s}\n"
             "record: {jobs: false}\n",
             week->nodes, week->gpus_per_node, week->order, week->backfill, week->placement,
             trace_path, week->from, week->to);
    scenario_run_text(run, "/tmp", text, NULL, 0);
}

static void assert_figure(const struct scenario_run *run, const char *name, double expected,
                          double tolerance) {
    double actual = results_metric(&run->results, SCOPE_RUN, "", name);
    if (!(fabs(actual - expected) <= tolerance)) {
        fail_msg("%s: %.9g is not %.9g", name, actual, expected);
    }
}

/* Percentiles are kept to 0.1 %. */
static void assert_percentile(const struct scenario_run *run, const char *name, double expected) {
    assert_figure(run, name, expected, 0.001 * expected);
}

/* The mean as far as it is known: to half of its last digit, and a rounding. */
static void check_mean_wait(const struct week *week, double expected, double last_digit) {
    struct scenario_run run;
    run_week(&run, week);
    assert_figure(&run, "wait_s.mean", expected, 0.51 * last_digit);
    scenario_run_clear(&run);
}

static void two_weeks_on_640_gpus(void **state) {
    (void)state;
    struct scenario_run run;
    run_week(&run, &(struct week){"2017-10-09", "2017-10-23", 80, 8, "fifo", "none", "first_fit"});
    assert_figure(&run, "submitted", 26936, 0);
    assert_figure(&run, "completed", 26936, 0);
    assert_figure(&run, "wait_s.mean", 2802.804, 0.001);
    assert_percentile(&run, "wait_s.p90", 8097);
    assert_percentile(&run, "wait_s.p95", 15361);
    assert_percentile(&run, "wait_s.p99", 30272);
    assert_figure(&run, "wait_s.max", 33511, 0);
    assert_figure(&run, "makespan_s", 3679917, 0);
    assert_figure(&run, "gpu_hours", 183233.993, 0.00051);
    assert_figure(&run, "utilization.allocated", 0.280085, 0.00000051);
    scenario_run_clear(&run);
}

#define FIRST_WEEK "2017-10-09", "2017-10-16"
#define SECOND_WEEK "2017-10-16", "2017-10-23"
#define NOVEMBER_WEEK "2017-11-06", "2017-11-13"

static void fifo_first_fit(void **state) {
    (void)state;
    struct scenario_run run;
    run_week(&run, &(struct week){FIRST_WEEK, 60, 8, "fifo", "none", "first_fit"});
    assert_figure(&run, "wait_s.mean", 19975.383, 0.00051);
    assert_percentile(&run, "wait_s.p50", 9643);
    assert_percentile(&run, "wait_s.p99", 65831);
    scenario_run_clear(&run);
}

static void fifo_best_fit(void **state) {
    (void)state;
    check_mean_wait(&(struct week){FIRST_WEEK, 60, 8, "fifo", "none", "best_fit"}, 18996.915, 1e-3);
}

static void fifo_skip(void **state) {
    (void)state;
    check_mean_wait(&(struct week){FIRST_WEEK, 60, 8, "fifo", "skip", "first_fit"}, 5943.793, 1e-3);
}

static void fifo_skip_best_fit(void **state) {
    (void)state;
    check_mean_wait(&(struct week){SECOND_WEEK, 50, 8, "fifo", "skip", "best_fit"}, 8543.751146,
                    1e-6);
}

static void sjf(void **state) {
    (void)state;
    check_mean_wait(&(struct week){FIRST_WEEK, 60, 8, "sjf", "none", "first_fit"}, 3194.489, 1e-3);
}

static void sjf_easy(void **state) {
    (void)state;
    check_mean_wait(&(struct week){FIRST_WEEK, 60, 8, "sjf", "easy", "first_fit"}, 3024.055603,
                    1e-6);
}

static void fifo_easy(void **state) {
    (void)state;
    check_mean_wait(&(struct week){NOVEMBER_WEEK, 55, 8, "fifo", "easy", "first_fit"}, 9241.704,
                    1e-3);
}

static void fifo_easy_best_fit(void **state) {
    (void)state;
    check_mean_wait(&(struct week){FIRST_WEEK, 60, 8, "fifo", "easy", "best_fit"}, 9117.270018,
                    1e-6);
}

/* On nodes of 4 the jobs of more than 4 GPUs are gangs of several nodes. */
static void fifo_on_nodes_of_four(void **state) {
    (void)state;
    check_mean_wait(&(struct week){FIRST_WEEK, 100, 4, "fifo", "none", "first_fit"}, 46276.548114,
                    1e-6);
}

static void fifo_easy_on_nodes_of_four(void **state) {
    (void)state;
    check_mean_wait(&(struct week){NOVEMBER_WEEK, 120, 4, "fifo", "easy", "first_fit"}, 4609.886716,
                    1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_weeks_on_640_gpus),
        cmocka_unit_test(fifo_first_fit),
        cmocka_unit_test(fifo_best_fit),
        cmocka_unit_test(fifo_skip),
        cmocka_unit_test(fifo_skip_best_fit),
        cmocka_unit_test(sjf),
        cmocka_unit_test(sjf_easy),
        cmocka_unit_test(fifo_easy),
        cmocka_unit_test(fifo_easy_best_fit),
        cmocka_unit_test(fifo_on_nodes_of_four),
        cmocka_unit_test(fifo_easy_on_nodes_of_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
