/* When a figure is worst, of rows that are made up: what the right answer is follows from how they
 * were made, or is found again by going through all of them. */
#include <math.h>
#include <stdlib.h>

#include "plan/worst_moment.h"
#include "tests/plan/plan_fixture.h"

#define HOUR (3600 * NANOSECONDS_PER_SECOND)
#define SECOND NANOSECONDS_PER_SECOND

enum { REPLICATIONS = 6 };

struct world {
    struct plan_fixture fixture;
    struct plan_moments moments[REPLICATIONS];
    struct recorder recorders[REPLICATIONS];
};

static void open_world(struct world *world, const char *head, const char *objective) {
    char text[2048];
    snprintf(text, sizeof text,
             "headroom: 1\n%s\n"
             "cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 3, gpus_per_node: 1},\n"
             "                  b: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 1}}}\n"
             "workloads:\n"
             "  jobs: {kind: jobs, arrivals: {poisson: 1/s}, duration: 1s, limit: 10, pools: [a]}\n"
             "  chat: {kind: service, arrivals: {poisson: 1/s}, limit: 10, service_time: 1ms,\n"
             "         slo: 2s, pools: [b]}\n"
             "objectives: [%s]\n",
             head, objective);
    plan_fixture_open(&world->fixture, text);
    const struct scenario *scenario = world->fixture.scenario;
    assert_true(plan_objective_has_moments(&scenario->objectives[0]));
    for (size_t r = 0; r < REPLICATIONS; r++) {
        plan_moments_create(&world->moments[r], scenario, &scenario->objectives[0]);
        world->recorders[r] = plan_moments_recorder(&world->moments[r]);
    }
}

static void close_world(struct world *world) {
    for (size_t r = 0; r < REPLICATIONS; r++) {
        plan_moments_destroy(&world->moments[r]);
    }
    plan_fixture_close(&world->fixture);
}

static void add_job(struct world *world, size_t replication, sim_time submit, sim_time wait) {
    struct job_record job = {.workload = "jobs",
                             .id = "1",
                             .gpus = 1,
                             .submit = submit,
                             .start = submit + wait,
                             .end = submit + wait + SECOND,
                             .run = SECOND,
                             .state = JOB_COMPLETED};
    struct recorder *recorder = &world->recorders[replication];
    assert_true(recorder->job(recorder->context, &job, NULL));
}

static void add_request(struct world *world, size_t replication, sim_time arrival, sim_time latency,
                        enum request_state state) {
    struct request_record request = {.workload = "chat",
                                     .arrival = arrival,
                                     .start = arrival,
                                     .end = arrival + latency,
                                     .state = state};
    struct recorder *recorder = &world->recorders[replication];
    assert_true(recorder->request(recorder->context, &request, NULL));
}

/* A job a minute for four days; from 14:00 to 15:00 they wait 100 s, else 10 s. So the median is
 * 100 there and 10 over all; of what came before the warm-up ended nothing counts. */
static void an_hour_of_the_day_stands_out(void **state) {
    (void)state;
    struct world world;
    open_world(&world, "horizon: 4d\nwarmup: 1h", "workload.jobs.wait_s.p50 <= 30s");
    for (size_t r = 0; r < REPLICATIONS; r++) {
        for (sim_time t = 0; t < 96 * HOUR; t += 60 * SECOND) {
            bool peak = t / HOUR % 24 == 14;
            add_job(&world, r, t, t < HOUR ? 9999 * SECOND : peak ? 100 * SECOND : 10 * SECOND);
        }
    }
    struct plan_worst worst;
    plan_moments_worst(world.moments, REPLICATIONS, &worst);
    assert_true(worst.known && worst.of_day && worst.stands_out);
    assert_true(worst.from_s >= 14 * 3600 && worst.to_s <= 15 * 3600);
    assert_true(worst.value == 100 && worst.overall == 10);
    close_world(&world);
}

/* The same, but on the third day only: of several days that hour of the day is still the worst. In
 * a run of 36 hours it is one of the run. */
