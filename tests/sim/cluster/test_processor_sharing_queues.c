/* The MPS engine as a queue: means with a closed form must lie within the 99.9 % interval over
 * replications of fixed seeds, and that interval must be narrow enough to mean something.
 *
 * M/G/1 processor sharing (Kleinrock, Queueing Systems II, 1976, section 4.4): a task of work x
 * stays for x / (1 - rho) on average, whatever the distribution of work. */
#include <math.h>
#include <stdlib.h>

#include "sim/cluster/processor_sharing.h"
#include "sim/kernel/statistics.h"
#include "sim/kernel/stream.h"
#include "tests/support/unit.h"

enum { REPLICATIONS = 20, MOST_TASKS = 4096 };

/* Mean work; a nanosecond is then too little to matter. */
static const double unit_ns = 1e6;

static sim_time drawn(struct stream *stream, double mean) {
    return sim_time_from_seconds(stream_exponential(stream) * mean * unit_ns * 1e-9);
}

static void assert_mean(const double values[REPLICATIONS], double expected, double precision) {
    double mean = 0;
    double half_width = 0;
    assert_true(statistics_interval(values, REPLICATIONS, 0.999, &mean, &half_width));
    if (!(fabs(mean - expected) <= half_width && half_width <= precision * expected)) {
        fail_msg("%g +- %g instead of %g", mean, half_width, expected);
    }
}

/* Work is exponential of one of two means. */
struct open_queue {
    double load;
    double share[2];
    double mean[2]; /* in units; the mean over both is 1 */
    int32_t warmup;
    int32_t tasks; /* measured, after those of the warm-up */
};

struct visit {
    struct sharing_task task; /* first: what the engine returns is the visit */
    sim_time arrival;
    int kind;
    int32_t number;
};

struct open_run {
    struct processor_sharing ps;
    struct stream arrivals;
    struct stream works;
    struct visit visits[MOST_TASKS];
    struct visit *unused[MOST_TASKS];
    int32_t unused_count;
};

static void start_open(struct open_run *run, uint64_t replication) {
    processor_sharing_initialize(&run->ps, 1, 0);
    processor_sharing_seat(&run->ps, 0, 0.45, 1); /* alone, its saturation does not matter */
    stream_initialize(&run->arrivals, 7, replication, "arrivals");
    stream_initialize(&run->works, 7, replication, "works");
    run->unused_count = 0;
    for (int i = 0; i < MOST_TASKS; i++) {
        run->unused[run->unused_count++] = &run->visits[i];
    }
}

static void arrive(struct open_run *run, const struct open_queue *queue, sim_time now,
                   int32_t number) {
    assert_true(run->unused_count > 0);
    struct visit *visit = run->unused[--run->unused_count];
    visit->arrival = now;
    visit->number = number;
    visit->kind = stream_uniform(&run->works) < queue->share[0] ? 0 : 1;
    processor_sharing_begin(&run->ps, 0, &visit->task, drawn(&run->works, queue->mean[visit->kind]),
                            now);
}

/* Mean times there, in units, of each kind; load of the device in *busy. */
static void simulate_open(struct open_run *run, const struct open_queue *queue,
                          uint64_t replication, double response[2], double *busy) {
    start_open(run, replication);
    double sum[2] = {0};
    int32_t count[2] = {0};
    int32_t arrived = 0;
    sim_time arrival = 0;
    sim_time now = 0;
    while (count[0] + count[1] < queue->tasks) {
        sim_time end = processor_sharing_next(&run->ps);
        if (end > arrival) {
            arrive(run, queue, arrival, arrived++);
            arrival += drawn(&run->arrivals, 1 / queue->load);
            continue;
        }
        now = end;
        struct visit *visit = (struct visit *)processor_sharing_end(&run->ps, now);
        if (visit->number >= queue->warmup) {
            sum[visit->kind] += (double)(now - visit->arrival) / unit_ns;
            count[visit->kind]++;
        }
        run->unused[run->unused_count++] = visit;
    }
    for (int kind = 0; kind < 2; kind++) {
        response[kind] = count[kind] > 0 ? sum[kind] / count[kind] : 0;
    }
    *busy = (double)processor_sharing_computing_time(&run->ps) / (double)now;
    processor_sharing_terminate(&run->ps);
}

static void check_open(const struct open_queue *queue) {
    double response[2][REPLICATIONS];
    double busy[REPLICATIONS];
    struct open_run *run = malloc(sizeof *run);
    assert_non_null(run);
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        double responses[2];
        simulate_open(run, queue, i, responses, &busy[i]);
        response[0][i] = responses[0];
        response[1][i] = responses[1];
    }
    free(run);
    assert_mean(busy, queue->load, 0.02);
    for (int kind = 0; kind < 2 && queue->share[kind] > 0; kind++) {
        assert_mean(response[kind], queue->mean[kind] / (1 - queue->load), 0.1);
    }
}

