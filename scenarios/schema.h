/* The schema of the scenario language: tables of field rows say which keys a map may have, how each
 * value is written and where it goes in a struct. Reading, checking and the JSON Schema all follow
 * the same rows, so a key is added in one place. A registry's options are such rows, too. */
#ifndef SCENARIOS_SCHEMA_H
#define SCENARIOS_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

/* A kind of value. The member of the struct that a row points at has the type named here. */
struct field_type;

extern const struct field_type field_text;        /* const char * */
extern const struct field_type field_name;        /* const char *: letters, digits and . _ - */
extern const struct field_type field_boolean;     /* bool */
extern const struct field_type field_integer;     /* int32_t, int64_t or uint64_t */
extern const struct field_type field_number;      /* double */
extern const struct field_type field_duration;    /* sim_time */
extern const struct field_type field_bytes;       /* int64_t */
extern const struct field_type field_rate;        /* double, events per second */
extern const struct field_type field_bandwidth;   /* double, bytes per second */
extern const struct field_type field_power;       /* double, watts */
extern const struct field_type field_share;       /* double; from 0 to 1 unless the row says else */
extern const struct field_type field_time_of_day; /* sim_time since midnight: "14:00" */
extern const struct field_type field_week_days;   /* uint32_t: bits of weekdays: [mon-fri, sun] */
extern const struct field_type field_week_span;   /* struct weekly_span: "mon-fri 21:00-06:00" */
extern const struct field_type field_time_unit;   /* int64_t, nanoseconds of one unit: "ms" */
extern const struct field_type field_timestamp;   /* int64_t, nanoseconds since 1970-01-01 */
extern const struct field_type field_moment;      /* struct trace_moment */
extern const struct field_type field_word;        /* an enum (as int): one of the row's words */
extern const struct field_type field_file;   /* const char *: a path, relative to the scenario */
extern const struct field_type field_gpu;    /* int: row of the GPU catalogue */
extern const struct field_type field_choice; /* struct chosen: a name of a registry */
extern const struct field_type field_distribution; /* struct distribution */
extern const struct field_type field_object;       /* a struct: a map with the keys of `fields` */
extern const struct field_type field_list;         /* ITEM * and size_t: a list of `item` */
extern const struct field_type field_map;          /* ITEM * and size_t: `key` and `item` of each */

/* A word that may stand instead of a value, and the number it stands for. */
struct field_word {
    const char *word; /* NULL ends the words */
    long long value;
};

/* What a number may be, in the units of the struct (nanoseconds, bytes, shares of 1). */
struct field_range {
    bool has_minimum;
    bool has_maximum;
    bool open; /* the minimum itself is excluded */
    double minimum;
    double maximum;
};
#define FIELD_RANGE(low, high)                                                                     \
    .range = {.has_minimum = true, .has_maximum = true, .minimum = (low), .maximum = (high)}
#define FIELD_AT_LEAST(low) .range = {.has_minimum = true, .minimum = (low)}
#define FIELD_ABOVE_TO(low, high)                                                                  \
    .range = {.has_minimum = true,                                                                 \
              .has_maximum = true,                                                                 \
              .open = true,                                                                        \
              .minimum = (low),                                                                    \
              .maximum = (high)}
#define FIELD_ABOVE(low) .range = {.has_minimum = true, .open = true, .minimum = (low)}

/* What the values of a distribution are measured in. */
enum field_dimension { DIMENSION_COUNT, DIMENSION_DURATION, DIMENSION_BYTES };

struct field {
    const char *name;    /* the key; NULL ends a table. Keys, items and options have no name */
    const char *summary; /* one line, for editors and for the reference */
    const struct field_type *type;
    size_t offset; /* of the member that takes the value; see FIELD_AT */
    size_t size;
    size_t count_offset;      /* lists and maps: of the member that takes the number of items */
    bool has_place;           /* of a struct place that takes where the value is written */
    size_t place_offset;      /* (a map's key: where the key is written) */
    bool has_presence;        /* of a bool that tells whether the key was given */
    size_t presence_offset;   /* see FIELD_PRESENCE */
    bool required;            /* else a value left out is as `preset` says, or zero */
    bool may_be_empty;        /* lists and maps: no items are fine */
    const char *preset;       /* the value of a key left out, as one would write it; maps in JSON */
    struct field_range range; /* numbers; every value of a distribution */
    double divisor;           /* numbers: what is read is divided by it (0: by 1) */
    bool whole;               /* distributions: whole numbers only */
    enum field_dimension dimension; /* distributions */
    const struct field_word *words; /* words allowed beside (or, for field_word, as) the value */
    const struct field *fields;     /* objects: the table of keys, ended by a row without a name */
    const struct field *key;        /* maps: how the name of an item is read */
    const struct field *item;       /* lists and maps: how an item is read, offsets within it */
    size_t item_size;               /* lists and maps: bytes of one item */
    const char *registry;           /* choices: the registry's name */
    const char *tag;                /* choices: also written {TAG: name, option: ...} */
    const char *except;             /* choices: a row that cannot be chosen here */
};

#define FIELD_AT(struct_type, member)                                                              \
    .offset = offsetof(struct_type, member), .size = sizeof(((struct_type *)0)->member)
#define FIELD_COUNT(struct_type, member) .count_offset = offsetof(struct_type, member)
#define FIELD_PLACE(struct_type, member)                                                           \
    .has_place = true, .place_offset = offsetof(struct_type, member)
#define FIELD_PRESENCE(struct_type, member)                                                        \
    .has_presence = true, .presence_offset = offsetof(struct_type, member)

/* The options of a registry row are one such row at the start of a block of option_size bytes:
 *
 *     struct mmpp_options { double *rates; size_t rate_count; };
 *     static const struct field mmpp_fields[] = {
 *         {.name = "rates", .summary = "...", .type = &field_list, .required = true,
 *          FIELD_AT(struct mmpp_options, rates), FIELD_COUNT(struct mmpp_options, rate_count),
 *          .item = &(const struct field){.type = &field_rate, .size = sizeof(double)},
 *          .item_size = sizeof(double)},
 *         {0}};
 *     static const struct field mmpp_options = {.type = &field_object, .fields = mmpp_fields};
 */

#endif
