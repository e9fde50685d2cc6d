/* `replications: {auto: {relative: 2%, max: 200}}`: when enough replications have been run. */
#ifndef CLI_PRECISION_H
#define CLI_PRECISION_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/batch.h"

/* How many replications may run before it is first asked, or the next time after `count`: 5, 7, 10,
 * 15, ..., half as many again each time, up to max. The numbers do not depend on threads, so which
 * replications are run does not either. */
size_t precision_first_checkpoint(size_t max);
size_t precision_next_checkpoint(size_t count, size_t max);

/* Whether the 95 % Student interval of the figure of every objective has a half-width of at most
 * scenario->precision times its mean, over these replications. A figure that some replication does
 * not have has no interval. */
bool precision_reached(const struct scenario *scenario, const struct run_outcome_note *notes,
                       size_t count);

#endif
