/* Invariants: a job tree holds its jobs in the order (key, sequence), and finds the first one
 * behind a place whose estimate is within a limit. Checked against a sorted array that is searched
 * from its beginning, with few distinct keys and estimates so that most comparisons are ties. */
#include <stdlib.h>
#include <string.h>

#include "sim/scheduling/job_tree.h"
#include "tests/support/unit.h"

enum { JOBS = 300 };

struct pair {
    struct job_tree tree;
    struct job *sorted[JOBS];
    int count;
    struct job jobs[JOBS];
    bool in_tree[JOBS];
    struct test_random random;
};

static bool naive_before(const struct job *a, const struct job *b) {
    return a->link.key != b->link.key ? a->link.key < b->link.key : a->sequence < b->sequence;
}

static struct job *naive_find(const struct pair *pair, const struct job *after, sim_time limit) {
    for (int i = 0; i < pair->count; i++) {
        struct job *job = pair->sorted[i];
        if ((after == NULL || naive_before(after, job)) && job->estimate <= limit) {
            return job;
        }
    }
    return NULL;
}

static void add(struct pair *pair, struct job *job) {
    int place = pair->count++;
    for (; place > 0 && naive_before(job, pair->sorted[place - 1]); place--) {
        pair->sorted[place] = pair->sorted[place - 1];
    }
    pair->sorted[place] = job;
    job_tree_add(&pair->tree, job);
}

static void remove_job(struct pair *pair, struct job *job) {
    int place = 0;
    while (pair->sorted[place] != job) {
        place++;
    }
    pair->count--;
    for (; place < pair->count; place++) {
        pair->sorted[place] = pair->sorted[place + 1];
    }
    job_tree_remove(&pair->tree, job);
}

/* Below `job` in its tree: in order, with the least estimates as they should be. */
static sim_time check_below(const struct job *job, struct job *const **next) {
    if (job == NULL) {
        return SIM_TIME_NEVER;
    }
    sim_time left = check_below(job->link.left, next);
    assert_ptr_equal(*(*next)++, job);
    sim_time right = check_below(job->link.right, next);
    sim_time least = left < right ? left : right;
    least = job->estimate < least ? job->estimate : least;
    assert_int_equal(job->link.least_estimate, least);
    return least;
}

static void check_structure(const struct pair *pair) {
    struct job *const *next = pair->sorted;
    check_below(pair->tree.root, &next);
    assert_int_equal(next - pair->sorted, pair->count);
    assert_int_equal(pair->tree.count, pair->count);
    assert_ptr_equal(pair->tree.first, pair->count == 0 ? NULL : pair->sorted[0]);
}

static void check_walk(const struct pair *pair) {
    struct job *job = NULL;
    for (int i = 0; i < pair->count; i++) {
        job = job_tree_next(&pair->tree, job);
        assert_ptr_equal(job, pair->sorted[i]);
    }
    assert_null(job_tree_next(&pair->tree, job));
}

/* From the beginning, from a job (in the tree or not) and from a place no job has. */
static void check_searches(struct pair *pair, int32_t keys) {
    struct job place = {.link.key = test_random_between(&pair->random, -1, keys),
                        .sequence = (uint64_t)test_random_below(&pair->random, JOBS)};
    const struct job *starts[] = {NULL, &pair->jobs[test_random_below(&pair->random, JOBS)],
                                  &place};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        for (sim_time limit = -1; limit <= 5; limit++) {
            assert_ptr_equal(job_tree_find(&pair->tree, starts[i], limit),
                             naive_find(pair, starts[i], limit));
        }
        assert_ptr_equal(job_tree_next(&pair->tree, starts[i]),
                         naive_find(pair, starts[i], SIM_TIME_NEVER));
    }
}

/* A job may come back with another key: it enters a queue by one and the running jobs by another.
 */
static void prepare(struct pair *pair, int number, int32_t keys) {
    pair->jobs[number] = (struct job){
        .link.key = test_random_below(&pair->random, keys),
        .sequence = (uint64_t)number,
        .estimate = test_random_below(&pair->random, 5),
    };
}

static void check_random(int32_t keys) {
    struct pair *pair = calloc(1, sizeof *pair);
    assert_non_null(pair);
    pair->random.state = (uint64_t)keys;
    for (int i = 0; i < 6000; i++) {
        bool growing = i % 2000 < 1000;
        int number = test_random_below(&pair->random, JOBS);
        if (pair->in_tree[number] && (!growing || test_random_once_in(&pair->random, 3))) {
            remove_job(pair, &pair->jobs[number]);
            pair->in_tree[number] = false;
        } else if (!pair->in_tree[number] && (growing || test_random_once_in(&pair->random, 3))) {
            prepare(pair, number, keys);
            add(pair, &pair->jobs[number]);
            pair->in_tree[number] = true;
        }
        check_structure(pair);
        check_searches(pair, keys);
    }
    check_walk(pair);
    while (pair->count > 0) {
        remove_job(pair, pair->sorted[test_random_below(&pair->random, pair->count)]);
        check_structure(pair);
    }
    free(pair);
}

static void all_keys_equal(void **state) {
    (void)state;
    check_random(1);
}

static void few_keys(void **state) {
    (void)state;
    check_random(4);
}

static void many_keys(void **state) {
    (void)state;
    check_random(100000);
}

static void empty_tree(void **state) {
    (void)state;
    struct job_tree tree = {0};
    struct job place = {.sequence = 7};
    assert_null(job_tree_next(&tree, NULL));
    assert_null(job_tree_next(&tree, &place));
    assert_null(job_tree_find(&tree, NULL, SIM_TIME_NEVER));
    assert_null(job_tree_find(&tree, &place, SIM_TIME_NEVER));
}

static int depth_below(const struct job *job) {
    if (job == NULL) {
        return 0;
    }
    int left = depth_below(job->link.left);
    int right = depth_below(job->link.right);
    return 1 + (left > right ? left : right);
}

/* Of `count` jobs that enter in order, each `stride` submissions after the one before: those of one
 * shape out of as many that take turns. */
static int depth_with_stride(int count, uint64_t stride) {
    struct job_tree tree = {0};
    struct job *jobs = calloc((size_t)count, sizeof *jobs);
    assert_non_null(jobs);
    for (int i = 0; i < count; i++) {
        jobs[i].link.key = i;
        jobs[i].sequence = (uint64_t)i * stride;
        job_tree_add(&tree, &jobs[i]);
    }
    assert_int_equal(tree.count, count);
    int depth = depth_below(tree.root);
    free(jobs);
    return depth;
}

/* A random search tree of n jobs is hardly ever deeper than 4.4 ln n (Devroye, JACM 33, 1986: 4.311
 * ln n on the average): 51 for 100,000. Neither may ours be, whatever the pattern of submissions;
 * strides that are Fibonacci numbers are hard on priorities made with the golden ratio. */
static void stays_shallow(void **state) {
    (void)state;
    static const uint64_t strides[] = {1, 2, 3, 8, 10, 55, 89, 144, 1000, 1597, 4096};
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        int depth = depth_with_stride(100000, strides[i]);
        if (depth > 51) {
            fail_msg("stride %d: depth %d", (int)strides[i], depth);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_keys_equal), cmocka_unit_test(few_keys),
        cmocka_unit_test(many_keys),      cmocka_unit_test(empty_tree),
        cmocka_unit_test(stays_shallow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
