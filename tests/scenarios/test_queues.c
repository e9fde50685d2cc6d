/* Queues, arrays and what waits for what: what they may say, and what is refused where. */
#include <math.h>

#include "scenarios/queue_spec.h"
#include "tests/scenarios/language_fixture.h"

FIXTURE_SETUP_TEARDOWN

/* The fixture's pool has 16 GPUs; the scheduler stands in line 5. */
#define WITH(SCHEDULER) FIXTURE_VALID "scheduler: {" SCHEDULER "}\n"
#define JOBS "{kind: jobs, arrivals: {poisson: 1/h}, limit: 9, duration: 1h"

static void test_amounts(void **state) {
    struct scenario *s = fixture_accept(
        *state, WITH("queues: {red: {guaranteed: 4, limit: 50%, weight: 2.5, user_limit: 0.5}, "
                     "\"a queue\": {}}, user_limit: none"));
    const struct scheduler_spec *scheduler = &s->scheduler;
    assert_int_equal(scheduler->queue_count, 2);
    const struct queue_spec *red = &scheduler->queues[0];
    assert_string_equal(red->name, "red");
    assert_true(gpu_amount_in(red->guaranteed, 16) == 4);
    assert_true(gpu_limit_in(red->limit, 16) == 8);
    assert_true(gpu_limit_in(red->user_limit, 16) == 0.5);
    assert_true(red->weight == 2.5);
    const struct queue_spec *other = &scheduler->queues[1];
    assert_string_equal(other->name, "a queue");
    assert_true(gpu_amount_in(other->guaranteed, 16) == 0 && other->weight == 1);
    assert_true(isinf(gpu_limit_in(other->limit, 16)) &&
                isinf(gpu_limit_in(other->user_limit, 16)) &&
                isinf(gpu_limit_in(scheduler->user_limit, 16)));
}

static void test_amounts_that_are_none(void **state) {
    fixture_refuse(*state, WITH("queues: {red: {limit: -1}}"),
                   "5:35: scheduler.queues.red.limit must be a number of GPUs such as 16, or a "
                   "share of all GPUs such as 40%, or none, not \"-1\"\n");
    fixture_refuse(*state, WITH("queues: {red: {guaranteed: 120%}}"),
                   "5:40: scheduler.queues.red.guaranteed must be a number of GPUs such as 16, or "
                   "a share of all GPUs such as 40%, not \"120%\"\n");
    fixture_refuse(*state, WITH("queues: {red: {guaranteed: none}}"),
                   "5:40: scheduler.queues.red.guaranteed must be a number of GPUs such as 16, or "
                   "a share of all GPUs such as 40%, not \"none\"\n");
}

static void test_guarantees_fit_the_cluster(void **state) {
    fixture_accept(*state, WITH("queues: {a: {guaranteed: 8}, b: {guaranteed: 50%}}"));
    fixture_refuse(*state, WITH("queues: {a: {guaranteed: 12}, b: {guaranteed: 50%}}"),
                   "5:13: the queues are guaranteed 20 GPUs in all, but the cluster has 16\n");
    fixture_refuse(*state, WITH("queues: {a: {guaranteed: 4, limit: 2}}"),
                   "5:48: queue a is guaranteed 4 GPUs, but may hold 2 at most: its limit cannot "
                   "be below its guarantee\n");
    fixture_refuse(*state, WITH("queues: {a: {limit: 0}}"),
                   "5:33: queue a may hold no GPU at all: none of its jobs would ever start\n");
}

static void test_a_workload_is_of_a_listed_queue(void **state) {
    static const char lists[] =
        FIXTURE_HEAD FIXTURE_CLUSTER "scheduler: {queues: {research: {}, production: {}}}\n"
                                     "workloads: {w: " JOBS ", queue: %s, user: ann}}\n";
    char text[1024];
    snprintf(text, sizeof(text), lists, "research");
    assert_string_equal(fixture_accept(*state, text)->workloads[0].queue, "research");
    assert_string_equal(fixture_accept(*state, text)->workloads[0].user, "ann");
    snprintf(text, sizeof(text), lists, "reserch");
    fixture_refuse(*state, text,
                   "5:86: scheduler.queues lists no queue \"reserch\", of which workload w is: did "
                   "you mean \"research\"?\n");
    /* Where none are listed, any name will do. */
    fixture_accept(*state, FIXTURE_HEAD FIXTURE_CLUSTER "workloads: {w: " JOBS ", queue: x}}\n");
}

