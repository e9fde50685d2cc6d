/* The beginning of a report: the question, and the answer. */
#include <math.h>

#include "reports/report_internal.h"
#include "reports/unstable.h"
#include "reports/verdict.h"

static struct case_set cases_of(const struct report *report) {
    return (struct case_set){report->set, report->cases, report->case_count};
}

/* More names are a number. */
enum { MOST_NAMES = 3 };

/* "<b>mig</b>, <b>mps</b>": the cases that have the lowest value; or "5 of 8 variants". */
static void print_names(const struct report *report, const struct lowest *lowest) {
    struct case_set cases = cases_of(report);
    size_t all = 0;
    for (size_t i = 0; i < cases.count; i++) {
        all += case_has_lowest(&cases, &cases.cases[i], lowest);
    }
    if (all > MOST_NAMES) {
        html_print(report->out, "<b>%d of %d variants</b>", (int)all, (int)cases.count);
        return;
    }
    size_t count = 0;
    for (size_t i = 0; i < cases.count; i++) {
        const struct result_case *of = &cases.cases[i];
        if (case_has_lowest(&cases, of, lowest)) {
            count++;
            html_print(report->out,
                       count == 1     ? "<b>%s</b>"
                       : count == all ? " or <b>%s</b>"
                                      : ", <b>%s</b>",
                       case_label(&cases, of));
        }
    }
}

static void print_cheapest(const struct report *report, bool meeting, const char *what) {
    struct case_set cases = cases_of(report);
    struct lowest lowest = cases_cheapest(&cases, meeting);
    if (isnan(lowest.value)) {
        return;
    }
    html_print(report->out, "%s: ", what);
    print_names(report, &lowest);
    html_print(report->out, ", %s&nbsp;%s. ",
               number_money(lowest.value, report->cases[0].currency).text, lowest.per);
}

/* "Shortest 95th percentile of waits: backfill, 2h 14m." */
static void print_fastest(const struct report *report, const char *metric, const char *what) {
    struct case_set cases = cases_of(report);
    struct lowest lowest = cases_lowest(&cases, metric, false);
    if (lowest.value > 0) {
        html_print(report->out, "%s: ", what);
        print_names(report, &lowest);
        html_print(report->out, ", %s. ", number_duration(lowest.value).text);
    }
}

static void print_answer(const struct report *report) {
    FILE *out = report->out;
    struct case_set cases = cases_of(report);
    size_t meeting = cases_count_meeting(&cases);
    bool one = report->case_count == 1;
    fputs("<p class=\"verdict\">", out);
    if (!report_has_objectives(report)) {
        print_cheapest(report, false, one ? "Cost" : "Lowest cost");
        print_fastest(report, "wait_s.p95", "Shortest waits (95th percentile)");
        print_fastest(report, "latency_s.p99", "Lowest latency (99th percentile)");
        fputs("</p>\n<p class=\"note\">The scenario states no objectives to judge by.</p>\n", out);
        return;
    }
    if (meeting == 0) {
        html_print(out,
                   one ? "The objectives are <b class=\"bad\">%s</b>."
                       : "<b class=\"bad\">%s</b> meets all objectives.",
                   one ? "missed" : "No variant");
    } else if (one) {
        fputs("All objectives are <b class=\"good\">met</b>. ", out);
        print_cheapest(report, true, "Cost");
    } else {
        print_cheapest(report, true, "The cheapest that meets all objectives");
        html_print(out, "<span class=\"note\">%d of %d variants %s them.</span>", (int)meeting,
                   (int)report->case_count, meeting == 1 ? "meets" : "meet");
    }
    fputs("</p>\n", out);
}

enum { OBJECTIVE_TEXT, OBJECTIVE_SCOPE, OBJECTIVE_UNIT, OBJECTIVE_VALUE, OBJECTIVE_MET };

static const char objectives_query[] =
    "SELECT objective, scope, "
    "       (SELECT unit FROM metric JOIN run USING (run_id) "
    "        WHERE run.batch = ?1 AND run.scenario = ?2 AND run.variant = ?3 AND run.point = ?4 "
    "              AND metric.scope = o.scope AND metric.subject = o.subject "
    "              AND metric.name = o.name LIMIT 1), value, met "
    "FROM v_objectives o WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 AND point = ?4 "
    "ORDER BY position";

static void add_objectives(const struct report *report, struct table *table,
                           const struct result_case *of) {
    sqlite3_stmt *statement = report_prepare(report, of, objectives_query);
    while (report_next(report, statement)) {
        double value = database_real(statement, OBJECTIVE_VALUE);
        bool met = sqlite3_column_int64(statement, OBJECTIVE_MET) != 0;
        enum number_kind kind = number_kind_of(database_text(statement, OBJECTIVE_UNIT));
        table_add_row(table);
        report_add_labels(report, table, of);
        table_add_text(table, database_text(statement, OBJECTIVE_TEXT));
        table_add_number(table, value, number_format(kind, value, 0, of->currency).text);
        table_add_text(table, met ? "✓ met" : "✗ missed");
        table_paint(table, met ? TABLE_GREEN : TABLE_RED);
    }
    sqlite3_finalize(statement);
}

static void print_objectives(const struct report *report) {
    struct table *table = table_create();
    report_add_label_columns(report, table);
    table_add_column(table, "objective", "objective", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "mean value", "value", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "verdict", "met", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t i = 0; i < report->case_count; i++) {
        add_objectives(report, table, &report->cases[i]);
    }
    report_table(report, table, "Objectives of each variant");
    table_destroy(table);
}

static void print_unstable(const struct report *report) {
    for (size_t i = 0; i < report->case_count; i++) {
        const struct result_case *of = &report->cases[i];
        if (unstable_runs(report->set, of, SCOPE_RUN, "") > 0) {
            html_print(report->out,
                       "<p class=\"warning\"><b>%s</b>: a queue grows without limit, so its waits "
                       "have none; this variant counts as meeting nothing.</p>\n",
                       report_label(report, of));
        }
    }
}

void report_verdict(struct report *report) {
    html_print(report->out, "<header><h1>%s</h1>\n", report->name);
    if (report->description[0] != '\0') {
        html_print(report->out, "<p class=\"question\">%s</p>\n", report->description);
    }
    fputs("</header>\n<section>\n", report->out);
    print_answer(report);
    print_unstable(report);
    if (report_has_objectives(report)) {
        print_objectives(report);
    }
    fputs("</section>\n", report->out);
}
