/* Queues, users and dependencies in the rows of a trace. */
#include "tests/workloads/trace_fixture.h"

#define HEADER "job_id,submit_s,gpus,duration_s,queue,user,after,afterok\n"

static struct trace *prepare(const char *text) {
    struct workload_spec workload = make_workload(write_text(text), "csv");
    struct error error = {.message = ""};
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    if (trace == NULL) {
        fail_msg("%s", error.message);
    }
    return trace;
}

static void expect_owner(const struct trace *trace, int32_t number, const char *queue,
                         const char *user) {
    const char *its_queue;
    const char *its_user;
    trace_owner(trace, number, &its_queue, &its_user);
    assert_true((queue == NULL) == (its_queue == NULL) && (user == NULL) == (its_user == NULL));
    assert_true(queue == NULL || strcmp(queue, its_queue) == 0);
    assert_true(user == NULL || strcmp(user, its_user) == 0);
}

/* Pairs are numbered as they turn up in the file; jobs come in the order of their submission. */
static void pairs_of_queue_and_user(void **state) {
    (void)state;
    struct trace *trace = prepare(HEADER "1,5,1,1,red,ann,,\n"
                                         "2,1,1,1,red,bob,,\n"
                                         "3,2,1,1,,,,\n"
                                         "4,3,1,1,red,ann,,\n"
                                         "5,4,1,1,,ann,,\n");
    assert_int_equal(trace_owner_count(trace), 4);
    expect_owner(trace, 0, "red", "ann");
    expect_owner(trace, 1, "red", "bob");
    expect_owner(trace, 2, NULL, NULL);
    expect_owner(trace, 3, NULL, "ann");
    static const int32_t owners[] = {1, 2, 0, 3, 0};
    struct workload_spec workload = make_workload("", "csv");
    struct work_source *source = work_source_from_trace(trace, &workload, 1, 0);
    struct arrival job;
    for (int i = 0; work_source_next(source, &job); i++) {
        assert_int_equal(job.owner, owners[i]);
    }
    struct job_label label;
    trace_label(trace, 4, &label);
    assert_string_equal(label.user, "ann");
    assert_false(trace_has_dependencies(trace));
    work_source_destroy(source);
    trace_destroy(trace);
}

/* More than the hash table begins with. */
static void many_pairs(void **state) {
    (void)state;
    enum { PAIRS = 500 };
    char text[2 * PAIRS * 40] = HEADER;
    size_t used = strlen(text);
    for (int i = 0; i < 2 * PAIRS; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d,1,1,q%d,u%d,,\n", i, i,
                                 i % PAIRS / 20, i % PAIRS % 20);
    }
    struct trace *trace = prepare(text);
    assert_int_equal(trace_owner_count(trace), PAIRS);
    expect_owner(trace, 499, "q24", "u19");
    trace_destroy(trace);
}

static void expect_after(const struct trace *trace, int64_t index, int64_t after, bool ok) {
    bool is_ok = false;
    assert_int_equal(trace_after(trace, index, &is_ok), after);
    assert_int_equal(is_ok, ok);
}

/* By the order of submission: x, 7, y, z. Ids may be numbers or names, and come later in the file.
 */
static void places_of_those_waited_for(void **state) {
    (void)state;
    struct trace *trace = prepare(HEADER "y,3,1,1,,,7,\n"
                                         "z,4,1,1,,,,x\n"
                                         "x,1,1,1,,,,\n"
                                         "7,2,1,1,,,z,\n");
    assert_true(trace_has_dependencies(trace));
    expect_after(trace, 0, -1, false);
    expect_after(trace, 1, 3, false);
    expect_after(trace, 2, 1, false);
    expect_after(trace, 3, 0, true);
    trace_destroy(trace);
}

static void dependencies_that_make_no_sense(void **state) {
    (void)state;
    expect_csv_error(HEADER "1,0,1,1,,,2,\n",
                     "scenario.yaml:7:12: trace 'FOLDER/trace.csv': row 1 waits for job '2', but "
                     "no job is called so");
    expect_csv_error(HEADER "1,0,1,1,,,,\n1,0,1,1,,,,\n2,0,1,1,,,1,\n",
                     "scenario.yaml:7:12: trace 'FOLDER/trace.csv': row 3 waits for job '1', but "
                     "several jobs are called so");
    expect_csv_error(HEADER "1,0,1,1,,,,\n2,0,1,1,,,3,\n3,0,1,1,,,,4\n4,0,1,1,,,2,\n",
                     "scenario.yaml:7:12: trace 'FOLDER/trace.csv': job '2' waits for itself, "
                     "through `after` or `afterok`");
    expect_csv_error(HEADER "1,0,1,1,,,,\n2,0,1,1,,,1,1\n",
                     "FOLDER/trace.csv:3: afterok: '1': a job waits for one other: by after or by "
                     "afterok");
}

/* What lies outside of what is kept has ended, as far as the rest can tell. */
static void those_outside_the_window(void **state) {
    (void)state;
    const char *path = write_text(HEADER "1,0,1,1,,,,\n2,5,1,1,,,1,\n3,6,1,1,,,2,\n");
    struct workload_spec workload = make_workload(path, "csv");
    workload.trace.from = (struct trace_moment){MOMENT_CLOCK, 5 * NANOSECONDS_PER_SECOND};
    struct error error = {.message = ""};
    struct trace *trace = trace_prepare(&workload, false, 0, &error);
    assert_non_null(trace);
    expect_after(trace, 0, -1, false);
    expect_after(trace, 1, 0, false);
    assert_int_equal(trace_report(trace)->dropped_links, 1);
    trace_destroy(trace);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_queue_and_user),
        cmocka_unit_test(many_pairs),
        cmocka_unit_test(places_of_those_waited_for),
        cmocka_unit_test(dependencies_that_make_no_sense),
        cmocka_unit_test(those_outside_the_window),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
