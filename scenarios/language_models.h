/* What a model needs: the keys of `models.NAME`, which a workload may have, too. */
#ifndef SCENARIOS_LANGUAGE_MODELS_H
#define SCENARIOS_LANGUAGE_MODELS_H

#include "scenarios/schema.h"

/* One of `models:`, and the name of one. */
extern const struct field language_model;
extern const struct field language_model_name;

extern const struct field_type language_model_type;   /* const char *: a known model */
extern const struct field_type language_profile_type; /* const char *: a MIG profile of any GPU */
extern const struct field_type language_memory_type;  /* struct memory_spec */
/* struct distribution: the load_time of a struct model_spec, or its load_from_storage. */
extern const struct field_type language_load_time_type;
extern const struct field_type language_speed_type; /* the speeds of a struct model_spec */

/* The rows over a struct model_spec, which is PART (`needs.`, or nothing) of the struct OWNER. */
#define MODEL_FIELDS(OWNER, PART)                                                                  \
    {.name = "memory",                                                                             \
     .summary =                                                                                    \
         "GPU memory that is taken once per replica, or on each GPU of a job; {start: 6GB, "       \
         "growth: 50MB/h} for one that leaks",                                                     \
     .type = &language_memory_type,                                                                \
     FIELD_AT(OWNER, PART memory),                                                                 \
     .preset = "0"},                                                                               \
        {.name = "saturation",                                                                     \
         .summary = "the share of a GPU's SMs beyond which it gets no faster",                     \
         .type = &field_share,                                                                     \
         FIELD_AT(OWNER, PART saturation),                                                         \
         FIELD_ABOVE_TO(0, 1),                                                                     \
         .preset = "1"},                                                                           \
        {.name = "load_time",                                                                      \
         .summary = "how long it loads before a replica serves; storage: as long as the pool's "   \
                    "storage needs for its memory",                                                \
         .type = &language_load_time_type,                                                         \
         FIELD_AT(OWNER, PART load_time),                                                          \
         FIELD_RANGE(0, (double)SIM_TIME_LONGEST),                                                 \
         .dimension = DIMENSION_DURATION,                                                          \
         .preset = "0"},                                                                           \
        {.name = "speed",                                                                          \
         .summary = "its speed on GPUs other than the reference GPU and on MIG profiles, such as " \
                    "{T4-16GB: 0.2, 3g.40gb: 0.6}; measured: on profiles, the catalogue's "        \
                    "tables; catalogue: on other GPUs, by their SMs, an estimate",                 \
         .type = &language_speed_type,                                                             \
         FIELD_AT(OWNER, PART speeds),                                                             \
         .may_be_empty = true},                                                                    \
        {.name = "measured_as",                                                                    \
         .summary = "its name in the catalogue's tables of measured speeds",                       \
         .type = &field_name,                                                                      \
         FIELD_AT(OWNER, PART measured_as)},                                                       \
    {                                                                                              \
        .name = "measured_batch", .summary = "the batch size at which those are read",             \
        .type = &field_number, FIELD_AT(OWNER, PART measured_batch), FIELD_RANGE(1, 1e6),          \
        .preset = "1"                                                                              \
    }

#endif
