#include "scenarios/language_sharing.h"

#include <stdlib.h>
#include <string.h>

#include "scenarios/quantity.h"
#include "scenarios/schema_engine.h"
#include "scenarios/sharing_spec.h"

/* mig: one entry of a layout. */

enum { MOST_EQUAL_INSTANCES = 16 };

static const struct field item_fields[] = {
    {.name = "profile",
     .summary = "the MIG profile, by its name such as 1g.10gb or its id",
     .type = &field_text,
     FIELD_AT(struct layout_item, profile),
     .required = true},
    {.name = "count",
     .summary = "how many such instances",
     .type = &field_integer,
     FIELD_AT(struct layout_item, count),
     FIELD_RANGE(1, MOST_EQUAL_INSTANCES),
     .preset = "1"},
    {.name = "sharing",
     .summary = "how tenants share each of these instances, which are not cut again",
     .type = &field_choice,
     FIELD_AT(struct layout_item, sharing),
     .registry = "sharing",
     .tag = "mode",
     .except = "mig",
     .preset = "exclusive"},
    {.name = NULL},
};
static const struct field item_object = {.type = &field_object, .fields = item_fields};

/* "7x1g.10gb", "7 x 1g.10gb" or "7*1g.10gb": the count, and the profile; 0: it is none of these. */
static int counted_profile(const char *text, const char **profile) {
    size_t digits = strspn(text, "0123456789");
    const char *rest = text + digits + strspn(text + digits, " ");
    if (digits == 0 || digits > 2 || (rest[0] != 'x' && rest[0] != '*')) {
        return 0;
    }
    *profile = rest + 1 + strspn(rest + 1, " ");
    return atoi(text);
}

static bool layout_item_read(struct reading *reading, const struct field *field, struct node *node,
                             void *target) {
    struct layout_item *item = target;
    if (node->kind != NODE_SCALAR) {
        return node->kind == NODE_MAP
                   ? fields_read(reading, item_fields, node, item, NULL)
                   : reading_refuse_value(reading, field, node,
                                          "a MIG profile such as 3g.40gb, or a map such as "
                                          "{profile: 1g.10gb, count: 7}",
                                          NULL);
    }
    const char *profile;
    int count = counted_profile(node->text, &profile);
    if (count > 0) {
        char found[96];
        return reading_refuse(reading, node->place,
                              "names one instance at a time: write {profile: %.40s, count: %d}, "
                              "not %s",
                              profile, count, text_describe(node->text, found, sizeof(found)));
    }
    field_object.preset(reading, &item_object, item);
    item->profile = arena_duplicate_string(&reading->scenario->arena, node->text);
    return true;
}

static void layout_item_describe(const struct reader_context *context, const struct field *field,
                                 json_t *schema) {
    (void)field;
    json_t *object = json_object();
    fields_describe(context, item_fields, object);
    json_object_set_new(schema, "anyOf",
                        json_pack("[{s:[s, s], s:s}, o]", "type", "string", "integer",
                                  "description", item_fields[0].summary, object));
}

static const struct field_type layout_item_type = {
    .size = sizeof(struct layout_item), .read = layout_item_read, .describe = layout_item_describe};
static const struct field layout_item = {.type = &layout_item_type,
                                         .size = sizeof(struct layout_item),
                                         FIELD_PLACE(struct layout_item, place)};

/* mig */

static const struct field_word drain_words[] = {
    {"wait", DRAIN_WAIT}, {"preempt", DRAIN_PREEMPT}, {"kill", DRAIN_KILL}, {NULL, 0}};
static const struct field_word no_drain_limit[] = {{"none", SIM_TIME_NEVER}, {NULL, 0}};
static const struct field_word any_number[] = {{"none", INT64_MAX}, {NULL, 0}};

