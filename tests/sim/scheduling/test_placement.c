/* Invariants: each rule picks the node that a scan of all nodes would; a gang is planned completely
 * or not at all, its remainder never on a node it has whole; and taking a plan back restores
 * everything. */
#include <stdlib.h>
#include <string.h>

#include "sim/scheduling/placement.h"
#include "tests/support/unit.h"

enum { NODES_MOST = 40, GANG_PIECES = 64 };

static const struct placement_rule *rule_named(const char *name) {
    for (size_t i = 0; i < placement_rule_count; i++) {
        if (strcmp(placement_rules[i].choice.name, name) == 0) {
            return &placement_rules[i];
        }
    }
    fail_msg("no placement rule %s", name);
    return NULL;
}

/* An index whose nodes have as many GPUs free as listed. */
static void set_up(struct node_index *index, int32_t gpus_per_node, const int32_t *free_gpus,
                   int32_t nodes) {
    node_index_initialize(index, nodes, gpus_per_node);
    for (int32_t node = 0; node < nodes; node++) {
        node_index_change(index, node, free_gpus[node] - gpus_per_node);
    }
}

/* --- By hand --- */

/* Five nodes of 4 GPUs. By the number of GPUs asked for, 1 to 4, which node. */
static void check_picks(const char *rule, const int32_t free_gpus[5], const int32_t expected[4]) {
    struct node_index index;
    set_up(&index, 4, free_gpus, 5);
    for (int32_t gpus = 1; gpus <= 4; gpus++) {
        assert_int_equal(rule_named(rule)->pick(&index, &(struct node_ask){.gpus = gpus}),
                         expected[gpus - 1]);
    }
    node_index_terminate(&index);
}

static void first_fit_takes_the_first_that_has_enough(void **state) {
    (void)state;
    check_picks("first_fit", (int32_t[]){0, 1, 3, 4, 2}, (int32_t[]){1, 2, 2, 3});
    check_picks("first_fit", (int32_t[]){2, 1, 0, 2, 1}, (int32_t[]){0, 0, -1, -1});
    check_picks("first_fit", (int32_t[]){4, 4, 4, 4, 4}, (int32_t[]){0, 0, 0, 0});
    check_picks("first_fit", (int32_t[]){0, 0, 0, 0, 0}, (int32_t[]){-1, -1, -1, -1});
}

/* Among equals the first: of the nodes with 2 free the second one, of those with 4 the first. */
static void best_fit_leaves_the_fewest(void **state) {
    (void)state;
    check_picks("best_fit", (int32_t[]){4, 2, 3, 4, 2}, (int32_t[]){1, 1, 2, 0});
    check_picks("best_fit", (int32_t[]){3, 1, 0, 3, 1}, (int32_t[]){1, 0, 0, -1});
    check_picks("best_fit", (int32_t[]){4, 4, 4, 4, 4}, (int32_t[]){0, 0, 0, 0});
    check_picks("best_fit", (int32_t[]){0, 0, 0, 0, 0}, (int32_t[]){-1, -1, -1, -1});
}

static void worst_fit_leaves_the_most(void **state) {
    (void)state;
    check_picks("worst_fit", (int32_t[]){2, 3, 4, 1, 4}, (int32_t[]){2, 2, 2, 2});
    check_picks("worst_fit", (int32_t[]){2, 3, 0, 1, 3}, (int32_t[]){1, 1, 1, -1});
    check_picks("worst_fit", (int32_t[]){0, 0, 0, 0, 0}, (int32_t[]){-1, -1, -1, -1});
}

/* Five nodes of 4 GPUs, after a request for each size in `asked`, ended by 0. */
static void check_fragmentation(const int32_t free_gpus[5], const int32_t *asked,
                                const int32_t expected[4]) {
    struct node_index index;
    set_up(&index, 4, free_gpus, 5);
    for (; *asked != 0; asked++) {
        node_index_note_ask(&index, *asked);
    }
    for (int32_t gpus = 1; gpus <= 4; gpus++) {
        assert_int_equal(
            rule_named("fragmentation")->pick(&index, &(struct node_ask){.gpus = gpus}),
            expected[gpus - 1]);
    }
    node_index_terminate(&index);
}

