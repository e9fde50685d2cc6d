/* Invariants: the parts of a request's latency are what happened to it, by hand, under each sharing
 * mode; they add up to it; and the figures tell their means over the slowest requests exactly. */
#include <math.h>

#include "tests/support/service_case.h"
#include "tests/support/unit.h"

static void assert_seconds(double nanoseconds, double expected_s) {
    if (fabs(nanoseconds - expected_s * 1e9) > 2) {
        fail_msg("%.3f ns is not %.9f s", nanoseconds, expected_s);
    }
}

static void open_seated(struct service_case *service_case, int32_t replicas, int32_t concurrency,
                        const char *sharing) {
    service_case_initialize(service_case, replicas, "round_robin");
    service_case->spec.service.concurrency = concurrency;
    service_case_open(service_case, sharing);
    for (int32_t i = 0; i < replicas; i++) {
        service_case_seat(service_case, 0, i, 1);
    }
}

/* Of all requests, at the quantile 0: ns. */
static void means(const struct service_case *service_case, double parts[LATENCY_PART_COUNT]) {
    const struct service_figures *figures = &service_case->figures;
    assert_true(latency_parts_above(&figures->parts, &figures->latency, 0, parts));
    double sum = 0;
    for (int i = 0; i < LATENCY_PART_COUNT; i++) {
        sum += parts[i];
    }
    assert_seconds(sum - histogram_mean(&figures->latency), 0);
}

/* Two at once on a GPU alone. 1 is alone for 2 s and then has 2 s left at half speed, to 6; 2 has
 * done 2 of its 4 s then. 3 waits for a place to 6; it takes its 1 s in 2, to 8, and 2 has 1 s
 * left, to 9. */
static void two_at_once(void **state) {
    (void)state;
    struct service_case service_case;
    open_seated(&service_case, 1, 2, "exclusive");
    service_case_arrive(&service_case, 0, 4);
    service_case_arrive(&service_case, 2, 4);
    service_case_arrive(&service_case, 3, 1);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 6);
    service_case_expect_completed(&service_case, 2, 0, 2, 9);
    service_case_expect_completed(&service_case, 3, 0, 6, 8);
    assert_seconds(service_case.rows[1].parts.batching, 2);
    assert_seconds(service_case.rows[2].parts.batching, 3);
    assert_seconds(service_case.rows[3].parts.batching, 1);
    double parts[LATENCY_PART_COUNT];
    means(&service_case, parts);
    assert_seconds(parts[LATENCY_QUEUEING], 3.0 / 3);
    assert_seconds(parts[LATENCY_BATCHING], 6.0 / 3);
    assert_seconds(parts[LATENCY_SERVICE], 9.0 / 3);
    service_case_terminate(&service_case);
}

/* Slices of 2 s, switches of 1 s: tenant 0 computes in [0, 2), 1 in [3, 4), where 2 ends, and 0 in
 * [5, 6), where 1 ends. 3 waits for 1, though two may run at once: a tenant's requests take turns
 * here. It goes on in the same slice. */
static void in_turns(void **state) {
    (void)state;
    struct service_case service_case;
    open_seated(&service_case, 2, 2, "timeslice");
    service_case_arrive(&service_case, 0, 3);
    service_case_arrive(&service_case, 0, 1);
    service_case_arrive(&service_case, 1, 0.5);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 6);
    service_case_expect_completed(&service_case, 2, 1, 0, 4);
    service_case_expect_completed(&service_case, 3, 0, 6, 6.5);
    assert_seconds(service_case.rows[1].parts.others, 1);
    assert_seconds(service_case.rows[1].parts.switching, 2);
    assert_seconds(service_case.rows[2].parts.others, 2);
    assert_seconds(service_case.rows[2].parts.switching, 1);
    double parts[LATENCY_PART_COUNT];
    means(&service_case, parts);
    assert_seconds(parts[LATENCY_OTHERS], 3.0 / 3);
    assert_seconds(parts[LATENCY_SWITCHING], 3.0 / 3);
    assert_seconds(parts[LATENCY_QUEUEING], 5.0 / 3);
    assert_seconds(parts[LATENCY_SERVICE], 4.5 / 3);
    service_case_terminate(&service_case);
}

/* Two tenants that each use all SMs: half speed while both compute. 1 is done at 4 with its 2 s,
 * and then 2 has 2 s left, alone, to 6. */
static void together(void **state) {
    (void)state;
    struct service_case service_case;
    open_seated(&service_case, 2, 1, "mps");
    service_case_arrive(&service_case, 0, 2);
    service_case_arrive(&service_case, 0, 4);
    service_case_finish(&service_case);
    service_case_expect_completed(&service_case, 1, 0, 0, 4);
    service_case_expect_completed(&service_case, 2, 1, 0, 6);
    assert_seconds(service_case.rows[1].parts.interference, 2);
    assert_seconds(service_case.rows[2].parts.interference, 2);
    double parts[LATENCY_PART_COUNT];
    means(&service_case, parts);
    assert_seconds(parts[LATENCY_INTERFERENCE], 2);
    assert_seconds(parts[LATENCY_SERVICE], 3);
    assert_seconds(parts[LATENCY_QUEUEING], 0);
    service_case_terminate(&service_case);
}

