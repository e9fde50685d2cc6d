/* A configuration of nvidia-mig-parted, with one entry per pool: nvidia-mig-parted apply -f FILE -c
 * POOL on each of its nodes. Format: github.com/NVIDIA/mig-parted, examples (version: v1). */
#include <stdlib.h>

#include "plan/emit.h"
#include "sim/kernel/memory.h"

static void write_devices(FILE *out, const struct pool_spec *pool, const struct emit_part *part) {
    if (part->gpu_count == pool->gpus_per_node) {
        fputs("    - devices: all\n", out);
        return;
    }
    fputs("    - devices: [", out);
    for (int32_t i = 0; i < part->gpu_count; i++) {
        fprintf(out, "%s%d", i > 0 ? ", " : "", part->gpus[i]);
    }
    fputs("]\n", out);
}

static void write_instances(FILE *out, const struct gpu_model *gpu,
                            const struct sharing_spec *mig) {
    fputs("      mig-enabled: true\n", out);
    if (mig->dynamic) {
        fputs("      # Simulated as cut anew for what waits; this is how it begins.\n", out);
    }
    if (mig->layout_count == 0) {
        fputs("      mig-devices: {}\n", out);
        return;
    }
    fputs("      mig-devices:\n", out);
    int32_t *counts = memory_zero(gpu->profile_count, sizeof *counts);
    emit_count_profiles(mig, gpu, counts);
    for (size_t i = 0; i < gpu->profile_count; i++) {
        if (counts[i] > 0) {
            fprintf(out, "        \"%s\": %d\n", gpu->profiles[i].name, counts[i]);
        }
    }
    free(counts);
}

bool emit_mig_parted(FILE *out, const struct scenario *scenario, struct error *error) {
    (void)error; /* there is nothing that it cannot say */
    fputs("# On each node of a pool: nvidia-mig-parted apply -f THIS-FILE -c NAME\nversion: "
          "v1\nmig-configs:\n",
          out);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const struct pool_spec *pool = &scenario->pools[i];
        struct emit_part parts[EMIT_PARTS];
        size_t count = emit_parts(pool, parts);
        char name[64];
        emit_plain_name(pool->name, name, sizeof name);
        fprintf(out, "  \"%s\":\n", name);
        for (size_t k = 0; k < count; k++) {
            write_devices(out, pool, &parts[k]);
            if (parts[k].sharing->index == SHARING_MIG) {
                write_instances(out, &scenario->catalogue->gpus[pool->gpu],
                                parts[k].sharing->options);
            } else {
                fputs("      mig-enabled: false\n", out);
            }
        }
    }
    return true;
}
