/* Calendars of layouts, and windows of workloads: what is read, and what is refused. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

#define HOUR (3600 * NANOSECONDS_PER_SECOND)
#define START "start: \"2026-03-02T00:00:00\"\n"
/* One pool `p`, whose sharing begins in line 6 and its calendar in line 7. */
#define HEAD FIXTURE_HEAD START
#define POOL(sharing)                                                                              \
    "cluster: {pools: {p:\n  {gpu: A100-SXM4-80GB, nodes: 2, gpus_per_node: 8,\n" sharing          \
    "}}}\n" FIXTURE_WORK
#define CALENDAR(entries)                                                                          \
    HEAD POOL("sharing: {mode: mig, layout: [7g.80gb], calendar:\n" entries "}")

static void test_entries(void **state) {
    struct fixture *fixture = *state;
    const struct scenario *s = fixture_accept(
        fixture,
        HEAD POOL("sharing: {mode: mig, layout: [3g.40gb, 2g.20gb], reconfigure: {drain: preempt, "
                  "drain_limit: 10m, at_most: 2}, calendar: [\n"
                  "{days: [mon-fri], from: \"09:00\", to: \"21:00\", layout: [{profile: 1g.10gb, "
                  "count: 7, sharing: {mode: timeslice, replicas: 2}}]},\n"
                  "{from: \"21:00\", to: \"06:00\", mode: exclusive},\n"
                  "{days: sat-sun, from: \"12:00\", to: \"21:00\", layout: [7g.80gb]}]}"));
    const struct sharing_spec *spec = s->pools[0].sharing.options;
    assert_int_equal(spec->calendar_count, 3);
    const struct calendar_entry *entries = spec->calendar;
    assert_int_equal(entries[0].span.days, 0x1f);
    assert_true(entries[0].span.from == 9 * HOUR && entries[0].span.to == 21 * HOUR);
    assert_int_equal(entries[0].mode, CALENDAR_MIG);
    assert_int_equal(entries[0].layout_count, 1);
    assert_int_equal(entries[0].layout[0].count, 7);
    assert_int_equal(entries[0].layout[0].sharing.index, SHARING_TIMESLICE);
    assert_int_equal(entries[0].place.line, 7);
    assert_int_equal(entries[1].span.days, EVERY_WEEKDAY);
    assert_true(entries[1].span.from == 21 * HOUR && entries[1].span.to == 6 * HOUR);
    assert_int_equal(entries[1].mode, CALENDAR_EXCLUSIVE);
    assert_int_equal(entries[2].span.days, 0x60);
    assert_int_equal(spec->reconfigure.drain, DRAIN_PREEMPT);
    assert_true(spec->reconfigure.drain_limit == 600 * NANOSECONDS_PER_SECOND);
    assert_int_equal(spec->reconfigure.at_most, 2);
    assert_false(sharing_way(spec, 0).whole);
    assert_true(sharing_way(spec, 2).whole && sharing_is_ever_whole(spec));
}

static void test_whole_days(void **state) {
    struct fixture *fixture = *state;
    const struct scenario *s =
        fixture_accept(fixture, CALENDAR("[{days: sun, mode: exclusive}, {days: mon-sat, from: "
                                         "\"12:00\", to: \"24:00\", layout: [3g.40gb]}]"));
    const struct sharing_spec *spec = s->pools[0].sharing.options;
    assert_true(spec->calendar[0].span.from == 0 && spec->calendar[0].span.to == 24 * HOUR);
    assert_true(spec->calendar[1].span.to == 24 * HOUR);
    assert_true(spec->reconfigure.drain_limit == SIM_TIME_NEVER);
    assert_true(spec->reconfigure.at_most == INT64_MAX);
    assert_int_equal(spec->reconfigure.drain, DRAIN_WAIT);
}

