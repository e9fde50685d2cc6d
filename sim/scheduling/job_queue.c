#include "sim/scheduling/job_queue.h"

#include <stddef.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/quotas.h"

void job_queue_clear(struct job_queue *queue) {
    free(queue->active);
    *queue = (struct job_queue){0};
}

static void note_head(struct job_queue *queue, struct job *job) {
    if (queue->head == NULL || job_before(job, queue->head)) {
        queue->head = job;
    }
}

static void activate(struct job_queue *queue, struct shape *shape) {
    queue->active = memory_grow(queue->active, &queue->active_capacity, queue->active_count + 1,
                                sizeof *queue->active);
    shape->active_index = queue->active_count;
    queue->active[queue->active_count++] = shape;
}

static void deactivate(struct job_queue *queue, const struct shape *shape) {
    struct shape *last = queue->active[--queue->active_count];
    queue->active[shape->active_index] = last;
    last->active_index = shape->active_index;
}

void job_queue_add(struct job_queue *queue, struct job *job) {
    struct shape *shape = job->shape;
    if (shape->waiting.count == 0 && !shape->closed) {
        activate(queue, shape);
    }
    job_tree_add(&shape->waiting, job);
    if (!shape->closed) {
        note_head(queue, job);
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
    if (shape->waiting.count == 0 && !shape->closed) {
        deactivate(queue, shape);
    }
    queue->count--;
    if (queue->head == job) {
        queue->head = first_of_all(queue);
    }
}

void job_queue_close(struct job_queue *queue, struct shape *shape, bool closed) {
    bool waits = shape->waiting.count > 0;
    if (waits && !shape->closed && closed) {
        deactivate(queue, shape);
    } else if (waits && shape->closed && !closed) {
        activate(queue, shape);
        note_head(queue, shape->waiting.first);
    }
    shape->closed = closed;
    if (waits && closed) {
        queue->head = first_of_all(queue);
    }
}

bool job_queue_before(const struct job_queue *queue, const struct job *a, const struct job *b) {
    if (queue->quotas != NULL && queue->quotas->fair) {
        int turn = quotas_compare(queue->quotas, a->shape->owner, b->shape->owner);
        if (turn != 0) {
            return turn < 0;
        }
    }
    return job_before(a, b);
}

bool job_queue_admits(const struct job_queue *queue, const struct shape *shape) {
    return queue->quotas == NULL || quotas_admit(queue->quotas, shape->owner, shape->least_amount);
}

struct job *job_queue_first(const struct job_queue *queue) {
    if (queue->quotas == NULL) {
        return queue->head;
    }
    struct job *first = NULL;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct shape *shape = queue->active[i];
        if (job_queue_admits(queue, shape) &&
            (first == NULL || job_queue_before(queue, shape->waiting.first, first))) {
            first = shape->waiting.first;
        }
    }
    return first;
}

struct job *job_queue_submitted_by(const struct job_queue *queue, sim_time latest) {
    struct job *first = NULL;
    for (size_t i = 0; i < queue->active_count; i++) {
        struct shape *shape = queue->active[i];
        struct job *job = job_tree_submitted_by(&shape->waiting, latest);
        if (job != NULL && job_queue_admits(queue, shape) &&
            (first == NULL || job_queue_before(queue, job, first))) {
            first = job;
        }
    }
    return first;
}
