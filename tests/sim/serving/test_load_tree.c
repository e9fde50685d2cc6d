/* Invariant: the place found is the first of those with the least number. */
#include "sim/serving/load_tree.h"
#include "tests/support/unit.h"

enum { MOST_PLACES = 37 };

static int32_t first_by_looking(const int64_t *loads, int32_t places) {
    int32_t first = 0;
    for (int32_t i = 1; i < places; i++) {
        first = loads[i] < loads[first] ? i : first;
    }
    return first;
}

static void as_by_looking_through_them(void **state) {
    (void)state;
    struct test_random random = {7};
    for (int32_t places = 1; places <= MOST_PLACES; places++) {
        struct load_tree tree;
        int64_t loads[MOST_PLACES];
        load_tree_initialize(&tree, places);
        for (int32_t i = 0; i < places; i++) {
            loads[i] = LOAD_TREE_ABSENT;
        }
        loads[places - 1] = 9;
        load_tree_set(&tree, places - 1, 9);
        for (int step = 0; step < 500; step++) {
            int32_t place = test_random_below(&random, places);
            bool absent = test_random_once_in(&random, 4) && place != places - 1;
            loads[place] = absent ? LOAD_TREE_ABSENT : test_random_below(&random, 6);
            load_tree_set(&tree, place, loads[place]);
            assert_int_equal(load_tree_first(&tree), first_by_looking(loads, places));
        }
        load_tree_terminate(&tree);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_by_looking_through_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
