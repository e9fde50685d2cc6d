/* Invariants: a job queue knows the first of all waiting jobs, and lists exactly the shapes that
 * have any, each once. Checked against a plain list of the waiting jobs. */
#include <string.h>

#include "sim/scheduling/job_queue.h"
#include "tests/support/unit.h"

enum { SHAPES = 7, JOBS = 60 };

struct bench {
    struct job_queue queue;
    struct shape shapes[SHAPES];
    struct job jobs[JOBS];
    bool waits[JOBS];
    struct test_random random;
};

static struct job *naive_first(struct bench *bench, const struct shape *shape, uint64_t *count) {
    struct job *first = NULL;
    *count = 0;
    for (int i = 0; i < JOBS; i++) {
        struct job *job = &bench->jobs[i];
        if (!bench->waits[i] || (shape != NULL && job->shape != shape)) {
            continue;
        }
        ++*count;
        if (first == NULL || job->link.key < first->link.key ||
            (job->link.key == first->link.key && job->sequence < first->sequence)) {
            first = job;
        }
    }
    return first;
}

static int times_active(const struct bench *bench, const struct shape *shape) {
    int times = 0;
    for (size_t i = 0; i < bench->queue.active_count; i++) {
        if (bench->queue.active[i] == shape) {
            assert_int_equal(shape->active_index, i);
            times++;
        }
    }
    return times;
}

static void check(struct bench *bench) {
    uint64_t count = 0;
    assert_ptr_equal(bench->queue.head, naive_first(bench, NULL, &count));
    assert_int_equal(bench->queue.count, count);
    size_t active = 0;
    for (int i = 0; i < SHAPES; i++) {
        struct shape *shape = &bench->shapes[i];
        assert_ptr_equal(shape->waiting.first, naive_first(bench, shape, &count));
        assert_int_equal(shape->waiting.count, count);
        assert_int_equal(times_active(bench, shape), count > 0);
        active += count > 0;
    }
    assert_int_equal(bench->queue.active_count, active);
}

static void add(struct bench *bench, int number) {
    bench->jobs[number] = (struct job){
        .shape = &bench->shapes[test_random_below(&bench->random, SHAPES)],
        .link.key = test_random_below(&bench->random, 5),
        .sequence = (uint64_t)number,
    };
    bench->waits[number] = true;
    job_queue_add(&bench->queue, &bench->jobs[number]);
}

static void take(struct bench *bench, int number) {
    bench->waits[number] = false;
    job_queue_remove(&bench->queue, &bench->jobs[number]);
}

static void random_jobs(void **state) {
    (void)state;
    struct bench bench = {.random = {5}};
    check(&bench);
    for (int i = 0; i < 20000; i++) {
        int number = test_random_below(&bench.random, JOBS);
        (bench.waits[number] ? take : add)(&bench, number);
        check(&bench);
        if (i % 1000 == 999) {
            while (bench.queue.head != NULL) {
                take(&bench, (int)(bench.queue.head - bench.jobs));
                check(&bench);
            }
        }
    }
    job_queue_clear(&bench.queue);
}

/* The last shape of the list takes the place of one that has no more jobs. */
static void a_shape_leaves_with_its_last_job(void **state) {
    (void)state;
    struct job_queue queue = {0};
    struct shape small = {.gpus = 1};
    struct shape large = {.gpus = 8};
    struct job first = {.shape = &small, .link.key = 1, .sequence = 0};
    struct job second = {.shape = &large, .link.key = 2, .sequence = 1};
    struct job third = {.shape = &small, .link.key = 3, .sequence = 2};
    job_queue_add(&queue, &second);
    job_queue_add(&queue, &third);
    job_queue_add(&queue, &first);
    assert_int_equal(queue.active_count, 2);
    assert_ptr_equal(queue.head, &first);
    job_queue_remove(&queue, &first);
    assert_int_equal(queue.active_count, 2);
    assert_ptr_equal(queue.head, &second);
    job_queue_remove(&queue, &second);
    assert_int_equal(queue.active_count, 1);
    assert_ptr_equal(queue.active[0], &small);
    assert_ptr_equal(queue.head, &third);
    job_queue_remove(&queue, &third);
    assert_int_equal(queue.active_count, 0);
    assert_null(queue.head);
    assert_int_equal(queue.count, 0);
    job_queue_clear(&queue);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_jobs),
        cmocka_unit_test(a_shape_leaves_with_its_last_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