/* F(f) = f x (requests for more than f). For f = 0 to 4
 * of one request of each size, which none so far stands for: 0, 3, 4, 3, 0. By what it grows from
 *     f: with 1 GPU taken -3, -1, 1, 3 (f = 1 to 4), with 2 -4, 0, 4 (f = 2 to 4), with 3 -3, 3;
 * of 1 and 1: 0, as all that is free can be used: so the first node that has enough;
 * of 4 and 2: 0, 2, 2, 3, 0; with 1 GPU taken -2, 0, -1, 3, with 2 -2, -1, 2, with 3 -3, 2. */
static void fragmentation_spoils_the_least(void **state) {
    (void)state;
    const int32_t nothing[5] = {0};
    check_fragmentation((int32_t[]){4, 3, 2, 1, 1}, nothing, (int32_t[]){3, 2, 1, 0});
    check_fragmentation((int32_t[]){4, 3, 4, 3, 0}, nothing, (int32_t[]){1, 1, 1, 0});
    check_fragmentation((int32_t[]){0, 3, 2, 4, 1}, (int32_t[]){1, 1, 0}, (int32_t[]){1, 1, 1, 3});
    check_fragmentation((int32_t[]){4, 2, 3, 4, 3}, (int32_t[]){4, 2, 0}, (int32_t[]){2, 1, 2, 0});
    check_fragmentation((int32_t[]){4, 2, 2, 4, 2}, (int32_t[]){4, 2, 0}, (int32_t[]){1, 1, 0, 0});
    check_fragmentation((int32_t[]){0, 0, 0, 0, 0}, nothing, (int32_t[]){-1, -1, -1, -1});
}

/* `expected`: node and GPUs of each piece, ended by a node of -1. */
static void check_gang(const char *rule, const int32_t free_gpus[5], int32_t gpus,
                       const int32_t (*expected)[2]) {
    struct node_index index;
    struct piece_stock stock = {0};
    set_up(&index, 4, free_gpus, 5);
    struct piece first;
    bool fits =
        placement_plan(rule_named(rule), &index, &(struct gang){.gpus = gpus}, &stock, &first);
    assert_int_equal(fits, (*expected)[0] >= 0);
    const struct piece *piece = fits ? &first : NULL;
    for (; (*expected)[0] >= 0; expected++) {
        assert_non_null(piece);
        assert_int_equal(piece->node, (*expected)[0]);
        assert_int_equal(piece->gpus, (*expected)[1]);
        piece = piece->next;
    }
    assert_null(piece);
    if (fits) {
        placement_unplan(&index, &first, &stock);
    }
    piece_stock_clear(&stock);
    node_index_terminate(&index);
}

/* 9 GPUs on nodes of 4: two whole ones and 1 GPU elsewhere. */
static void a_gang_takes_whole_nodes_and_one_for_the_rest(void **state) {
    (void)state;
    const int32_t free_gpus[5] = {4, 3, 4, 4, 1};
    check_gang("first_fit", free_gpus, 9, (const int32_t[][2]){{0, 4}, {2, 4}, {1, 1}, {-1, 0}});
    check_gang("best_fit", free_gpus, 9, (const int32_t[][2]){{0, 4}, {2, 4}, {4, 1}, {-1, 0}});
    check_gang("worst_fit", free_gpus, 9, (const int32_t[][2]){{0, 4}, {2, 4}, {3, 1}, {-1, 0}});
    check_gang("worst_fit", free_gpus, 13,
               (const int32_t[][2]){{0, 4}, {2, 4}, {3, 4}, {1, 1}, {-1, 0}});
    check_gang("best_fit", free_gpus, 12, (const int32_t[][2]){{0, 4}, {2, 4}, {3, 4}, {-1, 0}});
    check_gang("best_fit", free_gpus, 4, (const int32_t[][2]){{0, 4}, {-1, 0}});
}

/* 14 = 3 x 4 + 2 has only node 1 for its remainder; 16 and more find no fourth whole node, and
 * where nothing is left beside the whole nodes no remainder fits either. */
