/* Numbers are written as a person would write them; every expected text is by hand. */
#include "tests/reports/fixture.h"

#include "reports/number.h"

static void durations_take_two_units(void **state) {
    (void)state;
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {
        {0, "0 s"},           {1e-9, "1 ns"},      {3.5e-7, "350 ns"},
        {0.000204, "204 us"}, {0.0035, "3.5 ms"},  {0.35, "350 ms"},
        {0.9996, "1.0 s"}, /* not 1000 ms */
        {2.8, "2.8 s"},       {30, "30 s"},        {46.32, "46.3 s"},
        {59.96, "1m"}, /* not 60.0 s */
        {61, "1m 1s"},        {2803, "46m 43s"},   {3599.4, "59m 59s"},
        {3599.7, "1h"},                                           /* not 59m 60s */
        {15120, "4h 12m"},    {86369, "23h 59m"},  {86371, "1d"}, /* not 23h 60m */
        {273600, "3d 4h"},    {1e8, "1,157d 10h"}, /* 1157 d = 99,964,800 s; 35,200 s are 9.8 h */
        {-2803, "-46m 43s"},  {NAN, "-"},          {INFINITY, "unlimited"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        assert_string_equal(number_duration(cases[i].seconds).text, cases[i].text);
    }
}

static void money_has_cents_until_they_do_not_matter(void **state) {
    (void)state;
    assert_string_equal(number_money(12345.67, "USD").text, "$12,346");
    assert_string_equal(number_money(1234.567, NULL).text, "$1,234.57");
    assert_string_equal(number_money(2345.67, "EUR").text, "EUR 2,345.67");
    assert_string_equal(number_money(1234567.89, "USD").text, "$1,234,568");
    assert_string_equal(number_money(0.0034, "USD").text, "$0.0034");
    assert_string_equal(number_money(0, "USD").text, "$0.00");
    assert_string_equal(number_money(-12, "USD").text, "-$12.00");
    assert_string_equal(number_money(NAN, "USD").text, "-");
    /* Unless an interval tells of parts of them. */
    assert_string_equal(number_mean(NUMBER_MONEY, 0.380493, 0.00053, NULL).text,
                        "$0.38049 ± $0.00053");
    assert_string_equal(number_mean(NUMBER_MONEY, 500.25, 0.00053, NULL).text,
                        "$500.25 ± $0.00053");
}

static void shares_and_counts(void **state) {
    (void)state;
    assert_string_equal(number_share(0.28).text, "28.0 %");
    assert_string_equal(number_share(1).text, "100.0 %");
    assert_string_equal(number_count(103467).text, "103,467");
    assert_string_equal(number_count(999).text, "999");
    assert_string_equal(number_count(1000000).text, "1,000,000");
    assert_string_equal(number_count(12.5).text, "12.5");
    assert_string_equal(number_plain(1.049).text, "1.05");
    assert_string_equal(number_plain(12.34).text, "12.3");
    assert_string_equal(number_plain(1234.5).text, "1,234"); /* to even */
    assert_string_equal(number_plain(0.0012).text, "0.0012");
    assert_string_equal(number_plain(0.0149).text, "0.015");
}

/* The noise of sums neither decides how a half is rounded nor whether a number is whole. */
static void noise_does_not_show(void **state) {
    (void)state;
    assert_string_equal(number_count(5.75).text, "5.8");
    assert_string_equal(number_count(5.749999999999998).text, "5.8");
    assert_string_equal(number_count(23.999999999999996).text, "24");
    assert_string_equal(number_count(24.000000000000004).text, "24");
    assert_string_equal(number_count(23.5).text, "23.5");
}

static void a_mean_has_the_digits_of_its_interval(void **state) {
    (void)state;
    assert_string_equal(number_mean(NUMBER_DURATION, 2803, 130, NULL).text, "46m 43s ± 2m 10s");
    assert_string_equal(number_mean(NUMBER_DURATION, 15130, 35, NULL).text, "4h 12m 10s ± 35 s");
    assert_string_equal(number_mean(NUMBER_DURATION, 15130, 2400, NULL).text, "4h 12m ± 40m");
    assert_string_equal(number_mean(NUMBER_DURATION, 2.843, 0.31, NULL).text, "2.84 s ± 310 ms");
    assert_string_equal(number_mean(NUMBER_DURATION, 2.843, 12, NULL).text, "3 s ± 12 s");
    assert_string_equal(number_mean(NUMBER_SHARE, 0.7123, 0.031, NULL).text, "71.2 % ± 3.1 %");
    assert_string_equal(number_mean(NUMBER_COUNT, 103400.4, 0.5, NULL).text, "103,400.4 ± 0.5");
    assert_string_equal(number_mean(NUMBER_COUNT, 103400.4, 1234, NULL).text, "103,400 ± 1,234");
    assert_string_equal(number_mean(NUMBER_MONEY, 12345.678, 210, "USD").text, "$12,346 ± $210");
    assert_string_equal(number_mean(NUMBER_PLAIN, 12.345, 0.21, NULL).text, "12.35 ± 0.21");
    assert_string_equal(number_mean(NUMBER_DURATION, 2803, NAN, NULL).text, "46m 43s");
    assert_string_equal(number_mean(NUMBER_COUNT, 17, 0, NULL).text, "17");
    assert_string_equal(number_mean(NUMBER_PLAIN, 1.519, 0.0072, NULL).text, "1.5190 ± 0.0072");
}

/* An interval too narrow to be seen is not there, and asks for no digits. */
static void zeros_are_no_interval(void **state) {
    (void)state;
    assert_string_equal(number_mean(NUMBER_MONEY, 4500, 1e-12, "USD").text, "$4,500.00");
    assert_string_equal(number_mean(NUMBER_SHARE, 0.99998, 0.00001, NULL).text, "100.0 %");
    assert_string_equal(number_mean(NUMBER_SHARE, 0.9999, 0.0001, NULL).text, "99.99 % ± 0.01 %");
    assert_string_equal(number_mean(NUMBER_DURATION, 0.25, 1e-17, NULL).text, "250 ms");
    assert_string_equal(number_half_width(NUMBER_COUNT, 0.01, NULL).text, "");
}

static void differences_carry_their_sign(void **state) {
    (void)state;
    assert_string_equal(number_difference(NUMBER_DURATION, -991, 0, NULL).text, "-16m 31s");
    assert_string_equal(number_difference(NUMBER_DURATION, 2.8, 0, NULL).text, "+2.8 s");
    assert_string_equal(number_difference(NUMBER_POINTS, 0.038, 0, NULL).text, "+3.8 pp");
    assert_string_equal(number_difference(NUMBER_MONEY, 12.5, 0, "USD").text, "+$12.50");
    assert_string_equal(number_difference(NUMBER_SHARE, -0.00001, 0, NULL).text, "0.0 %");
}

static void units_choose_the_kind(void **state) {
    (void)state;
    assert_int_equal(number_kind_of("s"), NUMBER_DURATION);
    assert_int_equal(number_kind_of("share"), NUMBER_SHARE);
    assert_int_equal(number_kind_of("count"), NUMBER_COUNT);
    assert_int_equal(number_kind_of("usd_per_month"), NUMBER_MONEY);
    assert_int_equal(number_kind_of("ratio"), NUMBER_PLAIN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(durations_take_two_units),
        cmocka_unit_test(money_has_cents_until_they_do_not_matter),
        cmocka_unit_test(shares_and_counts),
        cmocka_unit_test(noise_does_not_show),
        cmocka_unit_test(a_mean_has_the_digits_of_its_interval),
        cmocka_unit_test(zeros_are_no_interval),
        cmocka_unit_test(differences_carry_their_sign),
        cmocka_unit_test(units_choose_the_kind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
