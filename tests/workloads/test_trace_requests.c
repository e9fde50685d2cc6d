/* Traces of a service: headroom's own columns, what the workload fills in, and what is refused. */
#include <math.h>
#include <zlib.h>

#include "tests/support/spec.h"
#include "tests/workloads/trace_fixture.h"

#define HEADER "arrival_s,service_s,prompt_tokens,output_tokens,priority\n"
/* In order of time: rows 1 (10 s), 3 (20 s), 4 (20 s), 5 (30 s), 2 (40.5 s). */
#define FIVE "arrival_s,service_s\n10,1\n40.5,2\n20,3\n20,4\n30,5\n"

static struct workload_spec make_service(const char *path, const char *format) {
    struct workload_spec workload = make_workload(path, format);
    workload.name = "chat";
    workload.kind.index = WORKLOAD_SERVICE;
    workload.job_class = CLASS_INFERENCE;
    workload.service.timeout = SECONDS(10);
    workload.service.slo = SIM_TIME_NEVER;
    return workload;
}

static struct workload_spec csv_service(const char *text) {
    return make_service(write_text(text), "csv");
}

static void make_by_tokens(struct workload_spec *workload, double in, double out) {
    workload->service.service_time = (struct service_time_spec){
        .by_tokens = true, .base_ns = 7, .per_input_token_ns = in, .per_output_token_ns = out};
}

static void reads_headrooms_own_columns(void **state) {
    (void)state;
    struct workload_spec workload =
        csv_service("model,output_tokens,arrival_s,service_s,prompt_tokens,priority\n"
                    "m,30,12.25,0.1,400,5\n"
                    "m,0,10,1e-9,2147483647.0,\n");
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, 2);
    const struct arrival *a = &pass.jobs[0];
    assert_int_equal(a->submit, 0);
    assert_int_equal(a->number, 2);
    assert_int_equal(a->index, 0);
    assert_int_equal(a->duration, 1);
    assert_int_equal(a->max_wait, SECONDS(10));
    assert_int_equal(a->priority, 0); /* of the class */
    assert_int_equal(a->prompt_tokens, INT32_MAX);
    assert_int_equal(a->output_tokens, 0);
    assert_int_equal(a->gpus, 0);
    assert_int_equal(a->memory, 0);
    assert_int_equal(a->estimate, 0);
    assert_true(a->compute == 0);
    assert_null(a->id);
    assert_null(a->queue);
    const struct arrival *b = &pass.jobs[1];
    assert_int_equal(b->submit, 2250000000); /* 12.25 s - 10 s */
    assert_int_equal(b->number, 1);
    assert_int_equal(b->index, 1);
    assert_int_equal(b->duration, 100000000); /* exactly, though no double is 0.1 */
    assert_int_equal(b->priority, 5);
    assert_int_equal(b->prompt_tokens, 400);
    assert_int_equal(b->output_tokens, 30);
    pass_clear(&pass);
}

/* A row's own service time counts; other rows draw theirs, in their order. */
static void draws_service_times_where_there_are_none(void **state) {
    (void)state;
    struct workload_spec workload = csv_service(HEADER "0,,,,\n1,0.5,,,\n2,,,,\n");
    struct distribution *time = &workload.service.service_time.time;
    *time = (struct distribution){.kind = distribution_find("exponential"), .given = {80e6}};
    struct error error;
    assert_true(distribution_prepare(time, &error));
    struct stream stream; /* the pass of the fixture has seed 1 and replication 0 */
    stream_initialize(&stream, 1, 0, "service of workload chat");
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[0].duration, (sim_time)rint(80e6 * stream_exponential(&stream)));
    assert_int_equal(pass.jobs[1].duration, 500000000);
    assert_int_equal(pass.jobs[2].duration, (sim_time)rint(80e6 * stream_exponential(&stream)));
    assert_int_equal(pass.jobs[2].prompt_tokens, 0);
    pass_clear(&pass);
    /* Without the column. */
    workload.trace.file = write_text("arrival_s\n0\n");
    pass = read_pass(&workload, false, 0);
    stream_initialize(&stream, 1, 0, "service of workload chat");
    assert_int_equal(pass.jobs[0].duration, (sim_time)rint(80e6 * stream_exponential(&stream)));
    pass_clear(&pass);
}