static void a_gang_fits_completely_or_not_at_all(void **state) {
    (void)state;
    const int32_t none[][2] = {{-1, 0}};
    const int32_t free_gpus[5] = {4, 3, 4, 4, 1};
    const int32_t one_whole[5] = {0, 4, 1, 0, 1};
    check_gang("best_fit", free_gpus, 14,
               (const int32_t[][2]){{0, 4}, {2, 4}, {3, 4}, {1, 2}, {-1, 0}});
    check_gang("best_fit", free_gpus, 16, none);
    check_gang("first_fit", one_whole, 6, none);
    check_gang("first_fit", one_whole, 5, (const int32_t[][2]){{1, 4}, {2, 1}, {-1, 0}});
    check_gang("first_fit", (int32_t[]){0, 4, 0, 0, 0}, 5, none);
    check_gang("first_fit", (int32_t[]){3, 3, 3, 3, 3}, 4, none);
    check_gang("worst_fit", (int32_t[]){4, 4, 4, 4, 4}, 21, none);
    check_gang("worst_fit", (int32_t[]){3, 4, 4, 4, 4}, 20, none);
}

/* --- At random, against a scan of all nodes --- */

struct naive_plan {
    int32_t nodes[GANG_PIECES];
    int32_t gpus[GANG_PIECES];
    int32_t pieces;
};

/* How many GPUs each request so far wanted of a node; with none, one request of each size. */
struct naive_mix {
    int32_t wanted[GPUS_PER_NODE_LIMIT];
    int32_t count;
};

/* Over these requests, the sum of the GPUs of a node with so many free that one cannot use. */
static int32_t useless(const struct naive_mix *mix, int32_t free_gpus) {
    int32_t sum = 0;
    for (int32_t i = 0; i < mix->count; i++) {
        sum += mix->wanted[i] > free_gpus ? free_gpus : 0;
    }
    return sum;
}

/* A rank among the nodes, smaller first. */
static int32_t naive_rank(const char *rule, const struct naive_mix *mix, int32_t free_gpus,
                          int32_t gpus) {
    return strcmp(rule, "best_fit") == 0    ? free_gpus
           : strcmp(rule, "worst_fit") == 0 ? -free_gpus
           : strcmp(rule, "fragmentation") == 0
               ? useless(mix, free_gpus - gpus) - useless(mix, free_gpus)
               : 0;
}

static int32_t naive_pick(const char *rule, const struct naive_mix *mix, const int32_t *free_gpus,
                          int32_t nodes, int32_t gpus, const bool *taken) {
    int32_t best = -1;
    for (int32_t node = 0; node < nodes; node++) {
        if (free_gpus[node] >= gpus && !taken[node] &&
            (best < 0 || naive_rank(rule, mix, free_gpus[node], gpus) <
                             naive_rank(rule, mix, free_gpus[best], gpus))) {
            best = node;
        }
    }
    return best;
}

static bool naive_gang(const char *rule, const struct naive_mix *mix, const int32_t *free_gpus,
                       int32_t nodes, int32_t per_node, int32_t gpus, struct naive_plan *plan) {
    bool taken[NODES_MOST] = {false};
    plan->pieces = 0;
    while (gpus > 0) {
        int32_t part = gpus < per_node ? gpus : per_node;
        int32_t node = naive_pick(rule, mix, free_gpus, nodes, part, taken);
        if (node < 0) {
            return false;
        }
        taken[node] = true;
        plan->nodes[plan->pieces] = node;
        plan->gpus[plan->pieces++] = part;
        gpus -= part;
    }
    return true;
}

static void assert_restored(const struct node_index *index, const int32_t *free_gpus) {
    struct node_index expected;
    set_up(&expected, index->gpus_per_node, free_gpus, index->nodes);
    assert_int_equal(index->free_total, expected.free_total);
    assert_true(index->levels == expected.levels);
    for (int32_t node = 0; node < index->nodes; node++) {
        assert_int_equal(index->free_gpus[node], free_gpus[node]);
    }
    for (int32_t f = 0; f <= index->gpus_per_node; f++) {
        assert_int_equal(index->node_count[f], expected.node_count[f]);
        assert_int_equal(index_set_first(&index->by_free[f]),
                         index_set_first(&expected.by_free[f]));
    }
    node_index_terminate(&expected);
}

