/* A ConfigMap of NVIDIA's Kubernetes device plugin, with one configuration per pool, for nodes
 * labelled nvidia.com/device-plugin.config=NAME. Format: github.com/NVIDIA/k8s-device-plugin,
 * "Shared Access to GPUs" (version: v1). */
#include <string.h>

#include "plan/emit.h"
#include "sim/kernel/sim_time.h"

/* One resource that is shared. */
struct shared {
    char name[64]; /* nvidia.com/gpu, nvidia.com/mig-1g.10gb */
    const struct sharing_spec *spec;
    int mode; /* SHARING_MPS or SHARING_TIMESLICE; SHARING_EXCLUSIVE: not shared */
    int32_t replicas;
};

enum { MOST_RESOURCES = 64 };

struct resources {
    struct shared items[MOST_RESOURCES];
    size_t count;
    bool mig;
};

static bool add(struct resources *resources, const struct pool_spec *pool, const char *name,
                const struct chosen *sharing, struct error *error) {
    const struct sharing_spec *spec = sharing->options;
    struct shared item = {.spec = spec, .mode = sharing->index, .replicas = 1};
    snprintf(item.name, sizeof item.name, "%s", name);
    if (item.mode == SHARING_MPS || item.mode == SHARING_TIMESLICE) {
        item.replicas = item.mode == SHARING_MPS ? spec->clients : spec->replicas;
    }
    for (size_t i = 0; i < resources->count; i++) {
        const struct shared *known = &resources->items[i];
        if (strcmp(known->name, name) == 0) {
            if (known->mode == item.mode && known->replicas == item.replicas) {
                return true;
            }
            error_set(error, NULL, 0, 0,
                      "pool %s: the device plugin shares all %s of a node alike, but the scenario "
                      "does not",
                      pool->name, name);
            return false;
        }
    }
    resources->items[resources->count++] = item;
    return true;
}

/* nvidia.com/mig-1g.10gb, or nvidia.com/mig-1g.10gb.me of 1g.10gb+me. */
static void name_instance(const struct mig_profile *profile, char *name, size_t size) {
    snprintf(name, size, "nvidia.com/mig-%s", profile->name);
    for (char *c = strchr(name, '+'); c != NULL; c = strchr(c, '+')) {
        *c = '.';
    }
}

static bool add_instances(struct resources *resources, const struct scenario *scenario,
                          const struct pool_spec *pool, struct layout_way way,
                          struct error *error) {
    static const struct chosen alone = {.index = SHARING_EXCLUSIVE};
    const struct gpu_model *gpu = &scenario->catalogue->gpus[pool->gpu];
    if (way.whole) {
        return add(resources, pool, "nvidia.com/gpu", &alone, error);
    }
    for (size_t i = 0; i < way.count; i++) {
        const struct layout_item *item = &way.items[i];
        char name[64];
        name_instance(&gpu->profiles[item->profile_row], name, sizeof name);
        if (item->sharing.index == SHARING_MPS) {
            error_set(error, NULL, 0, 0,
                      "pool %s: the device plugin has no MPS on MIG instances; it can time-slice "
                      "them",
                      pool->name);
            return false;
        }
        if (!add(resources, pool, name, &item->sharing, error)) {
            return false;
        }
    }
    return true;
}

/* One configuration for all hours of a calendar: it names what there may be. */
static bool add_ways(struct resources *resources, const struct scenario *scenario,
                     const struct pool_spec *pool, const struct sharing_spec *mig,
                     struct error *error) {
    resources->mig = true;
    for (size_t k = 0; k < sharing_way_count(mig); k++) {
        if (!add_instances(resources, scenario, pool, sharing_way(mig, k), error)) {
            return false;
        }
    }
    return true;
}