static void computes_times_by_tokens(void **state) {
    (void)state;
    struct workload_spec workload = csv_service(HEADER "0,,400,30,\n1,0.5,400,30,\n2,,1,0,\n");
    make_by_tokens(&workload, 100, 5000);
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[0].duration, 7 + 400 * 100 + 30 * 5000);
    assert_int_equal(pass.jobs[1].duration, 500000000);
    assert_int_equal(pass.jobs[2].duration, 107);
    pass_clear(&pass);
}

/* Tokens that the trace does not have are the workload's. */
static void draws_tokens_where_there_are_none(void **state) {
    (void)state;
    struct workload_spec workload = csv_service("arrival_s,output_tokens\n0,30\n1,\n");
    make_by_tokens(&workload, 100, 5000);
    workload.service.prompt_tokens = test_constant(250);
    workload.service.output_tokens =
        (struct distribution){.kind = distribution_find("uniform"), .given = {100, 200}};
    struct error error;
    assert_true(distribution_prepare(&workload.service.output_tokens, &error));
    struct stream stream;
    stream_initialize(&stream, 1, 0, "output tokens of workload chat");
    int32_t drawn = (int32_t)rint(100 + 100 * stream_uniform(&stream));
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[0].prompt_tokens, 250);
    assert_int_equal(pass.jobs[0].output_tokens, 30);
    assert_int_equal(pass.jobs[0].duration, 7 + 250 * 100 + 30 * 5000);
    assert_int_equal(pass.jobs[1].output_tokens, drawn);
    assert_int_equal(pass.jobs[1].duration, 7 + 250 * 100 + drawn * 5000);
    pass_clear(&pass);
}

/* The pass must give these rows at these times: "1@0 3@10". */
static void expect_requests(const struct workload_spec *workload, const char *expected) {
    char shown[1000] = "";
    struct pass pass = read_pass(workload, false, 0);
    for (size_t i = 0; i < pass.count; i++) {
        sprintf(shown + strlen(shown), "%s%d@%g", i > 0 ? " " : "", (int)pass.jobs[i].number,
                sim_time_to_seconds(pass.jobs[i].submit));
    }
    assert_string_equal(shown, expected);
    assert_int_equal(pass.report.kept, pass.count);
    pass_clear(&pass);
}

static void keys_of_a_trace_work_as_for_jobs(void **state) {
    (void)state;
    struct workload_spec workload = csv_service(FIVE);
    expect_requests(&workload, "1@0 3@10 4@10 5@20 2@30.5");
    workload.trace.from = (struct trace_moment){.kind = MOMENT_CLOCK, .ns = SECONDS(20)};
    expect_requests(&workload, "3@0 4@0 5@10 2@20.5");
    workload.trace.to = (struct trace_moment){.kind = MOMENT_CLOCK, .ns = SECONDS(30)};
    expect_requests(&workload, "3@0 4@0");
    workload.trace.limit = 1;
    expect_requests(&workload, "3@0");
    workload = csv_service(FIVE);
    workload.trace.origin = (struct trace_moment){.kind = MOMENT_CLOCK, .ns = 0};
    workload.trace.time_scale = 0.5;
    expect_requests(&workload, "1@5 3@10 4@10 5@15 2@20.25");
    workload.trace.time_unit = 60 * SECONDS(1);
    expect_requests(&workload, "1@300 3@600 4@600 5@900 2@1215");
    workload = csv_service("t,service_s,len\n1,2,3\n1,x,3\n2,1,8\n");
    struct column_name names[] = {{"arrival_s", "t"}, {"prompt_tokens", "len"}};
    workload.trace.columns = names;
    workload.trace.column_count = 2;
    expect_error(&workload, "FOLDER/trace.csv:3: service_s: 'x': not a duration, as a number");
    workload.trace.on_error = ON_ERROR_SKIP;
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.report.rows, 3);
    assert_int_equal(pass.report.skipped, 1);
    assert_int_equal(pass.count, 2);
    assert_int_equal(pass.jobs[1].prompt_tokens, 8);
    pass_clear(&pass);
}

static void may_be_gzipped(void **state) {
    (void)state;
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "%s/requests.csv.gz", fixture_folder);
    gzFile file = gzopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(gzwrite(file, FIVE, sizeof(FIVE) - 1), (int)sizeof(FIVE) - 1);
    assert_int_equal(gzclose(file), Z_OK);
    struct workload_spec workload = make_service(path, "csv");
    expect_requests(&workload, "1@0 3@10 4@10 5@20 2@30.5");
}

