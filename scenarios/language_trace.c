/* The keys of workloads.NAME.trace. */
#include "scenarios/language_types.h"
#include "scenarios/scenario.h"

static const struct field_word no_limit[] = {{"none", 0}, {NULL, 0}};
static const struct field_word on_error_words[] = {
    {"fail", ON_ERROR_FAIL}, {"skip", ON_ERROR_SKIP}, {NULL, 0}};
static const struct field_word origin_words[] = {
    {"first", MOMENT_FIRST}, {"start", MOMENT_START}, {NULL, 0}};

static const struct field column_ours = {.type = &field_text, FIELD_AT(struct column_name, ours)};
static const struct field column_theirs = {.summary = "the column's name in the file",
                                           .type = &field_text,
                                           FIELD_AT(struct column_name, theirs)};

const struct field language_trace_fields[] = {
    {.name = "file",
     .summary = "the trace, relative to the scenario file; may be gzipped",
     .type = &field_file,
     FIELD_AT(struct trace_spec, file),
     FIELD_PLACE(struct trace_spec, place),
     .required = true},
    {.name = "format",
     .summary = "how the file is laid out",
     .type = &field_choice,
     FIELD_AT(struct trace_spec, format),
     .registry = "trace format",
     .preset = "csv"},
    {.name = "from",
     .summary = "keep what is submitted at or after this moment",
     .type = &field_moment,
     FIELD_AT(struct trace_spec, from)},
    {.name = "to",
     .summary = "keep what is submitted before this moment",
     .type = &field_moment,
     FIELD_AT(struct trace_spec, to)},
    {.name = "limit",
     .summary = "keep the first so many records",
     .type = &field_integer,
     FIELD_AT(struct trace_spec, limit),
     FIELD_AT_LEAST(1),
     .words = no_limit,
     .preset = "none"},
    {.name = "time_scale",
     .summary = "stretch the times between submissions by this factor; 0.5 doubles the load",
     .type = &field_number,
     FIELD_AT(struct trace_spec, time_scale),
     FIELD_ABOVE(0),
     .preset = "1"},
    {.name = "time_unit",
     .summary = "the unit of the file's bare numbers; the format's own if left out",
     .type = &field_time_unit,
     FIELD_AT(struct trace_spec, time_unit)},
    {.name = "columns",
     .summary = "headroom's name of a column, and the file's own",
     .type = &field_map,
     FIELD_AT(struct trace_spec, columns),
     FIELD_COUNT(struct trace_spec, column_count),
     .key = &column_ours,
     .item = &column_theirs,
     .item_size = sizeof(struct column_name),
     .may_be_empty = true},
    {.name = "on_error",
     .summary = "what to do about a row that cannot be read",
     .type = &field_word,
     FIELD_AT(struct trace_spec, on_error),
     .words = on_error_words,
     .preset = "fail"},
    {.name = "origin",
     .summary = "which moment of the trace is t = 0: the first record kept, the scenario's start, "
                "or a time",
     .type = &field_moment,
     FIELD_AT(struct trace_spec, origin),
     .words = origin_words,
     .preset = "first"},
    {.name = NULL},
};