/* Random requests: what each took from its start to its end is its work and the parts. */
static void parts_add_up(void **state) {
    (void)state;
    static const char *const modes[] = {"exclusive", "timeslice", "mps"};
    struct test_random random = {3};
    for (int i = 0; i < 60; i++) {
        struct service_case service_case;
        double now = 0;
        open_seated(&service_case, 3, 1 + i % 2, modes[i % 3]);
        for (int k = 0; k < 40; k++) {
            now += test_random_below(&random, 4000) * 1e-3;
            service_case_arrive(&service_case, now, test_random_below(&random, 5000) * 1e-3);
        }
        service_case_finish(&service_case);
        for (int k = 1; k <= 40; k++) {
            const struct service_row *row = &service_case.rows[k];
            const struct task_parts *parts = &row->parts;
            assert_true(row->left && row->state == REQUEST_COMPLETED);
            assert_true(parts->others > -2 && parts->switching >= 0 && parts->interference > -2 &&
                        parts->batching > -2);
            assert_seconds(parts->others + parts->switching + parts->interference + parts->batching,
                           row->end_s - row->start_s - row->work_s);
        }
        double parts[LATENCY_PART_COUNT];
        means(&service_case, parts);
        service_case_terminate(&service_case);
    }
}

/* A figure of 1 to 100 s, each of half service and half interference but the three longest, which
 * are all queueing and loading. */
static struct service_figures figures_of(int from, int to, sim_time slo) {
    struct service_figures figures;
    service_figures_initialize(&figures, slo);
    for (int i = from; i <= to; i++) {
        sim_time second = NANOSECONDS_PER_SECOND;
        struct request request = {
            .task = {.work = i <= 97 ? i * second / 2 : 0},
            .cold = i <= 97 ? 0 : 10 * second,
        };
        struct task_parts parts = {.interference = i <= 97 ? i * 0.5e9 : 0};
        service_figures_left(&figures, &request, REQUEST_COMPLETED, &parts, i * second);
    }
    return figures;
}

/* The nearest rank of 0.99 in 100 is the 99th: 99 and 100 s, of which 10 s are loading each. That
 * of 0.97 is the 97th: (97 + 98 + 99 + 100) / 4 = 98.5 s; 97 / 8 s of service. (Buckets at 100 s
 * are less than 0.1 s wide.) */
static void assert_slowest(const struct service_figures *figures) {
    double parts[LATENCY_PART_COUNT];
    assert_true(latency_parts_above(&figures->parts, &figures->latency, 0.99, parts));
    assert_seconds(parts[LATENCY_QUEUEING], 89.5);
    assert_seconds(parts[LATENCY_LOADING], 10);
    assert_seconds(parts[LATENCY_SERVICE], 0);
    assert_true(latency_parts_above(&figures->parts, &figures->latency, 0.97, parts));
    assert_seconds(parts[LATENCY_QUEUEING], 267.0 / 4);
    assert_seconds(parts[LATENCY_LOADING], 30.0 / 4);
    assert_seconds(parts[LATENCY_SERVICE], 97.0 / 8);
    assert_seconds(parts[LATENCY_INTERFERENCE], 97.0 / 8);
    assert_seconds(parts[LATENCY_OTHERS], 0);
}

static void the_slowest_requests(void **state) {
    (void)state;
    struct service_figures figures = figures_of(1, 100, SIM_TIME_NEVER);
    assert_slowest(&figures);
    service_figures_terminate(&figures);
}

static void figures_merge(void **state) {
    (void)state;
    struct service_figures figures = figures_of(1, 40, SIM_TIME_NEVER);
    struct service_figures other = figures_of(41, 100, 60 * NANOSECONDS_PER_SECOND);
    service_figures_merge(&figures, &other);
    assert_slowest(&figures);
    assert_int_equal(figures.completed, 100);
    /* Only the second has an slo: 41 to 60 of 41 to 100 meet it. */
    assert_true(service_figures_slo_attainment(&figures) == 20.0 / 60);
    service_figures_terminate(&figures);
    service_figures_terminate(&other);
}

/* Of 4 with an slo of 1 s, one is at 1 s, one later, one timed out, one failed: 1 of 4. */
static void the_slo(void **state) {
    (void)state;
    struct service_figures figures;
    struct request request = {.task = {.work = 0}};
    struct task_parts parts = {0};
    service_figures_initialize(&figures, NANOSECONDS_PER_SECOND);
    assert_true(isnan(service_figures_slo_attainment(&figures)));
    service_figures_left(&figures, &request, REQUEST_COMPLETED, &parts, NANOSECONDS_PER_SECOND);
    service_figures_left(&figures, &request, REQUEST_COMPLETED, &parts, NANOSECONDS_PER_SECOND + 1);
    service_figures_left(&figures, &request, REQUEST_TIMED_OUT, NULL, 5);
    service_figures_left(&figures, &request, REQUEST_FAILED, NULL, 5);
    service_figures_remained(&figures, REQUEST_RUNNING);
    assert_true(service_figures_slo_attainment(&figures) == 0.25);
    service_figures_terminate(&figures);
}

static void no_requests(void **state) {
    (void)state;
    struct service_figures figures;
    double parts[LATENCY_PART_COUNT];
    service_figures_initialize(&figures, SIM_TIME_NEVER);
    assert_false(latency_parts_above(&figures.parts, &figures.latency, 0.99, parts));
    assert_true(isnan(parts[LATENCY_SERVICE]));
    service_figures_terminate(&figures);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_at_once),
        cmocka_unit_test(in_turns),
        cmocka_unit_test(together),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(the_slowest_requests),
        cmocka_unit_test(figures_merge),
        cmocka_unit_test(the_slo),
        cmocka_unit_test(no_requests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
