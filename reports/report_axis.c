#include "reports/report_axis.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "reports/plot.h"

static const double round_durations[] = {
    1e-6, 2e-6, 5e-6, 1e-5, 2e-5, 5e-5,  1e-4,  2e-4,   5e-4,  1e-3,  2e-3,   5e-3,  1e-2, 2e-2,
    5e-2, 1e-1, 2e-1, 5e-1, 1,    2,     5,     10,     20,    30,    60,     120,   300,  600,
    1200, 1800, 3600, 7200, 18e3, 36000, 86400, 172800, 432e3, 864e3, 1728e3, 432e4, 864e4};
enum { ROUND_DURATIONS = sizeof(round_durations) / sizeof(round_durations[0]) };

static void print_tic(FILE *script, bool first, const char *text, double value) {
    fputs(first ? "" : ", ", script);
    plot_print_tic(script, text);
    fprintf(script, " %.9g", value);
}

void axis_print_log_tics(FILE *script, char axis, struct axis_range range, int most) {
    double room = log10(range.to / range.from) / most;
    double last = 0;
    fprintf(script, "set %ctics (", axis);
    for (size_t i = 0; i < ROUND_DURATIONS; i++) {
        double at = round_durations[i];
        bool within = at >= range.from * 0.999 && at <= range.to;
        if (within && (last == 0 || log10(at / last) >= room)) {
            print_tic(script, last == 0, number_duration(at).text, at);
            last = at;
        }
    }
    fputs(")\n", script);
}

/* The smallest round step of which at most so many fit. */
static double step_of(enum number_kind kind, double span, int most) {
    if (kind == NUMBER_DURATION) {
        for (size_t i = 0; i < ROUND_DURATIONS; i++) {
            if (span / round_durations[i] <= most) {
                return round_durations[i];
            }
        }
    }
    double decade = pow(10, floor(log10(span / most)));
    static const double rounds[] = {1, 2, 5, 10};
    size_t i = 0;
    while (i < 3 && span / (rounds[i] * decade) > most) {
        i++;
    }
    return rounds[i] * decade;
}

void axis_print_tics(FILE *script, char axis, enum number_kind kind, struct axis_range range,
                     int most, const char *currency) {
    double step = step_of(kind, range.to - range.from, most);
    fprintf(script, "set %ctics (", axis);
    bool first = true;
    /* By number, as sums of steps would drift. */
    double begin = ceil(range.from / step - 1e-9) + 0.0; /* no -0 */
    for (double n = begin; n * step <= range.to + 1e-9 * step; n++) {
        double at = n * step;
        print_tic(script, first, number_format(kind, at, step, currency).text, at);
        first = false;
    }
    fputs(")\n", script);
}

struct axis_time_unit axis_time_unit(double seconds) {
    static const struct axis_time_unit units[] = {
        {"days", 86400}, {"hours", 3600}, {"minutes", 60}, {"seconds", 1}};
    size_t i = 0;
    while (i < 3 && seconds < 3 * units[i].seconds) {
        i++;
    }
    return units[i];
}