static const struct field reconfigure_fields[] = {
    {.name = "time",
     .summary = "how long cutting a GPU anew takes, once the instances that change are idle",
     .type = &field_distribution,
     FIELD_AT(struct reconfigure_spec, time),
     FIELD_RANGE(0, (double)SIM_TIME_LONGEST),
     .dimension = DIMENSION_DURATION,
     .preset = "{\"uniform\": [\"10s\", \"30s\"]}"},
    {.name = "mode_time",
     .summary = "how long switching a GPU's MIG mode on or off takes",
     .type = &field_distribution,
     FIELD_AT(struct reconfigure_spec, mode_time),
     FIELD_RANGE(0, (double)SIM_TIME_LONGEST),
     .dimension = DIMENSION_DURATION,
     .preset = "{\"uniform\": [\"10s\", \"30s\"]}"},
    {.name = "drain",
     .summary = "how the instances that a calendar changes become idle: wait for what runs there, "
                "preempt it, or kill it",
     .type = &field_word,
     FIELD_AT(struct reconfigure_spec, drain),
     .words = drain_words,
     .preset = "wait"},
    {.name = "drain_limit",
     .summary = "how long a GPU of a calendar waits, or preempts, before it kills what is left",
     .type = &field_duration,
     FIELD_AT(struct reconfigure_spec, drain_limit),
     .words = no_drain_limit,
     .preset = "none"},
    {.name = "at_most",
     .summary = "how many GPUs a calendar takes out of use at a time; the others keep their layout "
                "until it is their turn",
     .type = &field_integer,
     FIELD_AT(struct reconfigure_spec, at_most),
     FIELD_AT_LEAST(1),
     .words = any_number,
     .preset = "none"},
    {.name = NULL},
};

/* mig: one entry of a calendar. */

static const struct field_word calendar_modes[] = {
    {"mig", CALENDAR_MIG}, {"exclusive", CALENDAR_EXCLUSIVE}, {NULL, 0}};
static const struct field_word end_of_day[] = {{"24:00", NANOSECONDS_PER_DAY}, {NULL, 0}};

static const struct field calendar_fields[] = {
    {.name = "days",
     .summary = "the days of the week on which it begins, such as mon-fri or [sat, sun]",
     .type = &field_week_days,
     FIELD_AT(struct calendar_entry, span.days),
     .preset = "mon-sun"},
    {.name = "from",
     .summary = "the time of day at which it begins",
     .type = &field_time_of_day,
     FIELD_AT(struct calendar_entry, span.from),
     .preset = "00:00"},
    {.name = "to",
     .summary = "the time of day at which it ends: on the next day, if not after `from`",
     .type = &field_time_of_day,
     FIELD_AT(struct calendar_entry, span.to),
     .words = end_of_day,
     .preset = "24:00"},
    {.name = "mode",
     .summary = "mig: GPUs are cut as its layout says; exclusive: they are whole",
     .type = &field_word,
     FIELD_AT(struct calendar_entry, mode),
     .words = calendar_modes,
     .preset = "mig"},
    {.name = "layout",
     .summary = "mig: the instances that each GPU is cut into at these hours",
     .type = &field_list,
     FIELD_AT(struct calendar_entry, layout),
     FIELD_COUNT(struct calendar_entry, layout_count),
     .item = &layout_item,
     .item_size = sizeof(struct layout_item)},
    {.name = NULL},
};
static const struct field calendar_entry = {
    .type = &field_object, .fields = calendar_fields, FIELD_PLACE(struct calendar_entry, place)};

static const struct field mig_fields[] = {
    {.name = "layout",
     .summary = "the instances that each GPU is cut into, such as [3g.40gb, 2g.20gb, 2g.20gb]",
     .type = &field_list,
     FIELD_AT(struct sharing_spec, layout),
     FIELD_COUNT(struct sharing_spec, layout_count),
     .item = &layout_item,
     .item_size = sizeof(struct layout_item)},
    {.name = "dynamic",
     .summary = "whether GPUs are cut anew for what waits",
     .type = &field_boolean,
     FIELD_AT(struct sharing_spec, dynamic),
     .preset = "false"},
    {.name = "hysteresis",
     .summary = "where GPUs are cut for what waits: how long an instance has to be idle before it "
                "may be destroyed; above 0, idle instances are used first",
     .type = &field_duration,
     FIELD_AT(struct sharing_spec, hysteresis),
     .preset = "0"},
    {.name = "reconfigure",
     .summary = "what cutting a GPU anew takes",
     .type = &field_object,
     FIELD_AT(struct sharing_spec, reconfigure),
     .fields = reconfigure_fields},
    {.name = "calendar",
     .summary = "hours of the week at which GPUs are cut in another way, or whole; at other times "
                "they are as `layout` says",
     .type = &field_list,
     FIELD_AT(struct sharing_spec, calendar),
     FIELD_COUNT(struct sharing_spec, calendar_count),
     .item = &calendar_entry,
     .item_size = sizeof(struct calendar_entry)},
    {.name = NULL},
};
const struct field sharing_mig_options = {.type = &field_object, .fields = mig_fields};

