#include "cli/plan_report.h"
#include "plan/judge.h"
#include "plan/rank.h"
#include "reports/json.h"
#include "sim/kernel/memory.h"

#include <stdlib.h>

/* The version of the object, as documented in docs/results.md. */
enum { JSON_VERSION = 1 };

static json_t *objectives_json(const struct plan_study *study, size_t candidate) {
    json_t *list = json_array();
    for (size_t i = 0; i < study->runner.objective_count; i++) {
        struct plan_figure figure = plan_figure_of(study, candidate, i);
        json_t *item = json_object();
        json_set(item, "objective", json_text(study->base->objectives[i].text));
        json_set(item, "mean", json_number_or_null(figure.mean));
        json_set(item, "half_width", json_number_or_null(figure.half_width));
        json_set(item, "excess", json_number_or_null(figure.excess));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *candidate_json(const struct plan_study *study, size_t candidate) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    double low;
    double high;
    plan_share_interval(plan_held(of), of->count, &low, &high);
    json_t *object = json_object();
    json_set(object, "candidate", json_text(study->names[candidate]));
    json_set(object, "verdict", json_string(plan_verdict_names[of->verdict]));
    json_set(object, "close", json_boolean(of->close));
    json_set(object, "gpus", json_integer(plan_gpus(study->runner.cases[candidate].scenario)));
    json_set(object, study->spec->minimize, json_number_or_null(plan_cost(of)));
    json_set(object, "replications", json_integer((json_int_t)of->count));
    json_set(object, "held", json_integer((json_int_t)plan_held(of)));
    json_set(object, "share_low", json_number_or_null(low));
    json_set(object, "share_high", json_number_or_null(high));
    json_set(object, "flaw", json_string(plan_flaw_texts[plan_main_flaw(study, candidate)]));
    json_set(object, "unfinished", json_number_or_null(plan_unfinished(study, candidate)));
    json_set(object, "objectives", objectives_json(study, candidate));
    return object;
}

static json_t *pruned_json(const struct plan_study *study) {
    json_t *list = json_array();
    for (size_t i = 0; i < study->count; i++) {
        if (study->problem.candidates[i].verdict == PLAN_PRUNED) {
            json_t *item = json_object();
            json_set(item, "candidate", json_text(study->names[i]));
            json_set(item, "reason", json_string(floor_reason_names[study->floors[i].reason]));
            json_set(item, "text", json_text(study->floors[i].text));
            json_array_append_new(list, item);
        }
    }
    return list;
}

static json_t *simulated_json(const struct plan_study *study) {
    json_t *list = json_array();
    for (size_t i = 0; i < study->count; i++) {
        if (study->problem.candidates[i].count > 0) {
            json_array_append_new(list, candidate_json(study, i));
        }
    }
    return list;
}

static json_t *difference_json(struct plan_difference difference) {
    json_t *object = json_object();
    json_set(object, "mean", json_number_or_null(difference.mean));
    json_set(object, "half_width", json_number_or_null(difference.half_width));
    json_set(object, "significant", json_boolean(difference.significant));
    return object;
}

static json_t *runners_up_json(const struct plan_study *study) {
    json_t *list = json_array();
    const struct plan_candidate *candidates = study->problem.candidates;
    for (size_t i = 1; i < study->ranked && i <= STUDY_RUNNERS_UP; i++) {
        json_t *item = json_object();
        json_set(item, "candidate", json_text(study->names[study->order[i]]));
        json_set(item, "cost_difference",
                 difference_json(plan_compare_cost(&candidates[study->order[i]],
                                                   &candidates[study->order[0]])));
        json_set(item, "main_difference",
                 difference_json(plan_compare_main(&candidates[study->order[i]],
                                                   &candidates[study->order[0]])));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *front_json(const struct plan_study *study) {
    json_t *list = json_array();
    size_t *front = memory_zero(study->count, sizeof *front);
    size_t count = plan_front(&study->problem, study->sign, front);
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, json_text(study->names[front[i]]));
    }
    free(front);
    return list;
}

static json_t *name_json(const struct plan_study *study, size_t candidate) {
    return candidate != PLAN_NONE ? json_text(study->names[candidate]) : json_null();
}

static json_t *what_ifs_json(const struct plan_study *study) {
    json_t *list = json_array();
    for (size_t i = 0; i < study->what_if_count; i++) {
        const struct plan_what_if *what_if = &study->what_ifs[i];
        json_t *item = json_object();
        json_set(item, "what_if", json_text(what_if->text));
        json_set(item, "best", name_json(study, what_if->best));
        json_set(item, study->spec->minimize, json_number_or_null(what_if->cost));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *price_changes_json(const struct plan_study *study) {
    json_t *list = json_array();
    for (size_t i = 0; i < study->price_change_count; i++) {
        const struct plan_price_change *change = &study->price_changes[i];
        json_t *item = json_object();
        json_set(item, "pool", json_text(change->pool));
        json_set(item, "gpu", json_text(change->gpu));
        json_set(item, "per_gpu_hour", json_real(change->now));
        json_set(item, "becomes", json_real(change->then));
        json_set(item, "best", json_text(study->names[change->best]));
        json_set(item, "simulated", json_boolean(change->simulated));
        json_array_append_new(list, item);
    }
    return list;
}

static json_t *when_json(const struct plan_study *study) {
    const struct plan_worst *worst = &study->worst;
    if (!worst->known) {
        return json_null();
    }
    json_t *object = json_object();
    char *text = plan_when_text(study);
    json_set(object, "of_day", json_boolean(worst->of_day));
    json_set(object, "from_s", json_real(worst->from_s));
    json_set(object, "to_s", json_real(worst->to_s));
    json_set(object, "text", json_text(text));
    json_set(object, "value", json_number_or_null(worst->value));
    json_set(object, "overall", json_number_or_null(worst->overall));
    json_set(object, "stands_out", json_boolean(worst->stands_out));
    free(text);
    return object;
}

static json_t *rule_json(const struct plan_study *study) {
    const struct plan_rule *rule = &study->problem.rule;
    json_t *object = json_object();
    json_set(object, "confidence", json_real(rule->confidence));
    json_set(object, "tolerance", json_real(rule->tolerance));
    json_set(object, "least", json_integer((json_int_t)rule->least));
    json_set(object, "most", json_integer((json_int_t)rule->most));
    return object;
}

json_t *plan_report_json(const struct plan_study *study) {
    json_t *object = json_object();
    char *statement = plan_statement(study);
    bool found = study->ranked > 0;
    json_set(object, "headroom", json_integer(JSON_VERSION));
    json_set(object, "format", json_string("plan"));
    json_set(object, "scenario", json_text(study->base->name));
    json_set(object, "variant", json_text(study->base->variant));
    json_set(object, "seed", json_integer((json_int_t)study->base->seed));
    json_set(object, "minimize", json_text(study->spec->minimize));
    json_set(object, "rule", rule_json(study));
    json_set(object, "statement", json_text(statement));
    json_set(object, "candidates", json_integer((json_int_t)study->count));
    json_set(object, "runs", json_integer((json_int_t)study->runs));
    json_set(object, "best", name_json(study, found ? study->order[0] : PLAN_NONE));
    json_set(object, "nearest", name_json(study, found ? PLAN_NONE : plan_nearest(study)));
    json_set(object, "binds",
             found ? json_text(study->base->objectives[plan_binding(study, study->order[0])].text)
                   : json_null());
    json_set(object, "when", when_json(study));
    json_set(object, "runners_up", runners_up_json(study));
    json_set(object, "front", front_json(study));
    json_set(object, "simulated", simulated_json(study));
    json_set(object, "pruned", pruned_json(study));
    json_set(object, "what_ifs", what_ifs_json(study));
    json_set(object, "price_changes", price_changes_json(study));
    free(statement);
    return object;
}
