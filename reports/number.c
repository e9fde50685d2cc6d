#include "reports/number.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DECIMALS = 3, MOST_PLAIN_DECIMALS = 6 };

/* Decimals that show a step: 0.01 needs two. No more than anyone reads; `usual` without a step. */
static int decimals_for(double step, int usual, int most) {
    if (step <= 0) {
        return usual;
    }
    /* A step is a power of ten, give or take its last bit. */
    int decimals = (int)ceil(-log10(step) - 1e-9);
    return decimals < 0 ? 0 : decimals > most ? most : decimals;
}

double number_step(double half_width) {
    return isfinite(half_width) && half_width > 0 ? pow(10, floor(log10(half_width)) - 1) : 0;
}

/* 5.7499999999999 is 5.75, and 23.9999999999999 a whole number: sums carry such noise. */
static double without_noise(double value) {
    char digits[32];
    snprintf(digits, sizeof(digits), "%.12g", value);
    return strtod(digits, NULL);
}

/* A number that is not negative, with thousands separators. */
static struct number grouped(double value, int decimals) {
    char digits[400];
    snprintf(digits, sizeof(digits), "%.*f", decimals, value);
    size_t whole = strcspn(digits, ".");
    struct number number;
    size_t used = 0;
    for (size_t i = 0; digits[i] != '\0' && used + 2 < sizeof(number.text); i++) {
        if (i > 0 && i < whole && (whole - i) % 3 == 0) {
            number.text[used++] = ',';
        }
        number.text[used++] = digits[i];
    }
    number.text[used] = '\0';
    return number;
}

static bool is_whole(double value) {
    return value == floor(value);
}

static struct number format_plain(double value, double step) {
    if (value > 0 && value < 0.1 && step <= 0) {
        struct number number;
        snprintf(number.text, sizeof(number.text), "%.2g", value);
        return number;
    }
    int usual = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    return grouped(value, decimals_for(step, usual, MOST_PLAIN_DECIMALS));
}

static struct number format_count(double value, double step) {
    bool whole = step > 0 ? step >= 1 : is_whole(value) || value >= 1000;
    return grouped(value, whole ? 0 : 1);
}

static struct number format_share(double value, double step, const char *unit) {
    struct number percent = grouped(value * 100, step > 0 && step < 0.00005 ? 2 : 1);
    struct number number;
    snprintf(number.text, sizeof(number.text), "%.70s %s", percent.text, unit);
    return number;
}

static struct number format_money(double value, double step, const char *currency) {
    int decimals = fabs(value) >= 1e4 || step >= 1 ? 0 : 2;
    if (value > 0 && value < 0.1 && step <= 0) {
        decimals = 1 - (int)floor(log10(value)); /* two digits */
        decimals = decimals > 12 ? 12 : decimals;
    } else if (step > 0 && step < 0.01 && fabs(value) < 100) {
        decimals = -(int)floor(log10(step)); /* parts of a cent that an interval tells of */
        decimals = decimals > 6 ? 6 : decimals;
    }
    struct number amount = grouped(value, decimals);
    struct number number;
    bool dollars = currency == NULL || strcmp(currency, "USD") == 0;
    snprintf(number.text, sizeof(number.text), "%.24s%s%.40s", dollars ? "$" : currency,
             dollars ? "" : " ", amount.text);
    return number;
}

/* Below a minute: one unit with decimals. */
static struct number format_short_duration(double seconds, double step) {
    if (seconds == 0) {
        return (struct number){.text = "0 s"};
    }
    static const struct {
        const char *name;
        double seconds;
        double below; /* what would be rounded up to the next unit belongs to that */
    } units[] = {{"ns", 1e-9, 999.5e-9}, {"us", 1e-6, 999.5e-6}, {"ms", 1e-3, 999.5e-3}};
    const char *unit = "s";
    double value = seconds;
    int usual = 1;
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (seconds < units[i].below) {
            unit = units[i].name;
            value = seconds / units[i].seconds;
            usual = value < 9.95 ? 1 : 0;
            step /= units[i].seconds;
            break;
        }
    }
    usual = is_whole(value) ? 0 : usual;
    struct number digits = grouped(value, decimals_for(step, usual, MOST_DECIMALS));
    struct number number;
    snprintf(number.text, sizeof(number.text), "%.70s %s", digits.text, unit);
    return number;
}

/* From a minute on: two units, or three where the step asks for it; the last one is left out if it
 * is zero. */
