/* Invariant: memory follows the requests alive, not how many there ever were. */
#include "sim/serving/request_stock.h"
#include "tests/support/unit.h"

enum { ALIVE = 200, ROUNDS = 10000 };

/* Places are used anew, in the first block, however often. */
static void places_are_used_anew(void **state) {
    (void)state;
    struct request_stock stock = {0};
    struct request *alive[ALIVE];
    uintptr_t lowest = UINTPTR_MAX;
    uintptr_t highest = 0;
    for (int i = 0; i < ALIVE; i++) {
        alive[i] = request_stock_take(&stock);
    }
    struct request_block *blocks = stock.blocks;
    struct test_random random = {1};
    for (int i = 0; i < ROUNDS; i++) {
        int32_t place = test_random_below(&random, ALIVE);
        request_stock_return(&stock, alive[place]);
        alive[place] = request_stock_take(&stock);
        uintptr_t address = (uintptr_t)alive[place];
        lowest = address < lowest ? address : lowest;
        highest = address > highest ? address : highest;
    }
    assert_int_equal(stock.alive, ALIVE);
    assert_ptr_equal(stock.blocks, blocks);
    assert_true(highest - lowest < 256 * sizeof(struct request));
    request_stock_clear(&stock);
    assert_int_equal(stock.alive, 0);
}

/* All alive at once have places of their own, in blocks added as needed. */
static void places_do_not_overlap(void **state) {
    (void)state;
    enum { MANY = 5000 };
    struct request_stock stock = {0};
    struct request *alive[MANY];
    for (int i = 0; i < MANY; i++) {
        alive[i] = request_stock_take(&stock);
        alive[i]->number = i;
    }
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(alive[i]->number, i);
    }
    request_stock_clear(&stock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_used_anew),
        cmocka_unit_test(places_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
