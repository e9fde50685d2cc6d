/* Quantities are exactly what their text says, and nothing else is a quantity. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scenarios/quantity.h"
#include "sim/kernel/sim_time.h"
#include "tests/support/unit.h"

static void expect_decimal(const char *text, double expected) {
    double value = NAN;
    if (!decimal_parse(text, &value)) {
        fail_msg("refused: %s", text);
    }
    assert_true(value == expected);
    assert_int_equal(signbit(value) != 0, signbit(expected) != 0);
}

static void refuse_decimal(const char *text) {
    double value = 42;
    if (decimal_parse(text, &value)) {
        fail_msg("accepted: \"%s\"", text);
    }
    assert_true(value == 42);
}

/* The compiler's own conversion of the same digits is the reference: correctly rounded. */
static void test_decimals_are_correctly_rounded(void **state) {
    (void)state;
    expect_decimal("12", 12);
    expect_decimal("-0.5", -0.5);
    expect_decimal("+3.25", 3.25);
    expect_decimal("1e3", 1000);
    expect_decimal("1E-3", 1e-3);
    expect_decimal(".5", .5);
    expect_decimal("5.", 5);
    expect_decimal("-0", -0.0);
    expect_decimal("0.1", 0.1);
    expect_decimal("9007199254740993", 9007199254740993.0);
    expect_decimal("123456789012345678901234567890", 123456789012345678901234567890.0);
    expect_decimal("0.3333333333333333333333333333", 0.3333333333333333333333333333);
    expect_decimal("1e22", 1e22);
    expect_decimal("1e23", 1e23);
    expect_decimal("1.7976931348623157e308", 1.7976931348623157e308);
    expect_decimal("4.9e-324", 4.9e-324);
    expect_decimal("1e-400", 0);
}

static void test_other_texts_are_no_decimals(void **state) {
    (void)state;
    static const char *const texts[] = {
        "",    " 1",    "1 ",    "1 2", "nan",  "NaN",      "inf", "-inf", "0x1",
        "0x",  "1e",    "1e+",   "e5",  ".",    "-",        "+",   "--1",  "1.2.3",
        "1,5", "1_000", "1e999", "1f",  "1e5x", "infinity", "1d3", "\t1"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        refuse_decimal(texts[i]);
    }
}

static void test_integers(void **state) {
    (void)state;
    int64_t value = 0;
    assert_true(integer_parse("9223372036854775807", &value));
    assert_true(value == INT64_MAX);
    assert_true(integer_parse("-9223372036854775808", &value));
    assert_true(value == INT64_MIN);
    assert_true(integer_parse("+007", &value));
    assert_int_equal(value, 7);
    static const char *const texts[] = {
        "",   "-",  "1.0", "1e3", "9223372036854775808",       "0x10",
        "1 ", " 1", "--1", "1_0", "99999999999999999999999999"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        value = 42;
        assert_false(integer_parse(texts[i], &value));
        assert_int_equal(value, 42);
    }
}

static void expect_scaled(const char *text, int64_t scale, int64_t expected) {
    int64_t value = 42;
    if (!decimal_parse_scaled(text, scale, &value)) {
        fail_msg("refused: %s", text);
    }
    if (value != expected) {
        fail_msg("%s x %lld is %lld, not %lld", text, (long long)scale, (long long)expected,
                 (long long)value);
    }
}

static void test_scaled_decimals_are_exact(void **state) {
    (void)state;
    int64_t second = 1000000000;
    expect_scaled("0.1", second, 100000000);
    expect_scaled("-0.1", second, -100000000);
    expect_scaled("1507529583.123456789", second, INT64_C(1507529583123456789));
    /* Beyond the unit: half away from zero, and not by way of a double. */
    expect_scaled("0.0000000005", second, 1);
    expect_scaled("0.0000000004999999999999999999999999", second, 0);
    expect_scaled("-0.0000000005", second, -1);
    expect_scaled("0.5", 1, 1);
    expect_scaled("1.5", 1, 2);
    expect_scaled("2.4999999999999999999999999999999999999", 1, 2);
    /* Scales that a power of ten does not divide: 1/3 of 3 and of a GiB. */
    expect_scaled("0.3333333333333333333333", 3, 1);
    expect_scaled("0.5", 1073741824, 536870912);
    expect_scaled("0.1", 1024, 102);
    expect_scaled("1e3", second, INT64_C(1000000000000));
    expect_scaled("1.5e-9", second, 2);
    expect_scaled("1.4e-9", second, 1);
    expect_scaled("0e99999999999", second, 0);
    expect_scaled("000000000000000000000000000000.25", 4, 1);
    expect_scaled("1e-99999999999", second, 0);
    expect_scaled("4611686018427387904", 1, INT64_C(1) << 62);
    expect_scaled("4.611686018427387904", INT64_C(1000000000000000000), INT64_C(1) << 62);
}

