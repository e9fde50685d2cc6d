/* A prepared trace from the inside: a store, and how its clock becomes simulated time. */
#ifndef WORKLOADS_TRACE_H
#define WORKLOADS_TRACE_H

#include "workloads/trace_store.h"
#include "workloads/work_source.h"

/* The one at an index, submitted in simulated time, ARRIVAL_ABSENT where the trace has nothing. */
void trace_get(const struct trace *trace, int64_t index, struct arrival *arrival,
               char id_buffer[JOB_ID_BUFFER]);

#endif
