#include "scenarios/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios/quantity.h"
#include "sim/kernel/memory.h"

enum {
    FAST_DIGITS = 18,          /* as many always fit an int64 */
    EXACT_POWER = 22,          /* powers of ten up to here are exact doubles */
    LARGEST_POWER = 100000000, /* no text has the digits to make up for a larger exponent */
};
static const int64_t largest_scaled = INT64_C(1) << 62;

static const int64_t integer_powers[] = {
    1,
    10,
    100,
    1000,
    10000,
    100000,
    1000000,
    10000000,
    100000000,
    1000000000,
    INT64_C(10000000000),
    INT64_C(100000000000),
    INT64_C(1000000000000),
    INT64_C(10000000000000),
    INT64_C(100000000000000),
    INT64_C(1000000000000000),
    INT64_C(10000000000000000),
    INT64_C(100000000000000000),
    INT64_C(1000000000000000000),
};

static const double double_powers[EXACT_POWER + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

/* A number taken apart: digits[0 .. digit_count), point after point_at digits (with the exponent
 * applied, so it may lie outside), read once. */
struct decimal {
    bool negative;
    const char *digits; /* the first; the text may have a point among them */
    size_t span;        /* characters that the digits and the point take */
    int64_t mantissa;   /* all digits as one number, if there are at most FAST_DIGITS */
    size_t digit_count; /* without leading zeros */
    size_t fraction;    /* digits after the point */
    int exponent;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Reads "e-12" at the front of text; 0 characters if there is no exponent. */
static size_t scan_exponent(const char *text, int *exponent) {
    *exponent = 0;
    if (*text != 'e' && *text != 'E') {
        return 0;
    }
    size_t at = 1;
    bool negative = text[at] == '-';
    at += text[at] == '-' || text[at] == '+';
    if (!is_digit(text[at])) {
        return 0;
    }
    for (; is_digit(text[at]); at++) {
        if (*exponent <= LARGEST_POWER) {
            *exponent = *exponent * 10 + (text[at] - '0');
        }
    }
    *exponent = negative ? -*exponent : *exponent;
    return at;
}

/* Returns the characters read, 0 if there is no number. */
static size_t scan(const char *text, struct decimal *decimal) {
    size_t at = *text == '-' || *text == '+';
    *decimal = (struct decimal){.negative = *text == '-', .digits = text + at};
    bool any = false;
    bool point = false;
    for (;; at++) {
        if (text[at] == '.' && !point) {
            point = true;
            continue;
        }
        if (!is_digit(text[at])) {
            break;
        }
        any = true;
        decimal->fraction += point;
        if (decimal->digit_count > 0 || text[at] != '0') {
            decimal->digit_count++;
            if (decimal->digit_count <= FAST_DIGITS) {
                decimal->mantissa = decimal->mantissa * 10 + (text[at] - '0');
            }
        }
    }
    if (!any) {
        return 0;
    }
    decimal->span = (size_t)(text + at - decimal->digits);
    return at + scan_exponent(text + at, &decimal->exponent);
}

size_t decimal_length(const char *text) {
    struct decimal decimal;
    return scan(text, &decimal);
}

bool decimal_is_zero(const char *text, size_t length) {
    struct decimal decimal;
    return scan(text, &decimal) == length && length > 0 && decimal.digit_count == 0;
}

/* strtod wants the number alone; it is only asked about what decimal.h calls a number, so it sees
 * no nan, inf or hexadecimal. */
static bool convert_slowly(const char *text, size_t length, double *value) {
    char buffer[128];
    char *copy = length < sizeof(buffer) ? buffer : memory_allocate(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    double result = strtod(copy, NULL);
    if (copy != buffer) {
        free(copy);
    }
    if (!isfinite(result)) {
        return false;
    }
    *value = result;
    return true;
}

bool decimal_value(const char *text, size_t length, double *value) {
    struct decimal decimal;
    if (length == 0 || scan(text, &decimal) != length) {
        return false;
    }
    int64_t power = (int64_t)decimal.exponent - (int64_t)decimal.fraction;
    /* One exact integer times or over one exact power: rounded once, so correctly (Clinger 1990).
     */
    if (decimal.digit_count <= FAST_DIGITS && decimal.mantissa <= INT64_C(1) << 53 &&
        power >= -EXACT_POWER && power <= EXACT_POWER) {
        double mantissa = (double)decimal.mantissa;
        double result =
            power < 0 ? mantissa / double_powers[-power] : mantissa * double_powers[power];
        *value = decimal.negative ? -result : result;
        return true;
    }
    return convert_slowly(text, length, value);
}

/* The digits one by one, as if the point stood where the exponent moves it: place 0 is the first
 * digit written, places beyond the last are zeros. */
static int digit_at(const struct decimal *decimal, const char *point, size_t place) {
    size_t offset = place;
    if (point != NULL && decimal->digits + place >= point) {
        offset++;
    }
    return offset < decimal->span ? decimal->digits[offset] - '0' : 0;
}

/* Whole part and fraction apart, digit by digit, in whole numbers only: exact for any length. */
static bool scale_slowly(const struct decimal *decimal, int64_t scale, int64_t *magnitude) {
    const char *point = memchr(decimal->digits, '.', decimal->span);
    size_t written = decimal->span - (point != NULL);
    int64_t whole_digits = (int64_t)(written - decimal->fraction) + decimal->exponent;
    if (decimal->digit_count == 0) {
        *magnitude = 0;
        return true;
    }
    __int128 total = 0;
    for (int64_t place = 0; place < whole_digits; place++) {
        total = total * 10 + (__int128)digit_at(decimal, point, (size_t)place) * scale;
        if (total > largest_scaled) {
            return false;
        }
    }
    /* Horner's rule from the last digit, each step rounded down: exact for the floor of twice the
     * fraction, whose last bit rounds. */
    __int128 twice = 0;
    for (int64_t place = (int64_t)written - 1; place >= whole_digits; place--) {
        if (place < 0 && twice == 0) {
            break;
        }
        int digit = place >= 0 ? digit_at(decimal, point, (size_t)place) : 0;
        twice = ((__int128)digit * 2 * scale + twice) / 10;
    }
    total += (twice + 1) / 2;
    *magnitude = (int64_t)total;
    return total <= largest_scaled;
}

/* False if the numbers do not fit 64 bits. */
static bool scale_quickly(const struct decimal *decimal, int64_t scale, int64_t *magnitude) {
    if (decimal->digit_count > FAST_DIGITS || decimal->exponent != 0 ||
        decimal->fraction > FAST_DIGITS) {
        return false;
    }
    int64_t divisor = integer_powers[decimal->fraction];
    if (scale % divisor == 0) {
        scale /= divisor;
        divisor = 1;
    }
    int64_t product;
    if (__builtin_mul_overflow(decimal->mantissa, scale, &product)) {
        return false;
    }
    int64_t rest = product % divisor;
    *magnitude = product / divisor + (rest > 0 && rest >= divisor - rest);
    return *magnitude <= largest_scaled;
}

bool decimal_scale(const char *text, size_t length, int64_t scale, int64_t *value) {
    struct decimal decimal;
    int64_t magnitude;
    if (length == 0 || scan(text, &decimal) != length ||
        (!scale_quickly(&decimal, scale, &magnitude) &&
         !scale_slowly(&decimal, scale, &magnitude))) {
        return false;
    }
    *value = decimal.negative ? -magnitude : magnitude;
    return true;
}

bool decimal_parse(const char *text, double *value) {
    return decimal_value(text, strlen(text), value);
}

bool decimal_parse_scaled(const char *text, int64_t scale, int64_t *value) {
    return decimal_scale(text, strlen(text), scale, value);
}

bool integer_parse(const char *text, int64_t *value) {
    size_t digits = *text == '-' || *text == '+';
    if (text[digits] == '\0' || text[digits + strspn(text + digits, "0123456789")] != '\0') {
        return false;
    }
    /* At most 2^62 would do for all who ask, but every int64 is an integer. */
    __int128 magnitude = 0;
    for (const char *at = text + digits; *at != '\0'; at++) {
        magnitude = magnitude * 10 + (*at - '0');
        if (magnitude > (__int128)INT64_MAX + 1) {
            return false;
        }
    }
    magnitude = *text == '-' ? -magnitude : magnitude;
    if (magnitude > INT64_MAX) {
        return false;
    }
    *value = (int64_t)magnitude;
    return true;
}
