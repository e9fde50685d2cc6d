/* How long jobs waited and requests took, variant by variant. */
#include <math.h>
#include <stdlib.h>

#include "reports/report_curves.h"
#include "reports/report_families.h"
#include "reports/store_internal.h"
#include "sim/kernel/memory.h"

static int by_size(const void *a, const void *b) {
    double left = *(const double *)a;
    double right = *(const double *)b;
    return (left > right) - (left < right);
}

/* More curves could not be told apart. */
enum { MOST_CURVES = 14 };

static size_t curve_count(const struct report *report) {
    return report->case_count < MOST_CURVES ? report->case_count : MOST_CURVES;
}

struct waits {
    double *seconds;
    size_t count;
    size_t capacity;
};

/* The waits of the jobs of a run that were submitted in the measured time and started. */
static void read_waits(const struct report *report, const struct result_case *of,
                       struct waits *waits) {
    sqlite3_stmt *statement =
        report_prepare(report, of,
                       "SELECT wait_s FROM job WHERE run_id = ?5 AND wait_s IS NOT NULL "
                       "AND submit_s >= coalesce((SELECT value FROM metric WHERE run_id = ?5 "
                       "AND scope = 'run' AND name = 'warmup_s'), 0) AND ?1 = ?1 AND ?2 = ?2 "
                       "AND ?3 = ?3 AND ?4 = ?4");
    for (size_t i = 0; statement != NULL && i < of->run_count; i++) {
        sqlite3_reset(statement);
        sqlite3_bind_int64(statement, 5, of->runs[i].run_id);
        while (report_next(report, statement)) {
            waits->seconds = memory_grow(waits->seconds, &waits->capacity, waits->count + 1,
                                         sizeof(waits->seconds[0]));
            waits->seconds[waits->count++] = database_real(statement, 0);
        }
    }
    sqlite3_finalize(statement);
}

/* Shorter waits are no waits to people. */
static const double SHORTEST_WAIT_S = 1;

static void add_waits(struct curve *curve, const struct waits *waits) {
    for (size_t i = 0; i < waits->count; i++) {
        double seconds = fmax(waits->seconds[i], SHORTEST_WAIT_S);
        bool last = i + 1 == waits->count;
        /* Of equal waits only the last one says how many there are. */
        if (last || fmax(waits->seconds[i + 1], SHORTEST_WAIT_S) > seconds) {
            curve_add(curve, seconds, (double)(i + 1) / (double)waits->count, last);
        }
    }
}

static bool draw_waits(struct report *report) {
    struct curves curves = {.items = memory_zero(curve_count(report), sizeof(curves.items[0])),
                            .least_s = SHORTEST_WAIT_S,
                            .limit_s = NAN,
                            .axis = "wait from submission to start"};
    bool any = false;
    for (size_t i = 0; i < curve_count(report); i++) {
        struct waits waits = {0};
        read_waits(report, &report->cases[i], &waits);
        if (waits.count > 0) {
            qsort(waits.seconds, waits.count, sizeof(waits.seconds[0]), by_size);
            any = any || waits.seconds[waits.count - 1] > SHORTEST_WAIT_S;
        }
        struct curve *curve = &curves.items[curves.count];
        curve->name = report_label(report, &report->cases[i]);
        curve->series = i;
        add_waits(curve, &waits);
        curves.count += curve->count > 0;
        free(waits.seconds);
    }
    if (any) {
        curves_draw(report, &curves, "waits",
                    "Share of jobs that waited no longer than a time, one curve per variant",
                    "How long jobs waited: the share that started within a time, of those that "
                    "started. Higher and further left is better; the upward axis is stretched "
                    "towards 100 %.");
    }
    curves_clear(&curves);
    return any;
}

/* All requests of the group in all runs of the case. */
static void add_latencies(const struct report *report, const struct result_case *of,
                          const struct subject_group *group, struct curve *curve) {
    sqlite3_stmt *statement = report_prepare(
        report, of,
        "SELECT upper_s, sum(sum(count)) OVER (ORDER BY upper_s) * 1.0 / sum(sum(count)) OVER () "
        "FROM latency JOIN run USING (run_id) WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 "
        "AND point = ?4 AND workload IN (SELECT value FROM json_each(?5)) "
        "GROUP BY upper_s ORDER BY upper_s");
    if (statement != NULL) {
        sqlite3_bind_text(statement, 5, families_json(report, group), -1, SQLITE_STATIC);
        while (report_next(report, statement)) {
            double share = database_real(statement, 1);
            curve_add(curve, database_real(statement, 0), share, share >= 1);
        }
    }
    sqlite3_finalize(statement);
}

static void draw_family(struct report *report, const char *family) {
    struct curves curves = {.items = memory_zero(curve_count(report), sizeof(curves.items[0])),
                            .limit_s = NAN,
                            .axis = "latency of a request"};
    for (size_t i = 0; i < curve_count(report); i++) {
        const struct result_case *of = &report->cases[i];
        const struct subject_group *group = families_find(report, of, family);
        if (group != NULL) {
            struct curve *curve = &curves.items[curves.count];
            curve->name = report_label(report, of);
            curve->series = i;
            add_latencies(report, of, group, curve);
            if (curve->count > 0) {
                curves.count++;
                double slo = families_slo(report, of, group);
                curves.limit_s = isnan(curves.limit_s) ? slo : curves.limit_s;
            }
        }
    }
    if (curves.count > 0) {
        char caption[512];
        snprintf(caption, sizeof(caption),
                 "How long requests to %.200s took: the share answered within a time, of those "
                 "that were answered. The upward axis is stretched towards 100 %%.",
                 family);
        curves_draw(report, &curves, "latency",
                    "Share of requests that took no longer than a time, one curve per variant",
                    caption);
    }
    curves_clear(&curves);
}

void report_distributions(struct report *report) {
    fputs("<section><h2>How long it takes</h2>\n<div class=\"figures\">\n", report->out);
    bool any = draw_waits(report);
    const char *families[FAMILIES_MOST];
    size_t count = families_list(report, families);
    for (size_t i = 0; i < count; i++) {
        draw_family(report, families[i]);
    }
    if (!any && count == 0) {
        fputs("<p class=\"note\">There is nothing to draw: no job waited longer than a second, or "
              "the "
              "scenario does not record jobs.</p>",
              report->out);
    }
    fputs("</div>", report->out);
    if (report->case_count > MOST_CURVES) {
        html_print(report->out, "<p class=\"note\">Drawn are the first %d of %d variants.</p>",
                   MOST_CURVES, (int)report->case_count);
    }
    fputs("</section>\n", report->out);
}
