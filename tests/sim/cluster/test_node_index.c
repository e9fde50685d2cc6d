/* Invariant: whatever changes, a node index agrees with the plain array of free GPUs per node: the
 * total, how many nodes have each count and which comes first, and the levels bit by bit. */
#include "sim/cluster/node_index.h"
#include "tests/support/unit.h"

enum { MOST_NODES = 200 };

struct pair {
    struct node_index index;
    int32_t nodes;
    int32_t gpus_per_node;
    int32_t free_gpus[MOST_NODES];
};

static void check_level(const struct pair *pair, int32_t free_gpus) {
    int32_t count = 0;
    int32_t first = -1;
    for (int32_t node = 0; node < pair->nodes; node++) {
        bool here = pair->free_gpus[node] == free_gpus;
        assert_int_equal(index_set_contains(&pair->index.by_free[free_gpus], node), here);
        if (here) {
            first = count++ == 0 ? node : first;
        }
    }
    assert_int_equal(pair->index.node_count[free_gpus], count);
    assert_int_equal(node_index_first(&pair->index, free_gpus, &(struct host_share){0}), first);
    if (free_gpus > 0) {
        assert_int_equal((pair->index.levels >> (free_gpus - 1)) & 1, count > 0);
    }
}

/* Bits at and above gpus - 1 of the levels, none elsewhere. */
static void check_levels_from(const struct pair *pair) {
    for (int32_t gpus = 1; gpus <= pair->gpus_per_node; gpus++) {
        uint64_t expected = 0;
        for (int32_t node = 0; node < pair->nodes; node++) {
            if (pair->free_gpus[node] >= gpus) {
                expected |= UINT64_C(1) << (pair->free_gpus[node] - 1);
            }
        }
        assert_true(node_index_levels_from(&pair->index, gpus) == expected);
    }
}

static void check(const struct pair *pair) {
    int64_t total = 0;
    for (int32_t node = 0; node < pair->nodes; node++) {
        assert_int_equal(pair->index.free_gpus[node], pair->free_gpus[node]);
        total += pair->free_gpus[node];
    }
    assert_int_equal(pair->index.free_total, total);
    for (int32_t free_gpus = 0; free_gpus <= pair->gpus_per_node; free_gpus++) {
        check_level(pair, free_gpus);
    }
    check_levels_from(pair);
}

static void change(struct pair *pair, int32_t node, int32_t to) {
    node_index_change(&pair->index, node, to - pair->free_gpus[node]);
    pair->free_gpus[node] = to;
}

static void check_size(int32_t nodes, int32_t gpus_per_node) {
    struct pair pair = {.nodes = nodes, .gpus_per_node = gpus_per_node};
    struct test_random random = {(uint64_t)(nodes * 100 + gpus_per_node)};
    node_index_initialize(&pair.index, nodes, gpus_per_node);
    for (int32_t node = 0; node < nodes; node++) {
        pair.free_gpus[node] = gpus_per_node;
    }
    check(&pair);
    for (int i = 0; i < 300; i++) {
        int32_t node = test_random_below(&random, nodes);
        change(&pair, node, test_random_between(&random, 0, gpus_per_node));
        check(&pair);
    }
    for (int32_t node = 0; node < nodes; node++) {
        change(&pair, node, 0);
    }
    check(&pair);
    assert_true(pair.index.levels == 0);
    for (int32_t node = 0; node < nodes; node++) {
        change(&pair, node, gpus_per_node);
    }
    check(&pair);
    node_index_terminate(&pair.index);
}

static void one_gpu_per_node(void **state) {
    (void)state;
    check_size(1, 1);
    check_size(MOST_NODES, 1);
}

static void eight_gpus_per_node(void **state) {
    (void)state;
    check_size(1, 8);
    check_size(7, 8);
    check_size(MOST_NODES, 8);
}

/* The most there can be: the top level is the top bit. */
static void sixty_four_gpus_per_node(void **state) {
    (void)state;
    check_size(1, GPUS_PER_NODE_LIMIT);
    check_size(130, GPUS_PER_NODE_LIMIT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_gpu_per_node),
        cmocka_unit_test(eight_gpus_per_node),
        cmocka_unit_test(sixty_four_gpus_per_node),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
