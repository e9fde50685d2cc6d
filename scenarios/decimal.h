/* The decimal numbers at the front of a text, for quantity.c. */
#ifndef SCENARIOS_DECIMAL_H
#define SCENARIOS_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How many characters at the front of text are a decimal number; 0: none. */
size_t decimal_length(const char *text);

/* The next three take the first `length` characters, which must be one whole decimal number (as
 * told by decimal_length), else they return false. */
bool decimal_value(const char *text, size_t length, double *value);
/* Exact, rounded half away from zero; false beyond +-2^62. */
bool decimal_scale(const char *text, size_t length, int64_t scale, int64_t *value);
bool decimal_is_zero(const char *text, size_t length);

#endif