/* In reverse order, so that the records are sorted; a row of each two repeats the one before. */
static void many_requests_out_of_order(void **state) {
    (void)state;
    enum { ROWS = 20000 };
    char *text = memory_allocate(ROWS * 48);
    char *end = stpcpy(text, HEADER);
    for (int i = ROWS - 1; i >= 0; i--) {
        int n = i / 2;
        end += sprintf(end, "%d,%d,%d,%d,%d\n", n, n % 100, n, 2 * n, n % 7);
    }
    struct workload_spec workload = csv_service(text);
    free(text);
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, ROWS);
    assert_int_equal(pass.report.duplicates, ROWS / 2);
    for (int i = 0; i < ROWS; i++) {
        const struct arrival *request = &pass.jobs[i];
        int n = i / 2;
        assert_int_equal(request->submit, SECONDS(n));
        assert_int_equal(request->number, ROWS - 1 - 2 * n + i % 2); /* the earlier row first */
        assert_int_equal(request->duration, SECONDS(n % 100));
        assert_int_equal(request->prompt_tokens, n);
        assert_int_equal(request->output_tokens, 2 * n);
        assert_int_equal(request->priority, n % 7);
    }
    pass_clear(&pass);
}

static void requests_have_no_labels(void **state) {
    (void)state;
    struct workload_spec workload = csv_service(FIVE);
    struct error error;
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    assert_non_null(trace);
    struct job_label label;
    trace_label(trace, 4, &label);
    assert_null(label.id);
    assert_null(label.queue);
    trace_destroy(trace);
}

static void expect_cell_error(const char *cells, const char *why) {
    char text[200];
    char expected[200];
    snprintf(text, sizeof(text), HEADER "0,1,,,\n%s\n", cells);
    snprintf(expected, sizeof(expected), "FOLDER/trace.csv:3: %s", why);
    struct workload_spec workload = csv_service(text);
    expect_error(&workload, expected);
}

static void cells_are_checked(void **state) {
    (void)state;
    expect_cell_error(",1,,,", "arrival_s: empty");
    expect_cell_error("soon,1,,,", "arrival_s: 'soon': neither a number nor a timestamp");
    expect_cell_error("1,-1,,,", "service_s: '-1': a negative duration");
    expect_cell_error("1,80ms,,,", "service_s: '80ms': not a duration, as a number");
    expect_cell_error("1,1,-1,,", "prompt_tokens: '-1': not a number of tokens");
    expect_cell_error("1,1,1.5,,", "prompt_tokens: '1.5': not a number of tokens");
    expect_cell_error("1,1,,nan,", "output_tokens: 'nan': not a number of tokens");
    expect_cell_error("1,1,,2147483648,", "output_tokens: '2147483648': not a number of tokens");
    expect_cell_error("1,1,,,-3", "priority: '-3': not a priority, a whole number from 0 to "
                                  "1000000000");
    expect_cell_error("1,1,,", "4 cells, where the header has 5");
}

/* At the trace's place in the scenario if the column is missing, else at the row. */
static void the_service_time_must_come_from_somewhere(void **state) {
    (void)state;
    struct workload_spec workload = csv_service("arrival_s,prompt_tokens\n0,5\n");
    expect_error(&workload,
                 "scenario.yaml:7:12: trace 'FOLDER/trace.csv': nothing says how long its requests "
                 "take: give the workload a `service_time`, or the trace a column service_s");
    make_by_tokens(&workload, 1, 1);
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': `service_time` by "
                            "tokens needs its column output_tokens, or `output_tokens` of the "
                            "workload");
    make_by_tokens(&workload, 1, 0); /* those of the answer take no time */
    expect_requests(&workload, "1@0");
    workload = csv_service("arrival_s,output_tokens\n0,5\n");
    make_by_tokens(&workload, 1, 1);
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': `service_time` by "
                            "tokens needs its column prompt_tokens, or `prompt_tokens` of the "
                            "workload");
    workload.service.prompt_tokens = test_constant(9);
    expect_requests(&workload, "1@0");

    workload = csv_service(HEADER "0,1,,,\n1,,4,4,\n");
    expect_error(&workload, "FOLDER/trace.csv:3: no service_s, and the workload has none");
    make_by_tokens(&workload, 1, 1);
    expect_requests(&workload, "1@0 2@1");
    workload = csv_service(HEADER "0,1,,,\n1,,4,,\n");
    make_by_tokens(&workload, 1, 1);
    expect_error(&workload, "FOLDER/trace.csv:3: no output_tokens, and the workload has none");
    workload = csv_service(HEADER "0,1,,,\n1,,,4,\n");
    make_by_tokens(&workload, 1, 1);
    expect_error(&workload, "FOLDER/trace.csv:3: no prompt_tokens, and the workload has none");
}

