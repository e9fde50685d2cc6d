#include "tests/support/slots_trial.h"

#include <string.h>

#include "sim/kernel/sim_time.h"

static const int64_t SECOND = NANOSECONDS_PER_SECOND;
static const int64_t MILLISECOND = 1000000;
static const int64_t GIB = INT64_C(1) << 30;

/* Both have instances of the same names. */
static const char *const gpu_names[] = {"A100-SXM4-80GB", "H100-SXM5-80GB"};
static const char *const layouts[][8] = {
    {"1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb", "1g.10gb"},
    {"2g.20gb", "2g.20gb", "3g.40gb"},
    {"4g.40gb", "2g.20gb", "1g.10gb"},
    {"3g.40gb", "3g.40gb"},
    {"7g.80gb"},
};

static const char *const pool_names[] = {"p0", "p1", "p2"};
const char *const slots_trial_workload_names[] = {"w0", "w1", "w2"};

static bool chance(struct slots_trial *trial, int32_t once_in) {
    return test_random_once_in(&trial->random, once_in);
}

static int32_t below(struct slots_trial *trial, int32_t count) {
    return test_random_below(&trial->random, count);
}

/* --- Making up pools --- */

static struct chosen make_sharing(struct slots_trial *trial, enum sharing_kind kind, bool capped) {
    static const double percentages[] = {1, 0.5, 0.3};
    static const double interferences[] = {0, 0.25};
    static const int64_t slices_ms[] = {300, 700, 1000, 2000};
    static const int64_t switches_ms[] = {0, 1, 100, 1000};
    if (kind == SHARING_EXCLUSIVE) {
        return (struct chosen){.index = SHARING_EXCLUSIVE};
    }
    assert_true(trial->sharing_count < SLOTS_TRIAL_SHARINGS);
    struct sharing_spec *spec = &trial->sharings[trial->sharing_count++];
    *spec = (struct sharing_spec){.memory_limit = chance(trial, 3) ? 16 * GIB : 0};
    if (kind == SHARING_MPS) {
        spec->clients = 1 + below(trial, NSLOTS_SLOTS);
        spec->thread_percentage = capped ? percentages[below(trial, 3)] : 1;
        spec->interference = interferences[below(trial, 2)];
    } else if (kind == SHARING_TIMESLICE) {
        spec->replicas = 1 + below(trial, NSLOTS_SLOTS);
        spec->slice = slices_ms[below(trial, 4)] * MILLISECOND;
        spec->switch_time = switches_ms[below(trial, 4)] * MILLISECOND;
    }
    return (struct chosen){.index = (int)kind, .options = spec};
}

static int profile_row(const struct gpu_model *gpu, const char *name) {
    size_t row = 0;
    while (row < gpu->profile_count && strcmp(gpu->profiles[row].name, name) != 0) {
        row++;
    }
    assert_true(row < gpu->profile_count);
    return (int)row;
}

static struct chosen make_mig(struct slots_trial *trial, const struct gpu_model *gpu) {
    struct chosen sharing = make_sharing(trial, SHARING_MIG, false);
    struct sharing_spec *spec = &trial->sharings[trial->sharing_count - 1];
    const char *const *layout = layouts[below(trial, 5)];
    spec->memory_limit = 0;
    spec->layout = &trial->items[trial->item_count];
    for (int i = 0; i < 8 && layout[i] != NULL; i++) {
        enum sharing_kind kind = chance(trial, 5)   ? SHARING_MPS
                                 : chance(trial, 4) ? SHARING_TIMESLICE
                                                    : SHARING_EXCLUSIVE;
        kind = trial->steady ? SHARING_EXCLUSIVE : kind;
        assert_true(trial->item_count < SLOTS_TRIAL_ITEMS);
        if (trial->sharing_count > SLOTS_TRIAL_SHARINGS - 4) {
            kind = SHARING_EXCLUSIVE;
        }
        trial->items[trial->item_count++] =
            (struct layout_item){.profile = layout[i],
                                 .profile_row = profile_row(gpu, layout[i]),
                                 .count = 1,
                                 .sharing = make_sharing(trial, kind, true)};
        spec->layout_count++;
    }
    return sharing;
}

static struct chosen make_any_sharing(struct slots_trial *trial, const struct gpu_model *gpu,
                                      bool capped) {
    enum sharing_kind kind = (enum sharing_kind)below(trial, 4);
    kind = trial->steady && kind != SHARING_EXCLUSIVE ? SHARING_MIG : kind;
    return kind == SHARING_MIG ? make_mig(trial, gpu) : make_sharing(trial, kind, capped);
}

static const struct chosen *sharing_of(const struct pool_spec *pool, int gpu) {
    for (size_t i = 0; pool->layout_count > 0 && i < pool->layouts[0].gpu_count; i++) {
        if (pool->layouts[0].gpus[i] == gpu) {
            return &pool->layouts[0].sharing;
        }
    }
    return &pool->sharing;
}