static bool gather(struct resources *resources, const struct scenario *scenario,
                   const struct pool_spec *pool, struct error *error) {
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    for (size_t i = 0; i < count; i++) {
        const struct chosen *sharing = parts[i].sharing;
        bool added = sharing->index == SHARING_MIG
                         ? add_ways(resources, scenario, pool, sharing->options, error)
                         : add(resources, pool, "nvidia.com/gpu", sharing, error);
        if (!added) {
            return false;
        }
    }
    return true;
}

static const struct shared *find_mode(const struct resources *resources, int mode) {
    for (size_t i = 0; i < resources->count; i++) {
        /* The plugin takes two replicas or more; one is a GPU that is not shared. */
        if (resources->items[i].mode == mode && resources->items[i].replicas > 1) {
            return &resources->items[i];
        }
    }
    return NULL;
}

static void write_sharing(FILE *out, const struct resources *resources, int mode) {
    const struct shared *first = find_mode(resources, mode);
    if (first == NULL) {
        return;
    }
    if (mode == SHARING_TIMESLICE) {
        fprintf(out,
                "    # Simulated with turns of %.4g ms; nvidia-smi compute-policy --set-timeslice "
                "changes them.\n",
                (double)first->spec->slice / 1e6);
    } else {
        fprintf(out,
                "    # The plugin lets each client use 1/%d of the SMs and of the memory at most;\n"
                "    # simulated were thread_percentage %.4g %% and %.4g GB (0: no limit).\n",
                first->replicas, first->spec->thread_percentage * 100,
                (double)first->spec->memory_limit / 1e9);
    }
    fprintf(out, "    sharing:\n      %s:\n        resources:\n",
            mode == SHARING_MPS ? "mps" : "timeSlicing");
    for (size_t i = 0; i < resources->count; i++) {
        const struct shared *item = &resources->items[i];
        if (item->mode == mode && item->replicas > 1) {
            fprintf(out, "          - name: \"%s\"\n            replicas: %d\n", item->name,
                    item->replicas);
        }
    }
}

static bool write_pool(FILE *out, const struct scenario *scenario, const struct pool_spec *pool,
                       struct error *error) {
    struct resources resources = {0};
    if (!gather(&resources, scenario, pool, error)) {
        return false;
    }
    if (find_mode(&resources, SHARING_MPS) != NULL &&
        find_mode(&resources, SHARING_TIMESLICE) != NULL) {
        error_set(error, NULL, 0, 0,
                  "pool %s: the device plugin cannot have MPS and time-slicing on one node",
                  pool->name);
        return false;
    }
    char name[64];
    emit_plain_name(pool->name, name, sizeof name);
    fprintf(out, "  \"%s\": |-\n    version: v1\n    flags:\n      migStrategy: %s\n", name,
            resources.mig ? "mixed" : "none");
    write_sharing(out, &resources, SHARING_TIMESLICE);
    write_sharing(out, &resources, SHARING_MPS);
    return true;
}

static bool has_mig(const struct scenario *scenario) {
    bool has = false;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        struct emit_part parts[EMIT_PARTS];
        size_t count = emit_parts(&scenario->pools[i], parts);
        for (size_t k = 0; k < count; k++) {
            has = has || parts[k].sharing->index == SHARING_MIG;
        }
    }
    return has;
}

bool emit_k8s(FILE *out, const struct scenario *scenario, struct error *error) {
    char name[64];
    emit_plain_name(scenario->name, name, sizeof name);
    fputs("# Nodes of a pool get the label nvidia.com/device-plugin.config=NAME, with its name "
          "below. Under the GPU\n# operator devicePlugin.config.name names this ConfigMap.\n",
          out);
    if (has_mig(scenario)) {
        fputs("# The instances themselves: headroom plan ... --emit mig-parted\n", out);
    }
    fprintf(out,
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: \"%.40s-device-plugin\"\ndata:\n",
            name);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        if (!write_pool(out, scenario, &scenario->pools[i], error)) {
            return false;
        }
    }
    return true;
}
