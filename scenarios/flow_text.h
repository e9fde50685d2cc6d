/* A value as one would write it in one line. */
#ifndef SCENARIOS_FLOW_TEXT_H
#define SCENARIOS_FLOW_TEXT_H

#include "scenarios/tree.h"

/* {mode: mig, layout: [3g.40gb, 2g.20gb]}; what could be mistaken for more than one word is in
 * quotes. Equal values have equal texts, whatever their quotes and lines were. */
const char *flow_text(struct arena *arena, const struct node *value);

#endif
