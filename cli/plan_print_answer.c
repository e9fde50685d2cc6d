/* What binds, who else, and what would change the answer. */
#include <math.h>
#include <stdlib.h>

#include "cli/plan_page.h"
#include "plan/rank.h"
#include "reports/number.h"

/* When the objective that binds is so most. */
static void print_when(const struct plan_page *page) {
    const struct plan_study *study = page->study;
    const struct plan_worst *worst = &study->worst;
    size_t binding = plan_binding(study, plan_answer(study));
    const struct objective *objective = &study->base->objectives[binding];
    if (!worst->known) {
        plan_page_item(page, "when: %s",
                       plan_objective_has_moments(objective)
                           ? "too little happens to tell parts of the run apart"
                           : "it is a figure of the run as a whole");
        return;
    }
    const char *currency = plan_currency(study);
    enum number_kind kind = number_kind_of(metric_find(objective->metric)->unit);
    struct number there = number_format(kind, worst->value, 0, currency);
    struct number overall = number_format(kind, worst->overall, 0, currency);
    char *when = plan_when_text(study);
    if (worst->value == worst->overall) {
        plan_page_item(page, "when: no part of the run is worse than the others");
    } else if (worst->stands_out) {
        plan_page_item(page, "when: %s, with %s, and %s over all of the time", when, there.text,
                       overall.text);
    } else {
        plan_page_item(page,
                       "when: no part of the run stands out beyond chance; the worst was %s, "
                       "with %s, and %s over all of the time",
                       when, there.text, overall.text);
    }
    free(when);
}

static void print_binding(const struct plan_page *page) {
    const struct plan_study *study = page->study;
    size_t best = study->order[0];
    size_t binding = plan_binding(study, best);
    struct plan_figure figure = plan_figure_of(study, best, binding);
    plan_page_title(page, "what binds");
    plan_page_item(page, "%s: %s on average, %.1f %% inside its bound",
                   study->base->objectives[binding].text, plan_number(study, binding, figure).text,
                   fabs(figure.excess) * 100);
    print_when(page);
    size_t cheaper = plan_next_cheaper(study, best);
    if (cheaper == PLAN_NONE || study->problem.candidates[cheaper].count == 0) {
        return;
    }
    char *name = plan_short_name(study, cheaper);
    enum plan_flaw flaw = plan_main_flaw(study, cheaper);
    size_t missed = plan_binding(study, cheaper);
    figure = plan_figure_of(study, cheaper, missed);
    if (flaw != PLAN_SOUND) {
        plan_page_item(page, "at %s, %s", name, plan_flaw_texts[flaw]);
    } else {
        plan_page_item(page, "at %s, %s is missed by %.1f %% on average", name,
                       study->base->objectives[missed].text, figure.excess * 100);
    }
    free(name);
}

static void print_runner_up(const struct plan_page *page, size_t candidate) {
    const struct plan_study *study = page->study;
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    const struct plan_candidate *best = &study->problem.candidates[study->order[0]];
    struct plan_difference cost = plan_compare_cost(of, best);
    struct plan_difference main = plan_compare_main(of, best);
    enum number_kind kind = number_kind_of(study->minimized->unit);
    const struct metric_row *row = metric_find(study->base->objectives[0].metric);
    enum number_kind main_kind = number_kind_of(row->unit);
    const char *currency = plan_currency(study);
    char *name = plan_short_name(study, candidate);
    struct number more = cost.significant ? number_difference(kind, cost.mean, 0, currency)
                         : cost.mean == 0 ? (struct number){.text = "no difference"}
                                          : (struct number){.text = "no significant difference"};
    struct number half = number_half_width(main_kind, main.half_width, currency);
    struct number worse =
        main.significant
            ? number_difference(main_kind, main.mean,
                                number_mean_step(main_kind, main.half_width, currency), currency)
            : (struct number){.text = "no significant difference"};
    plan_page_item(page, "%s: %s in %s; in %s, %s%s%s", name, more.text, study->spec->minimize,
                   study->base->objectives[0].metric, worse.text, main.significant ? " " : "",
                   main.significant ? half.text : "");
    free(name);
}

static void print_runners_up(const struct plan_page *page) {
    const struct plan_study *study = page->study;
    if (study->ranked < 2) {
        return;
    }
    plan_page_title(page, "runners-up, beside the best");
    for (size_t i = 1; i < study->ranked && i <= STUDY_RUNNERS_UP; i++) {
        print_runner_up(page, study->order[i]);
    }
}

static void print_price_changes(const struct plan_page *page) {
    const struct plan_study *study = page->study;
    for (size_t i = 0; i < study->price_change_count; i++) {
        const struct plan_price_change *change = &study->price_changes[i];
        const char *currency = plan_currency(study);
        char *name = plan_short_name(study, change->best);
        plan_page_item(page, "%s in %s %s %s an hour, now %s (%+.1f %%): %s%s", change->gpu,
                       change->pool, change->then < change->now ? "below" : "above",
                       number_money(change->then, currency).text,
                       number_money(change->now, currency).text,
                       (change->then / change->now - 1) * 100, name,
                       change->simulated ? "" : ", if it meets the objectives, which nobody tried");
        free(name);
    }
    if (study->price_change_count == 0 && study->monthly && study->fees_fixed) {
        plan_page_item(page, "the price of one kind of GPU by itself, whatever it is, would not");
    }
}

/* "load +20 %: nodes=16, $23,360 per month (+14.3 %)" */
static void print_what_if(const struct plan_page *page, const struct plan_what_if *what_if) {
    const struct plan_study *study = page->study;
    double now = plan_cost(&study->problem.candidates[study->order[0]]);
    char *name = plan_short_name(study, what_if->best);
    char *cost = plan_cost_text(study, what_if->cost);
    char change[32] = "";
    if (what_if->cost != now) {
        snprintf(change, sizeof change, " (%+.1f %%)", (what_if->cost / now - 1) * 100);
    }
    if (what_if->best == study->order[0] && what_if->cost == now) {
        plan_page_item(page, "%s: the same", what_if->text);
    } else {
        plan_page_item(page, "%s: %s, %s%s", what_if->text,
                       what_if->best == study->order[0] ? "the same" : name, cost, change);
    }
    free(name);
    free(cost);
}

static void print_what_ifs(const struct plan_page *page) {
    const struct plan_study *study = page->study;
    if (study->what_if_count == 0) {
        return;
    }
    plan_page_title(page, "what would change the answer");
    for (size_t i = 0; i < study->what_if_count; i++) {
        const struct plan_what_if *what_if = &study->what_ifs[i];
        if (what_if->best == PLAN_NONE) {
            plan_page_item(page, "%s: none of the best and its runners-up would do", what_if->text);
            continue;
        }
        print_what_if(page, what_if);
    }
    print_price_changes(page);
}

void plan_page_answer(const struct plan_page *page) {
    print_binding(page);
    print_runners_up(page);
    print_what_ifs(page);
}

void plan_page_nearest(const struct plan_page *page) {
    if (page->study->worst.known) {
        plan_page_title(page, "when the nearest misses");
        print_when(page);
    }
}
