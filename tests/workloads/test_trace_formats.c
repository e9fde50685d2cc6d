/* How each format's rows become jobs, and what is no job. */
#include <math.h>

#include "tests/workloads/trace_fixture.h"

#define HEADER "job_id,submit_s,gpus,duration_s\n"

static void reads_headrooms_own_columns(void **state) {
    (void)state;
    struct pass pass = read_csv("job_id,submit_s,gpus,duration_s,memory_gib,queue,estimate_s,"
                                "max_wait_s,compute_pct\n"
                                "7,10,4,0.1,1.5,vc-a,3600,60,100\n"
                                "exp/8,12.25,1,1e3,,,,,\n");
    assert_int_equal(pass.count, 2);
    const struct arrival *a = &pass.jobs[0];
    assert_string_equal(a->id, "7");
    assert_string_equal(a->queue, "vc-a");
    assert_int_equal(a->number, 1);
    assert_int_equal(a->submit, 0);
    assert_int_equal(a->gpus, 4);
    assert_int_equal(a->duration, 100000000); /* exactly, though no double is 0.1 */
    assert_int_equal(a->memory, INT64_C(3) << 29);
    assert_int_equal(a->estimate, SECONDS(3600));
    assert_int_equal(a->max_wait, SECONDS(60));
    const struct arrival *b = &pass.jobs[1];
    assert_string_equal(b->id, "exp/8");
    assert_null(b->queue);
    assert_int_equal(b->number, 2);
    assert_int_equal(b->submit, 2250000000); /* 12.25 s - 10 s */
    assert_int_equal(b->duration, SECONDS(1000));
    assert_int_equal(b->estimate, b->duration);
    assert_int_equal(b->max_wait, SIM_TIME_NEVER);
    assert_int_equal(b->memory, 0);
    assert_int_equal(pass.report.rows, 2);
    assert_int_equal(pass.report.kept, 2);
    assert_int_equal(pass.report.skipped, 0);
    pass_clear(&pass);
}

static void maps_columns_by_name(void **state) {
    (void)state;
    struct pass pass = read_csv("extra,duration_s, gpus ,,submit_s,job_id,\n"
                                "x,5,2,,100,a,\n");
    assert_int_equal(pass.count, 1);
    assert_string_equal(pass.jobs[0].id, "a");
    assert_int_equal(pass.jobs[0].gpus, 2);
    assert_int_equal(pass.jobs[0].duration, SECONDS(5));
    pass_clear(&pass);
}

/* Absent columns and empty cells take the workload's values; given ones beat them. */
static void workload_fills_what_is_absent(void **state) {
    (void)state;
    struct workload_spec workload =
        make_workload(write_text("job_id,submit_s,gpus,duration_s,memory_gib,max_wait_s\n"
                                 ",0,1,5,0,0\n,0,1,5,,\n"),
                      "csv");
    workload.needs.memory.start = test_constant(12345);
    workload.max_wait = SECONDS(9);
    struct pass pass = read_pass(&workload, false, 0);
    assert_null(pass.jobs[0].id);
    assert_int_equal(pass.jobs[0].memory, 0);
    assert_int_equal(pass.jobs[0].max_wait, 0);
    assert_int_equal(pass.jobs[1].memory, 12345);
    assert_int_equal(pass.jobs[1].max_wait, SECONDS(9));
    pass_clear(&pass);
}

static void ids_come_back_as_they_were(void **state) {
    (void)state;
    const char *ids[] = {"0",
                         "1",
                         "999999999999999999",
                         "1000000000000000000",
                         "01",
                         "-1",
                         "1.0",
                         "9223372036854775808",
                         "",
                         "a b",
                         "\xc3\xa9",
                         "00"};
    enum { COUNT = sizeof(ids) / sizeof(ids[0]) };
    char text[1000] = HEADER;
    for (int i = 0; i < COUNT; i++) {
        sprintf(text + strlen(text), "%s,0,1,1\n", ids[i]);
    }
    struct pass pass = read_csv(text);
    assert_int_equal(pass.count, COUNT);
    for (int i = 0; i < COUNT; i++) {
        if (ids[i][0] == '\0') {
            assert_null(pass.jobs[i].id);
        } else {
            assert_string_equal(pass.jobs[i].id, ids[i]);
        }
    }
    pass_clear(&pass);
}

