/* Random quantities: one row per distribution, each with its parameters, its check and its draw.
 * A distribution knows nothing of units: durations are drawn in nanoseconds, counts in ones. */
#ifndef SIM_KERNEL_DISTRIBUTION_H
#define SIM_KERNEL_DISTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/kernel/error.h"
#include "sim/kernel/stream.h"

enum { DISTRIBUTION_PARAMETERS = 3 };

struct distribution;

/* What a parameter is measured in. */
enum parameter_unit {
    PARAMETER_NONE,    /* no such parameter */
    PARAMETER_IN_KIND, /* like the variate itself: a mean */
    PARAMETER_NUMBER,  /* a bare number: a coefficient of variation, a shape */
    PARAMETER_INTEGER, /* a whole number: phases */
};

/* How a row takes its parameters in a scenario. */
enum parameter_style {
    STYLE_NAMED,      /* {mean: 2h, cv: 2} */
    STYLE_POSITIONAL, /* [10s, 30s] */
    STYLE_WEIGHTS,    /* {1: 0.7, 4: 0.2}: value and weight */
    STYLE_COLUMN,     /* {file: F, column: C}: the values of a column, equally likely */
};

struct distribution_kind {
    const char *name;    /* as in a scenario: lognormal */
    const char *summary; /* one line, for the reference and for editors */
    enum parameter_style style;
    struct {
        const char *name;
        enum parameter_unit unit;
    } parameters[DISTRIBUTION_PARAMETERS];
    /* Checks the given parameters and derives what draw needs. On failure returns false with a
     * message ("the mean must be positive") that points at no place: the caller adds it. */
    bool (*prepare)(struct distribution *distribution, struct error *error);
    double (*draw)(const struct distribution *distribution, struct stream *stream);
    double (*mean)(const struct distribution *distribution); /* +inf where it has none */
    double (*most)(const struct distribution *distribution); /* NULL: it knows no bound */
};

struct distribution {
    const struct distribution_kind *kind;
    double given[DISTRIBUTION_PARAMETERS];   /* as written, in the order of the row */
    double derived[DISTRIBUTION_PARAMETERS]; /* by prepare */
    /* choice and empirical: the values; choice: their weights and, once prepared, an alias table
     * (gsl_ran_discrete_t). Owned, and released by distribution_clear. */
    double *values;
    double *weights;
    size_t value_count;
    void *alias;
};

/* All the rows: constant, uniform, exponential, lognormal, gamma, weibull, hyperexponential,
 * erlang, pareto, choice, empirical. The first is `constant`, which a plain quantity stands for. */
extern const struct distribution_kind distribution_kinds[];
extern const size_t distribution_kind_count;

const struct distribution_kind *distribution_find(const char *name); /* NULL: unknown */

/* Makes a ready distribution of one value. */
void distribution_constant(struct distribution *distribution, double value);
/* Makes a distribution ready whose kind, given (and values) are set; false with a message if they
 * do not fit the row's range. */
bool distribution_prepare(struct distribution *distribution, struct error *error);
/* Multiplies all that it draws by a factor above 0. */
void distribution_scale(struct distribution *distribution, double factor);
void distribution_clear(struct distribution *distribution);

static inline double distribution_draw(const struct distribution *distribution,
                                       struct stream *stream) {
    return distribution->kind->draw(distribution, stream);
}

double distribution_mean(const struct distribution *distribution);
/* A bound that no draw exceeds; +inf: there is none. */
double distribution_most(const struct distribution *distribution);

#endif
