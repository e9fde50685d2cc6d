/* CPUs and memory of hosts in traces: of the whole job, as files have them, shared among its GPUs;
 * and the format of Alibaba's trace, which has them. */
#include "tests/workloads/trace_fixture.h"

/* 10 CPUs for 4 GPUs are 2.5 each; 1 GiB for 3 is a third, rounded up. */
static void csv_shares_them_among_gpus(void **state) {
    (void)state;
    struct pass pass = read_csv("job_id,submit_s,gpus,duration_s,cpus,host_memory_gib\n"
                                "a,0,4,10,10,16\n"
                                "b,1,3,10,0.001,1\n"
                                "c,2,0.5,10,8,\n");
    assert_int_equal(pass.count, 3);
    assert_int_equal(pass.jobs[0].cpus, 2500);
    assert_int_equal(pass.jobs[0].host_memory, INT64_C(4) << 30);
    assert_int_equal(pass.jobs[1].cpus, 1);
    assert_int_equal(pass.jobs[1].host_memory, (INT64_C(1) << 30) / 3 + 1);
    assert_int_equal(pass.jobs[2].cpus, 8000);
    assert_int_equal(pass.jobs[2].host_memory, 0);
    pass_clear(&pass);
}

static void a_workload_fills_in_what_is_missing(void **state) {
    (void)state;
    struct workload_spec workload = make_workload(
        write_text("job_id,submit_s,gpus,duration_s,cores\na,0,2,10,\nb,0,2,10,4\n"), "csv");
    struct column_name columns[] = {{"cpus", "cores"}};
    workload.trace.columns = columns;
    workload.trace.column_count = 1;
    workload.cpus = 12;
    workload.host_memory = 64;
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[0].cpus, 12000);
    assert_int_equal(pass.jobs[0].host_memory, 64);
    assert_int_equal(pass.jobs[1].cpus, 2000);
    pass_clear(&pass);
}

static void refuses_what_is_no_amount(void **state) {
    (void)state;
    expect_csv_error("job_id,submit_s,gpus,duration_s,cpus\na,0,1,10,-1\n",
                     "FOLDER/trace.csv:2: cpus: '-1': not a number of CPUs");
    expect_csv_error("job_id,submit_s,gpus,duration_s,host_memory_gib\na,0,1,10,big\n",
                     "FOLDER/trace.csv:2: host_memory_gib: 'big': not an amount of memory");
}

static void estimates_by_a_factor(void **state) {
    (void)state;
    struct workload_spec workload = make_workload(
        write_text("job_id,submit_s,gpus,duration_s,estimate_s\na,0,1,10,\nb,0,1,10,7\n"), "csv");
    workload.has_estimate = true;
    workload.has_estimate_factor = true;
    distribution_constant(&workload.estimate_factor, 1.5);
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.jobs[0].estimate, SECONDS(15));
    assert_int_equal(pass.jobs[1].estimate, SECONDS(7)); /* the row's own counts */
    pass_clear(&pass);
}

#define OPENB                                                                                      \
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,creation_time,deletion_time,scheduled_time\n"

/* The second pod has a share of one GPU; the third was never scheduled. */
static void openb_pods(void **state) {
    (void)state;
    struct workload_spec workload = make_workload(write_text(OPENB "p0,12000,16384,2,1000,5,30,10\n"
                                                                   "p1,6000,12288,1,460,7,20,7\n"
                                                                   "p2,1000,1,1,1000,9,11,\n"),
                                                  "openb");
    struct pass pass = read_pass(&workload, false, 0);
    assert_int_equal(pass.count, 3);
    assert_string_equal(pass.jobs[0].id, "p0");
    assert_int_equal(pass.jobs[0].gpus, 2);
    assert_int_equal(pass.jobs[0].duration, SECONDS(20));
    assert_int_equal(pass.jobs[0].cpus, 6000);
    assert_int_equal(pass.jobs[0].host_memory, INT64_C(8) << 30);
    assert_true(pass.jobs[0].compute == 0);
    assert_int_equal(pass.jobs[1].submit, SECONDS(2));
    assert_true(pass.jobs[1].compute == 0.46);
    assert_true(pass.jobs[2].compute == 1);
    assert_int_equal(pass.jobs[2].duration, SECONDS(2));
    pass_clear(&pass);
    workload = make_workload(write_text(OPENB "p0,1,1,1,1000,5,3,4\n"), "openb");
    expect_error(&workload, "FOLDER/trace.csv:2: deletion_time: '3': earlier than the start");
    workload = make_workload(write_text(OPENB "p0,1,1,1,1001,5,9,5\n"), "openb");
    expect_error(&workload,
                 "FOLDER/trace.csv:2: gpu_milli: '1001': not thousandths of a GPU, above "
                 "0 and at most 1000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_shares_them_among_gpus),
        cmocka_unit_test(a_workload_fills_in_what_is_missing),
        cmocka_unit_test(refuses_what_is_no_amount),
        cmocka_unit_test(estimates_by_a_factor),
        cmocka_unit_test(openb_pods),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
