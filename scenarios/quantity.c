#include "scenarios/quantity.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/decimal.h"
#include "sim/kernel/sim_time.h"

#define SECOND NANOSECONDS_PER_SECOND

/* Base units of one unit. */
struct unit {
    const char *name;
    int64_t scale;
};

static const struct unit time_units[] = {
    {"ns", 1},          {"us", 1000},         {"ms", 1000000},       {"s", SECOND},
    {"m", 60 * SECOND}, {"h", 3600 * SECOND}, {"d", 86400 * SECOND},
};

static const struct unit byte_units[] = {
    {"B", 1},
    {"kB", 1000},
    {"MB", 1000000},
    {"GB", 1000000000},
    {"TB", INT64_C(1000000000000)},
    {"KiB", INT64_C(1) << 10},
    {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30},
    {"TiB", INT64_C(1) << 40},
};

/* Seconds of one period. */
static const struct unit rate_units[] = {
    {"/s", 1}, {"/m", 60}, {"/min", 60}, {"/h", 3600}, {"/d", 86400},
};

static const struct unit share_units[] = {{"%", 1}};

static const struct unit power_units[] = {{"W", 1}, {"kW", 1000}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct {
    const struct unit *units;
    size_t count;
    const char *after_unit; /* for bandwidths: a regular expression */
    const char *advice;
} kinds[] = {
    [QUANTITY_DURATION] = {time_units, COUNT(time_units), "",
                           "a duration such as 500ms, 30s, 15m, 2h or 7d"},
    [QUANTITY_BYTES] = {byte_units, COUNT(byte_units), "", "a size such as 512MiB, 14GB or 80GiB"},
    [QUANTITY_RATE] = {rate_units, COUNT(rate_units), "", "a rate such as 0.5/s, 30/min or 12/h"},
    [QUANTITY_BANDWIDTH] = {byte_units, COUNT(byte_units), "/(s|m|min|h|d)",
                            "bytes per time such as 4GB/s, 500MiB/s or 50MB/h"},
    [QUANTITY_SHARE] = {share_units, COUNT(share_units), "", "a share such as 40% or 0.4"},
    [QUANTITY_POWER] = {power_units, COUNT(power_units), "", "a power such as 49.7W or 1.2kW"},
};

/* 0: there is no unit of that name. */
static int64_t find_scale(const struct unit *units, size_t count, const char *name, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (strlen(units[i].name) == length && memcmp(units[i].name, name, length) == 0) {
            return units[i].scale;
        }
    }
    return 0;
}

/* A number of units, not negative. A bare 0 needs none. */
static bool parse_amount(const char *text, const struct unit *units, size_t count, int64_t *value) {
    size_t number = decimal_length(text);
    size_t unit = strlen(text + number);
    int64_t scale = unit == 0 ? 1 : find_scale(units, count, text + number, unit);
    int64_t amount;
    if (scale == 0 || !decimal_scale(text, number, scale, &amount) || amount < 0 ||
        (unit == 0 && !decimal_is_zero(text, number))) {
        return false;
    }
    *value = amount;
    return true;
}

const char *quantity_advice(enum quantity_kind kind) {
    return kinds[kind].advice;
}

const char *quantity_pattern(enum quantity_kind kind, char *buffer, size_t size) {
    static const char number[] = "([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?";
    size_t used = (size_t)snprintf(buffer, size, "^[+]?%s", number);
    for (size_t i = 0; i < kinds[kind].count && used < size; i++) {
        used += (size_t)snprintf(buffer + used, size - used, "%s%s", i == 0 ? "(" : "|",
                                 kinds[kind].units[i].name);
    }
    if (used < size) {
        bool optional = kind == QUANTITY_SHARE;
        snprintf(buffer + used, size - used, ")%s%s$", kinds[kind].after_unit, optional ? "?" : "");
    }
    return buffer;
}

bool duration_parse(const char *text, int64_t *ns) {
    int64_t value;
    if (!parse_amount(text, time_units, COUNT(time_units), &value) || value > SIM_TIME_LONGEST) {
        return false;
    }
    *ns = value;
    return true;
}

