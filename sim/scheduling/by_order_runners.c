#include "sim/scheduling/by_order_runners.h"

#include <stdlib.h>

#include "sim/kernel/memory.h"
#include "sim/scheduling/preemption.h"
#include "sim/scheduling/scheduler.h"

static int compare_runners(const void *a, const void *b) {
    const struct runner *left = a;
    const struct runner *right = b;
    if (left->key != right->key) {
        return left->key < right->key ? -1 : 1;
    }
    return (left->sequence > right->sequence) - (left->sequence < right->sequence);
}

/* Of equal keys the earlier order is kept: that of the last pass, as far as it can have changed
 * since. A job that ran had a larger key than those that waited meanwhile, so it comes after them,
 * and before those that came later: its new rank was kept for it then. */
static void renew_ranks(const struct scheduler *scheduler, struct by_order_runners *runners) {
    if (scheduler->order->runs_down && scheduler->now > runners->instant) {
        for (size_t i = 0; i < runners->count; i++) {
            struct job *job = runners->items[i].job;
            job->sequence = job->course->next_rank > 0 ? job->course->next_rank : job->sequence;
            runners->items[i].sequence = job->sequence;
        }
    }
}

static void add(struct scheduler *scheduler, struct by_order_runners *runners, struct job *job) {
    runners->items =
        memory_grow(runners->items, &runners->capacity, runners->count + 1, sizeof *runners->items);
    runners->items[runners->count++] =
        (struct runner){.job = job,
                        .key = scheduler->order->key_now(job, scheduler->now),
                        .sequence = job->sequence};
}

/* They come in the order of the last pass, and few change places: so by insertion, unless that
 * turns out to be dear. Whether any does. */
static bool sort(struct by_order_runners *runners) {
    struct runner *items = runners->items;
    size_t moves = 0;
    for (size_t i = 1; i < runners->count; i++) {
        struct runner runner = items[i];
        size_t j = i;
        for (; j > 0 && compare_runners(&runner, &items[j - 1]) < 0; j--) {
            items[j] = items[j - 1];
        }
        items[j] = runner;
        moves += i - j;
        if (moves > 8 * runners->count) {
            qsort(items, runners->count, sizeof *items, compare_runners);
            return true;
        }
    }
    return moves > 0;
}

bool by_order_runners_collect(struct by_order_runners *runners, struct scheduler *scheduler) {
    struct preemption *preemption = scheduler->preemption;
    runners->count = 0;
    for (struct course *course = preemption->running; course != NULL;
         course = course->next_running) {
        if (course->job->tenant == NULL && preemption_may_take(preemption, NULL, course->job)) {
            add(scheduler, runners, course->job);
        }
    }
    renew_ranks(scheduler, runners);
    return sort(runners);
}

/* The list of all that run, in the order that they have here. */
static void keep_order(struct preemption *preemption, const struct by_order_runners *runners) {
    struct course *previous = NULL;
    preemption->running = NULL;
    for (size_t i = 0; i < runners->count; i++) {
        struct course *course = runners->items[i].job->course;
        course->previous_running = previous;
        course->next_running = NULL;
        if (previous != NULL) {
            previous->next_running = course;
        } else {
            preemption->running = course;
        }
        previous = course;
    }
}

void by_order_runners_keep(struct by_order_runners *runners, struct scheduler *scheduler) {
    runners->instant = scheduler->now;
    runners->count = 0;
    for (struct course *course = scheduler->preemption->running; course != NULL;
         course = course->next_running) {
        add(scheduler, runners, course->job);
    }
    sort(runners);
    keep_order(scheduler->preemption, runners);
    for (size_t i = 0; scheduler->order->runs_down && i < runners->count; i++) {
        runners->items[i].job->course->next_rank = (*scheduler->sequence)++;
    }
}
