#include "plan/search.h"

#include <math.h>
#include <stdlib.h>

#include "plan/judge.h"
#include "plan/rank.h"
#include "sim/kernel/memory.h"

/* Groups that are searched at one time: so many runs can go on in parallel, whatever the number of
 * threads, and costlier groups are begun only when they may still matter. */
enum { GROUPS_AT_A_TIME = 8 };

enum stage { STAGE_SEARCH, STAGE_CHECK, STAGE_EVERY, STAGE_DONE };

/* Where the search of a group has got to. Positions count the members that are not pruned. */
struct walk {
    struct plan_group *group;
    size_t *members; /* by position */
    size_t count;
    enum stage stage;
    size_t low;   /* positions below are known to miss */
    size_t high;  /* the lowest that is known to meet; count: none yet */
    size_t found; /* the same; PLAN_NONE: none */
    size_t step;  /* of galloping */
    size_t at;    /* the position being tried; PLAN_NONE: none */
    size_t checks;
    double cheapest;
};

struct search {
    struct plan_problem *problem;
    struct walk *walks; /* by group */
    size_t *order;      /* of walks: the cheapest first */
};

static struct plan_candidate *candidate_at(const struct search *search, const struct walk *walk,
                                           size_t position) {
    return plan_member(search->problem, walk->group, walk->members[position]);
}

static void walk_create(struct search *search, struct walk *walk, struct plan_group *group) {
    *walk = (struct walk){
        .group = group, .step = 1, .found = PLAN_NONE, .at = PLAN_NONE, .cheapest = -INFINITY};
    walk->members = memory_zero(group->count, sizeof *walk->members);
    for (size_t i = 0; i < group->count; i++) {
        if (plan_member(search->problem, group, i)->verdict != PLAN_PRUNED) {
            walk->members[walk->count++] = i;
        }
    }
    walk->high = walk->count;
    if (walk->count == 0) {
        walk->stage = STAGE_DONE;
        group->searched = true;
    } else if (!isnan(candidate_at(search, walk, 0)->known_cost)) {
        walk->cheapest = candidate_at(search, walk, 0)->known_cost;
    }
}

/* The cost that a candidate must stay below to get among the best. */
static double cutoff(const struct search *search) {
    const struct plan_problem *problem = search->problem;
    double cut = INFINITY;
    for (size_t i = 0; i < problem->group_count; i++) {
        const struct plan_group *group = &problem->groups[i];
        if (group->best == PLAN_NONE) {
            continue;
        }
        double cost = plan_member(problem, group, group->best)->known_cost;
        size_t cheaper = 0; /* or as cheap, and before it */
        for (size_t j = 0; j < problem->group_count; j++) {
            const struct plan_group *other = &problem->groups[j];
            double its = other->best != PLAN_NONE
                             ? plan_member(problem, other, other->best)->known_cost
                             : (double)INFINITY;
            cheaper += its < cost || (its == cost && j < i);
        }
        if (cheaper + 1 == problem->keep && !isnan(cost)) {
            cut = cost;
        }
    }
    return cut;
}

/* Positions below this may still matter. */
static size_t usable(const struct search *search, const struct walk *walk) {
    double cut = cutoff(search);
    size_t count = 0;
    while (count < walk->count && !(candidate_at(search, walk, count)->known_cost >= cut)) {
        count++;
    }
    return count;
}

static void finish(struct walk *walk) {
    walk->stage = STAGE_DONE;
    walk->at = PLAN_NONE;
    walk->group->searched = true;
    walk->group->best = walk->found != PLAN_NONE ? walk->members[walk->found] : PLAN_NONE;
}

static size_t first_try(const struct walk *walk, size_t limit) {
    size_t position = 0;
    while (walk->group->hint != PLAN_NONE && position + 1 < limit &&
           walk->members[position] < walk->group->hint) {
        position++;
    }
    return position;
}

/* The next position between low and high; PLAN_NONE if there is none that matters. */
static size_t next_between(const struct search *search, struct walk *walk) {
    size_t limit = usable(search, walk);
    limit = limit < walk->high ? limit : walk->high;
    if (walk->low >= limit) {
        return PLAN_NONE;
    }
    if (walk->high == walk->count && walk->low == 0) {
        return first_try(walk, limit);
    }
    size_t position = (walk->low + limit) / 2;
    if (walk->high == walk->count) { /* upwards */
        position = walk->low + walk->step - 1;
        walk->step *= 2;
    } else if (walk->low == 0 && walk->checks == 0 && limit == walk->high) { /* downwards */
        position = walk->high > walk->step ? walk->high - walk->step : 0;
        walk->step *= 2;
    }
    return position < limit ? position : limit - 1;
}

/* Up to two positions below the best that have not been tried. */
static size_t next_check(const struct search *search, struct walk *walk) {
    while (walk->checks < 2) {
        size_t below = walk->checks++ == 0 ? 2 : (walk->high + 1) / 2;
        if (below >= 1 && below <= walk->high &&
            candidate_at(search, walk, walk->high - below)->verdict == PLAN_OPEN) {
            walk->group->checked++;
            return walk->high - below;
        }
    }
    return PLAN_NONE;
}

