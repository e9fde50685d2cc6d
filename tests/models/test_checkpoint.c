/* Invariant: intervals are the published ones and next to the optimum; the expected time of a job
 * that is interrupted is that of a job played through. */
#include "models/checkpoint.h"

#include <math.h>

#include "tests/support/unit.h"

static void assert_near(double actual, double expected, double apart) {
    if (!(fabs(actual - expected) <= apart)) {
        fail_msg("%.12g, not %.12g", actual, expected);
    }
}

/* 70e9 parameters: weights of 140 GB, full state of 980 GB to 1.26 TB. */
static void sizes(void **state) {
    (void)state;
    assert_int_equal(checkpoint_bytes(70e9, 2), INT64_C(140000000000));
    assert_int_equal(checkpoint_bytes(70e9, 14), INT64_C(980000000000));
    assert_int_equal(checkpoint_bytes(70e9, 18), INT64_C(1260000000000));
    assert_int_equal(checkpoint_bytes(3, 0.5), 2);
}

/* Saves of 5 minutes. Young: sqrt(2 x 5 x 1440) = 120 minutes for a failure a day. The captions of
 * figures 3 to 5 of Daly's paper give 117, 57 and 9.1 minutes for 24 h, 6 h and 15 minutes. */
static void published_intervals(void **state) {
    (void)state;
    assert_near(checkpoint_interval_young(5, 24 * 60), 120, 1e-9);
    assert_near(checkpoint_interval_daly(5, 24 * 60), 117, 0.5);
    assert_near(checkpoint_interval_daly(5, 6 * 60), 57, 0.5);
    assert_near(checkpoint_interval_daly(5, 15), 9.1, 0.05);
    assert_near(checkpoint_interval_daly(30, 15), 15, 0);
    assert_near(checkpoint_interval_daly(0, 15), 0, 0);
}

/* Time per work at an interval, with failures 1 apart; what restores and outages add is the same
 * at any. */
static double cost(double interval, double save) {
    return expm1(interval + save) / interval;
}

static double least_cost(double save) {
    double low = 1e-9;
    double high = 5;
    for (int i = 0; i < 200; i++) {
        double a = low + (high - low) / 3;
        double b = high - (high - low) / 3;
        if (cost(a, save) < cost(b, save)) {
            high = b;
        } else {
            low = a;
        }
    }
    return cost((low + high) / 2, save);
}

static void intervals_are_next_to_the_optimum(void **state) {
    (void)state;
    for (double save = 0.001; save < 2; save += 0.0499) {
        double daly = cost(checkpoint_interval_daly(save, 1), save) / least_cost(save);
        double young = cost(checkpoint_interval_young(save, 1), save) / least_cost(save);
        assert_true(daly >= 1 - 1e-12 && daly < 1.002);
        assert_true(young > daly - 1e-12);
    }
}

/* Interrupted once in 6 h for 1 h, with no interruption meanwhile; 24 h of work and saves of 5
 * minutes, one of them at the end: E = n (6 + 1) (exp((24 / n + 1/12) / 6) - 1). */
static void expected_times_by_hand(void **state) {
    (void)state;
    struct checkpoint_course course = {.work = 24, .interval = INFINITY, .rate = 1.0 / 6, .out = 1};
    assert_near(checkpoint_expected_time(&course), 7 * (exp(4) - 1), 1e-9);
    assert_near(checkpoint_expected_time(&course), 375.187, 0.0005);
    course.save = 5.0 / 60;
    course.final = true;
    course.interval = 4;
    assert_near(checkpoint_expected_time(&course), 40.9489, 0.00005);
    course.interval = 1;
    assert_near(checkpoint_expected_time(&course), 33.24429, 0.000005);
    /* Ever finer, with saves that cost nothing: only the outages are added, 24 x 1 / 6 h. */
    course.save = 0;
    course.interval = 1e-6;
    assert_near(checkpoint_expected_time(&course), 28, 1e-4);
    /* Never interrupted: 24 h and saves after 7, 14 and 21; and one at the end. */
    course = (struct checkpoint_course){.work = 24, .interval = 7, .save = 0.5};
    assert_near(checkpoint_expected_time(&course), 25.5, 1e-12);
    course.final = true;
    assert_near(checkpoint_expected_time(&course), 26, 1e-12);
    /* After 8 and 16; the third would be at the end. */
    course.interval = 8;
    assert_near(checkpoint_expected_time(&course), 25.5, 1e-12);
    course.final = false;
    assert_near(checkpoint_expected_time(&course), 25, 1e-12);
}

static double exponential(struct test_random *random) {
    return -log(((double)(test_random_next(random) >> 11) + 0.5) * 0x1p-53);
}

/* One job from start to end, by the rules and not by the formula. */
static double play(const struct checkpoint_course *course, struct test_random *random) {
    double now = 0;
    double saved = 0;
    bool again = false;
    for (;;) {
        double left = course->work - saved;
        bool last = left <= course->interval;
        double length = (again ? course->restore : 0) + (last ? left : course->interval) +
                        (!last || course->final ? course->save : 0);
        double interrupted = exponential(random) / course->rate;
        if (interrupted < length) {
            now += interrupted + course->out;
            again = true;
            continue;
        }
        now += length;
        again = false;
        if (last) {
            return now;
        }
        saved += course->interval;
    }
}

static void expected_times_as_played(void **state) {
    (void)state;
    const struct checkpoint_course courses[] = {
        {10, INFINITY, 0, false, 0, 0.2, 1},
        {10, 3, 0.25, false, 0.5, 0.2, 1},
        {10, 2.5, 0.25, true, 0.5, 0.3, 0},
        {10, 4, 1, false, 2, 0.1, 3},
    };
    struct test_random random = {.state = 3};
    for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++) {
        double sum = 0;
        double squares = 0;
        int jobs = 100000;
        for (int k = 0; k < jobs; k++) {
            double time = play(&courses[i], &random);
            sum += time;
            squares += time * time;
        }
        double mean = sum / jobs;
        double error = sqrt((squares / jobs - mean * mean) / jobs);
        assert_near(mean, checkpoint_expected_time(&courses[i]), 4 * error);
        assert_true(error < 0.01 * mean);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(published_intervals),
        cmocka_unit_test(intervals_are_next_to_the_optimum),
        cmocka_unit_test(expected_times_by_hand),
        cmocka_unit_test(expected_times_as_played),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
