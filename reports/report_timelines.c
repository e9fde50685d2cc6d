/* Utilization over time, where the scenario had it recorded. */
#include <math.h>
#include <stdlib.h>

#include "reports/report_axis.h"
#include "reports/report_internal.h"

/* Means over intervals that are at most this many, so that a long run draws as fast as a short one.
 */
enum { MOST_INTERVALS = 240 };

static const char timeline_query[] =
    "WITH first AS (SELECT min(run_id) AS run_id FROM run WHERE batch = ?1 AND scenario = ?2 "
    "               AND variant = ?3 AND point = ?4), "
    "span AS (SELECT max(t_s) AS last, max(t_s) / ?6 AS width FROM timeline "
    "         WHERE run_id = (SELECT run_id FROM first) AND pool = ?5) "
    "SELECT min(t_s), avg(busy), avg(checkpoint), avg(restore), avg(loading), avg(switch), "
    "avg(held_idle), avg(stranded), avg(reconfiguring), avg(down) FROM timeline, span "
    "WHERE run_id = (SELECT run_id FROM first) AND pool = ?5 "
    "GROUP BY CASE WHEN width > 0 THEN CAST(t_s / width AS INTEGER) END ORDER BY 1";

/* The columns after the time: categories of the ledger, but for what is still to be seen then: how
 * much of the computing will be lost. */
enum { PART_COUNT = 9 };
static const char *const parts[PART_COUNT] = {"busy",     "checkpoint",    "restore",
                                              "loading",  "switch",        "held_idle",
                                              "stranded", "reconfiguring", "down"};

/* What the data of one plot say. */
struct timeline_extent {
    double last;           /* the time of the last interval */
    bool used[PART_COUNT]; /* somewhere above zero */
    bool any;
};

static struct timeline_extent print_data(const struct report *report, const struct result_case *of,
                                         const char *pool, FILE *data) {
    struct timeline_extent extent = {0};
    sqlite3_stmt *statement = report_prepare(report, of, timeline_query);
    if (statement == NULL) {
        return extent;
    }
    sqlite3_bind_text(statement, 5, pool, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 6, MOST_INTERVALS);
    plot_print_comment(data, "columns: seconds; shares of the pool's GPUs that are busy, saving, "
                             "restoring, loading, switching, held idle, stranded, being cut, down");
    while (report_next(report, statement)) {
        extent.last = database_real(statement, 0);
        fprintf(data, "%.9g", extent.last);
        for (int i = 0; i < PART_COUNT; i++) {
            double share = database_real(statement, i + 1);
            extent.used[i] |= share > 0;
            fprintf(data, " %.6g", share);
        }
        fputs("\n", data);
        extent.any = true;
    }
    sqlite3_finalize(statement);
    extent.used[0] = true; /* something must be drawn */
    return extent;
}

/* Areas from the largest sum to the smallest, each over the last. */
static void print_script(const struct report *report, const struct plot *plot,
                         const struct timeline_extent *extent) {
    struct axis_time_unit unit = axis_time_unit(extent->last);
    const char *lead = "plot ";
    fprintf(plot->script,
            "set xrange [0:%.9g]\nset yrange [0:100]\nset ytics 25 format '%%g %%%%'\n"
            "set xtics format '%%g'\nset xlabel '%s'\nset style fill solid 1 noborder\n",
            extent->last > 0 ? extent->last / unit.seconds : 1, unit.name);
    for (int i = PART_COUNT - 1; i >= 0; i--) {
        if (extent->used[i]) {
            fprintf(plot->script,
                    "%s'%s.dat' using ($1/%g):(100*(sum [c=2:%d] column(c))) with filledcurves x1 "
                    "lc rgb '%s' title ",
                    lead, plot->name, unit.seconds, i + 2, report_category_colour(parts[i]));
            plot_print_quoted(plot->script, report_category_name(report, parts[i]));
            lead = ", \\\n     ";
        }
    }
    fputs("\n", plot->script);
}

static bool draw_timeline(struct report *report, const struct result_case *of, const char *pool) {
    struct plot plot;
    plot_create(&plot, "timeline", *report->plot_number + 1, 480, 220);
    struct timeline_extent extent = print_data(report, of, pool, plot.data);
    if (extent.any) {
        ++*report->plot_number;
        print_script(report, &plot, &extent);
        const char *names[PART_COUNT];
        const char *colours[PART_COUNT];
        struct report_legend legend = {.names = names, .colours = colours};
        for (size_t i = 0; i < PART_COUNT; i++) {
            if (extent.used[i]) {
                names[legend.count] = report_category_name(report, parts[i]);
                colours[legend.count++] = report_category_colour(parts[i]);
            }
        }
        char caption[512];
        snprintf(caption, sizeof(caption), "%.200s, pool %.200s: shares of its GPUs over time",
                 report_label(report, of), pool);
        report_figure(report, &plot, &legend, caption, caption);
    }
    plot_destroy(&plot);
    return extent.any;
}

/* More are named, not drawn. */
enum { MOST_TIMELINES = 12 };

void report_timelines(struct report *report) {
    size_t drawn = 0;
    size_t left_out = 0;
    for (size_t i = 0; i < report->case_count; i++) {
        size_t pools = 0;
        const char **names = result_subjects(report->set, &report->cases[i], SCOPE_POOL, &pools);
        for (size_t p = 0; p < pools; p++) {
            if (drawn == MOST_TIMELINES) {
                left_out++;
                continue;
            }
            sqlite3_stmt *any =
                report_prepare(report, &report->cases[i],
                               "SELECT 1 FROM timeline JOIN run USING (run_id) WHERE batch = ?1 "
                               "AND scenario = ?2 AND variant = ?3 AND point = ?4 LIMIT 1");
            bool recorded = report_next(report, any);
            sqlite3_finalize(any);
            if (recorded && drawn == 0) {
                fputs("<section><h2>Utilization over time</h2>\n<div class=\"figures\">\n",
                      report->out);
            }
            drawn += recorded && draw_timeline(report, &report->cases[i], names[p]);
        }
    }
    if (drawn > 0) {
        fputs("</div><p class=\"note\">Of the first replication; what is blank was idle.",
              report->out);
        if (left_out > 0) {
            html_print(report->out, " %d more variants and pools are not drawn.", (int)left_out);
        }
        fputs("</p></section>\n", report->out);
    }
}
