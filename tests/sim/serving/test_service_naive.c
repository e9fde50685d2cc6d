/* Invariant: over random requests on a coarse grid of time, so that ends, arrivals and timeouts
 * often fall together, a service does what a stepper does that looks at every second, all replicas
 * and all requests. */
#include "tests/support/service_case.h"
#include "tests/support/unit.h"

enum { CASES = 600, REQUESTS = 60, NEVER = 1000000 };
enum rule { CENTRAL, ROUND_ROBIN, LEAST_LOADED, RULES };
static const char *const rule_names[RULES] = {"central", "round_robin", "least_loaded"};

struct naive_request {
    int arrival;
    int service;
    int replica; /* whose queue it is in or that runs it; -1: any */
    int start;   /* -1 */
    int end;
    bool waits;
    enum request_state state;
};

struct naive {
    enum rule rule;
    int replicas;
    int timeout;
    int most_waiting;
    int turn;
    struct naive_request requests[REQUESTS];
};

static bool runs(const struct naive_request *request, int now) {
    return request->start >= 0 && request->start <= now && request->end > now;
}

static bool is_busy(const struct naive *naive, int replica, int now) {
    bool busy = false;
    for (int i = 0; i < REQUESTS; i++) {
        const struct naive_request *request = &naive->requests[i];
        busy = busy || (request->replica == replica && runs(request, now));
    }
    return busy;
}

static int load_of(const struct naive *naive, int replica, int now) {
    int load = 0;
    for (int i = 0; i < REQUESTS; i++) {
        const struct naive_request *request = &naive->requests[i];
        load += request->replica == replica && (request->waits || runs(request, now));
    }
    return load;
}

static void start(struct naive_request *request, int replica, int now) {
    request->replica = replica;
    request->waits = false;
    request->start = now;
    request->end = now + request->service;
    request->state = REQUEST_COMPLETED;
}

/* Every idle replica takes the first that waits for it. */
static void take_waiting(struct naive *naive, int now) {
    for (int replica = 0; replica < naive->replicas; replica++) {
        for (int i = 0; i < REQUESTS; i++) {
            struct naive_request *request = &naive->requests[i];
            bool may = request->waits && (request->replica == replica || request->replica < 0);
            if (may && !is_busy(naive, replica, now)) {
                start(request, replica, now);
            }
        }
    }
}

static void arrive(struct naive *naive, struct naive_request *request, int now) {
    if (naive->rule == ROUND_ROBIN) {
        request->replica = naive->turn++ % naive->replicas;
    } else if (naive->rule == LEAST_LOADED) {
        int least = 0;
        for (int i = 1; i < naive->replicas; i++) {
            least = load_of(naive, i, now) < load_of(naive, least, now) ? i : least;
        }
        request->replica = least;
    }
    request->waits = true;
    take_waiting(naive, now);
}

static void turn_away(struct naive_request *request, enum request_state how, int now) {
    request->waits = false;
    request->state = how;
    request->end = now;
}

static void give_up(struct naive *naive, int now) {
    for (int i = 0; i < REQUESTS; i++) {
        struct naive_request *request = &naive->requests[i];
        if (request->waits && now - request->arrival >= naive->timeout) {
            turn_away(request, REQUEST_TIMED_OUT, now);
        }
    }
}

static void find_room(struct naive *naive, int now) {
    int waiting = 0;
    for (int i = 0; i < REQUESTS; i++) {
        waiting += naive->requests[i].waits;
    }
    for (int i = REQUESTS - 1; i >= 0 && waiting > naive->most_waiting; i--) {
        struct naive_request *request = &naive->requests[i];
        if (request->waits && request->arrival == now) {
            turn_away(request, REQUEST_REJECTED, now);
            waiting--;
        }
    }
}

static void naive_run(struct naive *naive) {
    for (int now = 0; now < 1000; now++) {
        take_waiting(naive, now);
        for (int i = 0; i < REQUESTS; i++) {
            if (naive->requests[i].arrival == now) {
                arrive(naive, &naive->requests[i], now);
            }
        }
        if (naive->timeout == 0) {
            find_room(naive, now);
        }
        give_up(naive, now);
        find_room(naive, now);
    }
}

static void draw(struct naive *naive, struct test_random *random) {
    *naive = (struct naive){
        .rule = (enum rule)test_random_below(random, RULES),
        .replicas = test_random_between(random, 1, SERVICE_CASE_REPLICAS),
        .timeout = test_random_once_in(random, 3) ? NEVER : test_random_below(random, 8),
        .most_waiting = test_random_once_in(random, 2) ? NEVER : test_random_below(random, 5),
    };
    int now = 0;
    for (int i = 0; i < REQUESTS; i++) {
        now += test_random_once_in(random, 3) ? test_random_below(random, 6) : 0;
        naive->requests[i] = (struct naive_request){.arrival = now,
                                                    .service = test_random_between(random, 1, 9),
                                                    .replica = -1,
                                                    .start = -1};
    }
}

static void simulate(const struct naive *naive, struct service_case *service_case) {
    service_case_initialize(service_case, naive->replicas, rule_names[naive->rule]);
    if (naive->timeout != NEVER) {
        service_case->spec.service.timeout = naive->timeout * NANOSECONDS_PER_SECOND;
    }
    if (naive->most_waiting != NEVER) {
        service_case->spec.max_queue = naive->most_waiting;
    }
    service_case_open(service_case, "exclusive");
    for (int32_t i = 0; i < naive->replicas; i++) {
        service_case_seat(service_case, 0, i, 1);
    }
    for (int i = 0; i < REQUESTS; i++) {
        service_case_arrive(service_case, naive->requests[i].arrival, naive->requests[i].service);
    }
    service_case_finish(service_case);
}

/* In one queue, which of two replicas that end together takes the next is left open. */
static void compare(const struct naive *naive, const struct service_case *service_case) {
    for (int i = 0; i < REQUESTS; i++) {
        const struct naive_request *request = &naive->requests[i];
        if (request->state == REQUEST_COMPLETED) {
            int replica =
                naive->rule == CENTRAL ? service_case->rows[i + 1].replica : request->replica;
            service_case_expect_completed(service_case, i + 1, replica, request->start,
                                          request->end);
        } else {
            service_case_expect_left(service_case, i + 1, request->state, request->end);
        }
    }
    assert_int_equal(service_alive(&service_case->service), 0);
    assert_int_equal(service_case->stock.alive, 0);
}

static void as_by_looking_at_every_second(void **state) {
    (void)state;
    struct test_random random = {11};
    int64_t states[REQUEST_STATE_COUNT] = {0};
    for (int i = 0; i < CASES; i++) {
        struct naive naive;
        struct service_case service_case;
        draw(&naive, &random);
        naive_run(&naive);
        simulate(&naive, &service_case);
        compare(&naive, &service_case);
        states[REQUEST_COMPLETED] += service_case.figures.completed;
        states[REQUEST_TIMED_OUT] += service_case.figures.timed_out;
        states[REQUEST_REJECTED] += service_case.figures.rejected;
        service_case_terminate(&service_case);
    }
    /* All of it was tried. */
    assert_true(states[REQUEST_COMPLETED] > 1000 && states[REQUEST_TIMED_OUT] > 1000 &&
                states[REQUEST_REJECTED] > 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_by_looking_at_every_second)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
