#include "workloads/trace_reader.h"

#include "workloads/draws.h"
#include "workloads/fingerprint.h"
#include "workloads/trace_format.h"
#include "workloads/trace_header.h"
#include "workloads/trace_needs.h"
#include "workloads/trace_row.h"

struct reader {
    const struct workload_spec *workload;
    const struct trace_spec *spec;
    struct trace_needs needs;
    struct delimited *rows;
    struct trace_columns columns;
    struct trace_store *store;
    struct trace_links *links;
    struct trace_reading *reading;
    bool moments_checked;
};

static bool check_moment(const struct reader *reader, const char *key,
                         const struct trace_moment *moment, struct error *error) {
    const struct trace_spec *spec = reader->spec;
    bool written = moment->kind == MOMENT_CLOCK || moment->kind == MOMENT_WALL;
    if (!written || trace_clock_has(&reader->reading->clock, moment)) {
        return true;
    }
    error_set(error, spec->place.file, spec->place.line, spec->place.column,
              "trace '%s': `%s` is no time of this trace: %s", spec->file, key,
              trace_clock_advice(&reader->reading->clock));
    return false;
}

/* Once the first row has settled which clock it is. */
static bool check_moments(struct reader *reader, struct error *error) {
    const struct trace_spec *spec = reader->spec;
    reader->moments_checked = true;
    return check_moment(reader, "from", &spec->from, error) &&
           check_moment(reader, "to", &spec->to, error) &&
           check_moment(reader, "origin", &spec->origin, error);
}

static bool inside(const struct trace_spec *spec, int64_t submit) {
    return (spec->from.kind == MOMENT_NONE || submit >= spec->from.ns) &&
           (spec->to.kind == MOMENT_NONE || submit < spec->to.ns);
}

static bool make_arrival(struct reader *reader, const struct delimited_row *cells,
                         struct arrival *arrival, struct error *error) {
    const struct trace_spec *spec = reader->spec;
    if (cells->cell_count != reader->columns.cell_count) {
        error_set(error, spec->file, delimited_line(cells->line), 0,
                  "%zu cells, where the header has %zu", cells->cell_count,
                  reader->columns.cell_count);
        return false;
    }
    struct trace_row row = {
        .path = spec->file,
        .cells = cells,
        .columns = &reader->columns,
        .clock = &reader->reading->clock,
        .time_unit = reader->reading->clock.unit,
        .error = error,
    };
    *arrival = (struct arrival){
        .number = reader->reading->rows,
        .duration = ARRIVAL_ABSENT,
        .max_wait = ARRIVAL_ABSENT,
        .priority = ARRIVAL_ABSENT,
        .prompt_tokens = ARRIVAL_ABSENT,
        .output_tokens = ARRIVAL_ABSENT,
        .compute = ARRIVAL_ABSENT,
        .estimate = ARRIVAL_ABSENT,
        .memory = ARRIVAL_ABSENT,
        .cpus = ARRIVAL_ABSENT,
        .host_memory = ARRIVAL_ABSENT,
    };
    return reader->columns.table->read(&row, arrival) &&
           trace_needs_check_row(&reader->needs, &row, arrival);
}

static bool keep_arrival(struct reader *reader, const struct delimited_row *cells,
                         const struct arrival *arrival, struct error *error) {
    struct trace_reading *reading = reader->reading;
    bool first = reading->rows == reading->skipped + 1;
    if (first || arrival->submit < reading->earliest) {
        reading->earliest = arrival->submit;
    }
    if (first || arrival->submit > reading->latest) {
        reading->latest = arrival->submit;
    }
    if (!inside(reader->spec, arrival->submit)) {
        return true;
    }
    reading->kept++;
    if (arrival->waits_on != NULL) {
        trace_links_add(reader->links, arrival->number, arrival->waits_on, arrival->after_ok);
    }
    return trace_store_append(reader->store, arrival, fingerprint(cells->text, cells->text_size),
                              error);
}

/* A row that cannot be read: skipped and counted, or the end of it. */
static bool tolerate(struct reader *reader, const struct error *error) {
    if (reader->spec->on_error != ON_ERROR_SKIP) {
        return false;
    }
    if (reader->reading->skipped++ == 0) {
        reader->reading->first_skipped = *error;
    }
    return true;
}

static bool read_rows(struct reader *reader, struct error *error) {
    for (;;) {
        struct delimited_row cells;
        struct arrival arrival;
        enum delimited_result result = delimited_next(reader->rows, &cells, error);
        if (result == DELIMITED_END || result == DELIMITED_FAILED) {
            return result == DELIMITED_END;
        }
        reader->reading->rows++;
        bool good = result == DELIMITED_ROW && make_arrival(reader, &cells, &arrival, error);
        if (good && !reader->moments_checked && !check_moments(reader, error)) {
            return false;
        }
        if (good ? !keep_arrival(reader, &cells, &arrival, error) : !tolerate(reader, error)) {
            return false;
        }
    }
}

static bool read_header(struct reader *reader, struct error *error) {
    struct delimited_row header;
    enum delimited_result result = delimited_next(reader->rows, &header, error);
    if (result == DELIMITED_END) {
        error_set(error, reader->spec->file, 0, 0, "the file is empty");
    }
    if (result != DELIMITED_ROW ||
        !trace_columns_find(&reader->columns, reader->workload, &header, error) ||
        !trace_needs_check_header(&reader->needs, &reader->columns, reader->spec, error)) {
        return false;
    }
    reader->reading->unused_columns = trace_columns_unused(&reader->columns, &header);
    return true;
}

bool trace_read(const struct workload_spec *workload, struct trace_store *store,
                struct trace_links *links, struct trace_reading *reading, struct error *error) {
    const struct trace_spec *spec = &workload->trace;
    const struct trace_format *format = &trace_formats[spec->format.index];
    struct stored_file *file = stored_file_open(spec->file, &spec->place, error);
    if (file == NULL) {
        return false;
    }
    reading->clock = (struct trace_clock){
        .rule = format->clock,
        .unit = spec->time_unit > 0 ? spec->time_unit : format->time_unit,
    };
    struct reader reader = {
        .workload = workload,
        .spec = spec,
        .needs = trace_needs_of(workload),
        .rows = delimited_create(file, spec->file),
        .store = store,
        .links = links,
        .reading = reading,
    };
    bool read = read_header(&reader, error) && read_rows(&reader, error);
    if (read) {
        stored_file_digest(file, reading->sha256);
    }
    trace_columns_clear(&reader.columns);
    delimited_destroy(reader.rows);
    stored_file_close(file);
    return read;
}
