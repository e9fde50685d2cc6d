/* Invariant: a tenant gets the smallest free slot that does, by the memory that it could have
 * there, then by SMs, then as the placement rule ranks them; in the company that all put up with.
 */
#include "tests/support/pool_case.h"
#include "tests/support/unit.h"

enum { NOBODY_APART = 0, TWO_PARTIES = 2 };
static const uint64_t ANY_KIND = UINT64_MAX;
static const int64_t GIB = INT64_C(1) << 30;

static struct pool_case bench;

static int close_bench(void **state) {
    (void)state;
    pool_case_terminate(&bench);
    return 0;
}

static uint64_t kinds_there(void) {
    return ANY_KIND >> (64 - bench.pool.slots->kind_count);
}

static struct tenant *seat(int64_t memory, int32_t compute_pct) {
    return pool_case_seat(&bench,
                          &(struct slot_ask){.kinds = kinds_there(),
                                             .memory = memory,
                                             .compute = compute_pct * (SLOTS_MOST_COMPUTE / 100)});
}

static struct tenant *seat_party(int32_t party, bool exclusive_party) {
    return pool_case_seat(&bench, &(struct slot_ask){.kinds = kinds_there(),
                                                     .party = party,
                                                     .exclusive_party = exclusive_party});
}

static void assert_on(const struct tenant *tenant, int32_t node, int32_t gpu) {
    assert_non_null(tenant);
    assert_int_equal(tenant->device->node, node);
    assert_int_equal(tenant->device->gpu, gpu);
}

static int32_t slices_of(const struct tenant *tenant) {
    assert_non_null(tenant);
    return pool_case_gpu(&bench)->profiles[tenant->device->profile].compute_slices;
}

/* An A100 in instances of 39.5, 19.5 and 19.5 GiB and, of nothing, 98 of 108 SMs: 10 are stranded.
 */
static void instances_smallest_first(void **state) {
    (void)state;
    const char *const layout[] = {"3g.40gb", "2g.20gb", "2g.20gb"};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 1);
    bench.spec.sharing = pool_case_mig(&bench, layout, 3);
    pool_case_open(&bench, NOBODY_APART, NULL);
    assert_int_equal(bench.pool.slots->kind_count, 2);
    assert_int_equal(bench.pool.units_per_gpu, 108);
    assert_int_equal(bench.pool.slots->stranded_units, 108 - 42 - 28 - 28);
    assert_int_equal(slices_of(seat(15 * GIB, 0)), 2);
    assert_int_equal(slices_of(seat(30 * GIB, 0)), 3);
    assert_null(seat(30 * GIB, 0));
    assert_int_equal(slices_of(seat(0, 0)), 2);
    assert_null(seat(0, 0));
    pool_unseat(&bench.pool, &bench.tenants[1], 0);
    assert_int_equal(slices_of(seat(0, 38)), 3);
}

/* H100: 1g.20gb and 2g.20gb have the same memory, but 26 and 32 of 132 SMs. */
static void of_equal_memory_fewer_sms(void **state) {
    (void)state;
    const char *const layout[] = {"2g.20gb", "1g.20gb"};
    pool_case_initialize(&bench, "H100-SXM5-80GB", 1, 1);
    bench.spec.sharing = pool_case_mig(&bench, layout, 2);
    pool_case_open(&bench, NOBODY_APART, NULL);
    struct tenant *first = seat(15 * GIB, 0);
    assert_int_equal(first->device->units, 26);
    pool_unseat(&bench.pool, first, 0);
    /* 20 % of the SMs are 26.4. */
    assert_int_equal(seat(15 * GIB, 20)->device->units, 32);
}

