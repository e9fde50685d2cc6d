#include "cli/plan_study.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/rank.h"
#include "plan/search.h"
#include "scenarios/pool_price.h"
#include "scenarios/problem.h"
#include "scenarios/quantity.h"
#include "sim/kernel/memory.h"

static const double hours_per_month = 730;

double plan_pool_month(const struct scenario *scenario, size_t pool) {
    const struct pool_spec *spec = &scenario->pools[pool];
    return (double)pool_node_count(spec) * spec->gpus_per_node *
           pool_price(spec, scenario->catalogue).per_gpu_hour * hours_per_month;
}

static double month_of(const struct scenario *scenario) {
    double sum = 0;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        sum += plan_pool_month(scenario, i);
    }
    return sum;
}

int64_t plan_gpus(const struct scenario *scenario) {
    int64_t sum = 0;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        sum += (int64_t)pool_node_count(&scenario->pools[i]) * scenario->pools[i].gpus_per_node;
    }
    return sum;
}

static const char *variant_of(const struct load_request *request) {
    bool named = request->variant_count > 0 && strcmp(request->variants[0], "base") != 0;
    return named ? request->variants[0] : NULL;
}

struct scenario *plan_study_resolve(const struct plan_study *study, size_t candidate,
                                    struct circumstances circumstances, struct error_list *errors) {
    const struct load_request *request = study->request;
    struct scenario *scenario =
        scenario_file_resolve_at(study->loaded.files[0], request->sets, request->set_count,
                                 variant_of(request), study->spec->vary, candidate, NULL, errors);
    if (scenario != NULL) {
        scenario->record = (struct record_spec){.jobs = false};
        scenario->seed = study->base->seed;
        circumstances_apply(circumstances, scenario);
    }
    return scenario;
}

/* --- Candidates. --- */

static bool same_objectives(const struct scenario *a, const struct scenario *b) {
    bool same = a->objective_count == b->objective_count;
    for (size_t i = 0; same && i < a->objective_count; i++) {
        same = strcmp(a->objectives[i].text, b->objectives[i].text) == 0;
    }
    return same;
}

/* Nodes that come and go are paid for while they are there. */
static bool has_fixed_fees(const struct scenario *scenario) {
    bool fixed = true;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const struct outage_spec *outages = &scenario->pools[i].outages;
        fixed = fixed && !outages->autoscale.given && !outages->spot.given &&
                outages->capacity_count == 0 && outages->occupied_count == 0;
    }
    return fixed;
}

static void add_candidate(struct plan_study *study, size_t index, struct error_list *found,
                          struct error_list *errors) {
    struct circumstances as_it_is = {1, 1};
    struct scenario *scenario = plan_study_resolve(study, index, as_it_is, found);
    if (scenario == NULL) {
        struct plan_floor *floor = &study->floors[index];
        floor->reason = FLOOR_INVALID;
        snprintf(floor->text, sizeof floor->text, "%.250s",
                 found->count > 0 ? found->items[0].message : "");
        study->problem.candidates[index].verdict = PLAN_PRUNED;
        return;
    }
    loaded_add(&study->loaded, study->loaded.files[0], scenario, errors);
    if (!same_objectives(scenario, study->base)) {
        problem_add(
            errors, study->spec->place,
            "at %s an objective is left out, with the workload that it is about: candidates "
            "must have the same objectives",
            scenario->point);
    }
    const struct loaded_scenario *entry =
        &study->loaded.scenarios[study->loaded.scenario_count - 1];
    study->runner.cases[index] = (struct plan_case){.scenario = scenario, .traces = entry->traces};
    study->fees_fixed = study->fees_fixed && has_fixed_fees(scenario);
    study->costs_known = study->costs_known && study->fees_fixed && !scenario->power.given;
}

/* What no candidate can have is a mistake, and not a limit of the combination. */
static void check_values(const struct plan_study *study, const struct error_list *found,
                         struct error_list *errors) {
    const struct sweep *vary = study->spec->vary;
    size_t stride = study->count;
    for (size_t a = 0; a < vary->axis_count; a++) {
        size_t values = vary->axes[a].entry->value->count;
        stride /= values;
        for (size_t v = 0; v < values; v++) {
            size_t first = PLAN_NONE;
            bool possible = false;
            for (size_t i = 0; i < study->count; i++) {
                bool has = i / stride % values == v;
                first = has && first == PLAN_NONE ? i : first;
                possible = possible || (has && study->runner.cases[i].scenario != NULL);
            }
            if (!possible) {
                problems_merge(errors, &found[first]);
            }
        }
    }
}

static void take_prices(struct plan_study *study, struct error_list *errors) {
    for (size_t i = 0; i < study->count; i++) {
        const struct scenario *scenario = study->runner.cases[i].scenario;
        double cost = scenario != NULL ? month_of(scenario) : 0;
        if (isnan(cost)) {
            problem_add(errors, study->spec->place,
                        "the price of a pool is not known, so its usd_per_month cannot be "
                        "minimized: give it a `price`");
            return;
        }
        if (scenario != NULL && study->costs_known) {
            study->problem.candidates[i].known_cost = cost;
        }
    }
}

static void load_candidates(struct plan_study *study, struct error_list *errors) {
    struct error_list *found = memory_zero(study->count, sizeof *found);
    for (size_t i = 0; i < study->count; i++) {
        study->names[i] = sweep_point_name(study->spec->vary, &study->arena, i);
        add_candidate(study, i, &found[i], errors);
    }
    check_values(study, found, errors);
    for (size_t i = 0; i < study->count; i++) {
        error_list_clear(&found[i]);
    }
    free(found);
    if (errors->count == 0 && study->monthly) {
        take_prices(study, errors);
    }
}

