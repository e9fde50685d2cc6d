/* Synthetic requests of a service: what they take, by distribution or by tokens, and that each
 * thing drawn has its own stream. */
#include <math.h>

#include "tests/workloads/synthetic_fixture.h"

static struct poisson_options poisson = {.rate = 12};

/* 200 requests at 12/s, each of 80 ms. */
static struct workload_spec make_service(void) {
    struct workload_spec workload = {
        .name = "chat",
        .kind = {.index = WORKLOAD_SERVICE},
        .job_class = CLASS_INFERENCE,
        .has_arrivals = true,
        .arrivals = chosen_arrivals("poisson", &poisson),
        .limit = 200,
        .needs = test_needs(),
        .max_wait = SIM_TIME_NEVER,
        .service = {.timeout = SECONDS(10), .slo = SIM_TIME_NEVER, .replicas = 1},
    };
    workload.service.service_time.time = test_constant(80e6);
    return workload;
}

/* Of 100 us, 1 us a token of the prompt and 1.5 ms a token of the answer. */
static void make_by_tokens(struct workload_spec *workload) {
    struct service_spec *service = &workload->service;
    service->service_time = (struct service_time_spec){.by_tokens = true,
                                                       .base_ns = 100e3,
                                                       .per_input_token_ns = 1e3,
                                                       .per_output_token_ns = 1.5e6};
    service->prompt_tokens = make_distribution("uniform", 10, 1000);
    service->output_tokens = make_distribution("exponential", 200, 0);
}

static void fills_in_every_field(void **state) {
    (void)state;
    struct workload_spec workload = make_service();
    struct pass pass = draw(&workload, 1, 0);
    assert_int_equal(pass.count, 200);
    for (size_t i = 0; i < pass.count; i++) {
        const struct arrival *request = &pass.jobs[i];
        assert_true(request->submit >= (i > 0 ? pass.jobs[i - 1].submit : 0));
        assert_int_equal(request->duration, 80000000);
        assert_int_equal(request->max_wait, SECONDS(10));
        assert_int_equal(request->number, i + 1);
        assert_int_equal(request->index, i);
        assert_int_equal(request->priority, 0);
        assert_int_equal(request->prompt_tokens, 0);
        assert_int_equal(request->output_tokens, 0);
        assert_int_equal(request->gpus, 0);
        assert_true(request->compute == 0);
        assert_int_equal(request->estimate, 0);
        assert_int_equal(request->memory, 0);
        assert_null(request->id);
        assert_null(request->queue);
    }
    pass_clear(&pass);
    workload.has_priority = true;
    workload.priority = 3;
    pass = draw(&workload, 1, 0);
    assert_int_equal(pass.jobs[199].priority, 3);
    pass_clear(&pass);
}

/* The streams' names are a contract. */
static void streams_are_named_after_the_workload(void **state) {
    (void)state;
    struct workload_spec workload = make_service();
    workload.service.service_time.time = make_distribution("exponential", 80e6, 0);
    struct pass pass = draw(&workload, 9, 2);
    struct stream arrivals, sizes;
    stream_initialize(&arrivals, 9, 2, "arrivals of workload chat");
    stream_initialize(&sizes, 9, 2, "service of workload chat");
    assert_int_equal(pass.jobs[0].submit, (sim_time)(1e9 / 12 * stream_exponential(&arrivals)));
    for (size_t i = 0; i < pass.count; i++) {
        assert_int_equal(pass.jobs[i].duration, (sim_time)rint(80e6 * stream_exponential(&sizes)));
    }
    pass_clear(&pass);
}

static void a_time_by_tokens_is_the_sum_of_its_parts(void **state) {
    (void)state;
    struct workload_spec workload = make_service();
    make_by_tokens(&workload);
    struct pass pass = draw(&workload, 5, 1);
    struct stream prompt, output;
    stream_initialize(&prompt, 5, 1, "prompt tokens of workload chat");
    stream_initialize(&output, 5, 1, "output tokens of workload chat");
    for (size_t i = 0; i < pass.count; i++) {
        int64_t in = (int64_t)rint(10 + stream_uniform(&prompt) * 990);
        int64_t out = (int64_t)rint(200 * stream_exponential(&output));
        assert_int_equal(pass.jobs[i].prompt_tokens, in);
        assert_int_equal(pass.jobs[i].output_tokens, out);
        assert_int_equal(pass.jobs[i].duration, 100000 + 1000 * in + 1500000 * out);
    }
    pass_clear(&pass);
}

/* To the nearest nanosecond, within 0 and 100 years, whatever the figures. */
static void times_by_tokens_stay_in_range(void **state) {
    (void)state;
    const struct {
        double base, in, out, prompt, output;
        sim_time expected;
    } cases[] = {
        {0, 0, 0, 5, 5, 0},
        {0.3, 0.3, 0, 7, 0, 2},    /* 2.4 */
        {0.3, 0.3, 0.25, 7, 1, 3}, /* 2.65 */
        {0, 1e18, 0, 1e9, 0, SIM_TIME_LONGEST},
        {1, 1, 1, 1e300, 0.4, INT64_C(2147483648)}, /* 1 + INT32_MAX */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct workload_spec workload = make_service();
        workload.limit = 1;
        workload.service.service_time =
            (struct service_time_spec){.by_tokens = true,
                                       .base_ns = cases[i].base,
                                       .per_input_token_ns = cases[i].in,
                                       .per_output_token_ns = cases[i].out};
        workload.service.prompt_tokens = test_constant(cases[i].prompt);
        workload.service.output_tokens = test_constant(cases[i].output);
        struct pass pass = draw(&workload, 1, 0);
        assert_int_equal(pass.jobs[0].duration, cases[i].expected);
        pass_clear(&pass);
    }
}