static void test_overlaps(void **state) {
    fixture_refuse(*state,
                   CALENDAR("[{days: mon-fri, from: \"09:00\", to: \"21:00\", mode: exclusive},\n"
                            " {from: \"21:00\", to: \"06:00\", layout: [3g.40gb]},\n"
                            " {days: fri, from: \"20:00\", to: \"22:00\", mode: exclusive}]"),
                   "9:2: this entry and that of line 7 both hold from Friday 20:00 on: let one end "
                   "before the other begins\n");
    fixture_refuse(*state,
                   CALENDAR("[{days: sun, from: \"21:00\", to: \"06:00\", mode: exclusive},\n"
                            " {days: mon, layout: [3g.40gb]}]"),
                   "8:2: this entry and that of line 7 both hold from Monday 00:00 on: let one end "
                   "before the other begins\n");
}

static void test_entries_that_say_too_little_or_too_much(void **state) {
    fixture_refuse(*state, CALENDAR("[{from: \"09:00\", to: \"21:00\"}]"),
                   "7:2: this entry needs a layout such as [3g.40gb, 2g.20gb, 2g.20gb], or mode: "
                   "exclusive for whole GPUs\n");
    fixture_refuse(
        *state, CALENDAR("[{mode: exclusive, layout: [3g.40gb]}]"),
        "7:28: mode: exclusive leaves GPUs whole, so there is no layout: leave one out\n");
    fixture_refuse(*state, CALENDAR("[{from: \"09:00\", to: \"09:00\", mode: exclusive}]"),
                   "7:2: this entry begins and ends at one time of day: leave out from and to for "
                   "whole days, or end it at another\n");
    fixture_refuse(*state, CALENDAR("[{days: weekdays, from: \"9\", mode: mps}]"),
                   "7:9: cluster.pools.p.sharing.mig.calendar.days must be days of the week such "
                   "as mon-fri or [sat, sun], not \"weekdays\"\n"
                   "7:25: cluster.pools.p.sharing.mig.calendar.from must be a time of day from "
                   "00:00 to 23:59, such as \"14:00\", not \"9\"\n"
                   "7:36: cluster.pools.p.sharing.mig.calendar.mode must be mig or exclusive, not "
                   "\"mps\"\n");
    fixture_refuse(*state, CALENDAR("[]"),
                   "7:1: cluster.pools.p.sharing.mig.calendar needs at least one item\n");
}

static void test_layouts_that_do_not_fit(void **state) {
    assert_null(fixture_read(*state, CALENDAR("[{layout: [14, 14, 14, 9]}]")));
    struct fixture *fixture = *state;
    assert_int_equal(fixture->errors.count, 1);
    assert_int_equal(fixture->errors.items[0].line, 7);
    assert_int_equal(fixture->errors.items[0].column, 11);
}

static void test_what_does_not_go_together(void **state) {
    fixture_refuse(*state,
                   FIXTURE_HEAD POOL("sharing: {mode: mig, layout: [7g.80gb], calendar:\n"
                                     "[{days: sun, mode: exclusive}]}"),
                   "6:1: a calendar goes by the wall clock: say what that is at t = 0, such as "
                   "`start: \"2026-03-02T00:00:00\"`, a Monday\n");
    fixture_refuse(
        *state,
        HEAD POOL("sharing: {mode: mig, dynamic: true, calendar:\n"
                  "[{days: sun, mode: exclusive}]}"),
        "7:1: a calendar says how GPUs are cut at each hour, and `dynamic` cuts them for "
        "what waits at any, so that one would undo what the other does: leave out the "
        "calendar to cut them on demand, or `dynamic` to keep to the hours\n");
    fixture_accept(*state,
                   HEAD POOL("sharing: {mode: mig, layout: [7g.80gb], calendar:\n"
                             "[{days: sun, mode: exclusive}]}") "scheduler: {backfill: easy}\n");
    fixture_refuse(*state, HEAD POOL("sharing: {mode: mig, layout: [7g.80gb], hysteresis: 5m}"),
                   "6:53: hysteresis is for GPUs that are cut for what waits: add `dynamic: "
                   "true`, or leave it out\n");
    fixture_accept(*state, HEAD POOL("sharing: {mode: mig, dynamic: true, hysteresis: 5m}"));
}

