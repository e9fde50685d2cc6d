#include "sim/scheduling/preference.h"

#include <string.h>
#include <strings.h>

#include "sim/scheduling/speed.h"

static bool any_slots(const struct scenario *scenario) {
    bool any = false;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        any |= slots_needed(&scenario->pools[i]);
    }
    return any;
}

static struct preference read_preference(struct preferences *preferences,
                                         const struct scenario *scenario, size_t index) {
    const struct workload_spec *workload = &scenario->workloads[index];
    bool any = workload->pool_count == 0;
    struct preference preference = {
        .pool_count = any ? scenario->pool_count : workload->pool_count,
        .slot = workload->slot,
        .profile = workload->slot_profile,
        .isolation = workload->isolation,
        .span = workload->span,
        .window = workload->window,
        .window_count = workload->window_count,
        .party = preferences->parties > 0 ? preferences->party[index] : 0,
        .workload = any_slots(scenario) ? workload : NULL,
    };
    preference.pools =
        arena_allocate(&preferences->arena, preference.pool_count, sizeof *preference.pools);
    for (size_t i = 0; i < preference.pool_count; i++) {
        int32_t pool = any ? (int32_t)i : workload->pools[i];
        preference.pools[i] =
            (struct preferred_pool){.pool = pool, .speed = speed_on_gpu(scenario, workload, pool)};
    }
    return preference;
}

static bool text_equal(const char *a, const char *b) {
    return a == b || (a != NULL && b != NULL && strcasecmp(a, b) == 0);
}

/* Whether both are as fast in any slot as the other. */
static bool equally_fast(const struct workload_spec *a, const struct workload_spec *b) {
    const struct model_spec *left = &a->needs;
    const struct model_spec *right = &b->needs;
    if (a == b) {
        return true;
    }
    bool equal = left->saturation == right->saturation && left->speed_rule == right->speed_rule &&
                 left->speed_count == right->speed_count && a->kind.index == b->kind.index &&
                 left->measured_batch == right->measured_batch &&
                 text_equal(left->measured_as, right->measured_as);
    for (size_t i = 0; equal && i < left->speed_count; i++) {
        equal = left->speeds[i].gpu == right->speeds[i].gpu &&
                left->speeds[i].factor == right->speeds[i].factor &&
                text_equal(left->speeds[i].profile, right->speeds[i].profile);
    }
    return equal;
}

static bool windows_equal(const struct preference *a, const struct preference *b) {
    bool equal = a->window_count == b->window_count;
    for (size_t i = 0; equal && i < a->window_count; i++) {
        equal = a->window[i].days == b->window[i].days && a->window[i].from == b->window[i].from &&
                a->window[i].to == b->window[i].to;
    }
    return equal;
}

static bool preference_equal(const struct preference *a, const struct preference *b) {
    if (!windows_equal(a, b) || a->pool_count != b->pool_count || a->slot != b->slot ||
        a->isolation != b->isolation || a->party != b->party || a->span != b->span ||
        !text_equal(a->profile, b->profile)) {
        return false;
    }
    for (size_t i = 0; i < a->pool_count; i++) {
        if (a->pools[i].pool != b->pools[i].pool || a->pools[i].speed != b->pools[i].speed) {
            return false;
        }
    }
    return a->workload == NULL || equally_fast(a->workload, b->workload);
}

static int32_t intern(struct preferences *preferences, const struct preference *preference) {
    size_t i = 0;
    while (i < preferences->count && !preference_equal(&preferences->items[i], preference)) {
        i++;
    }
    if (i == preferences->count) {
        preferences->items[preferences->count++] = *preference;
    }
    return (int32_t)i;
}

/* Tenants by name; a workload without one is a tenant of its own. */
static void intern_parties(struct preferences *preferences, const struct scenario *scenario) {
    bool apart = false;
    int32_t count = 0;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        apart |= scenario->workloads[i].isolation == ISOLATION_WEAK;
    }
    for (size_t i = 0; apart && i < scenario->workload_count; i++) {
        size_t same = 0;
        while (same < i &&
               strcmp(scenario->workloads[same].tenant, scenario->workloads[i].tenant) != 0) {
            same++;
        }
        preferences->party[i] = same < i ? preferences->party[same] : count++;
    }
    preferences->parties = count;
}

