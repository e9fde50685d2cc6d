/* Closed forms of queueing theory: what a simulation must come to where the answer is known.
 *
 * Times are in any one unit and rates per that unit; `servers` work at one time, jobs wait in one
 * line, and arrivals are Poisson unless said otherwise. Loads must leave the queue stable: rate x
 * mean < servers. Textbook: Gross, Shortle, Thompson and Harris, Fundamentals of Queueing Theory,
 * 4th ed. (2008); where a formula has another source, it is named. */
#ifndef MODELS_QUEUEING_H
#define MODELS_QUEUEING_H

/* The share of arrivals that find all servers busy and go away (M/G/c/c, Erlang B); load = rate x
 * mean, of any size. */
double queueing_erlang_b(int servers, double load);
/* The share of arrivals that find all servers busy and wait (M/M/c, Erlang C). */
double queueing_erlang_c(int servers, double load);

/* M/M/c: exponential service. */
double queueing_mmc_wait(int servers, double rate, double mean);
double queueing_mmc_response(int servers, double rate, double mean); /* wait and service */
double queueing_mmc_wait_quantile(int servers, double rate, double mean, double q);
double queueing_mmc_response_quantile(int servers, double rate, double mean, double q);

/* The least number of servers with which at most the share `waits` of arrivals wait; or with which
 * the quantile q of the wait is at most `target` times the mean service. load = rate x mean > 0. */
int queueing_mmc_servers_for_waits(double load, double waits);
int queueing_mmc_servers_for_quantile(double load, double q, double target);

/* M/M/c with room for `places` jobs, those in service included; an arrival that finds no place goes
 * away. The load may be above 1. */
struct queueing_bounded {
    double blocking; /* share of arrivals that go away */
    double number;   /* mean number of jobs there */
    double response; /* mean time there, of those that came in */
};
struct queueing_bounded queueing_mmck(int servers, int places, double rate, double mean);

/* M/D/c: every service takes `mean`. Source: Crommelin, Delay probability formulae, Post Office
 * Electrical Engineers' Journal 26 (1934), by the roots of z^c = exp(rate x mean (z - 1)). */
double queueing_mdc_wait(int servers, double rate, double mean);

/* M/G/1 by the mean and the coefficient of variation of service (Pollaczek and Khinchine). */
double queueing_mg1_wait(double rate, double mean, double cv);

/* Mean response of M/G/1 with processor sharing: all jobs there share the server equally. It
 * depends on the mean of service alone. Source: Sakata, Noguchi and Oizumi, An analysis of the
 * M/G/1 queue under round-robin scheduling, Operations Research 19 (1971). */
double queueing_mg1_sharing_response(double rate, double mean);

/* The part of a server's time in which each of n >= 2 `tenants` is served that always have work
 * and take turns: each turn is a slice behind a switch. */
double queueing_turns_share(int tenants, double slice, double switching);

/* M/M/1 whose server is off while nobody is there, and takes a set-up each time anew: mean
 * response. The set-up by its mean and coefficient of variation. Source: Welch, On a generalized
 * M/G/1 queuing process in which the first customer of each busy period receives exceptional
 * service, Operations Research 12 (1964). */
double queueing_setup_response(double rate, double mean, double setup, double setup_cv);

/* Mean wait of a class under non-preemptive priorities; class 0 is the most urgent. Source: Cobham,
 * Priority assignment in waiting line problems, Operations Research 2 (1954). */
struct queueing_class {
    double rate;
    double mean; /* of exponential service */
};
double queueing_priority_wait(const struct queueing_class *classes, int count, int which);
/* The same with several servers; service of all classes has one mean. */
double queueing_mmc_priority_wait(int servers, const double *rates, int count, double mean,
                                  int which);

/* Mean response of a class if the more urgent ones take its server at once, and it goes on later
 * where it was: the first classes are a queue of their own, which lacks the others (Little's law
 * does the rest). */
double queueing_mmc_preemptive_response(int servers, const double *rates, double mean, int which);

/* `clients` that each submit a job to one server, wait for its end, and think; both times
 * exponential. */
struct queueing_closed {
    double throughput; /* jobs per time */
    double response;   /* mean time from submission to end */
};
struct queueing_closed queueing_closed_loop(int clients, double think, double mean);

/* The share of time in which a machine is up that works for `mtbf` and is repaired for `mttr` on
 * average, of whatever distributions, at once when it fails. */
double queueing_availability(double mtbf, double mttr);

/* Two servers, always with jobs waiting, first come first served; a job needs both with probability
 * `share`, else one, for an exponential time. Jobs per time. */
double queueing_gang_throughput(double share, double mean);

/* Arrivals whose rate is a sine, each served at once for an exponential time: the number in service
 * is a sine, too. Source: Eick, Massey and Whitt, M_t/G/infinity queues with sinusoidal arrival
 * rates, Management Science 39 (1993). */
struct queueing_sine {
    double ratio; /* of its relative amplitude to that of the rate */
    double lag;   /* of its peak behind that of the rate */
};
struct queueing_sine queueing_sinusoidal(double period, double mean);

#endif
