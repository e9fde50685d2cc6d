#include "sim/scheduling/job_queue.h"

#include <stddef.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void job_queue_clear(struct job_queue *queue) {
    free(queue->active);
    *queue = (struct job_queue){0};
}

void job_queue_add(struct job_queue *queue, struct job *job) {
    struct shape *shape = job->shape;
    if (shape->waiting.count == 0) {
        queue->active = memory_grow(queue->active, &queue->active_capacity, queue->active_count + 1,
                                    sizeof *queue->active);
        shape->active_index = queue->active_count;
        queue->active[queue->active_count++] = shape;
    }
    job_tree_add(&shape->waiting, job);
    if (queue->head == NULL || job_before(job, queue->head)) {
        queue->head = job;
    }
    queue->count++;
}

static struct job *first_of_all(const struct job_queue *queue) {
    struct job *first = NULL;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct job *job = queue->active[i]->waiting.first;
        if (first == NULL || job_before(job, first)) {
            first = job;
        }
    }
    return first;
}

void job_queue_remove(struct job_queue *queue, struct job *job) {
    struct shape *shape = job->shape;
    job_tree_remove(&shape->waiting, job);
    if (shape->waiting.count == 0) {
        struct shape *last = queue->active[--queue->active_count];
        queue->active[shape->active_index] = last;
        last->active_index = shape->active_index;
    }
    queue->count--;
    if (queue->head == job) {
        queue->head = first_of_all(queue);
    }
}
