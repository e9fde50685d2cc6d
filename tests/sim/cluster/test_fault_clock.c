/* Clocks of units that fail and are repaired, of which some are not there for a while. */
#include "sim/cluster/fault_clock.h"
#include "tests/support/unit.h"

enum { UNITS = 23, TURNS = 4000 };

struct fixture {
    struct distribution up;
    struct distribution down;
    struct fault_clock clock;
};

static void uniform(struct distribution *distribution, double least, double most) {
    struct error error;
    *distribution =
        (struct distribution){.kind = distribution_find("uniform"), .given = {least, most}};
    assert_true(distribution_prepare(distribution, &error));
}

static void begin(struct fixture *fixture) {
    uniform(&fixture->up, 10, 1000);
    uniform(&fixture->down, 1, 50);
    fault_clock_initialize(&fixture->clock, UNITS, &fixture->up, &fixture->down, 0, 7, 0, "test");
}

static int32_t first_of(const struct fault_clock *clock) {
    int32_t first = 0;
    for (int32_t unit = 1; unit < UNITS; unit++) {
        first = clock->next[unit] < clock->next[first] ? unit : first;
    }
    return first;
}

/* Whatever comes and goes, the next to turn is the first of all by time, then by number; who is not
 * there does not turn. */
static void the_first_turns_next(void **state) {
    (void)state;
    struct fixture fixture;
    struct test_random random = {5};
    bool there[UNITS];
    begin(&fixture);
    for (int32_t unit = 0; unit < UNITS; unit++) {
        there[unit] = true;
    }
    for (int turn = 0; turn < TURNS; turn++) {
        int32_t first = first_of(&fixture.clock);
        sim_time now = fault_clock_next(&fixture.clock);
        assert_true(now == fixture.clock.next[first] && now < SIM_TIME_NEVER);
        assert_int_equal(fault_clock_turn(&fixture.clock), first);
        assert_true(there[first]);
        int32_t unit = 1 + test_random_below(&random, UNITS - 1); /* one is always there */
        if (test_random_once_in(&random, 3)) {
            there[unit] = !there[unit];
            if (there[unit]) {
                fault_clock_begin_anew(&fixture.clock, unit, now);
                assert_true(fixture.clock.next[unit] >= now + 10);
            } else {
                fault_clock_stop(&fixture.clock, unit);
            }
            assert_false(fixture.clock.is_down[unit]);
        }
    }
    fault_clock_terminate(&fixture.clock);
}

/* A unit that begins anew has what it would have drawn next, and moves nobody else's draws. */
static void draws_stay_their_own(void **state) {
    (void)state;
    struct fixture plain;
    struct fixture changed;
    begin(&plain);
    begin(&changed);
    sim_time first[UNITS];
    sim_time second[UNITS]; /* how long each is up the second time */
    for (int32_t unit = 0; unit < UNITS; unit++) {
        first[unit] = plain.clock.next[unit];
        second[unit] = -1;
    }
    for (int left = UNITS; left > 0;) {
        sim_time now = fault_clock_next(&plain.clock);
        int32_t unit = fault_clock_turn(&plain.clock);
        if (!plain.clock.is_down[unit] && second[unit] < 0) {
            second[unit] = plain.clock.next[unit] - now;
            left--;
        }
    }
    fault_clock_stop(&changed.clock, 3);
    fault_clock_begin_anew(&changed.clock, 3, 5000);
    for (int32_t unit = 0; unit < UNITS; unit++) {
        assert_true(changed.clock.next[unit] == (unit == 3 ? 5000 + second[3] : first[unit]));
    }
    fault_clock_terminate(&plain.clock);
    fault_clock_terminate(&changed.clock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_turns_next),
        cmocka_unit_test(draws_stay_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