/* More queues than the first table has room for, each used twice. */
static void many_queues(void **state) {
    (void)state;
    char *text = memory_allocate(2000 * 40);
    char expected[32];
    strcpy(text, "job_id,submit_s,gpus,duration_s,queue\n");
    char *end = text + strlen(text);
    for (int i = 0; i < 2000; i++) {
        end += sprintf(end, "%d,%d,1,1,queue %d\n", i, i, i % 1000);
    }
    struct pass pass = read_csv(text);
    for (int i = 0; i < 2000; i++) {
        sprintf(expected, "queue %d", i % 1000);
        assert_string_equal(pass.jobs[i].queue, expected);
    }
    pass_clear(&pass);
    free(text);
}

static void submit_may_be_a_timestamp(void **state) {
    (void)state;
    struct pass pass = read_csv(HEADER "1,2017-10-09 23:59:59.5,1,1\n"
                                       "2,2017-10-10T00:00:01,1,1\n3,2017-10-10,1,1\n");
    assert_string_equal(pass.jobs[0].id, "1");
    assert_string_equal(pass.jobs[1].id, "3");
    assert_int_equal(pass.jobs[1].submit, 500000000);
    assert_string_equal(pass.jobs[2].id, "2");
    assert_int_equal(pass.jobs[2].submit, 1500000000);
    pass_clear(&pass);
    /* With zones: 01:00+02:00 is 23:00Z, half an hour before 23:30Z. */
    pass = read_csv(HEADER "1,2017-10-09T23:30:00Z,1,1\n2,2017-10-10T01:00:00+02:00,1,1\n");
    assert_string_equal(pass.jobs[0].id, "2");
    assert_int_equal(pass.jobs[1].submit, SECONDS(1800));
    pass_clear(&pass);
}

static void rows_share_one_clock(void **state) {
    (void)state;
    expect_csv_error(HEADER "1,0,1,1\n2,2017-10-09,1,1\n",
                     "FOLDER/trace.csv:3: submit_s: '2017-10-09': not a number, as the rows before "
                     "it have");
    expect_csv_error(HEADER "1,2017-10-09,1,1\n2,5,1,1\n",
                     "FOLDER/trace.csv:3: submit_s: '5': not a timestamp without a zone, as the "
                     "rows before it have");
    expect_csv_error(HEADER "1,2017-10-09T00:00:00Z,1,1\n2,2017-10-09T00:00:00,1,1\n",
                     "FOLDER/trace.csv:3: submit_s: '2017-10-09T00:00:00': not a timestamp with a "
                     "zone, as the rows before it have");
    expect_csv_error(HEADER "1,soon,1,1\n",
                     "FOLDER/trace.csv:2: submit_s: 'soon': neither a number nor a timestamp");
    expect_csv_error(HEADER "1,,1,1\n", "FOLDER/trace.csv:2: submit_s: empty");
}

static void time_unit_scales_numbers(void **state) {
    (void)state;
    struct workload_spec workload =
        make_workload(write_text("job_id,submit_s,gpus,duration_s,estimate_s,max_wait_s\n"
                                 "1,1000,1,2.5,3,0.001\n2,1001,1,4,,\n"),
                      "csv");
    workload.trace.time_unit = 1000000; /* ms */
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[0].duration, 2500000);
    assert_int_equal(pass.jobs[0].estimate, 3000000);
    assert_int_equal(pass.jobs[0].max_wait, 1000);
    assert_int_equal(pass.jobs[1].submit, 1000000);
    pass_clear(&pass);
}

static void columns_can_be_renamed(void **state) {
    (void)state;
    struct column_name names[] = {
        {"gpus", "num_gpu"}, {"submit_s", "t"}, {"job_id", "name"}, {"estimate_s", "duration_s"}};
    struct workload_spec workload =
        make_workload(write_text("name,t,gpus,num_gpu,duration_s\na,0,9,2,30\n"), "csv");
    workload.trace.columns = names;
    workload.trace.column_count = 4;
    struct pass pass = read_pass(&workload, false, 0);
    assert_string_equal(pass.jobs[0].id, "a");
    assert_int_equal(pass.jobs[0].gpus, 2);
    assert_int_equal(pass.jobs[0].estimate, SECONDS(30));
    pass_clear(&pass);

    names[0].theirs = "GPUs";
    expect_error(&workload, "FOLDER/trace.csv:1: no column 'GPUs', which `columns` has for gpus");
    names[0] = (struct column_name){"num_gpus", "num_gpu"};
    expect_error(&workload, "scenario.yaml:7:12: columns: the trace format csv has no column "
                            "'num_gpus' (it has job_id, submit_s, gpus, duration_s, memory_gib, "
                            "compute_pct, queue, estimate_s, max_wait_s, user, priority, class, "
                            "model, after, afterok, cpus, host_memory_gib)");
}

