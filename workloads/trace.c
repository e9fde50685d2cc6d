#include "workloads/trace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"
#include "workloads/trace_format.h"
#include "workloads/trace_links.h"
#include "workloads/trace_needs.h"
#include "workloads/trace_reader.h"

struct trace {
    struct trace_store *store;
    struct trace_links links;
    const char *noun; /* of what it holds, for errors */
    int64_t origin;   /* on the trace's clock */
    double scale;
    struct trace_report report;
    struct trace_reading reading;
};

static bool refuse(const struct trace_spec *spec, struct error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* An error of what the scenario asks of the trace, at its place. */
static bool refuse(const struct trace_spec *spec, struct error *error, const char *format, ...) {
    char message[sizeof(error->message)];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    error_set(error, spec->place.file, spec->place.line, spec->place.column, "trace '%s': %s",
              spec->file, message);
    return false;
}

static bool check_window(const struct trace *trace, const struct trace_spec *spec,
                         struct error *error) {
    const struct trace_reading *reading = &trace->reading;
    char from[TRACE_CLOCK_TEXT] = "its beginning";
    char to[TRACE_CLOCK_TEXT] = "its end";
    char earliest[TRACE_CLOCK_TEXT];
    char latest[TRACE_CLOCK_TEXT];
    if (reading->kept > 0) {
        return true;
    }
    if (spec->from.kind != MOMENT_NONE) {
        trace_clock_format(&reading->clock, spec->from.ns, from);
    }
    if (spec->to.kind != MOMENT_NONE) {
        trace_clock_format(&reading->clock, spec->to.ns, to);
    }
    return refuse(spec, error, "no %s lies in [%s, %s); the trace runs from %s to %s", trace->noun,
                  from, to, trace_clock_format(&reading->clock, reading->earliest, earliest),
                  trace_clock_format(&reading->clock, reading->latest, latest));
}

static bool check_rows(const struct trace *trace, const struct trace_spec *spec,
                       struct error *error) {
    const struct trace_reading *reading = &trace->reading;
    if (reading->rows == 0) {
        error_set(error, spec->file, 0, 0, "the trace has no %ss", trace->noun);
        return false;
    }
    if (reading->rows == reading->skipped) {
        struct error first = reading->first_skipped;
        error_set(error, first.file, first.line, first.column,
                  "the trace has no %ss: none of its %lld rows can be read, this one because of %s",
                  trace->noun, (long long)reading->rows, first.message);
        return false;
    }
    return check_window(trace, spec, error);
}

static bool find_origin(struct trace *trace, const struct trace_spec *spec, bool has_start,
                        int64_t start, struct error *error) {
    const struct trace_clock *clock = &trace->reading.clock;
    switch (spec->origin.kind) {
    case MOMENT_NONE:
    case MOMENT_FIRST:
        trace->origin = trace_store_submit(trace->store, 0);
        return true;
    case MOMENT_START:
        if (!has_start) {
            return refuse(spec, error, "`origin: start` needs the scenario's `start`");
        }
        if (clock->kind == CLOCK_COUNT) {
            return refuse(spec, error, "`origin: start` is no time of this trace: %s",
                          trace_clock_advice(clock));
        }
        trace->origin = start;
        return true;
    case MOMENT_CLOCK:
    case MOMENT_WALL:
        break; /* the reader has checked which */
    }
    trace->origin = spec->origin.ns;
    return true;
}

/* Simulated time from the trace's. In long double, whose 64 bits hold every offset exactly. */
static sim_time scaled(const struct trace *trace, int64_t submit) {
    int64_t offset = submit - trace->origin;
    return trace->scale == 1 ? offset : (sim_time)llroundl((long double)offset * trace->scale);
}

static bool check_span(const struct trace *trace, const struct trace_spec *spec,
                       struct error *error) {
    int64_t first = trace_store_submit(trace->store, 0);
    int64_t last = trace_store_submit(trace->store, trace_store_count(trace->store) - 1);
    char first_text[TRACE_CLOCK_TEXT];
    char origin_text[TRACE_CLOCK_TEXT];
    trace_clock_format(&trace->reading.clock, trace->origin, origin_text);
    if (first < trace->origin) {
        trace_clock_format(&trace->reading.clock, first, first_text);
        return refuse(spec, error,
                      "its first %s is of %s, before the origin %s; `from: %s` leaves out what is "
                      "earlier",
                      trace->noun, first_text, origin_text, origin_text);
    }
    int64_t span = 0;
    bool overflow = __builtin_sub_overflow(last, trace->origin, &span);
    if (overflow || (long double)span * trace->scale > (long double)SIM_TIME_LONGEST) {
        return refuse(spec, error,
                      "its last %s would come more than 100 years after the origin "
                      "%s: check `time_unit`, `time_scale` and `origin`",
                      trace->noun, origin_text);
    }
    return true;
}

static void fill_report(struct trace *trace) {
    const struct trace_reading *reading = &trace->reading;
    trace->report = (struct trace_report){
        .rows = reading->rows,
        .kept = trace_store_count(trace->store),
        .skipped = reading->skipped,
        .duplicates = trace_store_duplicates(trace->store),
        .dropped_links = trace->links.dropped,
        .first_skipped = reading->first_skipped,
        .unused_columns = reading->unused_columns,
        .sha256 = reading->sha256,
    };
}

/* What the temporary files report has no place: the trace's name in the scenario is the nearest. */
static bool place_error(const struct trace_spec *spec, struct error *error) {
    if (error->file[0] == '\0') {
        error_set(error, spec->place.file, spec->place.line, spec->place.column, "%s",
                  error->message);
    }
    return false;
}

/* "csv or philly": the formats that hold work of this kind. */
static void list_formats(enum workload_kind kind, char *text, size_t size) {
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < trace_format_count && length < size; i++) {
        if (trace_formats[i].tables[kind] != NULL) {
            int added = snprintf(text + length, size - length, "%s%s", length > 0 ? " or " : "",
                                 trace_formats[i].choice.name);
            length += (size_t)added;
        }
    }
}

