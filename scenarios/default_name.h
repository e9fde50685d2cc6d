/* The name of a scenario that does not say it. */
#ifndef SCENARIOS_DEFAULT_NAME_H
#define SCENARIOS_DEFAULT_NAME_H

#include "sim/kernel/arena.h"

/* That of the file at a path, with what a name cannot have replaced. */
const char *default_name(struct arena *arena, const char *path);

#endif
