/* The rows: what each distribution takes, accepts, and draws. Formulas are the textbook ones (Law,
 * Simulation Modeling and Analysis, 5th ed., ch. 6 and 8) except where a source is named. cv is the
 * coefficient of variation, standard deviation / mean. */
#include <gsl/gsl_randist.h>
#include <math.h>

#include "sim/kernel/distribution.h"
#include "sim/kernel/distribution_parts.h"

/* Beyond these the numbers are slips (a percentage taken for a ratio) and the arithmetic thins. */
static const double smallest_cv = 1e-3;
static const double largest_cv = 1e5;
static const double largest_shape = 1e6; /* phases, or the exponent of a Pareto tail */

/* Messages print bare numbers only: values in kind are nanoseconds here, and 2h to their author. */
bool distribution_refuse(struct error *error, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    error_set_v(error, NULL, 0, 0, format, arguments);
    va_end(arguments);
    return false;
}

static bool check_mean(double mean, struct error *error) {
    if (!isfinite(mean) || mean <= 0) {
        return distribution_refuse(error, "the mean must be positive and finite");
    }
    return true;
}

static bool check_mean_cv(const struct distribution *d, struct error *error) {
    double cv = d->given[1];
    if (!check_mean(d->given[0], error)) {
        return false;
    }
    if (cv == 0) {
        return distribution_refuse(error,
                                   "a cv of 0 means no variation: write the mean alone instead");
    }
    if (!(cv >= smallest_cv && cv <= largest_cv)) {
        return distribution_refuse(error,
                                   "the cv (standard deviation / mean) must be between %g and %g, "
                                   "not %g",
                                   smallest_cv, largest_cv, cv);
    }
    return true;
}

static double given_first(const struct distribution *d) {
    return d->given[0];
}

/* constant: the value. */

static bool constant_prepare(struct distribution *d, struct error *error) {
    if (!isfinite(d->given[0]) || d->given[0] < 0) {
        return distribution_refuse(error, "the value must be finite and not negative");
    }
    return true;
}

static double constant_draw(const struct distribution *d, struct stream *stream) {
    (void)stream;
    return d->given[0];
}

/* uniform: on [low, high). */

static bool uniform_prepare(struct distribution *d, struct error *error) {
    double low = d->given[0];
    double high = d->given[1];
    if (!isfinite(low) || !isfinite(high) || low < 0) {
        return distribution_refuse(error, "the bounds must be finite and not negative");
    }
    if (low > high) {
        return distribution_refuse(error, "the lower bound comes first: swap the two");
    }
    return true;
}

static double uniform_draw(const struct distribution *d, struct stream *stream) {
    return d->given[0] + stream_uniform(stream) * (d->given[1] - d->given[0]);
}

static double uniform_mean(const struct distribution *d) {
    return d->given[0] + (d->given[1] - d->given[0]) / 2;
}

static double uniform_most(const struct distribution *d) {
    return d->given[1];
}

/* exponential: density exp(-x/mean) / mean. */

static bool exponential_prepare(struct distribution *d, struct error *error) {
    return check_mean(d->given[0], error);
}

static double exponential_draw(const struct distribution *d, struct stream *stream) {
    return d->given[0] * stream_exponential(stream);
}

/* lognormal: exp(normal(mu, sigma)) has mean exp(mu + sigma^2/2) and cv^2 = exp(sigma^2) - 1; so
 * sigma^2 = ln(1 + cv^2), and the median exp(mu) = mean / sqrt(1 + cv^2). Derived: median, sigma.
 */

static bool lognormal_prepare(struct distribution *d, struct error *error) {
    if (!check_mean_cv(d, error)) {
        return false;
    }
    double cv = d->given[1];
    d->derived[0] = d->given[0] / sqrt(1 + cv * cv);
    d->derived[1] = sqrt(log1p(cv * cv));
    return true;
}

static double lognormal_draw(const struct distribution *d, struct stream *stream) {
    return d->derived[0] * exp(d->derived[1] * stream_normal(stream));
}

/* gamma: shape k and scale s have mean k s and cv^2 = 1/k. Derived: shape, scale. GSL draws it by
 * Marsaglia and Tsang, ACM TOMS 26 (2000). */

static bool gamma_prepare(struct distribution *d, struct error *error) {
    if (!check_mean_cv(d, error)) {
        return false;
    }
    double cv = d->given[1];
    d->derived[0] = 1 / (cv * cv);
    d->derived[1] = d->given[0] * cv * cv;
    return true;
}

static double gamma_draw(const struct distribution *d, struct stream *stream) {
    return gsl_ran_gamma(&stream->gsl, d->derived[0], d->derived[1]);
}

/* erlang: the sum of k exponential phases, a gamma of shape k and scale mean/k. */

static bool erlang_prepare(struct distribution *d, struct error *error) {
    double phases = d->given[0];
    if (!(phases >= 1 && phases <= largest_shape) || phases != floor(phases)) {
        return distribution_refuse(
            error, "the number of phases k must be a whole number from 1 to %g, not %g",
            largest_shape, phases);
    }
    if (!check_mean(d->given[1], error)) {
        return false;
    }
    d->derived[0] = phases;
    d->derived[1] = d->given[1] / phases;
    return true;
}

static double erlang_mean(const struct distribution *d) {
    return d->given[1];
}

/* weibull: survival exp(-(x/s)^k). Derived: 1/k, s (see distribution_weibull.c). */

static bool weibull_prepare(struct distribution *d, struct error *error) {
    if (!check_mean_cv(d, error)) {
        return false;
    }
    double shape = distribution_weibull_shape(d->given[1]);
    d->derived[0] = 1 / shape;
    d->derived[1] = d->given[0] / tgamma(1 + 1 / shape);
    return true;
}

