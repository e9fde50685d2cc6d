#include "models/queueing.h"

#include <assert.h>
#include <complex.h>
#include <math.h>
#include <stdbool.h>

double queueing_erlang_b(int servers, double load) {
    double blocking = 1;
    for (int c = 1; c <= servers; c++) {
        blocking = load * blocking / (c + load * blocking);
    }
    return blocking;
}

double queueing_erlang_c(int servers, double load) {
    double blocking = queueing_erlang_b(servers, load);
    return servers * blocking / (servers - load * (1 - blocking));
}

double queueing_mmc_wait(int servers, double rate, double mean) {
    return queueing_erlang_c(servers, rate * mean) / (servers / mean - rate);
}

double queueing_mmc_response(int servers, double rate, double mean) {
    return queueing_mmc_wait(servers, rate, mean) + mean;
}

/* Those who wait do so for an exponential time of rate servers / mean - rate. */
double queueing_mmc_wait_quantile(int servers, double rate, double mean, double q) {
    double waits = queueing_erlang_c(servers, rate * mean);
    return waits <= 1 - q ? 0 : log(waits / (1 - q)) / (servers / mean - rate);
}

/* Both fall as servers are added, so the first that will do is the least. */
int queueing_mmc_servers_for_waits(double load, double waits) {
    int servers = (int)load + 1; /* more than the load */
    while (queueing_erlang_c(servers, load) > waits) {
        servers++;
    }
    return servers;
}

int queueing_mmc_servers_for_quantile(double load, double q, double target) {
    int servers = (int)load + 1;
    while (queueing_mmc_wait_quantile(servers, load, 1, q) > target) {
        servers++;
    }
    return servers;
}

/* P(wait + service > t): service alone, or the sum of two independent exponential times. */
static double response_tail(double waits, double drain, double speed, double t) {
    double alone = exp(-speed * t);
    double both = fabs(drain - speed) < 1e-9 * speed
                      ? alone * (1 + speed * t)
                      : (drain * alone - speed * exp(-drain * t)) / (drain - speed);
    return (1 - waits) * alone + waits * both;
}

double queueing_mmc_response_quantile(int servers, double rate, double mean, double q) {
    double waits = queueing_erlang_c(servers, rate * mean);
    double drain = servers / mean - rate;
    double low = 0;
    double high = mean;
    while (response_tail(waits, drain, 1 / mean, high) > 1 - q) {
        high *= 2;
    }
    for (int halving = 0; halving < 100; halving++) {
        double middle = (low + high) / 2;
        bool beyond = response_tail(waits, drain, 1 / mean, middle) > 1 - q;
        low = beyond ? middle : low;
        high = beyond ? high : middle;
    }
    return (low + high) / 2;
}

/* The stationary weights of n jobs in place form a chain: weight(n) = weight(n - 1) x load / busy
 * servers. */
struct queueing_bounded queueing_mmck(int servers, int places, double rate, double mean) {
    double weight = 1;
    double total = 1;
    double number = 0;
    for (int n = 1; n <= places; n++) {
        weight *= rate * mean / (n < servers ? n : servers);
        total += weight;
        number += n * weight;
    }
    double blocking = weight / total;
    return (struct queueing_bounded){.blocking = blocking,
                                     .number = number / total,
                                     .response = number / total / (rate * (1 - blocking))};
}

/* The queue seen at times `mean` apart is Q' = max(Q + arrivals - servers, 0). Its mean is
 * load / (2 (servers - load)) - (servers - 1 + load) / 2 + sum of 1 / (1 - z) over the roots z,
 * other than 1, of z^servers = exp(load (z - 1)) in the unit disc (Janssen and van Leeuwaarden,
 * Analytic computation schemes for the discrete-time bulk service queue, Queueing Systems 50
 * (2005)). Root k is the fixed point of z -> exp(2 pi i k / servers) exp(load / servers (z - 1)), a
 * contraction of the disc by load / servers. */
