#include "cli/batch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/precision.h"
#include "sim/kernel/memory.h"

/* Finished runs wait as spools for their turn to be merged; this many per thread may. */
enum { SPOOLS_PER_THREAD = 4 };

enum task_state { TASK_WAITING, TASK_ENDED };

struct task {
    const struct loaded_scenario *loaded;
    const char *scenario_sha256;
    uint64_t replication;
    bool dropped; /* not needed for the precision; only the merging thread drops */
    enum task_state state;
    enum run_outcome outcome;
    struct spool *spool; /* of a finished run, until merged */
    struct error error;
    struct run_outcome_note *note;
    struct run_progress progress; /* while it runs */
};

/* What the threads share, under the lock. */
struct crew {
    const struct batch_request *request;
    struct task *tasks;
    size_t task_count;
    size_t *released; /* by scenario: the replications that may run so far */
    size_t next;      /* the first task nobody has taken */
    size_t merged_to; /* tasks before this one are dealt with */
    size_t ended;     /* tasks that have ended, or are dropped */
    uint64_t events;  /* of those that have ended */
    atomic_bool stop; /* no more tasks: interrupted, or one failed */
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void note_results(struct task *task, const struct results *results) {
    const struct scenario *scenario = task->loaded->scenario;
    struct run_outcome_note *note = task->note;
    for (size_t i = 0; i < scenario->objective_count; i++) {
        const struct objective *objective = &scenario->objectives[i];
        note->objective_values[i] =
            results_metric(results, objective->scope, objective->subject, objective->metric);
    }
    note->unstable = results_metric(results, SCOPE_RUN, "", "unstable") > 0;
    note->rejected = results->rejected;
    memcpy(note->first_rejected, results->first_rejected, sizeof note->first_rejected);
    note->overflows = results->overflows;
    memcpy(note->first_overflow, results->first_overflow, sizeof note->first_overflow);
    note->given_up = results->given_up;
    memcpy(note->first_given_up, results->first_given_up, sizeof note->first_given_up);
    note->stuck = results->stuck;
    memcpy(note->first_stuck, results->first_stuck, sizeof note->first_stuck);
}

static enum run_outcome simulate(struct crew *crew, struct task *task) {
    const struct scenario *scenario = task->loaded->scenario;
    struct run_request request = {.scenario = scenario,
                                  .traces = task->loaded->traces,
                                  .seed = scenario->seed,
                                  .replication = task->replication,
                                  .stop = &crew->stop,
                                  .progress = &task->progress};
    struct recorder recorder = spool_recorder(task->spool);
    struct results results;
    double began = seconds_now();
    enum run_outcome outcome = simulation_run(&request, &recorder, &results, &task->error);
    if (outcome == RUN_DONE) {
        note_results(task, &results);
        task->progress.events = results.events;
        if (!spool_finish(task->spool, &results, seconds_now() - began, &task->error)) {
            outcome = RUN_FAILED;
        }
        results_clear(&results);
    }
    return outcome;
}

/* Opened in the order of the tasks, under the lock: spools number their runs as they are opened. */
static void open_spool(const struct crew *crew, struct task *task) {
    const struct scenario *scenario = task->loaded->scenario;
    struct run_identity identity = {.batch = crew->request->batch,
                                    .position = (int64_t)(task - crew->tasks),
                                    .currency = scenario->pools[0].price.currency,
                                    .has_start = scenario->has_start,
                                    .start = scenario->start,
                                    .scenario = scenario->name,
                                    .variant = scenario->variant,
                                    .point = scenario->point,
                                    .replication = task->replication,
                                    .seed = scenario->seed,
                                    .scenario_sha256 = task->scenario_sha256,
                                    .inputs_sha256 = task->loaded->inputs_sha256};
    task->spool = spool_open(crew->request->store, &identity, &task->error);
}

static enum run_outcome perform(struct crew *crew, struct task *task) {
    if (task->spool == NULL) {
        return RUN_FAILED;
    }
    enum run_outcome outcome = simulate(crew, task);
    if (outcome != RUN_DONE) {
        spool_close(task->spool);
        task->spool = NULL;
    }
    return outcome;
}

static bool is_held(const struct crew *crew, const struct task *task) {
    return task->replication >= crew->released[task->loaded - crew->request->loaded->scenarios];
}

static bool may_take(const struct crew *crew) {
    size_t most = (size_t)crew->request->threads * SPOOLS_PER_THREAD;
    return crew->next < crew->merged_to + most && !is_held(crew, &crew->tasks[crew->next]);
}

static void *work(void *argument) {
    struct crew *crew = argument;
    pthread_mutex_lock(&crew->lock);
    while (crew->next < crew->task_count && !crew->stop) {
        if (crew->tasks[crew->next].dropped) {
            crew->next++;
            continue;
        }
        if (!may_take(crew)) {
            pthread_cond_wait(&crew->changed, &crew->lock);
            continue;
        }
        struct task *task = &crew->tasks[crew->next++];
        open_spool(crew, task);
        pthread_mutex_unlock(&crew->lock);
        enum run_outcome outcome = perform(crew, task);
        pthread_mutex_lock(&crew->lock);
        task->outcome = outcome;
        task->state = TASK_ENDED;
        crew->ended++;
        crew->events += task->progress.events;
        if (outcome != RUN_DONE) {
            crew->stop = true;
        }
        pthread_cond_broadcast(&crew->changed);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* How far the crew is, tasks under way included; under the lock. */
static struct progress_state look(const struct crew *crew) {
    struct progress_state state = {.done = crew->ended,
                                   .all = crew->task_count,
                                   .fraction = (double)crew->ended,
                                   .events = crew->events,
                                   .simulated_s = -1,
                                   .horizon_s = -1};
    for (size_t i = crew->merged_to; i < crew->next; i++) {
        const struct task *task = &crew->tasks[i];
        const struct scenario *scenario = task->loaded->scenario;
        if (task->state == TASK_ENDED || task->dropped) {
            continue;
        }
        double simulated_s = sim_time_to_seconds(task->progress.now);
        double horizon_s = scenario->end_of_work ? -1 : sim_time_to_seconds(scenario->horizon);
        state.events += task->progress.events;
        state.fraction += horizon_s > 0 ? simulated_s / horizon_s : 0;
        if (state.simulated_s < 0 || simulated_s < state.simulated_s) {
            state.simulated_s = simulated_s;
            state.horizon_s = horizon_s;
        }
    }
    state.fraction /= (double)crew->task_count;
    return state;
}

static void show_progress(const struct crew *crew) {
    if (crew->request->progress != NULL) {
        struct progress_state state = look(crew);
        progress_update(crew->request->progress, &state);
    }
}

/* Waits until the task has ended; false if it never will, as it was not begun. The user's interrupt
 * comes without a signal to the condition, so the wait looks up now and then. */
static bool await_task(struct crew *crew, size_t index) {
    pthread_mutex_lock(&crew->lock);
    while (crew->tasks[index].state != TASK_ENDED && (index < crew->next || !crew->stop)) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&crew->changed, &crew->lock, &until);
        if (*crew->request->stop) {
            crew->stop = true;
            pthread_cond_broadcast(&crew->changed);
        }
        show_progress(crew);
    }
    bool ended = crew->tasks[index].state == TASK_ENDED;
    pthread_mutex_unlock(&crew->lock);
    return ended;
}

static void deal_with(struct crew *crew, struct batch *batch, struct task *task) {
    if (task->outcome == RUN_DONE) {
        int64_t run_id = 0;
        if (store_merge(crew->request->store, task->spool, &run_id, &task->error)) {
            task->note->merged = true;
            batch->merged_count++;
        } else {
            task->outcome = RUN_FAILED;
            crew->stop = true;
        }
        spool_close(task->spool);
        task->spool = NULL;
    }
    /* The first failure is the one to tell of; an interrupt only where nothing failed. */
    if (task->outcome == RUN_FAILED && batch->outcome != RUN_FAILED) {
        batch->error = task->error;
        batch->outcome = RUN_FAILED;
    } else if (task->outcome == RUN_INTERRUPTED && batch->outcome == RUN_DONE) {
        batch->outcome = RUN_INTERRUPTED;
    }
}

/* Once all that may run have been merged: releases some more, or drops the rest. */
static void decide(struct crew *crew, const struct batch *batch, size_t index) {
    const struct task *task = &crew->tasks[index];
    const struct scenario *scenario = task->loaded->scenario;
    size_t count = (size_t)task->replication;
    size_t *released = &crew->released[batch->scenario_of[index]];
    bool reached = precision_reached(scenario, &batch->notes[index - count], count);
    pthread_mutex_lock(&crew->lock);
    if (!reached) {
        *released = precision_next_checkpoint(count, (size_t)scenario->replications);
    }
    for (size_t i = index; reached && count < (size_t)scenario->replications; i++, count++) {
        crew->tasks[i].dropped = true;
        crew->ended++;
    }
    pthread_cond_broadcast(&crew->changed);
    pthread_mutex_unlock(&crew->lock);
}

static void await_and_merge(struct crew *crew, struct batch *batch, size_t index) {
    if (await_task(crew, index)) {
        deal_with(crew, batch, &crew->tasks[index]);
    } else if (batch->outcome == RUN_DONE) {
        batch->outcome = RUN_INTERRUPTED;
    }
}

static void merge_in_order(struct crew *crew, struct batch *batch) {
    for (size_t i = 0; i < crew->task_count; i++) {
        struct task *task = &crew->tasks[i];
        if (!task->dropped && batch->outcome == RUN_DONE && is_held(crew, task)) {
            decide(crew, batch, i);
        }
        if (!task->dropped) {
            await_and_merge(crew, batch, i);
        }
        pthread_mutex_lock(&crew->lock);
        crew->merged_to = i + 1;
        show_progress(crew);
        pthread_cond_broadcast(&crew->changed);
        pthread_mutex_unlock(&crew->lock);
    }
}

static void list_tasks(struct batch *batch, struct crew *crew) {
    const struct loaded *loaded = crew->request->loaded;
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        batch->run_count += (size_t)loaded->scenarios[i].scenario->replications;
    }
    batch->scenario_of = memory_zero(batch->run_count, sizeof *batch->scenario_of);
    batch->notes = memory_zero(batch->run_count, sizeof *batch->notes);
    crew->tasks = memory_zero(batch->run_count, sizeof *crew->tasks);
    crew->released = memory_zero(loaded->scenario_count, sizeof *crew->released);
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        const struct scenario *scenario = loaded->scenarios[i].scenario;
        size_t most = (size_t)scenario->replications;
        crew->released[i] = scenario->precision > 0 ? precision_first_checkpoint(most) : most;
        for (int32_t r = 0; r < scenario->replications; r++) {
            struct run_outcome_note *note = &batch->notes[crew->task_count];
            note->objective_values =
                memory_zero(scenario->objective_count, sizeof *note->objective_values);
            batch->scenario_of[crew->task_count] = i;
            crew->tasks[crew->task_count++] =
                (struct task){.loaded = &loaded->scenarios[i],
                              .scenario_sha256 = crew->request->scenario_sha256[i],
                              .replication = (uint64_t)r,
                              .note = note};
        }
    }
}

