/* When in a run the objective that binds is so most. */
#include <stdlib.h>

#include "cli/plan_report.h"
#include "plan/worst_moment.h"
#include "sim/kernel/memory.h"

static bool listen(struct plan_study *study, struct plan_runner *runner,
                   struct plan_moments *moments, size_t count) {
    struct plan_run *runs = memory_zero(count, sizeof *runs);
    struct plan_sample *samples = memory_zero(count, sizeof *samples);
    for (size_t r = 0; r < count; r++) {
        runs[r].replication = r;
    }
    runner->moments = moments;
    struct plan_evaluator evaluator = plan_runner_evaluator(runner);
    bool sound = evaluator.simulate(evaluator.context, runs, count, samples);
    if (sound) {
        plan_moments_worst(moments, count, &study->worst);
    } else {
        study->runner.error = runner->error;
        study->runner.interrupted = runner->interrupted;
    }
    study->runs += runner->runs;
    free(runs);
    free(samples);
    return sound;
}

bool plan_study_find_when(struct plan_study *study, const atomic_bool *stop) {
    size_t candidate = plan_answer(study);
    if (candidate == PLAN_NONE || plan_main_flaw(study, candidate) != PLAN_SOUND) {
        return true;
    }
    const struct objective *objective = &study->base->objectives[plan_binding(study, candidate)];
    size_t count = study->problem.candidates[candidate].count;
    size_t least = study->problem.rule.least;
    count = count > least ? count : least; /* fewer tell nothing */
    if (!plan_objective_has_moments(objective)) {
        return true;
    }
    struct plan_case watched = study->runner.cases[candidate];
    struct scenario scenario = *watched.scenario; /* all but what is recorded is shared */
    struct plan_moments *moments = memory_zero(count, sizeof *moments);
    for (size_t r = 0; r < count; r++) {
        plan_moments_create(&moments[r], &scenario, objective);
    }
    scenario.record = plan_moments_record(moments);
    watched = (struct plan_case){.scenario = &scenario, .traces = watched.traces};
    struct plan_runner runner = {.cases = &watched,
                                 .case_count = 1,
                                 .objective_count = study->runner.objective_count,
                                 .minimize = study->runner.minimize,
                                 .threads = study->threads,
                                 .stop = stop};
    bool sound = listen(study, &runner, moments, count);
    for (size_t r = 0; r < count; r++) {
        plan_moments_destroy(&moments[r]);
    }
    free(moments);
    plan_runner_clear(&runner);
    return sound;
}
