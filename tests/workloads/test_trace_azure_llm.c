/* Azure's published LLM traces of 2023: figures that were counted independently of this reader, by
 *
 *   awk -F'[,\r]' 'NR > 1 {n++; i += $2; o += $3} END {print n, i, o}' FILE
 *
 * (with `&& $1 >= "2023-11-16 18:30" && $1 < "2023-11-16 18:45"` for the quarter of an hour), and
 * read off their first and last lines, which are the earliest and the latest of each file. */
#include "tests/support/spec.h"
#include "tests/workloads/trace_fixture.h"

#define FOLDER TEST_SHARED_DIR "/traces/azure_llm_2023/"
#define CODE FOLDER "AzureLLMInferenceTrace_code.csv"
#define CONVERSATION FOLDER "AzureLLMInferenceTrace_conv.csv"
#define NOVEMBER_16 (INT64_C(19677) * SECONDS(86400)) /* 2023-11-16 */

static void skip_without(const char *path) {
    if (access(path, R_OK) != 0) {
        printf("SKIPPED: no trace at %s\n", path);
        skip();
    }
}

/* 1 ms, and 100 us and 20 ms for each token in and out. */
static struct workload_spec make_service(const char *path) {
    struct workload_spec workload = make_workload(path, "azure_llm");
    workload.kind.index = WORKLOAD_SERVICE;
    workload.service.timeout = SIM_TIME_NEVER;
    workload.service.service_time = (struct service_time_spec){.by_tokens = true,
                                                               .base_ns = 1e6,
                                                               .per_input_token_ns = 100e3,
                                                               .per_output_token_ns = 20e6};
    return workload;
}

static void expect_totals(const struct pass *pass, int64_t count, int64_t input, int64_t output) {
    int64_t in = 0;
    int64_t out = 0;
    gpu_time work = 0;
    for (size_t i = 0; i < pass->count; i++) {
        in += pass->jobs[i].prompt_tokens;
        out += pass->jobs[i].output_tokens;
        work += pass->jobs[i].duration;
    }
    assert_int_equal(pass->count, count);
    assert_int_equal(in, input);
    assert_int_equal(out, output);
    assert_true(work ==
                (gpu_time)count * 1000000 + (gpu_time)input * 100000 + (gpu_time)output * 20000000);
}

static void code(void **state) {
    (void)state;
    skip_without(CODE);
    struct workload_spec workload = make_service(CODE);
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.report.rows, 8819);
    assert_int_equal(pass.report.skipped, 0);
    assert_int_equal(pass.report.duplicates, 0); /* sort | uniq -d */
    expect_totals(&pass, 8819, 18059974, 245896);
    /* 18:17:03.9799600 to 19:14:19.9280160 */
    assert_int_equal(pass.jobs[0].submit, 0);
    assert_int_equal(pass.jobs[8818].submit, INT64_C(3435948056000));
    assert_int_equal(pass.jobs[0].prompt_tokens, 4808);
    assert_int_equal(pass.jobs[8818].output_tokens, 173);
    pass_clear(&pass);
}

static void conversation(void **state) {
    (void)state;
    skip_without(CONVERSATION);
    struct workload_spec workload = make_service(CONVERSATION);
    workload.trace.origin = (struct trace_moment){
        .kind = MOMENT_WALL, .ns = NOVEMBER_16 + SECONDS(18 * 3600)}; /* 18:00 */
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.report.rows, 19366);
    expect_totals(&pass, 19366, 22361870, 4088665);
    /* 18:15:46.6805900 to 19:14:08.4025270 */
    assert_int_equal(pass.jobs[0].submit, INT64_C(946680590000));
    assert_int_equal(pass.jobs[19365].submit, INT64_C(4448402527000));
    pass_clear(&pass);
}

static void a_quarter_of_an_hour(void **state) {
    (void)state;
    skip_without(CODE);
    skip_without(CONVERSATION);
    struct workload_spec workload = make_service(CODE);
    workload.trace.from =
        (struct trace_moment){.kind = MOMENT_WALL, .ns = NOVEMBER_16 + SECONDS(18 * 3600 + 1800)};
    workload.trace.to =
        (struct trace_moment){.kind = MOMENT_WALL, .ns = NOVEMBER_16 + SECONDS(18 * 3600 + 2700)};
    struct pass pass = read_pass(&workload, false, 0);
    expect_totals(&pass, 3134, 6577246, 80857);
    pass_clear(&pass);
    workload.trace.file = CONVERSATION;
    pass = read_pass(&workload, false, 0);
    expect_totals(&pass, 5550, 7112534, 1095863);
    pass_clear(&pass);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code),
        cmocka_unit_test(conversation),
        cmocka_unit_test(a_quarter_of_an_hour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
