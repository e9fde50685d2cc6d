/* Nearest ranks against the sorted values, within the promised error; exact where they must be. */
#include <string.h>

#include "sim/kernel/histogram.h"
#include "tests/sim/kernel/goodness.h"

static int compare_values(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left;
    uint64_t b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The ceil(permille * n / 1000)-th smallest, at least the first, in whole numbers. */
static uint64_t nearest_rank(const uint64_t *sorted, uint64_t n, uint64_t permille) {
    uint64_t rank = (permille * n + 999) / 1000;
    return sorted[rank > 0 ? rank - 1 : 0];
}

static void fill(struct histogram *histogram, const uint64_t *values, size_t n, int precision) {
    histogram_initialize(histogram, precision);
    for (size_t i = 0; i < n; i++) {
        histogram_add(histogram, values[i]);
    }
}

/* A bucket is at most 2^(1 - precision) of a value in it wide, so an answer from the value's own
 * bucket is within that of it; 2^-52 more for the answer's rounding to a double. Sorts the values.
 */
static void check(uint64_t *values, size_t n, int precision) {
    struct histogram histogram;
    fill(&histogram, values, n, precision);
    qsort(values, n, sizeof(values[0]), compare_values);
    double bound = ldexp(1, 1 - precision) + 0x1p-52;
    uint64_t step = precision > HISTOGRAM_FINE ? 111 : 7; /* a million buckets take their time */
    for (uint64_t permille = 0; permille <= 1000; permille += step) {
        double truth = (double)nearest_rank(values, n, permille);
        double answer = histogram_quantile(&histogram, (double)permille / 1000);
        assert_close(answer, truth, truth * bound);
        assert_true(truth >= ldexp(1, precision) || answer == truth);
    }
    assert_true(histogram_quantile(&histogram, 0) == (double)values[0]);
    assert_true(histogram_quantile(&histogram, 1) == (double)values[n - 1]);
    assert_true(histogram.minimum == values[0] && histogram.maximum == values[n - 1]);
    assert_true(histogram.count == n);
    histogram_terminate(&histogram);
}

static const int precisions[] = {2, HISTOGRAM_FAST, HISTOGRAM_FINE, 20};
enum { PRECISIONS = sizeof(precisions) / sizeof(precisions[0]) };

static void random_values_of_every_size(void **state) {
    (void)state;
    struct test_random random = {1};
    uint64_t values[2000];
    for (int round = 0; round < 200; round++) {
        size_t n = (size_t)test_random_between(&random, 1, round % 4 == 0 ? 2000 : 30);
        int narrowest = test_random_below(&random, 64);
        int widest = test_random_between(&random, narrowest, 63);
        for (size_t i = 0; i < n; i++) {
            values[i] =
                test_random_next(&random) >> test_random_between(&random, narrowest, widest);
        }
        check(values, n, precisions[round % PRECISIONS]);
    }
}

/* Powers of two and their neighbours, where octaves and buckets begin. */
static void edges(void **state) {
    (void)state;
    uint64_t values[64 * 3];
    for (int k = 0; k < PRECISIONS; k++) {
        for (int bit = 0; bit < 64; bit++) {
            values[3 * bit] = (UINT64_C(1) << bit) - 1;
            values[3 * bit + 1] = UINT64_C(1) << bit;
            values[3 * bit + 2] = (UINT64_C(1) << bit) + 1;
        }
        check(values, 64 * 3, precisions[k]);
    }
}

/* Two clusters with the rank asked for at either side of the gap; ties; a single outlier. */
static void adversaries(void **state) {
    (void)state;
    uint64_t values[1000];
    for (int k = 0; k < PRECISIONS; k++) {
        for (int split = 0; split <= 1000; split += 125) {
            for (int i = 0; i < 1000; i++) {
                values[i] = i < split ? 5000000 : UINT64_C(90000000000);
            }
            check(values, 1000, precisions[k]);
        }
        for (int i = 0; i < 1000; i++) {
            values[i] = i == 500 ? UINT64_MAX : 0;
        }
        check(values, 1000, precisions[k]);
    }
}

static void equal_values_are_exact(void **state) {
    (void)state;
    struct test_random random = {2};
    for (int round = 0; round < 1000; round++) {
        uint64_t value = test_random_next(&random) >> (11 + round % 53);
        struct histogram histogram;
        histogram_initialize(&histogram, HISTOGRAM_FAST);
        for (int i = 0; i < 1000; i++) {
            histogram_add(&histogram, value);
        }
        assert_true(histogram_quantile(&histogram, 0.5) == (double)value);
        assert_true(histogram_quantile(&histogram, 0.999) == (double)value);
        assert_true(histogram_mean(&histogram) == (double)value);
        histogram_terminate(&histogram);
    }
}

/* 7 % of 100 values is the seventh, though 0.07 x 100 > 7 in binary; so for every share of every
 * round number of values. */
static void ranks_survive_binary_fractions(void **state) {
    (void)state;
    for (uint64_t n = 100; n <= 1000; n += 100) {
        struct histogram histogram;
        histogram_initialize(&histogram, HISTOGRAM_FAST);
        for (uint64_t value = 1; value <= n; value++) {
            histogram_add(&histogram, value);
        }
        for (uint64_t percent = 1; percent <= 100; percent++) {
            assert_true(histogram_quantile(&histogram, (double)percent / 100) ==
                        (double)(percent * n / 100));
        }
        histogram_terminate(&histogram);
    }
}

static void extremes_and_empty(void **state) {
    (void)state;
    struct histogram histogram;
    histogram_initialize(&histogram, HISTOGRAM_FAST);
    uint64_t position = 0;
    uint64_t upper;
    uint64_t count;
    assert_true(histogram_quantile(&histogram, 0.5) == 0);
    assert_true(histogram_mean(&histogram) == 0);
    assert_false(histogram_next(&histogram, &position, &upper, &count));
    histogram_add(&histogram, 0);
    histogram_add(&histogram, UINT64_MAX);
    assert_true(histogram_quantile(&histogram, 0.5) == 0);
    assert_true(histogram_quantile(&histogram, 0.51) == 0x1p64);
    assert_true(histogram_mean(&histogram) == 0x1p63);
    histogram_terminate(&histogram);
}

/* In the bucket of UINT64_MAX offsets are up to 2^53 - 1: 2048 of them pass 2^64. The error bound
 * holds all the same, and so does the mean, which is kept apart. */
static void offsets_that_overflow_stay_within_the_bucket(void **state) {
    (void)state;
    struct histogram histogram;
    histogram_initialize(&histogram, HISTOGRAM_FAST);
    for (int i = 0; i < 100000; i++) {
        histogram_add(&histogram, UINT64_MAX - 1);
    }
    histogram_add(&histogram, UINT64_MAX);
    histogram_merge(&histogram, &histogram);
    double answer = histogram_quantile(&histogram, 0.5);
    assert_close(answer, 0x1p64, 0x1p54);
    assert_close(histogram_mean(&histogram), 0x1p64, 0);
    /* 200,000 times 2^64 - 2 and twice 2^64 - 1: 200,002 times 2^64, less 400,002. */
    assert_true(histogram_sum(&histogram) == ((unsigned __int128)200002 << 64) - 400002);
    histogram_terminate(&histogram);
}

static void assert_same(const struct histogram *a, const struct histogram *b) {
    assert_true(a->count == b->count && histogram_sum(a) == histogram_sum(b));
    assert_true(a->minimum == b->minimum && a->maximum == b->maximum);
    for (int permille = 0; permille <= 1000; permille += 9) {
        assert_true(histogram_quantile(a, permille / 1000.0) ==
                    histogram_quantile(b, permille / 1000.0));
    }
}

/* Any parts, in any order, empty ones too, down to the last bit. */
static void merging_is_adding_all(void **state) {
    (void)state;
    enum { PARTS = 7, N = 20000 };
    struct test_random random = {3};
    struct histogram parts[PARTS];
    struct histogram whole;
    struct histogram forwards;
    struct histogram backwards;
    histogram_initialize(&whole, HISTOGRAM_FINE);
    histogram_initialize(&forwards, HISTOGRAM_FINE);
    histogram_initialize(&backwards, HISTOGRAM_FINE);
    for (int i = 0; i < PARTS; i++) {
        histogram_initialize(&parts[i], HISTOGRAM_FINE);
    }
    for (int i = 0; i < N; i++) {
        uint64_t value = test_random_next(&random) >> test_random_below(&random, 64);
        histogram_add(&whole, value);
        histogram_add(&parts[test_random_below(&random, PARTS - 1)], value);
    }
    for (int i = 0; i < PARTS; i++) {
        histogram_merge(&forwards, &parts[i]);
        histogram_merge(&backwards, &parts[PARTS - 1 - i]);
    }
    assert_same(&forwards, &whole);
    assert_same(&backwards, &whole);
    for (int i = 0; i < PARTS; i++) {
        histogram_terminate(&parts[i]);
    }
    histogram_terminate(&whole);
    histogram_terminate(&forwards);
    histogram_terminate(&backwards);
}

/* The walk finds each value once, under an upper edge that is at least it and, from the previous
 * edge on, narrow enough. */
static void the_walk_accounts_for_every_value(void **state) {
    (void)state;
    struct test_random random = {4};
    uint64_t values[5000];
    for (int i = 0; i < 5000; i++) {
        values[i] =
            i == 0 ? UINT64_MAX : test_random_next(&random) >> test_random_below(&random, 64);
    }
    struct histogram histogram;
    fill(&histogram, values, 5000, HISTOGRAM_FAST);
    qsort(values, 5000, sizeof(values[0]), compare_values);
    uint64_t position = 0;
    uint64_t upper;
    uint64_t count;
    size_t seen = 0;
    while (histogram_next(&histogram, &position, &upper, &count)) {
        for (uint64_t i = 0; i < count; i++, seen++) {
            assert_true(values[seen] <= upper);
            assert_true((double)(upper - values[seen]) <= (double)values[seen] * 0x1p-10);
        }
        assert_true(seen == 5000 || values[seen] > upper);
    }
    assert_int_equal(seen, 5000);
    histogram_terminate(&histogram);
}

/* Octaves come when they are used: 2^13 buckets of 16 bytes each for a fine one. */
static void memory_follows_the_range(void **state) {
    (void)state;
    struct histogram histogram;
    histogram_initialize(&histogram, HISTOGRAM_FINE);
    for (int i = 0; i < 100000; i++) {
        histogram_add(&histogram, UINT64_C(5000000000) + (uint64_t)i);
    }
    int octaves = 0;
    for (int i = 0; i < 65; i++) {
        octaves += histogram.octaves[i] != NULL;
    }
    assert_int_equal(octaves, 1);
    histogram_prefetch(&histogram, 0); /* of an octave that is not there: nothing */
    histogram_prefetch(&histogram, UINT64_C(5000000000));
    histogram_terminate(&histogram);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_values_of_every_size),
        cmocka_unit_test(edges),
        cmocka_unit_test(adversaries),
        cmocka_unit_test(equal_values_are_exact),
        cmocka_unit_test(ranks_survive_binary_fractions),
        cmocka_unit_test(extremes_and_empty),
        cmocka_unit_test(offsets_that_overflow_stay_within_the_bucket),
        cmocka_unit_test(merging_is_adding_all),
        cmocka_unit_test(the_walk_accounts_for_every_value),
        cmocka_unit_test(memory_follows_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
