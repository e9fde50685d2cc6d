#include "reports/trace_events.h"

#include <math.h>

#include "reports/json.h"

void trace_begin(struct trace_events *trace, FILE *out) {
    *trace = (struct trace_events){.out = out};
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [", out);
}

void trace_end(struct trace_events *trace) {
    fputs("\n]}\n", trace->out);
}

/* To the nanosecond, as viewers have it: so spans that touch do so after reading, too. */
static double microseconds(double seconds) {
    return round(seconds * 1e9) / 1e3;
}

static void write_event(struct trace_events *trace, json_t *event) {
    fputs(trace->count > 0 ? ",\n" : "\n", trace->out);
    json_dumpf(event, trace->out, JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_decref(event);
    trace->count++;
}

static void name(struct trace_events *trace, struct trace_track track, const char *what,
                 const char *text) {
    write_event(trace, json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "name", what, "ph", "M", "pid",
                                 (json_int_t)track.process, "tid", (json_int_t)track.track, "args",
                                 "name", json_text(text)));
}

static void sort_index(struct trace_events *trace, struct trace_track track, const char *what,
                       int64_t index) {
    write_event(trace, json_pack("{s:s, s:s, s:I, s:I, s:{s:I}}", "name", what, "ph", "M", "pid",
                                 (json_int_t)track.process, "tid", (json_int_t)track.track, "args",
                                 "sort_index", (json_int_t)index));
}

void trace_name_process(struct trace_events *trace, int64_t process, const char *text) {
    struct trace_track itself = {process, 0};
    name(trace, itself, "process_name", text);
    sort_index(trace, itself, "process_sort_index", process);
}

void trace_name_track(struct trace_events *trace, struct trace_track track, const char *text) {
    name(trace, track, "thread_name", text);
    sort_index(trace, track, "thread_sort_index", track.track);
}

void trace_span(struct trace_events *trace, struct trace_track track, const char *text,
                const char *category, double begin_s, double end_s, json_t *arguments) {
    write_event(trace,
                json_pack("{s:o, s:s, s:s, s:I, s:I, s:f, s:f, s:o}", "name", json_text(text),
                          "cat", category, "ph", "X", "pid", (json_int_t)track.process, "tid",
                          (json_int_t)track.track, "ts", microseconds(begin_s), "dur",
                          round((microseconds(end_s) - microseconds(begin_s)) * 1e3) / 1e3, "args",
                          arguments));
}

void trace_counter(struct trace_events *trace, int64_t process, const char *text, double time_s,
                   double value) {
    write_event(trace, json_pack("{s:o, s:s, s:I, s:f, s:{s:o}}", "name", json_text(text), "ph",
                                 "C", "pid", (json_int_t)process, "ts", microseconds(time_s),
                                 "args", "value", json_number_or_null(value)));
}
