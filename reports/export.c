#include "reports/export.h"

#include <stdlib.h>
#include <string.h>

#include "reports/export_internal.h"
#include "reports/store_internal.h"
#include "reports/sweep_point.h"
#include "sim/kernel/memory.h"

const struct export_format export_formats[] = {
    {"perfetto", "a trace of jobs on GPUs over time (Chrome JSON), for ui.perfetto.dev", true,
     false, export_perfetto},
    {"openmetrics", "figures and timelines as OpenMetrics 1.0, for Prometheus", true, false,
     export_openmetrics},
    {"csv", "every view as a CSV file in a folder", false, true, export_csv},
    {"focus", "costs as FOCUS 1.2 rows (CSV), for FinOps tools", false, false, export_focus},
};
const size_t export_format_count = sizeof export_formats / sizeof export_formats[0];

const struct export_format *export_format_find(const char *name) {
    for (size_t i = 0; i < export_format_count; i++) {
        if (strcmp(export_formats[i].name, name) == 0) {
            return &export_formats[i];
        }
    }
    return NULL;
}

sqlite3_stmt *export_prepare(struct exporter *exporter, const char *sql) {
    if (exporter->failed) {
        return NULL;
    }
    sqlite3_stmt *statement = database_prepare(exporter->database, sql, false, exporter->error);
    exporter->failed = statement == NULL;
    return statement;
}

bool export_next(struct exporter *exporter, sqlite3_stmt *statement) {
    if (statement == NULL) {
        return false;
    }
    int found = database_next(exporter->database, statement, exporter->error);
    if (found != 1) {
        exporter->failed = exporter->failed || found < 0;
        sqlite3_finalize(statement);
    }
    return found == 1;
}

sqlite3_stmt *export_query(struct exporter *exporter, const char *sql, int64_t run_id) {
    sqlite3_stmt *statement = export_prepare(exporter, sql);
    if (statement != NULL) {
        sqlite3_bind_int64(statement, 1, run_id);
        sqlite3_bind_double(statement, 2, exporter->request->from_s);
        sqlite3_bind_double(statement, 3, exporter->request->to_s);
    }
    return statement;
}

bool export_execute(struct exporter *exporter, const char *sql, int64_t run_id) {
    sqlite3_stmt *statement = export_query(exporter, sql, run_id);
    while (export_next(exporter, statement)) {
    }
    return !exporter->failed;
}

int64_t export_count(struct exporter *exporter, const char *sql, int64_t run_id) {
    sqlite3_stmt *statement = export_query(exporter, sql, run_id);
    int64_t count = 0;
    while (export_next(exporter, statement)) {
        count = sqlite3_column_int64(statement, 0);
    }
    return count;
}

char *export_run_name(const char *scenario, const char *variant, const char *point) {
    char *short_point = sweep_point_short(point);
    char *name = NULL;
    if (asprintf(&name, "%s, variant %s%s%s", scenario, variant, short_point[0] != '\0' ? ", " : "",
                 short_point) < 0) {
        memory_exhausted(0);
    }
    free(short_point);
    return name;
}

static const char choose_runs[] =
    "CREATE TEMP TABLE export_run AS "
    "SELECT run_id, batch, position, scenario, variant, point, replication, currency, sim_seconds, "
    "       coalesce(start_epoch_s, 1.0 * strftime('%s', started_at)) AS epoch_s, "
    "       row_number() OVER (PARTITION BY batch, scenario, variant, point "
    "                          ORDER BY replication, run_id) = 1 AS is_first "
    "FROM v_newest";

/* Temporary tables are written, in files as they may be large; nothing else is. */
static const char allow_temporary_tables[] = "PRAGMA query_only = OFF; PRAGMA temp_store = FILE;";

static bool choose(struct exporter *exporter) {
    const char *variant = exporter->request->variant;
    if (!database_execute(exporter->database, allow_temporary_tables, exporter->error) ||
        !export_execute(exporter, choose_runs, 0)) {
        return false;
    }
    if (variant != NULL) {
        sqlite3_stmt *others =
            export_prepare(exporter, "DELETE FROM export_run WHERE variant <> ?1");
        sqlite3_bind_text(others, 1, variant, -1, SQLITE_STATIC);
        while (export_next(exporter, others)) {
        }
    }
    if (export_count(exporter, "SELECT count(*) FROM export_run", 0) == 0 && !exporter->failed) {
        error_set(exporter->error, exporter->database->path, 0, 0,
                  variant != NULL ? "has no run of a variant '%s'" : "has no runs", variant);
        return false;
    }
    return !exporter->failed;
}

bool export_write(const struct export_format *format, const struct export_request *request,
                  struct store *store, FILE *out, struct error *error) {
    struct exporter exporter = {.database = &store->database, .request = request, .error = error};
    return choose(&exporter) && format->write(&exporter, out) && !exporter.failed;
}
