/* Iterations of jobs, and the storage of a pool: their keys, and what does not go together. */
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

/* Pool a in line 3, workload w with these keys from line 6, column 5, on. */
#define TEXT(pool, workload)                                                                       \
    "headroom: 1\nhorizon: 1d\n"                                                                   \
    "cluster: {pools: {a: {gpu: A100-SXM4-80GB, nodes: 1, gpus_per_node: 8" pool "}}}\n"           \
    "workloads:\n"                                                                                 \
    "  w: {\n    " workload "}\n"
#define JOB(keys) TEXT("", "kind: jobs, arrivals: {poisson: 1/h}, duration: 1h,\n    " keys)
#define SERVICE(pool, keys)                                                                        \
    TEXT(pool, "kind: service, arrivals: {poisson: 1/s}, service_time: 1ms,\n    " keys)
#define STORAGE ", storage: {bandwidth: 4GB/s}"

static void test_iterations(void **state) {
    const struct iterations_spec *spec =
        &fixture_accept(*state, JOB("preemptible: false"))->workloads[0].iterations;
    assert_true(spec->gpu_active == 1);
    assert_int_equal(spec->length, INT64_C(1000000000));
    assert_int_equal(spec->phase, PHASE_RANDOM);
    spec = &fixture_accept(*state, JOB("gpu_active: 60%, iteration: 250ms, phase: 50ms"))
                ->workloads[0]
                .iterations;
    assert_true(spec->gpu_active == 0.6);
    assert_int_equal(spec->length, INT64_C(250000000));
    assert_int_equal(spec->phase, INT64_C(50000000));
}

static void test_wrong_iterations(void **state) {
    fixture_refuse(*state, JOB("gpu_active: 0,\n    iteration: 0s"),
                   "7:17: workloads.w.gpu_active must be above 0% and at most 100%, not \"0\"\n"
                   "8:16: workloads.w.iteration must be from 1ms to 36525d, not \"0s\"\n");
    fixture_refuse(*state, JOB("phase: 100ms,\n    iteration: 2s"),
                   "7:5: jobs of workload w compute all the time, so it does not matter how they "
                   "iterate: give gpu_active, such as 60%, or leave phase out\n"
                   "8:5: jobs of workload w compute all the time, so it does not matter how they "
                   "iterate: give gpu_active, such as 60%, or leave iteration out\n");
    fixture_refuse(*state, JOB("gpu_active: 60%, phase: 1s"),
                   "7:22: the phase of workload w must be shorter than its iteration\n");
    fixture_refuse(*state, SERVICE("", "gpu_active: 60%"),
                   "7:5: workload w is a service, which has no gpu_active: its replicas compute "
                   "while they have a request\n");
}

static void test_storage(void **state) {
    const struct scenario *s = fixture_accept(*state, JOB("preemptible: false"));
    assert_true(s->pools[0].storage.bandwidth == 0);
    s = fixture_accept(*state, TEXT(STORAGE, "kind: jobs, arrivals: {poisson: 1/h}, duration: 1h"));
    assert_true(s->pools[0].storage.bandwidth == 4e9);
    fixture_refuse(
        *state,
        TEXT(", storage: {bandwidth: 4GB}", "kind: jobs, arrivals: {poisson: 1/h}, duration: 1h"),
        "3:93: cluster.pools.a.storage.bandwidth must be bytes per time such as 4GB/s, 500MiB/s "
        "or 50MB/h, or none, not \"4GB\"\n");
}

static void test_loading_from_storage(void **state) {
    const struct scenario *s =
        fixture_accept(*state, SERVICE(STORAGE, "memory: 14GB, load_time: storage"));
    assert_true(s->workloads[0].needs.load_from_storage);
    s = fixture_accept(*state, SERVICE("", "load_time: {uniform: [1s, 2s]}"));
    assert_false(s->workloads[0].needs.load_from_storage);
    assert_string_equal(s->workloads[0].needs.load_time.kind->name, "uniform");
    /* Of a model; and another time in the workload. */
    s = fixture_accept(*state, SERVICE(STORAGE, "model: m") "models: {m: {memory: 14GB, load_time: "
                                                            "storage}}\n");
    assert_true(s->workloads[0].needs.load_from_storage);
    s = fixture_accept(*state, SERVICE("", "model: m, load_time: 3s") "models: {m: {memory: 14GB, "
                                                                      "load_time: storage}}\n");
    assert_false(s->workloads[0].needs.load_from_storage);
    fixture_refuse(*state, SERVICE("", "memory: 14GB, load_time: storage"),
                   "7:19: workload w loads from storage, but pool a does not say how fast its "
                   "storage is: add `storage: {bandwidth: 4GB/s}` there, or give a load_time\n");
    fixture_refuse(*state, SERVICE(STORAGE, "load_time: storage"),
                   "7:5: workload w loads its memory from storage, but no memory is given: say how "
                   "much, such as `memory: 14GB`\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_wrong_iterations),
        cmocka_unit_test(test_storage),
        cmocka_unit_test(test_loading_from_storage),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
