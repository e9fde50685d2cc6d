/* What the kernel costs above hand-written loops, on this machine. Each pair of programs runs
 * alternately for several rounds and the best of each counts, so that the ratios hold still where
 * the clock does not.
 *
 *     bench_kernel [ROUNDS] */
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "models/queueing.h"
#include "sim/kernel/event_queue.h"
#include "sim/kernel/histogram.h"
#include "sim/kernel/memory.h"
#include "sim/kernel/stream.h"
#include "sim/kernel/tally.h"
#include "tests/bench/bare_heap.h"

enum { CUSTOMERS = 2000000, RING = 1 << 16, HOLDS = 1000000, VARIATES = 5000000 };

static const double mean_service_ns = 1e9;

static double cpu_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* A queue M/M/c: Poisson arrivals, exponential services, first come first served. */
struct model {
    uint64_t servers;
    double load; /* per server, below 1 */
};

static double mean_gap_ns(const struct model *model) {
    return mean_service_ns / ((double)model->servers * model->load);
}

static double closed_form_wait_s(const struct model *model) {
    double mean_s = mean_service_ns / 1e9;
    double rate_per_s = (double)model->servers * model->load / mean_s;
    return queueing_mmc_wait((int)model->servers, rate_per_s, mean_s);
}

/* The floor: nothing but the model and the sum of its waits. Both programs draw the next arrival
 * first, so that the processor has it by the time it is compared. */
static double bare_queue(const struct model *model) {
    struct stream arrivals;
    struct stream services;
    stream_initialize(&arrivals, 1, 0, "arrivals");
    stream_initialize(&services, 1, 0, "services");
    struct bare_heap ends;
    bare_heap_initialize(&ends, model->servers);
    uint64_t *ring = memory_zero(RING, sizeof(uint64_t));
    uint64_t head = 0;
    uint64_t tail = 0;
    uint64_t wait_sum = 0;
    double gap = mean_gap_ns(model);
    uint64_t arrival = (uint64_t)(gap * stream_exponential(&arrivals));
    uint64_t arrived = 0;
    while (arrived < CUSTOMERS) {
        if (bare_heap_time(&ends) <= arrival) {
            uint64_t now = bare_heap_pop(&ends);
            if (head != tail) {
                wait_sum += now - ring[head++ % RING];
                bare_heap_push(&ends,
                               now + (uint64_t)(mean_service_ns * stream_exponential(&services)));
            }
        } else {
            uint64_t now = arrival;
            arrival += (uint64_t)(gap * stream_exponential(&arrivals));
            arrived++;
            if (ends.count < model->servers) {
                bare_heap_push(&ends,
                               now + (uint64_t)(mean_service_ns * stream_exponential(&services)));
            } else {
                ring[tail++ % RING] = now;
            }
        }
    }
    free(ring);
    bare_heap_terminate(&ends);
    return (double)wait_sum / (double)(arrived - (tail - head)) / 1e9;
}

/* The same against the kernel's interface, as a simulation uses it: a generic loop that knows only
 * handlers, a clock, and statistics of the wait, of the queue and of the servers. */
struct simulation {
    struct event_queue *events;
    sim_time now;
    sim_time next_arrival;
    event_handler *arrive;
    const struct model *model;
    struct stream arrivals;
    struct stream services;
    uint64_t arrived;
    uint64_t busy;
    uint64_t head;
    uint64_t tail;
    uint64_t *ring;
    double gap;
    struct histogram waits;
    struct time_tally queued;
    struct time_tally serving;
};

static void finish_service(void *context, void *subject);

static void start_service(struct simulation *simulation, uint64_t arrival) {
    sim_time service = (sim_time)(mean_service_ns * stream_exponential(&simulation->services));
    event_queue_push(simulation->events, simulation->now + service, RANK_END, finish_service,
                     simulation);
    histogram_add(&simulation->waits, (uint64_t)simulation->now - arrival);
}

