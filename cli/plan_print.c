#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/notes.h"
#include "cli/plan_page.h"
#include "plan/erlang.h"
#include "plan/judge.h"
#include "plan/rank.h"
#include "reports/headline.h"
#include "reports/number.h"
#include "reports/sweep_point.h"
#include "reports/table.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

enum { MARGIN = 2 };

void plan_page_title(const struct plan_page *page, const char *title) {
    fputc('\n', page->out);
    table_print_coloured(page->out, title, TABLE_BOLD, page->colour);
    fputc('\n', page->out);
}

void plan_page_item(const struct plan_page *page, const char *format, ...) {
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

static void print_head(const struct plan_page *page) {
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

/* --- What was not simulated, and what a reader should know. --- */

static const char *const reason_titles[FLOOR_REASON_COUNT] = {
    [FLOOR_NONE] = "",
    [FLOOR_INVALID] = "cannot be",
    [FLOOR_MEMORY] = "do not hold what they should",
    [FLOOR_SLOTS] = "have too few slots",
    [FLOOR_LOAD] = "have less capacity than load",
    [FLOOR_ERLANG] = "miss an objective by Erlang's formula",
};

static void print_reason(const struct plan_page *page, enum floor_reason reason) {
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
        plan_page_item(page, "%zu %s; the last of them, %s: %s", count, reason_titles[reason], name,
                       study->floors[last].text);
        free(name);
    }
}

static void print_pruned(const struct plan_page *page) {
    const struct plan_study *study = page->study;
    if (count_verdict(study, PLAN_PRUNED) > 0) {
        plan_page_title(page, "ruled out by arithmetic");
    }
    for (int reason = FLOOR_INVALID; reason < FLOOR_REASON_COUNT; reason++) {
        print_reason(page, (enum floor_reason)reason);
    }
}

static void note_unfinished(struct notes *notes, const struct plan_study *study) {
    size_t answer = plan_answer(study);
    double share = answer != PLAN_NONE ? plan_unfinished(study, answer) : 0;
    if (share > UNFINISHED_FLAGGED) {
        char *name = plan_short_name(study, answer);
        notes_add(notes,
                  "at %s %s of the jobs and requests had not ended at the end of the run; figures "
                  "leave them out",
                  name, number_share(share).text);
        free(name);
    }
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
    if (study->monthly && study->fees_fixed && study->what_if_count > 0) {
        notes_add(notes,
                  "a price changes nothing but the order of the best and its runners-up, from "
                  "which its line is computed");
    }
    if (study->monthly && !study->fees_fixed) {
        notes_add(notes, "nodes come and go, so a bill is known only from its simulation: every "
                         "candidate was tried, and other prices were not asked for");
    } else if (study->monthly && !study->costs_known) {
        notes_add(notes, "electricity is known only from a simulation: every candidate was tried");
    }
}

static void print_notes(const struct plan_page *page) {
    struct notes notes = {0};
    struct loaded planned = page->study->loaded; /* without what was asked besides */
    planned.scenario_count = page->study->planned_count;
    note_search(&notes, page->study);
    note_unfinished(&notes, page->study);
    notes_of_inputs(&notes, &planned);
    if (notes.count > 0) {
        plan_page_title(page, "notes");
    }
    for (size_t i = 0; i < notes.count; i++) {
        plan_page_item(page, "%s", notes.lines[i]);
    }
    notes_clear(&notes);
}

void plan_report_print(FILE *out, const struct plan_study *study, bool colour) {
    struct plan_page page = {.out = out,
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
    plan_page_table(&page);
    if (study->ranked > 0) {
        plan_page_answer(&page);
    } else {
        plan_page_nearest(&page);
    }
    print_pruned(&page);
    print_notes(&page);
    free(page.on_front);
}
