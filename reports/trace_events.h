/* The Chrome trace format (JSON), which the Perfetto UI reads: tracks are threads of processes,
 * times are microseconds. One event a line, written as it comes. */
#ifndef REPORTS_TRACE_EVENTS_H
#define REPORTS_TRACE_EVENTS_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct trace_events {
    FILE *out;
    int64_t count; /* written so far */
};

/* A track of spans, or (track 0) the process itself. */
struct trace_track {
    int64_t process;
    int64_t track;
};

void trace_begin(struct trace_events *trace, FILE *out);
void trace_end(struct trace_events *trace);

/* Names of the process, which stand in the order of their numbers, and of a track in it. */
void trace_name_process(struct trace_events *trace, int64_t process, const char *name);
void trace_name_track(struct trace_events *trace, struct trace_track track, const char *name);

/* A span of time on a track; arguments are shown when it is selected, and freed. */
void trace_span(struct trace_events *trace, struct trace_track track, const char *name,
                const char *category, double begin_s, double end_s, json_t *arguments);
/* A value of the process from a moment on. */
void trace_counter(struct trace_events *trace, int64_t process, const char *name, double time_s,
                   double value);

#endif