static void add_device(struct naive_slots *cluster, struct nslots_device device,
                       const struct chosen *sharing) {
    const struct sharing_spec *spec = sharing->options;
    device.mode = sharing->index == SHARING_MPS         ? NSLOTS_TOGETHER
                  : sharing->index == SHARING_TIMESLICE ? NSLOTS_TURNS
                                                        : NSLOTS_ALONE;
    device.slots = 1;
    if (device.mode != NSLOTS_ALONE) {
        bool together = device.mode == NSLOTS_TOGETHER;
        device.slots = together ? spec->clients : spec->replicas;
        device.memory_limit = spec->memory_limit;
        device.thread_share = spec->thread_percentage;
        device.interference = spec->interference;
        device.slice = spec->slice;
        device.switch_time = spec->switch_time;
    }
    assert_true(cluster->device_count < NSLOTS_DEVICES);
    cluster->devices[cluster->device_count++] = device;
}

static void add_gpu(struct slots_trial *trial, int p, int node, int g) {
    const struct gpu_model *gpu = &trial->catalogue->gpus[trial->pools[p].gpu];
    const struct chosen *sharing = sharing_of(&trial->pools[p], g);
    struct nslots_device device = {.pool = p, .node = node, .gpu = g, .sms = gpu->sms};
    device.sm_share = 1;
    device.memory = gpu->memory_mib * 1024 * 1024;
    if (sharing->index != SHARING_MIG) {
        add_device(&trial->cluster, device, sharing);
        return;
    }
    trial->cluster.pools[p].cut[g] = true;
    const struct sharing_spec *mig = sharing->options;
    for (size_t i = 0; i < mig->layout_count; i++) {
        const struct mig_profile *profile = &gpu->profiles[mig->layout[i].profile_row];
        device.profile = profile->name;
        device.sms = profile->sms;
        device.sm_share = (double)profile->sms / gpu->sms;
        device.memory = profile->memory_mib * 1024 * 1024;
        add_device(&trial->cluster, device, &mig->layout[i].sharing);
    }
}

static void make_pool(struct slots_trial *trial, int p) {
    static const int per_node[] = {1, 2, 4};
    struct pool_spec *spec = &trial->pools[p];
    int candidates[1];
    size_t count;
    int row =
        catalogue_find_gpu(trial->catalogue, gpu_names[below(trial, 2)], candidates, 1, &count);
    const struct gpu_model *gpu = &trial->catalogue->gpus[row];
    *spec = (struct pool_spec){.name = pool_names[p],
                               .gpu = row,
                               .nodes = 1 + below(trial, 3),
                               .gpus_per_node = per_node[below(trial, 3)]};
    bool mixed = spec->gpus_per_node > 1 && chance(trial, 3);
    spec->sharing = make_any_sharing(trial, gpu, !mixed);
    struct naive_slots *cluster = &trial->cluster;
    cluster->pools[p] = (struct nslots_pool){.nodes = spec->nodes,
                                             .gpus_per_node = spec->gpus_per_node,
                                             .gpu_memory = gpu->memory_mib * 1024 * 1024,
                                             .thread_share = 1};
    if (spec->sharing.index == SHARING_MPS) {
        cluster->pools[p].thread_share =
            ((const struct sharing_spec *)spec->sharing.options)->thread_percentage;
    }
    if (mixed) {
        struct gpu_layout *layout = &trial->gpu_layouts[p];
        *layout = (struct gpu_layout){.gpus = trial->apart[p],
                                      .sharing = make_any_sharing(trial, gpu, false)};
        for (int g = 0; g < spec->gpus_per_node; g++) {
            if (chance(trial, 2)) {
                trial->apart[p][layout->gpu_count++] = g;
            }
        }
        spec->layouts = layout;
        spec->layout_count = 1;
    }
    for (int g = 0; g < spec->gpus_per_node; g++) {
        cluster->pools[p].shared |= sharing_of(spec, g)->index != SHARING_EXCLUSIVE;
    }
    if (trial->hosts && cluster->pools[p].shared) {
        cluster->pools[p].cpus = spec->gpus_per_node * (1 + below(trial, 8));
        spec->cpus_per_node = cluster->pools[p].cpus;
    }
    for (int n = 0; cluster->pools[p].shared && n < spec->nodes; n++) {
        for (int g = 0; g < spec->gpus_per_node; g++) {
            add_gpu(trial, p, n, g);
        }
    }
}

/* --- Making up work --- */