/* Of 80 GiB: after 50 on the first GPU, 25 go beside them, where less is left over. */
static void the_least_memory_that_is_enough(void **state) {
    (void)state;
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 2);
    bench.spec.sharing = pool_case_mps(&bench, 4, 0);
    pool_case_open(&bench, NOBODY_APART, NULL);
    assert_on(seat(50 * GIB, 0), 0, 0);
    assert_on(seat(40 * GIB, 0), 0, 1);
    assert_on(seat(25 * GIB, 0), 0, 0);
    assert_on(seat(6 * GIB, 0), 0, 1);
    assert_on(seat(5 * GIB, 0), 0, 0);
    assert_null(seat(60 * GIB, 0));
    assert_on(seat(34 * GIB, 0), 0, 1);
}

/* A limit makes equal what is left of 80 and of 64 GiB, so that the first GPU fills up first. */
static void a_limit_on_memory(void **state) {
    (void)state;
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 2);
    bench.spec.sharing = pool_case_mps(&bench, 3, 16 * GIB);
    pool_case_open(&bench, NOBODY_APART, NULL);
    assert_int_equal(bench.pool.slots->kinds[0].most_memory, 16 * GIB);
    assert_null(seat(17 * GIB, 0));
    for (int i = 0; i < 6; i++) {
        assert_on(seat(16 * GIB, 0), 0, i / 3);
    }
    assert_null(seat(0, 0));
}

/* Up to 100 %, to the last part: three thirds of a percent more or less. */
static void fractions_add_up(void **state) {
    (void)state;
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 2);
    bench.spec.sharing = pool_case_mps(&bench, 8, 0);
    pool_case_open(&bench, NOBODY_APART, NULL);
    struct tenant *half = seat(0, 50);
    assert_on(half, 0, 0);
    assert_on(seat(0, 60), 0, 1);
    assert_on(seat(0, 40), 0, 0);
    assert_on(seat(0, 10), 0, 0);
    assert_on(seat(0, 30), 0, 1);
    assert_null(seat(0, 11));
    assert_on(seat(0, 10), 0, 1);
    assert_null(seat(0, 1));
    assert_on(seat(0, 0), 0, 0);
    pool_unseat(&bench.pool, half, 0);
    assert_on(seat(0, 50), 0, 0);
    for (int i = 0; i < 3; i++) {
        pool_unseat(&bench.pool, &bench.tenants[bench.tenant_count - 1], 0);
        assert_on(pool_case_seat(&bench,
                                 &(struct slot_ask){.kinds = kinds_there(), .compute = 333333333}),
                  0, 0);
    }
}

static int64_t fewest(int32_t on_node, int32_t on_gpu) {
    return (int64_t)on_node * 100 + on_gpu;
}

static int64_t most(int32_t on_node, int32_t on_gpu) {
    return -fewest(on_node, on_gpu);
}

/* Two nodes of two GPUs with two slots each; limits make all slots alike. */
static void open_ranked(slot_rank *rank) {
    pool_case_initialize(&bench, "A100-SXM4-80GB", 2, 2);
    bench.spec.sharing = pool_case_mps(&bench, 2, 16 * GIB);
    pool_case_open(&bench, NOBODY_APART, rank);
}

static void the_fewest_free_slots_first(void **state) {
    (void)state;
    open_ranked(fewest);
    assert_on(seat(0, 0), 0, 0);
    struct tenant *second = seat(0, 0);
    assert_on(second, 0, 0);
    assert_on(seat(0, 0), 0, 1);
    pool_unseat(&bench.pool, second, 0);
    /* One is free on each GPU of node 0. */
    assert_on(seat(0, 0), 0, 0);
    assert_on(seat(0, 0), 0, 1);
    assert_on(seat(0, 0), 1, 0);
}

static void the_most_free_slots_first(void **state) {
    (void)state;
    open_ranked(most);
    assert_on(seat(0, 0), 0, 0);
    assert_on(seat(0, 0), 1, 0);
    assert_on(seat(0, 0), 0, 1);
    assert_on(seat(0, 0), 1, 1);
    assert_on(seat(0, 0), 0, 0);
}