static size_t next_of_all(const struct search *search, const struct walk *walk) {
    size_t position = 0;
    while (position < walk->high && candidate_at(search, walk, position)->verdict == PLAN_MISSES) {
        position++;
    }
    return position < walk->high ? position : PLAN_NONE;
}

/* Whether those that were simulated up to the best get better from each to the next. */
static bool in_order(const struct search *search, const struct walk *walk) {
    const struct plan_candidate *before = NULL;
    size_t last = walk->found != PLAN_NONE ? walk->found : walk->count - 1;
    for (size_t i = 0; i <= last; i++) {
        const struct plan_candidate *candidate = candidate_at(search, walk, i);
        if (candidate->count == 0) {
            continue;
        }
        if (before != NULL && plan_is_worse(candidate, before, search->problem->rule.tolerance)) {
            return false;
        }
        before = candidate;
    }
    return true;
}

static void choose_next(struct search *search, struct walk *walk) {
    walk->at = PLAN_NONE;
    if (walk->stage == STAGE_SEARCH) {
        walk->at = next_between(search, walk);
        if (walk->at == PLAN_NONE) {
            walk->stage = STAGE_CHECK;
        }
    }
    if (walk->stage == STAGE_CHECK && walk->found != PLAN_NONE) {
        walk->at = next_check(search, walk);
    }
    if (walk->stage == STAGE_CHECK && walk->at == PLAN_NONE && !in_order(search, walk)) {
        walk->group->disorder = true;
        walk->stage = STAGE_EVERY;
        walk->high = walk->found != PLAN_NONE ? walk->found : usable(search, walk);
    }
    if (walk->stage == STAGE_EVERY) {
        walk->at = next_of_all(search, walk);
    }
    if (walk->at == PLAN_NONE) {
        finish(walk);
    }
}

static void learn(struct walk *walk, enum plan_verdict verdict) {
    if (verdict == PLAN_MEETS) {
        walk->high = walk->at;
        walk->found = walk->at;
        if (walk->stage == STAGE_CHECK) {
            walk->group->disorder = true;
            walk->stage = STAGE_EVERY;
        }
    } else if (walk->stage == STAGE_SEARCH) {
        walk->low = walk->at + 1;
    }
}

/* Goes on until something is to be simulated, or the group is done. */
static void go_on(struct search *search, struct walk *walk) {
    while (walk->stage != STAGE_DONE) {
        if (walk->at == PLAN_NONE) {
            choose_next(search, walk);
        }
        if (walk->stage == STAGE_DONE) {
            return;
        }
        enum plan_verdict verdict = candidate_at(search, walk, walk->at)->verdict;
        if (verdict == PLAN_OPEN) {
            return;
        }
        learn(walk, verdict);
        walk->at = PLAN_NONE;
    }
}

/* The walks that go on now, cheapest first. */
static size_t gather(struct search *search, struct walk **active) {
    size_t count = 0;
    for (size_t i = 0; i < search->problem->group_count && count < GROUPS_AT_A_TIME; i++) {
        struct walk *walk = &search->walks[search->order[i]];
        go_on(search, walk);
        if (walk->stage != STAGE_DONE) {
            active[count++] = walk;
        }
    }
    return count;
}

static bool simulate(struct search *search, const struct plan_evaluator *evaluator,
                     struct walk *const *active, size_t count) {
    struct plan_problem *problem = search->problem;
    size_t candidates[GROUPS_AT_A_TIME];
    size_t upto[GROUPS_AT_A_TIME];
    for (size_t i = 0; i < count; i++) {
        const struct walk *walk = active[i];
        candidates[i] = walk->group->members[walk->members[walk->at]];
        upto[i] = plan_next_look(&problem->rule, problem->candidates[candidates[i]].count);
    }
    if (!plan_replicate(problem, evaluator, candidates, upto, count)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        plan_judge(&problem->rule, &problem->candidates[candidates[i]]);
    }
    return true;
}

static void order_walks(struct search *search) {
    for (size_t i = 0; i < search->problem->group_count; i++) {
        size_t at = i;
        while (at > 0 &&
               search->walks[search->order[at - 1]].cheapest > search->walks[i].cheapest) {
            search->order[at] = search->order[at - 1];
            at--;
        }
        search->order[at] = i;
    }
}

bool plan_search(struct plan_problem *problem, const struct plan_evaluator *evaluator) {
    struct search search = {
        .problem = problem,
        .walks = memory_zero(problem->group_count, sizeof *search.walks),
        .order = memory_zero(problem->group_count, sizeof *search.order),
    };
    for (size_t i = 0; i < problem->group_count; i++) {
        walk_create(&search, &search.walks[i], &problem->groups[i]);
    }
    order_walks(&search);
    struct walk *active[GROUPS_AT_A_TIME];
    bool sound = true;
    size_t count = gather(&search, active);
    while (sound && count > 0) {
        sound = simulate(&search, evaluator, active, count);
        count = sound ? gather(&search, active) : 0;
    }
    for (size_t i = 0; i < problem->group_count; i++) {
        free(search.walks[i].members);
    }
    free(search.walks);
    free(search.order);
    return sound;
}