static void jobs_are_no_requests(void **state) {
    (void)state;
    struct workload_spec workload = make_service("/nonexistent.csv", "philly");
    expect_error(&workload,
                 "scenario.yaml:7:12: trace '/nonexistent.csv': the format philly holds jobs, and "
                 "this is a service: make it `kind: jobs`, or read requests as csv or azure_llm");
    workload = make_workload("/nonexistent.csv", "azure_llm");
    expect_error(&workload,
                 "scenario.yaml:7:12: trace '/nonexistent.csv': the format azure_llm holds "
                 "requests, and this workload consists of jobs: make it `kind: service`, or read "
                 "jobs as csv or philly or openb");
    workload = csv_service("job_id,submit_s,gpus,duration_s\n1,0,1,1\n");
    expect_error(&workload, "FOLDER/trace.csv:1: missing for format csv: arrival_s; the header has "
                            "job_id, submit_s, gpus, duration_s; these are jobs: `kind: jobs` "
                            "reads them (`columns: {OURS: THEIRS}` says what a column is called "
                            "here)");
    expect_csv_error("arrival_s,service_s\n0,1\n",
                     "FOLDER/trace.csv:1: missing for format csv: job_id, submit_s, gpus, "
                     "duration_s; the header has arrival_s, service_s; these are requests: `kind: "
                     "service` reads them (`columns: {OURS: THEIRS}` says what a column is called "
                     "here)");
}

static void errors_speak_of_requests(void **state) {
    (void)state;
    struct workload_spec workload = csv_service("arrival_s,service_s\n");
    expect_error(&workload, "FOLDER/trace.csv: the trace has no requests");
    workload = csv_service(FIVE);
    workload.trace.from = (struct trace_moment){.kind = MOMENT_CLOCK, .ns = SECONDS(50)};
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': no request lies in "
                            "[50s, its end); the trace runs from 10s to 40.5s");
    workload.trace.from.kind = MOMENT_NONE;
    workload.trace.origin = (struct trace_moment){.kind = MOMENT_CLOCK, .ns = SECONDS(11)};
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': its first request is of "
                            "10s, before the origin 11s; `from: 11s` leaves out what is earlier");
}

static void expect_unused(const struct workload_spec *workload, const char *expected) {
    struct error error;
    struct trace *trace = trace_prepare(workload, false, 0, &error);
    assert_non_null(trace);
    assert_string_equal(trace_report(trace)->unused_columns, expected);
    trace_destroy(trace);
}

static void names_unused_columns(void **state) {
    (void)state;
    struct workload_spec workload =
        csv_service("model,arrival_s,job_id,service_s,prompt_tokens\nm,0,1,1,1\n");
    expect_unused(&workload, "model, job_id");
    workload = csv_service(HEADER "0,1,1,1,1\n");
    expect_unused(&workload, "");
}

/* As the traces of 2023 have it: seven digits, no zone, CRLF, and no end of the last line. */
static void reads_azure_2023(void **state) {
    (void)state;
    struct workload_spec workload =
        make_service(write_text("TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
                                "2023-11-16 18:15:46.6805900,374,44\r\n"
                                "2023-11-16 18:15:50.9951690,396,109"),
                     "azure_llm");
    make_by_tokens(&workload, 10, 1000);
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, 2);
    assert_int_equal(pass.jobs[0].prompt_tokens, 374);
    assert_int_equal(pass.jobs[0].output_tokens, 44);
    assert_int_equal(pass.jobs[0].duration, 7 + 3740 + 44000);
    assert_int_equal(pass.jobs[1].submit, INT64_C(4314579000)); /* 50.995169 - 46.68059 */
    assert_int_equal(pass.jobs[1].output_tokens, 109);
    pass_clear(&pass);
    expect_unused(&workload, "");
    /* A plain distribution is drawn. */
    workload.service.service_time =
        (struct service_time_spec){.by_tokens = false, .time = test_constant(5e6)};
    pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[1].duration, 5000000);
    assert_int_equal(pass.jobs[1].prompt_tokens, 396);
    pass_clear(&pass);
}

/* Six digits and a zone, or no fraction; 00:00:01+00:30 is 23:30:01Z of the
 * day before. */
