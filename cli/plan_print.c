#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/notes.h"
#include "cli/plan_report.h"
#include "plan/erlang.h"
#include "plan/judge.h"
#include "plan/rank.h"
#include "reports/number.h"
#include "reports/sweep_point.h"
#include "reports/table.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

enum { MOST_ROWS = 24, MOST_FIGURES = 3, MARGIN = 2 };

struct page {
    FILE *out;
    const struct plan_study *study;
    bool colour;
    bool *on_front; /* by candidate */
};

static void print_title(const struct page *page, const char *title) {
    fputc('\n', page->out);
    table_print_coloured(page->out, title, TABLE_BOLD, page->colour);
    fputc('\n', page->out);
}

/* A line of a list, which goes on below its text. */
__attribute__((format(printf, 2, 3))) static void print_item(const struct page *page,
                                                             const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_format(format, arguments);
    va_end(arguments);
    char *visible = text_visible(text);
    fputs("- ", page->out);
    text_print_wrapped(page->out, visible, MARGIN, TABLE_WIDTH);
    free(visible);
    free(text);
}

static size_t count_verdict(const struct plan_study *study, enum plan_verdict verdict) {
    size_t count = 0;
    for (size_t i = 0; i < study->count; i++) {
        count += study->problem.candidates[i].verdict == verdict;
    }
    return count;
}

static size_t count_simulated(const struct plan_study *study) {
    size_t count = 0;
    for (size_t i = 0; i < study->count; i++) {
        count += study->problem.candidates[i].count > 0;
    }
    return count;
}

static void print_head(const struct page *page) {
    const struct plan_study *study = page->study;
    char *name = text_visible(study->base->name);
    fprintf(
        page->out,
        "%s: %zu candidates, %zu ruled out by arithmetic, %zu simulated (%zu runs), seed %llu\n\n",
        name, study->count, count_verdict(study, PLAN_PRUNED), count_simulated(study), study->runs,
        (unsigned long long)study->base->seed);
    free(name);
    char *statement = plan_statement(study);
    char *visible = text_visible(statement);
    text_print_wrapped(page->out, visible, 0, TABLE_WIDTH);
    free(visible);
    free(statement);
}

/* --- The table of what was simulated. --- */

static void add_columns(struct table *table, const struct sweep_columns *columns,
                        const struct plan_study *study) {
    sweep_columns_add(columns, table);
    table_add_column(table, "GPUs", "gpus", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, study->costs_known ? "cost per month" : study->minimized->choice.name,
                     "cost", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "", "verdict", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "held", "held", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < study->runner.objective_count && i < MOST_FIGURES; i++) {
        const struct objective *objective = &study->base->objectives[i];
        char header[256];
        snprintf(header, sizeof header, "%s%s%.100s", objective->metric,
                 objective->subject[0] != '\0' ? " " : "", objective->subject);
        table_add_column(table, header, objective->metric, TABLE_RIGHT, TABLE_FOR_ALL);
    }
    table_add_column(table, "front", "front", TABLE_LEFT, TABLE_FOR_ALL);
}

static void add_verdict(struct table *table, const struct plan_study *study, size_t candidate) {
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    bool best = study->ranked > 0 && study->order[0] == candidate;
    char text[64];
    snprintf(text, sizeof text, "%s%s", best ? "best" : plan_verdict_names[of->verdict],
             of->close ? " (close)" : "");
    table_add_text(table, text);
    table_paint(table, of->verdict == PLAN_MEETS    ? TABLE_GREEN
                       : of->verdict == PLAN_MISSES ? TABLE_RED
                                                    : TABLE_PLAIN);
}

static void add_row(struct table *table, const struct sweep_columns *columns,
                    const struct page *page, size_t candidate) {
    const struct plan_study *study = page->study;
    const struct plan_candidate *of = &study->problem.candidates[candidate];
    enum number_kind kind = number_kind_of(study->minimized->unit);
    char held[64];
    table_add_row(table);
    sweep_columns_add_cells(columns, table, study->names[candidate]);
    double gpus = (double)plan_gpus(study->runner.cases[candidate].scenario);
    table_add_number(table, gpus, number_count(gpus).text);
    table_add_number(table, plan_cost(of),
                     number_format(kind, plan_cost(of), 0, plan_currency(study)).text);
    add_verdict(table, study, candidate);
    snprintf(held, sizeof held, "%zu of %zu", plan_held(of), of->count);
    table_add_text(table, held);
    for (size_t i = 0; i < study->runner.objective_count && i < MOST_FIGURES; i++) {
        struct plan_figure figure = plan_figure_of(study, candidate, i);
        bool unlimited = plan_main_flaw(study, candidate) == PLAN_UNSTABLE;
        table_add_number(table, figure.mean,
                         unlimited ? "unstable" : plan_number(study, i, figure).text);
    }
    table_add_text(table, page->on_front[candidate] ? "yes" : "");
}

