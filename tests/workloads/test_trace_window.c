/* Which jobs a trace keeps, in which order, and when they come. */
#include "tests/workloads/trace_fixture.h"

#define HEADER "job_id,submit_s,gpus,duration_s\n"
/* In order of time: a 10, c 20, d 20, e 30, b 40.5. */
#define FIVE HEADER "a,10,1,1\nb,40.5,1,1\nc,20,1,1\nd,20,1,1\ne,30,1,1\n"
#define WALL HEADER "a,2017-10-09,1,1\nb,2017-10-09T06:00:00,1,1\nc,2017-10-10,1,1\n"
#define DAY SECONDS(86400)
#define OCTOBER_9 (INT64_C(17448) * DAY) /* 2017-10-09: 47 years, 12 leap days, 281 days */

static struct trace_moment clock_moment(int64_t ns) {
    return (struct trace_moment){.kind = MOMENT_CLOCK, .ns = ns};
}

static struct trace_moment wall_moment(int64_t ns) {
    return (struct trace_moment){.kind = MOMENT_WALL, .ns = ns};
}

/* The pass must give these jobs at these times: "a@0 c@10.5 ...". */
static void expect_jobs(const struct workload_spec *workload, const char *expected) {
    char shown[1000] = "";
    struct pass pass = read_pass(workload, false, 0);
    for (size_t i = 0; i < pass.count; i++) {
        sprintf(shown + strlen(shown), "%s%s@%g", i > 0 ? " " : "", pass.jobs[i].id,
                sim_time_to_seconds(pass.jobs[i].submit));
    }
    assert_string_equal(shown, expected);
    assert_int_equal(pass.report.kept, pass.count);
    pass_clear(&pass);
}

static struct workload_spec five(void) {
    return make_workload(write_text(FIVE), "csv");
}

static void sorts_by_time_then_row(void **state) {
    (void)state;
    struct workload_spec workload = five();
    expect_jobs(&workload, "a@0 c@10 d@10 e@20 b@30.5");
}

static void window_is_half_open(void **state) {
    (void)state;
    struct workload_spec workload = five();
    workload.trace.from = clock_moment(SECONDS(20));
    expect_jobs(&workload, "c@0 d@0 e@10 b@20.5");
    workload.trace.to = clock_moment(SECONDS(30));
    expect_jobs(&workload, "c@0 d@0");
    workload.trace.to = clock_moment(SECONDS(30) + 1);
    expect_jobs(&workload, "c@0 d@0 e@10");
    workload.trace.from = (struct trace_moment){.kind = MOMENT_NONE};
    expect_jobs(&workload, "a@0 c@10 d@10 e@20");
}

static void limit_keeps_the_first_in_time(void **state) {
    (void)state;
    struct workload_spec workload = five();
    workload.trace.limit = 2;
    expect_jobs(&workload, "a@0 c@10");
    workload.trace.limit = 4;
    expect_jobs(&workload, "a@0 c@10 d@10 e@20");
    workload.trace.limit = 6;
    expect_jobs(&workload, "a@0 c@10 d@10 e@20 b@30.5");
    workload.trace.limit = 1;
    workload.trace.from = clock_moment(SECONDS(25));
    expect_jobs(&workload, "e@0");
    /* And of a file that is in order already. */
    workload = make_workload(write_text(HEADER "a,1,1,1\nb,2,1,1\nc,3,1,1\n"), "csv");
    workload.trace.limit = 2;
    expect_jobs(&workload, "a@0 b@1");
}

static void origin_may_be_a_time_of_the_clock(void **state) {
    (void)state;
    struct workload_spec workload = five();
    workload.trace.origin = clock_moment(0);
    expect_jobs(&workload, "a@10 c@20 d@20 e@30 b@40.5");
    workload.trace.origin = clock_moment(SECONDS(10));
    expect_jobs(&workload, "a@0 c@10 d@10 e@20 b@30.5");
    workload.trace.from = clock_moment(SECONDS(20));
    expect_jobs(&workload, "c@10 d@10 e@20 b@30.5");
    workload.trace.origin = clock_moment(SECONDS(22));
    expect_error(&workload,
                 "scenario.yaml:7:12: trace 'FOLDER/trace.csv': its first job is of 20s, "
                 "before the origin 22s; `from: 22s` leaves out what is earlier");
}