static void an_hour_of_the_run_stands_out(void **state) {
    (void)state;
    struct world world;
    open_world(&world, "horizon: 4d", "run.wait_s.mean <= 30s");
    for (size_t r = 0; r < REPLICATIONS; r++) {
        for (sim_time t = 0; t < 96 * HOUR; t += 60 * SECOND) {
            bool peak = t >= 62 * HOUR && t < 63 * HOUR;
            add_job(&world, r, t,
                    (peak                 ? 100 + (sim_time)r
                     : t / HOUR % 24 < 12 ? 0
                                          : 20) *
                        SECOND);
        }
    }
    struct plan_worst worst;
    plan_moments_worst(world.moments, REPLICATIONS, &worst);
    /* Of the days: 14:00 has (100 + 2.5 + 3 x 20) / 4 = 40.6, beside 20 at other hours: it is
     * worst, and stands out as well. */
    assert_true(worst.known && worst.of_day && worst.stands_out);
    assert_true(worst.from_s >= 14 * 3600 && worst.to_s <= 15 * 3600);
    assert_true(fabs(worst.value - 40.625) < 1e-6);
    close_world(&world);
    /* In a run of 36 hours there are no days to be alike. */
    open_world(&world, "horizon: 36h", "run.wait_s.mean <= 30s");
    for (size_t r = 0; r < REPLICATIONS; r++) {
        for (sim_time t = 0; t < 36 * HOUR; t += 60 * SECOND) {
            bool peak = t >= 31 * HOUR && t < 32 * HOUR;
            add_job(&world, r, t, (peak ? 100 + (sim_time)r : 20) * SECOND);
        }
    }
    plan_moments_worst(world.moments, REPLICATIONS, &worst);
    assert_true(worst.known && !worst.of_day && worst.stands_out);
    assert_true(worst.from_s >= 31 * 3600 && worst.to_s <= 32 * 3600);
    assert_true(fabs(worst.value - 102.5) < 1e-6);
    /* (100 + 2.5) / 36 + 20 x 35 / 36 */
    assert_true(fabs(worst.overall - (102.5 + 35 * 20) / 36) < 1e-6);
    close_world(&world);
}

/* Waits that know nothing of the time: in 300 tries, two tests each at 5 %, so 30 are expected to
 * see something, and 53 or more once in 10,000 times. */
static void chance_does_not_stand_out(void **state) {
    (void)state;
    struct test_random random = {.state = 1};
    int seen = 0;
    for (int try = 0; try < 300; try++) {
        struct world world;
        open_world(&world, "horizon: 3d", "run.wait_s.mean <= 1s");
        for (size_t r = 0; r < REPLICATIONS; r++) {
            for (sim_time t = 0; t < 72 * HOUR; t += HOUR / 4) {
                add_job(&world, r, t, (sim_time)(test_random_next(&random) % (uint64_t)SECOND));
            }
        }
        struct plan_worst worst;
        plan_moments_worst(world.moments, REPLICATIONS, &worst);
        assert_true(worst.known);
        seen += worst.stands_out;
        close_world(&world);
    }
    assert_in_range(seen, 0, 52);
}

static void few_jobs_tell_nothing(void **state) {
    (void)state;
    struct world world;
    open_world(&world, "horizon: 4d", "run.wait_s.p99 <= 1s");
    for (size_t r = 0; r < REPLICATIONS; r++) {
        for (sim_time t = 0; t < 10; t++) {
            add_job(&world, r, t * 9 * HOUR, SECOND);
        }
    }
    struct plan_worst worst;
    plan_moments_worst(world.moments, REPLICATIONS, &worst);
    assert_false(worst.known);
    plan_moments_worst(world.moments, 0, &worst);
    assert_false(worst.known);
    close_world(&world);
}

/* Runs whose length nobody knows, from a minute to years: the part that comes out has the mean that
 * its rows have, and no part of that width with enough of them has a greater one. */
static void parts_widen_with_the_run(void **state) {
    (void)state;
    enum { ROWS = 4000 };
    struct test_random random = {.state = 7};
    sim_time *times = malloc(ROWS * sizeof *times);
    sim_time *waits = malloc(ROWS * sizeof *waits);
    for (sim_time length = 60; length < 200000000; length *= 3) {
        struct world world;
        open_world(&world, "horizon: end_of_work", "run.wait_s.mean <= 1s");
        for (size_t i = 0; i < ROWS; i++) {
            times[i] = (sim_time)(test_random_next(&random) % (uint64_t)(length * SECOND));
            waits[i] = (sim_time)(test_random_next(&random) % (uint64_t)SECOND);
            add_job(&world, 0, times[i], waits[i]);
        }
        struct plan_worst worst;
        plan_moments_worst(world.moments, 1, &worst);
        assert_true(worst.known && !worst.stands_out && !worst.of_day);
        sim_time width = sim_time_from_seconds(worst.to_s - worst.from_s);
        double *sums = calloc((size_t)(length * SECOND / width + 1), sizeof *sums);
        double *counts = calloc((size_t)(length * SECOND / width + 1), sizeof *counts);
        for (size_t i = 0; i < ROWS; i++) {
            sums[times[i] / width] += (double)waits[i] / 1e9;
            counts[times[i] / width]++;
        }
        size_t part = (size_t)(sim_time_from_seconds(worst.from_s) / width);
        assert_true(fabs(sums[part] / counts[part] - worst.value) < 1e-9);
        for (sim_time i = 0; i <= (length * SECOND - 1) / width; i++) {
            assert_true(counts[i] < 30.0 / 4 || sums[i] / counts[i] <= worst.value + 1e-9);
        }
        free(sums);
        free(counts);
        close_world(&world);
    }
    free(times);
    free(waits);
}