/* Whole GPUs by night, and 1g by day: workloads may ask for either. */
static void test_slots_of_any_entry_can_be_asked_for(void **state) {
#define WORK(slot)                                                                                 \
    HEAD "cluster: {pools: {p: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1, sharing: {mode: " \
         "mig, layout: [7g.80gb], calendar: [{from: \"21:00\", to: \"06:00\", mode: exclusive}, "  \
         "{from: \"09:00\", to: \"12:00\", layout: [1g.10gb]}]}}}}\n"                              \
         "workloads: {w: {kind: jobs, arrivals: {poisson: 1/h}, duration: 1h, slot: " slot "}}\n"
    fixture_accept(*state, WORK("gpu"));
    fixture_accept(*state, WORK("1g.10gb"));
    fixture_refuse(*state, WORK("2g.20gb"),
                   "5:75: workload w insists on 2g.20gb, but no GPU that it may run on is cut so: "
                   "put one into a `layout`, or take slot: any\n");
#undef WORK
}

#define WORKLOAD(head, keys) head FIXTURE_CLUSTER "workloads: {w: {" keys "}}\n"
#define JOBS "kind: jobs, arrivals: {poisson: 12/h}, duration: 2h, "

static void test_windows(void **state) {
    const struct scenario *s = fixture_accept(
        *state, WORKLOAD(HEAD, JOBS "window: [\"21:00-06:00\", \"sat 00:00-24:00\"], at_end: "
                                    "preempt"));
    const struct workload_spec *w = &s->workloads[0];
    assert_int_equal(w->window_count, 2);
    assert_true(w->window[0].from == 21 * HOUR && w->window[0].to == 6 * HOUR);
    assert_int_equal(w->window[1].days, 1 << SATURDAY);
    assert_int_equal(w->at_end, WINDOW_PREEMPT);
    s = fixture_accept(*state, WORKLOAD(FIXTURE_HEAD, JOBS "gpus: 1"));
    assert_int_equal(s->workloads[0].window_count, 0);
    fixture_refuse(*state, WORKLOAD(HEAD, JOBS "window: [\"21:00\", \"noon\"]"),
                   "5:79: workloads.w.window must be hours such as \"21:00-06:00\" or \"sat "
                   "00:00-24:00\", not \"21:00\"\n"
                   "5:88: workloads.w.window must be hours such as \"21:00-06:00\" or \"sat "
                   "00:00-24:00\", not \"noon\"\n");
    fixture_refuse(*state, WORKLOAD(FIXTURE_HEAD, JOBS "window: [\"21:00-06:00\"]"),
                   "4:70: the window of workload w goes by the wall clock: say what that is at t = "
                   "0, such as `start: \"2026-03-02T00:00:00\"`, a Monday\n");
    fixture_refuse(*state, WORKLOAD(HEAD, JOBS "at_end: preempt"),
                   "5:70: at_end says what becomes of jobs when their window ends, and workload w "
                   "has none: add a `window`\n");
    fixture_refuse(
        *state,
        WORKLOAD(HEAD, "kind: service, arrivals: {poisson: 1/s}, service_time: 1s, "
                       "window: [\"21:00-06:00\"]"),
        "5:76: workload w is a service, which has no window: its replicas run as long as "
        "the scenario\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_entries, setup, teardown),
        cmocka_unit_test_setup_teardown(test_whole_days, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overlaps, setup, teardown),
        cmocka_unit_test_setup_teardown(test_entries_that_say_too_little_or_too_much, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_layouts_that_do_not_fit, setup, teardown),
        cmocka_unit_test_setup_teardown(test_what_does_not_go_together, setup, teardown),
        cmocka_unit_test_setup_teardown(test_slots_of_any_entry_can_be_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(test_windows, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