static void headers_must_have_what_is_needed(void **state) {
    (void)state;
    expect_csv_error("", "FOLDER/trace.csv: the file is empty");
    expect_csv_error("\n \n", "FOLDER/trace.csv: the file is empty");
    expect_csv_error(HEADER, "FOLDER/trace.csv: the trace has no jobs");
    expect_csv_error("job_id,submit_s,gpus,duration_s\n\n", "FOLDER/trace.csv: the trace has no "
                                                            "jobs");
    expect_csv_error("\njob_id,submit,gpus,duration\n1,0,1,1\n",
                     "FOLDER/trace.csv:2: missing for format csv: submit_s, duration_s; the header "
                     "has job_id, submit, gpus, duration (`columns: {OURS: THEIRS}` says what a "
                     "column is called here)");
    expect_csv_error("job_id;submit_s;gpus;duration_s\n1;0;1;1\n",
                     "FOLDER/trace.csv:1: missing for format csv: job_id, submit_s, gpus, "
                     "duration_s; the header has job_id;submit_s;gpus;duration_s; cells must be "
                     "separated by commas (`columns: {OURS: THEIRS}` says what a column is called "
                     "here)");
    expect_csv_error("job_id,submit_s,gpus,duration_s,gpus\n1,0,1,1,1\n",
                     "FOLDER/trace.csv:1: the column 'gpus' stands twice in the header");
    expect_csv_error("job_id,\"submit_s\"x,gpus,duration_s\n1,0,1,1\n",
                     "FOLDER/trace.csv:1: a quote in the middle of a cell: quote the whole cell, "
                     "and double the quotes in it");
}

static void rows_must_be_as_wide_as_the_header(void **state) {
    (void)state;
    expect_csv_error(HEADER "1,0,1\n", "FOLDER/trace.csv:2: 3 cells, where the header has 4");
    expect_csv_error(HEADER "1,0,1,1,\n", "FOLDER/trace.csv:2: 5 cells, where the header has 4");
}

static void expect_gpus_error(const char *gpus, const char *why) {
    char text[200];
    char expected[200];
    snprintf(text, sizeof(text), HEADER "1,0,%s,1\n", gpus);
    snprintf(expected, sizeof(expected), "FOLDER/trace.csv:2: gpus: %s", why);
    expect_csv_error(text, expected);
}

static void gpus_are_numbers(void **state) {
    (void)state;
    expect_gpus_error("0", "'0': 0 GPUs: not a GPU job");
    expect_gpus_error("1.5", "'1.5': neither whole GPUs nor a part of one");
    expect_gpus_error("-1", "'-1': not a number of GPUs");
    expect_gpus_error("two", "'two': not a number of GPUs");
    expect_gpus_error("nan", "'nan': not a number of GPUs");
    expect_gpus_error("0x4", "'0x4': not a number of GPUs");
    expect_gpus_error("4294967297", "'4294967297': not a number of GPUs");
    expect_gpus_error("1e30", "'1e30': not a number of GPUs");
    expect_gpus_error("", "empty");
    struct pass pass = read_csv(HEADER "1,0,4.0,1\n2,0,2147483647,1\n");
    assert_int_equal(pass.jobs[0].gpus, 4);
    assert_int_equal(pass.jobs[1].gpus, INT32_MAX);
    pass_clear(&pass);
}

static void expect_duration_error(const char *duration, const char *why) {
    char text[200];
    char expected[200];
    snprintf(text, sizeof(text), HEADER "1,0,1,%s\n", duration);
    snprintf(expected, sizeof(expected), "FOLDER/trace.csv:2: duration_s: %s", why);
    expect_csv_error(text, expected);
}

