#include "plan/problem.h"

#include <math.h>
#include <stdlib.h>

#include "sim/kernel/memory.h"

void plan_problem_create(struct plan_problem *problem, size_t candidates, size_t groups) {
    *problem = (struct plan_problem){
        .candidates = memory_zero(candidates, sizeof *problem->candidates),
        .candidate_count = candidates,
        .groups = memory_zero(groups, sizeof *problem->groups),
        .group_count = groups,
        .keep = 1,
    };
    for (size_t i = 0; i < candidates; i++) {
        problem->candidates[i].known_cost = NAN;
    }
    for (size_t i = 0; i < groups; i++) {
        problem->groups[i].hint = PLAN_NONE;
        problem->groups[i].best = PLAN_NONE;
    }
}

void plan_problem_clear(struct plan_problem *problem) {
    for (size_t i = 0; i < problem->candidate_count; i++) {
        free(problem->candidates[i].samples);
    }
    for (size_t i = 0; i < problem->group_count; i++) {
        free(problem->groups[i].members);
    }
    free(problem->candidates);
    free(problem->groups);
    *problem = (struct plan_problem){0};
}

struct plan_candidate *plan_member(const struct plan_problem *problem,
                                   const struct plan_group *group, size_t member) {
    return &problem->candidates[group->members[member]];
}

bool plan_replicate(struct plan_problem *problem, const struct plan_evaluator *evaluator,
                    const size_t *candidates, const size_t *upto, size_t count) {
    size_t run_count = 0;
    for (size_t i = 0; i < count; i++) {
        size_t have = problem->candidates[candidates[i]].count;
        run_count += upto[i] > have ? upto[i] - have : 0;
    }
    struct plan_run *runs = memory_zero(run_count, sizeof *runs);
    struct plan_sample *samples = memory_zero(run_count, sizeof *samples);
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t r = problem->candidates[candidates[i]].count; r < upto[i]; r++) {
            runs[at++] = (struct plan_run){candidates[i], r};
        }
    }
    bool done = run_count == 0 || evaluator->simulate(evaluator->context, runs, run_count, samples);
    for (size_t i = 0; done && i < run_count; i++) {
        struct plan_candidate *candidate = &problem->candidates[runs[i].candidate];
        candidate->samples = memory_grow(candidate->samples, &candidate->capacity,
                                         candidate->count + 1, sizeof *candidate->samples);
        candidate->samples[candidate->count++] = samples[i];
    }
    free(runs);
    free(samples);
    return done;
}
