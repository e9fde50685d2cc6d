/* A prepared trace from the inside: a store, and how its clock becomes simulated time. */
#ifndef WORKLOADS_TRACE_H
#define WORKLOADS_TRACE_H

#include "workloads/job_source.h"
#include "workloads/trace_store.h"

int64_t trace_count(const struct trace *trace);

/* The job at an index, submitted in simulated time, JOB_ABSENT where the trace has nothing. */
void trace_job(const struct trace *trace, int64_t index, struct job_arrival *job,
               char id_buffer[JOB_ID_BUFFER]);

#endif