static void finish_service(void *context, void *subject) {
    struct simulation *simulation = context;
    (void)subject;
    if (simulation->head != simulation->tail) {
        start_service(simulation, simulation->ring[simulation->head++ % RING]);
        time_tally_set(&simulation->queued, simulation->now,
                       (int64_t)(simulation->tail - simulation->head));
    } else {
        simulation->busy--;
        time_tally_set(&simulation->serving, simulation->now, (int64_t)simulation->busy);
    }
}

static void arrive(void *context, void *subject) {
    struct simulation *simulation = context;
    (void)subject;
    simulation->next_arrival +=
        (sim_time)(simulation->gap * stream_exponential(&simulation->arrivals));
    simulation->arrived++;
    if (simulation->busy < simulation->model->servers) {
        simulation->busy++;
        time_tally_set(&simulation->serving, simulation->now, (int64_t)simulation->busy);
        start_service(simulation, (uint64_t)simulation->now);
    } else {
        simulation->ring[simulation->tail++ % RING] = (uint64_t)simulation->now;
        time_tally_set(&simulation->queued, simulation->now,
                       (int64_t)(simulation->tail - simulation->head));
    }
}

static void run(struct simulation *simulation) {
    while (simulation->arrived < CUSTOMERS) {
        enum event_rank rank;
        sim_time next = event_queue_peek(simulation->events, &rank);
        if (next < simulation->next_arrival ||
            (next == simulation->next_arrival && rank < RANK_ARRIVAL)) {
            struct event event;
            event_queue_pop(simulation->events, &event);
            simulation->now = event.time;
            event.handle(simulation, event.subject);
        } else {
            simulation->now = simulation->next_arrival;
            simulation->arrive(simulation, NULL);
        }
    }
}

static double kernel_queue(const struct model *model) {
    struct simulation simulation = {.model = model, .arrive = arrive, .gap = mean_gap_ns(model)};
    simulation.events = event_queue_create();
    simulation.ring = memory_zero(RING, sizeof(uint64_t));
    stream_initialize(&simulation.arrivals, 1, 0, "arrivals");
    stream_initialize(&simulation.services, 1, 0, "services");
    histogram_initialize(&simulation.waits, HISTOGRAM_FAST);
    time_tally_initialize(&simulation.queued, 0, 0);
    time_tally_initialize(&simulation.serving, 0, 0);
    simulation.next_arrival = (sim_time)(simulation.gap * stream_exponential(&simulation.arrivals));
    run(&simulation);
    double wait = histogram_mean(&simulation.waits) / 1e9;
    histogram_terminate(&simulation.waits);
    event_queue_destroy(simulation.events);
    free(simulation.ring);
    return wait;
}

static void bench_queue(int rounds, uint64_t servers, double load) {
    struct model model = {.servers = servers, .load = load};
    double bare_best = INFINITY;
    double kernel_best = INFINITY;
    double bare_wait = 0;
    double kernel_wait = 0;
    for (int round = 0; round < rounds; round++) {
        double start = cpu_ns();
        bare_wait = bare_queue(&model);
        double middle = cpu_ns();
        kernel_wait = kernel_queue(&model);
        bare_best = fmin(bare_best, middle - start);
        kernel_best = fmin(kernel_best, cpu_ns() - middle);
    }
    printf("M/M/%-3llu load %.2f   bare %6.1f ns   kernel %6.1f ns per customer   ratio %.2f"
           "   mean wait %.4f and %.4f s (closed form %.4f)\n",
           (unsigned long long)servers, load, bare_best / CUSTOMERS, kernel_best / CUSTOMERS,
           kernel_best / bare_best, bare_wait, kernel_wait, closed_form_wait_s(&model));
}

/* The hold model (Jones, CACM 29, 1986): with n events pending, pop the first and push one later by
 * an exponential time. */
static double bare_hold(struct bare_heap *heap, struct stream *stream) {
    double start = cpu_ns();
    for (int i = 0; i < HOLDS; i++) {
        uint64_t now = bare_heap_pop(heap);
        bare_heap_push(heap, now + (uint64_t)(1e9 * stream_exponential(stream)));
    }
    return cpu_ns() - start;
}

