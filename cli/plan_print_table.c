/* The table of what was simulated, as far as a screen takes it. */
#include <math.h>
#include <stdlib.h>

#include "cli/plan_page.h"
#include "plan/judge.h"
#include "plan/rank.h"
#include "reports/number.h"
#include "reports/sweep_point.h"
#include "reports/table.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

enum { MOST_ROWS = 24, MOST_FIGURES = 3 };

static void add_columns(struct table *table, const struct sweep_columns *columns,
                        const struct plan_study *study) {
    sweep_columns_add(columns, table);
    table_add_column(table, "GPUs", "gpus", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, study->monthly ? "cost per month" : study->minimized->choice.name,
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
                    const struct plan_page *page, size_t candidate) {
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

/* The best, its runners-up, what is just below each, and the nearest where nothing does. */
static bool matters(const struct plan_study *study, size_t candidate) {
    bool matter = plan_nearest(study) == candidate;
    for (size_t i = 0; i < study->ranked && i <= STUDY_RUNNERS_UP && !matter; i++) {
        matter =
            study->order[i] == candidate || plan_next_cheaper(study, study->order[i]) == candidate;
    }
    return matter;
}

/* All that were simulated, by cost; returns their number. */
static size_t order_by_cost(const struct plan_study *study, size_t *rows) {
    size_t count = 0;
    for (size_t i = 0; i < study->count; i++) {
        const struct plan_candidate *candidate = &study->problem.candidates[i];
        if (candidate->count == 0) {
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

/* Of more than a screen shows, those that matter and as many of the front, evenly chosen, as there
 * is room for. */
static size_t thin_out(const struct plan_page *page, size_t *rows, size_t count) {
    size_t mattering = 0;
    size_t on_front = 0;
    for (size_t i = 0; i < count; i++) {
        bool matter = matters(page->study, rows[i]);
        mattering += matter;
        on_front += !matter && page->on_front[rows[i]];
    }
    size_t room = mattering < MOST_ROWS ? MOST_ROWS - mattering : 0;
    room = room < on_front ? room : on_front;
    size_t kept = 0;
    size_t seen = 0;
    for (size_t i = 0; i < count; i++) {
        bool keep = matters(page->study, rows[i]);
        if (!keep && page->on_front[rows[i]]) {
            keep = (seen + 1) * room / on_front > seen * room / on_front;
            seen++;
        }
        if (keep) {
            rows[kept++] = rows[i];
        }
    }
    return kept;
}

static void print_front(const struct plan_page *page, const size_t *rows, size_t count) {
    size_t left_out = 0;
    for (size_t i = 0; i < page->study->count; i++) {
        left_out += page->on_front[i];
    }
    for (size_t i = 0; i < count; i++) {
        left_out -= page->on_front[rows[i]];
    }
    char text[160];
    char more[48] = "";
    if (left_out > 0) {
        snprintf(more, sizeof more, " --json has %zu more of it.", left_out);
    }
    snprintf(text, sizeof text,
             "front: nothing that was simulated is both cheaper and better in the first "
             "objective.%s",
             more);
    text_print_wrapped(page->out, text, 0, TABLE_WIDTH);
}

void plan_page_table(const struct plan_page *page) {
    const struct plan_study *study = page->study;
    size_t *rows = memory_zero(study->count, sizeof *rows);
    size_t simulated = order_by_cost(study, rows);
    size_t count = simulated <= MOST_ROWS ? simulated : thin_out(page, rows, simulated);
    struct sweep_columns columns = {0};
    for (size_t i = 0; i < count; i++) {
        sweep_columns_include(&columns, study->names[rows[i]]);
    }
    if (count > 0) {
        struct table *table = table_create();
        plan_page_title(page, count < simulated ? "what was simulated, as far as it matters"
                                                : "what was simulated");
        add_columns(table, &columns, study);
        for (size_t i = 0; i < count; i++) {
            add_row(table, &columns, page, rows[i]);
        }
        table_print(page->out, table, TABLE_TEXT, 0, page->colour);
        table_destroy(table);
        print_front(page, rows, count);
    }
    sweep_columns_clear(&columns);
    free(rows);
}
