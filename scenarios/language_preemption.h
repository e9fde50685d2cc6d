/* The keys of scheduler.preemption and of a workload's checkpoint. */
#ifndef SCENARIOS_LANGUAGE_PREEMPTION_H
#define SCENARIOS_LANGUAGE_PREEMPTION_H

#include "scenarios/schema.h"

extern const struct field language_preemption_fields[];
extern const struct field language_checkpoint_fields[];

#endif