static void exponential_work(void **state) {
    (void)state;
    check_open(&(struct open_queue){0.7, {1, 0}, {1, 0}, 2000, 60000});
    check_open(&(struct open_queue){0.9, {1, 0}, {1, 0}, 10000, 60000});
    check_open(&(struct open_queue){0.95, {1, 0}, {1, 0}, 20000, 100000});
}

/* Nine tasks of mean 1/2 to one of 11/2: second moment 2 (.9 / 4 + .1 x 30.25) = 6.5, cv^2 = 5.5.
 * Long and short ones are slowed alike; first come first served would let the short ones wait 13
 * units. */
static void hyperexponential_work(void **state) {
    (void)state;
    check_open(&(struct open_queue){0.8, {0.9, 0.1}, {0.5, 5.5}, 5000, 120000});
}

/* Clients that compute for an exponential time (mean 1 alone), each in a slot of its own, and then
 * think for one of mean 2. Saturation 1/2: of k that compute each runs at min(1, 2 / k), so that
 * ends come at rate min(k, 2), as from two servers. */
enum { CLIENTS = 6 };

struct closed_means {
    double throughput; /* ends per unit */
    double busy;       /* share of time with any client computing */
    double occupied;   /* of SMs */
    double delayed;    /* by others, per client and time */
};

/* The number that compute is a birth-death chain, in k up at (CLIENTS - k) / 2, down at min(k, 2);
 * each of k loses 1 - min(1, 2 / k). */
static struct closed_means closed_form(void) {
    struct closed_means means = {0};
    double weight = 1;
    double total = 1;
    for (int k = 1; k <= CLIENTS; k++) {
        double rate = k < 2 ? k : 2;
        weight *= (CLIENTS - k + 1) / 2.0 / rate;
        total += weight;
        means.throughput += weight * rate;
        means.busy += weight;
        means.occupied += weight * rate / 2;
        means.delayed += weight * (k - rate) / CLIENTS;
    }
    means.throughput /= total;
    means.busy /= total;
    means.occupied /= total;
    means.delayed /= total;
    return means;
}

struct closed_run {
    struct processor_sharing ps;
    struct stream stream;
    struct sharing_task tasks[CLIENTS];
    sim_time wakes[CLIENTS]; /* NEVER: computes */
};

static int32_t first_to_wake(const struct closed_run *run) {
    int32_t first = 0;
    for (int32_t i = 1; i < CLIENTS; i++) {
        first = run->wakes[i] < run->wakes[first] ? i : first;
    }
    return first;
}

static struct closed_means closed_results(const struct closed_run *run, int32_t ends,
                                          sim_time now) {
    double delayed = 0;
    double part = 0;
    for (int32_t i = 0; i < CLIENTS; i++) {
        struct sharing_times times = processor_sharing_slot_times(&run->ps, i);
        delayed += times.delayed / CLIENTS;
        part += times.part;
    }
    double computing = (double)processor_sharing_computing_time(&run->ps);
    assert_true(fabs(part - computing) <= 1e-12 * computing);
    double time = (double)now;
    return (struct closed_means){
        .throughput = ends / time * unit_ns,
        .busy = computing / time,
        .occupied = processor_sharing_occupied_time(&run->ps) / time,
        .delayed = delayed / time,
    };
}

static struct closed_means simulate_closed(uint64_t replication) {
    struct closed_run run;
    processor_sharing_initialize(&run.ps, CLIENTS, 0);
    stream_initialize(&run.stream, 11, replication, "clients");
    for (int32_t i = 0; i < CLIENTS; i++) {
        processor_sharing_seat(&run.ps, i, 0.5, 1);
        run.wakes[i] = drawn(&run.stream, 2);
    }
    sim_time now = 0;
    int32_t ends = 0;
    while (ends < 20000) {
        int32_t client = first_to_wake(&run);
        now = processor_sharing_next(&run.ps);
        if (now <= run.wakes[client]) {
            client = (int32_t)(processor_sharing_end(&run.ps, now) - run.tasks);
            run.wakes[client] = now + drawn(&run.stream, 2);
            ends++;
        } else {
            now = run.wakes[client];
            run.wakes[client] = SIM_TIME_NEVER;
            processor_sharing_begin(&run.ps, client, &run.tasks[client], drawn(&run.stream, 1),
                                    now);
        }
    }
    struct closed_means results = closed_results(&run, ends, now);
    processor_sharing_terminate(&run.ps);
    return results;
}

static void clients_in_slots_of_their_own(void **state) {
    (void)state;
    double values[4][REPLICATIONS];
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        struct closed_means results = simulate_closed(i);
        values[0][i] = results.throughput;
        values[1][i] = results.busy;
        values[2][i] = results.occupied;
        values[3][i] = results.delayed;
    }
    struct closed_means expected = closed_form();
    assert_mean(values[0], expected.throughput, 0.01);
    assert_mean(values[1], expected.busy, 0.01);
    assert_mean(values[2], expected.occupied, 0.01);
    assert_mean(values[3], expected.delayed, 0.03);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exponential_work),
        cmocka_unit_test(hyperexponential_work),
        cmocka_unit_test(clients_in_slots_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
