/* Invariant: the slot that `fragmentation` chooses is one of those by which F grows least, F being
 * summed up in the slow and obvious way: over all requests so far and all devices of each node, as
 * the paper has it. Made-up pools under MPS, time-slicing and MIG, also beside whole GPUs of the
 * same node; requests for memory, compute, kinds of slots, company, CPUs and whole GPUs; tenants
 * that come and go, and GPUs that somebody takes whole. */
#include <math.h>
#include <string.h>

#include "tests/support/pool_case.h"
#include "tests/support/unit.h"

enum { TRIALS = 1500, STEPS = 60, REQUESTS = STEPS, TENANTS = STEPS, GPUS = 16, PARTIES = 3 };

static const int64_t GIB = INT64_C(1) << 30;
static const double ROUNDING = 1e-5; /* shares are kept in millionths of a GPU */

struct request {
    int32_t gpus; /* 0: a slot */
    struct slot_ask ask;
};

struct seated {
    struct tenant tenant;
    struct slot_ask ask;
    int32_t device; /* -1: gone */
};

struct trial {
    struct test_random random;
    struct pool_case bench;
    struct sharing_spec turns;
    int32_t apart[GPUS];
    bool keeps_apart; /* some requests are for slots that only their own party shares */
    bool hosts;
    struct request requests[REQUESTS];
    int request_count;
    struct seated seated[TENANTS];
    int seated_count;
    struct piece held[GPUS]; /* GPUs taken whole */
    int held_count;
};

static int32_t below(struct trial *trial, int32_t count) {
    return test_random_below(&trial->random, count);
}

static bool chance(struct trial *trial, int32_t once_in) {
    return test_random_once_in(&trial->random, once_in);
}

/* --- F, from what is seated and what was asked for --- */

/* What is left of a device. */
struct left {
    int slots;
    int64_t memory;
    double compute;
    bool taken_whole;
    int tenants;
    bool apart; /* one of them keeps to its party */
    bool mixed; /* they are of several parties */
    int32_t party;
};

static const struct slot_kind *kind_of(const struct trial *trial, int32_t device) {
    const struct slots *slots = trial->bench.pool.slots;
    return &slots->kinds[slots->kind_of[device % slots->devices_per_node]];
}

static void put(struct left *left, const struct slot_ask *ask) {
    left->mixed |= left->tenants > 0 && left->party != ask->party;
    left->apart |= ask->exclusive_party;
    left->party = ask->party;
    left->tenants++;
    left->slots--;
    left->memory -= ask->memory;
    left->compute -= ask->compute * 1e-9;
}

static struct left left_of(const struct trial *trial, int32_t device, const struct slot_ask *more) {
    const struct slots *slots = trial->bench.pool.slots;
    const struct slot_kind *kind = kind_of(trial, device);
    struct left left = {
        .slots = kind->mode->slots(kind->spec), .memory = kind->memory, .compute = kind->sm_share};
    for (int i = 0; i < trial->seated_count; i++) {
        if (trial->seated[i].device == device) {
            put(&left, &trial->seated[i].ask);
        }
    }
    for (int i = 0; kind->profile < 0 && i < trial->held_count; i++) {
        const struct piece *piece = &trial->held[i];
        int32_t node = device / slots->devices_per_node;
        int32_t gpu = slots->devices[device].gpu;
        left.taken_whole |= piece->node == node && (piece->mask >> gpu & 1) != 0;
    }
    if (more != NULL) {
        put(&left, more);
    }
    return left;
}

static double share_of(const struct slot_kind *kind, const struct left *left) {
    double slots = kind->sm_share * left->slots / kind->mode->slots(kind->spec);
    double memory = kind->sm_share * (double)left->memory / (double)kind->memory;
    double least = fmin(fmin(slots, memory), left->compute);
    return left->taken_whole || least < 0 ? 0 : least;
}

static bool can_use(const struct trial *trial, int32_t device, const struct left *left,
                    const struct slot_ask *ask) {
    const struct slots *slots = trial->bench.pool.slots;
    int32_t kind = slots->kind_of[device % slots->devices_per_node];
    int64_t limit = slots->devices[device].memory_limit;
    bool among_own = left->party == ask->party && !left->mixed;
    bool meets = left->tenants == 0 || among_own || !(left->apart || ask->exclusive_party);
    return (ask->kinds >> kind & 1) != 0 && !left->taken_whole && left->slots > 0 &&
           left->memory >= ask->memory && (limit == 0 || limit >= ask->memory) &&
           left->compute >= ask->compute * 1e-9 - 1e-12 && meets;
}

static struct host_share room_of(const struct trial *trial, int32_t node) {
    struct host_share room = trial->bench.pool.index.host;
    const struct slots *slots = trial->bench.pool.slots;
    for (int i = 0; i < trial->seated_count; i++) {
        const struct seated *seated = &trial->seated[i];
        if (seated->device >= 0 && seated->device / slots->devices_per_node == node) {
            room.cpus -= seated->ask.host.cpus;
            room.memory -= seated->ask.host.memory;
        }
    }
    return room;
}

