/* Invariants: under `placement: random` every node, and every slot among equals, that would do is
 * as likely as the others; a plan that is taken back is the same when it is made again; and what
 * was planned ahead leaves the next start alone. Counts lie within five standard deviations. */
#include <math.h>
#include <string.h>

#include "sim/scheduling/placement.h"
#include "tests/support/pool_case.h"
#include "tests/support/unit.h"

enum { NODES = 70, DRAWS = 30000 };

static const struct placement_rule *random_rule(void) {
    size_t i = 0;
    while (strcmp(placement_rules[i].choice.name, "random") != 0) {
        i++;
    }
    return &placement_rules[i];
}

/* Of n draws, each of k equally likely ones has n / k +- 5 sqrt(n (1 / k) (1 - 1 / k)). */
static void assert_uniform(const int *counts, const bool *wanted, int places) {
    int k = 0;
    for (int i = 0; i < places; i++) {
        k += wanted[i];
    }
    double share = 1.0 / k;
    double most = 5 * sqrt(DRAWS * share * (1 - share));
    for (int i = 0; i < places; i++) {
        assert_true(wanted[i] ? fabs(counts[i] - DRAWS * share) <= most : counts[i] == 0);
    }
}

/* Nodes with 0 to 4 GPUs free in turn; some hosts are full. */
static void set_up(struct node_index *index, bool hosts) {
    node_index_initialize(index, NODES, 4);
    if (hosts) {
        node_index_limit_hosts(index, (struct host_share){8000, INT64_MAX});
    }
    node_index_draw(index, 1, 0, "p");
    for (int32_t node = 0; node < NODES; node++) {
        node_index_change(index, node, node % 5 - 4);
        if (hosts && node % 3 == 0) {
            node_index_use_host(index, node, &(struct host_share){7000, 0}, 1);
        }
    }
}

static void check_nodes(bool hosts) {
    struct node_index index;
    struct gang gang = {.gpus = 2, .each = {hosts ? 1000 : 0, 0}};
    struct piece_stock stock = {0};
    int counts[NODES] = {0};
    bool wanted[NODES];
    set_up(&index, hosts);
    for (int i = 0; i < DRAWS; i++) {
        struct piece first;
        assert_true(placement_plan(random_rule(), &index, &gang, &stock, &first));
        placement_unplan(&index, &first, &stock);
        place_draws_keep(index.draws);
        counts[first.node]++;
    }
    for (int node = 0; node < NODES; node++) {
        wanted[node] = node % 5 >= 2 && !(hosts && node % 3 == 0);
    }
    assert_uniform(counts, wanted, NODES);
    node_index_terminate(&index);
    piece_stock_clear(&stock);
}

static void every_node_is_as_likely(void **state) {
    (void)state;
    check_nodes(false);
    check_nodes(true);
}

static int32_t plan_node(struct node_index *index, bool ahead) {
    struct gang gang = {.gpus = 1};
    struct piece_stock stock = {0};
    struct piece first;
    assert_true(ahead ? placement_plan_ahead(random_rule(), index, &gang, &stock, &first)
                      : placement_plan(random_rule(), index, &gang, &stock, &first));
    placement_unplan(index, &first, &stock);
    return first.node;
}

static void a_plan_holds_until_somebody_starts(void **state) {
    (void)state;
    struct node_index index;
    int same = 0;
    set_up(&index, false);
    for (int i = 0; i < 100; i++) {
        int32_t node = plan_node(&index, false);
        plan_node(&index, true);
        assert_int_equal(plan_node(&index, false), node);
        place_draws_keep(index.draws);
        same += plan_node(&index, false) == node;
    }
    assert_true(same < 20); /* by chance: 100 of 56 nodes each, 1.8 on the average */
    node_index_terminate(&index);
}

/* Two GPUs on each of five nodes, each shared by three. */
static void equal_slots_are_as_likely(void **state) {
    (void)state;
    struct pool_case bench;
    struct slot_ask ask = {.kinds = 1, .memory = 10};
    pool_case_initialize(&bench, "A100-SXM4-80GB", 5, 2);
    bench.spec.sharing = pool_case_mps(&bench, 3, 0);
    pool_case_open(&bench, 0, NULL);
    node_index_draw(&bench.pool.index, 1, 0, "p");
    int counts[10] = {0};
    bool all[10];
    memset(all, true, sizeof all);
    for (int i = 0; i < DRAWS; i++) {
        struct slot_place place;
        assert_true(slots_find_place(bench.pool.slots, &ask, &place));
        place_draws_keep(bench.pool.index.draws);
        counts[place.device - bench.pool.slots->devices]++;
    }
    assert_uniform(counts, all, 10);
    pool_case_terminate(&bench);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_node_is_as_likely),
        cmocka_unit_test(a_plan_holds_until_somebody_starts),
        cmocka_unit_test(equal_slots_are_as_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
