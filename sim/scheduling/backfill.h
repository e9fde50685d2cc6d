/* Backfill: which waiting jobs a scheduling pass may start when the first of them does not fit. One
 * row per rule. */
#ifndef SIM_SCHEDULING_BACKFILL_H
#define SIM_SCHEDULING_BACKFILL_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/choice.h"

struct scheduler;

struct backfill_rule {
    struct choice choice;
    void (*pass)(struct scheduler *scheduler);
    bool reserves; /* looks at the estimated ends of running jobs */
    bool for_all;  /* reserves for every waiting job */
    bool strict;   /* a job that does not fit blocks all behind it */
};

extern const struct backfill_rule backfill_rules[];
extern const size_t backfill_rule_count;

#endif
