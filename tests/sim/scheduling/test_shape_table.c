/* Invariant: two jobs share a shape exactly if they ask for as many GPUs, may use the same pools in
 * the same order at the same speeds, and their memory fits the same pools; its pools are those that
 * could ever hold the job. */
#include <string.h>

#include "sim/scheduling/shape_table.h"
#include "tests/support/unit.h"

enum { POOLS = 3, SMALL_GPU = 4, MIDDLE_GPU = 5, LARGE_GPU = 6, WORKLOADS = 6 };
enum { ANY, ANY_AGAIN, LISTED, REVERSED, FASTER, FASTER_AGAIN };

/* GPUs of 16, 32 and 80 bytes; 8, 16 and 4 of them. */
struct bench {
    struct pool pools[POOLS];
    struct pool_spec pool_specs[POOLS];
    struct workload_spec workloads[WORKLOADS];
    struct scenario scenario;
    struct preferences preferences;
    struct shape_table table;
};

static int all_in_order[POOLS] = {0, 1, 2};
static int in_reverse[POOLS] = {2, 1, 0};
static struct speed_spec speeds[] = {{.gpu = LARGE_GPU, .factor = 3},
                                     {.gpu = SMALL_GPU, .factor = 0.5}};

static int set_up(void **state) {
    static struct bench bench;
    memset(&bench, 0, sizeof bench);
    pool_initialize(&bench.pools[0], "small", 2, 4, 16);
    pool_initialize(&bench.pools[1], "middle", 2, 8, 32);
    pool_initialize(&bench.pools[2], "large", 1, 4, 80);
    bench.pool_specs[0].gpu = SMALL_GPU;
    bench.pool_specs[1].gpu = MIDDLE_GPU;
    bench.pool_specs[2].gpu = LARGE_GPU;
    bench.workloads[LISTED] = (struct workload_spec){.pools = all_in_order, .pool_count = POOLS};
    bench.workloads[REVERSED] = (struct workload_spec){.pools = in_reverse, .pool_count = POOLS};
    bench.workloads[FASTER] = (struct workload_spec){.needs = {.speeds = speeds, .speed_count = 2}};
    bench.workloads[FASTER_AGAIN] = bench.workloads[FASTER];
    bench.scenario = (struct scenario){.pools = bench.pool_specs,
                                       .pool_count = POOLS,
                                       .workloads = bench.workloads,
                                       .workload_count = WORKLOADS};
    preferences_initialize(&bench.preferences, &bench.scenario);
    shape_table_initialize(&bench.table, &bench.scenario, bench.pools, &bench.preferences);
    *state = &bench;
    return 0;
}

static int tear_down(void **state) {
    struct bench *bench = *state;
    shape_table_terminate(&bench->table);
    preferences_terminate(&bench->preferences);
    for (int i = 0; i < POOLS; i++) {
        pool_terminate(&bench->pools[i]);
    }
    return 0;
}

static struct shape *find(struct shape_table *table, int32_t workload, int32_t gpus, int64_t memory,
                          int32_t compute, int32_t owner) {
    struct shape_ask ask = {
        .workload = workload, .gpus = gpus, .memory = memory, .compute = compute, .owner = owner};
    return shape_table_find(table, &ask);
}

static void assert_pool(const struct shape *shape, size_t index, int32_t pool, double speed) {
    assert_true(index < shape->pool_count);
    assert_int_equal(shape->pools[index].pool, pool);
    assert_true(shape->pools[index].speed == speed);
}

static void as_many_gpus(void **state) {
    struct bench *bench = *state;
    struct shape *one = find(&bench->table, ANY, 1, 0, 0, 0);
    struct shape *two = find(&bench->table, ANY, 2, 0, 0, 0);
    assert_ptr_not_equal(one, two);
    assert_int_equal(one->gpus, 1);
    assert_int_equal(two->gpus, 2);
    assert_ptr_equal(find(&bench->table, ANY, 1, 0, 0, 0), one);
    assert_ptr_equal(find(&bench->table, ANY, 2, 0, 0, 0), two);
}

