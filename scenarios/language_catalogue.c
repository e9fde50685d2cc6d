#include "scenarios/language_catalogue.h"

/* gpus.NAME.mig */

static const struct field start_item = {
    .type = &field_integer, .size = sizeof(int32_t), FIELD_RANGE(0, 15)};

static const struct field profile_fields[] = {
    {.name = "id",
     .summary = "the number by which nvidia-smi mig -cgi takes it",
     .type = &field_integer,
     FIELD_AT(struct profile_entry, id),
     FIELD_RANGE(0, 1000),
     .required = true},
    {.name = "slices",
     .summary = "how many of the GPU's compute slices an instance takes",
     .type = &field_integer,
     FIELD_AT(struct profile_entry, slices),
     FIELD_RANGE(1, 8),
     .required = true},
    {.name = "units",
     .summary = "how many of the GPU's memory units an instance takes",
     .type = &field_integer,
     FIELD_AT(struct profile_entry, units),
     FIELD_RANGE(1, 16),
     .required = true},
    {.name = "memory",
     .summary = "the memory of an instance",
     .type = &field_bytes,
     FIELD_AT(struct profile_entry, memory),
     FIELD_AT_LEAST(1 << 20)},
    {.name = "sms",
     .summary = "the SMs of an instance",
     .type = &field_integer,
     FIELD_AT(struct profile_entry, sms),
     FIELD_RANGE(1, 100000)},
    {.name = "max_instances",
     .summary = "how many instances of the profile one GPU may have",
     .type = &field_integer,
     FIELD_AT(struct profile_entry, max_instances),
     FIELD_RANGE(1, 16),
     .required = true},
    {.name = "starts",
     .summary = "the memory units at which an instance may begin",
     .type = &field_list,
     FIELD_AT(struct profile_entry, starts),
     FIELD_COUNT(struct profile_entry, start_count),
     .item = &start_item,
     .item_size = sizeof(int32_t),
     .required = true},
    {.name = NULL},
};

static const struct field profile_name = {.type = &field_text,
                                          FIELD_AT(struct profile_entry, name),
                                          FIELD_PLACE(struct profile_entry, place)};
static const struct field profile_item = {.type = &field_object, .fields = profile_fields};

static const struct field mig_fields[] = {
    {.name = "compute_slices",
     .summary = "into how many slices MIG divides the SMs",
     .type = &field_integer,
     FIELD_AT(struct mig_entry, compute_slices),
     FIELD_RANGE(1, 8),
     .required = true},
    {.name = "memory_units",
     .summary = "into how many units MIG divides the memory",
     .type = &field_integer,
     FIELD_AT(struct mig_entry, memory_units),
     FIELD_RANGE(1, 16),
     .required = true},
    {.name = "mode_needs_reset",
     .summary = "whether switching MIG mode takes the whole GPU idle, as on Ampere",
     .type = &field_boolean,
     FIELD_AT(struct mig_entry, mode_needs_reset),
     .preset = "false"},
    {.name = "profiles",
     .summary = "the ways to cut an instance out of the GPU, each under its name",
     .type = &field_map,
     FIELD_AT(struct mig_entry, profiles),
     FIELD_COUNT(struct mig_entry, profile_count),
     .key = &profile_name,
     .item = &profile_item,
     .item_size = sizeof(struct profile_entry),
     .required = true},
    {.name = NULL},
};

/* gpus.NAME */

static const struct field power_fields[] = {
    {.name = "idle",
     .summary = "what it draws without work",
     .type = &field_power,
     FIELD_AT(struct power_entry, idle_watts),
     FIELD_PRESENCE(struct power_entry, has_idle),
     FIELD_RANGE(0, 1e6)},
    {.name = "limit",
     .summary = "the most it draws",
     .type = &field_power,
     FIELD_AT(struct power_entry, limit_watts),
     FIELD_PRESENCE(struct power_entry, has_limit),
     FIELD_ABOVE_TO(0, 1e6)},
    {.name = NULL},
};

