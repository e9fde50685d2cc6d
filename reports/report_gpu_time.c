/* Where the GPU-hours went: the ledger of every variant as bars and as a table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/headline.h"
#include "reports/report_internal.h"
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

/* "mig · a100" where there are several pools. */
static void print_bar_name(const struct report *report, FILE *script, const struct ledger_row *row,
                           bool with_pool) {
    const char *label = report_label(report, row->of);
    char text[300];
    snprintf(text, sizeof(text), with_pool ? "%.140s · %.140s" : "%.140s%.0s", label, row->pool);
    plot_print_tic(script, text);
}

static void print_bars(FILE *data, const struct ledger_row *rows, size_t count) {
    plot_print_comment(data, "columns: row, from and to (% of the pool's GPU time), GPU-hours");
    for (size_t c = 0; c < CATEGORY_COUNT; c++) {
        plot_print_comment(data, gpu_category_names[c]);
        for (size_t i = 0; i < count; i++) {
            double before = 0;
            for (size_t b = 0; b < c; b++) {
                before += rows[i].hours[b];
            }
            double total = total_of(&rows[i]);
            fprintf(data, "%zu %.6g %.6g %.9g\n", i, total > 0 ? 100 * before / total : 0,
                    total > 0 ? 100 * (before + rows[i].hours[c]) / total : 0, rows[i].hours[c]);
        }
        fputs("\n\n", data);
    }
}

static void print_bar_script(const struct report *report, struct plot *plot,
                             const struct ledger_row *rows, size_t count) {
    FILE *script = plot->script;
    bool with_pool = several_pools(rows, count);
    fprintf(script,
            "set xrange [0:100]\nset xtics 25 format '%%g %%%%'\nset xlabel 'share of GPU time'\n"
            "set yrange [%zu.5:-0.5]\nunset grid\nset grid xtics lc rgb '#888888' lw 0.5 dt 1\n"
            "set style fill solid 1 noborder\nset ytics (",
            count - 1);
    for (size_t i = 0; i < count; i++) {
        fputs(i > 0 ? ", " : "", script);
        print_bar_name(report, script, &rows[i], with_pool);
        fprintf(script, " %zu", i);
    }
    fputs(")\n", script);
    const char *lead = "plot ";
    for (size_t c = 0; c < CATEGORY_COUNT; c++) {
        if (is_used(rows, count, c)) {
            fprintf(script,
                    "%s'%s.dat' index %zu using 2:1:2:3:($1-0.34):($1+0.34) with boxxyerror "
                    "lc rgb '%s' title ",
                    lead, plot->name, c, report_category_colour(gpu_category_names[c]));
            plot_print_quoted(script, report_category_name(report, gpu_category_names[c]));
            lead = ", \\\n     ";
        }
    }
    fputs("\n", script);
}

/* More bars than this could not be named on a page. */
enum { MOST_BARS = 40 };

static void draw_bars(struct report *report, const struct ledger_row *rows, size_t count) {
    struct plot plot;
    size_t shown = count < MOST_BARS ? count : MOST_BARS;
    plot_create(&plot, "gpu-time", ++*report->plot_number, 560, 84 + 32 * (int)shown);
    print_bars(plot.data, rows, shown);
    print_bar_script(report, &plot, rows, shown);
    const char *names[CATEGORY_COUNT];
    const char *colours[CATEGORY_COUNT];
    struct report_legend legend = {.names = names, .colours = colours};
    for (size_t c = 0; c < CATEGORY_COUNT; c++) {
        if (is_used(rows, shown, c)) {
            names[legend.count] = report_category_name(report, gpu_category_names[c]);
            colours[legend.count++] = report_category_colour(gpu_category_names[c]);
        }
    }
    report_figure(report, &plot, &legend,
                  "Stacked bars: what share of the GPU time each variant spent on what",
                  shown < count ? "Where the GPU time went; the table below has all variants."
                                : "Where the GPU time went, in the measured time.");
    plot_destroy(&plot);
}

static void print_ledger(const struct report *report, const struct ledger_row *rows, size_t count) {
    struct table *table = table_create();
    table_add_column(table, "variant", "variant", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "pool", "pool", TABLE_LEFT, TABLE_FOR_ALL);
    for (size_t c = 0; c < CATEGORY_COUNT; c++) {
        table_add_column(table, report_category_name(report, gpu_category_names[c]),
                         gpu_category_names[c], TABLE_RIGHT,
                         is_used(rows, count, c) ? TABLE_FOR_ALL : TABLE_FOR_MACHINES);
    }
    table_add_column(table, "GPU-hours in all", "all", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < count; i++) {
        table_add_row(table);
        table_add_text(table, report_label(report, rows[i].of));
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