static void test_scaled_decimals_do_not_overflow(void **state) {
    (void)state;
    static const char *const texts[] = {"4611686018427387904.5", "-4611686018427387904.5",
                                        "4611686018427387905",   "1e19",
                                        "1e99999999999",         "99999999999999999999"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        int64_t value = 42;
        assert_false(decimal_parse_scaled(texts[i], 1, &value));
        assert_int_equal(value, 42);
    }
    int64_t value;
    assert_false(decimal_parse_scaled("5000000000", 1000000000, &value));
    assert_false(decimal_parse_scaled("1s", 1, &value));
}

/* Both ways through the arithmetic, against 128-bit integers, on random digits. */
static void test_scaled_decimals_agree_with_wide_integers(void **state) {
    (void)state;
    static const int64_t scales[] = {1, 1000, 60000000000, 1073741824, 86400000000000, 7};
    struct test_random random = {.state = 1};
    for (int i = 0; i < 20000; i++) {
        int64_t mantissa =
            (int64_t)(test_random_next(&random) >> test_random_between(&random, 24, 60));
        int places = test_random_between(&random, 0, 12);
        int64_t scale = scales[test_random_below(&random, 6)];
        __int128 power = 1;
        for (int k = 0; k < places; k++) {
            power *= 10;
        }
        __int128 expected = ((__int128)mantissa * scale * 2 + power) / (2 * power);
        if (expected > (__int128)1 << 62) {
            continue;
        }
        char text[64];
        snprintf(text, sizeof(text), "%llde-%d", (long long)mantissa, places);
        expect_scaled(text, scale, (int64_t)expected);
        snprintf(text, sizeof(text), "%lld.%0*lld", (long long)(mantissa / (int64_t)power), places,
                 (long long)(mantissa % (int64_t)power));
        if (places > 0) {
            expect_scaled(text, scale, (int64_t)expected);
        }
    }
}

static void test_durations(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } good[] = {{"500ns", 500},
                {"200us", 200000},
                {"10ms", 10000000},
                {"0.1s", 100000000},
                {"30s", INT64_C(30000000000)},
                {"15m", INT64_C(900000000000)},
                {"1.5h", INT64_C(5400000000000)},
                {"7d", INT64_C(604800000000000)},
                {"0", 0},
                {"0.0", 0},
                {"0s", 0},
                {"1e3s", INT64_C(1000000000000)},
                {"0.4ns", 0},
                {"36525d", SIM_TIME_LONGEST}};
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        int64_t ns = -1;
        assert_true(duration_parse(good[i].text, &ns));
        assert_true(ns == good[i].ns);
    }
    static const char *const bad[] = {"",     "30",    "s",    "-1s",  "30 s", "30S",    "30sec",
                                      "30 ",  "1h30m", "1M",   "nans", "infs", "36526d", "1e30d",
                                      "0x1s", "1,5s",  "1min", "1es",  "--1s"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int64_t ns = 42;
        if (duration_parse(bad[i], &ns)) {
            fail_msg("accepted: %s", bad[i]);
        }
        assert_int_equal(ns, 42);
    }
}

static void test_sizes(void **state) {
    (void)state;
    int64_t bytes = 0;
    assert_true(bytes_parse("14GB", &bytes) && bytes == INT64_C(14000000000));
    assert_true(bytes_parse("80GiB", &bytes) && bytes == INT64_C(80) << 30);
    assert_true(bytes_parse("512MiB", &bytes) && bytes == INT64_C(512) << 20);
    assert_true(bytes_parse("0.5KiB", &bytes) && bytes == 512);
    assert_true(bytes_parse("1kB", &bytes) && bytes == 1000);
    assert_true(bytes_parse("3B", &bytes) && bytes == 3);
    assert_true(bytes_parse("2TB", &bytes) && bytes == INT64_C(2000000000000));
    assert_true(bytes_parse("0", &bytes) && bytes == 0);
    static const char *const bad[] = {"14", "14G", "14Gi", "14gb", "14 GB", "-1GB", "9e9TB", "GB"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_false(bytes_parse(bad[i], &bytes));
    }
}

