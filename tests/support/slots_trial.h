/* Made-up clusters of shared GPUs with work for them: what naive_slots.h is told, and the same as
 * parts of a scenario. */
#ifndef TESTS_SUPPORT_SLOTS_TRIAL_H
#define TESTS_SUPPORT_SLOTS_TRIAL_H

#include "scenarios/scenario.h"
#include "tests/support/naive_slots.h"
#include "tests/support/unit.h"

enum { SLOTS_TRIAL_WORKLOADS = 3, SLOTS_TRIAL_SHARINGS = 16, SLOTS_TRIAL_ITEMS = 64 };

/* One of them, with everything that it points to. */
struct slots_trial {
    struct test_random random;
    bool steady;
    bool hosts;
    struct catalogue *catalogue;
    struct naive_slots cluster;
    struct pool_spec pools[NSLOTS_POOLS];
    struct sharing_spec sharings[SLOTS_TRIAL_SHARINGS];
    int sharing_count;
    struct layout_item items[SLOTS_TRIAL_ITEMS];
    int item_count;
    struct gpu_layout gpu_layouts[NSLOTS_POOLS];
    int32_t apart[NSLOTS_POOLS][NSLOTS_GPUS];
    struct workload_spec workloads[SLOTS_TRIAL_WORKLOADS];
    int preference[SLOTS_TRIAL_WORKLOADS][NSLOTS_POOLS];
    struct speed_spec speeds[SLOTS_TRIAL_WORKLOADS][2];
    int first_job[SLOTS_TRIAL_WORKLOADS + 1];
};

extern const char *const slots_trial_workload_names[SLOTS_TRIAL_WORKLOADS];

/* What is made up of it. */
struct slots_trial_wish {
    bool steady; /* nobody is slowed down by others, estimates are exact, and nobody withdraws */
    bool hosts;  /* CPUs are limited where GPUs are shared */
};

/* The same for the same number and wish. Not to be moved: it points into itself. */
void slots_trial_make(struct slots_trial *trial, uint64_t number,
                      const struct slots_trial_wish *wish);
void slots_trial_clear(struct slots_trial *trial);

#endif