/* mps */

enum { MOST_TENANTS = 10000 };

static const struct field_word no_limit[] = {{"none", 0}, {NULL, 0}};
static const struct field_word oom_words[] = {
    {"client", OOM_CLIENT}, {"gpu", OOM_GPU}, {"node", OOM_NODE}, {NULL, 0}};

static const struct field mps_fields[] = {
    {.name = "clients",
     .summary = "how many tenants a GPU takes at a time; the driver allows 48",
     .type = &field_integer,
     FIELD_AT(struct sharing_spec, clients),
     FIELD_RANGE(1, MOST_TENANTS),
     .preset = "48"},
    {.name = "thread_percentage",
     .summary = "the share of the GPU's SMs that one tenant may use at most",
     .type = &field_share,
     FIELD_AT(struct sharing_spec, thread_percentage),
     FIELD_ABOVE_TO(0, 1),
     .preset = "100%"},
    {.name = "interference",
     .summary = "how much slower a tenant gets for each GPU's worth of SMs that others demand",
     .type = &field_share,
     FIELD_AT(struct sharing_spec, interference),
     FIELD_RANGE(0, 1000),
     .preset = "0"},
    {.name = "memory_limit",
     .summary = "GPU memory that one tenant may use at most",
     .type = &field_bytes,
     FIELD_AT(struct sharing_spec, memory_limit),
     FIELD_ABOVE(0),
     .words = no_limit,
     .preset = "none"},
    {.name = "oom",
     .summary = "what running out of memory kills: the client that asks, all of its GPU, or all of "
                "its node",
     .type = &field_word,
     FIELD_AT(struct sharing_spec, oom),
     .words = oom_words,
     .preset = "client"},
    {.name = NULL},
};
const struct field sharing_mps_options = {.type = &field_object, .fields = mps_fields};

/* timeslice */

static const struct field timeslice_fields[] = {
    {.name = "replicas",
     .summary = "how many tenants take turns on one GPU",
     .type = &field_integer,
     FIELD_AT(struct sharing_spec, replicas),
     FIELD_RANGE(1, MOST_TENANTS),
     .required = true},
    {.name = "slice",
     .summary = "how long a tenant runs before the next one gets its turn",
     .type = &field_duration,
     FIELD_AT(struct sharing_spec, slice),
     FIELD_ABOVE(0),
     .preset = "2ms"},
    {.name = "switch",
     .summary = "how long changing from one tenant to another takes, when nothing runs",
     .type = &field_duration,
     FIELD_AT(struct sharing_spec, switch_time),
     .preset = "200us"},
    {.name = NULL},
};
const struct field sharing_timeslice_options = {.type = &field_object, .fields = timeslice_fields};

/* layouts */

static const struct field gpu_index = {
    .type = &field_integer, .size = sizeof(int32_t), FIELD_RANGE(0, 63)};

static const struct field gpu_layout_fields[] = {
    {.name = "gpus",
     .summary = "which GPUs of every node, counted from 0",
     .type = &field_list,
     FIELD_AT(struct gpu_layout, gpus),
     FIELD_COUNT(struct gpu_layout, gpu_count),
     .item = &gpu_index,
     .item_size = sizeof(int32_t),
     .required = true},
    {.name = "sharing",
     .summary = "how tenants share these GPUs",
     .type = &field_choice,
     FIELD_AT(struct gpu_layout, sharing),
     .registry = "sharing",
     .tag = "mode",
     .required = true},
    {.name = NULL},
};
const struct field language_gpu_layout = {
    .type = &field_object, .fields = gpu_layout_fields, FIELD_PLACE(struct gpu_layout, place)};
