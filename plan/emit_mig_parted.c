/* A configuration of nvidia-mig-parted, with one entry per pool: nvidia-mig-parted apply -f FILE -c
 * POOL on each of its nodes. Format: github.com/NVIDIA/mig-parted, examples (version: v1). */
#include <stdlib.h>
#include <string.h>

#include "plan/emit.h"
#include "scenarios/weekly_text.h"
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

static void write_instances(FILE *out, const struct gpu_model *gpu, const struct sharing_spec *mig,
                            struct layout_way way) {
    if (way.whole) {
        fputs("      mig-enabled: false\n", out);
        return;
    }
    fputs("      mig-enabled: true\n", out);
    if (mig->dynamic) {
        fputs("      # Simulated as cut anew for what waits; this is how it begins.\n", out);
    }
    if (way.count == 0) {
        fputs("      mig-devices: {}\n", out);
        return;
    }
    fputs("      mig-devices:\n", out);
    int32_t *counts = memory_zero(gpu->profile_count, sizeof *counts);
    emit_count_profiles(way, gpu, counts);
    for (size_t i = 0; i < gpu->profile_count; i++) {
        if (counts[i] > 0) {
            fprintf(out, "        \"%s\": %d\n", gpu->profiles[i].name, counts[i]);
        }
    }
    free(counts);
}

/* The pool's nodes at the hours of entry k of the calendar; 0: at all others. */
static void write_entry(FILE *out, const struct scenario *scenario, const struct pool_spec *pool,
                        size_t k) {
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    for (size_t i = 0; i < count; i++) {
        write_devices(out, pool, &parts[i]);
        if (parts[i].sharing->index == SHARING_MIG) {
            const struct sharing_spec *mig = parts[i].sharing->options;
            write_instances(out, &scenario->catalogue->gpus[pool->gpu], mig,
                            sharing_way(mig, mig->calendar_count > 0 ? k : 0));
        } else {
            fputs("      mig-enabled: false\n", out);
        }
    }
}

static bool has_two_calendars(const struct pool_spec *pool, struct error *error) {
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    const struct sharing_spec *calendar = emit_calendar(pool);
    for (size_t i = 0; i < count; i++) {
        const struct sharing_spec *spec = parts[i].sharing->options;
        if (parts[i].sharing->index == SHARING_MIG && spec->calendar_count > 0 &&
            spec != calendar) {
            error_set(error, NULL, 0, 0,
                      "pool %s: GPUs of a node follow different calendars, for which there would "
                      "be a configuration for each pair of hours",
                      pool->name);
            return true;
        }
    }
    return false;
}

static void write_hours(FILE *out, const struct weekly_span *span) {
    char text[WEEKLY_TEXT];
    fprintf(out, "  # %s\n", weekly_span_format(span, text));
}

/* What the operator does to nodes without a label. */
static const char disabled[] = "all-disabled";

static bool write_pool(FILE *out, const struct scenario *scenario, const struct pool_spec *pool,
                       struct error *error) {
    const struct sharing_spec *calendar = emit_calendar(pool);
    char name[64];
    emit_plain_name(pool->name, name, sizeof name);
    if (strcmp(name, disabled) == 0) {
        error_set(error, NULL, 0, 0,
                  "pool %s: that is the entry of nodes of which nothing is said: rename the pool",
                  pool->name);
        return false;
    }
    if (has_two_calendars(pool, error)) {
        return false;
    }
    if (calendar != NULL) {
        fputs("  # Simulated by a calendar: at the hours below their entries, else this.\n", out);
    }
    fprintf(out, "  \"%s\":\n", name);
    write_entry(out, scenario, pool, 0);
    for (size_t k = 1; calendar != NULL && k < sharing_way_count(calendar); k++) {
        write_hours(out, &calendar->calendar[k - 1].span);
        /* A plain name has no dot, so no pool can be called this. */
        fprintf(out, "  \"%s.calendar-%zu\":\n", name, k);
        write_entry(out, scenario, pool, k);
    }
    return true;
}

bool emit_mig_parted(FILE *out, const struct scenario *scenario, struct error *error) {
    fprintf(out,
            "# On each node of a pool: nvidia-mig-parted apply -f THIS-FILE -c NAME\n"
            "# Under the GPU operator: as config.yaml in a ConfigMap that migManager.config.name "
            "names, and nodes\n# labelled nvidia.com/mig.config=NAME\nversion: v1\nmig-configs:\n"
            "  \"%s\":\n    - devices: all\n      mig-enabled: false\n",
            disabled);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        if (!write_pool(out, scenario, &scenario->pools[i], error)) {
            return false;
        }
    }
    return true;
}
