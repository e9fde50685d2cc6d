/* A prepared trace: shared by passes in several threads, told apart by its specification, kept in
 * files without names, and an error when there is no room for them. */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/support/spec.h"
#include "tests/workloads/trace_fixture.h"

enum { JOBS = 20000 };

/* Jobs of many shapes, in reverse order of time, with ids that are numbers and ids that are not. */
static struct workload_spec many_jobs(void) {
    char *text = memory_allocate(JOBS * 64);
    char *end = stpcpy(text, "job_id,submit_s,gpus,duration_s\n");
    for (int i = JOBS - 1; i >= 0; i--) {
        end += sprintf(end, i % 2 == 0 ? "%d,%d,%d,%d\n" : "job-%d,%d,%d,%d\n", i, i, 1 + i % 8, i);
    }
    struct workload_spec workload = make_workload(write_text(text), "csv");
    free(text);
    return workload;
}

static bool is_job(const struct arrival *job, int i) {
    char id[32];
    snprintf(id, sizeof(id), i % 2 == 0 ? "%d" : "job-%d", i);
    return strcmp(job->id, id) == 0 && job->submit == SECONDS(i) && job->gpus == 1 + i % 8 &&
           job->duration == SECONDS(i) && job->number == JOBS - i;
}

struct reader {
    const struct trace *trace;
    const struct workload_spec *workload;
    int good;
};

static void *read_all(void *data) {
    struct reader *reader = data;
    struct arrival job;
    struct work_source *source = work_source_from_trace(reader->trace, reader->workload, 1, 0);
    while (work_source_next(source, &job)) {
        reader->good += is_job(&job, reader->good);
    }
    work_source_destroy(source);
    return NULL;
}

static void threads_share_a_trace(void **state) {
    (void)state;
    struct error error;
    struct workload_spec workload = many_jobs();
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    assert_non_null(trace);
    pthread_t threads[4];
    struct reader readers[4];
    for (int i = 0; i < 4; i++) {
        readers[i] = (struct reader){.trace = trace, .workload = &workload};
        pthread_create(&threads[i], NULL, read_all, &readers[i]);
    }
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(readers[i].good, JOBS);
    }
    trace_destroy(trace);
}

/* Two passes in turn: what one gives stays valid while the other goes on. */
static void passes_do_not_disturb_each_other(void **state) {
    (void)state;
    struct error error;
    struct workload_spec workload = many_jobs();
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    assert_non_null(trace);
    struct work_source *one = work_source_from_trace(trace, &workload, 1, 0);
    struct work_source *other = work_source_from_trace(trace, &workload, 1, 0);
    struct arrival a, b;
    for (int i = 0; i < 100; i++) {
        assert_true(work_source_next(one, &a));
        assert_true(i < 3 || work_source_next(other, &b));
        assert_true(is_job(&a, i));
        assert_true(i < 3 || is_job(&b, i - 3));
    }
    work_source_destroy(one);
    work_source_destroy(other);
    trace_destroy(trace);
}

static size_t count_files(void) {
    size_t count = 0;
    DIR *folder = opendir(fixture_folder);
    while (readdir(folder) != NULL) {
        count++;
    }
    closedir(folder);
    return count;
}

static void leaves_no_files(void **state) {
    (void)state;
    struct error error;
    struct workload_spec workload = many_jobs();
    size_t before = count_files();
    setenv("TMPDIR", fixture_folder, 1);
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    unsetenv("TMPDIR");
    assert_non_null(trace);
    assert_int_equal(count_files(), before);
    trace_destroy(trace);
}

