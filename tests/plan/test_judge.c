/* When enough replications have been seen. Probabilities of the binomial tests are computed by hand
 * in the comments; the looks are at 2, 3, 5, 7, 10, 15, 22, 33, 49 and 60, so each has 0.5 %. */
#include <math.h>
#include <stdlib.h>

#include "plan/judge.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/stream.h"
#include "tests/support/unit.h"

static const struct plan_rule rule = {
    .confidence = 0.95, .tolerance = 0.05, .least = 5, .most = 60};

static void give(struct plan_candidate *candidate, const double *excesses, size_t count) {
    free(candidate->samples);
    *candidate = (struct plan_candidate){.samples = memory_zero(count, sizeof(struct plan_sample)),
                                         .count = count};
    for (size_t i = 0; i < count; i++) {
        candidate->samples[i].excess = excesses[i];
    }
    plan_judge(&rule, candidate);
}

static void looks_grow_by_half(void **state) {
    (void)state;
    static const size_t expected[] = {2, 3, 5, 7, 10, 15, 22, 33, 49, 60, 0};
    size_t count = 0;
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        count = plan_next_look(&rule, count);
        assert_int_equal(count, expected[i]);
    }
}

/* Two misses of two: 0.05^2 = 0.25 %, within 0.5 %. One of two: 9.75 %. */
static void hopeless_after_two(void **state) {
    (void)state;
    struct plan_candidate candidate = {0};
    give(&candidate, (double[]){0.2, INFINITY}, 2);
    assert_int_equal(candidate.verdict, PLAN_MISSES);
    assert_false(candidate.close);
    give(&candidate, (double[]){-0.2, 0.1}, 2);
    assert_int_equal(candidate.verdict, PLAN_OPEN);
    /* Three misses of five: 10 x 0.05^3 x 0.95^2 + ... = 0.116 %; two of five: 2.26 %. */
    give(&candidate, (double[]){0.1, 0.1, 0.1, -1, -1}, 5);
    assert_int_equal(candidate.verdict, PLAN_MISSES);
    give(&candidate, (double[]){0.1, 0.1, -1, -1, -1}, 5);
    assert_int_equal(candidate.verdict, PLAN_OPEN);
    free(candidate.samples);
}

/* Equal values have no deviation: all that is asked for is `least` of them. */
static void equal_values_need_the_least(void **state) {
    (void)state;
    struct plan_candidate candidate = {0};
    give(&candidate, (double[]){-1, -1, -1}, 3);
    assert_int_equal(candidate.verdict, PLAN_OPEN);
    give(&candidate, (double[]){-1, -1, -1, -1, -1}, 5);
    assert_int_equal(candidate.verdict, PLAN_MEETS);
    assert_false(candidate.close);
    free(candidate.samples);
}

/* What varies as much as it is held by is not known from five; with 60 there is a verdict, by the
 * share: three misses of 60 are 5 %, four are more. 0.95^60 = 4.6 % is no proof at 0.5 %. */
static void the_last_look_decides(void **state) {
    (void)state;
    struct plan_candidate candidate = {0};
    double excesses[60];
    for (size_t i = 0; i < 60; i++) {
        excesses[i] = i < 3 ? 0.5 : -0.1;
    }
    give(&candidate, excesses, 10);
    assert_int_equal(candidate.verdict, PLAN_OPEN);
    give(&candidate, excesses, 60);
    assert_int_equal(candidate.verdict, PLAN_MEETS);
    assert_true(candidate.close);
    excesses[3] = 0.5;
    give(&candidate, excesses, 60);
    assert_int_equal(candidate.verdict, PLAN_MISSES);
    assert_true(candidate.close);
    free(candidate.samples);
}

/* Factors for 95 % of a normal population with 95 % confidence, from tables of the noncentral t
 * distribution (Odeh and Owen 1980): 2.911 for 10, 2.396 for 20, 2.065 for 50. The approximation is
 * within 1.5 %. */
static void tolerance_factors(void **state) {
    (void)state;
    assert_true(fabs(plan_tolerance_factor(10, 0.95, 0.05) / 2.911 - 1) < 0.015);
    assert_true(fabs(plan_tolerance_factor(20, 0.95, 0.05) / 2.396 - 1) < 0.015);
    assert_true(fabs(plan_tolerance_factor(50, 0.95, 0.05) / 2.065 - 1) < 0.015);
    assert_true(isinf(plan_tolerance_factor(2, 0.95, 0.001)));
}

/* None of n: 1 - 0.025^(1/n) at least. Of 10: 69.15 %. And 8 of 10, from tables: 44.39 to 97.48 %.
 */
static void share_intervals(void **state) {
    (void)state;
    double low;
    double high;
    plan_share_interval(10, 10, &low, &high);
    assert_true(fabs(low - pow(0.025, 0.1)) < 1e-9 && high == 1);
    plan_share_interval(8, 10, &low, &high);
    assert_true(fabs(low - 0.4439) < 5e-5 && fabs(high - 0.9748) < 5e-5);
    plan_share_interval(0, 10, &low, &high);
    assert_true(low == 0 && fabs(high - (1 - pow(0.025, 0.1))) < 1e-9);
}

/* A candidate whose true share is on the wrong side of both limits is taken for the other kind in
 * at most 5 % of the cases: here the excess is normal with deviation 0.1 and its 95th percentile at
 * -0.15 (it meets) or +0.2 (it misses, even with the tolerance). 400 searches each: 5 % are 20, and
 * 34 are beyond 99.9 % of chance. */
static double misjudged(double percentile, enum plan_verdict wrong, struct stream *stream) {
    double excesses[60];
    int errors = 0;
    struct plan_candidate candidate = {0};
    for (int i = 0; i < 400; i++) {
        for (size_t k = 0; k < 60; k++) {
            double u = 0; /* twelve uniforms less six: as normal as this needs */
            for (int j = 0; j < 12; j++) {
                u += stream_uniform(stream);
            }
            excesses[k] = percentile + 0.1 * (u - 6 - 1.6449);
        }
        size_t count = 0;
        do {
            count = plan_next_look(&rule, count);
            give(&candidate, excesses, count);
        } while (candidate.verdict == PLAN_OPEN);
        errors += candidate.verdict == wrong;
    }
    free(candidate.samples);
    return errors;
}

static void it_seldom_errs(void **state) {
    (void)state;
    struct stream stream;
    stream_initialize(&stream, 1, 0, "judge");
    assert_true(misjudged(-0.15, PLAN_MISSES, &stream) <= 34);
    assert_true(misjudged(0.2, PLAN_MEETS, &stream) <= 34);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_grow_by_half),
        cmocka_unit_test(hopeless_after_two),
        cmocka_unit_test(equal_values_need_the_least),
        cmocka_unit_test(the_last_look_decides),
        cmocka_unit_test(tolerance_factors),
        cmocka_unit_test(share_intervals),
        cmocka_unit_test(it_seldom_errs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
