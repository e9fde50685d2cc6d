/* Batches of a sequence, in bounded memory. */
#include "sim/kernel/batch_series.h"
#include "tests/support/unit.h"

/* 0, 1, 2, ... at the times 0, 10, 20, ... */
static void add(struct batch_series *series, int from, int to) {
    for (int i = from; i < to; i++) {
        batch_series_add(series, 10 * i, i);
    }
}

static void only_complete_batches_count(void **state) {
    (void)state;
    struct batch_series series;
    batch_series_initialize(&series, 4, 3);
    add(&series, 0, 8);
    assert_int_equal(series.count, 2);
    assert_true(series.sums[0] == 0 + 1 + 2 && series.sums[1] == 3 + 4 + 5);
    assert_int_equal(series.began[1], 30);
    batch_series_terminate(&series);
}

/* The fourth batch of three fills the room: two of six, and then as long ones on. */
static void neighbours_merge_when_there_is_no_room(void **state) {
    (void)state;
    struct batch_series series;
    batch_series_initialize(&series, 4, 3);
    add(&series, 0, 12);
    assert_int_equal(series.count, 2);
    assert_int_equal(series.size, 6);
    assert_true(series.sums[0] == 15 && series.sums[1] == 51); /* 0..5, 6..11 */
    add(&series, 12, 18);
    assert_int_equal(series.count, 3);
    assert_true(series.sums[2] == 87); /* 12..17 */
    assert_int_equal(series.began[1], 60);
    assert_int_equal(series.began[2], 120);
    batch_series_terminate(&series);
}

/* Whatever the length n, batches of size 2^k hold consecutive values: batch b sums to
 * size x (first + last) / 2. */
static void long_sequences_stay_in_order(void **state) {
    (void)state;
    struct batch_series series;
    batch_series_initialize(&series, 40, 1);
    add(&series, 0, 100000);
    assert_in_range(series.count, 20, 39);
    assert_int_equal(series.size, 4096); /* 100000 / 4096 = 24.4 */
    for (size_t b = 0; b < series.count; b++) {
        double first = (double)(b * 4096);
        assert_true(series.sums[b] == 4096 * (first + first + 4095) / 2);
        assert_int_equal(series.began[b], 10 * b * 4096);
    }
    batch_series_terminate(&series);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_complete_batches_count),
        cmocka_unit_test(neighbours_merge_when_there_is_no_room),
        cmocka_unit_test(long_sequences_stay_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