static bool matters(const struct page *page, size_t candidate) {
    const struct plan_study *study = page->study;
    bool matter = page->on_front[candidate];
    for (size_t i = 0; i < study->ranked && i <= STUDY_RUNNERS_UP && !matter; i++) {
        matter =
            study->order[i] == candidate || plan_next_cheaper(study, study->order[i]) == candidate;
    }
    return matter || plan_nearest(study) == candidate;
}

/* The rows, by cost; returns their number. */
static size_t choose_rows(const struct page *page, size_t *rows) {
    const struct plan_study *study = page->study;
    bool all = count_simulated(study) <= MOST_ROWS;
    size_t count = 0;
    for (size_t i = 0; i < study->count; i++) {
        const struct plan_candidate *candidate = &study->problem.candidates[i];
        if (candidate->count == 0 || !(all || matters(page, i))) {
            continue;
        }
        size_t at = count++;
        while (at > 0 &&
               plan_cost(candidate) < plan_cost(&study->problem.candidates[rows[at - 1]])) {
            rows[at] = rows[at - 1];
            at--;
        }
        rows[at] = i;
    }
    return count;
}

static void print_table(const struct page *page) {
    const struct plan_study *study = page->study;
    size_t *rows = memory_zero(study->count, sizeof *rows);
    size_t count = choose_rows(page, rows);
    struct sweep_columns columns = {0};
    for (size_t i = 0; i < count; i++) {
        sweep_columns_include(&columns, study->names[rows[i]]);
    }
    if (count > 0) {
        struct table *table = table_create();
        print_title(page, count < count_simulated(study)
                              ? "what was simulated, as far as it matters"
                              : "what was simulated");
        add_columns(table, &columns, study);
        for (size_t i = 0; i < count; i++) {
            add_row(table, &columns, page, rows[i]);
        }
        table_print(page->out, table, TABLE_TEXT, 0, page->colour);
        table_destroy(table);
        text_print_wrapped(page->out,
                           "front: nothing that was simulated is both cheaper and better in the "
                           "first objective.",
                           0, TABLE_WIDTH);
    }
    sweep_columns_clear(&columns);
    free(rows);
}

/* --- What binds, and who else. --- */

static void print_binding(const struct page *page) {
    const struct plan_study *study = page->study;
    size_t best = study->order[0];
    size_t binding = plan_binding(study, best);
    struct plan_figure figure = plan_figure_of(study, best, binding);
    print_title(page, "what binds");
    print_item(page, "%s: %s on average, %.1f %% inside its bound",
               study->base->objectives[binding].text, plan_number(study, binding, figure).text,
               -figure.excess * 100);
    size_t cheaper = plan_next_cheaper(study, best);
    if (cheaper == PLAN_NONE || study->problem.candidates[cheaper].count == 0) {
        return;
    }
    char *name = plan_short_name(study, cheaper);
    enum plan_flaw flaw = plan_main_flaw(study, cheaper);
    size_t missed = plan_binding(study, cheaper);
    figure = plan_figure_of(study, cheaper, missed);
    if (flaw != PLAN_SOUND) {
        print_item(page, "at %s, %s", name, plan_flaw_texts[flaw]);
    } else {
        print_item(page, "at %s, %s is missed by %.1f %% on average", name,
                   study->base->objectives[missed].text, figure.excess * 100);
    }
    free(name);
}

static void print_runner_up(const struct page *page, size_t candidate) {
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
                                          : (struct number){.text = "no significant difference"};
    struct number half = number_half_width(main_kind, main.half_width, currency);
    struct number worse =
        main.significant
            ? number_difference(main_kind, main.mean,
                                number_mean_step(main_kind, main.half_width, currency), currency)
            : (struct number){.text = "no significant difference"};
    print_item(page, "%s: %s in %s; in %s, %s%s%s", name, more.text, study->spec->minimize,
               study->base->objectives[0].metric, worse.text, main.significant ? " " : "",
               main.significant ? half.text : "");
    free(name);
}

static void print_runners_up(const struct page *page) {
    const struct plan_study *study = page->study;
    if (study->ranked < 2) {
        return;
    }
    print_title(page, "runners-up, beside the best");
    for (size_t i = 1; i < study->ranked && i <= STUDY_RUNNERS_UP; i++) {
        print_runner_up(page, study->order[i]);
    }
}

