/* Preemptive orders (srtf, srsf, las): at every pass the schedule is made anew. Jobs are taken in
 * order, running or not; each that fits into what those before it leave runs, so a running one that
 * no longer fits is preempted.
 *
 * Source: Gu et al., Tiresias: A GPU Cluster Manager for Distributed Deep Learning, NSDI 2019. */
#ifndef SIM_SCHEDULING_PREEMPTION_BY_ORDER_H
#define SIM_SCHEDULING_PREEMPTION_BY_ORDER_H

#include <stdbool.h>

struct preemption;
struct scheduler;

struct by_order;

/* A pass. strict: the first job that does not fit ends it, as far as others would start. Costs
 * O(r log r) in running jobs, and O(r) for each waiting job that gets its GPUs from others and each
 * shape that cannot. On GPUs that are shared a newcomer gets a slot only from later jobs there. */
void preemption_pass_by_order(struct scheduler *scheduler, bool strict);

void by_order_destroy(struct by_order *by_order); /* NULL: nothing */

#endif
