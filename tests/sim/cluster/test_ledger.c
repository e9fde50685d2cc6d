/* Invariant: each category holds exactly the GPU-nanoseconds that GPUs spent in it, and together
 * they are GPUs x time. */
#include <string.h>

#include "sim/cluster/ledger.h"
#include "tests/support/unit.h"

static void assert_gpu_time(gpu_time actual, gpu_time expected) {
    assert_true(actual == expected);
}

static void starts_idle_at_zero(void **state) {
    (void)state;
    struct ledger ledger;
    ledger_initialize(&ledger, 5);
    assert_true(ledger_balances(&ledger, 0));
    assert_int_equal(ledger.now_in[GPU_IDLE], 5);
    assert_int_equal(ledger.now_in[GPU_USEFUL], 0);
    assert_gpu_time(ledger_integral(&ledger, GPU_IDLE, 7), 35);
    assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, 7), 0);
    assert_true(ledger_balances(&ledger, 7));
}

/* 4 GPUs. Useful: 0 until 10, 2 until 25, 3 until 40, 0 until 40 (two moves at one moment), 1 until
 * 100: 0x10 + 2x15 + 3x15 + 1x60 = 135. Idle: 4x100 - 135 = 265. */
static void hand_computed_integrals(void **state) {
    (void)state;
    struct ledger ledger;
    ledger_initialize(&ledger, 4);
    ledger_move(&ledger, 10, GPU_IDLE, GPU_USEFUL, 2);
    ledger_move(&ledger, 25, GPU_IDLE, GPU_USEFUL, 1);
    ledger_move(&ledger, 40, GPU_USEFUL, GPU_IDLE, 3);
    ledger_move(&ledger, 40, GPU_IDLE, GPU_USEFUL, 1);
    assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, 100), 135);
    assert_gpu_time(ledger_integral(&ledger, GPU_IDLE, 100), 265);
    assert_true(ledger_balances(&ledger, 100));
}

/* 0x9 + 1x(20-9) = 11, whether or not someone looked on the way. */
static void looking_changes_nothing(void **state) {
    (void)state;
    struct ledger ledger;
    ledger_initialize(&ledger, 1);
    assert_gpu_time(ledger_integral(&ledger, GPU_IDLE, 3), 3);
    ledger_move(&ledger, 9, GPU_IDLE, GPU_USEFUL, 1);
    assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, 12), 3);
    ledger_move(&ledger, 15, GPU_USEFUL, GPU_IDLE, 0);
    assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, 20), 11);
    assert_true(ledger_balances(&ledger, 20));
}

/* 100,000 GPUs for ten years of 365 days: 3.1536e17 ns x 1e5 = 31536 x 10^18 GPU-ns, 3,400 times
 * what 64 bits hold. A quarter of them useful over the second half: an eighth of it, 3942 x 10^18.
 */
static void a_hundred_thousand_gpus_for_ten_years(void **state) {
    (void)state;
    const sim_time ten_years = INT64_C(315360000) * NANOSECONDS_PER_SECOND;
    const gpu_time exa = (gpu_time)NANOSECONDS_PER_SECOND * NANOSECONDS_PER_SECOND;
    struct ledger ledger;
    ledger_initialize(&ledger, 100000);
    ledger_move(&ledger, ten_years / 2, GPU_IDLE, GPU_USEFUL, 25000);
    assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, ten_years), 3942 * exa);
    assert_gpu_time(ledger_integral(&ledger, GPU_IDLE, ten_years), (31536 - 3942) * exa);
    assert_true(ledger_balances(&ledger, ten_years));
}

static void one_nanosecond_missing_is_noticed(void **state) {
    (void)state;
    struct ledger ledger;
    ledger_initialize(&ledger, 100000);
    ledger_move(&ledger, 1000, GPU_IDLE, GPU_USEFUL, 99999);
    sim_time day = INT64_C(86400) * NANOSECONDS_PER_SECOND;
    assert_true(ledger_balances(&ledger, day));
    ledger.integral[GPU_USEFUL]--;
    assert_false(ledger_balances(&ledger, day));
    ledger.integral[GPU_IDLE]++;
    assert_true(ledger_balances(&ledger, day));
}

/* Against a sum over single GPUs, each with its own account. */
static void random_moves(void **state) {
    (void)state;
    enum { GPUS = 17 };
    struct test_random random = {1};
    struct ledger ledger;
    ledger_initialize(&ledger, GPUS);
    bool useful[GPUS] = {false};
    int64_t account[2] = {0, 0};
    sim_time now = 0;
    for (int i = 0; i < 5000; i++) {
        sim_time elapsed = test_random_below(&random, 4);
        for (int gpu = 0; gpu < GPUS; gpu++) {
            account[useful[gpu]] += elapsed;
        }
        now += elapsed;
        int gpu = test_random_below(&random, GPUS);
        ledger_move(&ledger, now, useful[gpu] ? GPU_USEFUL : GPU_IDLE,
                    useful[gpu] ? GPU_IDLE : GPU_USEFUL, 1);
        useful[gpu] = !useful[gpu];
        assert_gpu_time(ledger_integral(&ledger, GPU_IDLE, now), account[0]);
        assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, now), account[1]);
        assert_true(ledger_balances(&ledger, now));
    }
}

/* 2 units useful over 50 ns, of which 30 unit-ns turn out to have been switches; more than there
 * was of a category is noticed. */
static void time_told_apart_later(void **state) {
    (void)state;
    struct ledger ledger;
    ledger_initialize(&ledger, 3);
    ledger_move(&ledger, 10, GPU_IDLE, GPU_USEFUL, 2);
    ledger_transfer(&ledger, GPU_USEFUL, GPU_SWITCH, 30);
    assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, 60), 70);
    assert_gpu_time(ledger_integral(&ledger, GPU_SWITCH, 60), 30);
    assert_true(ledger_balances(&ledger, 60));
    ledger_lose(&ledger, 20, 60);
    assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, 60), 50);
    ledger_lose(&ledger, 51, 60);
    assert_gpu_time(ledger_integral(&ledger, GPU_USEFUL, 60), 0);
    assert_gpu_time(ledger_integral(&ledger, GPU_REDONE, 60), 70);
    assert_true(ledger_balances(&ledger, 60));
    ledger_transfer(&ledger, GPU_USEFUL, GPU_SWITCH, 1);
    assert_false(ledger_balances(&ledger, 60));
}

static void categories_have_their_names(void **state) {
    (void)state;
    assert_string_equal(gpu_category_names[GPU_USEFUL], "useful");
    assert_string_equal(gpu_category_names[GPU_IDLE], "idle");
    for (int i = 0; i < GPU_CATEGORY_COUNT; i++) {
        assert_non_null(gpu_category_names[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_idle_at_zero),
        cmocka_unit_test(hand_computed_integrals),
        cmocka_unit_test(looking_changes_nothing),
        cmocka_unit_test(a_hundred_thousand_gpus_for_ten_years),
        cmocka_unit_test(one_nanosecond_missing_is_noticed),
        cmocka_unit_test(random_moves),
        cmocka_unit_test(time_told_apart_later),
        cmocka_unit_test(categories_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
