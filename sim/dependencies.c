#include "sim/dependencies.h"

#include <assert.h>
#include <stdlib.h>

#include "sim/job_events.h"
#include "sim/kernel/memory.h"

/* What became of the job of a trace's row. */
enum { FATE_OPEN, FATE_COMPLETED, FATE_BROKEN };

enum { ARRAYS_PER_BLOCK = 64 };

struct array_block {
    struct array_block *next;
    struct job_array arrays[ARRAYS_PER_BLOCK];
};

/* Of one workload. */
struct workload_ties {
    struct workload_tie *waiters; /* workloads that wait for this one */
    size_t waiter_count;
    int64_t alive; /* jobs of it, if anybody waits for it */
    bool ended;
    bool broken;        /* one of its jobs has not completed */
    bool refused;       /* one that should have completed for this one has broken */
    size_t awaited;     /* workloads that it waits for and that have not ended */
    struct job *held;   /* until then */
    uint8_t *fates;     /* by row of its trace; NULL: no row waits for another */
    struct job **await; /* by row: the jobs held for its job */
};

struct workload_tie {
    int32_t waiter;
    bool ok;
};

struct run_dependencies {
    struct workload_ties *workloads;
    struct workload_tie *ties; /* all of them, by the workload waited for */
    struct job *ready;         /* no longer held where they were; to be judged */
    bool judging;
    struct job_array *free_arrays;
    struct array_block *blocks;
};

/* --- Lists of held jobs: rings through the links of the tree that they are not in --- */

static void ring_add(struct job **first, struct job *job) {
    struct job *head = *first;
    if (head == NULL) {
        job->link.left = job;
        job->link.right = job;
        *first = job;
        return;
    }
    job->link.left = head->link.left;
    job->link.right = head;
    head->link.left->link.right = job;
    head->link.left = job;
}

static void ring_remove(struct job **first, struct job *job) {
    struct job *next = job->link.right;
    job->link.left->link.right = next;
    next->link.left = job->link.left;
    if (*first == job) {
        *first = next != job ? next : NULL;
    }
}

static void ring_append(struct job **first, struct job *other) {
    if (*first == NULL) {
        *first = other;
    } else if (other != NULL) {
        struct job *last = (*first)->link.left;
        struct job *other_last = other->link.left;
        last->link.right = other;
        other->link.left = last;
        other_last->link.right = *first;
        (*first)->link.left = other_last;
    }
}

/* --- Setting up --- */

static bool is_needed(const struct run_state *run) {
    bool needed = false;
    for (size_t i = 0; i < run->scenario->workload_count; i++) {
        const struct workload_spec *workload = &run->scenario->workloads[i];
        const struct trace *trace = run->request->traces[i];
        needed |= workload->dependency_count > 0 || workload->array.size > 1 ||
                  (trace != NULL && trace_has_dependencies(trace));
    }
    return needed;
}

/* Turns the lists of who is waited for into lists of who waits. */
static void tie_workloads(struct run_dependencies *dependencies, const struct scenario *scenario) {
    size_t total = 0;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        dependencies->workloads[i].awaited = workload->dependency_count;
        total += workload->dependency_count;
        for (size_t k = 0; k < workload->dependency_count; k++) {
            dependencies->workloads[workload->dependencies[k].workload].waiter_count++;
        }
    }
    dependencies->ties = memory_zero(total, sizeof *dependencies->ties);
    struct workload_tie *next = dependencies->ties;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        struct workload_ties *ties = &dependencies->workloads[i];
        ties->waiters = next;
        next += ties->waiter_count;
        ties->waiter_count = 0;
    }
    for (size_t i = 0; i < scenario->workload_count; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        for (size_t k = 0; k < workload->dependency_count; k++) {
            const struct workload_dependency *on = &workload->dependencies[k];
            struct workload_ties *ties = &dependencies->workloads[on->workload];
            ties->waiters[ties->waiter_count++] =
                (struct workload_tie){.waiter = (int32_t)i, .ok = on->ok};
        }
    }
}

static void end_if_over(struct run_state *run, int32_t workload);

