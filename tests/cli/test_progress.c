/* The line that shows how far a batch is; every expected text is by hand. */
#include "tests/reports/fixture.h"

#include "cli/progress.h"

static const char *line(const struct progress_state *state, double elapsed_s) {
    static char text[512];
    progress_format(text, sizeof text, state, elapsed_s);
    return text;
}

/* Two of eight runs, and half of a third: 2.5 / 8 = 31.25 %, 4.375 of 14 bars. At 5 s the rest
 * takes 5 s x 0.6875 / 0.3125 = 11 s more; 20 M events in 5 s are 4 M a second. */
static void a_batch_says_all_there_is(void **state) {
    (void)state;
    struct progress_state now = {.done = 2,
                                 .all = 8,
                                 .fraction = 0.3125,
                                 .events = 20000000,
                                 .simulated_s = 3.5 * 86400,
                                 .horizon_s = 7 * 86400};
    assert_string_equal(line(&now, 5), "████░░░░░░░░░░  31 %, ETA 11 s, 2/8 runs, at 3d 12h of 7d, "
                                       "4.0 M events/s");
}

static void finite_work_has_no_horizon(void **state) {
    (void)state;
    struct progress_state now = {
        .done = 0, .all = 1, .events = 5000, .simulated_s = 3600, .horizon_s = -1};
    assert_string_equal(line(&now, 2), "░░░░░░░░░░░░░░   0 %, at 1h, 2,500 events/s");
}

static void nothing_is_foretold_from_too_little(void **state) {
    (void)state;
    struct progress_state now = {.done = 1, .all = 2, .fraction = 0.5, .simulated_s = -1};
    assert_string_equal(line(&now, 0.9), "███████░░░░░░░  50 %, 1/2 runs");
    assert_string_equal(line(&now, 1), "███████░░░░░░░  50 %, ETA 1 s, 1/2 runs");
    now.fraction = 0.009;
    assert_string_equal(line(&now, 100), "░░░░░░░░░░░░░░   1 %, 1/2 runs");
}

static void the_end_is_full(void **state) {
    (void)state;
    struct progress_state now = {.done = 3, .all = 3, .fraction = 1, .simulated_s = -1};
    assert_string_equal(line(&now, 0), "██████████████ 100 %, 3/3 runs");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_says_all_there_is),
        cmocka_unit_test(finite_work_has_no_horizon),
        cmocka_unit_test(nothing_is_foretold_from_too_little),
        cmocka_unit_test(the_end_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