/* F(node) with one tenant more on `place`; -1: as it is. */
static double fragmented(const struct trial *trial, int32_t node, int32_t place,
                         const struct slot_ask *more) {
    const struct slots *slots = trial->bench.pool.slots;
    struct left lefts[GPUS * 8];
    double shares[GPUS * 8];
    int32_t first = node * slots->devices_per_node;
    double total = 0;
    int32_t free_gpus = 0;
    struct host_share room = room_of(trial, node);
    if (place >= 0) {
        room.cpus -= more->host.cpus;
        room.memory -= more->host.memory;
    }
    for (int32_t i = 0; i < slots->devices_per_node; i++) {
        const struct slot_kind *kind = kind_of(trial, first + i);
        lefts[i] = left_of(trial, first + i, first + i == place ? more : NULL);
        shares[i] = share_of(kind, &lefts[i]);
        total += shares[i];
        free_gpus += kind->profile < 0 && lefts[i].tenants == 0 && !lefts[i].taken_whole;
    }
    double useless = 0;
    for (int r = 0; r < trial->request_count; r++) {
        const struct request *request = &trial->requests[r];
        struct host_share host =
            host_share_times(request->ask.host, request->gpus > 0 ? request->gpus : 1);
        double of_use = 0;
        for (int32_t i = 0; request->gpus == 0 && i < slots->devices_per_node; i++) {
            of_use += can_use(trial, first + i, &lefts[i], &request->ask) ? shares[i] : 0;
        }
        if (request->gpus > 0 && free_gpus >= request->gpus) {
            of_use = free_gpus;
        }
        if (trial->hosts && !host_share_fits(&host, &room)) {
            of_use = 0;
        }
        useless += total - of_use;
    }
    return trial->request_count == 0 ? 0 : useless / trial->request_count;
}

/* What a tenant takes of an empty device. */
static double takes(const struct slot_kind *kind, const struct slot_ask *ask) {
    double of_slots = 1.0 / kind->mode->slots(kind->spec);
    double of_memory = (double)ask->memory / (double)kind->memory;
    return fmax(kind->sm_share * fmax(of_slots, of_memory), ask->compute * 1e-9);
}

static double growth_on(const struct trial *trial, int32_t device, const struct slot_ask *ask) {
    const struct slots *slots = trial->bench.pool.slots;
    int32_t node = device / slots->devices_per_node;
    double least = INFINITY;
    for (size_t i = 0; i < slots->kind_count; i++) {
        if ((ask->kinds >> i & 1) != 0) {
            least = fmin(least, takes(&slots->kinds[i], ask));
        }
    }
    double surplus = trial->request_count == 0 ? 0 : takes(kind_of(trial, device), ask) - least;
    return surplus + fragmented(trial, node, device, ask) - fragmented(trial, node, -1, NULL);
}

static void check_choice(const struct trial *trial, const struct slot_ask *ask) {
    const struct slots *slots = trial->bench.pool.slots;
    const struct device *chosen = slots_find(slots, ask);
    double least = INFINITY;
    double of_chosen = INFINITY;
    for (int32_t i = 0; i < slots->node_count * slots->devices_per_node; i++) {
        struct left left = left_of(trial, i, NULL);
        struct host_share room = room_of(trial, i / slots->devices_per_node);
        if (!can_use(trial, i, &left, ask) ||
            (trial->hosts && !host_share_fits(&ask->host, &room))) {
            assert_ptr_not_equal(chosen, &slots->devices[i]);
            continue;
        }
        double growth = growth_on(trial, i, ask);
        least = fmin(least, growth);
        of_chosen = chosen == &slots->devices[i] ? growth : of_chosen;
    }
    assert_true((chosen == NULL) == isinf(least));
    assert_true(chosen == NULL || of_chosen <= least + ROUNDING);
}

/* --- Making it up --- */

static struct chosen make_sharing(struct trial *trial) {
    static const char *const layouts[][4] = {{"4g.40gb", "2g.20gb", "1g.10gb"},
                                             {"3g.40gb", "2g.20gb", "2g.20gb"},
                                             {"3g.40gb", "3g.40gb"},
                                             {"2g.20gb", "1g.10gb", "1g.10gb", "1g.10gb"}};
    int64_t limit = chance(trial, 3) ? 24 * GIB : 0;
    switch (below(trial, 3)) {
    case 0:
        return pool_case_mps(&trial->bench, 1 + below(trial, 8), limit);
    case 1:
        trial->turns = (struct sharing_spec){
            .replicas = 1 + below(trial, 4), .slice = 2000000, .memory_limit = limit};
        return (struct chosen){.index = SHARING_TIMESLICE, .options = &trial->turns};
    default: {
        const char *const *layout = layouts[below(trial, 4)];
        size_t count = 0;
        while (count < 4 && layout[count] != NULL) {
            count++;
        }
        return pool_case_mig(&trial->bench, layout, count);
    }
    }
}

