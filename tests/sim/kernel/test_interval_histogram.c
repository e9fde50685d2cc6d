/* Quantiles of what came since it was emptied, against a sort of the same values; emptied, it is as
 * new. */
#include "sim/kernel/interval_histogram.h"

#include <math.h>
#include <stdlib.h>

#include "tests/support/unit.h"

static int by_value(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a;
    uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Nearest rank; a quantile in whole percent, so that the rank is exact. */
static uint64_t sorted_quantile(const uint64_t *sorted, size_t count, size_t percent) {
    size_t rank = (percent * count + 99) / 100;
    return sorted[rank > 0 ? rank - 1 : 0];
}

/* Values of some octaves: with a few equal ones, and now and then one of another size. */
static uint64_t draw(struct test_random *random) {
    uint64_t size = UINT64_C(1) << test_random_below(random, 40);
    return test_random_once_in(random, 3) ? 1000000
                                          : size + (uint64_t)test_random_below(random, 1 << 20);
}

static void quantiles_of_each_interval(void **state) {
    (void)state;
    enum { INTERVALS = 300, MOST = 400 };
    struct test_random random = {5};
    struct interval_histogram histogram;
    interval_histogram_initialize(&histogram, HISTOGRAM_FAST);
    for (int i = 0; i < INTERVALS; i++) {
        uint64_t values[MOST];
        size_t count = (size_t)test_random_below(&random, MOST);
        for (size_t v = 0; v < count; v++) {
            values[v] = draw(&random);
            interval_histogram_add(&histogram, values[v]);
        }
        assert_int_equal(histogram.values.count, count);
        qsort(values, count, sizeof values[0], by_value);
        static const size_t percents[] = {0, 1, 50, 95, 99, 100};
        for (size_t p = 0; count > 0 && p < sizeof percents / sizeof percents[0]; p++) {
            double exact = (double)sorted_quantile(values, count, percents[p]);
            double told = interval_histogram_quantile(&histogram, (double)percents[p] / 100);
            assert_true(fabs(told - exact) <= 0.001 * exact);
        }
        interval_histogram_clear(&histogram);
        assert_true(interval_histogram_quantile(&histogram, 0.5) == 0);
    }
    interval_histogram_terminate(&histogram);
}

/* The places of buckets are noted once each, however many values there are. */
static void memory_follows_the_range(void **state) {
    (void)state;
    struct interval_histogram histogram;
    interval_histogram_initialize(&histogram, HISTOGRAM_FAST);
    for (int i = 0; i < 100000; i++) {
        interval_histogram_add(&histogram, (uint64_t)(i % 7));
    }
    assert_int_equal(histogram.place_count, 7);
    interval_histogram_terminate(&histogram);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_of_each_interval),
        cmocka_unit_test(memory_follows_the_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
