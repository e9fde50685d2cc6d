/* Where jobs come from: a stream of jobs in order of submission, read from a prepared trace or
 * drawn at random. The simulation pulls one at a time, so memory does not depend on how many there
 * are. */
#ifndef WORKLOADS_JOB_SOURCE_H
#define WORKLOADS_JOB_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/scenario.h"
#include "sim/kernel/error.h"
#include "sim/kernel/sim_time.h"

/* One job as its source gives it. */
struct job_arrival {
    sim_time submit;   /* since t = 0, never decreasing within a source */
    sim_time duration; /* on the reference GPU, alone */
    sim_time estimate; /* what the scheduler believes the duration to be */
    sim_time max_wait; /* SIM_TIME_NEVER: for ever */
    int64_t memory;    /* bytes per GPU */
    int32_t gpus;      /* at least 1 */
    int32_t priority;  /* smaller is more urgent */
    int64_t number;    /* 1-based: the row of the trace, or the count of the arrival */
    int64_t index;     /* 0-based: its place among the jobs of its source */
    const char *id; /* the trace's own name of the job, NULL if it has none; valid until the next */
    const char *queue; /* likewise */
};

struct job_source;

/* A trace read, checked, sorted and kept in a temporary file: made once, shared (read-only) by all
 * replications, variants and threads that use the same specification. */
struct trace;

/* What reading found; for the summary. */
struct trace_report {
    int64_t rows;               /* data rows in the file */
    int64_t kept;               /* inside [from, to) and the limit */
    int64_t skipped;            /* unreadable rows, under on_error: skip */
    int64_t duplicates;         /* kept rows that repeat another kept row exactly */
    struct error first_skipped; /* the first unreadable row, if skipped > 0 */
    const char *unused_columns; /* columns of the file that have no effect, "" if none */
    const char *sha256;         /* of the file's bytes as stored, 64 hexadecimal digits */
};

/* Reads the trace of a workload. start and has_start serve `origin: start`. NULL with an error
 * (with the trace's own file and line, or the scenario's place if the file cannot be read). */
struct trace *trace_prepare(const struct workload_spec *workload, bool has_start, int64_t start,
                            struct error *error);
void trace_destroy(struct trace *trace);
const struct trace_report *trace_report(const struct trace *trace);
/* Whether two specifications ask for the same prepared trace. Under `origin: start` that also takes
 * the same start. */
bool trace_spec_equal(const struct trace_spec *a, const struct trace_spec *b);

/* A fresh pass over a prepared trace (borrowed); defaults of the workload fill absent columns. */
struct job_source *job_source_from_trace(const struct trace *trace,
                                         const struct workload_spec *workload);
/* How the trace calls the job at this index; for whoever kept the index and not the job. */
enum { JOB_ID_BUFFER = 24 };
struct job_label {
    const char *id;    /* NULL: none; belongs to the trace or is in buffer */
    const char *queue; /* NULL: none; belongs to the trace */
    char buffer[JOB_ID_BUFFER];
};
void trace_label(const struct trace *trace, int64_t index, struct job_label *label);

/* Synthetic jobs of a workload; streams are named after it and seeded from (seed, replication). */
struct job_source *job_source_synthetic(const struct workload_spec *workload, sim_time start_of_day,
                                        uint64_t seed, uint64_t replication);
void job_source_destroy(struct job_source *source);

/* The next job; false at the end (of a closed source: false while there is none). */
bool job_source_next(struct job_source *source, struct job_arrival *job);

/* Whether jobs depend on the ends of others: then the source must be told of the end of each of its
 * jobs, whether it ran or was turned away. */
bool job_source_is_closed(const struct job_source *source);
/* Tells it so. *pending is the job that job_source_next gave last if it has not been submitted yet,
 * with submit = SIM_TIME_NEVER if there is none. It may be submitted earlier now, or have come to
 * be; false if there is still none. */
bool job_source_ended(struct job_source *source, sim_time now, struct job_arrival *pending);

#endif
