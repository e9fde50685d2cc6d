/* What no single value shows: whether the parts of a scenario go together. */
#ifndef SCENARIOS_CHECKS_H
#define SCENARIOS_CHECKS_H

#include "scenarios/schema_engine.h"

/* Reports every contradiction between values that are fine by themselves; what was reported before
 * is left out of it. Also completes the reference GPU and the profiles of MIG layouts. */
void checks_run(struct reading *reading);

/* Parts of it, each in a file of its name: about workloads; about queues and who waits for whom;
 * about preemption and checkpoints; about faults and other outages; about how pools are shared (run
 * before what follows), and the slots that workloads ask for; and about speeds, for a reference GPU
 * that is known. */
void checks_workloads(struct reading *reading);
void checks_queues(struct reading *reading);
void checks_preemption(struct reading *reading);
void checks_outages(struct reading *reading);
void checks_sharing(struct reading *reading);
void checks_slots(struct reading *reading);
void checks_speeds(struct reading *reading, int reference);

/* About the scheduler's rules, and what they cannot be combined with. */
void checks_scheduler(struct reading *reading);

/* A workload with its map in the tree. */
struct subject {
    const struct workload_spec *workload;
    const struct node *node;
};

/* The workload of that number; false if it can be passed over: disabled, or nothing to speak of. */
bool checks_subject(const struct reading *reading, size_t index, struct subject *subject);
/* Of a workload, for checks_workloads: whether its keys are those of its kind, and go together. */
void checks_kind(struct reading *reading, const struct subject *subject);

/* Of some GPUs of a pool that MIG cuts, for checks_sharing: whether these instances fit on the GPU
 * together, completing the rows of their profiles; and whether the calendar is one. Each marks its
 * node where not. */
void checks_layout(struct reading *reading, const struct gpu_model *gpu, struct layout_item *items,
                   size_t item_count, struct node *layout);
void checks_calendar(struct reading *reading, const struct gpu_model *gpu,
                     const struct sharing_spec *spec, struct node *node);

/* Whether a key of a map, given or not, has nothing wrong with it. */
bool checks_sound(const struct node *map, const char *key);

/* The map of a pool. */
const struct node *checks_pool_node(const struct reading *reading, size_t index);
/* Whether name and GPU of a pool were read, so that it can be spoken of. */
bool checks_gpu_known(const struct reading *reading, size_t index);
/* Whether it is known, too, how the pool is shared. */
bool checks_sharing_known(const struct reading *reading, size_t index);

/* The pools that a workload may run in: their number, and each. */
size_t checks_pool_count(const struct reading *reading, const struct workload_spec *workload);
size_t checks_pool(const struct workload_spec *workload, size_t index);

/* How GPUs of a pool are shared: `k` counts from 0 to layout_count. NULL: none are in this way. */
const struct chosen *checks_shared(const struct pool_spec *pool, size_t k);

/* The name of what was chosen from a registry. */
const char *checks_chosen_name(const struct reading *reading, const char *registry,
                               const struct chosen *chosen);

#endif
