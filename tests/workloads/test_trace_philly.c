/* The published Philly trace: figures that were counted independently of this reader. */
#include "tests/workloads/trace_fixture.h"

#define PHILLY TEST_SHARED_DIR "/traces/philly_jobs/philly.csv"
#define DAY SECONDS(86400)
#define OCTOBER_9 (INT64_C(17448) * DAY) /* 2017-10-09 */

static void skip_without_trace(void) {
    if (access(PHILLY, R_OK) != 0) {
        printf("SKIPPED: no trace at %s\n", PHILLY);
        skip();
    }
}

static void whole_file(void **state) {
    (void)state;
    skip_without_trace();
    struct workload_spec workload = make_workload(PHILLY, "philly");
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.report.rows, 82247);
    assert_int_equal(pass.report.kept, 82247);
    assert_int_equal(pass.report.skipped, 0);
    assert_int_equal(pass.report.duplicates, 65);
    assert_int_equal(pass.count, 82247);
    for (size_t i = 1; i < pass.count; i++) {
        assert_true(pass.jobs[i].submit > pass.jobs[i - 1].submit ||
                    (pass.jobs[i].submit == pass.jobs[i - 1].submit &&
                     pass.jobs[i].number > pass.jobs[i - 1].number));
    }
    pass_clear(&pass);
}

static void two_weeks_of_october(void **state) {
    (void)state;
    skip_without_trace();
    struct workload_spec workload = make_workload(PHILLY, "philly");
    workload.trace.from = (struct trace_moment){.kind = MOMENT_WALL, .ns = OCTOBER_9};
    workload.trace.to = (struct trace_moment){.kind = MOMENT_WALL, .ns = OCTOBER_9 + 14 * DAY};
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.report.rows, 82247);
    assert_int_equal(pass.count, 26936);
    gpu_time work = 0;
    for (size_t i = 0; i < pass.count; i++) {
        work += (gpu_time)pass.jobs[i].gpus * pass.jobs[i].duration;
        assert_true(pass.jobs[i].submit < 14 * DAY);
    }
    char hours[32];
    snprintf(hours, sizeof(hours), "%.3f", gpu_time_to_hours(work));
    assert_string_equal(hours, "183233.993");
    assert_int_equal(pass.jobs[0].submit, 0);
    pass_clear(&pass);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_file),
        cmocka_unit_test(two_weeks_of_october),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
