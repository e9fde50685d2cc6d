/* Where the figures come from: runs, seeds and versions, and the scenario's text. */
#include <stdlib.h>
#include <string.h>

#include "reports/headline.h"
#include "reports/report_internal.h"

/* "7", or where replications have seeds of their own "1, 2, 3, 4, … 40". */
static void describe_seeds(const struct result_case *of, char *text, size_t size) {
    enum { MOST_LISTED = 4 };
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < of->run_count; i++) {
        bool last = i + 1 == of->run_count;
        bool again = i > 0 && of->runs[i].seed == of->runs[i - 1].seed;
        if (!again && (i < MOST_LISTED || last)) {
            const char *lead = i == 0 ? "" : i > MOST_LISTED ? ", … " : ", ";
            used += (size_t)snprintf(text + used, size - used, "%s%llu", lead,
                                     (unsigned long long)of->runs[i].seed);
        }
    }
}

static void add_runs(const struct report *report, struct table *table,
                     const struct result_case *of) {
    sqlite3_stmt *statement =
        report_prepare(report, of,
                       "SELECT min(started_at), group_concat(DISTINCT version), avg(sim_seconds), "
                       "sum(events) FROM run WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 "
                       "AND point = ?4");
    if (report_next(report, statement)) {
        char seeds[200];
        describe_seeds(of, seeds, sizeof(seeds));
        table_add_row(table);
        report_add_labels(report, table, of);
        headline_add_mean(table, NUMBER_COUNT, (double)of->batch, NULL);
        table_add_text(table, database_text(statement, 0));
        table_add_text(table, database_text(statement, 1));
        headline_add_mean(table, NUMBER_COUNT, (double)of->run_count, NULL);
        table_add_text(table, seeds);
        headline_add_mean(table, NUMBER_DURATION, database_real(statement, 2), NULL);
        headline_add_mean(table, NUMBER_COUNT, database_real(statement, 3), NULL);
    }
    sqlite3_finalize(statement);
}

static void print_runs(const struct report *report) {
    struct table *table = table_create();
    report_add_label_columns(report, table);
    table_add_column(table, "batch", "batch", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "run at", "started_at", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "headroom", "version", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "replications", "replications", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "seeds", "seeds", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "simulated time", "sim_seconds", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "events", "events", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < report->case_count; i++) {
        add_runs(report, table, &report->cases[i]);
    }
    report_table(report, table, "Runs, seeds and versions");
    table_destroy(table);
}

/* The text that the case was run from, unless an earlier case was run from the same. */
static void print_text(const struct report *report, size_t index) {
    const struct result_case *of = &report->cases[index];
    for (size_t i = 0; i < index; i++) {
        if (strcmp(report->cases[i].scenario_sha256, of->scenario_sha256) == 0) {
            return;
        }
    }
    sqlite3_stmt *statement = report_prepare(
        report, of,
        "SELECT yaml FROM scenario JOIN run ON scenario_sha256 = sha256 "
        "WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 AND point = ?4 LIMIT 1");
    if (report_next(report, statement)) {
        html_print(report->out,
                   "<details><summary>The scenario as text</summary>\n"
                   "<p class=\"note\">SHA-256 %s</p><pre tabindex=\"0\">",
                   of->scenario_sha256);
        html_print_lines(report->out, database_text(statement, 0));
        fputs("</pre></details>\n", report->out);
    }
    sqlite3_finalize(statement);
}

void report_origin(struct report *report) {
    fputs("<section><h2>Where the figures come from</h2>\n", report->out);
    print_runs(report);
    for (size_t i = 0; i < report->case_count; i++) {
        print_text(report, i);
    }
    fputs("</section>\n", report->out);
}
