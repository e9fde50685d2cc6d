#include "plan/evaluate.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "sim/kernel/memory.h"
#include "sim/simulation.h"

/* What the threads share. Each run has a place of its own for what comes out. */
struct wave {
    struct plan_runner *runner;
    const struct plan_run *runs;
    struct plan_sample *samples;
    size_t count;
    atomic_size_t next;
    atomic_bool stop;
    size_t working;       /* threads */
    pthread_mutex_t lock; /* of that, and of the runner's error */
    pthread_cond_t changed;
};

static bool drop_job(void *context, const struct job_record *record, struct error *error) {
    (void)context;
    (void)record;
    (void)error;
    return true;
}

double plan_objective_excess(const struct objective *objective, double value) {
    bool upper = objective->relation == AT_MOST || objective->relation == LESS;
    double unit = objective->value != 0 ? fabs(objective->value) : 1;
    double excess = (value - objective->value) / unit * (upper ? 1 : -1);
    if (isnan(value)) {
        return (double)INFINITY;
    }
    /* At the very bound of < and >, what is not held is missed. */
    return relation_holds(objective->relation, value, objective->value) ? fmin(excess, 0)
                                                                        : fmax(excess, DBL_EPSILON);
}

/* Jobs that nothing could ever hold, of workloads that have no other reason to turn them away. */
static bool rejects(const struct scenario *scenario, const struct results *results) {
    bool any = false;
    for (size_t i = 0; i < scenario->workload_count && results->rejected > 0; i++) {
        const struct workload_spec *workload = &scenario->workloads[i];
        bool for_good = workload->max_queue == INT64_MAX && workload->afterok_count == 0;
        any = any ||
              (for_good && results_metric(results, SCOPE_WORKLOAD, workload->name, "rejected") > 0);
    }
    return any;
}

static enum plan_flaw find_flaw(const struct scenario *scenario, const struct results *results) {
    if (results_metric(results, SCOPE_RUN, "", "unstable") > 0) {
        return PLAN_UNSTABLE;
    }
    if (rejects(scenario, results)) {
        return PLAN_REJECTED;
    }
    return results_metric(results, SCOPE_RUN, "", "replicas_waiting") > 0 ? PLAN_NO_SLOT
                                                                          : PLAN_SOUND;
}

static void take_results(struct wave *wave, size_t index, const struct results *results) {
    struct plan_runner *runner = wave->runner;
    const struct plan_run *run = &wave->runs[index];
    struct plan_case *of = &runner->cases[run->candidate];
    struct plan_sample *sample = &wave->samples[index];
    enum plan_flaw flaw = find_flaw(of->scenario, results);
    double *values = &of->values[run->replication * runner->objective_count];
    *sample = (struct plan_sample){.cost = results_metric(results, SCOPE_RUN, "", runner->minimize),
                                   .excess = flaw == PLAN_SOUND ? -INFINITY : INFINITY};
    for (size_t i = 0; i < runner->objective_count; i++) {
        const struct objective *objective = &of->scenario->objectives[i];
        values[i] =
            results_metric(results, objective->scope, objective->subject, objective->metric);
        sample->excess = fmax(sample->excess, plan_objective_excess(objective, values[i]));
        flaw = flaw == PLAN_SOUND && isnan(values[i]) ? PLAN_NO_VALUE : flaw;
    }
    sample->main = values[0];
    of->flaws[run->replication] = flaw;
    of->unfinished[run->replication] = results_metric(results, SCOPE_RUN, "", "unfinished") /
                                       results_metric(results, SCOPE_RUN, "", "submitted");
    if (runner->moments != NULL) {
        runner->moments[run->replication].measured_from =
            sim_time_from_seconds(results_metric(results, SCOPE_RUN, "", "warmup_s"));
    }
}