void preferences_initialize(struct preferences *preferences, const struct scenario *scenario) {
    size_t workloads = scenario->workload_count;
    *preferences = (struct preferences){0};
    preferences->items = arena_allocate(&preferences->arena, workloads, sizeof *preferences->items);
    preferences->of_workload =
        arena_allocate(&preferences->arena, workloads, sizeof *preferences->of_workload);
    preferences->party = arena_allocate(&preferences->arena, workloads, sizeof *preferences->party);
    intern_parties(preferences, scenario);
    for (size_t i = 0; i < workloads; i++) {
        struct preference preference = read_preference(preferences, scenario, i);
        preferences->of_workload[i] = intern(preferences, &preference);
    }
}

void preferences_terminate(struct preferences *preferences) {
    arena_clear(&preferences->arena);
}

/* Whether a slot of the kind, all of it free, would do. */
static bool kind_fits(const struct preference *preference, const struct slot_kind *kind,
                      const struct gpu_model *gpu, int64_t memory, int32_t compute) {
    if (kind->most_memory < memory || kind->most_compute < compute) {
        return false;
    }
    if (preference->isolation == ISOLATION_HARD && !kind->mode->exclusive) {
        return false;
    }
    if (preference->slot == SLOT_PROFILE) {
        return kind->profile >= 0 &&
               strcasecmp(gpu->profiles[kind->profile].name, preference->profile) == 0;
    }
    return !kind->by_name;
}

/* The instance that is all of a GPU. */
static bool takes_whole_gpu(const struct slot_kind *kind, const struct gpu_model *gpu) {
    return kind->profile >= 0 && kind->mode->exclusive &&
           gpu->profiles[kind->profile].compute_slices == gpu->compute_slices &&
           gpu->profiles[kind->profile].memory_units == gpu->memory_units;
}

static bool is_larger(const struct slot_kind *kind, const struct slot_kind *other) {
    return kind->most_memory > other->most_memory || kind->units > other->units;
}

/* wants_gpu: only those that are a whole GPU. */
static uint64_t fitting_kinds(const struct preference *preference, const struct pool *pool,
                              const struct gpu_model *gpu, bool wants_gpu, int64_t memory,
                              int32_t compute) {
    uint64_t kinds = 0;
    const struct slot_kind *smallest = NULL;
    for (size_t i = 0; i < pool->slots->kind_count; i++) {
        const struct slot_kind *kind = &pool->slots->kinds[i];
        if (!kind_fits(preference, kind, gpu, memory, compute) ||
            (wants_gpu && !takes_whole_gpu(kind, gpu))) {
            continue;
        }
        /* Kinds are in order of size. */
        smallest = smallest == NULL ? kind : smallest;
        if (preference->slot != SLOT_SMALLEST || !is_larger(kind, smallest)) {
            kinds |= UINT64_C(1) << i;
        }
    }
    return kinds;
}

struct pool_ask preference_ask(const struct preference *preference, const struct pool *pool,
                               const struct gpu_model *gpu, int32_t gpus, struct host_share each,
                               int64_t memory, int32_t compute) {
    struct pool_ask ask = {0};
    struct gang gang = {.gpus = gpus, .span = preference->span, .each = each};
    bool wants_gpu = gpus > 1 || preference->slot == SLOT_GPU ||
                     preference->isolation == ISOLATION_FULL || gang.span == SPAN_WHOLE_NODES;
    /* Where MIG cuts all GPUs on demand, one instance can be a GPU. */
    bool may_cut = gpus == 1 && pool->slots != NULL && pool->slots->recut != NULL &&
                   pool->slots->ever_whole_mask == 0;
    if (pool->slots != NULL && (!wants_gpu || may_cut)) {
        ask.kinds = fitting_kinds(preference, pool, gpu, wants_gpu, memory, compute);
    }
    bool apart = preference->isolation == ISOLATION_HARD && preference->slot != SLOT_PROFILE;
    if (ask.kinds == 0 && (pool->slots == NULL || wants_gpu || apart)) {
        ask.whole = true;
        ask.possible = preference->slot != SLOT_PROFILE && pool_could_hold(pool, &gang, memory);
    } else {
        ask.possible = ask.kinds != 0 && host_share_fits(&each, &pool->index.host);
    }
    return ask;
}
