/* Where a trace is kept: fixed-size records (96 bytes a job, 48 a request) and the texts of job
 * ids, in temporary files that are written once, in order of submission, and then mapped read-only
 * for any number of readers.
 *
 * While reading, memory holds only the distinct names of queues and users. If the file is not in
 * order already, sorting takes 32 bytes a row (keys, and as much again inside qsort) and a second
 * temporary file.
 */
#ifndef WORKLOADS_TRACE_STORE_H
#define WORKLOADS_TRACE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/kernel/error.h"
#include "workloads/work_source.h"

struct trace_store;

struct trace_store *trace_store_create(enum workload_kind kind);
void trace_store_destroy(struct trace_store *store);

/* Appends a job or a request, as the store's kind has it: times on the trace's clock,
 * ARRIVAL_ABSENT for what is not there, number the row's; shares to a billionth. Rows with the same
 * fingerprint and submit time count as duplicates. False with an error that names the folder of the
 * temporary files if that is full. */
bool trace_store_append(struct trace_store *store, const struct arrival *arrival,
                        uint64_t fingerprint, struct error *error);
/* Brings them into the order (submit, number), keeps the first `limit` of them (0: all) and
 * makes them readable. There must be at least one. */
bool trace_store_finish(struct trace_store *store, int64_t limit, struct error *error);

/* From here on only once finished, from any thread. */
int64_t trace_store_count(const struct trace_store *store);
int64_t trace_store_duplicates(const struct trace_store *store);
sim_time trace_store_submit(const struct trace_store *store, int64_t index);
int64_t trace_store_number(const struct trace_store *store, int64_t index);
/* The pairs of queue and user, as in work_source.h. */
int32_t trace_store_owner_count(const struct trace_store *store);
void trace_store_owner(const struct trace_store *store, int32_t number, const char **queue,
                       const char **user);

/* One as it was appended. Ids that are numbers are written into the buffer. */
void trace_store_get(const struct trace_store *store, int64_t index, struct arrival *arrival,
                     char id_buffer[JOB_ID_BUFFER]);

#endif