bool bytes_parse(const char *text, int64_t *bytes) {
    return parse_amount(text, byte_units, COUNT(byte_units), bytes);
}

bool rate_parse(const char *text, double *per_second) {
    size_t number = decimal_length(text);
    size_t unit = strlen(text + number);
    int64_t period = unit == 0 ? 1 : find_scale(rate_units, COUNT(rate_units), text + number, unit);
    double amount;
    if (period == 0 || !decimal_value(text, number, &amount) || amount < 0 ||
        (unit == 0 && amount != 0)) {
        return false;
    }
    *per_second = amount / (double)period;
    return true;
}

/* In the largest unit of which it is a whole number, or else in seconds. */
const char *duration_format(int64_t ns, char buffer[DURATION_TEXT]) {
    for (size_t i = COUNT(time_units); ns != 0 && i-- > 0;) {
        bool readable = time_units[i].scale >= SECOND || ns < SECOND;
        if (readable && ns % time_units[i].scale == 0) {
            snprintf(buffer, DURATION_TEXT, "%lld%s", (long long)(ns / time_units[i].scale),
                     time_units[i].name);
            return buffer;
        }
    }
    snprintf(buffer, DURATION_TEXT, "%.15gs", (double)ns / (double)SECOND);
    return buffer;
}

/* In the first unit of which it is one or more in few digits, or else per second. */
const char *rate_format(double per_second, char buffer[RATE_TEXT]) {
    for (size_t i = 0; i < COUNT(rate_units); i++) {
        double amount = per_second * (double)rate_units[i].scale;
        char digits[RATE_TEXT];
        double shown;
        snprintf(digits, sizeof(digits), "%.10g", amount);
        if (amount >= 1 && strlen(digits) <= 10 && decimal_parse(digits, &shown) &&
            fabs(shown - amount) <= 1e-14 * amount) {
            snprintf(buffer, RATE_TEXT, "%.20s%s", digits, rate_units[i].name);
            return buffer;
        }
    }
    snprintf(buffer, RATE_TEXT, "%.15g/s", per_second);
    return buffer;
}

bool bandwidth_parse(const char *text, double *bytes_per_second) {
    size_t length = strlen(text);
    char size[64];
    if (length >= sizeof(size)) {
        return false;
    }
    memcpy(size, text, length + 1);
    char *slash = strchr(size, '/');
    int64_t period = 1;
    if (slash != NULL) {
        period = find_scale(rate_units, COUNT(rate_units), slash, strlen(slash));
        *slash = '\0';
        if (period == 0 || decimal_length(size) == strlen(size)) {
            return false; /* "4/s" and "0/s" are rates */
        }
    } else if (decimal_length(size) != length) {
        return false;
    }
    int64_t bytes;
    if (!bytes_parse(size, &bytes)) {
        return false;
    }
    *bytes_per_second = (double)bytes / (double)period;
    return true;
}

bool share_parse(const char *text, double *share) {
    size_t number = decimal_length(text);
    bool percent = strcmp(text + number, "%") == 0;
    double amount;
    if ((text[number] != '\0' && !percent) || !decimal_value(text, number, &amount) || amount < 0) {
        return false;
    }
    *share = percent ? amount / 100 : amount;
    return true;
}

bool power_parse(const char *text, double *watts) {
    size_t number = decimal_length(text);
    size_t unit = strlen(text + number);
    int64_t scale =
        unit == 0 ? 1 : find_scale(power_units, COUNT(power_units), text + number, unit);
    double amount;
    if (scale == 0 || !decimal_value(text, number, &amount) || amount < 0 ||
        (unit == 0 && amount != 0)) {
        return false;
    }
    *watts = amount * (double)scale;
    return true;
}

bool time_unit_parse(const char *text, int64_t *ns) {
    int64_t scale = find_scale(time_units, COUNT(time_units), text, strlen(text));
    if (scale == 0) {
        return false;
    }
    *ns = scale;
    return true;
}