void batch_run(struct batch *batch, const struct batch_request *request) {
    *batch = (struct batch){.outcome = RUN_DONE};
    struct crew crew = {.request = request};
    pthread_mutex_init(&crew.lock, NULL);
    pthread_cond_init(&crew.changed, NULL);
    list_tasks(batch, &crew);

    size_t thread_count = (size_t)request->threads;
    if (thread_count > crew.task_count) {
        thread_count = crew.task_count;
    }
    pthread_t *threads = memory_zero(thread_count, sizeof *threads);
    size_t running = 0;
    while (running < thread_count && pthread_create(&threads[running], NULL, work, &crew) == 0) {
        running++;
    }
    if (running == 0) {
        error_set(&batch->error, NULL, 0, 0, "cannot start a thread: the system has none to spare");
        batch->outcome = RUN_FAILED;
    } else {
        merge_in_order(&crew, batch);
    }
    for (size_t i = 0; i < running; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
    free(crew.tasks);
    free(crew.released);
    pthread_cond_destroy(&crew.changed);
    pthread_mutex_destroy(&crew.lock);
}

void batch_destroy(struct batch *batch) {
    for (size_t i = 0; i < batch->run_count; i++) {
        free(batch->notes[i].objective_values);
    }
    free(batch->notes);
    free(batch->scenario_of);
}