static void nothing(void *context, void *subject) {
    (void)context;
    (void)subject;
}

static double kernel_hold(struct event_queue *queue, struct stream *stream) {
    double start = cpu_ns();
    for (int i = 0; i < HOLDS; i++) {
        struct event event;
        event_queue_pop(queue, &event);
        event_queue_push(queue, event.time + (sim_time)(1e9 * stream_exponential(stream)), RANK_END,
                         event.handle, event.subject);
    }
    return cpu_ns() - start;
}

static void bench_hold(int rounds, uint64_t pending) {
    struct stream bare_stream;
    struct stream kernel_stream;
    stream_initialize(&bare_stream, 1, 0, "hold");
    stream_initialize(&kernel_stream, 1, 0, "hold");
    struct bare_heap heap;
    bare_heap_initialize(&heap, pending);
    struct event_queue *queue = event_queue_create();
    for (uint64_t i = 0; i < pending; i++) {
        bare_heap_push(&heap, (uint64_t)(1e9 * stream_exponential(&bare_stream)));
        event_queue_push(queue, (sim_time)(1e9 * stream_exponential(&kernel_stream)), RANK_END,
                         nothing, NULL);
    }
    double bare_best = INFINITY;
    double kernel_best = INFINITY;
    for (int round = 0; round < rounds; round++) {
        bare_best = fmin(bare_best, bare_hold(&heap, &bare_stream));
        kernel_best = fmin(kernel_best, kernel_hold(queue, &kernel_stream));
    }
    bool same = bare_heap_time(&heap) == (uint64_t)event_queue_peek(queue, NULL);
    printf("hold %7llu pending   bare %6.1f ns   kernel %6.1f ns per hold   ratio %.2f   %s\n",
           (unsigned long long)pending, bare_best / HOLDS, kernel_best / HOLDS,
           kernel_best / bare_best, same ? "same clock" : "CLOCKS DIFFER");
    event_queue_destroy(queue);
    bare_heap_terminate(&heap);
}

static void bench_exponential(int rounds) {
    struct stream stream;
    stream_initialize(&stream, 1, 0, "variates");
    gsl_rng *mersenne = gsl_rng_alloc(gsl_rng_mt19937);
    double ziggurat_best = INFINITY;
    double logarithm_best = INFINITY;
    double gsl_best = INFINITY;
    double sums[3] = {0};
    for (int round = 0; round < rounds; round++) {
        double t0 = cpu_ns();
        for (int i = 0; i < VARIATES; i++) {
            sums[0] += stream_exponential(&stream);
        }
        double t1 = cpu_ns();
        for (int i = 0; i < VARIATES; i++) {
            sums[1] -= log1p(-stream_uniform(&stream));
        }
        double t2 = cpu_ns();
        for (int i = 0; i < VARIATES; i++) {
            sums[2] += gsl_ran_exponential(mersenne, 1.0);
        }
        ziggurat_best = fmin(ziggurat_best, t1 - t0);
        logarithm_best = fmin(logarithm_best, t2 - t1);
        gsl_best = fmin(gsl_best, cpu_ns() - t2);
    }
    gsl_rng_free(mersenne);
    double n = (double)rounds * VARIATES;
    printf("exponential   ziggurat %.1f ns   logarithm %.1f ns   GSL over mt19937 %.1f ns"
           "   means %.4f %.4f %.4f\n",
           ziggurat_best / VARIATES, logarithm_best / VARIATES, gsl_best / VARIATES, sums[0] / n,
           sums[1] / n, sums[2] / n);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? atoi(argv[1]) : 15;
    bench_queue(rounds, 1, 0.9);
    bench_queue(rounds, 64, 0.9);
    bench_hold(rounds, 100);
    bench_hold(rounds, 10000);
    bench_hold(rounds, 1000000);
    bench_exponential(rounds);
    return 0;
}
