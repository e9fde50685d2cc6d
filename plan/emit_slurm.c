/* Lines of Slurm's gres.conf and slurm.conf. Formats: slurm.schedmd.com/gres.conf.html and
 * gres.html: whole GPUs are gres/gpu, shares under time-slicing gres/shard, under MPS gres/mps, and
 * MIG instances are found by NVML. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "plan/emit.h"
#include "sim/kernel/memory.h"

/* "a100-[1-3]", or "a100-1" of one node. */
static void name_nodes(const struct pool_spec *pool, char *nodes, size_t size) {
    char plain[64];
    emit_plain_name(pool->name, plain, sizeof plain);
    snprintf(nodes, size, pool->nodes == 1 ? "%s-%d" : "%s-[1-%d]", plain, pool->nodes);
}

/* a100-sxm4-80gb: what NVML calls it, but for "nvidia_". */
static void name_type(const struct gpu_model *gpu, char *type, size_t size) {
    snprintf(type, size, "%s", gpu->name);
    for (char *c = type; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '-';
    }
}

static bool uses(const struct pool_spec *pool, int mode) {
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    bool has = false;
    for (size_t i = 0; i < count; i++) {
        has = has || parts[i].sharing->index == mode;
    }
    return has;
}

static bool any_uses(const struct scenario *scenario, int mode) {
    bool has = false;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        has = has || uses(&scenario->pools[i], mode);
    }
    return has;
}

/* "/dev/nvidia[0-3,7]" */
static void write_files(FILE *out, const struct emit_part *part) {
    if (part->gpu_count == 1) {
        fprintf(out, "/dev/nvidia%d", part->gpus[0]);
        return;
    }
    fputs("/dev/nvidia[", out);
    for (int32_t i = 0; i < part->gpu_count;) {
        int32_t last = i;
        while (last + 1 < part->gpu_count && part->gpus[last + 1] == part->gpus[last] + 1) {
            last++;
        }
        fprintf(out, last > i ? "%s%d-%d" : "%s%d", i > 0 ? "," : "", part->gpus[i],
                part->gpus[last]);
        i = last + 1;
    }
    fputs("]", out);
}

/* The name and number of shares of a part's GPUs; 0: they are not shared. */
static int32_t shares_of(const struct emit_part *part, const char **name) {
    const struct sharing_spec *spec = part->sharing->options;
    *name = part->sharing->index == SHARING_MPS ? "mps" : "shard";
    return part->sharing->index == SHARING_MPS         ? spec->clients * part->gpu_count
           : part->sharing->index == SHARING_TIMESLICE ? spec->replicas * part->gpu_count
                                                       : 0;
}

static void write_gres(FILE *out, const struct scenario *scenario, const struct pool_spec *pool) {
    char nodes[96];
    char type[64];
    name_nodes(pool, nodes, sizeof nodes);
    name_type(&scenario->catalogue->gpus[pool->gpu], type, sizeof type);
    if (uses(pool, SHARING_MIG)) {
        fprintf(out, "NodeName=%s AutoDetect=nvml\n", nodes);
        return;
    }
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "NodeName=%s Name=gpu Type=%s File=", nodes, type);
        write_files(out, &parts[i]);
        fputc('\n', out);
        const char *name;
        int32_t shares = shares_of(&parts[i], &name);
        if (shares > 0) {
            fprintf(out, "NodeName=%s Name=%s Count=%d File=", nodes, name, shares);
            write_files(out, &parts[i]);
            fputc('\n', out);
        }
    }
}