void dependencies_begin(struct run_state *run) {
    size_t workloads = run->scenario->workload_count;
    if (!is_needed(run)) {
        return;
    }
    struct run_dependencies *dependencies = memory_zero(1, sizeof *dependencies);
    dependencies->workloads = memory_zero(workloads, sizeof *dependencies->workloads);
    run->dependencies = dependencies;
    tie_workloads(dependencies, run->scenario);
    for (size_t i = 0; i < workloads; i++) {
        const struct trace *trace = run->request->traces[i];
        if (trace != NULL && trace_has_dependencies(trace)) {
            size_t rows = (size_t)trace_count(trace);
            dependencies->workloads[i].fates = memory_zero(rows, sizeof(uint8_t));
            dependencies->workloads[i].await = memory_zero(rows, sizeof(struct job *));
        }
    }
    for (size_t i = 0; i < workloads; i++) {
        end_if_over(run, (int32_t)i);
    }
}

void dependencies_terminate(struct run_state *run) {
    struct run_dependencies *dependencies = run->dependencies;
    if (dependencies == NULL) {
        return;
    }
    for (size_t i = 0; i < run->scenario->workload_count; i++) {
        free(dependencies->workloads[i].fates);
        free(dependencies->workloads[i].await);
    }
    while (dependencies->blocks != NULL) {
        struct array_block *next = dependencies->blocks->next;
        free(dependencies->blocks);
        dependencies->blocks = next;
    }
    free(dependencies->ties);
    free(dependencies->workloads);
    free(dependencies);
}

/* --- Arrays --- */

int32_t dependencies_array_size(const struct run_state *run, int32_t workload) {
    int32_t size = run->scenario->workloads[workload].array.size;
    return size > 1 ? size : 1;
}

static struct job_array *take_array(struct run_dependencies *dependencies) {
    if (dependencies->free_arrays == NULL) {
        struct array_block *block = memory_zero(1, sizeof *block);
        block->next = dependencies->blocks;
        dependencies->blocks = block;
        for (int i = ARRAYS_PER_BLOCK - 1; i >= 0; i--) {
            block->arrays[i].next_free = dependencies->free_arrays;
            dependencies->free_arrays = &block->arrays[i];
        }
    }
    struct job_array *array = dependencies->free_arrays;
    dependencies->free_arrays = array->next_free;
    return array;
}

struct job_array *dependencies_arrive(struct run_state *run, int32_t workload) {
    struct run_dependencies *dependencies = run->dependencies;
    int32_t size = dependencies_array_size(run, workload);
    if (dependencies == NULL) {
        return NULL;
    }
    dependencies->workloads[workload].alive += size;
    if (size == 1) {
        return NULL;
    }
    struct job_array *array = take_array(dependencies);
    *array = (struct job_array){.left = size,
                                .at_most = run->scenario->workloads[workload].array.at_most};
    return array;
}

/* --- Judging --- */

static struct job **list_of(struct run_dependencies *dependencies, const struct job *job) {
    struct workload_ties *ties = &dependencies->workloads[job->workload];
    return job->hold == HOLD_WORKLOADS ? &ties->held
           : job->hold == HOLD_TURN    ? &job->array->held
                                       : &ties->await[job->link.key];
}

static enum dependency_verdict hold(struct run_dependencies *dependencies, struct job *job,
                                    enum dependency_hold where) {
    job->hold = (uint8_t)where;
    ring_add(list_of(dependencies, job), job);
    return DEPENDENCY_AWAITED;
}

static enum dependency_verdict judge_workloads(struct run_dependencies *dependencies,
                                               struct job *job) {
    const struct workload_ties *ties = &dependencies->workloads[job->workload];
    if (ties->refused) {
        return DEPENDENCY_BROKEN;
    }
    return ties->awaited == 0 ? DEPENDENCY_MET : hold(dependencies, job, HOLD_WORKLOADS);
}

/* What its own row says. */
static enum dependency_verdict judge_row(struct run_state *run, struct job *job) {
    struct run_dependencies *dependencies = run->dependencies;
    const struct workload_ties *ties = &dependencies->workloads[job->workload];
    bool ok = false;
    int64_t after = ties->fates == NULL
                        ? -1
                        : trace_after(run->request->traces[job->workload], job->index, &ok);
    if (after < 0 || ties->fates[after] == FATE_COMPLETED ||
        (ties->fates[after] == FATE_BROKEN && !ok)) {
        return DEPENDENCY_MET;
    }
    if (ties->fates[after] == FATE_BROKEN) {
        return DEPENDENCY_BROKEN;
    }
    job->link.key = after;
    return hold(dependencies, job, HOLD_JOB);
}

