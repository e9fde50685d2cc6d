/* Invariant: an index set holds exactly the members added and not removed since, and its first is
 * the smallest of them. Checked against an array with one flag per possible member, scanned from
 * its beginning, at capacities around the powers of 64 where a level is added. */
#include <stdlib.h>
#include <string.h>

#include "sim/cluster/index_set.h"
#include "tests/support/unit.h"

/* The flags, and the set that should say the same. */
struct pair {
    struct index_set set;
    unsigned char *flags;
    int32_t capacity;
    struct test_random random;
};

static int32_t first_flag(const struct pair *pair) {
    const unsigned char *found = memchr(pair->flags, 1, (size_t)pair->capacity);
    return found == NULL ? -1 : (int32_t)(found - pair->flags);
}

static void change(struct pair *pair, int32_t member, bool add) {
    (add ? index_set_add : index_set_remove)(&pair->set, member);
    pair->flags[member] = add;
    assert_int_equal(index_set_contains(&pair->set, member), add);
    assert_int_equal(index_set_first(&pair->set), first_flag(pair));
}

/* Members one after the other, and by their place among them. */
static void check_all(const struct pair *pair) {
    int32_t count = 0;
    int32_t next = index_set_first(&pair->set);
    for (int32_t member = 0; member < pair->capacity; member++) {
        assert_int_equal(index_set_contains(&pair->set, member), pair->flags[member]);
        if (pair->flags[member]) {
            assert_int_equal(next, member);
            assert_int_equal(index_set_at(&pair->set, count++), member);
            next = index_set_next(&pair->set, member);
        }
    }
    assert_int_equal(next, -1);
    assert_int_equal(index_set_size(&pair->set), count);
}

/* Anywhere, or next to where words and levels begin and end. */
static int32_t any_member(struct pair *pair) {
    static const int32_t edges[] = {0, 1, 62, 63, 64, 65, 4094, 4095, 4096, 4097, 262143, 262144};
    int32_t member = test_random_below(&pair->random, pair->capacity);
    if (test_random_once_in(&pair->random, 4)) {
        int32_t edge = edges[test_random_below(&pair->random, sizeof edges / sizeof edges[0])];
        member = edge < pair->capacity ? edge : pair->capacity - 1;
    }
    return member;
}

/* Adds more often than it removes, then the other way round, so that the set fills and empties;
 * members that are there already are added, and absent ones removed, on the way. */
static void change_at_random(struct pair *pair, int changes) {
    for (int i = 0; i < changes; i++) {
        bool filling = i % 400 < 200;
        change(pair, any_member(pair), test_random_once_in(&pair->random, 5) != filling);
    }
}

static void empty_from_below(struct pair *pair) {
    for (int32_t first = index_set_first(&pair->set); first >= 0;
         first = index_set_first(&pair->set)) {
        change(pair, first, false);
    }
    check_all(pair);
}

static void check_capacity(int32_t capacity, int changes) {
    struct pair pair = {.capacity = capacity, .random = {(uint64_t)capacity}};
    pair.flags = calloc((size_t)capacity, 1);
    assert_non_null(pair.flags);
    index_set_initialize(&pair.set, capacity);
    assert_int_equal(index_set_first(&pair.set), -1);
    change(&pair, capacity - 1, true);
    change(&pair, capacity - 1, true);
    change(&pair, capacity - 1, false);
    change(&pair, capacity - 1, false);
    change_at_random(&pair, changes / 2);
    index_set_count_members(&pair.set);
    check_all(&pair);
    change_at_random(&pair, changes / 2);
    check_all(&pair);
    empty_from_below(&pair);
    index_set_terminate(&pair.set);
    free(pair.flags);
}

static void one_member(void **state) {
    (void)state;
    check_capacity(1, 1000);
}

static void around_one_word(void **state) {
    (void)state;
    check_capacity(63, 20000);
    check_capacity(64, 20000);
    check_capacity(65, 20000);
}

static void around_two_levels(void **state) {
    (void)state;
    check_capacity(4096, 20000);
    check_capacity(4097, 20000);
}

static void four_levels(void **state) {
    (void)state;
    check_capacity(300000, 4000);
}

/* All members at once: the first follows as they are taken off from below. 262,144 is 64^3, the
 * most that three levels hold. */
static void full_set(void **state) {
    (void)state;
    enum { CAPACITY = 262144 };
    struct index_set set;
    index_set_initialize(&set, CAPACITY);
    for (int32_t member = CAPACITY - 1; member >= 0; member--) {
        index_set_add(&set, member);
        assert_int_equal(index_set_first(&set), member);
    }
    for (int32_t member = 0; member < CAPACITY; member++) {
        index_set_remove(&set, member);
        assert_int_equal(index_set_first(&set), member + 1 < CAPACITY ? member + 1 : -1);
    }
    index_set_terminate(&set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_member),        cmocka_unit_test(around_one_word),
        cmocka_unit_test(around_two_levels), cmocka_unit_test(four_levels),
        cmocka_unit_test(full_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