static void durations_are_numbers(void **state) {
    (void)state;
    expect_duration_error("-1", "'-1': a negative duration");
    expect_duration_error("-0.000000001", "'-0.000000001': a negative duration");
    expect_duration_error("nan", "'nan': not a duration, as a number");
    expect_duration_error("inf", "'inf': not a duration, as a number");
    expect_duration_error("1h", "'1h': not a duration, as a number");
    expect_duration_error("1e999", "'1e999': not a duration, as a number");
    expect_duration_error("99999999999999999999", "'99999999999999999999': not a duration, as a "
                                                  "number");
    expect_duration_error("3155760001", "'3155760001': longer than 100 years");
    expect_duration_error("", "empty");
    struct pass pass = read_csv(HEADER "1,0,1,0\n2,0,1,3155760000\n");
    assert_int_equal(pass.jobs[0].duration, 0);
    assert_int_equal(pass.jobs[1].duration, SIM_TIME_LONGEST);
    pass_clear(&pass);
}

/* 0.5 of `gpus` and 50 of compute_pct are the same share; 1 GPU without compute_pct has that of the
 * workload, and jobs of several GPUs have none. */
static void shares_of_a_gpu(void **state) {
    (void)state;
    struct workload_spec workload =
        make_workload(write_text("job_id,submit_s,gpus,duration_s,compute_pct\n"
                                 "1,0,0.5,1,\n2,0,1,1,50\n3,0,0.25,1,25.0\n4,0,1,1,100\n"
                                 "5,0,1,1,\n6,0,2,1,\n7,0,2,1,100\n8,0,1,1,0.0000001\n"),
                      "csv");
    const double expected[] = {0.5, 0.5, 0.25, 1, 0, 0, 0, 1e-9};
    for (int said = 0; said < 2; said++) {
        workload.compute = said ? 0.4 : 0;
        struct pass pass = read_pass(&workload, false, 0);
        assert_int_equal(pass.count, 8);
        for (size_t i = 0; i < 8; i++) {
            assert_int_equal(pass.jobs[i].gpus, i == 5 || i == 6 ? 2 : 1);
            assert_true(pass.jobs[i].compute == (said && i == 4 ? 0.4 : expected[i]));
        }
        pass_clear(&pass);
    }
}

static void shares_must_make_sense(void **state) {
    (void)state;
    const char *header = "job_id,submit_s,gpus,duration_s,compute_pct\n";
    char text[200];
    snprintf(text, sizeof(text), "%s1,0,1,1,200\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:2: compute_pct: '200': not a percentage of a GPU, "
                           "above 0 and at most 100");
    snprintf(text, sizeof(text), "%s1,0,1,1,0\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:2: compute_pct: '0': not a percentage of a GPU, "
                           "above 0 and at most 100");
    snprintf(text, sizeof(text), "%s1,0,1,1,50%%\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:2: compute_pct: '50%': not a percentage of a GPU, "
                           "above 0 and at most 100");
    snprintf(text, sizeof(text), "%s1,0,1,1,100.0\n2,0,1,1,\n3,0,2,1,50\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:4: compute_pct: '50': a job of several GPUs takes "
                           "whole ones");
    snprintf(text, sizeof(text), "%s1,0,0.5,1,100\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:2: compute_pct: '100': not the share of a GPU that "
                           "gpus says");
    struct workload_spec workload =
        make_workload(write_text("timestamp,duration,num_gpus\n2017-10-09,1,0.5\n"), "philly");
    expect_error(&workload, "FOLDER/trace.csv:2: num_gpus: '0.5': this format has no fractions of "
                            "a GPU");
}

/* Where the column says nothing, memory is drawn, from the stream of synthetic jobs. */
static void memory_is_drawn_where_the_trace_has_none(void **state) {
    (void)state;
    struct workload_spec workload =
        make_workload(write_text("job_id,submit_s,gpus,duration_s,memory_gib\n"
                                 "1,0,1,1,\n2,0,1,1,2\n3,0,1,1,\n"),
                      "csv");
    struct distribution *memory = &workload.needs.memory.start;
    *memory = (struct distribution){.kind = distribution_find("uniform"), .given = {1e9, 9e9}};
    struct error error;
    assert_true(distribution_prepare(memory, &error));
    struct stream stream; /* the pass of the fixture has seed 1 and replication 0 */
    stream_initialize(&stream, 1, 0, "memory of workload train");
    int64_t first = llround(1e9 + stream_uniform(&stream) * 8e9);
    int64_t second = llround(1e9 + stream_uniform(&stream) * 8e9);
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[0].memory, first);
    assert_int_equal(pass.jobs[1].memory, INT64_C(2) << 30);
    assert_int_equal(pass.jobs[2].memory, second);
    pass_clear(&pass);
}

