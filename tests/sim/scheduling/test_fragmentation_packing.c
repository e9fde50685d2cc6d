/* Invariant: requests for parts of a GPU and for whole ones, in random order and for ever, get more
 * of a cluster under `fragmentation` than under the rules that do not mind what they leave: until
 * the first that finds no place, and once as much was asked for as there is. The same requests for
 * every rule; means over replications, and a margin that they exceed by far. */
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/placement.h"
#include "tests/support/pool_case.h"
#include "tests/support/unit.h"

enum { NODES = 32, PER_NODE = 4, REPLICATIONS = 20, MOST_REQUESTS = 4 * 128 };

/* Percent of a GPU, and how many of a hundred requests are for that. */
struct part {
    int32_t percent;
    int32_t weight;
};

/* Quarters and gangs, whose sums always come out even; and shares that only come out even in the
 * right company. */
static const struct part quarters[] = {{25, 16}, {50, 20}, {75, 14}, {100, 40}, {200, 6}, {400, 4}};
static const struct part odd_shares[] = {{30, 30}, {50, 38}, {70, 30}, {100, 2}};

static int32_t draw_percent(const struct part *mix, struct test_random *random) {
    int32_t ticket = test_random_below(random, 100);
    size_t i = 0;
    while (ticket >= mix[i].weight) {
        ticket -= mix[i++].weight;
    }
    return mix[i].percent;
}

struct packing {
    struct pool_case bench;
    const struct placement_rule *rule;
    struct piece_stock stock;
    struct tenant tenants[MOST_REQUESTS];
    int count;
};

static void open_packing(struct packing *packing, const char *rule) {
    pool_case_initialize(&packing->bench, "A100-SXM4-80GB", NODES, PER_NODE);
    packing->bench.spec.sharing = pool_case_mps(&packing->bench, 8, 0);
    packing->rule = pool_case_open_by_rule(&packing->bench, 0, rule);
}

static bool place_gang(struct packing *packing, int32_t gpus) {
    struct pool *pool = &packing->bench.pool;
    struct gang gang = {.gpus = gpus};
    struct piece piece = {0};
    slots_note_ask(pool->slots, node_index_note_ask(&pool->index, gpus), &(struct slot_ask){0});
    if (!placement_plan(packing->rule, &pool->index, &gang, &packing->stock, &piece)) {
        return false;
    }
    pool_take(pool, &piece);
    return true;
}

static bool place_part(struct packing *packing, int32_t percent) {
    struct pool *pool = &packing->bench.pool;
    struct slot_ask ask = {.kinds = 1, .compute = percent * (SLOTS_MOST_COMPUTE / 100)};
    struct slot_place place;
    slots_note_ask(pool->slots, 0, &ask);
    if (!slots_find_place(pool->slots, &ask, &place)) {
        return false;
    }
    struct tenant *tenant = &packing->tenants[packing->count++];
    *tenant = (struct tenant){.concurrency = 1, .saturation = 1, .compute = percent / 100.0};
    pool_seat(pool, place.device, tenant, 0);
    return true;
}

static void fill(const struct part *mix, const char *rule, uint64_t replication, double *at_first,
                 double *at_full) {
    struct test_random random = {replication * 104729 + 17};
    struct packing *packing = memory_zero(1, sizeof *packing);
    int32_t all = NODES * PER_NODE * 100;
    int32_t asked = 0;
    int32_t placed = 0;
    *at_first = 0;
    open_packing(packing, rule);
    while (asked < all) {
        int32_t percent = draw_percent(mix, &random);
        bool fits =
            percent < 100 ? place_part(packing, percent) : place_gang(packing, percent / 100);
        if (!fits && *at_first == 0) {
            *at_first = (double)placed / all;
        }
        asked += percent;
        placed += fits ? percent : 0;
    }
    *at_full = (double)placed / all;
    *at_first = *at_first == 0 ? *at_full : *at_first;
    piece_stock_clear(&packing->stock);
    pool_case_terminate(&packing->bench);
    free(packing);
}

/* Means over replications, of shares of all GPUs. */
static void fill_often(const struct part *mix, const char *rule, double *at_first,
                       double *at_full) {
    *at_first = 0;
    *at_full = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        double first;
        double full;
        fill(mix, rule, i, &first, &full);
        *at_first += first / REPLICATIONS;
        *at_full += full / REPLICATIONS;
    }
}

/* By so much, in shares of all GPUs, more than another rule. */
static void check_more(const struct part *mix, const char *other, double margin) {
    double at_first;
    double at_full;
    double other_first;
    double other_full;
    fill_often(mix, "fragmentation", &at_first, &at_full);
    fill_often(mix, other, &other_first, &other_full);
    assert_true(at_first > other_first + margin);
    assert_true(at_full > other_full + margin);
}

static void more_than_rules_that_spread(void **state) {
    (void)state;
    check_more(quarters, "random", 0.1);
    check_more(quarters, "worst_fit", 0.1);
    check_more(odd_shares, "random", 0.03);
    check_more(odd_shares, "worst_fit", 0.03);
}

static void more_than_rules_that_pack(void **state) {
    (void)state;
    check_more(odd_shares, "first_fit", 0.005);
    check_more(odd_shares, "best_fit", 0.005);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_than_rules_that_spread),
        cmocka_unit_test(more_than_rules_that_pack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