static void origin_may_be_a_wall_time(void **state) {
    (void)state;
    struct workload_spec workload = make_workload(write_text(WALL), "csv");
    workload.trace.from = wall_moment(OCTOBER_9 + 1);
    workload.trace.origin = wall_moment(OCTOBER_9);
    expect_jobs(&workload, "b@21600 c@86400");
    workload.trace.origin = wall_moment(OCTOBER_9 + SECONDS(30000));
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': its first job is of "
                            "2017-10-09T06:00:00, before the origin 2017-10-09T08:20:00; `from: "
                            "2017-10-09T08:20:00` leaves out what is earlier");
}

static void origin_may_be_the_scenarios_start(void **state) {
    (void)state;
    struct workload_spec workload = make_workload(write_text(WALL), "csv");
    workload.trace.origin.kind = MOMENT_START;
    struct pass pass = read_pass(&workload, true, OCTOBER_9 - SECONDS(60));
    assert_int_equal(pass.jobs[0].submit, SECONDS(60));
    pass_clear(&pass);
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': `origin: start` needs "
                            "the scenario's `start`");
    workload = five();
    workload.trace.origin.kind = MOMENT_START;
    struct error error;
    assert_null(trace_prepare(&workload, true, 0, &error));
    assert_string_equal(strstr(error.message, "`origin"),
                        "`origin: start` is no time of this trace: the trace counts from its own "
                        "zero: write a time since then, such as 0s or 2h");
}

static void time_scale_stretches_what_follows_the_origin(void **state) {
    (void)state;
    struct workload_spec workload = five();
    workload.trace.time_scale = 0.5;
    expect_jobs(&workload, "a@0 c@5 d@5 e@10 b@15.25");
    workload.trace.origin = clock_moment(0);
    expect_jobs(&workload, "a@5 c@10 d@10 e@15 b@20.25");
    workload.trace.time_scale = 3;
    expect_jobs(&workload, "a@30 c@60 d@60 e@90 b@121.5");
}

/* To the nearest nanosecond also where a double has no such digits: 3,000,000,001 s + 1 ns is
 * 3 x 10^18 ns, where doubles are 512 apart. */
static void scaled_times_are_exact(void **state) {
    (void)state;
    struct workload_spec workload =
        make_workload(write_text(HEADER "a,0,1,1\nb,1500000000.500000001,1,1\n"), "csv");
    workload.trace.time_scale = 2;
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[1].submit, INT64_C(3000000001000000002));
    pass_clear(&pass);
}

static void times_stay_in_range(void **state) {
    (void)state;
    struct workload_spec workload =
        make_workload(write_text(HEADER "a,0,1,1\nb,1600000000,1,1\n"), "csv");
    workload.trace.time_scale = 2;
    expect_error(&workload,
                 "scenario.yaml:7:12: trace 'FOLDER/trace.csv': its last job would come more than "
                 "100 years after the origin 0s: check `time_unit`, `time_scale` and `origin`");
    workload = make_workload(write_text(HEADER "a,-4600000000,1,1\nb,4600000000,1,1\n"), "csv");
    expect_error(&workload,
                 "scenario.yaml:7:12: trace 'FOLDER/trace.csv': its last job would come more than "
                 "100 years after the origin -4600000000s: check `time_unit`, `time_scale` and "
                 "`origin`");
}