/* GPUs and instances by type, then shares. */
static void write_node(FILE *out, const struct scenario *scenario, const struct pool_spec *pool) {
    const struct gpu_model *gpu = &scenario->catalogue->gpus[pool->gpu];
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    int32_t *counts = memory_zero(gpu->profile_count + 1, sizeof *counts);
    int32_t *of_all = memory_zero(gpu->profile_count + 1, sizeof *of_all);
    int32_t whole = 0;
    int32_t shares[2] = {0}; /* mps, shard */
    for (size_t i = 0; i < count; i++) {
        if (parts[i].sharing->index == SHARING_MIG) {
            emit_count_profiles(parts[i].sharing->options, gpu, counts);
            for (size_t p = 0; p < gpu->profile_count; p++) {
                of_all[p] += counts[p] * parts[i].gpu_count;
            }
            continue;
        }
        const char *name;
        int32_t more = shares_of(&parts[i], &name);
        shares[strcmp(name, "shard") == 0] += more;
        whole += parts[i].gpu_count;
    }
    char nodes[96];
    char type[64];
    name_nodes(pool, nodes, sizeof nodes);
    name_type(gpu, type, sizeof type);
    fprintf(out, "NodeName=%s Gres=", nodes);
    const char *comma = "";
    if (whole > 0) {
        fprintf(out, "gpu:%s:%d", type, whole);
        comma = ",";
    }
    for (size_t p = 0; p < gpu->profile_count; p++) {
        if (of_all[p] > 0) {
            fprintf(out, "%sgpu:%s:%d", comma, gpu->profiles[p].name, of_all[p]);
            comma = ",";
        }
    }
    for (int i = 0; i < 2; i++) {
        if (shares[i] > 0) {
            fprintf(out, "%s%s:%d", comma, i == 0 ? "mps" : "shard", shares[i]);
        }
    }
    fputs(" State=UNKNOWN\n", out);
    free(counts);
    free(of_all);
}

/* What the format cannot say. */
static bool can_say(const struct pool_spec *pool, struct error *error) {
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    for (size_t i = 0; i < count; i++) {
        const struct sharing_spec *spec = parts[i].sharing->options;
        bool mig = parts[i].sharing->index == SHARING_MIG;
        if (mig && spec->dynamic) {
            error_set(error, NULL, 0, 0, "pool %s: Slurm does not cut GPUs anew for what waits",
                      pool->name);
            return false;
        }
        for (size_t k = 0; mig && k < spec->layout_count; k++) {
            if (spec->layout[k].sharing.index != SHARING_EXCLUSIVE) {
                error_set(error, NULL, 0, 0, "pool %s: Slurm does not share MIG instances",
                          pool->name);
                return false;
            }
        }
    }
    if (uses(pool, SHARING_MPS) && uses(pool, SHARING_TIMESLICE)) {
        error_set(error, NULL, 0, 0,
                  "pool %s: Slurm has gres/mps or gres/shard on a node, not both", pool->name);
        return false;
    }
    return true;
}

bool emit_slurm(FILE *out, const struct scenario *scenario, struct error *error) {
    for (size_t i = 0; i < scenario->pool_count; i++) {
        if (!can_say(&scenario->pools[i], error)) {
            return false;
        }
    }
    fputs("\n# gres.conf\n", out);
    if (any_uses(scenario, SHARING_MPS)) {
        fputs("# A job of --gres=mps:K may use K of a GPU's counts, and that share of its SMs.\n",
              out);
    }
    for (size_t i = 0; i < scenario->pool_count; i++) {
        write_gres(out, scenario, &scenario->pools[i]);
    }
    fprintf(out, "\n# slurm.conf\nGresTypes=gpu%s%s\n",
            any_uses(scenario, SHARING_MPS) ? ",mps" : "",
            any_uses(scenario, SHARING_TIMESLICE) ? ",shard" : "");
    for (size_t i = 0; i < scenario->pool_count; i++) {
        write_node(out, scenario, &scenario->pools[i]);
    }
    for (size_t i = 0; i < scenario->pool_count; i++) {
        char nodes[96];
        char plain[64];
        name_nodes(&scenario->pools[i], nodes, sizeof nodes);
        emit_plain_name(scenario->pools[i].name, plain, sizeof plain);
        fprintf(out, "PartitionName=%s Nodes=%s State=UP\n", plain, nodes);
    }
    return true;
}