/* No list is the list of all pools in declaration order; another order is another preference, and
 * so are other speeds, but not the same speeds said once more. */
static void the_same_pools_at_the_same_speeds(void **state) {
    struct bench *bench = *state;
    struct shape *any = find(&bench->table, ANY, 1, 0, 0, 0);
    struct shape *faster = find(&bench->table, FASTER, 1, 0, 0, 0);
    assert_ptr_equal(find(&bench->table, ANY_AGAIN, 1, 0, 0, 0), any);
    assert_ptr_equal(find(&bench->table, LISTED, 1, 0, 0, 0), any);
    assert_ptr_equal(find(&bench->table, FASTER_AGAIN, 1, 0, 0, 0), faster);
    struct shape *reversed = find(&bench->table, REVERSED, 1, 0, 0, 0);
    assert_ptr_not_equal(reversed, any);
    assert_ptr_not_equal(faster, any);
    assert_pool(any, 0, 0, 1);
    assert_pool(any, 2, 2, 1);
    assert_pool(reversed, 0, 2, 1);
    assert_pool(reversed, 2, 0, 1);
    assert_pool(faster, 0, 0, 0.5);
    assert_pool(faster, 1, 1, 1);
    assert_pool(faster, 2, 2, 3);
}

/* 0 to 16 fits all three GPUs, 17 to 32 two, 33 to 80 one, more none. */
static void memory_that_fits_the_same_pools(void **state) {
    struct bench *bench = *state;
    const int64_t edges[] = {0, 16, 17, 32, 33, 80, 81, INT64_MAX};
    const size_t pools[] = {3, 3, 2, 2, 1, 1, 0, 0};
    const struct shape *previous = NULL;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
        const struct shape *shape = find(&bench->table, ANY, 1, edges[i], 0, 0);
        assert_int_equal(shape->pool_count, pools[i]);
        assert_int_equal(shape == previous, i % 2 == 1);
        previous = shape;
    }
}

/* 8 GPUs fit the small pool, 9 only the middle one, 16 too, 17 none. */
static void pools_that_are_too_small_are_left_out(void **state) {
    struct bench *bench = *state;
    struct shape *shape = find(&bench->table, REVERSED, 8, 0, 0, 0);
    assert_int_equal(shape->pool_count, 2);
    assert_pool(shape, 0, 1, 1);
    assert_pool(shape, 1, 0, 1);
    shape = find(&bench->table, REVERSED, 16, 32, 0, 0);
    assert_int_equal(shape->pool_count, 1);
    assert_pool(shape, 0, 1, 1);
    assert_int_equal(find(&bench->table, REVERSED, 17, 0, 0, 0)->pool_count, 0);
    assert_int_equal(find(&bench->table, REVERSED, 5, 33, 0, 0)->pool_count, 0);
}

/* Shapes stay where they are while the table grows over and over. */
static void many_shapes(void **state) {
    struct bench *bench = *state;
    enum { MANY = 5000 };
    static struct shape *shapes[MANY];
    for (int32_t i = 0; i < MANY; i++) {
        shapes[i] = find(&bench->table, i % WORKLOADS, 1 + i, i % 90, 0, 0);
        assert_int_equal(shapes[i]->gpus, 1 + i);
    }
    for (int32_t i = 0; i < MANY; i++) {
        assert_ptr_equal(find(&bench->table, i % WORKLOADS, 1 + i, i % 90, 0, 0), shapes[i]);
        assert_int_equal(shapes[i]->waiting.count, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(as_many_gpus, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_pools_at_the_same_speeds, set_up, tear_down),
        cmocka_unit_test_setup_teardown(memory_that_fits_the_same_pools, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pools_that_are_too_small_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_shapes, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
