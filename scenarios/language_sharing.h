/* How GPUs are shared, as a scenario says it: the options of the sharing modes, over struct
 * sharing_spec, and the key `layouts` of a pool. */
#ifndef SCENARIOS_LANGUAGE_SHARING_H
#define SCENARIOS_LANGUAGE_SHARING_H

#include "scenarios/schema.h"

/* For the rows of the registry "sharing". */
extern const struct field sharing_mig_options;
extern const struct field sharing_mps_options;
extern const struct field sharing_timeslice_options;

/* `{gpus: [0, 1], sharing: ...}`: an object over struct gpu_layout. */
extern const struct field language_gpu_layout;

#endif
