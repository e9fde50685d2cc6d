/* OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/): a gauge per figure,
 * with a sample per run, and one per column of the timelines. Each sample has its time, so that
 * `promtool tsdb create-blocks-from openmetrics` takes them. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/csv_text.h"
#include "reports/export_internal.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"
#include "sim/metrics.h"

enum { NAME_SIZE = 160 };

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text);
    size_t wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* The unit as OpenMetrics has it, which must also end the name; "" for counts and the like. */
static const char *unit_of(const char *unit) {
    static const char *const units[][2] = {{"s", "seconds"},
                                           {"share", "ratio"},
                                           {"gpu_hours", "gpu_hours"},
                                           {"gib", "gibibytes"},
                                           {"kwh", "kilowatt_hours"}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(unit, units[i][0]) == 0) {
            return units[i][1];
        }
    }
    return "";
}

/* "wait_s.p95" in s is headroom_wait_p95_seconds. Names of gauges do not end in _total. */
static void family_name(const char *metric, const char *unit, char name[NAME_SIZE]) {
    static const char *const dropped[] = {"_total", "_gib", "_kwh"};
    size_t used = (size_t)snprintf(name, NAME_SIZE, "headroom_");
    for (const char *at = metric; *at != '\0' && used + 1 < NAME_SIZE; at++) {
        bool seconds = strncmp(at, "_s", 2) == 0 && (at[2] == '\0' || at[2] == '.');
        if (seconds && strcmp(unit, "seconds") == 0) {
            at++;
        } else {
            name[used++] = isalnum((unsigned char)*at) ? *at : '_';
        }
    }
    name[used] = '\0';
    for (size_t i = 0; i < sizeof dropped / sizeof dropped[0]; i++) {
        if (ends_with(name, dropped[i])) {
            name[used - strlen(dropped[i])] = '\0';
        }
    }
    used = strlen(name);
    if (unit[0] != '\0' && !ends_with(name, unit)) {
        snprintf(name + used, NAME_SIZE - used, "_%s", unit);
    }
}

static void print_escaped(FILE *out, const char *text) {
    char *valid = text_valid(text);
    for (const char *at = valid; *at != '\0'; at++) {
        if (*at == '\n') {
            fputs("\\n", out);
        } else {
            if (*at == '"' || *at == '\\') {
                fputc('\\', out);
            }
            fputc(*at, out);
        }
    }
    free(valid);
}

static void print_family(FILE *out, const char *name, const char *unit, const char *help) {
    fprintf(out, "# TYPE %s gauge\n", name);
    if (unit[0] != '\0') {
        fprintf(out, "# UNIT %s %s\n", name, unit);
    }
    fprintf(out, "# HELP %s ", name);
    print_escaped(out, help);
    fputc('\n', out);
}

/* The first columns of a sample: of which run, scope and subject, its value and time. */
enum { SCENARIO, VARIANT, POINT, REPLICATION, SCOPE, SUBJECT, VALUE, TIME, SAMPLE_COLUMNS };

static void print_sample(FILE *out, const char *name, sqlite3_stmt *row) {
    static const char *const labels[] = {"scenario",    "variant", "point",
                                         "replication", "scope",   "subject"};
    fputs(name, out);
    for (int i = 0; i < VALUE; i++) {
        fprintf(out, "%s%s=\"", i == 0 ? "{" : ",", labels[i]);
        print_escaped(out, database_text(row, i));
        fputc('"', out);
    }
    fputs("} ", out);
    csv_print_number(out, sqlite3_column_double(row, VALUE));
    fprintf(out, " %.3f\n", sqlite3_column_double(row, TIME));
}

#define RUN_LABELS "r.scenario, r.variant, r.point, CAST(r.replication AS TEXT)"

static void write_metrics(struct exporter *exporter, FILE *out) {
    enum { COLUMN_NAME = SAMPLE_COLUMNS, COLUMN_UNIT };
    char *last = memory_duplicate_string("");
    char name[NAME_SIZE] = "";
    sqlite3_stmt *row = export_prepare(
        exporter, "SELECT " RUN_LABELS ", scope, subject, value, epoch_s + sim_seconds, name, unit "
                  "FROM metric m JOIN export_run r USING (run_id) WHERE value IS NOT NULL "
                  "ORDER BY name, unit, r.batch, r.position, r.run_id, m.rowid");
    while (export_next(exporter, row)) {
        const char *metric = database_text(row, COLUMN_NAME);
        if (strcmp(last, metric) != 0) {
            free(last);
            last = memory_duplicate_string(metric);
            const struct metric_row *known = metric_find(metric);
            const char *unit = unit_of(database_text(row, COLUMN_UNIT));
            family_name(metric, unit, name);
            print_family(out, name, unit, known != NULL ? known->choice.summary : metric);
        }
        print_sample(out, name, row);
    }
    free(last);
}

/* The columns that are numbers of a moment, whichever there are. */
static void write_timelines(struct exporter *exporter, FILE *out, const char *table,
                            const char *subject) {
    char query[160];
    snprintf(query, sizeof(query),
             "SELECT name FROM pragma_table_info('%s') WHERE name NOT IN ('run_id', '%s', 't_s')",
             table, subject);
    sqlite3_stmt *columns = export_prepare(exporter, query);
    while (export_next(exporter, columns)) {
        const char *column = database_text(columns, 0);
        const char *unit = ends_with(column, "_gib") ? "gibibytes"
                           : ends_with(column, "_s") ? "seconds"
                                                     : "";
        char name[NAME_SIZE];
        char *sql = NULL;
        char *metric = NULL;
        if (asprintf(&sql,
                     "SELECT " RUN_LABELS ", '%s', %s, \"%s\", epoch_s + t_s FROM %s "
                     "JOIN export_run r USING (run_id) WHERE t_s >= ?2 AND t_s < ?3 "
                     "AND \"%s\" IS NOT NULL ORDER BY run_id, %s, t_s",
                     subject, subject, column, table, column, subject) < 0 ||
            asprintf(&metric, "%s.%s", table, column) < 0) {
            memory_exhausted(0);
        }
        family_name(metric, unit, name);
        bool begun = false;
        sqlite3_stmt *row = export_query(exporter, sql, 0);
        while (export_next(exporter, row)) {
            if (!begun) {
                print_family(out, name, unit, "of the interval that begins then");
                begun = true;
            }
            print_sample(out, name, row);
        }
        free(metric);
        free(sql);
    }
}

/* A window is of timelines alone. */
static bool has_timelines(struct exporter *exporter) {
    const struct export_request *request = exporter->request;
    bool any = (request->from_s <= 0 && isinf(request->to_s)) ||
               export_count(exporter,
                            "SELECT EXISTS (SELECT 1 FROM timeline JOIN export_run USING (run_id))",
                            0) != 0;
    if (!any && !exporter->failed) {
        error_set(exporter->error, exporter->database->path, 0, 0,
                  "has no timelines to take a window of: run the scenario again with "
                  "record.timeline=60s, or leave --from and --to out");
        exporter->failed = true;
    }
    return any;
}

bool export_openmetrics(struct exporter *exporter, FILE *out) {
    if (!has_timelines(exporter)) {
        return false;
    }
    write_metrics(exporter, out);
    write_timelines(exporter, out, "timeline", "pool");
    write_timelines(exporter, out, "service_timeline", "workload");
    fputs("# EOF\n", out);
    return !exporter->failed;
}
