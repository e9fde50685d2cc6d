/* Invariants of quotas: nobody is admitted beyond a limit, whoever's it is; turns go by guarantee
 * and then by what is held for the weight; a queue takes back no more than its guarantee, and only
 * from those beyond theirs. */
#include <stdlib.h>

#include "sim/scheduling/job.h"
#include "sim/scheduling/job_queue.h"
#include "sim/scheduling/quotas.h"
#include "tests/support/unit.h"

enum { RED, GREEN, BLUE, QUEUES };
enum { RED_ANN, RED_BOB, GREEN_ANN, BLUE_NOBODY, OWNERS };
enum { ANN, BOB, USERS };

/* red: 4 of at most 6 GPUs, 3 for one user; green: 2, of weight 2; blue: nothing of its own. Users
 * hold at most 4. */
struct bench {
    struct quotas *quotas;
    struct shape shapes[OWNERS];
    struct job jobs[OWNERS];
};

static int setup(void **state) {
    static const struct quota_owner owners[OWNERS] = {{.queue = RED, .user = ANN},
                                                      {.queue = RED, .user = BOB},
                                                      {.queue = GREEN, .user = ANN},
                                                      {.queue = BLUE, .user = -1}};
    struct bench *bench = calloc(1, sizeof *bench);
    assert_non_null(bench);
    bench->quotas = quotas_create(QUEUES, OWNERS, USERS);
    bench->quotas->queues[RED].guaranteed = 4 * QUOTA_GPU;
    bench->quotas->queues[RED].limit = 6 * QUOTA_GPU;
    bench->quotas->queues[RED].user_limit = 3 * QUOTA_GPU;
    bench->quotas->queues[GREEN].guaranteed = 2 * QUOTA_GPU;
    bench->quotas->queues[GREEN].weight = 2;
    bench->quotas->user_limit = 4 * QUOTA_GPU;
    for (int32_t i = 0; i < OWNERS; i++) {
        bench->quotas->owners[i] = owners[i];
        bench->shapes[i] = (struct shape){.owner = i, .least_amount = QUOTA_GPU};
        bench->jobs[i] = (struct job){.shape = &bench->shapes[i]};
    }
    *state = bench;
    return 0;
}

static int teardown(void **state) {
    struct bench *bench = *state;
    quotas_destroy(bench->quotas);
    free(bench);
    return 0;
}

static void hold(struct bench *bench, int owner, int gpus) {
    quotas_hold(bench->quotas, owner, gpus * QUOTA_GPU);
}

static bool admits(const struct bench *bench, int owner, int gpus) {
    return quotas_admit(bench->quotas, owner, gpus * QUOTA_GPU);
}

static void up_to_the_limit_of_the_queue(void **state) {
    struct bench *bench = *state;
    assert_true(admits(bench, RED_ANN, 3));
    hold(bench, RED_ANN, 3);
    assert_true(admits(bench, RED_BOB, 3));
    hold(bench, RED_BOB, 2);
    assert_true(admits(bench, RED_BOB, 1));
    hold(bench, RED_BOB, 1);
    assert_false(admits(bench, RED_BOB, 1)); /* bob has 3 */
    hold(bench, RED_ANN, -1);
    assert_true(admits(bench, RED_ANN, 1));
    assert_true(admits(bench, BLUE_NOBODY, 1000));
}

static void users_in_one_queue_and_in_all(void **state) {
    struct bench *bench = *state;
    assert_false(admits(bench, RED_ANN, 4)); /* 3 in red */
    assert_true(admits(bench, GREEN_ANN, 4));
    hold(bench, GREEN_ANN, 2);
    assert_false(admits(bench, RED_ANN, 3)); /* 4 in all */
    assert_true(admits(bench, RED_ANN, 2));
    assert_true(admits(bench, RED_BOB, 3));
}

static void what_never_fits_is_known(void **state) {
    struct bench *bench = *state;
    hold(bench, RED_ANN, 3);
    assert_true(quotas_could_admit(bench->quotas, RED_ANN, 3 * QUOTA_GPU));
    assert_false(quotas_could_admit(bench->quotas, RED_ANN, 4 * QUOTA_GPU));
    assert_false(quotas_could_admit(bench->quotas, GREEN_ANN, 5 * QUOTA_GPU));
    assert_true(quotas_could_admit(bench->quotas, BLUE_NOBODY, 1000 * QUOTA_GPU));
}

/* An A100 has 7 compute slices: a 1g instance of it with two turns counts 1/14 each, in whole parts
 * of 1e-9; who asks for a share counts that. */
