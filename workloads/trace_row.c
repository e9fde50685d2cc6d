#include "workloads/trace_row.h"

#include <string.h>

#include "scenarios/quantity.h"

/* Cells may hold anything: shows the beginning, without what a terminal might act upon. */
static const char *printable(const char *text, char buffer[48]) {
    const size_t room = 40;
    size_t length = strnlen(text, room + 1);
    bool cut = length > room;
    /* Not in the middle of a UTF-8 character. */
    for (length = cut ? room : length; cut && length > 0 && (text[length] & 0xC0) == 0x80;) {
        length--;
    }
    for (size_t i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)text[i];
        buffer[i] = byte < 0x20 || byte == 0x7F ? '?' : text[i];
    }
    strcpy(buffer + length, cut ? "..." : "");
    return buffer;
}

const char *trace_row_text(const struct trace_row *row, int column) {
    int cell = row->columns->cells[column];
    if (cell < 0) {
        return NULL;
    }
    const char *text = row->cells->text + row->cells->cells[cell];
    return text[0] != '\0' ? text : NULL;
}

bool trace_row_refuse(const struct trace_row *row, int column, const char *why) {
    char shown[48];
    const char *text = trace_row_text(row, column);
    error_set(row->error, row->path, delimited_line(row->cells->line), 0, "%s: '%s': %s",
              row->columns->names[column], text != NULL ? printable(text, shown) : "", why);
    return false;
}

const char *trace_row_required(const struct trace_row *row, int column) {
    const char *text = trace_row_text(row, column);
    if (text == NULL) {
        error_set(row->error, row->path, delimited_line(row->cells->line), 0, "%s: empty",
                  row->columns->names[column]);
    }
    return text;
}

bool trace_row_submit(const struct trace_row *row, int column, sim_time *value) {
    const char *text = trace_row_required(row, column);
    if (text == NULL) {
        return false;
    }
    const char *why = trace_clock_read(row->clock, text, value);
    return why == NULL || trace_row_refuse(row, column, why);
}

/* In parts of PARTS, as a decimal, since some tools write "4.0" of a whole number; a billionth of a
 * GPU still shows as a fraction. */
#define PARTS INT64_C(1000000000)

static bool read_gpus(const struct trace_row *row, int column, int64_t *parts) {
    const char *text = trace_row_required(row, column);
    if (text == NULL) {
        return false;
    }
    if (!decimal_parse_scaled(text, PARTS, parts) || *parts < 0 || *parts / PARTS > INT32_MAX) {
        return trace_row_refuse(row, column, "not a number of GPUs");
    }
    if (*parts == 0) {
        return trace_row_refuse(row, column, "0 GPUs: not a GPU job");
    }
    return true;
}

bool trace_row_gpus(const struct trace_row *row, int column, int32_t *value) {
    int64_t parts = 0;
    if (!read_gpus(row, column, &parts)) {
        return false;
    }
    if (parts % PARTS != 0) {
        return trace_row_refuse(row, column, "this format has no fractions of a GPU");
    }
    *value = (int32_t)(parts / PARTS);
    return true;
}

bool trace_row_gpus_or_share(const struct trace_row *row, int column, int32_t *value,
                             double *share) {
    int64_t parts = 0;
    if (!read_gpus(row, column, &parts)) {
        return false;
    }
    if (parts > PARTS && parts % PARTS != 0) {
        return trace_row_refuse(row, column, "neither whole GPUs nor a part of one");
    }
    *value = parts < PARTS ? 1 : (int32_t)(parts / PARTS);
    *share = parts < PARTS ? (double)parts / (double)PARTS : 0;
    return true;
}

static bool read_share(const struct trace_row *row, int column, int64_t of, const char *why,
                       double *share) {
    const char *text = trace_row_text(row, column);
    if (text == NULL) {
        return true;
    }
    int64_t parts = 0;
    if (!decimal_parse_scaled(text, PARTS / of, &parts) || parts <= 0 || parts > PARTS) {
        return trace_row_refuse(row, column, why);
    }
    *share = (double)parts / (double)PARTS;
    return true;
}

bool trace_row_optional_percent(const struct trace_row *row, int column, double *share) {
    return read_share(row, column, 100, "not a percentage of a GPU, above 0 and at most 100",
                      share);
}

