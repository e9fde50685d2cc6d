#include "plan/emit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "sim/kernel/memory.h"

const struct emit_format emit_formats[] = {
    {"k8s", emit_k8s}, {"mig-parted", emit_mig_parted}, {"slurm", emit_slurm}};
const size_t emit_format_count = sizeof emit_formats / sizeof emit_formats[0];

const struct emit_format *emit_format_find(const char *name) {
    for (size_t i = 0; i < emit_format_count; i++) {
        if (strcmp(emit_formats[i].name, name) == 0) {
            return &emit_formats[i];
        }
    }
    return NULL;
}

void emit_comment(FILE *out, const char *text) {
    for (; *text != '\0'; text++) {
        fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
    }
}

void emit_plain_name(const char *name, char *plain, size_t size) {
    enum { LONGEST = 63 }; /* a label of RFC 1123 */
    size_t used = 0;
    size_t most = size - 1 < LONGEST ? size - 1 : LONGEST;
    for (; *name != '\0' && used < most; name++) {
        bool kept = isalnum((unsigned char)*name) != 0;
        if (kept || (used > 0 && plain[used - 1] != '-')) {
            plain[used++] = kept ? (char)tolower((unsigned char)*name) : '-';
        }
    }
    while (used > 0 && plain[used - 1] == '-') {
        used--;
    }
    plain[used] = '\0';
    if (used == 0) {
        snprintf(plain, size, "pool");
    }
}

bool emit_names_differ(const struct scenario *scenario, struct error *error) {
    for (size_t i = 0; i < scenario->pool_count; i++) {
        for (size_t j = 0; j < i; j++) {
            char a[64];
            char b[64];
            emit_plain_name(scenario->pools[i].name, a, sizeof a);
            emit_plain_name(scenario->pools[j].name, b, sizeof b);
            if (strcmp(a, b) == 0) {
                error_set(error, NULL, 0, 0,
                          "the pools %s and %s would both be called %s: rename one of them",
                          scenario->pools[j].name, scenario->pools[i].name, a);
                return false;
            }
        }
    }
    return true;
}

size_t emit_parts(const struct pool_spec *pool, struct emit_part parts[EMIT_PARTS]) {
    size_t count = 0;
    for (int32_t gpu = 0; gpu < pool->gpus_per_node; gpu++) {
        const struct chosen *sharing = pool_sharing_of(pool, gpu);
        size_t i = 0;
        while (i < count && parts[i].sharing != sharing) {
            i++;
        }
        if (i == count) {
            parts[count++] = (struct emit_part){.sharing = sharing};
        }
        parts[i].gpus[parts[i].gpu_count++] = gpu;
    }
    return count;
}

void emit_count_profiles(struct layout_way way, const struct gpu_model *gpu, int32_t *counts) {
    memset(counts, 0, gpu->profile_count * sizeof *counts);
    for (size_t i = 0; i < way.count; i++) {
        counts[way.items[i].profile_row] += way.items[i].count;
    }
}

const struct sharing_spec *emit_calendar(const struct pool_spec *pool) {
    struct emit_part parts[EMIT_PARTS];
    size_t count = emit_parts(pool, parts);
    for (size_t i = 0; i < count; i++) {
        const struct sharing_spec *spec = parts[i].sharing->options;
        if (parts[i].sharing->index == SHARING_MIG && spec->calendar_count > 0) {
            return spec;
        }
    }
    return NULL;
}

static void write_heading(FILE *out, const struct scenario *scenario, const char *what) {
    fputs("# Written by headroom " HEADROOM_VERSION " plan: ", out);
    emit_comment(out, scenario->name);
    fputs(what[0] != '\0' ? ", " : "", out);
    emit_comment(out, what);
    fputc('\n', out);
    for (size_t i = 0; i < scenario->pool_count; i++) {
        const struct pool_spec *pool = &scenario->pools[i];
        fputs("# Pool ", out);
        emit_comment(out, pool->name);
        fprintf(out, ": %d %s of %d x %s\n", pool->nodes, pool->nodes == 1 ? "node" : "nodes",
                pool->gpus_per_node, scenario->catalogue->gpus[pool->gpu].name);
        if (pool->outages.spares > 0) {
            fprintf(out, "#   and %d that stand by\n", pool->outages.spares);
        }
        if (pool->outages.autoscale.given) {
            fputs("#   ordered and given back by an autoscaler, which is set up elsewhere\n", out);
        }
    }
}

char *plan_emit(const struct emit_format *format, const struct scenario *scenario, const char *what,
                struct error *error) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (out == NULL) {
        memory_exhausted(0);
    }
    write_heading(out, scenario, what);
    bool written = emit_names_differ(scenario, error) && format->write(out, scenario, error);
    fclose(out);
    if (!written) {
        free(text);
        return NULL;
    }
    return text;
}
