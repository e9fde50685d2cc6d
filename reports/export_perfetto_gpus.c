/* Tracks of GPUs and slots from recorded events. The spans are put together in temporary tables,
 * which SQLite keeps in files if they are large. */
#include <stdlib.h>

#include "reports/export_perfetto.h"
#include "reports/json.h"
#include "sim/kernel/memory.h"

static const char *const make_tables[] = {
    "CREATE TEMP TABLE export_stay (workload, job_id, pool, node, gpu, slot, t_s, until_s)",
    "CREATE INDEX temp.export_stay_by_job ON export_stay (workload, job_id)",
    "CREATE TEMP TABLE export_track (pool, node, gpu, slot)",
    "CREATE INDEX temp.export_track_by_place ON export_track (pool, node, gpu)",
    "CREATE TEMP TABLE export_phase (workload, job_id, event, t_s, until_s)",
};
/* A job's stay on a GPU ends when it leaves all; until_s NULL: it is there to the end. */
static const char *const fill_tables[] = {
    "DELETE FROM temp.export_stay",
    "DELETE FROM temp.export_track",
    "DELETE FROM temp.export_phase",
    "INSERT INTO temp.export_stay "
    "SELECT workload, job_id, pool, node, gpu, slot, t_s, until_s "
    "FROM (SELECT *, min(CASE WHEN event IN ('preempted', 'interrupted', 'ended', 'failed') "
    "                    THEN t_s END) "
    "             OVER (PARTITION BY workload, job_id ORDER BY id "
    "                   ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS until_s "
    "      FROM job_event_row WHERE " ROWS_OF_RUN ") "
    "WHERE event = 'started' AND t_s < ?3 AND (until_s IS NULL OR until_s > ?2)",
    "INSERT INTO temp.export_track "
    "SELECT DISTINCT pool, node, gpu, slot FROM export_stay ORDER BY pool, node, gpu, slot",
    "INSERT INTO temp.export_phase "
    "SELECT * FROM (SELECT workload, job_id, event, t_s, "
    "                      lead(t_s) OVER (PARTITION BY workload, job_id ORDER BY id) AS until_s "
    "               FROM job_event_row WHERE " ROWS_OF_RUN ") "
    "WHERE event IN ('restores', 'saves') AND t_s < ?3 AND (until_s IS NULL OR until_s > ?2)",
};
#define ITS_TRACK "t.pool IS s.pool AND t.node IS s.node AND t.gpu IS s.gpu AND t.slot IS s.slot"
static const char stays_from[] =
    "SELECT s.job_id, s.t_s, s.until_s, s.pool, t.rowid AS track, s.workload, 'job', 0 AS inner "
    "FROM export_stay s JOIN export_track t ON " ITS_TRACK;
static const char phases_from[] =
    "FROM export_phase p JOIN export_stay s ON p.workload = s.workload AND p.job_id = s.job_id "
    "     AND p.t_s >= s.t_s AND (s.until_s IS NULL OR p.t_s < s.until_s) ";
enum { COLUMN_POOL = SPAN_COLUMNS, COLUMN_TRACK, COLUMN_WORKLOAD, COLUMN_CATEGORY };

static char *join(const char *a, const char *b, const char *c) {
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", a, b, c) < 0) {
        memory_exhausted(0);
    }
    return text;
}

bool gpu_tracks_begin(struct exporter *exporter) {
    for (size_t i = 0; i < sizeof make_tables / sizeof make_tables[0]; i++) {
        export_execute(exporter, make_tables[i], 0);
    }
    return !exporter->failed;
}

bool gpu_tracks_recorded(struct exporter *exporter, int64_t run_id) {
    return export_count(exporter,
                        "SELECT EXISTS (SELECT 1 FROM job_event_row WHERE " ROWS_OF_RUN ")",
                        run_id) != 0;
}

int64_t gpu_tracks_read(struct exporter *exporter, int64_t run_id) {
    for (size_t i = 0; i < sizeof fill_tables / sizeof fill_tables[0]; i++) {
        export_execute(exporter, fill_tables[i], run_id);
    }
    char *count_phases = join("SELECT count(*) ", phases_from, "");
    int64_t count = export_count(exporter, "SELECT count(*) FROM export_stay", run_id) +
                    export_count(exporter, count_phases, run_id);
    free(count_phases);
    return count;
}

static struct trace_track track_of(struct traced_run *run, const char *pool, int64_t track) {
    return (struct trace_track){traced_process(run, "pool", pool), track};
}

static void name_tracks(struct traced_run *run) {
    sqlite3_stmt *row =
        export_query(run->exporter, "SELECT rowid, pool, node, gpu, slot FROM export_track", 0);
    while (export_next(run->exporter, row)) {
        char *name = NULL;
        const char *slot = database_text(row, 4);
        if (asprintf(&name, "node %d GPU %d%s%s", sqlite3_column_int(row, 2),
                     sqlite3_column_int(row, 3), slot[0] != '\0' ? " " : "", slot) < 0) {
            memory_exhausted(0);
        }
        trace_name_track(run->trace,
                         track_of(run, database_text(row, 1), sqlite3_column_int64(row, 0)), name);
        free(name);
    }
}

/* Track by track in the order of time; a phase lies within a stay. */
static void write_spans(struct traced_run *run) {
    char *phases = join(" UNION ALL SELECT CASE p.event WHEN 'saves' THEN 'save' ELSE 'restore' "
                        "END, p.t_s, p.until_s, s.pool, t.rowid, s.workload, 'phase', 1 ",
                        phases_from, "JOIN export_track t ON " ITS_TRACK);
    char *query = join(stays_from, phases, " ORDER BY track, 2, inner");
    sqlite3_stmt *row = export_query(run->exporter, query, run->run_id);
    while (export_next(run->exporter, row)) {
        traced_span(
            run,
            track_of(run, database_text(row, COLUMN_POOL), sqlite3_column_int64(row, COLUMN_TRACK)),
            row, database_text(row, COLUMN_CATEGORY),
            json_pack("{s:o}", "workload", json_text(database_text(row, COLUMN_WORKLOAD))));
    }
    free(query);
    free(phases);
}

void gpu_tracks_write(struct traced_run *run) {
    name_tracks(run);
    write_spans(run);
}