static void empty_windows_say_where_the_trace_is(void **state) {
    (void)state;
    struct workload_spec workload = five();
    workload.trace.from = clock_moment(SECONDS(50));
    expect_error(&workload,
                 "scenario.yaml:7:12: trace 'FOLDER/trace.csv': no job lies in [50s, its "
                 "end); the trace runs from 10s to 40.5s");
    workload.trace.to = clock_moment(SECONDS(60));
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': no job lies in [50s, "
                            "60s); the trace runs from 10s to 40.5s");
    workload = make_workload(write_text(WALL), "csv");
    workload.trace.to = wall_moment(OCTOBER_9);
    expect_error(&workload,
                 "scenario.yaml:7:12: trace 'FOLDER/trace.csv': no job lies in [its beginning, "
                 "2017-10-09T00:00:00); the trace runs from 2017-10-09T00:00:00 to "
                 "2017-10-10T00:00:00");
}

static void moments_must_be_of_the_traces_clock(void **state) {
    (void)state;
    struct workload_spec workload = five();
    workload.trace.from = wall_moment(OCTOBER_9);
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': `from` is no time of "
                            "this trace: the trace counts from its own zero: write a time since "
                            "then, such as 0s or 2h");
    workload = make_workload(write_text(WALL), "csv");
    workload.trace.to = clock_moment(0);
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': `to` is no time of this "
                            "trace: the trace has timestamps: write one, such as "
                            "2017-10-09T00:00:00");
    workload = make_workload(write_text(WALL), "csv");
    workload.trace.origin = clock_moment(0);
    expect_error(&workload, "scenario.yaml:7:12: trace 'FOLDER/trace.csv': `origin` is no time of "
                            "this trace: the trace has timestamps: write one, such as "
                            "2017-10-09T00:00:00");
}

/* Three equal rows are two duplicates, quoted or not; a row that differs in an unused column is
 * none, and of rows outside the window or the limit none counts. */
static void counts_kept_duplicates(void **state) {
    (void)state;
    struct workload_spec workload = make_workload(write_text("job_id,submit_s,gpus,duration_s,x\n"
                                                             "a,10,1,1,p\n"
                                                             "b,20,1,1,p\n"
                                                             "a,10,1,1,q\n"
                                                             "\"a\",10,\"1\",1,p\n"
                                                             "b,20,1,1,p\n"
                                                             "a,10,1,1,p\n"
                                                             "a,10.0,1,1,p\n"
                                                             "c,20,1,1,p\n"),
                                                  "csv");
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, 8);
    assert_int_equal(pass.report.duplicates, 3);
    pass_clear(&pass);
    workload.trace.from = clock_moment(SECONDS(20));
    pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.report.duplicates, 1);
    pass_clear(&pass);
    workload.trace.limit = 1;
    pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.report.duplicates, 0);
    pass_clear(&pass);
}

static void skips_bad_rows_if_asked_to(void **state) {
    (void)state;
    struct workload_spec workload = make_workload(write_text(HEADER "a,x,1,1\n"
                                                                    "b,5,0,1\n"
                                                                    "c,7,1,1\n"
                                                                    "d\"d,7,1,1\n"
                                                                    "e,8,1\n"
                                                                    "f,9,1,1\n"
                                                                    "g,10,1,\"1\n"),
                                                  "csv");
    workload.trace.on_error = ON_ERROR_SKIP;
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, 2);
    assert_string_equal(pass.jobs[0].id, "c");
    assert_int_equal(pass.jobs[0].number, 3);
    assert_string_equal(pass.jobs[1].id, "f");
    assert_int_equal(pass.jobs[1].number, 6);
    assert_int_equal(pass.jobs[1].submit, SECONDS(2));
    assert_int_equal(pass.report.rows, 7);
    assert_int_equal(pass.report.skipped, 5);
    assert_int_equal(pass.report.first_skipped.line, 2);
    assert_string_equal(pass.report.first_skipped.message,
                        "submit_s: 'x': neither a number nor a timestamp");
    pass_clear(&pass);
    workload.trace.on_error = ON_ERROR_FAIL;
    expect_error(&workload, "FOLDER/trace.csv:2: submit_s: 'x': neither a number nor a timestamp");
    workload = make_workload(write_text(HEADER "\n1,0,0,1\n2,0,0,1\n"), "csv");
    workload.trace.on_error = ON_ERROR_SKIP;
    expect_error(&workload, "FOLDER/trace.csv:3: the trace has no jobs: none of its 2 rows can be "
                            "read, this one because of gpus: '0': 0 GPUs: not a GPU job");
}