static void optional_cells_are_checked(void **state) {
    (void)state;
    const char *header = "job_id,submit_s,gpus,duration_s,memory_gib,estimate_s,max_wait_s\n";
    char text[200];
    snprintf(text, sizeof(text), "%s1,0,1,1,-1,,\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:2: memory_gib: '-1': less than no memory");
    snprintf(text, sizeof(text), "%s1,0,1,1,16GB,,\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:2: memory_gib: '16GB': not a number of GiB");
    snprintf(text, sizeof(text), "%s1,0,1,1,,-5,\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:2: estimate_s: '-5': a negative duration");
    snprintf(text, sizeof(text), "%s1,0,1,1,,,x\n", header);
    expect_csv_error(text, "FOLDER/trace.csv:2: max_wait_s: 'x': not a duration, as a number");
}

/* Cells are shown cut, and without what a terminal would act upon. */
static void shows_texts_safely(void **state) {
    (void)state;
    expect_csv_error(HEADER "1,0,1,\"\x1b[2J\x07\nx\"\n",
                     "FOLDER/trace.csv:2: duration_s: '?[2J??x': not a duration, as a number");
    expect_csv_error(HEADER "1,0,1,0123456789012345678901234567890123456789x\n",
                     "FOLDER/trace.csv:2: duration_s: '0123456789012345678901234567890123456789...'"
                     ": not a duration, as a number");
    expect_csv_error(HEADER "1,0,1,x12345678901234567890123456789012345678\xc3\xa9y\n",
                     "FOLDER/trace.csv:2: duration_s: 'x12345678901234567890123456789012345678...'"
                     ": not a duration, as a number");
}

static void errors_name_the_physical_line(void **state) {
    (void)state;
    expect_csv_error(HEADER "\"a\n\nb\",0,1,1\n\r\n\"c\nd\",0,1,-1\ne,0,1,1\n",
                     "FOLDER/trace.csv:6: duration_s: '-1': a negative duration");
}

/* A priority counts for more than a class, and both for more than the workload's. */
static void reads_priorities_and_classes(void **state) {
    (void)state;
    struct workload_spec workload =
        make_workload(write_text("job_id,submit_s,gpus,duration_s,priority,class\n"
                                 "a,0,1,1,7,inference\n"
                                 "b,0,1,1,,finetuning\n"
                                 "c,0,1,1,,training\n"
                                 "d,0,1,1,0,\n"
                                 "e,0,1,1,,\n"),
                      "csv");
    workload.has_priority = true;
    workload.priority = 12;
    struct pass pass = read_pass(&workload, false, 0);
    const int expected[] = {7, 50, 100, 0, 12};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(pass.jobs[i].priority, expected[i]);
    }
    pass_clear(&pass);
    expect_csv_error("job_id,submit_s,gpus,duration_s,priority\na,0,1,1,-1\n",
                     "FOLDER/trace.csv:2: priority: '-1': not a priority, a whole number from 0 to "
                     "1000000000");
    expect_csv_error("job_id,submit_s,gpus,duration_s,class\na,0,1,1,Training\n",
                     "FOLDER/trace.csv:2: class: 'Training': not a class: inference, finetuning or "
                     "training");
}

static void names_unused_columns(void **state) {
    (void)state;
    struct error error;
    struct workload_spec workload = make_workload(
        write_text("model,job_id,submit_s,gpus,priority,duration_s,user,colour\nm,1,0,1,0,1,u,c\n"),
        "csv");
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    assert_non_null(trace);
    assert_string_equal(trace_report(trace)->unused_columns, "model, colour");
    trace_destroy(trace);
    workload = make_workload(write_text(HEADER "1,0,1,1\n"), "csv");
    trace = trace_prepare(&workload, false, 0, &error);
    assert_non_null(trace);
    assert_string_equal(trace_report(trace)->unused_columns, "");
    trace_destroy(trace);
}

static void a_column_of_the_file_is_only_one_of_ours(void **state) {
    (void)state;
    struct workload_spec workload = make_workload(write_text(HEADER "1,0,1,1\n"), "csv");
    struct column_name columns[] = {{"estimate_s", "gpus"}, {"user", "q"}, {"priority", "gpus"}};
    workload.trace.columns = columns;
    workload.trace.column_count = 3;
    expect_error(&workload, "scenario.yaml:7:12: columns: 'gpus' cannot be both estimate_s and "
                            "priority");
}

