/* Preemptive orders (srtf, srsf, las): at every pass the schedule is made anew. Jobs are taken in
 * order, running or not; each that fits into what those before it leave runs, so a running one that
 * no longer fits is preempted.
 *
 * Source: Gu et al., Tiresias: A GPU Cluster Manager for Distributed Deep Learning, NSDI 2019. */
#ifndef SIM_SCHEDULING_PREEMPTION_BY_ORDER_H
#define SIM_SCHEDULING_PREEMPTION_BY_ORDER_H

#include <stdbool.h>

struct by_order;
struct job;
struct preemption;
struct scheduler;

struct by_order *by_order_create(const struct preemption *preemption);
void by_order_destroy(struct by_order *by_order); /* NULL: nothing */

/* A job that may be preempted has whole GPUs at its level from now on, or (sign -1) up to now. */
void by_order_note(struct by_order *by_order, const struct job *job, int sign);

/* A pass. strict: the first job that does not fit ends it, as far as others would start. Costs
 * O(nodes) to see that no waiting job can take GPUs from others under las with a min_runtime of 0,
 * else O(r log r) in running jobs; and O(r) for each waiting job that does. On GPUs that are shared
 * a newcomer gets a slot only from later jobs there. */
void preemption_pass_by_order(struct scheduler *scheduler, bool strict);

#endif
