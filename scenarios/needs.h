/* What each workload needs: its own keys, those of the model it names, the catalogue's figures. */
#ifndef SCENARIOS_NEEDS_H
#define SCENARIOS_NEEDS_H

#include "scenarios/schema_engine.h"

/* Completes models and workloads as read: a key that a workload leaves out is as its model says,
 * one that the scenario's model leaves out as the catalogue says of a model of that name. Also
 * gives workloads their class where none is written. */
void needs_resolve(struct reading *reading);

#endif
