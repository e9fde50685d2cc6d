/* Invariant: the tree finds what a scan of a sorted array finds: of the places with enough memory
 * and compute, the one with the least memory, then the smallest rank, then the first in order. */
#include <string.h>

#include "sim/cluster/slot_tree.h"
#include "tests/support/unit.h"

enum { PLACES = 60, CHANGES = 6000 };

/* The places, and which of them are in the tree. */
struct pair {
    struct slot_link links[PLACES];
    bool inside[PLACES];
    struct slot_link *root;
    struct test_random random;
};

static bool comes_before(const struct slot_link *a, const struct slot_link *b) {
    if (a->memory != b->memory) {
        return a->memory < b->memory;
    }
    return a->rank != b->rank ? a->rank < b->rank : a->order < b->order;
}

static const struct slot_link *scan(const struct pair *pair, int64_t memory, int32_t compute) {
    const struct slot_link *best = NULL;
    for (int i = 0; i < PLACES; i++) {
        const struct slot_link *link = &pair->links[i];
        if (pair->inside[i] && link->memory >= memory && link->compute >= compute &&
            (best == NULL || comes_before(link, best))) {
            best = link;
        }
    }
    return best;
}

/* The first after a place in the tree; those of one memory, counted and one by one. */
static void check_walk(const struct pair *pair, int64_t memory, int32_t compute) {
    int32_t count = 0;
    const struct slot_link *link = scan(pair, memory, compute);
    for (; link != NULL && link->memory == memory;
         link = slot_tree_next(pair->root, link, compute)) {
        assert_true(pair->inside[link->order] && link->compute >= compute);
        assert_ptr_equal(slot_tree_at(pair->root, memory, compute, count++), link);
    }
    int32_t expected = 0;
    for (int i = 0; i < PLACES; i++) {
        expected +=
            pair->inside[i] && pair->links[i].memory == memory && pair->links[i].compute >= compute;
    }
    assert_int_equal(count, expected);
    assert_int_equal(slot_tree_count(pair->root, memory, compute), expected);
}

/* All that can be asked for. */
static void check(const struct pair *pair) {
    for (int64_t memory = 0; memory <= 6; memory++) {
        for (int32_t compute = 0; compute <= 6; compute++) {
            assert_ptr_equal(slot_tree_find(pair->root, memory, compute),
                             scan(pair, memory, compute));
            check_walk(pair, memory, compute);
        }
    }
}

static void change(struct pair *pair, int i) {
    struct slot_link *link = &pair->links[i];
    if (pair->inside[i]) {
        pair->root = slot_tree_remove(pair->root, link);
    } else {
        *link = (struct slot_link){.memory = test_random_below(&pair->random, 6),
                                   .rank = test_random_between(&pair->random, -2, 2),
                                   .order = i,
                                   .compute = test_random_below(&pair->random, 6)};
        pair->root = slot_tree_add(pair->root, link);
    }
    pair->inside[i] = !pair->inside[i];
}

static void finds_what_a_scan_finds(void **state) {
    (void)state;
    struct pair pair = {.random = {1}};
    check(&pair);
    for (int i = 0; i < CHANGES; i++) {
        change(&pair, test_random_below(&pair.random, PLACES));
        check(&pair);
    }
}

/* Filled in one order and emptied in another. */
static void fills_and_empties(void **state) {
    (void)state;
    struct pair pair = {.random = {2}};
    for (int i = 0; i < PLACES; i++) {
        change(&pair, i);
    }
    check(&pair);
    for (int i = PLACES - 1; i >= 0; i--) {
        change(&pair, i);
        check(&pair);
    }
    assert_null(pair.root);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_a_scan_finds),
        cmocka_unit_test(fills_and_empties),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
