/* What the rows of distributions share among their files; nobody else includes it. */
#ifndef SIM_KERNEL_DISTRIBUTION_PARTS_H
#define SIM_KERNEL_DISTRIBUTION_PARTS_H

#include "sim/kernel/distribution.h"

/* Fills in a message without a place; always false, for `return`. */
bool distribution_refuse(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The shape whose cv this is; cv in [1e-3, 1e5]. */
double distribution_weibull_shape(double cv);

bool distribution_choice_prepare(struct distribution *distribution, struct error *error);
double distribution_choice_draw(const struct distribution *distribution, struct stream *stream);
double distribution_choice_mean(const struct distribution *distribution);

bool distribution_empirical_prepare(struct distribution *distribution, struct error *error);
double distribution_empirical_draw(const struct distribution *distribution, struct stream *stream);
double distribution_empirical_mean(const struct distribution *distribution);
double distribution_listed_most(const struct distribution *distribution); /* of both */

#endif