static bool check_format(const struct workload_spec *workload, struct error *error) {
    const struct trace_spec *spec = &workload->trace;
    const struct trace_format *format = &trace_formats[spec->format.index];
    char others[200];
    if (format->tables[workload->kind.index] != NULL) {
        return true;
    }
    if (workload->kind.index == WORKLOAD_SERVICE) {
        list_formats(WORKLOAD_SERVICE, others, sizeof(others));
        return refuse(spec, error,
                      "the format %s holds jobs, and this is a service: make it `kind: jobs`, or "
                      "read requests as %s",
                      format->choice.name, others);
    }
    list_formats(WORKLOAD_JOBS, others, sizeof(others));
    return refuse(spec, error,
                  "the format %s holds requests, and this workload consists of jobs: make it "
                  "`kind: service`, or read jobs as %s",
                  format->choice.name, others);
}

static bool resolve_links(struct trace *trace, const struct trace_spec *spec, struct error *error) {
    bool partial = spec->from.kind != MOMENT_NONE || spec->to.kind != MOMENT_NONE ||
                   spec->limit > 0 || trace->reading.skipped > 0;
    struct error found;
    return trace_links_resolve(&trace->links, trace->store, partial, &found) ||
           refuse(spec, error, "%s", found.message);
}

static bool prepare(struct trace *trace, const struct workload_spec *workload, bool has_start,
                    int64_t start, struct error *error) {
    const struct trace_spec *spec = &workload->trace;
    if (!check_format(workload, error) ||
        !trace_read(workload, trace->store, &trace->links, &trace->reading, error) ||
        !check_rows(trace, spec, error) || !trace_store_finish(trace->store, spec->limit, error)) {
        return place_error(spec, error);
    }
    return resolve_links(trace, spec, error) && find_origin(trace, spec, has_start, start, error) &&
           check_span(trace, spec, error);
}