static void make_workload(struct slots_trial *trial, int w) {
    static const double saturations[] = {1, 0.5, 0.45, 0.2, 0.7};
    static const double factors[] = {1, 0.5, 2, 0.3, 3};
    static const char *const tenants[] = {"red", "blue"};
    struct workload_spec *workload = &trial->workloads[w];
    int pools = trial->cluster.pool_count;
    int *list = trial->preference[w];
    for (int i = 0; i < pools; i++) {
        list[i] = i;
    }
    for (int i = pools - 1; i > 0; i--) {
        int other = below(trial, i + 1);
        int kept = list[i];
        list[i] = list[other];
        list[other] = kept;
    }
    workload->pools = list;
    workload->pool_count = chance(trial, 2) ? 0 : (size_t)below(trial, pools + 1);
    workload->needs.saturation = saturations[below(trial, 5)];
    workload->slot = chance(trial, 3) ? (enum slot_wish)below(trial, 4) : SLOT_ANY;
    workload->slot_profile = layouts[below(trial, 5)][0];
    workload->tenant = chance(trial, 3) ? tenants[below(trial, 2)] : slots_trial_workload_names[w];
    workload->isolation = chance(trial, 3) ? (enum isolation)below(trial, 4) : ISOLATION_NONE;
    for (int g = 0; g < 2; g++) {
        int candidates[1];
        size_t count;
        trial->speeds[w][g] = (struct speed_spec){
            .gpu = catalogue_find_gpu(trial->catalogue, gpu_names[g], candidates, 1, &count),
            .factor = chance(trial, 2) ? 1 : factors[below(trial, 5)]};
    }
}

static int party_of(const struct slots_trial *trial, int w) {
    int same = 0;
    while (strcmp(trial->workloads[same].tenant, trial->workloads[w].tenant) != 0) {
        same++;
    }
    return same;
}

static void describe(const struct slots_trial *trial, int w, struct nslots_job *job) {
    const struct workload_spec *workload = &trial->workloads[w];
    bool all = workload->pool_count == 0;
    job->choices = all ? trial->cluster.pool_count : (int)workload->pool_count;
    for (int c = 0; c < job->choices; c++) {
        job->pool[c] = all ? c : workload->pools[c];
        bool second = trial->pools[job->pool[c]].gpu == trial->speeds[w][1].gpu;
        job->speed[c] = trial->speeds[w][second].factor;
    }
    job->wish = (enum nslots_wish)workload->slot;
    job->profile = workload->slot_profile;
    job->isolation = (enum nslots_isolation)workload->isolation;
    job->party = party_of(trial, w);
    job->saturation = workload->needs.saturation;
}

/* Whole seconds out of a small range, so that much happens at once. */
static struct nslots_job make_job(struct slots_trial *trial, int w, int64_t submit,
                                  int32_t longest) {
    static const int memory_gib[] = {1, 5, 9, 10, 16, 19, 30, 39, 60, 90};
    static const int compute_pct[] = {10, 25, 26, 33, 50, 75, 100};
    struct nslots_job job = {
        .submit = submit * SECOND,
        .duration = test_random_between(&trial->random, 0, longest) * SECOND,
        .max_wait =
            chance(trial, 2) ? -1 : test_random_between(&trial->random, 0, 2 * longest) * SECOND,
        .gpus = chance(trial, 4) ? 1 + below(trial, 6) : 1,
        .priority = below(trial, 3),
    };
    if (chance(trial, 2)) {
        job.memory = memory_gib[below(trial, 10)] * GIB;
    }
    if (job.gpus == 1 && chance(trial, 4)) {
        job.compute = compute_pct[below(trial, 7)] * (NSLOTS_MOST_COMPUTE / 100);
    }
    job.estimate =
        chance(trial, 3) ? test_random_between(&trial->random, 0, longest) * SECOND : job.duration;
    job.cpus = trial->hosts ? below(trial, 6) : 0;
    if (trial->steady) {
        job.estimate = job.duration;
        job.max_wait = -1;
    }
    describe(trial, w, &job);
    return job;
}

static void make_jobs(struct slots_trial *trial) {
    struct naive_slots *cluster = &trial->cluster;
    int32_t longest = test_random_between(&trial->random, 1, 10);
    int per_workload = test_random_between(&trial->random, 1, NSLOTS_JOBS / SLOTS_TRIAL_WORKLOADS);
    for (int w = 0; w < SLOTS_TRIAL_WORKLOADS; w++) {
        int64_t submit = 0;
        trial->first_job[w] = cluster->job_count;
        for (int i = 0; i < per_workload; i++) {
            submit += chance(trial, 2) ? 0 : below(trial, 4);
            cluster->jobs[cluster->job_count++] = make_job(trial, w, submit, longest);
        }
    }
    trial->first_job[SLOTS_TRIAL_WORKLOADS] = cluster->job_count;
}

void slots_trial_make(struct slots_trial *trial, uint64_t number,
                      const struct slots_trial_wish *wish) {
    *trial = (struct slots_trial){.random = {number * 7919 + 1},
                                  .steady = wish->steady,
                                  .hosts = wish->hosts,
                                  .catalogue = catalogue_create()};
    struct naive_slots *cluster = &trial->cluster;
    cluster->depth = number % 4 == 3 ? 1 + (int)(number / 4 % 3) : 0;
    cluster->horizon = chance(trial, 3) ? below(trial, 60) * SECOND : -1;
    cluster->pool_count = 1 + below(trial, NSLOTS_POOLS);
    for (int p = 0; p < cluster->pool_count; p++) {
        make_pool(trial, p);
    }
    for (int w = 0; w < SLOTS_TRIAL_WORKLOADS; w++) {
        make_workload(trial, w);
    }
    make_jobs(trial);
}

void slots_trial_clear(struct slots_trial *trial) {
    catalogue_destroy(trial->catalogue);
}
