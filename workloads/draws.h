/* Random quantities of work as whole numbers in their range, and the streams they come from. */
#ifndef WORKLOADS_DRAWS_H
#define WORKLOADS_DRAWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/kernel/distribution.h"
#include "sim/kernel/sim_time.h"
#include "sim/kernel/stream.h"

/* What an arrival has where its row has nothing, or before it was drawn. */
enum { ARRIVAL_ABSENT = -1 };

/* Whether the scenario gives a distribution at all. */
static inline bool distribution_given(const struct distribution *distribution) {
    return distribution->kind != NULL;
}

/* Whether it gives tokens: 0 stands for nothing said. */
static inline bool tokens_given(const struct distribution *tokens) {
    return distribution_given(tokens) && distribution_mean(tokens) > 0;
}

/* Starts the stream "WHAT of workload WORKLOAD". */
void draws_start_stream(struct stream *stream, uint64_t seed, uint64_t replication,
                        const char *what, const char *workload);

/* The nearest whole number of nanoseconds from 0 to SIM_TIME_LONGEST; 0 for what is no number. */
sim_time draws_round_time(double ns);

sim_time draw_duration(const struct distribution *distribution, struct stream *stream);
int32_t draw_gpus(const struct distribution *distribution, struct stream *stream); /* >= 1 */
int64_t draw_bytes(const struct distribution *distribution, struct stream *stream);
int32_t draw_tokens(const struct distribution *distribution, struct stream *stream);

#endif
