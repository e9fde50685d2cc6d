/* Finds the cheapest candidate of made-up responses, and says so when one is not monotone. What the
 * right answer is follows from the response's formula. */
#include <math.h>
#include <stdlib.h>

#include "plan/judge.h"
#include "plan/rank.h"
#include "plan/search.h"
#include "sim/kernel/memory.h"
#include "tests/support/unit.h"

enum { MOST_CANDIDATES = 1024 };

/* Groups of so many members each; a member costs its position + 1, times its group's price. */
struct world {
    double (*excess)(size_t group, size_t position); /* its mean */
    double noise;                                    /* uniform, of that half-width */
    double price[16];
    bool random_cost;
    size_t per_group;
    size_t runs;
    size_t runs_of[MOST_CANDIDATES];
    size_t stop_after; /* 0: never */
};

/* Common random numbers: the same for all candidates of a replication. */
static double noise_of(size_t replication, uint64_t what) {
    struct test_random random = {.state = replication * 7919 + what};
    return (double)(test_random_next(&random) >> 11) * 0x1p-52 - 1;
}

static bool simulate(void *context, const struct plan_run *runs, size_t count,
                     struct plan_sample *samples) {
    struct world *world = context;
    for (size_t i = 0; i < count; i++) {
        size_t group = runs[i].candidate / world->per_group;
        size_t position = runs[i].candidate % world->per_group;
        double excess =
            world->excess(group, position) + world->noise * noise_of(runs[i].replication, 1);
        double cost = ((double)position + 1) * world->price[group];
        /* A part that all share, and a little of its own. */
        cost += world->random_cost ? noise_of(runs[i].replication, 2) +
                                         0.1 * noise_of(runs[i].replication, 3 + runs[i].candidate)
                                   : 0;
        samples[i] = (struct plan_sample){.cost = cost, .excess = excess, .main = excess};
        world->runs++;
        world->runs_of[runs[i].candidate]++;
    }
    return world->stop_after == 0 || world->runs < world->stop_after;
}

static void build(struct plan_problem *problem, const struct world *world, size_t groups) {
    plan_problem_create(problem, groups * world->per_group, groups);
    problem->rule =
        (struct plan_rule){.confidence = 0.95, .tolerance = 0.05, .least = 5, .most = 60};
    for (size_t g = 0; g < groups; g++) {
        struct plan_group *group = &problem->groups[g];
        group->members = memory_zero(world->per_group, sizeof *group->members);
        group->count = world->per_group;
        for (size_t i = 0; i < world->per_group; i++) {
            size_t candidate = g * world->per_group + i;
            group->members[i] = candidate;
            problem->candidates[candidate].group = g;
            problem->candidates[candidate].position = i;
            if (!world->random_cost) {
                problem->candidates[candidate].known_cost = ((double)i + 1) * world->price[g];
            }
        }
    }
}

static void search(struct plan_problem *problem, struct world *world) {
    struct plan_evaluator evaluator = {simulate, world};
    assert_true(plan_search(problem, &evaluator));
    for (size_t i = 0; i < problem->group_count; i++) {
        assert_true(problem->groups[i].searched);
    }
}

/* Held from position 37 on, by more the further. */
static double falling(size_t group, size_t position) {
    (void)group;
    return (36.5 - (double)position) / 10;
}

static void bisection_finds_the_least(void **state) {
    (void)state;
    struct world world = {.excess = falling, .per_group = 64, .price = {1}};
    struct plan_problem problem;
    build(&problem, &world, 1);
    search(&problem, &world);
    assert_int_equal(problem.groups[0].best, 37);
    assert_false(problem.groups[0].disorder);
    size_t tried = 0;
    for (size_t i = 0; i < 64; i++) {
        tried += world.runs_of[i] > 0;
    }
    /* 7 up, to 64; 5 between 31 and 63; 2 to check. */
    assert_in_range(tried, 3, 14);
    assert_int_equal(world.runs_of[36], 2); /* the one below misses at once */
    plan_problem_clear(&problem);
}