static void test_rates_bandwidths_shares_and_powers(void **state) {
    (void)state;
    double value = 0;
    assert_true(rate_parse("12/h", &value) && value == 12.0 / 3600);
    assert_true(rate_parse("0.5/s", &value) && value == 0.5);
    assert_true(rate_parse("30/m", &value) && value == 0.5);
    assert_true(rate_parse("30/min", &value) && value == 0.5);
    assert_true(rate_parse("86400/d", &value) && value == 1);
    assert_true(rate_parse("0", &value) && value == 0);
    assert_true(bandwidth_parse("4GB/s", &value) && value == 4e9);
    assert_true(bandwidth_parse("1MiB/s", &value) && value == 1048576);
    assert_true(bandwidth_parse("0", &value) && value == 0);
    assert_true(bandwidth_parse("36MB/h", &value) && value == 1e4);
    assert_true(bandwidth_parse("6kB/min", &value) && value == 100);
    assert_true(bandwidth_parse("6kB/m", &value) && value == 100);
    assert_true(bandwidth_parse("86400B/d", &value) && value == 1);
    assert_true(share_parse("40%", &value) && value == 0.4);
    assert_true(share_parse("0.4", &value) && value == 0.4);
    assert_true(share_parse("0", &value) && value == 0);
    assert_true(share_parse("150%", &value) && value == 1.5);
    assert_true(power_parse("49.7W", &value) && value == 49.7);
    assert_true(power_parse("1.2kW", &value) && value == 1200);
    assert_true(power_parse("0", &value) && value == 0);
    static const char *const no_rates[] = {"12", "12/ms", "12 /h", "-1/s", "/h", "12/", "1/s/s"};
    for (size_t i = 0; i < sizeof(no_rates) / sizeof(no_rates[0]); i++) {
        assert_false(rate_parse(no_rates[i], &value));
    }
    static const char *const no_bandwidths[] = {"4",     "4GB",    "4/s",  "0/s", "GB/s",
                                                "4GB/w", "-4GB/s", "4GB/", "4/h"};
    for (size_t i = 0; i < sizeof(no_bandwidths) / sizeof(no_bandwidths[0]); i++) {
        assert_false(bandwidth_parse(no_bandwidths[i], &value));
    }
    static const char *const no_powers[] = {"", "W", "40", "-1W", "40 W", "40w", "40mW", "40W/h"};
    for (size_t i = 0; i < sizeof(no_powers) / sizeof(no_powers[0]); i++) {
        assert_false(power_parse(no_powers[i], &value));
    }
    static const char *const no_shares[] = {"", "%", "-1%", "40 %", "nan%", "40%%"};
    for (size_t i = 0; i < sizeof(no_shares) / sizeof(no_shares[0]); i++) {
        assert_false(share_parse(no_shares[i], &value));
    }
}

static void test_durations_and_rates_are_written_as_one_would(void **state) {
    (void)state;
    static const char *const durations[] = {"50d", "36h", "90m", "30s", "1ms",
                                            "1us", "7ns", "0s",  "1.5s"};
    static const char *const rates[] = {"12/s", "12/h",         "1.5/s", "30/m",
                                        "2/d",  "1000000000/s", "0/s"};
    char text[DURATION_TEXT];
    for (size_t i = 0; i < sizeof(durations) / sizeof(durations[0]); i++) {
        int64_t ns = 0;
        assert_true(duration_parse(durations[i], &ns));
        assert_string_equal(duration_format(ns, text), durations[i]);
    }
    for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
        double per_second = 0;
        assert_true(rate_parse(rates[i], &per_second));
        assert_string_equal(rate_format(per_second, text), rates[i]);
    }
}

static void test_time_units(void **state) {
    (void)state;
    int64_t ns = 0;
    assert_true(time_unit_parse("ms", &ns) && ns == 1000000);
    assert_true(time_unit_parse("d", &ns) && ns == INT64_C(86400000000000));
    assert_false(time_unit_parse("", &ns));
    assert_false(time_unit_parse("min", &ns));
    assert_false(time_unit_parse("1s", &ns));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decimals_are_correctly_rounded),
        cmocka_unit_test(test_other_texts_are_no_decimals),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_scaled_decimals_are_exact),
        cmocka_unit_test(test_scaled_decimals_do_not_overflow),
        cmocka_unit_test(test_scaled_decimals_agree_with_wide_integers),
        cmocka_unit_test(test_durations),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_rates_bandwidths_shares_and_powers),
        cmocka_unit_test(test_durations_and_rates_are_written_as_one_would),
        cmocka_unit_test(test_time_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
