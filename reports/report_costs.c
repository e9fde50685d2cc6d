/* The tables of a report in which variants are compared: what they cost, and what they give. */
#include <math.h>
#include <string.h>

#include "reports/model_table.h"
#include "reports/report_internal.h"
#include "reports/unstable.h"
#include "reports/verdict.h"

static bool has_intervals(const struct report *report) {
    bool has = false;
    for (size_t i = 0; i < report->case_count && !has; i++) {
        has = report->cases[i].run_count > 1;
    }
    return has;
}

static bool any_unstable(const struct report *report) {
    bool any = false;
    for (size_t i = 0; i < report->case_count && !any; i++) {
        any = unstable_runs(report->set, &report->cases[i], SCOPE_RUN, "") > 0;
    }
    return any;
}

/* "✓ 3 of 3", and below it whether it is the cheapest of those. */
static void add_score(const struct report *report, struct table *table,
                      const struct result_case *of, const struct lowest *cheapest) {
    struct case_set cases = {report->set, report->cases, report->case_count};
    bool meets = case_meets_all(&cases, of);
    struct objective_score score = result_objectives(report->set, of);
    char text[200];
    snprintf(text, sizeof(text), "%s %s of %s", meets ? "✓" : "✗",
             number_count((double)score.met).text, number_count((double)score.count).text);
    table_add_number(table, score.count > 0 ? (double)score.met : NAN, text);
    bool marked = report->case_count > 1 && case_has_lowest(&cases, of, cheapest);
    table_add_line(table, marked ? "cheapest" : "");
    table_paint(table, score.count == 0 ? TABLE_PLAIN : meets ? TABLE_GREEN : TABLE_RED);
}

/* What a table of headline figures is about. */
enum topic { COSTS, TIMES, WORK };

static enum topic topic_of(const struct headline *headline) {
    bool of_times = headline->kind == NUMBER_DURATION || strncmp(headline->metric, "slo_", 4) == 0;
    return headline->kind == NUMBER_MONEY ? COSTS : of_times ? TIMES : WORK;
}

/* The headline figures of all cases that are about it. */
static struct table *tabulate(const struct report *report, enum topic topic) {
    struct table *table = table_create();
    report_add_label_columns(report, table);
    table_add_column(table, "objectives met", "objectives_met", TABLE_RIGHT, TABLE_FOR_ALL);
    headline_add_columns(table, true);
    struct headline_traits traits = {0};
    struct case_set cases = {report->set, report->cases, report->case_count};
    struct lowest cheapest = cases_cheapest(&cases, true);
    struct headline_case first = {report->set, &report->cases[0]};
    for (size_t i = 0; i < report->case_count; i++) {
        struct headline_case row = {report->set, &report->cases[i]};
        table_add_row(table);
        report_add_labels(report, table, &report->cases[i]);
        add_score(report, table, &report->cases[i], &cheapest);
        headline_add_cells(table, row, true, i > 0 ? &first : NULL);
        headline_learn(&traits, row);
    }
    headline_trim(table, true, traits);
    for (size_t i = 0; i < HEADLINE_COUNT; i++) {
        if (topic_of(&headlines[i]) != topic) {
            table_hide(table, headlines[i].key);
            if (headlines[i].relation != RELATED_NOT) {
                table_hide(table, headlines[i].key_related);
            }
        }
    }
    if (topic == COSTS) {
        table_hide_if_all(table, "objectives_met", NAN);
    } else {
        table_hide(table, "objectives_met");
    }
    return table;
}

/* Nothing where no case has any of these figures. */
static void print_headlines(const struct report *report, enum topic topic, const char *caption) {
    struct table *table = tabulate(report, topic);
    bool any = false;
    for (size_t i = 0; i < HEADLINE_COUNT && !any; i++) {
        any = topic_of(&headlines[i]) == topic && !table_is_hidden(table, headlines[i].key);
    }
    if (any) {
        report_table(report, table, caption);
    }
    table_destroy(table);
}

static void print_legend(const struct report *report) {
    FILE *out = report->out;
    fputs("<p class=\"note\">", out);
    if (has_intervals(report)) {
        fputs("Means over replications ± half their 95&nbsp;% Student interval. ", out);
    } else {
        fputs("One run each; of random load, replications tell which differences are more than "
              "chance. ",
              out);
    }
    if (report->case_count > 1) {
        html_print(out, "The baseline is %s. A click on a heading sorts.",
                   report_label(report, &report->cases[0]));
    }
    if (any_unstable(report)) {
        html_print(out, " %s.", unstable_legend);
    }
    fputs("</p>", out);
}

static void print_models(const struct report *report) {
    bool several = false;
    for (size_t i = 0; i < report->case_count && !several; i++) {
        several = model_table_has_several(report->set, &report->cases[i]);
    }
    if (!several) {
        return;
    }
    struct table *table = table_create();
    report_add_label_columns(report, table);
    table_add_column(table, "model", "model", TABLE_LEFT, TABLE_FOR_ALL);
    model_table_add_columns(table);
    for (size_t i = 0; i < report->case_count; i++) {
        size_t shown = 0;
        size_t count = 0;
        const struct result_case *of = &report->cases[i];
        const char **models = model_table_subjects(report->set, of, &shown, &count);
        for (size_t m = 0; m < shown; m++) {
            table_add_row(table);
            report_add_labels(report, table, of);
            table_add_text(table, models[m]);
            model_table_add_cells(table, report->set, of, models[m], true);
        }
    }
    model_table_trim(table);
    fputs("<h3>By model</h3>\n", report->out);
    report_table(report, table, "Costs and figures of each model");
    table_destroy(table);
}

void report_costs(struct report *report) {
    fputs("<section><h2>What it costs</h2>\n", report->out);
    print_headlines(report, COSTS, "Costs of each variant");
    print_models(report);
    fputs("</section>\n<section><h2>What it gives</h2>\n", report->out);
    print_headlines(report, TIMES, "Waits and latencies of each variant");
    print_headlines(report, WORK, "GPUs and work done of each variant");
    print_legend(report);
    fputs("</section>\n", report->out);
}
