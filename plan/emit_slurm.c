/* Lines of Slurm's gres.conf and slurm.conf. Formats: slurm.schedmd.com/gres.conf.html and
 * gres.html: whole GPUs are gres/gpu, shares under time-slicing gres/shard, under MPS gres/mps, and
 * MIG instances are found by NVML. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plan/emit.h"
#include "sim/kernel/memory.h"

/* "a100-[1-3]", or "a100-1" of one node. */
static void name_some(const struct pool_spec *pool, int32_t first, int32_t last, char *nodes,
                      size_t size) {
    char plain[64];
    emit_plain_name(pool->name, plain, sizeof plain);
    snprintf(nodes, size, first == last ? "%s-%d" : "%s-[%d-%d]", plain, first, last);
}

/* All, with those that stand by. */
static void name_nodes(const struct pool_spec *pool, char *nodes, size_t size) {
    name_some(pool, 1, pool_node_count(pool), nodes, size);
}

/* Whether a part of a GPU's name is its board or its memory: SXM4, PCIE, NVL, 80GB. */
static bool is_form(const char *part, size_t length) {
    static const char *const boards[] = {"SXM", "PCIE", "NVL"};
    bool form = isdigit((unsigned char)part[0]) && length > 2 &&
                strncasecmp(part + length - 2, "GB", 2) == 0;
    for (size_t i = 0; i < sizeof boards / sizeof boards[0]; i++) {
        form = form || strncasecmp(part, boards[i], strlen(boards[i])) == 0;
    }
    return form;
}

/* a100, rtx_pro_6000: all that names of NVML such as nvidia_a100-sxm4-80gb and
 * nvidia_h100_80gb_hbm3 have in common with the catalogue's. Slurm wants a part of NVML's where it
 * looks for GPUs itself. */
static void name_type(const struct gpu_model *gpu, char *type, size_t size) {
    size_t used = 0;
    const char *part = gpu->name;
    while (*part != '\0' && (used == 0 || !is_form(part, strcspn(part, "-")))) {
        size_t length = strcspn(part, "-");
        used += (size_t)snprintf(type + used, size - used, "%s%.*s", used > 0 ? "_" : "",
                                 (int)length, part);
        used = used < size ? used : size - 1;
        part += length + (part[length] == '-');
    }
    for (char *c = type; *c != '\0'; c++) {
        *c = isalnum((unsigned char)*c) ? (char)tolower((unsigned char)*c) : '_';
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

static bool knows_hosts(const struct scenario *scenario) {
    bool knows = true;
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const struct pool_spec *pool = &scenario->pools[i];
        knows = knows && pool->cpus_per_node >= 1 && pool->memory_per_node > 0;
    }
    return knows;
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
static void write_resources(FILE *out, const struct scenario *scenario,
                            const struct pool_spec *pool) {
    const struct gpu_model *gpu = &scenario->catalogue->gpus[pool->gpu];
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    int32_t *counts = memory_zero(gpu->profile_count + 1, sizeof *counts);
    int32_t *of_all = memory_zero(gpu->profile_count + 1, sizeof *of_all);
    int32_t whole = 0;
    int32_t shares[2] = {0}; /* mps, shard */
    for (size_t i = 0; i < count; i++) {
        if (parts[i].sharing->index == SHARING_MIG) {
            emit_count_profiles(sharing_way(parts[i].sharing->options, 0), gpu, counts);
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
    char type[64];
    name_type(gpu, type, sizeof type);
    const char *comma = "";
    /* Profiles first: a GPU's type is a part of what its instances are called, too. */
    for (size_t p = 0; p < gpu->profile_count; p++) {
        if (of_all[p] > 0) {
            fprintf(out, "%sgpu:%s:%d", comma, gpu->profiles[p].name, of_all[p]);
            comma = ",";
        }
    }
    if (whole > 0) {
        fprintf(out, "%sgpu:%s:%d", comma, type, whole);
        comma = ",";
    }
    for (int i = 0; i < 2; i++) {
        if (shares[i] > 0) {
            fprintf(out, "%s%s:%d", comma, i == 0 ? "mps" : "shard", shares[i]);
        }
    }
    free(counts);
    free(of_all);
}

/* Nodes of a pool from one number to another. */
static void write_some(FILE *out, const struct scenario *scenario, const struct pool_spec *pool,
                       int32_t first, int32_t last, const char *state) {
    char nodes[96];
    name_some(pool, first, last, nodes, sizeof nodes);
    fprintf(out, "NodeName=%s", nodes);
    if (pool->cpus_per_node >= 1) {
        fprintf(out, " CPUs=%.0f", floor(pool->cpus_per_node));
    }
    if (pool->memory_per_node > 0) {
        fprintf(out, " RealMemory=%lld", (long long)(pool->memory_per_node >> 20)); /* MiB */
    }
    fputs(" Gres=", out);
    write_resources(out, scenario, pool);
    fprintf(out, " State=%s\n", state);
}

static void write_nodes(FILE *out, const struct scenario *scenario, const struct pool_spec *pool) {
    write_some(out, scenario, pool, 1, pool->nodes, "UNKNOWN");
    if (pool->outages.spares > 0) {
        fputs("# Spares: scontrol update NodeName=... State=RESUME puts one in another's place.\n",
              out);
        write_some(out, scenario, pool, pool->nodes + 1, pool_node_count(pool), "FUTURE");
    }
}

/* What the format cannot say. */
static bool can_say(const struct pool_spec *pool, struct error *error) {
    char plain[64];
    emit_plain_name(pool->name, plain, sizeof plain);
    if (strcmp(plain, "default") == 0) {
        error_set(error, NULL, 0, 0,
                  "pool %s: Slurm keeps a partition of that name for what others have by default: "
                  "rename the pool",
                  pool->name);
        return false;
    }
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
    if (emit_calendar(pool) != NULL) {
        error_set(error, NULL, 0, 0, "pool %s: Slurm does not cut GPUs by the clock", pool->name);
        return false;
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
    if (any_uses(scenario, SHARING_MIG)) {
        fputs("# The instances themselves: headroom plan ... --emit mig-parted\n", out);
    }
    for (size_t i = 0; i < scenario->pool_count; i++) {
        write_gres(out, scenario, &scenario->pools[i]);
    }
    fprintf(out, "\n# slurm.conf\nSelectType=select/cons_tres\nGresTypes=gpu%s%s\n",
            any_uses(scenario, SHARING_MPS) ? ",mps" : "",
            any_uses(scenario, SHARING_TIMESLICE) ? ",shard" : "");
    if (!knows_hosts(scenario)) {
        fputs("# Nodes without CPUs= have one and run one job, without RealMemory= they have 1 MB: "
              "add what\n# slurmd -C prints on such a node.\n",
              out);
    }
    for (size_t i = 0; i < scenario->pool_count; i++) {
        write_nodes(out, scenario, &scenario->pools[i]);
    }
    for (size_t i = 0; i < scenario->pool_count; i++) {
        char nodes[96];
        char plain[64];
        name_nodes(&scenario->pools[i], nodes, sizeof nodes);
        emit_plain_name(scenario->pools[i].name, plain, sizeof plain);
        fprintf(out, "PartitionName=%s Nodes=%s%s State=UP\n", plain, nodes,
                i == 0 ? " Default=YES" : "");
    }
    return true;
}
