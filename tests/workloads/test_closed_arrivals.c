/* A closed loop as its source sees it: who comes next is whoever has thought longest, against a
 * list that is searched from end to end. */
#include "tests/workloads/trace_fixture.h"

#include "workloads/arrival_process.h"

enum { CLIENTS = 7 };

static struct chosen closed_arrivals(const struct closed_options *options) {
    int index = 0;
    while (strcmp(arrival_kinds[index].choice.name, "closed") != 0) {
        index++;
    }
    return (struct chosen){.index = index, .options = options};
}

static struct closed_options make_options(double from, double to) {
    struct closed_options options = {
        .clients = CLIENTS, .think = {.kind = distribution_find("uniform"), .given = {from, to}}};
    struct error error;
    assert_true(distribution_prepare(&options.think, &error));
    return options;
}

/* The earliest of the clients that think, taken from the list; SIM_TIME_NEVER if none does. */
static sim_time take_earliest(sim_time *thinking, size_t *count) {
    size_t first = 0;
    for (size_t i = 1; i < *count; i++) {
        first = thinking[i] < thinking[first] ? i : first;
    }
    if (*count == 0) {
        return SIM_TIME_NEVER;
    }
    sim_time time = thinking[first];
    thinking[first] = thinking[--*count];
    return time;
}

/* Clients come and, a second later, end, one at a time. Think times are drawn again from a stream
 * of the same seed. */
static void the_earliest_comes_next(void **state) {
    (void)state;
    struct closed_options options = make_options(0, 20e9);
    struct chosen arrivals = closed_arrivals(&options);
    struct arrival_process *process = arrival_process_create(&arrivals, 0);
    assert_true(arrival_process_is_closed(process));
    struct stream stream;
    struct stream again;
    stream_initialize(&stream, 1, 0, "closed");
    stream_initialize(&again, 1, 0, "closed");
    sim_time thinking[CLIENTS] = {0};
    size_t count = CLIENTS;
    sim_time pending = arrival_process_next(process, 0, &stream);
    for (int round = 0; round < 10000; round++) {
        sim_time expected = take_earliest(thinking, &count);
        assert_int_equal(pending, expected);
        sim_time end = pending + NANOSECONDS_PER_SECOND;
        pending = arrival_process_next(process, pending, &stream);
        pending = arrival_process_ended(process, end, pending, &stream);
        thinking[count++] = end + (sim_time)(distribution_draw(&options.think, &again) + 0.5);
    }
    arrival_process_destroy(process);
}

/* With all clients at work there is no next arrival, until one comes back. */
static void nobody_comes_while_all_wait(void **state) {
    (void)state;
    struct closed_options options = make_options(2e9, 2e9);
    struct chosen arrivals = closed_arrivals(&options);
    struct arrival_process *process = arrival_process_create(&arrivals, 0);
    struct stream stream;
    stream_initialize(&stream, 1, 0, "closed");
    for (int i = 0; i < CLIENTS; i++) {
        assert_int_equal(arrival_process_next(process, 0, &stream), 0);
    }
    assert_int_equal(arrival_process_next(process, 0, &stream), SIM_TIME_NEVER);
    assert_int_equal(arrival_process_ended(process, SECONDS(5), SIM_TIME_NEVER, &stream),
                     SECONDS(7));
    arrival_process_destroy(process);
}

/* What a job asks for goes with its number, when it comes may still change. */
static void a_job_read_ahead_may_come_earlier(void **state) {
    (void)state;
    struct closed_options options = make_options(0, 20e9);
    struct workload_spec workload = {.name = "w",
                                     .has_arrivals = true,
                                     .arrivals = closed_arrivals(&options),
                                     .limit = CLIENTS + 1,
                                     .needs = test_needs()};
    distribution_constant(&workload.gpus, 1);
    distribution_constant(&workload.duration, 1e9);
    struct work_source *source = work_source_synthetic(&workload, 0, 1, 0);
    assert_true(work_source_is_closed(source));
    struct arrival job;
    for (int i = 0; i < CLIENTS; i++) {
        assert_true(work_source_next(source, &job));
    }
    assert_false(work_source_next(source, &job));
    job.submit = SIM_TIME_NEVER;
    assert_true(work_source_ended(source, SECONDS(100), &job));
    assert_int_equal(job.number, CLIENTS + 1);
    assert_true(job.submit >= SECONDS(100));
    sim_time before = job.submit;
    for (int i = 0; i < 5; i++) {
        assert_true(work_source_ended(source, SECONDS(100), &job));
        assert_int_equal(job.number, CLIENTS + 1);
        assert_true(job.submit <= before && job.submit >= SECONDS(100));
        before = job.submit;
    }
    /* The limit: that was the last job, whoever still thinks. */
    assert_false(work_source_next(source, &job));
    job.submit = SIM_TIME_NEVER;
    assert_false(work_source_ended(source, SECONDS(200), &job));
    work_source_destroy(source);
}

static void thinking_takes_time(void **state) {
    (void)state;
    struct closed_options options = make_options(0, 0);
    struct chosen arrivals = closed_arrivals(&options);
    struct error error;
    assert_false(arrival_kinds[arrivals.index].choice.check(&options, &error));
    assert_non_null(strstr(error.message, "must be positive"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_comes_next),
        cmocka_unit_test(nobody_comes_while_all_wait),
        cmocka_unit_test(a_job_read_ahead_may_come_earlier),
        cmocka_unit_test(thinking_takes_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
