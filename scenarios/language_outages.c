#include "scenarios/language_outages.h"

#include "scenarios/outage_spec.h"

/* faults */

static const struct field fault_fields[] = {
    {.name = "mtbf",
     .summary = "how long one of them works, from a repair to the next fault",
     .type = &field_distribution,
     FIELD_AT(struct fault_spec, mtbf),
     FIELD_ABOVE_TO(0, (double)SIM_TIME_LONGEST),
     .dimension = DIMENSION_DURATION,
     .required = true},
    {.name = "mttr",
     .summary = "how long a repair takes, during which it cannot be used",
     .type = &field_distribution,
     FIELD_AT(struct fault_spec, mttr),
     FIELD_RANGE(0, (double)SIM_TIME_LONGEST),
     .dimension = DIMENSION_DURATION,
     .required = true},
    {.name = NULL},
};

#define FAULT(NAME, SUMMARY, KIND)                                                                 \
    {                                                                                              \
        .name = NAME, .summary = SUMMARY, .type = &field_object,                                   \
        FIELD_AT(struct outage_spec, faults[KIND]),                                                \
        FIELD_PRESENCE(struct outage_spec, faults[KIND].given),                                    \
        FIELD_PLACE(struct outage_spec, faults[KIND].place), .fields = fault_fields                \
    }

const struct field language_fault_fields[] = {
    FAULT("gpu", "of a GPU, with all its instances and shares, for each GPU", FAULT_GPU),
    FAULT("instance", "of one MIG instance, for each of them", FAULT_INSTANCE),
    FAULT("mps", "of an MPS server, for each GPU or instance that is shared by one", FAULT_MPS),
    FAULT("node", "of a node with all its GPUs, for each node", FAULT_NODE),
    {.name = NULL},
};

/* maintenance */

static const struct field_word end_of_day[] = {{"24:00", NANOSECONDS_PER_DAY}, {NULL, 0}};
static const struct field_word weekly[] = {{"weekly", SIM_TIME_NEVER}, {NULL, 0}};
static const struct field_word to_the_end[] = {{"hours", SIM_TIME_NEVER}, {NULL, 0}};
static const struct field_word no_limit[] = {{"none", SIM_TIME_NEVER}, {NULL, 0}};
static const struct field_word any_number[] = {{"none", INT32_MAX}, {NULL, 0}};
static const struct field_word drain_words[] = {
    {"wait", DRAIN_WAIT}, {"preempt", DRAIN_PREEMPT}, {"kill", DRAIN_KILL}, {NULL, 0}};
const struct field language_node_number = {
    .type = &field_integer, .size = sizeof(int32_t), FIELD_RANGE(0, 10000000)};

static const struct field maintenance_fields[] = {
    {.name = "nodes",
     .summary = "which nodes, counted from 0; each if left out",
     .type = &field_list,
     FIELD_AT(struct maintenance_spec, nodes),
     FIELD_COUNT(struct maintenance_spec, node_count),
     .item = &language_node_number,
     .item_size = sizeof(int32_t)},
    {.name = "at",
     .summary = "how long after the start it begins, once; weekly: at the hours below",
     .type = &field_duration,
     FIELD_AT(struct maintenance_spec, at),
     .words = weekly,
     .preset = "weekly"},
    {.name = "days",
     .summary = "weekly: the days on which it begins, such as sun or [sat, sun]",
     .type = &field_week_days,
     FIELD_AT(struct maintenance_spec, span.days),
     .preset = "mon-sun"},
    {.name = "from",
     .summary = "weekly: the time of day at which it begins",
     .type = &field_time_of_day,
     FIELD_AT(struct maintenance_spec, span.from),
     .preset = "00:00"},
    {.name = "to",
     .summary = "weekly: the time of day from which on no further node is begun with: on the next "
                "day, if not after `from`",
     .type = &field_time_of_day,
     FIELD_AT(struct maintenance_spec, span.to),
     .words = end_of_day,
     .preset = "24:00"},
    {.name = "duration",
     .summary = "how long one node is down; hours: to the end of the hours, where it is weekly",
     .type = &field_duration,
     FIELD_AT(struct maintenance_spec, duration),
     .words = to_the_end,
     .preset = "hours"},
    {.name = "drain",
     .summary = "how a node is emptied: wait for what runs there, preempt it, or kill it",
     .type = &field_word,
     FIELD_AT(struct maintenance_spec, drain),
     .words = drain_words,
     .preset = "wait"},
    {.name = "drain_limit",
     .summary = "how long a node waits, or preempts, before it kills what is left",
     .type = &field_duration,
     FIELD_AT(struct maintenance_spec, drain_limit),
     .words = no_limit,
     .preset = "none"},
    {.name = "at_most",
     .summary = "how many nodes at a time; the others stay in use until it is their turn",
     .type = &field_integer,
     FIELD_AT(struct maintenance_spec, at_most),
     FIELD_RANGE(1, INT32_MAX),
     .words = any_number,
     .preset = "none"},
    {.name = NULL},
};
const struct field language_maintenance = {.type = &field_object,
                                           .fields = maintenance_fields,
                                           FIELD_PLACE(struct maintenance_spec, place)};