static void every_hint_finds_the_same(void **state) {
    (void)state;
    for (size_t hint = 0; hint < 64; hint++) {
        struct world world = {.excess = falling, .noise = 0.04, .per_group = 64, .price = {1}};
        struct plan_problem problem;
        build(&problem, &world, 1);
        problem.groups[0].hint = hint;
        search(&problem, &world);
        assert_int_equal(problem.groups[0].best, 37);
        plan_problem_clear(&problem);
    }
}

static void pruned_ones_are_not_simulated(void **state) {
    (void)state;
    struct world world = {.excess = falling, .per_group = 64, .price = {1}};
    struct plan_problem problem;
    build(&problem, &world, 1);
    for (size_t i = 0; i < 30; i++) {
        problem.candidates[i].verdict = PLAN_PRUNED;
    }
    problem.candidates[37].verdict = PLAN_PRUNED; /* impossible for another reason */
    search(&problem, &world);
    assert_int_equal(problem.groups[0].best, 38);
    assert_int_equal(world.runs_of[29], 0);
    assert_int_equal(world.runs_of[37], 0);
    plan_problem_clear(&problem);
}

/* Held at 20 and from 40 on. */
static double with_a_hole(size_t group, size_t position) {
    (void)group;
    return position == 20 || position >= 40 ? -0.5 : 0.5;
}

/* The best found by bisection is 40; half of that is tried, and meets. */
static void a_hole_that_is_seen_is_searched(void **state) {
    (void)state;
    struct world world = {.excess = with_a_hole, .per_group = 64, .price = {1}};
    struct plan_problem problem;
    build(&problem, &world, 1);
    search(&problem, &world);
    assert_int_equal(problem.groups[0].best, 20);
    assert_true(problem.groups[0].disorder);
    for (size_t i = 0; i <= 20; i++) {
        assert_true(world.runs_of[i] > 0);
    }
    plan_problem_clear(&problem);
}

/* Worse with every one more, up to 30: what was simulated is out of order. Held at 3, too. */
static double rising_first(size_t group, size_t position) {
    (void)group;
    return position >= 30 ? -0.5 : position == 3 ? -0.2 : 1 + (double)position / 4;
}

static void disorder_is_seen_in_what_was_tried(void **state) {
    (void)state;
    struct world world = {.excess = rising_first, .per_group = 64, .price = {1}};
    struct plan_problem problem;
    build(&problem, &world, 1);
    problem.groups[0].hint = 32;
    search(&problem, &world);
    /* 28 and 15 are tried as checks and miss, but 28 by more than 15: so all are tried. */
    assert_true(problem.groups[0].disorder);
    assert_int_equal(problem.groups[0].best, 3);
    plan_problem_clear(&problem);
}

static double never(size_t group, size_t position) {
    (void)group;
    (void)position;
    return 0.3;
}

static void none_meets(void **state) {
    (void)state;
    struct world world = {.excess = never, .per_group = 10, .price = {1, 2}};
    struct plan_problem problem;
    build(&problem, &world, 2);
    search(&problem, &world);
    size_t order[2];
    assert_int_equal(plan_rank(&problem, 1, order), 0);
    /* The largest of each was tried, or there would be no saying so. */
    assert_true(world.runs_of[9] > 0 && world.runs_of[19] > 0);
    plan_problem_clear(&problem);
}

/* Group g meets from position g on, at a price of 10 / (g + 1): costs 10, 10, 10, ... for g + 1
 * GPUs; with one more cent each they rise. */
static double from_group(size_t group, size_t position) {
    return position >= group ? -0.5 : 0.5;
}

static void groups_are_ranked_and_costly_ones_left(void **state) {
    (void)state;
    struct world world = {.excess = from_group, .per_group = 16};
    for (size_t g = 0; g < 12; g++) {
        world.price[g] = 10.0 / (double)(g + 1) + 0.01 * (double)g;
    }
    struct plan_problem problem;
    build(&problem, &world, 12);
    problem.keep = 3;
    search(&problem, &world);
    size_t order[12];
    size_t count = plan_rank(&problem, 1, order);
    assert_true(count >= 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(problem.candidates[order[i]].group, i);
        assert_int_equal(problem.candidates[order[i]].position, i);
    }
    plan_problem_clear(&problem);
}

