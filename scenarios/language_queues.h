/* The keys of scheduler.queues.NAME, and values that only queues and arrays have. */
#ifndef SCENARIOS_LANGUAGE_QUEUES_H
#define SCENARIOS_LANGUAGE_QUEUES_H

#include "scenarios/schema.h"

/* One of `queues:`, and the name of one. */
extern const struct field language_queue;
extern const struct field language_queue_name;

extern const struct field_type language_gpu_amount_type; /* struct gpu_amount */
extern const struct field_type language_array_type;      /* struct array_spec */

#endif
