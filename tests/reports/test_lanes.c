/* No two spans of a lane overlap, and a lane is taken only if all before it are busy. */
#include "tests/reports/fixture.h"

#include "reports/lanes.h"

static void the_first_free_lane_is_taken(void **state) {
    (void)state;
    struct lanes *lanes = lanes_create();
    assert_int_equal(lanes_take(lanes, 0, 0, 10), 1);
    assert_int_equal(lanes_take(lanes, 0, 1, 3), 2);
    assert_int_equal(lanes_take(lanes, 0, 2, 9), 3);
    assert_int_equal(lanes_take(lanes, 0, 3, 4), 2); /* free at the very moment */
    assert_int_equal(lanes_take(lanes, 0, 9.5, 11), 2);
    assert_int_equal(lanes_take(lanes, 0, 9.5, 11), 3);
    assert_int_equal(lanes_take(lanes, 0, 10, 11), 1);
    lanes_destroy(lanes);
}

static void groups_do_not_share(void **state) {
    (void)state;
    struct lanes *lanes = lanes_create();
    assert_int_equal(lanes_take(lanes, 5, 0, 10), 1);
    assert_int_equal(lanes_take(lanes, 2, 0, 10), 1);
    assert_int_equal(lanes_take(lanes, 5, 0, 10), 2);
    lanes_destroy(lanes);
}

static void spans_without_length_leave_their_lane_free(void **state) {
    (void)state;
    struct lanes *lanes = lanes_create();
    assert_int_equal(lanes_take(lanes, 0, 1, 1), 1);
    assert_int_equal(lanes_take(lanes, 0, 1, 1), 1);
    lanes_destroy(lanes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_free_lane_is_taken),
        cmocka_unit_test(groups_do_not_share),
        cmocka_unit_test(spans_without_length_leave_their_lane_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