static void parts_of_a_gpu(void **state) {
    (void)state;
    assert_int_equal(quota_slot_amount(0, 2, 1, 7), 71428571);
    assert_int_equal(quota_slot_amount(400000000, 2, 1, 7), 400000000);
    assert_int_equal(quota_slot_amount(0, 1, 1, 1), QUOTA_GPU);
}

static void turns(void **state) {
    struct bench *bench = *state;
    struct quotas *quotas = bench->quotas;
    /* red and green are below their guarantees and hold nothing: a tie; blue has none. */
    assert_int_equal(quotas_compare(quotas, RED_ANN, GREEN_ANN), 0);
    assert_true(quotas_compare(quotas, GREEN_ANN, BLUE_NOBODY) < 0);
    /* 1 / 1 against 1 / 2. */
    hold(bench, RED_ANN, 1);
    hold(bench, GREEN_ANN, 1);
    assert_true(quotas_compare(quotas, RED_ANN, GREEN_ANN) > 0);
    /* green has its 2 GPUs; red, below its guarantee, comes first although 3 / 1 > 2 / 2. */
    hold(bench, RED_ANN, 2);
    hold(bench, GREEN_ANN, 1);
    assert_true(quotas_compare(quotas, RED_BOB, GREEN_ANN) < 0);
    /* red has 4, too: 4 / 1 against 2 / 2, and blue holds 1 / 1. */
    hold(bench, RED_BOB, 1);
    hold(bench, BLUE_NOBODY, 1);
    assert_true(quotas_compare(quotas, RED_BOB, GREEN_ANN) > 0);
    assert_int_equal(quotas_compare(quotas, BLUE_NOBODY, GREEN_ANN), 0);
    assert_int_equal(quotas_compare(quotas, RED_ANN, RED_BOB), 0);
}

static bool may_reclaim(const struct bench *bench, int newcomer, int victim) {
    return quota_may_reclaim(bench->quotas, &bench->jobs[newcomer], &bench->jobs[victim]);
}

static void a_queue_takes_back_its_guarantee(void **state) {
    struct bench *bench = *state;
    hold(bench, BLUE_NOBODY, 3);
    hold(bench, GREEN_ANN, 2);
    assert_true(may_reclaim(bench, RED_ANN, BLUE_NOBODY));
    assert_false(may_reclaim(bench, RED_ANN, GREEN_ANN)); /* within its guarantee */
    assert_false(may_reclaim(bench, RED_ANN, RED_BOB));
    assert_false(may_reclaim(bench, BLUE_NOBODY, RED_ANN)); /* has no guarantee */
    /* Up to the guarantee, and no further: 3 + 1 of 4 GPUs, 3 + 2 not. */
    hold(bench, RED_ANN, 3);
    assert_true(may_reclaim(bench, RED_BOB, BLUE_NOBODY));
    bench->shapes[RED_BOB].least_amount = 2 * QUOTA_GPU;
    assert_false(may_reclaim(bench, RED_BOB, BLUE_NOBODY));
}

/* Of green's 3 GPUs one is borrowed: once that is promised, there is no more to take. */
static void what_is_leaving_is_not_taken_twice(void **state) {
    struct bench *bench = *state;
    struct job leaving = {.shape = &bench->shapes[GREEN_ANN], .quota_held = QUOTA_GPU};
    hold(bench, GREEN_ANN, 3);
    assert_true(quotas_borrowed(bench->quotas, &leaving) == 1);
    assert_true(may_reclaim(bench, RED_ANN, GREEN_ANN));
    quotas_note_leaving(bench->quotas, &leaving, 1);
    assert_true(quotas_borrowed(bench->quotas, &leaving) == 0);
    assert_false(may_reclaim(bench, RED_ANN, GREEN_ANN));
    quotas_note_leaving(bench->quotas, &leaving, -1);
    assert_true(may_reclaim(bench, RED_ANN, GREEN_ANN));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(up_to_the_limit_of_the_queue, setup, teardown),
        cmocka_unit_test_setup_teardown(users_in_one_queue_and_in_all, setup, teardown),
        cmocka_unit_test_setup_teardown(what_never_fits_is_known, setup, teardown),
        cmocka_unit_test(parts_of_a_gpu),
        cmocka_unit_test_setup_teardown(turns, setup, teardown),
        cmocka_unit_test_setup_teardown(a_queue_takes_back_its_guarantee, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_leaving_is_not_taken_twice, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