static void reads_philly(void **state) {
    (void)state;
    struct workload_spec workload =
        make_workload(write_text("timestamp,duration,num_gpus,gpu_time,cluster\r\n"
                                 "2017-10-09 07:01:55,66.0,1,66.0,11cb48\r\n"
                                 "2017-10-09 06:13:03,2951.0,8,23608.0,6214e9\r\n\r\n"),
                      "philly");
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, 2);
    assert_null(pass.jobs[0].id);
    assert_string_equal(pass.jobs[0].queue, "6214e9");
    assert_int_equal(pass.jobs[0].gpus, 8);
    assert_int_equal(pass.jobs[0].number, 2);
    assert_int_equal(pass.jobs[0].duration, SECONDS(2951));
    assert_int_equal(pass.jobs[1].submit, SECONDS(48 * 60 + 52)); /* 07:01:55 - 06:13:03 */
    assert_int_equal(pass.jobs[1].number, 1);
    pass_clear(&pass);
    workload = make_workload(write_text("timestamp,duration,num_gpus\n2017-10-09T00:00:00Z,1,1\n"),
                             "philly");
    expect_error(&workload, "FOLDER/trace.csv:2: timestamp: '2017-10-09T00:00:00Z': not a "
                            "timestamp such as 2017-10-09 06:13:03");
    workload = make_workload(write_text("timestamp,duration,num_gpus\n17,1,1\n"), "philly");
    expect_error(&workload, "FOLDER/trace.csv:2: timestamp: '17': not a timestamp such as "
                            "2017-10-09 06:13:03");
    workload = make_workload(write_text("timestamp,duration,num_gpus\n2017-10-09,1,0\n"), "philly");
    expect_error(&workload, "FOLDER/trace.csv:2: num_gpus: '0': 0 GPUs: not a GPU job");
}

static void philly_columns_are_renamed_by_headrooms_names(void **state) {
    (void)state;
    struct column_name name = {"gpus", "gpu_num"};
    struct workload_spec workload =
        make_workload(write_text("timestamp,duration,gpu_num\n2017-10-09,1,3\n"), "philly");
    workload.trace.columns = &name;
    workload.trace.column_count = 1;
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[0].gpus, 3);
    pass_clear(&pass);
}

static void formats_are_a_registry(void **state) {
    (void)state;
    assert_int_equal(trace_format_stride, sizeof(struct trace_format));
    for (size_t i = 0; i < trace_format_count; i++) {
        assert_ptr_equal(&trace_formats[i], (const char *)trace_formats + i * trace_format_stride);
        assert_non_null(trace_formats[i].choice.summary);
        assert_null(trace_formats[i].choice.options);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_headrooms_own_columns),
        cmocka_unit_test(maps_columns_by_name),
        cmocka_unit_test(workload_fills_what_is_absent),
        cmocka_unit_test(ids_come_back_as_they_were),
        cmocka_unit_test(many_queues),
        cmocka_unit_test(submit_may_be_a_timestamp),
        cmocka_unit_test(rows_share_one_clock),
        cmocka_unit_test(time_unit_scales_numbers),
        cmocka_unit_test(columns_can_be_renamed),
        cmocka_unit_test(headers_must_have_what_is_needed),
        cmocka_unit_test(rows_must_be_as_wide_as_the_header),
        cmocka_unit_test(gpus_are_numbers),
        cmocka_unit_test(durations_are_numbers),
        cmocka_unit_test(shares_of_a_gpu),
        cmocka_unit_test(shares_must_make_sense),
        cmocka_unit_test(memory_is_drawn_where_the_trace_has_none),
        cmocka_unit_test(optional_cells_are_checked),
        cmocka_unit_test(shows_texts_safely),
        cmocka_unit_test(errors_name_the_physical_line),
        cmocka_unit_test(reads_priorities_and_classes),
        cmocka_unit_test(names_unused_columns),
        cmocka_unit_test(a_column_of_the_file_is_only_one_of_ours),
        cmocka_unit_test(reads_philly),
        cmocka_unit_test(philly_columns_are_renamed_by_headrooms_names),
        cmocka_unit_test(formats_are_a_registry),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
