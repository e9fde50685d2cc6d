/* The keys of a pool that say when its machines are not there to be used, over struct outage_spec
 * (its member of that name). */
#ifndef SCENARIOS_LANGUAGE_OUTAGES_H
#define SCENARIOS_LANGUAGE_OUTAGES_H

#include "scenarios/schema.h"

extern const struct field language_fault_fields[];     /* `faults`: its keys, over an outage_spec */
extern const struct field language_maintenance;        /* an item of `maintenance` */
extern const struct field language_spot_fields[];      /* `spot` */
extern const struct field language_node_number;        /* an item of `cordoned` */
extern const struct field language_occupied;           /* an item of `occupied` */
extern const struct field language_capacity;           /* an item of `capacity` */
extern const struct field language_autoscale_fields[]; /* `autoscale` */

#endif
