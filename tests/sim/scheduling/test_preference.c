/* Invariant: what a workload asks of a pool follows from its `slot`, `isolation`, memory and
 * compute: kinds of slots that would do when empty, or whole GPUs, or nothing. */
#include "sim/scheduling/preference.h"
#include "tests/support/pool_case.h"
#include "tests/support/unit.h"

static const int64_t GIB = INT64_C(1) << 30;
static struct pool_case bench;

static int close_bench(void **state) {
    (void)state;
    pool_case_terminate(&bench);
    return 0;
}

static struct pool_ask ask(struct preference preference, int32_t gpus, int64_t memory) {
    return preference_ask(&preference, &bench.pool, pool_case_gpu(&bench), gpus,
                          (struct host_share){0}, memory, 0);
}

static void assert_slots(struct pool_ask asked, uint64_t kinds) {
    assert_true(asked.possible);
    assert_false(asked.whole);
    assert_int_equal(asked.kinds, kinds);
}

static void assert_whole(struct pool_ask asked) {
    assert_true(asked.possible);
    assert_true(asked.whole);
}

static void assert_nothing(struct pool_ask asked) {
    assert_false(asked.possible);
}

/* Kinds 0 and 1: 2g.20gb and 3g.40gb. */
static void of_instances(void **state) {
    (void)state;
    const char *const layout[] = {"3g.40gb", "2g.20gb", "2g.20gb"};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 1);
    bench.spec.sharing = pool_case_mig(&bench, layout, 3);
    pool_case_open(&bench, 0, NULL);
    assert_slots(ask((struct preference){.slot = SLOT_ANY}, 1, 10 * GIB), 3);
    assert_slots(ask((struct preference){.slot = SLOT_ANY}, 1, 30 * GIB), 2);
    assert_slots(ask((struct preference){.slot = SLOT_SMALLEST}, 1, 10 * GIB), 1);
    assert_slots(ask((struct preference){.slot = SLOT_SMALLEST}, 1, 30 * GIB), 2);
    assert_slots(ask((struct preference){.slot = SLOT_PROFILE, .profile = "3G.40GB"}, 1, 0), 2);
    assert_nothing(ask((struct preference){.slot = SLOT_PROFILE, .profile = "1g.10gb"}, 1, 0));
    assert_nothing(
        ask((struct preference){.slot = SLOT_PROFILE, .profile = "2g.20gb"}, 1, 30 * GIB));
    assert_slots(ask((struct preference){.isolation = ISOLATION_WEAK}, 1, 0), 3);
    assert_slots(ask((struct preference){.isolation = ISOLATION_HARD}, 1, 0), 3);
    assert_nothing(ask((struct preference){.isolation = ISOLATION_FULL}, 1, 0));
    assert_nothing(ask((struct preference){.slot = SLOT_GPU}, 1, 0));
    assert_nothing(ask((struct preference){.slot = SLOT_ANY}, 2, 0));
    assert_nothing(ask((struct preference){.slot = SLOT_ANY}, 1, 60 * GIB));
}

static void of_shares(void **state) {
    (void)state;
    pool_case_initialize(&bench, "A100-SXM4-80GB", 2, 2);
    bench.spec.sharing = pool_case_mps(&bench, 4, 16 * GIB);
    pool_case_open(&bench, 0, NULL);
    assert_slots(ask((struct preference){.slot = SLOT_ANY}, 1, 16 * GIB), 1);
    assert_nothing(ask((struct preference){.slot = SLOT_ANY}, 1, 17 * GIB));
    assert_slots(ask((struct preference){.isolation = ISOLATION_WEAK}, 1, 0), 1);
    assert_whole(ask((struct preference){.isolation = ISOLATION_HARD}, 1, 70 * GIB));
    assert_whole(ask((struct preference){.isolation = ISOLATION_FULL}, 1, 0));
    assert_whole(ask((struct preference){.slot = SLOT_GPU}, 1, 70 * GIB));
    assert_nothing(ask((struct preference){.slot = SLOT_GPU}, 1, 90 * GIB));
    assert_whole(ask((struct preference){.slot = SLOT_ANY}, 4, 0));
    assert_nothing(ask((struct preference){.slot = SLOT_ANY}, 5, 0));
    assert_nothing(ask((struct preference){.slot = SLOT_PROFILE, .profile = "2g.20gb"}, 1, 0));
}

static void of_exclusive_gpus(void **state) {
    (void)state;
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 2);
    pool_case_open(&bench, 0, NULL);
    assert_null(bench.pool.slots);
    for (int isolation = ISOLATION_NONE; isolation <= ISOLATION_FULL; isolation++) {
        assert_whole(ask((struct preference){.isolation = (enum isolation)isolation}, 1, 0));
    }
    assert_whole(ask((struct preference){.slot = SLOT_SMALLEST}, 1, 80 * GIB));
    assert_nothing(ask((struct preference){.slot = SLOT_ANY}, 1, 81 * GIB));
    assert_nothing(ask((struct preference){.slot = SLOT_PROFILE, .profile = "2g.20gb"}, 1, 0));
}

/* A share that is cut to 16 GiB is smaller than an instance of 39.5; two GPUs with shares that are
 * the same in size are one kind as far as `smallest` goes. */
static void smallest_is_what_a_tenant_gets(void **state) {
    (void)state;
    const char *const layout[] = {"3g.40gb"};
    int32_t apart[] = {1};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 2);
    bench.spec.sharing = pool_case_mps(&bench, 4, 16 * GIB);
    pool_case_apart(&bench, apart, 1, pool_case_mig(&bench, layout, 1));
    pool_case_open(&bench, 0, NULL);
    assert_slots(ask((struct preference){.slot = SLOT_SMALLEST}, 1, 10 * GIB), 1);
    assert_int_equal(bench.pool.slots->kinds[0].profile, -1);
    assert_slots(ask((struct preference){.slot = SLOT_SMALLEST}, 1, 20 * GIB), 2);
}

static void smallest_of_equals_is_all_of_them(void **state) {
    (void)state;
    int32_t apart[] = {1};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 2);
    bench.spec.sharing = pool_case_mps(&bench, 4, 0);
    pool_case_apart(&bench, apart, 1, (struct chosen){.index = SHARING_EXCLUSIVE});
    pool_case_open(&bench, 0, NULL);
    assert_int_equal(bench.pool.slots->kind_count, 2);
    assert_slots(ask((struct preference){.slot = SLOT_SMALLEST}, 1, 0), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(of_instances, close_bench),
        cmocka_unit_test_teardown(of_shares, close_bench),
        cmocka_unit_test_teardown(of_exclusive_gpus, close_bench),
        cmocka_unit_test_teardown(smallest_is_what_a_tenant_gets, close_bench),
        cmocka_unit_test_teardown(smallest_of_equals_is_all_of_them, close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
