/* Stopping on request: an interrupt ends the work at the next safe moment. */
#ifndef CLI_INTERRUPT_H
#define CLI_INTERRUPT_H

#include <stdatomic.h>

/* From now on SIGINT, SIGTERM and SIGHUP (unless it is ignored, as under nohup) set the flag that
 * is returned. Another one within a second belongs to the same request, as when a terminal and a
 * script both send one; a later one ends the program at once. */
const atomic_bool *interrupts_catch(void);

#endif
