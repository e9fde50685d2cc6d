/* One run of a trace, and its processes: pools and workloads. */
#ifndef REPORTS_EXPORT_PERFETTO_H
#define REPORTS_EXPORT_PERFETTO_H

#include "reports/export_internal.h"
#include "reports/trace_events.h"

/* In all queries ?1 is the run, ?2 and ?3 the window. */
#define ROWS_OF_RUN "id BETWEEN ?1 << 32 AND (?1 << 32) + 4294967295"

struct traced_run {
    struct exporter *exporter;
    struct trace_events *trace;
    int64_t run_id;
    double end_s;
    char *name;
    int64_t first_process; /* of this run */
    char **processes;      /* "pool a100", "workload train", in the order of their numbers */
    size_t process_count;
    size_t process_capacity;
};

/* The process of a pool or a workload (its kind), named when it is met first. */
int64_t traced_process(struct traced_run *run, const char *kind, const char *of);

/* A span as far as it is in the window. Its first columns are its name, beginning and end; the end
 * is NULL where it lasts to the end of the run. */
enum { SPAN_NAME, SPAN_BEGIN, SPAN_END, SPAN_COLUMNS };
void traced_span(struct traced_run *run, struct trace_track track, sqlite3_stmt *row,
                 const char *category, json_t *arguments);

/* With recorded events each GPU or slot is a track, a span a job's stay there, and in it its saves
 * and restores. */
bool gpu_tracks_begin(struct exporter *exporter);
bool gpu_tracks_recorded(struct exporter *exporter, int64_t run_id);
/* How many spans there are; gpu_tracks_write needs this just before. */
int64_t gpu_tracks_read(struct exporter *exporter, int64_t run_id);
void gpu_tracks_write(struct traced_run *run);

#endif
