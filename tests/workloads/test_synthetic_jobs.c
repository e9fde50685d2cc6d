/* Synthetic jobs: whole GPUs, bounded times, and one stream for each thing that is drawn. */
#include <math.h>

#include "tests/workloads/synthetic_fixture.h"

static struct poisson_options poisson = {.rate = 2};

/* 100 jobs at 2/s, each of 1 GPU for 10 s. */
static struct workload_spec make_synthetic(void) {
    struct workload_spec workload = {
        .name = "train",
        .has_arrivals = true,
        .arrivals = chosen_arrivals("poisson", &poisson),
        .limit = 100,
        .needs = test_needs(),
        .max_wait = SECONDS(60),
    };
    workload.needs.memory.start = test_constant(77);
    distribution_constant(&workload.gpus, 1);
    distribution_constant(&workload.duration, 10e9);
    return workload;
}

static void fills_in_every_field(void **state) {
    (void)state;
    struct workload_spec workload = make_synthetic();
    struct pass pass = draw(&workload, 1, 0);
    assert_int_equal(pass.count, 100);
    for (size_t i = 0; i < pass.count; i++) {
        const struct arrival *job = &pass.jobs[i];
        assert_int_equal(job->number, i + 1);
        assert_true(job->submit >= (i > 0 ? pass.jobs[i - 1].submit : 0));
        assert_int_equal(job->duration, SECONDS(10));
        assert_int_equal(job->estimate, SECONDS(10));
        assert_int_equal(job->max_wait, SECONDS(60));
        assert_int_equal(job->memory, 77);
        assert_int_equal(job->gpus, 1);
        assert_int_equal(job->index, i);
        assert_true(job->compute == 0);
        assert_int_equal(job->prompt_tokens, 0);
        assert_int_equal(job->output_tokens, 0);
        assert_null(job->id);
        assert_null(job->queue);
    }
    pass_clear(&pass);
}

/* 1.5 times the duration; and, drawn, with a mean of 1.2: 1000 of them with a cv of 0.5 lie within
 * 4 x 0.6 / sqrt(1000) = 0.076. Other draws are what they are without. */
static void a_factor_makes_estimates(void **state) {
    (void)state;
    struct workload_spec workload = make_synthetic();
    workload.limit = 1000;
    workload.duration = make_distribution("exponential", 10e9, 0);
    struct pass exact = draw(&workload, 1, 0);
    workload.has_estimate = true;
    workload.has_estimate_factor = true;
    distribution_constant(&workload.estimate_factor, 1.5);
    struct pass constant = draw(&workload, 1, 0);
    workload.estimate_factor = make_distribution("lognormal", 1.2, 0.5);
    struct pass drawn = draw(&workload, 1, 0);
    double sum = 0;
    for (size_t i = 0; i < exact.count; i++) {
        double duration = (double)exact.jobs[i].duration;
        assert_int_equal(drawn.jobs[i].duration, exact.jobs[i].duration);
        assert_int_equal(drawn.jobs[i].submit, exact.jobs[i].submit);
        assert_true(fabs((double)constant.jobs[i].estimate - 1.5 * duration) <= 0.5);
        sum += (double)drawn.jobs[i].estimate / duration;
    }
    assert_true(fabs(sum / 1000 - 1.2) < 0.076);
    pass_clear(&exact);
    pass_clear(&constant);
    pass_clear(&drawn);
}

static void hosts_go_with_each_gpu(void **state) {
    (void)state;
    struct workload_spec workload = make_synthetic();
    workload.limit = 1;
    workload.cpus = 2.5;
    workload.host_memory = 7;
    struct pass pass = draw(&workload, 1, 0);
    assert_int_equal(pass.jobs[0].cpus, 2500);
    assert_int_equal(pass.jobs[0].host_memory, 7);
    pass_clear(&pass);
}

static void no_limit_goes_on(void **state) {
    (void)state;
    struct workload_spec workload = make_synthetic();
    workload.limit = 0;
    struct arrival job;
    struct work_source *source = work_source_synthetic(&workload, 0, 1, 0);
    for (int i = 0; i < 100000; i++) {
        assert_true(work_source_next(source, &job));
    }
    assert_int_equal(job.number, 100000);
    /* The sum of 100,000 exponential gaps of mean 0.5 s: 50,000 s, standard deviation 158 s. */
    assert_true(fabs(sim_time_to_seconds(job.submit) - 50000) < 4 * 158);
    work_source_destroy(source);
}

static void gpus_are_whole_and_at_least_one(void **state) {
    (void)state;
    const double drawn[] = {2.4, 2.6, 0.2, -3, 1e300, 8};
    const int32_t expected[] = {2, 3, 1, 1, INT32_MAX, 8};
    for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++) {
        struct workload_spec workload = make_synthetic();
        workload.limit = 1;
        distribution_constant(&workload.gpus, drawn[i]);
        struct pass pass = draw(&workload, 1, 0);
        assert_int_equal(pass.jobs[0].gpus, expected[i]);
        pass_clear(&pass);
    }
}

/* `gpus: 0.5` or `compute` of a job of one GPU; a job of several takes whole ones. */
static void jobs_ask_for_shares(void **state) {
    (void)state;
    const struct {
        double gpus, fraction, compute, expected;
    } cases[] = {{1, 0, 0, 0}, {1, 0.5, 0, 0.5}, {1, 0, 0.4, 0.4}, {2, 0, 0.4, 0}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct workload_spec workload = make_synthetic();
        workload.limit = 1;
        workload.fraction = cases[i].fraction;
        workload.compute = cases[i].compute;
        distribution_constant(&workload.gpus, cases[i].gpus);
        struct pass pass = draw(&workload, 1, 0);
        assert_true(pass.jobs[0].compute == cases[i].expected);
        pass_clear(&pass);
    }
}