#define TWO(FIRST, SECOND)                                                                         \
    FIXTURE_HEAD FIXTURE_CLUSTER "workloads:\n  a: " FIRST "\n  b: " SECOND "\n"

static void test_arrays(void **state) {
    struct scenario *s =
        fixture_accept(*state, TWO(JOBS ", array: 10}", JOBS ", array: {size: 100, at_most: 4}}"));
    assert_int_equal(s->workloads[0].array.size, 10);
    assert_int_equal(s->workloads[0].array.at_most, INT32_MAX);
    assert_int_equal(s->workloads[1].array.size, 100);
    assert_int_equal(s->workloads[1].array.at_most, 4);
    fixture_refuse(*state, TWO(JOBS ", array: 0}", JOBS "}"),
                   "5:76: workloads.a.array must be from 1 to 1000000, not \"0\"\n");
    fixture_refuse(*state, TWO(JOBS ", array: {at_most: 4}}", JOBS "}"),
                   "5:76: workloads.a.array needs the key \"size\" (how many equal jobs each "
                   "arrival brings)\n");
}

static void test_dependencies(void **state) {
    struct scenario *s =
        fixture_accept(*state, TWO(JOBS ", count: 2}", JOBS ", after: [a], afterok: [a-2]}"));
    const struct workload_spec *b = &s->workloads[2];
    assert_int_equal(b->dependency_count, 3);
    assert_int_equal(b->dependencies[0].workload, 0);
    assert_int_equal(b->dependencies[1].workload, 1);
    assert_int_equal(b->dependencies[2].workload, 1);
    assert_false(b->dependencies[1].ok);
    assert_true(b->dependencies[2].ok);
    /* Nobody waits for what is not there. */
    s = fixture_accept(*state, TWO(JOBS ", enabled: false}", JOBS ", after: [a]}"));
    assert_int_equal(s->workloads[0].dependency_count, 0);
}

static void test_dependencies_that_never_end(void **state) {
    fixture_refuse(*state, TWO(JOBS "}", JOBS ", after: [c]}"),
                   "6:77: there is no workload \"c\" to wait for\n");
    fixture_refuse(
        *state, TWO("{kind: jobs, arrivals: {poisson: 1/h}, duration: 1h}", JOBS ", afterok: [a]}"),
        "6:79: workload b waits for workload a, whose arrivals never end: give that a "
        "`limit`\n");
    fixture_refuse(
        *state,
        TWO("{kind: service, arrivals: {poisson: 1/h}, service_time: 1s}", JOBS ", after: [a]}"),
        "6:77: workload b waits for service a, which lasts as long as the run\n");
    fixture_refuse(*state, TWO(JOBS ", after: [b]}", JOBS ", after: [a]}"),
                   "5:76: workload a waits for itself: through `after` and `afterok` it would "
                   "never start\n");
    fixture_refuse(*state, TWO(JOBS ", afterok: [a]}", JOBS "}"),
                   "5:78: workload a waits for itself: through `after` and `afterok` it would "
                   "never start\n");
}

static void test_services_wait_for_nobody(void **state) {
    fixture_refuse(*state,
                   TWO(JOBS "}", "{kind: service, arrivals: {poisson: 1/h}, service_time: 1s, "
                                 "array: 2}"),
                   "6:66: workload b is a service, which has no array: `replicas` says how many "
                   "copies serve\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_amounts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_amounts_that_are_none, setup, teardown),
        cmocka_unit_test_setup_teardown(test_guarantees_fit_the_cluster, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_workload_is_of_a_listed_queue, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arrays, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dependencies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_dependencies_that_never_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_services_wait_for_nobody, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