/* By the time that its turn comes, better ones are known than the last group could have. */
static void what_costs_more_is_not_simulated(void **state) {
    (void)state;
    struct world world = {.excess = with_a_hole, .per_group = 64};
    for (size_t g = 0; g < 12; g++) {
        world.price[g] = g < 11 ? 1 : 1000;
    }
    struct plan_problem problem;
    build(&problem, &world, 12);
    search(&problem, &world);
    for (size_t i = 0; i < 64; i++) {
        assert_int_equal(world.runs_of[11 * 64 + i], 0);
    }
    plan_problem_clear(&problem);
}

/* Random costs: 3 and 4 differ by 1 among noise of +-1 that both share. */
static double always(size_t group, size_t position) {
    (void)group;
    (void)position;
    return -0.5;
}

static void random_costs_race(void **state) {
    (void)state;
    struct world world = {
        .excess = always, .per_group = 1, .random_cost = true, .price = {4, 3, 3.001, 9}};
    struct plan_problem problem;
    build(&problem, &world, 4);
    search(&problem, &world);
    struct plan_evaluator evaluator = {simulate, &world};
    assert_true(plan_race(&problem, &evaluator, 1));
    size_t order[4];
    assert_int_equal(plan_rank(&problem, 1, order), 4);
    assert_true(order[0] == 1 || order[0] == 2);
    assert_int_equal(order[2], 0);
    assert_int_equal(order[3], 3);
    struct plan_difference near =
        plan_compare_cost(&problem.candidates[order[1]], &problem.candidates[order[0]]);
    assert_false(near.significant && fabs(near.mean) > 0.15);
    assert_true(plan_compare_cost(&problem.candidates[0], &problem.candidates[1]).significant);
    /* Who is far off gets no more than it took to accept it. */
    assert_int_equal(world.runs_of[3], 5);
    plan_problem_clear(&problem);
}

/* Costs 1 to 8; excess falls with the position, so all are on the front; one that costs as much and
 * is worse is not. */
static void the_front_has_what_nothing_beats(void **state) {
    (void)state;
    struct world world = {.excess = from_group, .per_group = 2, .price = {1, 1}};
    struct plan_problem problem;
    build(&problem, &world, 2);
    struct plan_evaluator evaluator = {simulate, &world};
    size_t all[] = {0, 1, 2, 3};
    size_t upto[] = {2, 2, 2, 2};
    assert_true(plan_replicate(&problem, &evaluator, all, upto, 4));
    size_t front[4];
    /* Group 0: -0.5 at costs 1 and 2; group 1: 0.5 at 1, -0.5 at 2. */
    assert_int_equal(plan_front(&problem, 1, front), 1);
    assert_int_equal(front[0], 0);
    /* Were more better: 0.5 at cost 1 alone. */
    assert_int_equal(plan_front(&problem, -1, front), 1);
    assert_int_equal(front[0], 2);
    plan_problem_clear(&problem);
}

static void a_stopped_search_says_so(void **state) {
    (void)state;
    struct world world = {.excess = falling, .per_group = 64, .price = {1}, .stop_after = 4};
    struct plan_problem problem;
    build(&problem, &world, 1);
    struct plan_evaluator evaluator = {simulate, &world};
    assert_false(plan_search(&problem, &evaluator));
    plan_problem_clear(&problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bisection_finds_the_least),
        cmocka_unit_test(every_hint_finds_the_same),
        cmocka_unit_test(pruned_ones_are_not_simulated),
        cmocka_unit_test(a_hole_that_is_seen_is_searched),
        cmocka_unit_test(disorder_is_seen_in_what_was_tried),
        cmocka_unit_test(none_meets),
        cmocka_unit_test(groups_are_ranked_and_costly_ones_left),
        cmocka_unit_test(what_costs_more_is_not_simulated),
        cmocka_unit_test(random_costs_race),
        cmocka_unit_test(the_front_has_what_nothing_beats),
        cmocka_unit_test(a_stopped_search_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