/* Tokens are kept where they do not decide the time, too. */
static void tokens_beside_a_distribution(void **state) {
    (void)state;
    struct workload_spec workload = make_service();
    struct pass before = draw(&workload, 1, 0);
    workload.service.prompt_tokens = test_constant(512);
    workload.service.output_tokens = make_distribution("uniform", 1, 9);
    struct pass pass = draw(&workload, 1, 0);
    for (size_t i = 0; i < pass.count; i++) {
        assert_int_equal(pass.jobs[i].prompt_tokens, 512);
        assert_true(pass.jobs[i].output_tokens >= 1 && pass.jobs[i].output_tokens <= 9);
        assert_int_equal(pass.jobs[i].duration, 80000000);
        assert_int_equal(pass.jobs[i].submit, before.jobs[i].submit);
    }
    pass_clear(&before);
    pass_clear(&pass);
}

/* Changing what is drawn for one thing leaves every other draw alone. */
static void each_thing_has_its_own_stream(void **state) {
    (void)state;
    struct workload_spec workload = make_service();
    make_by_tokens(&workload);
    struct pass before = draw(&workload, 1, 0);
    workload.service.prompt_tokens = make_distribution("lognormal", 500, 2);
    struct pass after = draw(&workload, 1, 0);
    size_t prompts_that_differ = 0;
    for (size_t i = 0; i < before.count; i++) {
        assert_int_equal(before.jobs[i].submit, after.jobs[i].submit);
        assert_int_equal(before.jobs[i].output_tokens, after.jobs[i].output_tokens);
        prompts_that_differ += before.jobs[i].prompt_tokens != after.jobs[i].prompt_tokens;
    }
    assert_true(prompts_that_differ > 150);
    poisson.rate = 24;
    struct pass faster = draw(&workload, 1, 0);
    poisson.rate = 12;
    for (size_t i = 0; i < before.count; i++) {
        assert_int_equal(faster.jobs[i].duration, after.jobs[i].duration);
    }
    pass_clear(&before);
    pass_clear(&after);
    pass_clear(&faster);
}

/* Under every process, requests come exactly when jobs of the same name would. */
static void arrive_as_jobs_do(void **state) {
    (void)state;
    double rates[] = {5, 50};
    sim_time dwells[] = {SECONDS(10), SECONDS(1)};
    struct renewal_options renewal = {.gap = make_distribution("erlang", 3, 1e9)};
    struct mmpp_options mmpp = {
        .rates = rates, .rate_count = 2, .dwells = dwells, .dwell_count = 2};
    struct diurnal_options diurnal = {.mean = 0.01, .peak = 0.015, .peak_at = SECONDS(50400)};
    const struct chosen all[] = {
        chosen_arrivals("poisson", &poisson), chosen_arrivals("renewal", &renewal),
        chosen_arrivals("mmpp", &mmpp), chosen_arrivals("diurnal", &diurnal)};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct workload_spec service = make_service();
        service.arrivals = all[i];
        struct workload_spec jobs = service;
        jobs.kind.index = WORKLOAD_JOBS;
        jobs.gpus = test_constant(1);
        jobs.duration = test_constant(1);
        struct pass a = draw(&service, 3, 1);
        struct pass b = draw(&jobs, 3, 1);
        assert_int_equal(a.count, 200);
        assert_int_equal(b.count, 200);
        for (size_t j = 0; j < a.count; j++) {
            assert_int_equal(a.jobs[j].submit, b.jobs[j].submit);
        }
        pass_clear(&a);
        pass_clear(&b);
    }
}

/* Two users who each think for 3 s after an answer. */
static void users_wait_for_their_answers(void **state) {
    (void)state;
    struct closed_options options = {.clients = 2, .think = test_constant(3e9)};
    struct workload_spec workload = make_service();
    workload.arrivals = chosen_arrivals("closed", &options);
    workload.limit = 3;
    workload.service.service_time.time = make_distribution("exponential", 80e6, 0);
    struct work_source *source = work_source_synthetic(&workload, 0, 7, 0);
    assert_true(work_source_is_closed(source));
    struct stream sizes;
    stream_initialize(&sizes, 7, 0, "service of workload chat");
    struct arrival request;
    for (int i = 0; i < 2; i++) {
        assert_true(work_source_next(source, &request));
        assert_int_equal(request.submit, 0);
        assert_int_equal(request.duration, (sim_time)rint(80e6 * stream_exponential(&sizes)));
    }
    assert_false(work_source_next(source, &request));
    request.submit = SIM_TIME_NEVER;
    assert_true(work_source_ended(source, SECONDS(5), &request));
    assert_int_equal(request.submit, SECONDS(8));
    assert_int_equal(request.number, 3);
    assert_int_equal(request.duration, (sim_time)rint(80e6 * stream_exponential(&sizes)));
    assert_false(work_source_next(source, &request)); /* the limit */
    work_source_destroy(source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_in_every_field),
        cmocka_unit_test(streams_are_named_after_the_workload),
        cmocka_unit_test(a_time_by_tokens_is_the_sum_of_its_parts),
        cmocka_unit_test(times_by_tokens_stay_in_range),
        cmocka_unit_test(tokens_beside_a_distribution),
        cmocka_unit_test(each_thing_has_its_own_stream),
        cmocka_unit_test(arrive_as_jobs_do),
        cmocka_unit_test(users_wait_for_their_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