/* spot */

const struct field language_spot_fields[] = {
    {.name = "reclaim",
     .summary = "how long a node is there before it is reclaimed",
     .type = &field_distribution,
     FIELD_AT(struct spot_spec, reclaim),
     FIELD_ABOVE_TO(0, (double)SIM_TIME_LONGEST),
     .dimension = DIMENSION_DURATION,
     .required = true},
    {.name = "notice",
     .summary = "how long before that the jobs there are told, and may save",
     .type = &field_duration,
     FIELD_AT(struct spot_spec, notice),
     .preset = "0"},
    {.name = "back_after",
     .summary = "how long until it, or another in its place, is there again",
     .type = &field_distribution,
     FIELD_AT(struct spot_spec, back_after),
     FIELD_RANGE(0, (double)SIM_TIME_LONGEST),
     .dimension = DIMENSION_DURATION,
     .required = true},
    {.name = NULL},
};

/* capacity */

static const struct field capacity_fields[] = {
    {.name = "days",
     .summary = "the days of the week on which these hours begin, such as sun or [sat, sun]",
     .type = &field_week_days,
     FIELD_AT(struct capacity_spec, span.days),
     .preset = "mon-sun"},
    {.name = "from",
     .summary = "the time of day at which they begin",
     .type = &field_time_of_day,
     FIELD_AT(struct capacity_spec, span.from),
     .preset = "00:00"},
    {.name = "to",
     .summary = "the time of day at which they end: on the next day, if not after `from`",
     .type = &field_time_of_day,
     FIELD_AT(struct capacity_spec, span.to),
     .words = end_of_day,
     .preset = "24:00"},
    {.name = "nodes",
     .summary = "how many of its nodes the pool has at these hours, the first ones",
     .type = &field_integer,
     FIELD_AT(struct capacity_spec, nodes),
     FIELD_RANGE(0, 10000000),
     .required = true},
    {.name = "drain",
     .summary = "how the others are emptied: wait for what runs there, preempt it, or kill it",
     .type = &field_word,
     FIELD_AT(struct capacity_spec, drain),
     .words = drain_words,
     .preset = "wait"},
    {.name = "drain_limit",
     .summary = "how long a node waits, or preempts, before it kills what is left",
     .type = &field_duration,
     FIELD_AT(struct capacity_spec, drain_limit),
     .words = no_limit,
     .preset = "none"},
    {.name = NULL},
};
const struct field language_capacity = {
    .type = &field_object, .fields = capacity_fields, FIELD_PLACE(struct capacity_spec, place)};

/* occupied */

static const struct field_word to_the_last[] = {{"ever", SIM_TIME_NEVER}, {NULL, 0}};

static const struct field occupied_fields[] = {
    {.name = "node",
     .summary = "which node, counted from 0",
     .type = &field_integer,
     FIELD_AT(struct occupied_spec, node),
     FIELD_RANGE(0, 10000000),
     .required = true},
    {.name = "gpus",
     .summary = "how many of its GPUs, the first that are left",
     .type = &field_integer,
     FIELD_AT(struct occupied_spec, gpus),
     FIELD_RANGE(1, 64),
     .required = true},
    {.name = "for",
     .summary = "how long from the start; ever: to the end",
     .type = &field_duration,
     FIELD_AT(struct occupied_spec, until),
     FIELD_ABOVE(0),
     .words = to_the_last,
     .preset = "ever"},
    {.name = NULL},
};
const struct field language_occupied = {
    .type = &field_object, .fields = occupied_fields, FIELD_PLACE(struct occupied_spec, place)};

/* autoscale */

static const struct field_word all_nodes[] = {{"nodes", INT32_MAX}, {NULL, 0}};

const struct field language_autoscale_fields[] = {
    {.name = "least",
     .summary = "how many nodes are up at least, and at the start",
     .type = &field_integer,
     FIELD_AT(struct autoscale_spec, least),
     FIELD_RANGE(0, 10000000),
     .preset = "0"},
    {.name = "most",
     .summary = "how many nodes are up or on their way at most; nodes: all that the pool has",
     .type = &field_integer,
     FIELD_AT(struct autoscale_spec, most),
     FIELD_RANGE(1, 10000000),
     .words = all_nodes,
     .preset = "nodes"},
    {.name = "provision_time",
     .summary = "how long it takes from the order of a node until it is up",
     .type = &field_distribution,
     FIELD_AT(struct autoscale_spec, provision_time),
     FIELD_RANGE(0, (double)SIM_TIME_LONGEST),
     .dimension = DIMENSION_DURATION,
     .required = true},
    {.name = "idle_time",
     .summary = "how long nobody has had any of a node before it goes",
     .type = &field_duration,
     FIELD_AT(struct autoscale_spec, idle_time),
     .preset = "10m"},
    {.name = NULL},
};