static void check_plan(struct node_index *index, const struct placement_rule *rule,
                       const struct naive_mix *mix, int32_t gpus, const int32_t *free_gpus,
                       struct piece_stock *stock) {
    struct naive_plan expected;
    bool fits = naive_gang(rule->choice.name, mix, free_gpus, index->nodes, index->gpus_per_node,
                           gpus, &expected);
    struct gang gang = {.gpus = gpus};
    assert_int_equal(placement_fits(index, &gang), fits);
    struct piece first;
    assert_int_equal(placement_plan(rule, index, &gang, stock, &first), fits);
    const struct piece *piece = fits ? &first : NULL;
    for (int32_t i = 0; fits && i < expected.pieces; i++) {
        assert_non_null(piece);
        assert_int_equal(piece->node, expected.nodes[i]);
        assert_int_equal(piece->gpus, expected.gpus[i]);
        assert_true(piece->mask == 0);
        assert_int_equal(index->free_gpus[piece->node], free_gpus[piece->node] - piece->gpus);
        piece = piece->next;
    }
    assert_null(piece);
    if (fits) {
        placement_unplan(index, &first, stock);
    }
    assert_restored(index, free_gpus);
}

static void fill_at_random(struct test_random *random, int32_t *free_gpus, int32_t nodes,
                           int32_t per_node) {
    int32_t whole_in = test_random_between(random, 1, 4);
    for (int32_t node = 0; node < nodes; node++) {
        free_gpus[node] = test_random_once_in(random, whole_in)
                              ? per_node
                              : test_random_between(random, 0, per_node);
    }
}

/* Up to 7 requests, also for more than a node has: they want whole ones. */
static void ask_at_random(struct test_random *random, struct node_index *index,
                          struct naive_mix *mix) {
    int32_t per_node = index->gpus_per_node;
    mix->count = test_random_below(random, 8);
    bool asked = mix->count > 0;
    for (int32_t i = 0; i < mix->count; i++) {
        int32_t gpus = test_random_between(random, 1, per_node + 2);
        node_index_note_ask(index, gpus);
        mix->wanted[i] = gpus < per_node ? gpus : per_node;
    }
    for (int32_t gpus = 1; !asked && gpus <= per_node; gpus++) {
        mix->wanted[mix->count++] = gpus;
    }
}

static void like_a_scan_of_all_nodes(void **state) {
    (void)state;
    static const int32_t sizes[] = {1, 2, 4, 8, 64};
    struct test_random random = {4};
    struct piece_stock stock = {0};
    for (int i = 0; i < 4000; i++) {
        int32_t per_node = sizes[test_random_below(&random, 5)];
        int32_t nodes = test_random_between(&random, 1, NODES_MOST);
        int32_t free_gpus[NODES_MOST];
        struct node_index index;
        struct naive_mix mix;
        fill_at_random(&random, free_gpus, nodes, per_node);
        set_up(&index, per_node, free_gpus, nodes);
        ask_at_random(&random, &index, &mix);
        for (int gang = 0; gang < 6; gang++) {
            int32_t gpus = test_random_once_in(&random, 2)
                               ? test_random_between(&random, 1, per_node)
                               : test_random_between(&random, 1, per_node * nodes + 1);
            for (size_t rule = 0; rule < placement_rule_count; rule++) {
                if (placement_rules[rule].draws) {
                    continue; /* test_placement_random.c */
                }
                check_plan(&index, &placement_rules[rule], &mix, gpus, free_gpus, &stock);
            }
        }
        node_index_terminate(&index);
    }
    piece_stock_clear(&stock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_fit_takes_the_first_that_has_enough),
        cmocka_unit_test(best_fit_leaves_the_fewest),
        cmocka_unit_test(worst_fit_leaves_the_most),
        cmocka_unit_test(fragmentation_spoils_the_least),
        cmocka_unit_test(a_gang_takes_whole_nodes_and_one_for_the_rest),
        cmocka_unit_test(a_gang_fits_completely_or_not_at_all),
        cmocka_unit_test(like_a_scan_of_all_nodes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