/* --- The study. --- */

static bool check_base(struct plan_study *study, struct error_list *errors) {
    const struct scenario *base = study->base;
    struct place whole = {.file = base->file};
    if (!base->plan.given) {
        problem_add(errors, whole,
                    "this scenario has no plan: say what may vary, such as plan: {vary: "
                    "{cluster.pools.a100.nodes: {from: 1, to: 64}}}");
    } else if (base->objective_count == 0) {
        problem_add(errors, base->plan.place,
                    "a plan needs objectives to meet: add some such as objectives: "
                    "[run.wait_s.p95 <= 30m]");
    } else if (base->plan.most < base->plan.least) {
        problem_add(errors, base->plan.place,
                    "plan.replications.most is %d, less than least, %d: raise it", base->plan.most,
                    base->plan.least);
    } else {
        study->minimized = metric_find(base->plan.minimize);
        if ((study->minimized->scopes & (1u << SCOPE_RUN)) == 0) {
            problem_add(errors, base->plan.place,
                        "%s is no figure of a run, which is what a plan minimizes",
                        base->plan.minimize);
        }
    }
    return errors->count == 0;
}

static void prepare(struct plan_study *study) {
    const struct scenario *base = study->base;
    const struct plan_spec *spec = study->spec;
    bool upper = base->objectives[0].relation == AT_MOST || base->objectives[0].relation == LESS;
    study->count = spec->vary->point_count;
    study->sign = upper ? 1 : -1;
    study->monthly = strcmp(spec->minimize, "usd_per_month") == 0;
    study->fees_fixed = true;
    study->costs_known = study->monthly; /* unless a candidate says otherwise */
    study->names = memory_zero(study->count, sizeof *study->names);
    study->floors = memory_zero(study->count, sizeof *study->floors);
    study->order = memory_zero(study->count, sizeof *study->order);
    plan_problem_create(&study->problem, study->count, study->count);
    study->problem.rule = (struct plan_rule){.confidence = spec->confidence,
                                             .tolerance = spec->tolerance,
                                             .least = (size_t)spec->least,
                                             .most = (size_t)spec->most};
    study->problem.keep = 1 + STUDY_RUNNERS_UP;
    study->runner =
        (struct plan_runner){.cases = memory_zero(study->count, sizeof *study->runner.cases),
                             .case_count = study->count,
                             .objective_count = base->objective_count,
                             .minimize = spec->minimize,
                             .threads = study->threads};
}

static void prune(struct plan_study *study) {
    for (size_t i = 0; i < study->count; i++) {
        const struct scenario *scenario = study->runner.cases[i].scenario;
        if (scenario != NULL) {
            plan_floor_find(scenario, study->spec->tolerance, &study->floors[i]);
            if (study->floors[i].reason != FLOOR_NONE) {
                study->problem.candidates[i].verdict = PLAN_PRUNED;
            }
        }
    }
}

bool plan_study_create(struct plan_study *study, const struct load_request *request,
                       const struct language *language, long long seed, int threads,
                       struct error_list *errors) {
    *study = (struct plan_study){.request = request, .threads = threads, .seed = seed};
    struct load_request base = *request;
    const char *only_base = "base";
    if (base.variant_count == 0) {
        base.variants = &only_base;
        base.variant_count = 1;
    }
    loaded_create(&study->loaded, &base, language, errors);
    if (errors->count > 0) {
        return false;
    }
    struct scenario *scenario = study->loaded.scenarios[0].scenario;
    scenario->seed = seed >= 0 ? (uint64_t)seed : scenario->seed;
    study->base = scenario;
    study->spec = &scenario->plan;
    if (!check_base(study, errors)) {
        return false;
    }
    prepare(study);
    load_candidates(study, errors);
    study->planned_count = study->loaded.scenario_count;
    if (errors->count > 0) {
        return false;
    }
    plan_study_group(study);
    prune(study);
    return true;
}

void plan_study_clear(struct plan_study *study) {
    if (study->count > 0) {
        study->problem.group_count = study->count; /* as many as there is room for */
        plan_problem_clear(&study->problem);
        plan_runner_clear(&study->runner);
        free(study->runner.cases);
        free(study->names);
        free(study->floors);
        free(study->order);
        free(study->price_changes);
    }
    loaded_destroy(&study->loaded);
    arena_clear(&study->arena);
}

/* The one just below the best is part of the answer, so its figures should have intervals, too. */
static bool know_the_miss(struct plan_study *study, const struct plan_evaluator *evaluator) {
    size_t below = study->ranked > 0 ? plan_next_cheaper(study, study->order[0]) : PLAN_NONE;
    size_t least = study->problem.rule.least;
    return below == PLAN_NONE || study->problem.candidates[below].verdict != PLAN_MISSES ||
           plan_replicate(&study->problem, evaluator, &below, &least, 1);
}

bool plan_study_search(struct plan_study *study, const atomic_bool *stop) {
    struct plan_evaluator evaluator = plan_runner_evaluator(&study->runner);
    study->runner.stop = stop;
    bool sound = plan_search(&study->problem, &evaluator);
    sound = sound && plan_race(&study->problem, &evaluator, study->sign);
    study->ranked = plan_rank(&study->problem, study->sign, study->order);
    sound = sound && know_the_miss(study, &evaluator);
    study->runs = study->runner.runs;
    return sound;
}
