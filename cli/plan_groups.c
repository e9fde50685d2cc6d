/* Candidates in groups along the path on which more costs more, and who is next to whom there. */
#include <math.h>

#include "cli/plan_study.h"
#include "plan/rank.h"
#include "scenarios/quantity.h"
#include "sim/kernel/memory.h"

static size_t value_count(const struct plan_study *study, size_t axis) {
    return study->spec->vary->axes[axis].entry->value->count;
}

static bool is_ascending(const struct plan_study *study, size_t axis) {
    const struct node *values = study->spec->vary->axes[axis].entry->value;
    double last = -INFINITY;
    for (size_t i = 0; i < values->count; i++) {
        double value;
        const struct node *node = values->entries[i].value;
        if (node->kind != NODE_SCALAR || !decimal_parse(node->text, &value) || value <= last) {
            return false;
        }
        last = value;
    }
    return values->count > 1;
}

/* Whether more costs more along a path, whatever the others are. */
static bool costs_rise(const struct plan_study *study, size_t axis, size_t stride) {
    size_t values = value_count(study, axis);
    for (size_t i = 0; i < study->count; i++) {
        bool last = i / stride % values == values - 1;
        if (last || study->runner.cases[i].scenario == NULL ||
            study->runner.cases[i + stride].scenario == NULL) {
            continue;
        }
        if (!(study->problem.candidates[i].known_cost <
              study->problem.candidates[i + stride].known_cost)) {
            return false;
        }
    }
    return true;
}

/* The longest path along which more costs more. */
static void choose_axis(struct plan_study *study) {
    const struct sweep *vary = study->spec->vary;
    size_t stride = study->count;
    size_t longest = 0;
    study->axis = PLAN_NONE;
    for (size_t a = 0; a < vary->axis_count; a++) {
        size_t values = value_count(study, a);
        stride /= values;
        if (values > longest && study->costs_known && is_ascending(study, a) &&
            costs_rise(study, a, stride)) {
            longest = values;
            study->axis = a;
            study->axis_stride = stride;
        }
    }
}

static void make_groups(struct plan_study *study) {
    struct plan_problem *problem = &study->problem;
    size_t values = study->axis != PLAN_NONE ? value_count(study, study->axis) : 1;
    size_t stride = study->axis != PLAN_NONE ? study->axis_stride : 1;
    problem->group_count = study->count / values;
    for (size_t i = 0; i < study->count; i++) {
        size_t position = study->axis != PLAN_NONE ? i / stride % values : 0;
        size_t index = i / (stride * values) * stride + i % stride;
        struct plan_group *group = &problem->groups[index];
        if (group->members == NULL) {
            group->members = memory_zero(values, sizeof *group->members);
            group->count = values;
        }
        group->members[position] = i;
        problem->candidates[i].group = index;
        problem->candidates[i].position = position;
    }
}

void plan_study_group(struct plan_study *study) {
    choose_axis(study);
    make_groups(study);
}

size_t plan_neighbour(const struct plan_study *study, size_t candidate, int direction) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    const struct plan_group *group = &study->problem.groups[of->group];
    bool there = direction < 0 ? of->position > 0 : of->position + 1 < group->count;
    return !there ? PLAN_NONE : group->members[direction < 0 ? of->position - 1 : of->position + 1];
}

/* Whether a candidate is out for what has nothing to do with how well it would do. */
static bool cannot_be(const struct plan_study *study, size_t candidate) {
    enum floor_reason reason =
        candidate != PLAN_NONE ? study->floors[candidate].reason : FLOOR_NONE;
    return reason == FLOOR_INVALID || reason == FLOOR_MEMORY || reason == FLOOR_SLOTS;
}

size_t plan_next_cheaper(const struct plan_study *study, size_t candidate) {
    size_t below = plan_neighbour(study, candidate, -1);
    if (study->axis != PLAN_NONE && !cannot_be(study, below)) {
        return below;
    }
    double cost = plan_cost(&study->problem.candidates[candidate]);
    size_t next = PLAN_NONE;
    for (size_t i = 0; i < study->count; i++) {
        const struct plan_candidate *other = &study->problem.candidates[i];
        if (other->verdict != PLAN_MISSES || !(plan_cost(other) < cost)) {
            continue;
        }
        const struct plan_candidate *known =
            next != PLAN_NONE ? &study->problem.candidates[next] : NULL;
        if (known == NULL || plan_cost(other) > plan_cost(known) ||
            (plan_cost(other) == plan_cost(known) && plan_excess(other) < plan_excess(known))) {
            next = i;
        }
    }
    return next != PLAN_NONE ? next : below;
}
