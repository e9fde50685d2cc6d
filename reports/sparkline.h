/* A row of numbers as a row of bars, one column each: ▁▂▃▄▅▆▇█. */
#ifndef REPORTS_SPARKLINE_H
#define REPORTS_SPARKLINE_H

#include <stddef.h>

/* values are shares of `greatest`, which is the full height; what is NaN is a blank. Free it. */
char *sparkline(const double *values, size_t count, double greatest);

#endif