double queueing_mdc_wait(int servers, double rate, double mean) {
    double load = rate * mean;
    double queue = load / (2 * (servers - load)) - (servers - 1 + load) / 2;
    int steps = (int)ceil(-40 / log(load / servers));
    for (int k = 1; k < servers; k++) {
        double complex turn = cexp(2 * M_PI * I * k / servers);
        double complex z = 0;
        for (int step = 0; step < steps; step++) {
            z = turn * cexp(load / servers * (z - 1));
        }
        queue += creal(1 / (1 - z)); /* the imaginary parts of pairs cancel */
    }
    return queue / rate;
}

double queueing_setup_response(double rate, double mean, double setup, double setup_cv) {
    double second = setup * setup * (1 + setup_cv * setup_cv); /* moment of the set-up */
    return mean / (1 - rate * mean) + (2 * setup + rate * second) / (2 * (1 + rate * setup));
}

double queueing_mg1_wait(double rate, double mean, double cv) {
    return rate * mean * mean * (1 + cv * cv) / (2 * (1 - rate * mean));
}

double queueing_mg1_sharing_response(double rate, double mean) {
    return mean / (1 - rate * mean);
}

double queueing_turns_share(int tenants, double slice, double switching) {
    assert(tenants > 1); /* one alone never switches */
    return slice / (tenants * (slice + switching));
}

double queueing_priority_wait(const struct queueing_class *classes, int count, int which) {
    double residual = 0; /* the mean work left in service: half of rate x E[service^2] */
    double before = 0;   /* the load that goes before the class, */
    double up_to = 0;    /* and with the class itself */
    for (int i = 0; i < count; i++) {
        residual += classes[i].rate * classes[i].mean * classes[i].mean;
        before += i < which ? classes[i].rate * classes[i].mean : 0;
        up_to += i <= which ? classes[i].rate * classes[i].mean : 0;
    }
    return residual / ((1 - before) * (1 - up_to));
}

double queueing_mmc_priority_wait(int servers, const double *rates, int count, double mean,
                                  int which) {
    double load = 0;
    double before = 0;
    double up_to = 0;
    for (int i = 0; i < count; i++) {
        load += rates[i] * mean;
        before += i < which ? rates[i] * mean / servers : 0;
        up_to += i <= which ? rates[i] * mean / servers : 0;
    }
    double next_end = queueing_erlang_c(servers, load) * mean / servers;
    return next_end / ((1 - before) * (1 - up_to));
}

/* Mean number of jobs in M/M/c. */
static double number_there(int servers, double rate, double mean) {
    double load = rate * mean;
    return load + queueing_erlang_c(servers, load) * load / (servers - load);
}

double queueing_mmc_preemptive_response(int servers, const double *rates, double mean, int which) {
    double before = 0;
    for (int i = 0; i < which; i++) {
        before += rates[i];
    }
    double more = before > 0 ? number_there(servers, before, mean) : 0;
    return (number_there(servers, before + rates[which], mean) - more) / rates[which];
}

/* The server is a chain whose arrivals come from the clients that think. */
struct queueing_closed queueing_closed_loop(int clients, double think, double mean) {
    double weight = 1;
    double total = 1;
    for (int n = 1; n <= clients; n++) {
        weight *= (clients - n + 1) * mean / think;
        total += weight;
    }
    double throughput = (1 - 1 / total) / mean;
    return (struct queueing_closed){.throughput = throughput,
                                    .response = clients / throughput - think};
}

/* Three states: a gang runs; two single jobs run; one runs while a gang waits for its GPU. With
 * q = 1 - share, balance gives their weights 1, q^2 / (2 share) and q; two singles end at double
 * the rate. */
double queueing_gang_throughput(double share, double mean) {
    assert(share > 0);
    double q = 1 - share;
    double singles = q * q / (2 * share);
    return (1 + 2 * singles + q) / (1 + singles + q) / mean;
}

double queueing_availability(double mtbf, double mttr) {
    return mtbf / (mtbf + mttr);
}

struct queueing_sine queueing_sinusoidal(double period, double mean) {
    double frequency = 2 * M_PI / period;
    double angle = frequency * mean;
    return (struct queueing_sine){.ratio = 1 / sqrt(1 + angle * angle),
                                  .lag = atan(angle) / frequency};
}
