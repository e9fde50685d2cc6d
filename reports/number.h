/* The one way numbers are written for people: durations, money, shares and counts, alone or as a
 * mean with its interval. */
#ifndef REPORTS_NUMBER_H
#define REPORTS_NUMBER_H

enum number_kind {
    NUMBER_PLAIN,    /* 12.3, three digits */
    NUMBER_COUNT,    /* 103,467 */
    NUMBER_SHARE,    /* of 1, written as 28.0 % */
    NUMBER_POINTS,   /* a difference of shares: 28.0 pp, percentage points */
    NUMBER_DURATION, /* in seconds: 46m 43s, 2.8 s, 350 ms, 4h 12m, 3d 4h */
    NUMBER_MONEY,    /* $12,345.67 */
};

/* Returned by value: number_share(x).text lives as long as the expression it stands in. */
struct number {
    char text[80];
};

/* The kind that a metric's unit ("s", "share", "usd_per_month") is written as. */
enum number_kind number_kind_of(const char *unit);

/* One value; NaN is "-". currency labels money: "USD" becomes $, others go before ("EUR 12.50").
 * step is the smallest difference worth showing, 0 for the kind's usual digits. */
struct number number_format(enum number_kind kind, double value, double step, const char *currency);
/* What a mean's interval says about its digits: the second one of the half width. 0 for NaN and 0.
 */
double number_step(double half_width);

/* "± 2m 10s"; "" where there is none (NaN), nothing varies (0), or only zeros would show. */
struct number number_half_width(enum number_kind kind, double half_width, const char *currency);
/* The step of a mean with such an interval: 0 where that does not show. */
double number_mean_step(enum number_kind kind, double half_width, const char *currency);
/* "46m 43s ± 2m 10s", or the mean alone where the interval does not show. */
struct number number_mean(enum number_kind kind, double mean, double half_width,
                          const char *currency);
/* With its sign: "+2.8 s", "-12.5 %". */
struct number number_difference(enum number_kind kind, double value, double step,
                                const char *currency);

/* The usual digits of a kind. */
struct number number_plain(double value);
struct number number_count(double count);
struct number number_share(double share);
struct number number_duration(double seconds);
struct number number_money(double amount, const char *currency);

#endif