static double weibull_draw(const struct distribution *d, struct stream *stream) {
    return d->derived[1] * pow(stream_exponential(stream), d->derived[0]);
}

/* hyperexponential: with probability p an exponential of mean m1, else one of mean m2, with
 * balanced means p m1 = (1-p) m2 = mean/2; then cv^2 = 1/(2 p (1-p)) - 1, so p (1-p) = 1/(2 (cv^2 +
 * 1)) and p = (1 + sqrt((cv^2 - 1)/(cv^2 + 1))) / 2 (Tijms, A First Course in Stochastic Models,
 * app. B). Derived: 1-p (as the quotient, which keeps its digits when it is small), m1, m2. */

static bool hyperexponential_prepare(struct distribution *d, struct error *error) {
    if (!check_mean_cv(d, error)) {
        return false;
    }
    double cv = d->given[1];
    if (cv < 1) {
        return distribution_refuse(error,
                                   "a hyperexponential's cv is at least 1, not %g: use gamma, "
                                   "lognormal or erlang for less variation",
                                   cv);
    }
    double square = cv * cv;
    double often = (1 + sqrt((square - 1) / (square + 1))) / 2;
    double rarely = 1 / (2 * (square + 1) * often);
    d->derived[0] = rarely;
    d->derived[1] = d->given[0] / (2 * often);
    d->derived[2] = d->given[0] / (2 * rarely);
    return true;
}

static double hyperexponential_draw(const struct distribution *d, struct stream *stream) {
    double mean = stream_uniform(stream) < d->derived[0] ? d->derived[2] : d->derived[1];
    return mean * stream_exponential(stream);
}

/* pareto: survival (x/m)^-a for x >= m, mean m a / (a - 1). ln(x/m) is exponential of mean 1/a.
 * Derived: 1/a, m. */

static bool pareto_prepare(struct distribution *d, struct error *error) {
    double shape = d->given[1];
    if (!check_mean(d->given[0], error)) {
        return false;
    }
    if (!(shape > 1 && shape <= largest_shape)) {
        return distribution_refuse(error,
                                   "the shape must be more than 1 (below, there is no mean) and at "
                                   "most %g, not %g",
                                   largest_shape, shape);
    }
    d->derived[0] = 1 / shape;
    d->derived[1] = d->given[0] * (shape - 1) / shape;
    return true;
}

static double pareto_draw(const struct distribution *d, struct stream *stream) {
    return d->derived[1] * exp(d->derived[0] * stream_exponential(stream));
}

const struct distribution_kind distribution_kinds[] = {
    {"constant",
     "always the same value",
     STYLE_POSITIONAL,
     {{"value", PARAMETER_IN_KIND}},
     constant_prepare,
     constant_draw,
     given_first,
     given_first},
    {"uniform",
     "equally likely between two bounds",
     STYLE_POSITIONAL,
     {{"low", PARAMETER_IN_KIND}, {"high", PARAMETER_IN_KIND}},
     uniform_prepare,
     uniform_draw,
     uniform_mean,
     uniform_most},
    {"exponential",
     "memoryless: cv 1",
     STYLE_NAMED,
     {{"mean", PARAMETER_IN_KIND}},
     exponential_prepare,
     exponential_draw,
     given_first,
     NULL},
    {"lognormal",
     "the exponential of a normal variate: skewed, with a long tail",
     STYLE_NAMED,
     {{"mean", PARAMETER_IN_KIND}, {"cv", PARAMETER_NUMBER}},
     lognormal_prepare,
     lognormal_draw,
     given_first,
     NULL},
    {"gamma",
     "a light tail, for any cv",
     STYLE_NAMED,
     {{"mean", PARAMETER_IN_KIND}, {"cv", PARAMETER_NUMBER}},
     gamma_prepare,
     gamma_draw,
     given_first,
     NULL},
    {"weibull",
     "times to failure: wear-out below cv 1, early failures above",
     STYLE_NAMED,
     {{"mean", PARAMETER_IN_KIND}, {"cv", PARAMETER_NUMBER}},
     weibull_prepare,
     weibull_draw,
     given_first,
     NULL},
    {"hyperexponential",
     "a mix of two exponentials with balanced means: cv of 1 or more",
     STYLE_NAMED,
     {{"mean", PARAMETER_IN_KIND}, {"cv", PARAMETER_NUMBER}},
     hyperexponential_prepare,
     hyperexponential_draw,
     given_first,
     NULL},
    {"erlang",
     "the sum of k exponential phases: cv 1/sqrt(k)",
     STYLE_NAMED,
     {{"k", PARAMETER_INTEGER}, {"mean", PARAMETER_IN_KIND}},
     erlang_prepare,
     gamma_draw,
     erlang_mean,
     NULL},
    {"pareto",
     "a power-law tail: infinite variance up to shape 2",
     STYLE_NAMED,
     {{"mean", PARAMETER_IN_KIND}, {"shape", PARAMETER_NUMBER}},
     pareto_prepare,
     pareto_draw,
     given_first,
     NULL},
    {"choice",
     "one of the listed values, by weight",
     STYLE_WEIGHTS,
     {{NULL, PARAMETER_NONE}},
     distribution_choice_prepare,
     distribution_choice_draw,
     distribution_choice_mean,
     distribution_listed_most},
    {"empirical",
     "the values of a column of a file, equally likely",
     STYLE_COLUMN,
     {{NULL, PARAMETER_NONE}},
     distribution_empirical_prepare,
     distribution_empirical_draw,
     distribution_empirical_mean,
     distribution_listed_most},
};

const size_t distribution_kind_count = sizeof(distribution_kinds) / sizeof(distribution_kinds[0]);
