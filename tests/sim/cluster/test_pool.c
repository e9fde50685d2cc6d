/* Invariants: no GPU is ever given to two gangs, each node gives its lowest free GPUs, and the
 * ledger, the memory and the queue are integrated exactly. The owner of every GPU is kept in a
 * table of the test's own. */
#include <string.h>

#include "sim/cluster/pool.h"
#include "tests/support/unit.h"

enum { NODES = 6, PER_NODE_MOST = 64, GANGS = 40 };

/* One gang; 0 GPUs: none. */
struct group {
    struct piece first;
    int64_t memory;
    int32_t gpus;
};

struct bench {
    struct pool pool;
    struct piece_stock stock;
    struct test_random random;
    int32_t per_node;
    int owner[NODES][PER_NODE_MOST]; /* 0: free, else 1 + the gang */
    struct group gangs[GANGS];
    sim_time now;
    __int128 useful;      /* GPU-ns so far */
    __int128 memory;      /* byte-ns so far */
    __int128 queued;      /* job-ns so far */
    int64_t gpus_used;    /* now */
    int64_t memory_used;  /* now */
    int64_t queue_length; /* now */
};

static int32_t owned_by(const struct bench *bench, int32_t node, int owner) {
    int32_t count = 0;
    for (int32_t gpu = 0; gpu < bench->per_node; gpu++) {
        count += bench->owner[node][gpu] == owner;
    }
    return count;
}

/* Takes the lowest free GPUs of the node in the table; returns them as a mask. */
static uint64_t take_lowest(struct bench *bench, int32_t node, int32_t gpus, int owner) {
    uint64_t mask = 0;
    for (int32_t gpu = 0; gpu < bench->per_node && gpus > 0; gpu++) {
        if (bench->owner[node][gpu] == 0) {
            bench->owner[node][gpu] = owner;
            mask |= UINT64_C(1) << gpu;
            gpus--;
        }
    }
    assert_int_equal(gpus, 0);
    return mask;
}

/* The gang's next piece: its own first one, or one more from the stock. */
static struct piece *next_piece(struct bench *bench, struct group *gang, struct piece *last) {
    if (last == NULL) {
        return &gang->first;
    }
    last->next = piece_take(&bench->stock);
    assert_null(last->next->next);
    assert_true(last->next->mask == 0);
    return last->next;
}

/* Plans a gang on random nodes, with its GPUs counted off the index as a placement would do. */
static void plan(struct bench *bench, struct group *gang) {
    struct piece *piece = NULL;
    *gang = (struct group){.memory = test_random_once_in(&bench->random, 3)
                                         ? 0
                                         : test_random_between(&bench->random, 1, 1000000000)};
    for (int32_t node = 0; node < NODES; node++) {
        int32_t free_gpus = owned_by(bench, node, 0);
        if (free_gpus == 0 || test_random_once_in(&bench->random, 2)) {
            continue;
        }
        piece = next_piece(bench, gang, piece);
        piece->node = node;
        piece->gpus = test_random_between(&bench->random, 1, free_gpus);
        node_index_change(&bench->pool.index, node, -piece->gpus);
        gang->gpus += piece->gpus;
    }
}

static void occupy(struct bench *bench, int number) {
    struct group *gang = &bench->gangs[number];
    plan(bench, gang);
    if (gang->gpus == 0) {
        return;
    }
    pool_take(&bench->pool, &gang->first);
    pool_begin_use(&bench->pool, &gang->first, gang->memory, bench->now);
    for (const struct piece *piece = &gang->first; piece != NULL; piece = piece->next) {
        assert_true(piece->mask == take_lowest(bench, piece->node, piece->gpus, 1 + number));
    }
    bench->gpus_used += gang->gpus;
    bench->memory_used += gang->gpus * gang->memory;
}

static void vacate(struct bench *bench, int number) {
    struct group *gang = &bench->gangs[number];
    pool_vacate(&bench->pool, &gang->first, gang->memory, bench->now);
    piece_return_rest(&bench->stock, &gang->first);
    assert_null(gang->first.next);
    for (int32_t node = 0; node < NODES; node++) {
        for (int32_t gpu = 0; gpu < bench->per_node; gpu++) {
            if (bench->owner[node][gpu] == 1 + number) {
                bench->owner[node][gpu] = 0;
            }
        }
    }
    bench->gpus_used -= gang->gpus;
    bench->memory_used -= gang->gpus * gang->memory;
    *gang = (struct group){0};
}

static void let_time_pass(struct bench *bench) {
    sim_time elapsed = test_random_below(&bench->random, 5);
    bench->now += elapsed;
    bench->useful += (__int128)bench->gpus_used * elapsed;
    bench->memory += (__int128)bench->memory_used * elapsed;
    bench->queued += (__int128)bench->queue_length * elapsed;
    bench->queue_length = test_random_below(&bench->random, 100);
    time_tally_set(&bench->pool.queued_jobs, bench->now, bench->queue_length);
}

static void check(struct bench *bench) {
    assert_true(pool_is_consistent(&bench->pool));
    for (int32_t node = 0; node < NODES; node++) {
        for (int32_t gpu = 0; gpu < bench->per_node; gpu++) {
            bool is_free = (bench->pool.free_mask[node] >> gpu) & 1;
            assert_int_equal(is_free, bench->owner[node][gpu] == 0);
        }
        assert_int_equal(bench->pool.index.free_gpus[node], owned_by(bench, node, 0));
    }
    struct pool_measure measure = pool_measure_at(&bench->pool, bench->now);
    __int128 all = (__int128)bench->pool.gpus * bench->now;
    assert_true(measure.category[GPU_USEFUL] == bench->useful);
    assert_true(measure.category[GPU_IDLE] == all - bench->useful);
    assert_true(measure.memory == bench->memory);
    assert_true(measure.queued_jobs == bench->queued);
}