static struct number format_long_duration(double seconds, double step) {
    static const char *const names[] = {"d", "h", "m", "s"};
    static const double sizes[] = {86400, 3600, 60, 1};
    size_t first = 3;
    size_t last = 3;
    double left = 0;
    /* The largest unit that fits, once rounded: 59m 59.7s is an hour. */
    do {
        first--;
        last = first + 1;
        last += step > 0 && last < 3 && 10 * step < sizes[last];
        left = round(seconds / sizes[last]);
    } while (first > 0 && left * sizes[last] >= sizes[first - 1]);
    double counts[4] = {0};
    for (size_t i = first; i <= last; i++) {
        double size = sizes[i] / sizes[last];
        counts[i] = floor(left / size);
        left -= counts[i] * size;
    }
    struct number number = grouped(counts[first], 0);
    strcat(number.text, names[first]);
    while (last > first && counts[last] == 0) {
        last--;
    }
    for (size_t i = first + 1; i <= last; i++) {
        size_t used = strlen(number.text);
        snprintf(number.text + used, sizeof(number.text) - used, " %.0f%s", counts[i], names[i]);
    }
    return number;
}

static struct number format_duration(double seconds, double step) {
    return seconds < 59.95 ? format_short_duration(seconds, step)
                           : format_long_duration(seconds, step);
}

static struct number format_magnitude(enum number_kind kind, double value, double step,
                                      const char *currency) {
    switch (kind) {
    case NUMBER_COUNT:
        return format_count(value, step);
    case NUMBER_SHARE:
        return format_share(value, step, "%");
    case NUMBER_POINTS:
        return format_share(value, step, "pp");
    case NUMBER_DURATION:
        return format_duration(value, step);
    case NUMBER_MONEY:
        return format_money(value, step, currency);
    case NUMBER_PLAIN:
    default:
        return format_plain(value, step);
    }
}

static bool shows_nothing_but_zeros(const char *text) {
    return strpbrk(text, "123456789") == NULL;
}

static struct number with_sign(struct number magnitude, const char *sign) {
    struct number number;
    snprintf(number.text, sizeof(number.text), "%s%.76s", sign, magnitude.text);
    return number;
}

static struct number format_signed(enum number_kind kind, double value, double step,
                                   const char *currency, const char *plus) {
    if (isnan(value)) {
        return (struct number){.text = "-"};
    }
    if (isinf(value)) {
        return with_sign((struct number){.text = "unlimited"}, value < 0 ? "-" : plus);
    }
    struct number magnitude = format_magnitude(kind, without_noise(fabs(value)), step, currency);
    if (shows_nothing_but_zeros(magnitude.text)) {
        return magnitude;
    }
    return with_sign(magnitude, value < 0 ? "-" : plus);
}

struct number number_format(enum number_kind kind, double value, double step,
                            const char *currency) {
    return format_signed(kind, value, step, currency, "");
}

struct number number_difference(enum number_kind kind, double value, double step,
                                const char *currency) {
    return format_signed(kind, value, step, currency, "+");
}

struct number number_half_width(enum number_kind kind, double half_width, const char *currency) {
    if (isnan(half_width) || half_width == 0) {
        return (struct number){.text = ""};
    }
    struct number half = number_format(kind, half_width, number_step(half_width), currency);
    return shows_nothing_but_zeros(half.text) ? (struct number){.text = ""} : with_sign(half, "± ");
}

double number_mean_step(enum number_kind kind, double half_width, const char *currency) {
    bool shown = number_half_width(kind, half_width, currency).text[0] != '\0';
    return shown ? number_step(half_width) : 0;
}

struct number number_mean(enum number_kind kind, double mean, double half_width,
                          const char *currency) {
    double step = number_mean_step(kind, half_width, currency);
    struct number value = number_format(kind, mean, step, currency);
    struct number half = number_half_width(kind, half_width, currency);
    struct number number;
    snprintf(number.text, sizeof(number.text), "%.38s%s%.38s", value.text,
             half.text[0] != '\0' ? " " : "", half.text);
    return number;
}

struct number number_plain(double value) {
    return number_format(NUMBER_PLAIN, value, 0, NULL);
}

struct number number_count(double count) {
    return number_format(NUMBER_COUNT, count, 0, NULL);
}

struct number number_share(double share) {
    return number_format(NUMBER_SHARE, share, 0, NULL);
}

struct number number_duration(double seconds) {
    return number_format(NUMBER_DURATION, seconds, 0, NULL);
}

struct number number_money(double amount, const char *currency) {
    return number_format(NUMBER_MONEY, amount, 0, currency);
}

enum number_kind number_kind_of(const char *unit) {
    static const struct {
        const char *unit;
        enum number_kind kind;
    } kinds[] = {{"s", NUMBER_DURATION}, {"share", NUMBER_SHARE}, {"count", NUMBER_COUNT}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(unit, kinds[i].unit) == 0) {
            return kinds[i].kind;
        }
    }
    return strncmp(unit, "usd", 3) == 0 ? NUMBER_MONEY : NUMBER_PLAIN;
}
