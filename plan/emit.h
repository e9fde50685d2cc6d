/* The configuration of a cluster that is shared as a scenario says, for who sets it up: one format
 * per file, each a row. */
#ifndef PLAN_EMIT_H
#define PLAN_EMIT_H

#include <stdbool.h>
#include <stdio.h>

#include "scenarios/scenario.h"
#include "sim/kernel/error.h"

struct emit_format {
    const char *name; /* k8s, mig-parted, slurm */
    /* Writes it, without a heading; false with an error that names what the format cannot say. */
    bool (*write)(FILE *out, const struct scenario *scenario, struct error *error);
};

extern const struct emit_format emit_formats[];
extern const size_t emit_format_count;

const struct emit_format *emit_format_find(const char *name); /* NULL: unknown */

/* The whole text, under a heading of comment lines that tells where it comes from; NULL with an
 * error. Free it. `what` is the candidate's name. */
char *plan_emit(const struct emit_format *format, const struct scenario *scenario, const char *what,
                struct error *error);

bool emit_k8s(FILE *out, const struct scenario *scenario, struct error *error);
bool emit_mig_parted(FILE *out, const struct scenario *scenario, struct error *error);
bool emit_slurm(FILE *out, const struct scenario *scenario, struct error *error);

/* What the formats share. GPUs of a node that are shared alike, by their indices. */
struct emit_part {
    const struct chosen *sharing;
    int32_t gpus[64];
    int32_t gpu_count;
};
enum { EMIT_PARTS = 64 };
/* The parts of a pool's node, by their first GPU; returns their number. */
size_t emit_parts(const struct pool_spec *pool, struct emit_part parts[EMIT_PARTS]);
/* How often each profile of the GPU is in a layout, by row; counts has room for all profiles. */
void emit_count_profiles(struct layout_way way, const struct gpu_model *gpu, int32_t *counts);
/* The calendar by which GPUs of the pool are cut; NULL: none. */
const struct sharing_spec *emit_calendar(const struct pool_spec *pool);
/* A name as a host, a Kubernetes object or a Slurm partition may have it: small letters, digits and
 * hyphens between them. */
void emit_plain_name(const char *name, char *plain, size_t size);
/* Whether the plain names of all pools differ; else false with an error. */
bool emit_names_differ(const struct scenario *scenario, struct error *error);
/* A text for a comment: what could end the line is a question mark. */
void emit_comment(FILE *out, const char *text);

#endif
