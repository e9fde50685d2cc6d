/* What a GPU of a pool costs: what the scenario says, else the list price, else nobody knows. */
#include "scenarios/pool_price.h"

#include <math.h>

#include "tests/support/unit.h"

static struct list_price prices[] = {
    {.usd_per_gpu_hour = 1, .kind = "spot", .provenance = {"s", "high"}},
    {.usd_per_gpu_hour = 3, .kind = "on-demand", .provenance = {"s", "high"}}};
static struct gpu_model gpus[] = {{.name = "priced", .prices = prices, .price_count = 2},
                                  {.name = "unpriced"}};
static const struct catalogue catalogue = {.gpus = gpus, .gpu_count = 2};

static void test_a_given_price_wins(void **state) {
    (void)state;
    const struct pool_spec pool = {
        .gpu = 0, .price = {.given = true, .per_gpu_hour = 2.5, .currency = "EUR"}};
    struct pool_price price = pool_price(&pool, &catalogue);
    assert_true(price.per_gpu_hour == 2.5);
    assert_string_equal(price.currency, "EUR");
    assert_null(price.list);
}

static void test_else_the_list_price(void **state) {
    (void)state;
    /* A currency alone, as the reader presets it, is no price. */
    const struct pool_spec pool = {.gpu = 0, .price = {.currency = "EUR"}};
    struct pool_price price = pool_price(&pool, &catalogue);
    assert_true(price.per_gpu_hour == 3);
    assert_string_equal(price.currency, "USD");
    assert_ptr_equal(price.list, &prices[1]);
}

static void test_else_nothing(void **state) {
    (void)state;
    const struct pool_spec pool = {.gpu = 1};
    struct pool_price price = pool_price(&pool, &catalogue);
    assert_true(isnan(price.per_gpu_hour));
    assert_null(price.currency);
    assert_null(price.list);
}

static void test_a_mix_in_words(void **state) {
    (void)state;
    struct price_part parts[] = {{.share = 0.6, .per_gpu_hour = 1.4, .commitment = "1y"},
                                 {.share = 0.25, .per_gpu_hour = 0.9, .spot = true},
                                 {.share = 0.15, .per_node_hour = 8.2}};
    const struct pool_spec pool = {
        .gpus_per_node = 4,
        .price = {.given = true, .parts = parts, .part_count = 3, .currency = "USD"}};
    char text[PRICE_MIX_TEXT];
    assert_string_equal(pool_price_mix(&pool, text),
                        "60 % at 1.4 per GPU-hour (1y), 25 % at 0.9 per GPU-hour (spot), 15 % at "
                        "2.05 per GPU-hour");
    const struct pool_spec plain = {.price = {.parts = parts, .part_count = 1}};
    assert_string_equal(pool_price_mix(&plain, text), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_mix_in_words),
        cmocka_unit_test(test_a_given_price_wins),
        cmocka_unit_test(test_else_the_list_price),
        cmocka_unit_test(test_else_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