static uint64_t shuffle_state = 42;

static size_t random_below(size_t n) {
    shuffle_state = shuffle_state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (size_t)(shuffle_state >> 33) % n;
}

static struct pass read_lines(char lines[][64], size_t count) {
    char *text = memory_allocate(count * 64 + 100);
    char *end = stpcpy(text, "job_id,submit_s,gpus,duration_s,queue\n");
    for (size_t i = 0; i < count; i++) {
        end = stpcpy(end, lines[i]);
    }
    struct pass pass = read_csv(text);
    free(text);
    return pass;
}

/* Property: the order of the rows of a trace with distinct submit times does not matter. */
static void shuffling_changes_nothing(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    static char lines[COUNT][64];
    for (size_t i = 0; i < COUNT; i++) {
        snprintf(lines[i], sizeof(lines[i]), "j%zu,%zu.%03zu,%zu,%zu,q%zu\n", i, i * 7, i % 1000,
                 1 + random_below(8), random_below(100000), random_below(5));
    }
    struct pass sorted = read_lines(lines, COUNT);
    assert_int_equal(sorted.count, COUNT);
    for (int round = 0; round < 5; round++) {
        for (size_t i = COUNT - 1; i > 0; i--) {
            size_t other = random_below(i + 1);
            char line[64];
            memcpy(line, lines[i], sizeof(line));
            memcpy(lines[i], lines[other], sizeof(line));
            memcpy(lines[other], line, sizeof(line));
        }
        struct pass shuffled = read_lines(lines, COUNT);
        assert_int_equal(shuffled.count, COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            const struct arrival *a = &sorted.jobs[i];
            const struct arrival *b = &shuffled.jobs[i];
            assert_int_equal(a->submit, b->submit);
            assert_int_equal(a->duration, b->duration);
            assert_int_equal(a->gpus, b->gpus);
            assert_string_equal(a->id, b->id);
            assert_string_equal(a->queue, b->queue);
        }
        pass_clear(&shuffled);
    }
    pass_clear(&sorted);
}

static void counts_what_comes_before_a_moment(void **state) {
    (void)state;
    struct workload_spec workload = five(); /* a@0 c@20 d@20 e@40 b@61, twice as slow */
    workload.trace.time_scale = 2;
    struct error error;
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    assert_non_null(trace);
    assert_int_equal(trace_count_before(trace, 0), 0);
    assert_int_equal(trace_count_before(trace, 1), 1);
    assert_int_equal(trace_count_before(trace, SECONDS(20)), 1);
    assert_int_equal(trace_count_before(trace, SECONDS(20) + 1), 3);
    assert_int_equal(trace_count_before(trace, SECONDS(61)), 4);
    assert_int_equal(trace_count_before(trace, SECONDS(61) + 1), 5);
    trace_destroy(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorts_by_time_then_row),
        cmocka_unit_test(window_is_half_open),
        cmocka_unit_test(limit_keeps_the_first_in_time),
        cmocka_unit_test(origin_may_be_a_time_of_the_clock),
        cmocka_unit_test(origin_may_be_a_wall_time),
        cmocka_unit_test(origin_may_be_the_scenarios_start),
        cmocka_unit_test(time_scale_stretches_what_follows_the_origin),
        cmocka_unit_test(scaled_times_are_exact),
        cmocka_unit_test(times_stay_in_range),
        cmocka_unit_test(empty_windows_say_where_the_trace_is),
        cmocka_unit_test(moments_must_be_of_the_traces_clock),
        cmocka_unit_test(counts_kept_duplicates),
        cmocka_unit_test(skips_bad_rows_if_asked_to),
        cmocka_unit_test(shuffling_changes_nothing),
        cmocka_unit_test(counts_what_comes_before_a_moment),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