/* Parties 0 and 1; who is `apart` meets only its own. */
static void who_meets_whom(void **state) {
    (void)state;
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 3);
    bench.spec.sharing = pool_case_mps(&bench, 3, 16 * GIB);
    pool_case_open(&bench, TWO_PARTIES, NULL);
    assert_on(seat_party(0, true), 0, 0);
    assert_on(seat_party(1, false), 0, 1);
    assert_on(seat_party(0, false), 0, 0);
    struct tenant *apart = seat_party(1, true);
    assert_on(apart, 0, 1);
    /* GPU 1 is closed to party 0 now, which has one slot left on GPU 0. */
    assert_on(seat_party(0, false), 0, 0);
    assert_on(seat_party(0, false), 0, 2);
    pool_unseat(&bench.pool, apart, 0);
    /* Open to all again; mixed, it is closed to those who keep apart. */
    assert_on(seat_party(0, false), 0, 1);
    assert_null(seat_party(1, true));
    assert_on(seat_party(1, false), 0, 1);
    assert_on(seat_party(0, true), 0, 2);
}

/* A GPU that somebody has whole has no slots, and one with a tenant is none for a gang. */
static void whole_gpus(void **state) {
    (void)state;
    pool_case_initialize(&bench, "A100-SXM4-80GB", 1, 3);
    bench.spec.sharing = pool_case_mps(&bench, 2, 0);
    pool_case_open(&bench, NOBODY_APART, NULL);
    struct tenant *tenant = seat(0, 0);
    assert_on(tenant, 0, 0);
    assert_int_equal(bench.pool.index.free_gpus[0], 2);
    struct piece piece = {.node = 0, .gpus = 1};
    node_index_change(&bench.pool.index, 0, -1);
    pool_take(&bench.pool, &piece);
    assert_int_equal(piece.mask, 1u << 1);
    assert_on(seat(70 * GIB, 0), 0, 0);
    assert_on(seat(0, 0), 0, 2);
    assert_on(seat(0, 0), 0, 2);
    assert_null(seat(0, 0));
    pool_give_back(&bench.pool, &piece);
    assert_on(seat(0, 0), 0, 1);
    assert_int_equal(bench.pool.index.free_gpus[0], 0);
    assert_true(pool_is_consistent(&bench.pool));
}

/* GPU 1 of each node is cut, the others are exclusive: the smallest first, whole GPUs last. */
static void some_gpus_apart(void **state) {
    (void)state;
    const char *const layout[] = {"3g.40gb", "3g.40gb"};
    int32_t apart[] = {1};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 2, 2);
    pool_case_apart(&bench, apart, 1, pool_case_mig(&bench, layout, 2));
    pool_case_open(&bench, NOBODY_APART, NULL);
    assert_int_equal(bench.pool.slots->whole_mask, 1);
    for (int i = 0; i < 4; i++) {
        assert_on(seat(GIB, 0), i / 2, 1);
    }
    assert_on(seat(GIB, 0), 0, 0);
    assert_on(seat(50 * GIB, 0), 1, 0);
    assert_null(seat(0, 0));
    assert_int_equal(bench.pool.index.free_total, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(instances_smallest_first, close_bench),
        cmocka_unit_test_teardown(of_equal_memory_fewer_sms, close_bench),
        cmocka_unit_test_teardown(the_least_memory_that_is_enough, close_bench),
        cmocka_unit_test_teardown(a_limit_on_memory, close_bench),
        cmocka_unit_test_teardown(fractions_add_up, close_bench),
        cmocka_unit_test_teardown(the_fewest_free_slots_first, close_bench),
        cmocka_unit_test_teardown(the_most_free_slots_first, close_bench),
        cmocka_unit_test_teardown(who_meets_whom, close_bench),
        cmocka_unit_test_teardown(whole_gpus, close_bench),
        cmocka_unit_test_teardown(some_gpus_apart, close_bench),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