bool trace_row_optional_milli(const struct trace_row *row, int column, double *share) {
    return read_share(row, column, 1000, "not thousandths of a GPU, above 0 and at most 1000",
                      share);
}

static bool read_tokens(const struct trace_row *row, int column, const char *text, int32_t *value) {
    int64_t parts = 0;
    if (!decimal_parse_scaled(text, PARTS, &parts) || parts < 0 || parts % PARTS != 0 ||
        parts / PARTS > INT32_MAX) {
        return trace_row_refuse(row, column, "not a number of tokens");
    }
    *value = (int32_t)(parts / PARTS);
    return true;
}

bool trace_row_tokens(const struct trace_row *row, int column, int32_t *value) {
    const char *text = trace_row_required(row, column);
    return text != NULL && read_tokens(row, column, text, value);
}

bool trace_row_optional_tokens(const struct trace_row *row, int column, int32_t *value) {
    const char *text = trace_row_text(row, column);
    return text == NULL || read_tokens(row, column, text, value);
}

static bool read_duration(const struct trace_row *row, int column, const char *text,
                          sim_time *value) {
    int64_t ns = 0;
    if (!decimal_parse_scaled(text, row->time_unit, &ns)) {
        return trace_row_refuse(row, column, "not a duration, as a number");
    }
    if (ns < 0) {
        return trace_row_refuse(row, column, "a negative duration");
    }
    if (ns > SIM_TIME_LONGEST) {
        return trace_row_refuse(row, column, "longer than 100 years");
    }
    *value = ns;
    return true;
}

bool trace_row_duration(const struct trace_row *row, int column, sim_time *value) {
    const char *text = trace_row_required(row, column);
    return text != NULL && read_duration(row, column, text, value);
}

bool trace_row_optional_duration(const struct trace_row *row, int column, sim_time *value) {
    const char *text = trace_row_text(row, column);
    return text == NULL || read_duration(row, column, text, value);
}

bool trace_row_optional_gib(const struct trace_row *row, int column, int64_t *bytes) {
    const char *text = trace_row_text(row, column);
    if (text == NULL) {
        return true;
    }
    int64_t value = 0;
    if (!decimal_parse_scaled(text, INT64_C(1) << 30, &value)) {
        return trace_row_refuse(row, column, "not a number of GiB");
    }
    if (value < 0) {
        return trace_row_refuse(row, column, "less than no memory");
    }
    *bytes = value;
    return true;
}

static bool read_host_share(const struct trace_row *row, int column, int64_t unit, int32_t gpus,
                            const char *why, int64_t *share) {
    const char *text = trace_row_text(row, column);
    int64_t value = 0;
    if (text == NULL) {
        return true;
    }
    if (!decimal_parse_scaled(text, unit, &value) || value < 0) {
        return trace_row_refuse(row, column, why);
    }
    *share = value / gpus + (value % gpus > 0);
    return true;
}

bool trace_row_optional_cpus(const struct trace_row *row, int column, int64_t unit, int32_t gpus,
                             int64_t *thousandths) {
    return read_host_share(row, column, unit, gpus, "not a number of CPUs", thousandths);
}

bool trace_row_optional_host_memory(const struct trace_row *row, int column, int64_t unit,
                                    int32_t gpus, int64_t *bytes) {
    return read_host_share(row, column, unit, gpus, "not an amount of memory", bytes);
}

bool trace_row_optional_priority(const struct trace_row *row, int column, int32_t *priority) {
    const char *text = trace_row_text(row, column);
    if (text == NULL) {
        return true;
    }
    int64_t value = 0;
    if (!integer_parse(text, &value) || value < 0 || value > 1000000000) {
        return trace_row_refuse(row, column, "not a priority, a whole number from 0 to 1000000000");
    }
    *priority = (int32_t)value;
    return true;
}

bool trace_row_optional_class(const struct trace_row *row, int column, int32_t *priority) {
    const char *text = trace_row_text(row, column);
    if (text == NULL) {
        return true;
    }
    for (int i = 0; i < JOB_CLASS_COUNT; i++) {
        if (strcmp(text, job_class_names[i]) == 0) {
            *priority = job_class_priorities[i];
            return true;
        }
    }
    return trace_row_refuse(row, column, "not a class: inference, finetuning or training");
}