/* Each job draws its own, from the stream "memory of workload train". */
static void memory_is_drawn(void **state) {
    (void)state;
    struct workload_spec workload = make_synthetic();
    workload.needs.memory.start = make_distribution("exponential", 8e9, 0);
    struct pass pass = draw(&workload, 4, 1);
    struct stream stream;
    stream_initialize(&stream, 4, 1, "memory of workload train");
    for (size_t i = 0; i < pass.count; i++) {
        assert_int_equal(pass.jobs[i].memory, (int64_t)rint(8e9 * stream_exponential(&stream)));
    }
    pass_clear(&pass);
}

static void durations_stay_in_range(void **state) {
    (void)state;
    const double drawn[] = {0.4, 0.6, -5, 1e300};
    const sim_time expected[] = {0, 1, 0, SIM_TIME_LONGEST};
    for (size_t i = 0; i < sizeof(drawn) / sizeof(drawn[0]); i++) {
        struct workload_spec workload = make_synthetic();
        workload.limit = 1;
        distribution_constant(&workload.duration, drawn[i]);
        struct pass pass = draw(&workload, 1, 0);
        assert_int_equal(pass.jobs[0].duration, expected[i]);
        pass_clear(&pass);
    }
}

static void same_seed_same_jobs(void **state) {
    (void)state;
    struct workload_spec workload = make_synthetic();
    workload.duration = make_distribution("exponential", 10e9, 0);
    struct pass a = draw(&workload, 5, 3);
    struct pass b = draw(&workload, 5, 3);
    struct pass other_seed = draw(&workload, 6, 3);
    struct pass other_replication = draw(&workload, 5, 4);
    for (size_t i = 0; i < a.count; i++) {
        assert_int_equal(a.jobs[i].submit, b.jobs[i].submit);
        assert_int_equal(a.jobs[i].duration, b.jobs[i].duration);
        assert_int_not_equal(a.jobs[i].submit, other_seed.jobs[i].submit);
        assert_int_not_equal(a.jobs[i].duration, other_replication.jobs[i].duration);
    }
    pass_clear(&a);
    pass_clear(&b);
    pass_clear(&other_seed);
    pass_clear(&other_replication);
}

/* Changing what is drawn for one thing leaves every other draw alone; so does adding estimates. */
static void each_thing_has_its_own_stream(void **state) {
    (void)state;
    struct workload_spec workload = make_synthetic();
    workload.gpus = make_distribution("uniform", 1, 8);
    workload.duration = make_distribution("exponential", 10e9, 0);
    struct pass before = draw(&workload, 1, 0);
    struct workload_spec changed = workload;
    changed.has_estimate = true;
    changed.estimate = make_distribution("exponential", 20e9, 0);
    changed.gpus = make_distribution("gamma", 4, 0.5);
    struct pass after = draw(&changed, 1, 0);
    size_t estimates_that_differ = 0;
    for (size_t i = 0; i < before.count; i++) {
        assert_int_equal(before.jobs[i].submit, after.jobs[i].submit);
        assert_int_equal(before.jobs[i].duration, after.jobs[i].duration);
        estimates_that_differ += after.jobs[i].estimate != after.jobs[i].duration;
    }
    assert_true(estimates_that_differ > 90);
    changed = workload;
    changed.duration = make_distribution("lognormal", 10e9, 2);
    struct pass third = draw(&changed, 1, 0);
    for (size_t i = 0; i < before.count; i++) {
        assert_int_equal(before.jobs[i].submit, third.jobs[i].submit);
        assert_int_equal(before.jobs[i].gpus, third.jobs[i].gpus);
    }
    pass_clear(&before);
    pass_clear(&after);
    pass_clear(&third);
}

/* The streams' names are a contract: workloads of other names draw otherwise, and the first arrival
 * is the first draw of "arrivals of workload train". */
static void streams_are_named_after_the_workload(void **state) {
    (void)state;
    struct workload_spec workload = make_synthetic();
    struct pass pass = draw(&workload, 9, 2);
    struct stream stream;
    stream_initialize(&stream, 9, 2, "arrivals of workload train");
    assert_int_equal(pass.jobs[0].submit, (sim_time)(0.5e9 * stream_exponential(&stream)));
    workload.name = "train-2";
    struct pass other = draw(&workload, 9, 2);
    assert_int_not_equal(pass.jobs[0].submit, other.jobs[0].submit);
    pass_clear(&pass);
    pass_clear(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_in_every_field),
        cmocka_unit_test(a_factor_makes_estimates),
        cmocka_unit_test(hosts_go_with_each_gpu),
        cmocka_unit_test(no_limit_goes_on),
        cmocka_unit_test(gpus_are_whole_and_at_least_one),
        cmocka_unit_test(jobs_ask_for_shares),
        cmocka_unit_test(memory_is_drawn),
        cmocka_unit_test(durations_stay_in_range),
        cmocka_unit_test(same_seed_same_jobs),
        cmocka_unit_test(each_thing_has_its_own_stream),
        cmocka_unit_test(streams_are_named_after_the_workload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