static void check_size(int32_t per_node) {
    struct bench bench = {.per_node = per_node, .random = {(uint64_t)per_node}};
    pool_initialize(&bench.pool, "pool", NODES, per_node, 1000000000);
    assert_int_equal(bench.pool.gpus, NODES * per_node);
    check(&bench);
    for (int i = 0; i < 5000; i++) {
        let_time_pass(&bench);
        int number = test_random_below(&bench.random, GANGS);
        (bench.gangs[number].gpus == 0 ? occupy : vacate)(&bench, number);
        check(&bench);
    }
    for (int number = 0; number < GANGS; number++) {
        if (bench.gangs[number].gpus > 0) {
            vacate(&bench, number);
        }
    }
    check(&bench);
    assert_int_equal(bench.pool.index.free_total, NODES * per_node);
    piece_stock_clear(&bench.stock);
    pool_terminate(&bench.pool);
}

static void random_gangs(void **state) {
    (void)state;
    check_size(1);
    check_size(4);
    check_size(8);
    check_size(64);
}

/* A pool of 2 nodes x 4 GPUs of 10 bytes holds 8 GPUs of up to 10 bytes each, and nothing beyond.
 */
static void could_hold_what_an_empty_pool_has(void **state) {
    (void)state;
    struct pool pool;
    pool_initialize(&pool, "pool", 2, 4, 10);
    assert_true(pool_could_hold(&pool, &(struct gang){.gpus = 1}, 0));
    assert_true(pool_could_hold(&pool, &(struct gang){.gpus = 5}, 10));
    assert_true(pool_could_hold(&pool, &(struct gang){.gpus = 8}, 10));
    assert_false(pool_could_hold(&pool, &(struct gang){.gpus = 9}, 0));
    assert_false(pool_could_hold(&pool, &(struct gang){.gpus = 1}, 11));
    assert_false(pool_could_hold(&pool, &(struct gang){.gpus = INT32_MAX}, 0));
    pool_terminate(&pool);
}

/* 2 GPUs with 3 bytes each from 10 on, one job queued from 4 to 14. Over [12, 20]: useful 2x8, idle
 * 2x8 of 4 GPUs, memory 2x3x8, queued 1x2. */
static void the_difference_of_two_measures(void **state) {
    (void)state;
    struct pool pool;
    struct piece piece = {.node = 1, .gpus = 2};
    pool_initialize(&pool, "pool", 2, 2, 10);
    time_tally_set(&pool.queued_jobs, 4, 1);
    node_index_change(&pool.index, 1, -2);
    pool_take(&pool, &piece);
    pool_begin_use(&pool, &piece, 3, 10);
    struct pool_measure from = pool_measure_at(&pool, 12);
    time_tally_set(&pool.queued_jobs, 14, 0);
    struct pool_measure to = pool_measure_at(&pool, 20);
    struct pool_measure between = pool_measure_between(&from, &to);
    assert_true(between.category[GPU_USEFUL] == 16);
    assert_true(between.category[GPU_IDLE] == 16);
    assert_true(between.memory == 48);
    assert_true(between.queued_jobs == 2);
    pool_terminate(&pool);
}

/* A mask, a count or a ledger that is changed alone is noticed. */
static void the_check_sees_each_kind_of_damage(void **state) {
    (void)state;
    struct pool pool;
    pool_initialize(&pool, "pool", 3, 8, 0);
    assert_true(pool_is_consistent(&pool));
    pool.free_mask[1] ^= 1;
    assert_false(pool_is_consistent(&pool));
    node_index_change(&pool.index, 1, -1);
    assert_false(pool_is_consistent(&pool));
    ledger_move(&pool.ledger, 0, GPU_IDLE, GPU_USEFUL, 1);
    assert_true(pool_is_consistent(&pool));
    pool_terminate(&pool);
}

/* Pieces come back clean, and the stock hands the same ones out again. */
static void pieces_are_used_anew(void **state) {
    (void)state;
    enum { COUNT = 3000 };
    struct piece_stock stock = {0};
    struct piece first = {.next = NULL};
    for (int round = 0; round < 3; round++) {
        const struct piece_block *blocks = stock.blocks;
        for (int i = 0; i < COUNT; i++) {
            struct piece *piece = piece_take(&stock);
            assert_null(piece->next);
            assert_true(piece->node == 0 && piece->gpus == 0 && piece->mask == 0);
            *piece = (struct piece){.next = first.next, .node = 1, .gpus = 2, .mask = 3};
            first.next = piece;
        }
        assert_true(round == 0 || stock.blocks == blocks);
        piece_return_rest(&stock, &first);
        assert_null(first.next);
    }
    piece_return_rest(&stock, &first);
    piece_stock_clear(&stock);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_gangs),
        cmocka_unit_test(could_hold_what_an_empty_pool_has),
        cmocka_unit_test(the_difference_of_two_measures),
        cmocka_unit_test(the_check_sees_each_kind_of_damage),
        cmocka_unit_test(pieces_are_used_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
