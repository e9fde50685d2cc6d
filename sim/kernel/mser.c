#include "sim/kernel/mser.h"

#include <stdbool.h>

/* From the last value back, so that each step adds one to what is kept (Welford's update). */
size_t mser_truncation(const double *values, size_t n) {
    double mean = 0;
    double squares = 0;
    double least = 0;
    size_t truncation = 0;
    for (size_t kept = 1; kept <= n; kept++) {
        double deviation = values[n - kept] - mean;
        mean += deviation / (double)kept;
        squares += deviation * (values[n - kept] - mean);
        double error = squares / ((double)kept * (double)kept);
        size_t left_out = n - kept;
        bool first = left_out == n / 2;
        if (left_out <= n / 2 && (first || error <= least)) {
            least = error;
            truncation = left_out;
        }
    }
    return truncation;
}
