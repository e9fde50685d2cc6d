/* Invariants: the store lists the jobs alive in order of submission, hands out zeroed jobs, and
 * takes no more memory than the most jobs that were ever alive at once need. */
#include <stdlib.h>
#include <string.h>

#include "sim/scheduling/job_store.h"
#include "tests/support/unit.h"

enum { JOBS = 1000 };

static void check_list(const struct job_store *store, struct job *const *jobs, size_t count) {
    struct job **list = job_store_list(store);
    assert_int_equal(store->alive, count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(list[i], jobs[i]);
    }
    free(list);
}

static struct job *take(struct job_store *store) {
    struct job expected;
    memset(&expected, 0, sizeof expected);
    struct job *job = job_store_take(store);
    assert_memory_equal(job, &expected, sizeof expected);
    job->gpus = 1;
    return job;
}

/* Jobs leave from the beginning, the middle and the end of the list. */
static void lists_jobs_in_order_of_submission(void **state) {
    (void)state;
    struct job_store store = {0};
    struct job *jobs[JOBS];
    struct test_random random = {9};
    size_t count = 0;
    for (uint64_t i = 0; i < 20000; i++) {
        if (count < JOBS && (count == 0 || test_random_once_in(&random, 2))) {
            jobs[count] = take(&store);
            memset(&jobs[count]->link, 0xff, sizeof jobs[count]->link);
            jobs[count]->sequence = i;
            count++;
        } else {
            size_t leaves = (size_t)test_random_below(&random, (int32_t)count);
            job_store_return(&store, jobs[leaves]);
            memmove(&jobs[leaves], &jobs[leaves + 1], (--count - leaves) * sizeof jobs[0]);
        }
        if (i % 100 == 0) {
            check_list(&store, jobs, count);
        }
    }
    check_list(&store, jobs, count);
    job_store_clear(&store);
}

/* After the first thousand no block is added, however many jobs pass through. */
static void memory_follows_the_jobs_alive(void **state) {
    (void)state;
    struct job_store store = {0};
    struct job *jobs[JOBS];
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = take(&store);
    }
    const struct job_block *blocks = store.blocks;
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < JOBS; i++) {
            job_store_return(&store, jobs[i]);
            jobs[i] = take(&store);
        }
    }
    for (int i = 0; i < JOBS; i++) {
        job_store_return(&store, jobs[i]);
    }
    assert_int_equal(store.alive, 0);
    for (int i = 0; i < JOBS; i++) {
        jobs[i] = take(&store);
        jobs[i]->sequence = (uint64_t)i;
    }
    assert_ptr_equal(store.blocks, blocks);
    check_list(&store, jobs, JOBS);
    job_store_clear(&store);
    assert_null(store.blocks);
    assert_int_equal(store.alive, 0);
}

static void an_empty_store_lists_nothing(void **state) {
    (void)state;
    struct job_store store = {0};
    check_list(&store, NULL, 0);
    job_store_clear(&store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_jobs_in_order_of_submission),
        cmocka_unit_test(memory_follows_the_jobs_alive),
        cmocka_unit_test(an_empty_store_lists_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