static void perform(struct wave *wave, size_t index) {
    const struct plan_run *run = &wave->runs[index];
    const struct plan_case *of = &wave->runner->cases[run->candidate];
    struct run_request request = {.scenario = of->scenario,
                                  .traces = of->traces,
                                  .seed = of->scenario->seed,
                                  .replication = run->replication,
                                  .stop = &wave->stop};
    struct recorder recorder = wave->runner->moments != NULL
                                   ? plan_moments_recorder(&wave->runner->moments[run->replication])
                                   : (struct recorder){.job = drop_job};
    struct results results;
    struct error error;
    enum run_outcome outcome = simulation_run(&request, &recorder, &results, &error);
    if (outcome == RUN_DONE) {
        take_results(wave, index, &results);
        results_clear(&results);
        return;
    }
    pthread_mutex_lock(&wave->lock);
    if (!atomic_exchange(&wave->stop, true) && outcome == RUN_FAILED) {
        wave->runner->error = error;
    }
    pthread_mutex_unlock(&wave->lock);
}

static void *work(void *argument) {
    struct wave *wave = argument;
    size_t index;
    while (!wave->stop && (index = atomic_fetch_add(&wave->next, 1)) < wave->count) {
        perform(wave, index);
    }
    pthread_mutex_lock(&wave->lock);
    wave->working--;
    pthread_cond_signal(&wave->changed);
    pthread_mutex_unlock(&wave->lock);
    return NULL;
}

/* Until all threads are done. The user's interrupt comes without a signal to the condition, so the
 * wait looks up now and then. */
static void await(struct wave *wave) {
    const atomic_bool *stop = wave->runner->stop;
    pthread_mutex_lock(&wave->lock);
    while (wave->working > 0) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&wave->changed, &wave->lock, &until);
        if (stop != NULL && *stop) {
            wave->runner->interrupted = true;
            wave->stop = true;
        }
    }
    pthread_mutex_unlock(&wave->lock);
}

/* Room for what the runs will leave, before threads write it. */
static void make_room(struct plan_runner *runner, const struct plan_run *runs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct plan_case *of = &runner->cases[runs[i].candidate];
        size_t wanted = runs[i].replication + 1;
        of->values = memory_grow(of->values, &of->value_capacity, wanted * runner->objective_count,
                                 sizeof *of->values);
        of->flaws = memory_grow(of->flaws, &of->flaw_capacity, wanted, sizeof *of->flaws);
        of->unfinished =
            memory_grow(of->unfinished, &of->unfinished_capacity, wanted, sizeof *of->unfinished);
    }
}

static bool simulate(void *context, const struct plan_run *runs, size_t count,
                     struct plan_sample *samples) {
    struct plan_runner *runner = context;
    struct wave wave = {.runner = runner, .runs = runs, .samples = samples, .count = count};
    make_room(runner, runs, count);
    pthread_mutex_init(&wave.lock, NULL);
    pthread_cond_init(&wave.changed, NULL);
    size_t most = (size_t)runner->threads < count ? (size_t)runner->threads : count;
    pthread_t *threads = memory_zero(most, sizeof *threads);
    pthread_mutex_lock(&wave.lock);
    while (wave.working < most && pthread_create(&threads[wave.working], NULL, work, &wave) == 0) {
        wave.working++;
    }
    size_t running = wave.working;
    pthread_mutex_unlock(&wave.lock);
    if (running == 0) {
        error_set(&runner->error, NULL, 0, 0,
                  "cannot start a thread: the system has none to spare");
        wave.stop = true;
    }
    await(&wave);
    for (size_t i = 0; i < running; i++) {
        pthread_join(threads[i], NULL);
    }
    free(threads);
    pthread_cond_destroy(&wave.changed);
    pthread_mutex_destroy(&wave.lock);
    runner->runs += count;
    if (runner->progress != NULL) {
        runner->progress(runner->runs);
    }
    return !wave.stop;
}

struct plan_evaluator plan_runner_evaluator(struct plan_runner *runner) {
    return (struct plan_evaluator){simulate, runner};
}

void plan_runner_clear(struct plan_runner *runner) {
    for (size_t i = 0; i < runner->case_count; i++) {
        free(runner->cases[i].values);
        free(runner->cases[i].flaws);
        free(runner->cases[i].unfinished);
    }
}

double plan_value(const struct plan_runner *runner, size_t candidate, size_t replication,
                  size_t objective) {
    return runner->cases[candidate].values[replication * runner->objective_count + objective];
}
