/* Where the GPU-hours went: the ledger of every variant as bars and as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/headline.h"
#include "reports/report_bars.h"
#include "sim/cluster/ledger.h"

/* Categories in the order of the ledger, with what a newer headroom may have added left out. */
enum { CATEGORY_COUNT = GPU_CATEGORY_COUNT };

struct ledger_row {
    const struct result_case *of;
    const char *pool;
    double hours[CATEGORY_COUNT]; /* means over the runs */
};

static double total_of(const struct ledger_row *row) {
    double total = 0;
    for (size_t i = 0; i < CATEGORY_COUNT; i++) {
        total += row->hours[i];
    }
    return total;
}

static void read_hours(const struct report *report, struct ledger_row *row) {
    sqlite3_stmt *statement = report_prepare(
        report, row->of,
        "SELECT category, sum(gpu_hours) / count(DISTINCT run_id) FROM gpu_time JOIN run "
        "USING (run_id) WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 AND point = ?4 "
        "AND pool = ?5 GROUP BY category");
    if (statement != NULL) {
        sqlite3_bind_text(statement, 5, row->pool, -1, SQLITE_STATIC);
    }
    while (report_next(report, statement)) {
        for (size_t i = 0; i < CATEGORY_COUNT; i++) {
            if (strcmp(gpu_category_names[i], database_text(statement, 0)) == 0) {
                row->hours[i] = database_real(statement, 1);
            }
        }
    }
    sqlite3_finalize(statement);
}

/* One row per case and pool; in the set's arena. */
static struct ledger_row *read_ledger(const struct report *report, size_t *count) {
    size_t most = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        size_t pools = 0;
        result_subjects(report->set, &report->cases[i], SCOPE_POOL, &pools);
        most += pools;
    }
    struct ledger_row *rows = arena_allocate(&report->set->arena, most, sizeof(rows[0]));
    *count = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        size_t pools = 0;
        const char **names = result_subjects(report->set, &report->cases[i], SCOPE_POOL, &pools);
        for (size_t p = 0; p < pools; p++) {
            rows[*count] = (struct ledger_row){.of = &report->cases[i], .pool = names[p]};
            read_hours(report, &rows[(*count)++]);
        }
    }
    return rows;
}

static bool is_used(const struct ledger_row *rows, size_t count, size_t category) {
    bool used = false;
    for (size_t i = 0; i < count && !used; i++) {
        used = rows[i].hours[category] > 0;
    }
    return used;
}

static bool several_pools(const struct ledger_row *rows, size_t count) {
    bool several = false;
    for (size_t i = 1; i < count && !several; i++) {
        several = strcmp(rows[i].pool, rows[0].pool) != 0;
    }
    return several;
}

/* "mig · a100" where there are several pools; in the set's arena. */
static const char *name_bar(const struct report *report, const struct ledger_row *row,
                            bool with_pool) {
    char text[300];
    snprintf(text, sizeof(text), with_pool ? "%.140s · %.140s" : "%.140s%.0s",
             report_label(report, row->of), row->pool);
    return arena_duplicate_string(&report->set->arena, text);
}

static void draw_bars(struct report *report, const struct ledger_row *rows, size_t count) {
    size_t shown = count < BARS_MOST ? count : BARS_MOST;
    const char *names[BARS_MOST];
    double hours[CATEGORY_COUNT * BARS_MOST];
    struct bar_part parts[CATEGORY_COUNT];
    for (size_t c = 0; c < CATEGORY_COUNT; c++) {
        parts[c] = (struct bar_part){report_category_name(report, gpu_category_names[c]),
                                     report_category_colour(gpu_category_names[c])};
        for (size_t i = 0; i < shown; i++) {
            hours[c * shown + i] = rows[i].hours[c];
        }
    }
    for (size_t i = 0; i < shown; i++) {
        names[i] = name_bar(report, &rows[i], several_pools(rows, count));
    }
    struct bars bars = {.rows = names,
                        .row_count = shown,
                        .parts = parts,
                        .part_count = CATEGORY_COUNT,
                        .values = hours,
                        .as_shares = true,
                        .axis = "share of GPU time"};
    bars_draw(report, &bars, "gpu-time",
              "Stacked bars: what share of the GPU time each variant spent on what",
              shown < count ? "Where the GPU time went; the table below has all variants."
                            : "Where the GPU time went, in the measured time.");
}

static void print_ledger(const struct report *report, const struct ledger_row *rows, size_t count) {
    struct table *table = table_create();
    report_add_label_columns(report, table);
    table_add_column(table, "pool", "pool", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t c = 0; c < CATEGORY_COUNT; c++) {
        table_add_column(table, report_category_name(report, gpu_category_names[c]),
                         gpu_category_names[c], TABLE_RIGHT,
                         is_used(rows, count, c) ? TABLE_FOR_ALL : TABLE_FOR_MACHINES);
    }
    table_add_column(table, "GPU-hours in all", "all", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < count; i++) {
        table_add_row(table);
        report_add_labels(report, table, rows[i].of);
        table_add_text(table, rows[i].pool);
        for (size_t c = 0; c < CATEGORY_COUNT; c++) {
            double share = rows[i].hours[c] / total_of(&rows[i]);
            headline_add_mean(table, NUMBER_COUNT, rows[i].hours[c], NULL);
            table_add_line(table, number_share(share).text);
        }
        headline_add_mean(table, NUMBER_COUNT, total_of(&rows[i]), NULL);
    }
    report_table(report, table, "GPU-hours by category");
    table_destroy(table);
}

void report_gpu_time(struct report *report) {
    size_t count = 0;
    struct ledger_row *rows = read_ledger(report, &count);
    if (count == 0) {
        return;
    }
    fputs("<section><h2>Where the GPU time goes</h2>\n<div class=\"figures wide\">\n", report->out);
    draw_bars(report, rows, count);
    fputs("</div>\n", report->out);
    print_ledger(report, rows, count);
    fputs("</section>\n", report->out);
}
