/* How services and queues fared over time: the 99th percentile of latency against the SLO, and how
 * many requests and jobs waited. */
#include <math.h>
#include <stdlib.h>

#include "reports/report_families.h"
#include "reports/report_series.h"
#include "sim/kernel/memory.h"

/* At most so many steps, so that a long run draws as fast as a short one. */
enum { MOST_STEPS = 240 };

/* Of the first replication: the worst percentile of the services and intervals of each step, and
 * the mean of what waits for all of them. */
static const char services_query[] =
    "WITH rows AS (SELECT t_s, max(latency_p99_s) AS p99, sum(queued_requests) AS queued "
    "              FROM service_timeline WHERE run_id = (SELECT min(run_id) FROM run "
    "              WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 AND point = ?4) "
    "              AND workload IN (SELECT value FROM json_each(?5)) GROUP BY t_s), "
    "span AS (SELECT max(t_s) / ?6 AS width FROM rows) "
    "SELECT min(t_s), max(p99), avg(queued) FROM rows, span "
    "GROUP BY CASE WHEN width > 0 THEN CAST(t_s / width AS INTEGER) END ORDER BY 1";
enum { SERVICE_P99 = 1, SERVICE_QUEUED = 2 };

static const char jobs_query[] =
    "WITH rows AS (SELECT t_s, queued_jobs FROM timeline WHERE run_id = (SELECT min(run_id) "
    "              FROM run WHERE batch = ?1 AND scenario = ?2 AND variant = ?3 AND point = ?4) "
    "              AND pool = ?5), "
    "span AS (SELECT max(t_s) / ?6 AS width FROM rows) "
    "SELECT min(t_s), avg(queued_jobs) FROM rows, span "
    "GROUP BY CASE WHEN width > 0 THEN CAST(t_s / width AS INTEGER) END ORDER BY 1";

/* Reads the line of a case, which is kept if it has any value. */
static void add_line(struct report *report, struct series_set *set, size_t number,
                     const char *query, const char *of, int column) {
    struct series *series = &set->items[set->count];
    *series =
        (struct series){.name = report_label(report, &report->cases[number]), .series = number};
    sqlite3_stmt *statement = report_prepare(report, &report->cases[number], query);
    bool any = false;
    if (statement != NULL) {
        sqlite3_bind_text(statement, 5, of, -1, SQLITE_STATIC);
        sqlite3_bind_int(statement, 6, MOST_STEPS);
    }
    while (report_next(report, statement)) {
        double value = database_real(statement, column);
        series_add(series, database_real(statement, 0), value);
        any = any || !isnan(value);
    }
    sqlite3_finalize(statement);
    if (any) {
        set->count++;
    } else {
        free(series->points);
    }
}

static struct series_set make_set(const struct report *report, enum number_kind kind,
                                  const char *axis) {
    return (struct series_set){.items = memory_zero(series_most(report), sizeof(struct series)),
                               .kind = kind,
                               .axis = axis,
                               .limit = NAN};
}

/* The headline of the section, before its first plot. */
static void begin(struct report *report, bool *begun) {
    if (!*begun) {
        fputs("<section><h2>Latency and queues over time</h2>\n<div class=\"figures\">\n",
              report->out);
        *begun = true;
    }
}

static void draw_family(struct report *report, const char *family, int column, bool *begun) {
    bool latency = column == SERVICE_P99;
    struct series_set set = latency ? make_set(report, NUMBER_DURATION, "99th percentile")
                                    : make_set(report, NUMBER_PLAIN, "requests waiting");
    size_t members = 0;
    for (size_t i = 0; i < series_most(report); i++) {
        const struct subject_group *group = families_find(report, &report->cases[i], family);
        if (group == NULL) {
            continue;
        }
        members = group->count > members ? group->count : members;
        add_line(report, &set, i, services_query, families_json(report, group), column);
        double limit = families_slo(report, &report->cases[i], group);
        set.limit = latency && isnan(set.limit) ? limit : set.limit;
    }
    char caption[512];
    char slo[128];
    snprintf(slo, sizeof(slo), "; the SLO is %s", number_duration(set.limit).text);
    if (latency) {
        snprintf(caption, sizeof(caption),
                 "99th percentile of the latency of requests to %.200s answered in each "
                 "interval%s%s.",
                 family, members > 1 ? ", the worst of these services" : "",
                 isnan(set.limit) ? "" : slo);
    } else {
        snprintf(caption, sizeof(caption),
                 "Requests to %.200s that wait to be started, on average.", family);
    }
    if (set.count > 0) {
        begin(report, begun);
        series_draw(report, &set, latency ? "latency-over-time" : "requests-waiting", caption,
                    caption);
    }
    series_clear(&set);
}

static void draw_jobs(struct report *report, const char *pool, bool *begun) {
    struct series_set set = make_set(report, NUMBER_PLAIN, "jobs waiting");
    for (size_t i = 0; i < series_most(report); i++) {
        add_line(report, &set, i, jobs_query, pool, 1);
    }
    char caption[512];
    snprintf(caption, sizeof(caption), "Jobs waiting that may run in pool %.200s, on average.",
             pool);
    bool any = false;
    for (size_t i = 0; i < set.count && !any; i++) {
        for (size_t p = 0; p < set.items[i].count && !any; p++) {
            any = set.items[i].points[p].value > 0;
        }
    }
    if (any) {
        begin(report, begun);
        series_draw(report, &set, "jobs-waiting", caption, caption);
    }
    series_clear(&set);
}

void report_load(struct report *report) {
    bool begun = false;
    const char *families[FAMILIES_MOST];
    size_t count = families_list(report, families);
    for (size_t i = 0; i < count; i++) {
        draw_family(report, families[i], SERVICE_P99, &begun);
    }
    for (size_t i = 0; i < count; i++) {
        draw_family(report, families[i], SERVICE_QUEUED, &begun);
    }
    size_t pools = 0;
    const char **names = result_subjects(report->set, &report->cases[0], SCOPE_POOL, &pools);
    for (size_t i = 0; i < pools && i < FAMILIES_MOST; i++) {
        draw_jobs(report, names[i], &begun);
    }
    if (begun) {
        fputs("</div><p class=\"note\">Of the first replication, warm-up included; by `record: "
              "{timeline}`.</p></section>\n",
              report->out);
    }
}