static void open_trial(struct trial *trial, int number) {
    *trial = (struct trial){.random = {(uint64_t)number * 7919 + 3}};
    int32_t per_node = 1 + below(trial, 4);
    pool_case_initialize(&trial->bench, "A100-SXM4-80GB", 1 + below(trial, 4), per_node);
    if (per_node > 1 && chance(trial, 2)) { /* the others are exclusive */
        size_t count = (size_t)(1 + below(trial, per_node - 1));
        for (int32_t i = 0; i < per_node; i++) {
            trial->apart[i] = i;
        }
        pool_case_apart(&trial->bench, trial->apart, count, make_sharing(trial));
    } else {
        trial->bench.spec.sharing = make_sharing(trial);
    }
    trial->keeps_apart = chance(trial, 3);
    pool_case_open_by_rule(&trial->bench, trial->keeps_apart ? PARTIES : 0, "fragmentation");
    trial->hosts = chance(trial, 2);
    if (trial->hosts) {
        node_index_limit_hosts(&trial->bench.pool.index,
                               (struct host_share){host_cpus(16), 256 * GIB});
    }
}

static struct slot_ask make_ask(struct trial *trial) {
    static const int64_t memories_gib[] = {0, 5, 10, 15, 20, 30, 40, 70};
    static const int32_t computes_pct[] = {0, 0, 10, 25, 30, 50, 75, 100};
    struct slot_ask ask = {.kinds = pool_case_kinds(&trial->bench),
                           .memory = memories_gib[below(trial, 8)] * GIB,
                           .compute = computes_pct[below(trial, 8)] * (SLOTS_MOST_COMPUTE / 100)};
    if (chance(trial, 4)) {
        ask.kinds = 1 + (uint64_t)below(trial, (int32_t)ask.kinds);
    }
    if (trial->keeps_apart) {
        ask.party = below(trial, PARTIES);
        ask.exclusive_party = chance(trial, 3);
    }
    if (trial->hosts) {
        ask.host = (struct host_share){host_cpus(below(trial, 8)), below(trial, 64) * GIB};
    }
    return ask;
}

static void note(struct trial *trial, int32_t gpus, const struct slot_ask *ask) {
    trial->requests[trial->request_count++] = (struct request){gpus, *ask};
    slots_note_ask(trial->bench.pool.slots, gpus, ask);
}

static void seat(struct trial *trial, const struct slot_ask *ask) {
    struct slots *slots = trial->bench.pool.slots;
    struct device *device = slots_find(slots, ask);
    if (device == NULL) {
        return;
    }
    struct seated *seated = &trial->seated[trial->seated_count++];
    *seated = (struct seated){.ask = *ask, .device = (int32_t)(device - slots->devices)};
    seated->tenant = (struct tenant){.concurrency = 1,
                                     .saturation = 1,
                                     .compute = (double)ask->compute / SLOTS_MOST_COMPUTE,
                                     .memory = ask->memory,
                                     .party = ask->party,
                                     .exclusive_party = ask->exclusive_party};
    pool_seat(&trial->bench.pool, device, &seated->tenant, 0);
    node_index_use_host(&trial->bench.pool.index, device->node, &ask->host, 1);
}

static void unseat_one(struct trial *trial) {
    struct seated *seated = &trial->seated[below(trial, trial->seated_count)];
    if (seated->device >= 0) {
        int32_t node = seated->tenant.device->node;
        pool_unseat(&trial->bench.pool, &seated->tenant, 0);
        node_index_use_host(&trial->bench.pool.index, node, &seated->ask.host, -1);
        seated->device = -1;
    }
}

static void take_or_give_back_gpu(struct trial *trial) {
    struct pool *pool = &trial->bench.pool;
    int32_t node = below(trial, pool->index.nodes);
    if (trial->held_count > 0 && chance(trial, 2)) {
        pool_give_back(pool, &trial->held[--trial->held_count]);
    } else if (pool->index.free_gpus[node] > 0 && trial->held_count < GPUS) {
        struct piece *piece = &trial->held[trial->held_count++];
        *piece = (struct piece){.node = node, .gpus = 1};
        node_index_change(&pool->index, node, -1);
        pool_take(pool, piece);
    }
}

static void the_least_growth(void **state) {
    (void)state;
    static struct trial trial;
    for (int number = 0; number < TRIALS; number++) {
        open_trial(&trial, number);
        for (int step = 0; step < STEPS; step++) {
            struct slot_ask ask = make_ask(&trial);
            check_choice(&trial, &ask);
            if (chance(&trial, 2)) {
                note(&trial, chance(&trial, 4) ? 1 + below(&trial, 4) : 0, &ask);
                check_choice(&trial, &ask);
            }
            if (chance(&trial, 8)) {
                take_or_give_back_gpu(&trial);
            } else if (chance(&trial, 3) && trial.seated_count > 0) {
                unseat_one(&trial);
            } else {
                seat(&trial, &ask);
            }
        }
        assert_true(pool_is_consistent(&trial.bench.pool));
        pool_case_terminate(&trial.bench);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_least_growth)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