static void reads_azure_2024(void **state) {
    (void)state;
    struct workload_spec workload =
        make_service(write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n"
                                "2024-05-10 00:00:00.009930+00:00,2162,5\n"
                                "2024-05-10 00:00:01+00:00,2399,6\n"
                                "2024-05-10 00:00:01+00:30,76,0\n"),
                     "azure_llm");
    workload.service.service_time.time = test_constant(1e6);
    workload.trace.from = (struct trace_moment){
        .kind = MOMENT_WALL, .ns = INT64_C(19853) * SECONDS(86400)}; /* 2024-05-10 */
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, 2);
    assert_int_equal(pass.jobs[1].submit, 990070000);
    assert_int_equal(pass.jobs[1].prompt_tokens, 2399);
    pass_clear(&pass);
    workload.trace.from.kind = MOMENT_NONE;
    expect_requests(&workload, "3@0 1@1799.01 2@1800");
}

/* Milliseconds, T and Z, and how many images. */
static void reads_azure_2025(void **state) {
    (void)state;
    struct workload_spec workload =
        make_service(write_text("TIMESTAMP,NumImages,ContextTokens,GeneratedTokens\n"
                                "2024-10-15T12:00:00.269Z,0,770,491\n"
                                "2024-10-15T12:00:05.819Z,1,949,126\n"
                                "2024-10-15T12:00:06Z,1,964,79\n"
                                "2024-10-15T12:00:07.123456789Z,0,78,5\n"),
                     "azure_llm");
    workload.service.service_time.time = test_constant(1e6);
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, 4);
    assert_int_equal(pass.jobs[1].submit, INT64_C(5550000000));
    assert_int_equal(pass.jobs[2].submit, INT64_C(5731000000));
    assert_int_equal(pass.jobs[3].submit, INT64_C(6854456789));
    assert_int_equal(pass.jobs[3].prompt_tokens, 78);
    pass_clear(&pass);
    expect_unused(&workload, "NumImages");
}

static void expect_azure_error(const char *rows, const char *expected) {
    char text[400];
    snprintf(text, sizeof(text), "TIMESTAMP,ContextTokens,GeneratedTokens\n%s", rows);
    struct workload_spec workload = make_service(write_text(text), "azure_llm");
    workload.service.service_time.time = test_constant(1e6);
    expect_error(&workload, expected);
}

static void azure_cells_are_checked(void **state) {
    (void)state;
    expect_azure_error("17,1,1\n", "FOLDER/trace.csv:2: TIMESTAMP: '17': not a timestamp such as "
                                   "2017-10-09 06:13:03");
    expect_azure_error("2024-05-10 24:00:00,1,1\n",
                       "FOLDER/trace.csv:2: TIMESTAMP: '2024-05-10 24:00:00': not a timestamp such "
                       "as 2017-10-09 06:13:03");
    expect_azure_error("2024-05-10 00:00:00,1,1\n2024-05-10 00:00:00Z,1,1\n",
                       "FOLDER/trace.csv:3: TIMESTAMP: '2024-05-10 00:00:00Z': not a timestamp "
                       "without a zone, as the rows before it have");
    expect_azure_error("2024-05-10,,1\n", "FOLDER/trace.csv:2: ContextTokens: empty");
    expect_azure_error("2024-05-10,1,many\n",
                       "FOLDER/trace.csv:2: GeneratedTokens: 'many': not a number of tokens");
    struct workload_spec workload = make_service(
        write_text("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-05-10,1,1\n"), "azure_llm");
    expect_error(&workload,
                 "scenario.yaml:7:12: trace 'FOLDER/trace.csv': nothing says how long its requests "
                 "take: give the workload a `service_time`, by tokens say");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_headrooms_own_columns),
        cmocka_unit_test(draws_service_times_where_there_are_none),
        cmocka_unit_test(computes_times_by_tokens),
        cmocka_unit_test(draws_tokens_where_there_are_none),
        cmocka_unit_test(keys_of_a_trace_work_as_for_jobs),
        cmocka_unit_test(may_be_gzipped),
        cmocka_unit_test(many_requests_out_of_order),
        cmocka_unit_test(requests_have_no_labels),
        cmocka_unit_test(cells_are_checked),
        cmocka_unit_test(the_service_time_must_come_from_somewhere),
        cmocka_unit_test(jobs_are_no_requests),
        cmocka_unit_test(errors_speak_of_requests),
        cmocka_unit_test(names_unused_columns),
        cmocka_unit_test(reads_azure_2023),
        cmocka_unit_test(reads_azure_2024),
        cmocka_unit_test(reads_azure_2025),
        cmocka_unit_test(azure_cells_are_checked),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
