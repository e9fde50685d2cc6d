/* Where work comes from: a stream of jobs, or of a service's requests, in order of arrival, read
 * from a prepared trace or drawn at random. The simulation pulls one at a time, so memory does not
 * depend on how many there are. */
#ifndef WORKLOADS_WORK_SOURCE_H
#define WORKLOADS_WORK_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "scenarios/scenario.h"
#include "sim/kernel/error.h"
#include "sim/kernel/sim_time.h"

/* One job or one request as its source gives it. */
struct arrival {
    sim_time submit;   /* since t = 0, never decreasing within a source */
    sim_time duration; /* alone on the reference GPU: a job's run time, a request's service time */
    sim_time max_wait; /* a job's longest wait, a request's timeout; SIM_TIME_NEVER: for ever */
    int64_t number;    /* 1-based: the row of the trace, or the count of the arrival */
    int64_t index;     /* 0-based: its place among those of its source */
    int32_t priority;  /* smaller is more urgent */
    /* Requests; 0 where they are not known, and of a job. */
    int32_t prompt_tokens;
    int32_t output_tokens;
    /* Jobs; 0 or NULL of a request. */
    int32_t gpus;        /* at least 1 */
    double compute;      /* share of its one GPU's SMs; 0: not said, and of 2 GPUs or more */
    sim_time estimate;   /* what the scheduler believes the duration to be */
    int64_t memory;      /* bytes per GPU */
    int64_t cpus;        /* thousandths of a CPU of its host with each GPU */
    int64_t host_memory; /* bytes of its host's with each GPU */
    bool memory_drawn;   /* from the workload's distribution; else the trace's own */
    const char *id; /* the trace's own name of the job, NULL if it has none; valid until the next */
    const char *queue;    /* likewise */
    const char *user;     /* likewise */
    const char *waits_on; /* of a row as it is read: the id of the job that must end first */
    bool after_ok;        /* likewise: it must complete, or this one is not wanted any more */
    int32_t owner;        /* queue and user as the trace numbers them (trace_owner); else 0 */
};

struct work_source;

/* A trace read, checked, sorted and kept in a temporary file: made once, shared (read-only) by all
 * replications, variants and threads that use the same specification. */
struct trace;

/* What reading found; for the summary. */
struct trace_report {
    int64_t rows;               /* data rows in the file */
    int64_t kept;               /* inside [from, to) and the limit */
    int64_t skipped;            /* unreadable rows, under on_error: skip */
    int64_t duplicates;         /* kept rows that repeat another kept row exactly */
    int64_t dropped_links;      /* jobs that wait for one outside of what was kept: for nobody */
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
/* Whether two workloads, each with a trace, may use the same prepared one. Under `origin: start`
 * that also takes the same start. */
bool trace_same(const struct workload_spec *a, const struct workload_spec *b);

/* A fresh pass over a prepared trace (borrowed). What its columns leave open is the workload's, and
 * random quantities are drawn from the streams that synthetic work would have. */
struct work_source *work_source_from_trace(const struct trace *trace,
                                           const struct workload_spec *workload, uint64_t seed,
                                           uint64_t replication);
/* How the trace calls the job at this index; for whoever kept the index and not the job. */
enum { JOB_ID_BUFFER = 24, JOB_LABEL_BUFFER = 128 };
struct job_label {
    const char *id;    /* NULL: none; belongs to the trace or is in buffer */
    const char *queue; /* NULL: none; belongs to the trace */
    const char *user;  /* likewise */
    char buffer[JOB_LABEL_BUFFER];
};
void trace_label(const struct trace *trace, int64_t index, struct job_label *label);

/* The pairs of queue and user that its jobs have, by number: at least one. NULL: none; the names
 * belong to the trace. */
int32_t trace_owner_count(const struct trace *trace);
void trace_owner(const struct trace *trace, int32_t number, const char **queue, const char **user);
/* Whether jobs of it wait for others of it: for the one at that index, -1 for none; ok: it must
 * complete. And how many jobs it has. */
bool trace_has_dependencies(const struct trace *trace);
int64_t trace_after(const struct trace *trace, int64_t index, bool *ok);
int64_t trace_count(const struct trace *trace);
/* How many come before a moment of simulated time. */
int64_t trace_count_before(const struct trace *trace, sim_time until);

/* Synthetic jobs or requests of a workload; streams are named after it and seeded from (seed,
 * replication). */
struct work_source *work_source_synthetic(const struct workload_spec *workload,
                                          sim_time start_of_day, uint64_t seed,
                                          uint64_t replication);
void work_source_destroy(struct work_source *source);

/* The next one; false at the end (of a closed source: false while there is none). */
bool work_source_next(struct work_source *source, struct arrival *arrival);

/* Whether arrivals depend on the ends of others: then the source must be told of the end of each of
 * its jobs or requests, whether it ran or was turned away. */
bool work_source_is_closed(const struct work_source *source);
/* Tells it so. *pending is what work_source_next gave last if it has not been submitted yet, with
 * submit = SIM_TIME_NEVER if there is none. It may be submitted earlier now, or have come to be;
 * false if there is still none. */
bool work_source_ended(struct work_source *source, sim_time now, struct arrival *pending);

#endif
