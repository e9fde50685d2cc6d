/* Invariant: waits, completion times and bounded slowdowns are those of the jobs given, and the
 * figures of several workloads merge into those of all their jobs. */
#include <math.h>

#include "sim/scheduling/job_figures.h"
#include "tests/support/unit.h"

static const sim_time SECOND = NANOSECONDS_PER_SECOND;

static void assert_close(double actual, double expected, double relative) {
    if (!(fabs(actual - expected) <= relative * fabs(expected))) {
        fail_msg("%.12g is not %.12g", actual, expected);
    }
}

static double seconds(double nanoseconds) {
    return nanoseconds / 1e9;
}

static double slowdown(const struct job_figures *figures, double quantile) {
    return histogram_quantile(&figures->slowdown, quantile) / SLOWDOWN_UNIT;
}

/* Submitted at 5 s, started at 25 s, ended at 65 s: waited 20 s, took 60 s, ran 40 s: 60 / 40
 * = 1.5. */
static void one_job(void **state) {
    (void)state;
    struct job_figures figures;
    job_figures_initialize(&figures);
    job_figures_started(&figures, 5 * SECOND, 25 * SECOND);
    assert_int_equal(figures.completed, 0);
    assert_int_equal(figures.wait.count, 1);
    assert_int_equal(figures.jct.count, 0);
    job_figures_completed(&figures, 5 * SECOND, 40 * SECOND, 65 * SECOND);
    assert_int_equal(figures.completed, 1);
    assert_close(seconds(histogram_mean(&figures.wait)), 20, 1e-12);
    assert_close(seconds(histogram_mean(&figures.jct)), 60, 1e-12);
    assert_close(slowdown(&figures, 0.5), 1.5, 1e-12);
    job_figures_terminate(&figures);
}

static double slowdown_of(sim_time wait, sim_time run) {
    struct job_figures figures;
    job_figures_initialize(&figures);
    job_figures_completed(&figures, 100, run, 100 + wait + run);
    double value = slowdown(&figures, 1);
    job_figures_terminate(&figures);
    return value;
}

/* A run below 10 s counts as 10 s: (30+10)/10 = 4 at the bound itself, (30+5)/10 = 3.5, (30+0)/10 =
 * 3, a job of 2 s that never waited 2/10 = 0.2; above it (30+20)/20 = 2.5. */
static void short_runs_count_as_ten_seconds(void **state) {
    (void)state;
    assert_close(slowdown_of(30 * SECOND, 10 * SECOND), 4, 1e-12);
    assert_close(slowdown_of(30 * SECOND, 5 * SECOND), 3.5, 1e-12);
    assert_close(slowdown_of(30 * SECOND, 0), 3, 1e-12);
    assert_close(slowdown_of(0, 2 * SECOND), 0.2, 1e-12);
    assert_close(slowdown_of(30 * SECOND, 20 * SECOND), 2.5, 1e-12);
    assert_close(slowdown_of(0, 20 * SECOND), 1, 1e-12);
}

/* Kept in millionths, to the nearest: (10 + 1/3) / 10 with a run of 1/3 s is 1.033333... */
static void slowdown_is_kept_in_millionths(void **state) {
    (void)state;
    double value = slowdown_of(10 * SECOND, SECOND / 3);
    assert_close(value, 1.033333, 1e-12);
}

/* 1, 2, 3, ... times `unit`. */
static void set_counts(struct job_figures *figures, int64_t unit) {
    figures->submitted = unit;
    figures->timed_out = 2 * unit;
    figures->rejected = 3 * unit;
    figures->running = 4 * unit;
    figures->queued = 5 * unit;
}

/* One wait of 2 s and one of 4 s here, one of 12 s there: mean 6 s, and the largest 12 s. */
static void merging(void **state) {
    (void)state;
    struct job_figures all;
    struct job_figures here;
    struct job_figures there;
    job_figures_initialize(&all);
    job_figures_initialize(&here);
    job_figures_initialize(&there);
    job_figures_started(&here, 0, 2 * SECOND);
    job_figures_started(&here, SECOND, 5 * SECOND);
    job_figures_completed(&here, 0, 20 * SECOND, 22 * SECOND);
    job_figures_started(&there, 0, 12 * SECOND);
    job_figures_completed(&there, 0, 40 * SECOND, 52 * SECOND);
    set_counts(&here, 1);
    set_counts(&there, 10);
    job_figures_merge(&all, &here);
    job_figures_merge(&all, &there);
    assert_int_equal(all.submitted, 11);
    assert_int_equal(all.completed, 2);
    assert_int_equal(all.timed_out, 22);
    assert_int_equal(all.rejected, 33);
    assert_int_equal(all.running, 44);
    assert_int_equal(all.queued, 55);
    assert_int_equal(all.wait.count, 3);
    assert_close(seconds(histogram_mean(&all.wait)), 6, 1e-12);
    assert_close(seconds(histogram_quantile(&all.wait, 1)), 12, 1e-12);
    assert_close(seconds(histogram_mean(&all.jct)), (22.0 + 52.0) / 2, 1e-12);
    /* 22/20 and 52/40. */
    assert_close(histogram_mean(&all.slowdown) / SLOWDOWN_UNIT, (1.1 + 1.3) / 2, 1e-12);
    job_figures_terminate(&all);
    job_figures_terminate(&here);
    job_figures_terminate(&there);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_job),
        cmocka_unit_test(short_runs_count_as_ten_seconds),
        cmocka_unit_test(slowdown_is_kept_in_millionths),
        cmocka_unit_test(merging),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