struct trace *trace_prepare(const struct workload_spec *workload, bool has_start, int64_t start,
                            struct error *error) {
    struct trace *trace = memory_zero(1, sizeof(*trace));
    trace->store = trace_store_create((enum workload_kind)workload->kind.index);
    trace->noun = workload->kind.index == WORKLOAD_SERVICE ? "request" : "job";
    trace->scale = workload->trace.time_scale;
    if (!prepare(trace, workload, has_start, start, error)) {
        trace_destroy(trace);
        return NULL;
    }
    fill_report(trace);
    return trace;
}

void trace_destroy(struct trace *trace) {
    if (trace == NULL) {
        return;
    }
    trace_store_destroy(trace->store);
    trace_links_clear(&trace->links);
    free(trace->reading.unused_columns);
    free(trace);
}

const struct trace_report *trace_report(const struct trace *trace) {
    return &trace->report;
}

int64_t trace_count(const struct trace *trace) {
    return trace_store_count(trace->store);
}

int64_t trace_count_before(const struct trace *trace, sim_time until) {
    int64_t low = 0;
    int64_t high = trace_store_count(trace->store);
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (scaled(trace, trace_store_submit(trace->store, middle)) < until) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

void trace_get(const struct trace *trace, int64_t index, struct arrival *arrival,
               char id_buffer[JOB_ID_BUFFER]) {
    trace_store_get(trace->store, index, arrival, id_buffer);
    arrival->submit = scaled(trace, arrival->submit);
}

void trace_label(const struct trace *trace, int64_t index, struct job_label *label) {
    struct arrival job;
    trace_store_get(trace->store, index, &job, label->buffer);
    label->id = job.id;
    label->queue = job.queue;
    label->user = job.user;
}

int32_t trace_owner_count(const struct trace *trace) {
    return trace_store_owner_count(trace->store);
}

void trace_owner(const struct trace *trace, int32_t number, const char **queue, const char **user) {
    trace_store_owner(trace->store, number, queue, user);
}

bool trace_has_dependencies(const struct trace *trace) {
    return trace->links.after != NULL;
}

int64_t trace_after(const struct trace *trace, int64_t index, bool *ok) {
    return trace_links_get(&trace->links, index, ok);
}

static bool moment_equal(const struct trace_moment *a, const struct trace_moment *b) {
    bool has_time = a->kind == MOMENT_CLOCK || a->kind == MOMENT_WALL;
    return a->kind == b->kind && (!has_time || a->ns == b->ns);
}

static bool columns_equal(const struct trace_spec *a, const struct trace_spec *b) {
    if (a->column_count != b->column_count) {
        return false;
    }
    for (size_t i = 0; i < a->column_count; i++) {
        if (strcmp(a->columns[i].ours, b->columns[i].ours) != 0 ||
            strcmp(a->columns[i].theirs, b->columns[i].theirs) != 0) {
            return false;
        }
    }
    return true;
}

static bool spec_equal(const struct trace_spec *a, const struct trace_spec *b) {
    return strcmp(a->file, b->file) == 0 && a->format.index == b->format.index &&
           moment_equal(&a->from, &b->from) && moment_equal(&a->to, &b->to) &&
           a->limit == b->limit && a->time_scale == b->time_scale && a->time_unit == b->time_unit &&
           a->on_error == b->on_error && moment_equal(&a->origin, &b->origin) &&
           columns_equal(a, b);
}

bool trace_same(const struct workload_spec *a, const struct workload_spec *b) {
    struct trace_needs a_needs = trace_needs_of(a);
    struct trace_needs b_needs = trace_needs_of(b);
    return a->kind.index == b->kind.index && spec_equal(&a->trace, &b->trace) &&
           trace_needs_equal(&a_needs, &b_needs);
}