static enum dependency_verdict judge_turn(struct run_dependencies *dependencies, struct job *job) {
    struct job_array *array = job->array;
    if (array == NULL || job->has_turn) {
        return DEPENDENCY_MET;
    }
    if (array->active >= array->at_most) {
        return hold(dependencies, job, HOLD_TURN);
    }
    array->active++;
    job->has_turn = true;
    return DEPENDENCY_MET;
}

enum dependency_verdict dependencies_judge(struct run_state *run, struct job *job) {
    if (run->dependencies == NULL) {
        return DEPENDENCY_MET;
    }
    enum dependency_verdict verdict = judge_workloads(run->dependencies, job);
    if (verdict == DEPENDENCY_MET) {
        verdict = judge_row(run, job);
    }
    return verdict == DEPENDENCY_MET ? judge_turn(run->dependencies, job) : verdict;
}

void dependencies_withdraw(struct run_state *run, struct job *job) {
    ring_remove(list_of(run->dependencies, job), job);
    job->hold = HOLD_NONE;
}

/* --- What becomes of others --- */

static void release(struct run_dependencies *dependencies, struct job **held) {
    struct job *first = *held;
    *held = NULL;
    ring_append(&dependencies->ready, first);
}

/* Turning one away may release others, which are judged in this loop, too, however long the
 * chain. */
static void judge_ready(struct run_state *run) {
    struct run_dependencies *dependencies = run->dependencies;
    if (dependencies->judging) {
        return;
    }
    dependencies->judging = true;
    while (dependencies->ready != NULL) {
        struct job *job = dependencies->ready;
        ring_remove(&dependencies->ready, job);
        job->hold = HOLD_NONE;
        enum dependency_verdict verdict = dependencies_judge(run, job);
        if (verdict == DEPENDENCY_MET) {
            job_events_queue(run, job);
        } else if (verdict == DEPENDENCY_BROKEN) {
            job_events_turn_away_dependent(run, job);
        }
    }
    dependencies->judging = false;
}

static void tell_waiters(struct run_dependencies *dependencies, const struct workload_ties *ties) {
    for (size_t i = 0; i < ties->waiter_count; i++) {
        struct workload_ties *waiter = &dependencies->workloads[ties->waiters[i].waiter];
        waiter->awaited--;
        waiter->refused |= ties->waiters[i].ok && ties->broken;
        if (waiter->awaited == 0 || waiter->refused) {
            release(dependencies, &waiter->held);
        }
    }
}

static void end_if_over(struct run_state *run, int32_t workload) {
    struct workload_ties *ties = &run->dependencies->workloads[workload];
    if (!ties->ended && ties->waiter_count > 0 && ties->alive == 0 &&
        arrival_streams_is_exhausted(&run->streams, workload)) {
        ties->ended = true;
        tell_waiters(run->dependencies, ties);
    }
}

bool dependencies_leave_array(struct run_state *run, struct job *job, enum job_state state) {
    struct job_array *array = job->array;
    if (array == NULL) {
        return true;
    }
    array->broken |= state != JOB_COMPLETED;
    if (job->has_turn) {
        array->active--;
    }
    if (array->held != NULL && array->active < array->at_most) {
        struct job *next = array->held;
        ring_remove(&array->held, next);
        ring_add(&run->dependencies->ready, next);
    }
    return --array->left == 0;
}

void dependencies_note_left(struct run_state *run, struct job *job, enum job_state state) {
    struct run_dependencies *dependencies = run->dependencies;
    if (dependencies == NULL) {
        return;
    }
    struct workload_ties *ties = &dependencies->workloads[job->workload];
    struct job_array *array = job->array;
    bool last = array == NULL || array->left == 0;
    bool broken = array == NULL ? state != JOB_COMPLETED : array->broken;
    ties->alive--;
    ties->broken |= broken;
    if (last && ties->fates != NULL) {
        ties->fates[job->index] = broken ? FATE_BROKEN : FATE_COMPLETED;
        release(dependencies, &ties->await[job->index]);
    }
    if (last && array != NULL) {
        array->next_free = dependencies->free_arrays;
        dependencies->free_arrays = array;
    }
    end_if_over(run, job->workload);
    judge_ready(run);
}
