/* Utilization over time, where the scenario had it recorded. */
#include <math.h>
#include <stdlib.h>

#include "reports/report_internal.h"

/* Means over intervals that are at most this many, so that a long run draws as fast as a short one.
 */
enum { MOST_INTERVALS = 240 };

static const char timeline_query[] =
    "WITH first AS (SELECT min(run_id) AS run_id FROM run WHERE batch = ?1 AND scenario = ?2 "
    "               AND variant = ?3 AND point = ?4), "
    "span AS (SELECT max(t_s) AS last, max(t_s) / ?6 AS width FROM timeline "
    "         WHERE run_id = (SELECT run_id FROM first) AND pool = ?5) "
    "SELECT min(t_s), avg(busy), avg(loading), avg(switch), avg(held_idle) FROM timeline, span "
    "WHERE run_id = (SELECT run_id FROM first) AND pool = ?5 "
    "GROUP BY CASE WHEN width > 0 THEN CAST(t_s / width AS INTEGER) END ORDER BY 1";

/* The columns after the time, and the categories of the ledger that they are. */
enum { PART_COUNT = 4 };
static const char *const parts[PART_COUNT] = {"useful", "loading", "switch", "held_idle"};

/* The unit of the time axis, and how many seconds it has. */
struct time_unit {
    const char *name;
    double seconds;
};

static struct time_unit unit_for(double seconds) {
    static const struct time_unit units[] = {
        {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
    size_t i = 0;
    while (i < 3 && seconds < 3 * units[i].seconds) {
        i++;
    }
    return units[i];
}

/* Writes the data; false if there are none. *last is the time of the last interval. */
static bool print_data(const struct report *report, const struct result_case *of, const char *pool,
                       FILE *data, double *last) {
    sqlite3_stmt *statement = report_prepare(report, of, timeline_query);
    if (statement == NULL) {
        return false;
    }
    sqlite3_bind_text(statement, 5, pool, -1, SQLITE_STATIC);
    sqlite3_bind_int(statement, 6, MOST_INTERVALS);
    plot_print_comment(data,
                       "columns: seconds; shares of the pool's GPUs that are useful, loading, "
                       "switching, held idle");
    bool any = false;
    while (report_next(report, statement)) {
        *last = database_real(statement, 0);
        fprintf(data, "%.9g", *last);
        for (int i = 0; i < PART_COUNT; i++) {
            fprintf(data, " %.6g", database_real(statement, i + 1));
        }
        fputs("\n", data);
        any = true;
    }
    sqlite3_finalize(statement);
    return any;
}

/* Areas from the largest sum to the smallest, each over the last. */
static void print_script(const struct report *report, const struct plot *plot, double last) {
    static const char *const sums[PART_COUNT] = {"$2", "$2+$3", "$2+$3+$4", "$2+$3+$4+$5"};
    struct time_unit unit = unit_for(last);
    fprintf(plot->script,
            "set xrange [0:%.9g]\nset yrange [0:100]\nset ytics 25 format '%%g %%%%'\n"
            "set xtics format '%%g'\nset xlabel '%s'\nset style fill solid 1 noborder\n",
            last > 0 ? last / unit.seconds : 1, unit.name);
    for (int i = PART_COUNT - 1; i >= 0; i--) {
        fprintf(plot->script,
                "%s'%s.dat' using ($1/%g):(100*(%s)) with filledcurves x1 lc rgb '%s' title ",
                i == PART_COUNT - 1 ? "plot " : ", \\\n     ", plot->name, unit.seconds, sums[i],
                report_category_colour(parts[i]));
        plot_print_quoted(plot->script, report_category_name(report, parts[i]));
    }
    fputs("\n", plot->script);
}

static bool draw_timeline(struct report *report, const struct result_case *of, const char *pool) {
    struct plot plot;
    plot_create(&plot, "timeline", *report->plot_number + 1, 480, 220);
    double last = 0;
    bool any = print_data(report, of, pool, plot.data, &last);
    if (any) {
        ++*report->plot_number;
        print_script(report, &plot, last);
        const char *names[PART_COUNT];
        const char *colours[PART_COUNT];
        for (size_t i = 0; i < PART_COUNT; i++) {
            names[i] = report_category_name(report, parts[i]);
            colours[i] = report_category_colour(parts[i]);
        }
        struct report_legend legend = {.names = names, .colours = colours, .count = PART_COUNT};
        char caption[512];
        snprintf(caption, sizeof(caption), "%.200s, pool %.200s: shares of its GPUs over time",
                 report_label(report, of), pool);
        report_figure(report, &plot, &legend, caption, caption);
    }
    plot_destroy(&plot);
    return any;
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
        fputs("</div><p class=\"note\">Of the first replication; what is blank was held by nobody.",
              report->out);
        if (left_out > 0) {
            html_print(report->out, " %d more variants and pools are not drawn.", (int)left_out);
        }
        fputs("</p></section>\n", report->out);
    }
}
