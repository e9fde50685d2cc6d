/* Availability against a naive table of who holds what until when. */
#include "sim/scheduling/availability.h"
#include "tests/support/unit.h"

enum { MOST_NODES = 9, MOST_HELD = 64, STEPS = 400 };

struct table {
    struct node_index index;
    struct availability availability;
    int32_t node[MOST_HELD];
    int32_t gpus[MOST_HELD];
    sim_time end[MOST_HELD];
    size_t count;
};

static void table_start(struct table *table, int32_t nodes, int32_t per_node) {
    *table = (struct table){0};
    node_index_initialize(&table->index, nodes, per_node);
    availability_initialize(&table->availability, &table->index);
}

static void table_stop(struct table *table) {
    availability_terminate(&table->availability);
    node_index_terminate(&table->index);
}

static void hold(struct table *table, int32_t node, int32_t gpus, sim_time end) {
    node_index_change(&table->index, node, -gpus);
    availability_hold(&table->availability, node, &(struct held){.end = end, .gpus = gpus});
    table->node[table->count] = node;
    table->gpus[table->count] = gpus;
    table->end[table->count++] = end;
}

static void release(struct table *table, size_t which) {
    node_index_change(&table->index, table->node[which], table->gpus[which]);
    struct held held = {.end = table->end[which], .gpus = table->gpus[which]};
    availability_release(&table->availability, table->node[which], &held);
    size_t last = --table->count;
    table->node[which] = table->node[last];
    table->gpus[which] = table->gpus[last];
    table->end[which] = table->end[last];
}

static int32_t returned(const struct table *table, int32_t node, sim_time moment) {
    int32_t gpus = 0;
    for (size_t i = 0; i < table->count; i++) {
        gpus += table->node[i] == node && table->end[i] <= moment ? table->gpus[i] : 0;
    }
    return gpus;
}

/* Whole nodes, and one other for the remainder. */
static bool fits(const struct table *table, int32_t gpus, sim_time moment) {
    int32_t per_node = table->index.gpus_per_node;
    int32_t whole = 0;
    int32_t partial = 0;
    for (int32_t node = 0; node < table->index.nodes; node++) {
        int32_t then = table->index.free_gpus[node] + returned(table, node, moment);
        whole += then == per_node;
        partial += then >= gpus % per_node;
    }
    return whole >= gpus / per_node && (gpus % per_node == 0 || partial >= gpus / per_node + 1);
}

/* The first of now and all ends at which it fits. */
static sim_time naive_first_fit(const struct table *table, int32_t gpus) {
    if (fits(table, gpus, 0)) {
        return 0;
    }
    sim_time first = SIM_TIME_NEVER;
    for (size_t i = 0; i < table->count; i++) {
        if (table->end[i] < first && fits(table, gpus, table->end[i])) {
            first = table->end[i];
        }
    }
    return first;
}

static void check(struct table *table) {
    int32_t per_node = table->index.gpus_per_node;
    for (int32_t gpus = 1; gpus <= table->index.nodes * per_node; gpus++) {
        sim_time first = naive_first_fit(table, gpus);
        assert_int_equal(availability_first_fit(&table->availability, gpus), first);
        int32_t least = gpus % per_node == 0 ? per_node : gpus % per_node;
        size_t expected = 0;
        for (int32_t node = 0; node < table->index.nodes; node++) {
            int32_t then = returned(table, node, first);
            assert_int_equal(availability_returned(&table->availability, node, first), then);
            expected += table->index.free_gpus[node] + then >= least;
        }
        size_t count = 0;
        availability_nodes(&table->availability, gpus, first, &count);
        assert_int_equal(count, expected);
    }
}

static void like_the_naive_table(void **state) {
    (void)state;
    static const int32_t shapes[][2] = {{1, 1}, {1, 8}, {2, 4}, {3, 8}, {5, 2}, {8, 1}, {9, 4}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        struct table table;
        table_start(&table, shapes[s][0], shapes[s][1]);
        check(&table);
        struct test_random random = {.state = s};
        for (int step = 0; step < STEPS; step++) {
            int32_t node = test_random_below(&random, shapes[s][0]);
            int32_t free_gpus = table.index.free_gpus[node];
            if (free_gpus > 0 && test_random_once_in(&random, 2)) {
                hold(&table, node, test_random_between(&random, 1, free_gpus),
                     test_random_between(&random, 1, 20));
            } else if (table.count > 0) {
                release(&table, (size_t)test_random_below(&random, (int32_t)table.count));
            }
            check(&table);
        }
        table_stop(&table);
    }
}

/* Two nodes of 4: a holds 3 of node 0 until 10, b all of node 1 until 5, c the last of node 0
 * until 7. 1 GPU: node 1 at 5. 4: node 1 at 5. 5: node 1 whole at 5, and one more on node 0 at 7.
 * 8: at 10. */
static void by_hand(void **state) {
    (void)state;
    struct table table;
    table_start(&table, 2, 4);
    hold(&table, 0, 3, 10);
    hold(&table, 1, 4, 5);
    hold(&table, 0, 1, 7);
    assert_int_equal(availability_first_fit(&table.availability, 1), 5);
    assert_int_equal(availability_first_fit(&table.availability, 4), 5);
    assert_int_equal(availability_first_fit(&table.availability, 5), 7);
    assert_int_equal(availability_first_fit(&table.availability, 8), 10);
    assert_int_equal(availability_returned(&table.availability, 0, 9), 1);
    table_stop(&table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(like_the_naive_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