static void print_what_ifs(const struct page *page) {
    const struct plan_study *study = page->study;
    if (study->what_if_count == 0) {
        return;
    }
    print_title(page, "what would change the answer");
    for (size_t i = 0; i < study->what_if_count; i++) {
        const struct plan_what_if *what_if = &study->what_ifs[i];
        if (what_if->best == PLAN_NONE) {
            print_item(page, "%s: none of the best and its runners-up would do", what_if->text);
            continue;
        }
        char *name = plan_short_name(study, what_if->best);
        char *cost = plan_cost_text(study, what_if->cost);
        double now = plan_cost(&study->problem.candidates[study->order[0]]);
        print_item(page, "%s: %s, %s (%+.1f %%)", what_if->text,
                   what_if->best == study->order[0] ? "the same" : name, cost,
                   (what_if->cost / now - 1) * 100);
        free(name);
        free(cost);
    }
}

/* --- What was not simulated, and what a reader should know. --- */

static const char *const reason_titles[FLOOR_REASON_COUNT] = {
    [FLOOR_NONE] = "",
    [FLOOR_INVALID] = "cannot be",
    [FLOOR_MEMORY] = "do not hold what they should",
    [FLOOR_SLOTS] = "have too few slots",
    [FLOOR_LOAD] = "have less capacity than load",
    [FLOOR_ERLANG] = "miss an objective by Erlang's formula",
};

static void print_reason(const struct page *page, enum floor_reason reason) {
    const struct plan_study *study = page->study;
    size_t count = 0;
    size_t last = 0;
    for (size_t i = 0; i < study->count; i++) {
        if (study->floors[i].reason == reason) {
            count++;
            last = i;
        }
    }
    if (count > 0) {
        char *name = plan_short_name(study, last);
        print_item(page, "%zu %s; the last of them, %s: %s", count, reason_titles[reason], name,
                   study->floors[last].text);
        free(name);
    }
}

static void print_pruned(const struct page *page) {
    const struct plan_study *study = page->study;
    if (count_verdict(study, PLAN_PRUNED) > 0) {
        print_title(page, "ruled out by arithmetic");
    }
    for (int reason = FLOOR_INVALID; reason < FLOOR_REASON_COUNT; reason++) {
        print_reason(page, (enum floor_reason)reason);
    }
}

static bool all_alike(const struct plan_study *study) {
    bool alike = study->ranked > 0 && plan_main(&study->problem.candidates[study->order[0]]) != 0;
    const struct plan_candidate *best = alike ? &study->problem.candidates[study->order[0]] : NULL;
    for (size_t i = 1; alike && i < best->count; i++) {
        alike = best->samples[i].main == best->samples[0].main &&
                best->samples[i].excess == best->samples[0].excess;
    }
    return alike;
}

static void note_search(struct notes *notes, const struct plan_study *study) {
    const char *obstacle = plan_erlang_obstacle(study->base);
    if (obstacle != NULL) {
        notes_add(notes, "Erlang's formula says nothing here: %s", obstacle);
    }
    for (size_t i = 0; i < study->problem.group_count; i++) {
        const struct plan_group *group = &study->problem.groups[i];
        if (group->disorder) {
            char *name = plan_short_name(study, group->members[0]);
            notes_add(notes,
                      "from %s on, more is not always better: every cheaper candidate was tried",
                      name);
            free(name);
        }
    }
    if (all_alike(study)) {
        notes_add(notes, "all replications of the best are alike: if nothing in the scenario is "
                         "random, a share of them tells nothing");
    }
    if (study->costs_known && study->what_if_count > 0) {
        notes_add(notes,
                  "a price changes nothing but the order of the best and its runners-up, from "
                  "which its line is computed");
    }
}

static void print_notes(const struct page *page) {
    struct notes notes = {0};
    note_search(&notes, page->study);
    notes_of_inputs(&notes, &page->study->loaded);
    if (notes.count > 0) {
        print_title(page, "notes");
    }
    for (size_t i = 0; i < notes.count; i++) {
        print_item(page, "%s", notes.lines[i]);
    }
    notes_clear(&notes);
}

void plan_report_print(FILE *out, const struct plan_study *study, bool colour) {
    struct page page = {.out = out,
                        .study = study,
                        .colour = colour,
                        .on_front = memory_zero(study->count, sizeof *page.on_front)};
    size_t *front = memory_zero(study->count, sizeof *front);
    size_t count = plan_front(&study->problem, study->sign, front);
    for (size_t i = 0; i < count; i++) {
        page.on_front[front[i]] = true;
    }
    free(front);
    print_head(&page);
    print_table(&page);
    if (study->ranked > 0) {
        print_binding(&page);
        print_runners_up(&page);
        print_what_ifs(&page);
    }
    print_pruned(&page);
    print_notes(&page);
    free(page.on_front);
}
