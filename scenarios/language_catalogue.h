/* The language of a catalogue file: GPUs and models, added to the program's catalogue or in place
 * of what it says of them. */
#ifndef SCENARIOS_LANGUAGE_CATALOGUE_H
#define SCENARIOS_LANGUAGE_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/place.h"
#include "scenarios/schema.h"

struct profile_entry {
    const char *name; /* 1g.5gb */
    struct place place;
    int32_t id;
    int32_t slices;
    int32_t units;
    int64_t memory; /* bytes; 0: not given */
    int32_t sms;    /* 0: not given */
    int32_t max_instances;
    int32_t *starts;
    size_t start_count;
};

struct mig_entry {
    bool given;
    int32_t compute_slices;
    int32_t memory_units;
    bool mode_needs_reset;
    struct profile_entry *profiles;
    size_t profile_count;
};

struct power_entry {
    bool has_idle;
    bool has_limit;
    double idle_watts;
    double limit_watts;
};

struct list_price_entry {
    bool given;
    double usd_per_gpu_hour;
    const char *provider; /* "" if not given, like the rest */
    const char *product;
    const char *date;
};

struct gpu_entry {
    const char *name;
    struct place place;
    const char *source;
    bool has_memory;
    int64_t memory; /* bytes */
    int32_t sms;    /* 0: not given */
    struct power_entry power;
    struct list_price_entry price;
    struct mig_entry mig;
};

struct model_entry {
    const char *name;
    struct place place;
    const char *source;
    bool has_memory;
    int64_t memory;          /* bytes */
    const char *measured_as; /* NULL: not given */
    struct place measured_as_place;
};

struct catalogue_entries {
    struct gpu_entry *gpus;
    size_t gpu_count;
    struct model_entry *models;
    size_t model_count;
};

/* The whole file: an object over struct catalogue_entries. */
extern const struct field language_catalogue;

#endif