static const struct field price_fields[] = {
    {.name = "usd_per_gpu_hour",
     .summary = "list price of one GPU for one hour, in dollars",
     .type = &field_number,
     FIELD_AT(struct list_price_entry, usd_per_gpu_hour),
     FIELD_RANGE(0, 1e9),
     .required = true},
    {.name = "provider",
     .summary = "whose price it is",
     .type = &field_text,
     FIELD_AT(struct list_price_entry, provider),
     .preset = ""},
    {.name = "product",
     .summary = "what the provider calls it",
     .type = &field_text,
     FIELD_AT(struct list_price_entry, product),
     .preset = ""},
    {.name = "date",
     .summary = "when it was the price",
     .type = &field_text,
     FIELD_AT(struct list_price_entry, date),
     .preset = ""},
    {.name = NULL},
};

static const struct field gpu_fields[] = {
    {.name = "source",
     .summary = "where the figures of this entry are from",
     .type = &field_text,
     FIELD_AT(struct gpu_entry, source),
     .required = true},
    {.name = "memory",
     .summary = "its memory, as nvidia-smi tells it",
     .type = &field_bytes,
     FIELD_AT(struct gpu_entry, memory),
     FIELD_PRESENCE(struct gpu_entry, has_memory),
     FIELD_AT_LEAST(1 << 20)},
    {.name = "sms",
     .summary = "its streaming multiprocessors",
     .type = &field_integer,
     FIELD_AT(struct gpu_entry, sms),
     FIELD_RANGE(1, 100000)},
    {.name = "power",
     .summary = "what it draws, idle and at most",
     .type = &field_object,
     FIELD_AT(struct gpu_entry, power),
     .fields = power_fields},
    {.name = "price",
     .summary = "its list price",
     .type = &field_object,
     FIELD_AT(struct gpu_entry, price),
     FIELD_PRESENCE(struct gpu_entry, price.given),
     .fields = price_fields},
    {.name = "mig",
     .summary = "how MIG can cut it",
     .type = &field_object,
     FIELD_AT(struct gpu_entry, mig),
     FIELD_PRESENCE(struct gpu_entry, mig.given),
     .fields = mig_fields},
    {.name = NULL},
};

static const struct field gpu_name = {
    .type = &field_name, FIELD_AT(struct gpu_entry, name), FIELD_PLACE(struct gpu_entry, place)};
static const struct field gpu_item = {.type = &field_object, .fields = gpu_fields};

/* models.NAME */

static const struct field model_fields[] = {
    {.name = "source",
     .summary = "where the figures of this entry are from",
     .type = &field_text,
     FIELD_AT(struct model_entry, source),
     .required = true},
    {.name = "memory",
     .summary = "GPU memory that is taken once per replica",
     .type = &field_bytes,
     FIELD_AT(struct model_entry, memory),
     FIELD_PRESENCE(struct model_entry, has_memory),
     FIELD_ABOVE(0)},
    {.name = "measured_as",
     .summary = "its name in the tables of measured speeds",
     .type = &field_name,
     FIELD_AT(struct model_entry, measured_as),
     FIELD_PLACE(struct model_entry, measured_as_place)},
    {.name = NULL},
};

static const struct field model_name = {.type = &field_name,
                                        FIELD_AT(struct model_entry, name),
                                        FIELD_PLACE(struct model_entry, place)};
static const struct field model_item = {.type = &field_object, .fields = model_fields};

/* The whole. */

static const struct field catalogue_fields[] = {
    {.name = "gpus",
     .summary = "GPUs to add, or to change where the catalogue has one of the name",
     .type = &field_map,
     FIELD_AT(struct catalogue_entries, gpus),
     FIELD_COUNT(struct catalogue_entries, gpu_count),
     .key = &gpu_name,
     .item = &gpu_item,
     .item_size = sizeof(struct gpu_entry),
     .may_be_empty = true},
    {.name = "models",
     .summary = "models to add, or to change where the catalogue has one of the name",
     .type = &field_map,
     FIELD_AT(struct catalogue_entries, models),
     FIELD_COUNT(struct catalogue_entries, model_count),
     .key = &model_name,
     .item = &model_item,
     .item_size = sizeof(struct model_entry),
     .may_be_empty = true},
    {.name = NULL},
};

const struct field language_catalogue = {
    .name = "catalogue", .type = &field_object, .fields = catalogue_fields};