static void says_where_there_is_no_room(void **state) {
    (void)state;
    struct workload_spec workload = many_jobs();
    setenv("TMPDIR", "/nonexistent", 1);
    expect_error(&workload,
                 "scenario.yaml:7:12: cannot keep the trace in a temporary file in "
                 "/nonexistent: No such file or directory (TMPDIR names another folder)");
    setenv("TMPDIR", fixture_folder, 1);
    /* A limit on the size of files stands for a full disk: at the first byte and later on. */
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    const rlim_t limits[] = {0, 300000, 1000000};
    for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
        struct rlimit limit = {.rlim_cur = limits[i], .rlim_max = before.rlim_max};
        struct error error = {.message = ""};
        setrlimit(RLIMIT_FSIZE, &limit);
        struct trace *trace = trace_prepare(&workload, false, 0, &error);
        setrlimit(RLIMIT_FSIZE, &before);
        assert_null(trace);
        assert_string_equal(error.file, "scenario.yaml");
        assert_non_null(strstr(error.message, "cannot keep the trace in a temporary file in "));
        assert_non_null(strstr(error.message, fixture_folder));
        assert_non_null(strstr(error.message, "File too large"));
    }
    signal(SIGXFSZ, SIG_DFL);
    unsetenv("TMPDIR");
}

static void unreadable_files_are_errors_of_the_scenario(void **state) {
    (void)state;
    struct workload_spec workload = make_workload("/nonexistent.csv", "csv");
    expect_error(&workload, "scenario.yaml:7:12: cannot read the trace '/nonexistent.csv': No such "
                            "file or directory");
    workload = make_workload(fixture_folder, "csv");
    expect_error(&workload, "scenario.yaml:7:12: cannot read the trace 'FOLDER': Is a directory");
}

static void report_has_the_digest(void **state) {
    (void)state;
    struct error error;
    struct workload_spec workload =
        make_workload(write_text("job_id,submit_s,gpus,duration_s\n1,0,1,1\n"), "csv");
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    assert_non_null(trace);
    /* By sha256sum. */
    assert_string_equal(trace_report(trace)->sha256,
                        "18f23856d74cbdef3438ec4f72f3c8435f72a3c9202cdc5a81573560729f76ac");
    trace_destroy(trace);
}

static void specifications_are_compared(void **state) {
    (void)state;
    struct column_name one = {"gpus", "n"};
    struct column_name other = {"gpus", "m"};
    struct workload_spec a = make_workload("a.csv", "csv");
    a.trace.columns = &one;
    a.trace.column_count = 1;
    struct workload_spec b = a;
    b.trace.place.line = 99; /* where it is written does not matter */
    assert_true(trace_same(&a, &b));
    b.trace.file = "b.csv";
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.format.index = format_index("philly");
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.from = (struct trace_moment){.kind = MOMENT_CLOCK, .ns = 0};
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.to = (struct trace_moment){.kind = MOMENT_WALL, .ns = 0};
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.origin.kind = MOMENT_START;
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.limit = 5;
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.time_scale = 2;
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.time_unit = 1;
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.on_error = ON_ERROR_SKIP;
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.columns = &other;
    assert_false(trace_same(&a, &b));
    b = a;
    b.trace.column_count = 0;
    assert_false(trace_same(&a, &b));
    b = a;
    b.kind.index = WORKLOAD_SERVICE;
    assert_false(trace_same(&a, &b));
    a = b; /* two services: rows may lack a service time for one of them only */
    b.service.service_time.time = test_constant(5);
    assert_false(trace_same(&a, &b));
    a.service.service_time.time = test_constant(7);
    assert_true(trace_same(&a, &b));
    a.service.service_time.by_tokens = true;
    assert_true(trace_same(&a, &b));
    a.service.service_time.per_input_token_ns = 1; /* needs tokens */
    assert_false(trace_same(&a, &b));
    a.service.prompt_tokens = test_constant(0); /* nothing said */
    assert_false(trace_same(&a, &b));
    a.service.prompt_tokens = test_constant(3);
    assert_true(trace_same(&a, &b));
    a.service.service_time.per_output_token_ns = 1;
    assert_false(trace_same(&a, &b));
    a.service.output_tokens = test_constant(3);
    assert_true(trace_same(&a, &b));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_a_trace),
        cmocka_unit_test(passes_do_not_disturb_each_other),
        cmocka_unit_test(leaves_no_files),
        cmocka_unit_test(says_where_there_is_no_room),
        cmocka_unit_test(unreadable_files_are_errors_of_the_scenario),
        cmocka_unit_test(report_has_the_digest),
        cmocka_unit_test(specifications_are_compared),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