/* A request every 10 s. In the fifth hour a third keep 2 s, one is late and one timed out; else all
 * keep it. What is queued at the end is not due. The worst share is the least. */
static void shares_of_requests(void **state) {
    (void)state;
    struct world world;
    open_world(&world, "horizon: 10h", "workload.chat.slo_attainment >= 99%");
    assert_true(plan_moments_record(world.moments).requests);
    for (size_t r = 0; r < REPLICATIONS; r++) {
        for (sim_time i = 0; i < 3600; i++) {
            bool bad = i / 360 == 4;
            add_request(&world, r, i * 10 * SECOND, bad && i % 3 == 0 ? 3 * SECOND : 2 * SECOND,
                        bad && i % 3 == 1 ? REQUEST_TIMED_OUT : REQUEST_COMPLETED);
        }
        add_request(&world, r, 9 * HOUR, 0, REQUEST_QUEUED);
    }
    struct plan_worst worst;
    plan_moments_worst(world.moments, REPLICATIONS, &worst);
    assert_true(worst.known && worst.stands_out);
    assert_true(worst.from_s >= 4 * 3600 && worst.to_s <= 5 * 3600);
    assert_true(fabs(worst.value - 1.0 / 3) < 1e-12);
    assert_true(fabs(worst.overall - (1 - 0.1 * 2 / 3)) < 1e-12);
    close_world(&world);
}

/* Three GPUs of pool a are busy for 90 %, in the second hour of 24 for 20 %; the one of b always
 * for 10 %: (3 x 0.2 + 0.1) / 4 = 0.175. */
static void shares_of_gpus(void **state) {
    (void)state;
    struct world world;
    open_world(&world, "horizon: 24h", "run.utilization.busy >= 50%");
    assert_true(plan_moments_record(world.moments).timeline == HOUR);
    for (size_t r = 0; r < REPLICATIONS; r++) {
        struct recorder *recorder = &world.recorders[r];
        for (sim_time hour = 0; hour < 24; hour++) {
            struct timeline_record a = {.time = hour * HOUR, .pool = "a", .busy = 0.9};
            struct timeline_record b = {.time = hour * HOUR, .pool = "b", .busy = 0.1};
            a.busy = hour == 1 ? 0.2 + 0.01 * (double)r : a.busy;
            assert_true(recorder->timeline(recorder->context, &a, NULL));
            assert_true(recorder->timeline(recorder->context, &b, NULL));
        }
    }
    struct plan_worst worst;
    plan_moments_worst(world.moments, REPLICATIONS, &worst);
    assert_true(worst.known && worst.stands_out);
    assert_true(worst.from_s == 3600 && worst.to_s == 7200);
    assert_true(fabs(worst.value - (3 * 0.225 + 0.1) / 4) < 1e-12);
    assert_true(fabs(worst.overall - (3 * (23 * 0.9 + 0.225) / 24 + 0.1) / 4) < 1e-12);
    close_world(&world);
}

static void figures_of_the_run_have_no_moments(void **state) {
    (void)state;
    static const char *const none[] = {"usd_per_month",      "wait_s.mean_half_width",
                                       "unfinished",         "latency_s.part.loading",
                                       "utilization.memory", "slo_missed"};
    static const char *const some[] = {"wait_s.max", "latency_s.p99", "slowdown.mean", "waited"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        struct objective objective = {.metric = none[i]};
        assert_false(plan_objective_has_moments(&objective));
    }
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        struct objective objective = {.metric = some[i]};
        assert_true(plan_objective_has_moments(&objective));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_of_the_day_stands_out),
        cmocka_unit_test(an_hour_of_the_run_stands_out),
        cmocka_unit_test(chance_does_not_stand_out),
        cmocka_unit_test(few_jobs_tell_nothing),
        cmocka_unit_test(parts_widen_with_the_run),
        cmocka_unit_test(shares_of_requests),
        cmocka_unit_test(shares_of_gpus),
        cmocka_unit_test(figures_of_the_run_have_no_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
