/* What would change a plan's answer: the load, the price of a pool, the cost of switching. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/plan_study.h"
#include "plan/rank.h"
#include "plan/search.h"
#include "sim/kernel/memory.h"

static struct plan_what_if *add(struct plan_study *study) {
    struct plan_what_if *what_if = &study->what_ifs[study->what_if_count++];
    *what_if = (struct plan_what_if){.best = PLAN_NONE, .cost = NAN};
    return what_if;
}

/* --- Other circumstances, simulated. Scenarios are made as the search comes to them. --- */

struct world {
    struct plan_study *study;
    struct circumstances circumstances;
    struct plan_runner runner;
    struct error_list errors;
};

static bool make_cases(struct world *world, const struct plan_run *runs, size_t count) {
    struct plan_study *study = world->study;
    for (size_t i = 0; i < count; i++) {
        struct plan_case *of = &world->runner.cases[runs[i].candidate];
        if (of->scenario != NULL) {
            continue;
        }
        struct scenario *scenario =
            plan_study_resolve(study, runs[i].candidate, world->circumstances, &world->errors);
        if (scenario == NULL) {
            return false;
        }
        loaded_add(&study->loaded, study->loaded.files[0], scenario, &world->errors);
        of->scenario = scenario;
        of->traces = study->loaded.scenarios[study->loaded.scenario_count - 1].traces;
    }
    return world->errors.count == 0;
}

static bool simulate(void *context, const struct plan_run *runs, size_t count,
                     struct plan_sample *samples) {
    struct world *world = context;
    if (!make_cases(world, runs, count)) {
        world->runner.error = world->errors.items[0];
        return false;
    }
    struct plan_evaluator evaluator = plan_runner_evaluator(&world->runner);
    return evaluator.simulate(evaluator.context, runs, count, samples);
}

/* The groups of the best and its runners-up, from where each was found. */
static void build(const struct plan_study *study, struct plan_problem *problem) {
    size_t groups = study->ranked < study->problem.keep ? study->ranked : study->problem.keep;
    plan_problem_create(problem, study->count, groups);
    problem->rule = study->problem.rule;
    for (size_t g = 0; g < groups; g++) {
        const struct plan_candidate *found = &study->problem.candidates[study->order[g]];
        const struct plan_group *from = &study->problem.groups[found->group];
        struct plan_group *to = &problem->groups[g];
        to->members = memory_duplicate(from->members, from->count * sizeof *from->members);
        to->count = from->count;
        to->hint = found->position;
        for (size_t i = 0; i < to->count; i++) {
            const struct plan_candidate *of = plan_member(&study->problem, from, i);
            struct plan_candidate *candidate = plan_member(problem, to, i);
            *candidate = (struct plan_candidate){
                .group = g, .position = of->position, .known_cost = of->known_cost};
            /* What does not fit would not do so in other circumstances either. */
            enum floor_reason reason = study->floors[to->members[i]].reason;
            bool for_good =
                reason == FLOOR_INVALID || reason == FLOOR_MEMORY || reason == FLOOR_SLOTS;
            candidate->verdict = for_good ? PLAN_PRUNED : PLAN_OPEN;
        }
    }
}

static bool ask(struct plan_study *study, struct circumstances circumstances, const char *text,
                const atomic_bool *stop) {
    struct world world = {.study = study, .circumstances = circumstances, .runner = study->runner};
    world.runner.cases = memory_zero(study->count, sizeof *world.runner.cases);
    world.runner.runs = 0;
    world.runner.stop = stop;
    struct plan_problem problem;
    build(study, &problem);
    struct plan_evaluator evaluator = {simulate, &world};
    bool sound = plan_search(&problem, &evaluator);
    if (sound) {
        size_t *order = memory_zero(problem.group_count, sizeof *order);
        struct plan_what_if *what_if = add(study);
        snprintf(what_if->text, sizeof what_if->text, "%s", text);
        if (plan_rank(&problem, study->sign, order) > 0) {
            what_if->best = order[0];
            what_if->cost = plan_cost(&problem.candidates[order[0]]);
        }
        free(order);
    } else {
        study->runner.error = world.runner.error;
        study->runner.interrupted = world.runner.interrupted;
    }
    study->runs += world.runner.runs;
    plan_runner_clear(&world.runner);
    free(world.runner.cases);
    error_list_clear(&world.errors);
    plan_problem_clear(&problem);
    return sound;
}

static bool is_timesliced(const struct chosen *sharing) {
    const struct sharing_spec *spec = sharing->options;
    bool sliced = sharing->index == SHARING_TIMESLICE;
    for (size_t i = 0; spec != NULL && i < spec->layout_count && !sliced; i++) {
        sliced = is_timesliced(&spec->layout[i].sharing);
    }
    return sliced;
}

static bool any_timesliced(const struct plan_study *study) {
    bool any = false;
    for (size_t i = 0; i < study->ranked; i++) {
        const struct scenario *scenario = study->runner.cases[study->order[i]].scenario;
        for (size_t p = 0; p < scenario->pool_count; p++) {
            const struct pool_spec *pool = &scenario->pools[p];
            for (int32_t gpu = 0; gpu < pool->gpus_per_node && !any; gpu++) {
                any = is_timesliced(pool_sharing_of(pool, gpu));
            }
        }
    }
    return any;
}

/* --- Prices, by arithmetic over the bests of the groups. --- */

static double cost_at(const struct plan_study *study, size_t candidate, size_t pool,
                      double factor) {
    const struct scenario *scenario = study->runner.cases[candidate].scenario;
    double cost = plan_cost(&study->problem.candidates[candidate]);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        bool same = strcmp(scenario->pools[i].name, study->base->pools[pool].name) == 0;
        cost += same ? (factor - 1) * plan_pool_month(scenario, i) : 0;
    }
    return cost;
}

static void ask_price(struct plan_study *study, size_t pool, double factor) {
    struct plan_what_if *what_if = add(study);
    what_if->by_arithmetic = true;
    for (size_t i = 0; i < study->ranked; i++) {
        double cost = cost_at(study, study->order[i], pool, factor);
        if (what_if->best == PLAN_NONE || cost < what_if->cost) {
            what_if->best = study->order[i];
            what_if->cost = cost;
        }
    }
    snprintf(what_if->text, sizeof what_if->text, "price of %.50s %+.0f %%",
             study->base->pools[pool].name, (factor - 1) * 100);
}

bool plan_study_ask_what_if(struct plan_study *study, const atomic_bool *stop) {
    if (study->ranked == 0) {
        return true;
    }
    bool sound = ask(study, (struct circumstances){1.2, 1}, "load +20 %", stop) &&
                 ask(study, (struct circumstances){0.8, 1}, "load -20 %", stop);
    if (sound && any_timesliced(study)) {
        sound = ask(study, (struct circumstances){1, 2}, "switches twice as long", stop) &&
                ask(study, (struct circumstances){1, 0.5}, "switches half as long", stop);
    }
    for (size_t p = 0; sound && study->monthly && study->fees_fixed &&
                       p < study->base->pool_count && study->what_if_count + 2 <= MOST_WHAT_IFS;
         p++) {
        ask_price(study, p, 0.8);
        ask_price(study, p, 1.2);
    }
    plan_study_find_price_changes(study);
    return sound;
}
