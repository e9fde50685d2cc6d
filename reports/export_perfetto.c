/* A trace of what ran when. Where events were recorded, GPUs and slots are the tracks; else a span
 * is a job from its first start to its end, on the lanes of its workload. Requests, where recorded,
 * are on lanes, too; timelines are counters. */
#include "reports/export_perfetto.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "reports/json.h"
#include "reports/lanes.h"
#include "sim/kernel/memory.h"

#define IN_WINDOW ROWS_OF_RUN " AND start_s < ?3 AND (end_s IS NULL OR end_s > ?2)"
#define JOBS_IN_WINDOW " FROM job_row WHERE " IN_WINDOW
#define REQUESTS_IN_WINDOW " FROM request_row WHERE " IN_WINDOW
#define OF_WINDOW(TABLE) " FROM " TABLE " WHERE run_id = ?1 AND t_s >= ?2 AND t_s < ?3"

static const char jobs_query[] =
    "SELECT job_id, start_s, end_s, workload, gpus, start_s - submit_s, state, queue" JOBS_IN_WINDOW
    " ORDER BY start_s, id";
static const char requests_query[] =
    "SELECT seq, start_s, end_s, workload, NULL, start_s - "
    "arrival_s, state, NULL" REQUESTS_IN_WINDOW " ORDER BY start_s, id";
enum { LANE_WORKLOAD = SPAN_COLUMNS, LANE_GPUS, LANE_WAIT, LANE_STATE, LANE_QUEUE };

/* A timeline: what its rows are counters of, one per name. */
enum { MOST_COUNTERS = 4 };
struct counted {
    const char *kind;  /* of process */
    const char *query; /* time, subject, values; NULL: none at that time */
    const char *count; /* of values */
    const char *names[MOST_COUNTERS];
};

static const struct counted timelines[] = {
    {"pool",
     "SELECT t_s, pool, 100 * allocated, 100 * busy, memory_used_gib, queued_jobs" OF_WINDOW(
         "timeline") " ORDER BY pool, t_s",
     "SELECT 4 * count(*)" OF_WINDOW("timeline"),
     {"allocated %", "busy %", "memory GiB", "jobs waiting"}},
    {"workload",
     "SELECT t_s, workload, queued_requests, 1000 * latency_p99_s" OF_WINDOW(
         "service_timeline") " ORDER BY workload, t_s",
     "SELECT count(*) + count(latency_p99_s)" OF_WINDOW("service_timeline"),
     {"requests waiting", "P99 ms"}},
};
enum { TIMELINES = sizeof timelines / sizeof timelines[0] };

static const char runs_query[] = "SELECT run_id, sim_seconds, scenario, variant, point "
                                 "FROM export_run WHERE is_first AND sim_seconds > ?2 "
                                 "ORDER BY batch, position, run_id";

int64_t traced_process(struct traced_run *run, const char *kind, const char *of) {
    char *name = NULL;
    if (asprintf(&name, "%s %s", kind, of) < 0) {
        memory_exhausted(0);
    }
    size_t i = 0;
    while (i < run->process_count && strcmp(run->processes[i], name) != 0) {
        i++;
    }
    int64_t process = run->first_process + (int64_t)i;
    if (i < run->process_count) {
        free(name);
        return process;
    }
    run->processes =
        memory_grow(run->processes, &run->process_capacity, i + 1, sizeof *run->processes);
    run->processes[run->process_count++] = name;
    char *title = NULL;
    if (asprintf(&title, "%s (%s)", name, run->name) < 0) {
        memory_exhausted(0);
    }
    trace_name_process(run->trace, process, title);
    free(title);
    return process;
}

void traced_span(struct traced_run *run, struct trace_track track, sqlite3_stmt *row,
                 const char *category, json_t *arguments) {
    const struct export_request *request = run->exporter->request;
    bool ended = sqlite3_column_type(row, SPAN_END) != SQLITE_NULL;
    double begin_s = sqlite3_column_double(row, SPAN_BEGIN);
    double end_s = ended ? sqlite3_column_double(row, SPAN_END) : run->end_s;
    begin_s = begin_s > request->from_s ? begin_s : request->from_s;
    end_s = end_s < request->to_s ? end_s : request->to_s;
    trace_span(run->trace, track, database_text(row, SPAN_NAME), category, begin_s, end_s,
               arguments);
}

static json_t *lane_arguments(sqlite3_stmt *row) {
    json_t *arguments = json_object();
    if (sqlite3_column_type(row, LANE_GPUS) != SQLITE_NULL) {
        json_set(arguments, "gpus", json_integer(sqlite3_column_int64(row, LANE_GPUS)));
    }
    json_set(arguments, "wait_s", json_number_or_null(database_real(row, LANE_WAIT)));
    json_set(arguments, "state", json_text(database_text(row, LANE_STATE)));
    if (sqlite3_column_type(row, LANE_QUEUE) != SQLITE_NULL) {
        json_set(arguments, "queue", json_text(database_text(row, LANE_QUEUE)));
    }
    return arguments;
}

/* Named when it is first needed. */
static int64_t take_lane(struct traced_run *run, struct lanes *lanes, int64_t process,
                         double begin_s, double end_s) {
    int64_t group = process - run->first_process;
    int64_t before = lanes_count(lanes, group);
    int64_t lane = lanes_take(lanes, group, begin_s, end_s);
    if (lane > before) {
        char name[32];
        snprintf(name, sizeof name, "lane %lld", (long long)lane);
        trace_name_track(run->trace, (struct trace_track){process, lane}, name);
    }
    return lane;
}

/* What overlaps goes on lanes beside each other, a process per workload. */
static void write_lanes(struct traced_run *run, const char *query, const char *category) {
    struct lanes *lanes = lanes_create();
    sqlite3_stmt *row = export_query(run->exporter, query, run->run_id);
    while (export_next(run->exporter, row)) {
        int64_t process = traced_process(run, "workload", database_text(row, LANE_WORKLOAD));
        bool ended = sqlite3_column_type(row, SPAN_END) != SQLITE_NULL;
        int64_t lane = take_lane(run, lanes, process, sqlite3_column_double(row, SPAN_BEGIN),
                                 ended ? sqlite3_column_double(row, SPAN_END) : run->end_s);
        traced_span(run, (struct trace_track){process, lane}, row, category, lane_arguments(row));
    }
    lanes_destroy(lanes);
}

static void write_counters(struct traced_run *run, const struct counted *counted) {
    sqlite3_stmt *row = export_query(run->exporter, counted->query, run->run_id);
    while (export_next(run->exporter, row)) {
        int64_t process = traced_process(run, counted->kind, database_text(row, 1));
        for (int i = 0; i < MOST_COUNTERS && counted->names[i] != NULL; i++) {
            double value = database_real(row, 2 + i);
            if (!isnan(value)) {
                trace_counter(run->trace, process, counted->names[i], sqlite3_column_double(row, 0),
                              value);
            }
        }
    }
}

/* How many events a run makes, but for the names of tracks. */
static int64_t count_events(struct exporter *exporter, int64_t run_id) {
    int64_t count = export_count(exporter, "SELECT count(*)" REQUESTS_IN_WINDOW, run_id);
    for (int i = 0; i < TIMELINES; i++) {
        count += export_count(exporter, timelines[i].count, run_id);
    }
    return count + (gpu_tracks_recorded(exporter, run_id)
                        ? gpu_tracks_read(exporter, run_id)
                        : export_count(exporter, "SELECT count(*)" JOBS_IN_WINDOW, run_id));
}

static bool is_too_much(struct exporter *exporter) {
    int64_t count = 0;
    int64_t most = exporter->request->most_events;
    sqlite3_stmt *row = export_query(exporter, runs_query, 0);
    while (export_next(exporter, row)) {
        count += count_events(exporter, sqlite3_column_int64(row, 0));
    }
    if (count > most && !exporter->failed) {
        error_set(exporter->error, exporter->database->path, 0, 0,
                  "makes a trace of %lld events, more than %lld: choose a part with --from and "
                  "--to or --variant, or allow more with --limit",
                  (long long)count, (long long)most);
        exporter->failed = true;
    }
    return exporter->failed;
}

static void write_run(struct traced_run *run) {
    if (gpu_tracks_recorded(run->exporter, run->run_id)) {
        gpu_tracks_read(run->exporter, run->run_id);
        gpu_tracks_write(run);
    } else {
        write_lanes(run, jobs_query, "job");
    }
    write_lanes(run, requests_query, "request");
    for (int i = 0; i < TIMELINES; i++) {
        write_counters(run, &timelines[i]);
    }
}

/* The window is another matter: nothing may have happened in it. */
static bool has_rows(struct exporter *exporter) {
    static const char any_of_run[] =
        "SELECT EXISTS (SELECT 1 FROM job_row WHERE " ROWS_OF_RUN ") "
        "    OR EXISTS (SELECT 1 FROM request_row WHERE " ROWS_OF_RUN ") "
        "    OR EXISTS (SELECT 1 FROM job_event_row WHERE " ROWS_OF_RUN ") "
        "    OR EXISTS (SELECT 1 FROM timeline WHERE run_id = ?1)";
    bool any = false;
    sqlite3_stmt *row = export_prepare(exporter, "SELECT run_id FROM export_run WHERE is_first");
    while (export_next(exporter, row)) {
        any = export_count(exporter, any_of_run, sqlite3_column_int64(row, 0)) != 0 || any;
    }
    if (!any && !exporter->failed) {
        error_set(exporter->error, exporter->database->path, 0, 0,
                  "has nothing that happened at a time: run the scenario again with "
                  "record.events=true (jobs on their GPUs), record.jobs=true, "
                  "record.requests=true or record.timeline=60s");
        exporter->failed = true;
    }
    return any;
}

bool export_perfetto(struct exporter *exporter, FILE *out) {
    if (!has_rows(exporter) || !gpu_tracks_begin(exporter) || is_too_much(exporter)) {
        return false;
    }
    struct trace_events trace;
    trace_begin(&trace, out);
    int64_t next_process = 1;
    sqlite3_stmt *row = export_query(exporter, runs_query, 0);
    while (export_next(exporter, row)) {
        struct traced_run run = {.exporter = exporter,
                                 .trace = &trace,
                                 .run_id = sqlite3_column_int64(row, 0),
                                 .end_s = sqlite3_column_double(row, 1),
                                 .name =
                                     export_run_name(database_text(row, 2), database_text(row, 3),
                                                     database_text(row, 4)),
                                 .first_process = next_process};
        write_run(&run);
        next_process += (int64_t)run.process_count;
        for (size_t i = 0; i < run.process_count; i++) {
            free(run.processes[i]);
        }
        free(run.processes);
        free(run.name);
    }
    trace_end(&trace);
    return !exporter->failed;
}
