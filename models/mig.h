/* MIG geometry: which instances fit on a GPU together, and where. Arithmetic over the catalogue's
 * placements; the search is exhaustive, so a layout is refused only if no placement exists.
 *
 * An instance of a profile begins at one of the profile's starts and takes memory_units units from
 * there; instances may not overlap, together take at most the GPU's compute slices, and a profile
 * has at most max_instances of itself. JPEG and optical-flow engines, where the catalogue counts
 * them, may not run out either; copy engines and decoders limit nothing that the rest allows.
 * Source: NVIDIA Multi-Instance GPU user guide, tables of profiles; nvidia-smi mig -lgipp. */
#ifndef MODELS_MIG_H
#define MODELS_MIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "models/catalogue.h"
#include "sim/kernel/error.h"

enum { MIG_INSTANCES_LIMIT = 16 }; /* on one GPU; real ones have at most 7 */

/* An instance on a GPU: a row of the GPU's profiles, and the memory unit where it begins. */
struct mig_instance {
    int profile;
    int start;
};

/* The row of a profile by its name (any case) or its id in digits ("9"); -1 with an error, which
 * suggests the right name where a name of another memory size, or a near miss, was given. The error
 * points at no place. */
int mig_find_profile(const struct gpu_model *gpu, const char *name, struct error *error);

/* Places `count` instances of these profiles: fills instances in the order given. Of several
 * placements it takes the first in the order of starts: the first instance as low as it can lie,
 * then the second, and so on. (The driver chooses for itself unless nvidia-smi mig -cgi is told
 * starts.) False with an error that names the rules that failed, with their numbers, and what could
 * be had instead. */
bool mig_place(const struct gpu_model *gpu, const int *profiles, size_t count,
               struct mig_instance *instances, struct error *error);

/* Whether an instance of the profile can be added at `start` to those there, which are valid. */
bool mig_can_add(const struct gpu_model *gpu, const struct mig_instance *instances, size_t count,
                 int profile, int start);

/* What a layout leaves unused. */
struct mig_waste {
    int stranded_slices;  /* compute slices in no instance */
    int stranded_units;   /* memory units in no instance */
    int64_t stranded_mib; /* memory in no instance, of that of the profile that takes all; -1: not
                             known */
    int lost_sms;         /* SMs of the GPU in no instance; -1: not known */
};
struct mig_waste mig_waste_of(const struct gpu_model *gpu, const int *profiles, size_t count);

/* Which profiles to combine. */
enum mig_selection {
    MIG_STANDARD, /* those that differ in size: no engine variants, none with doubled memory */
    MIG_SIZES,    /* those, and those with more memory than their slices bring (1g.20gb) */
    MIG_ALL       /* those, and their variants with more or fewer engines (+me, +gfx, -me) */
};
bool mig_selected(const struct gpu_model *gpu, int profile, enum mig_selection selection);

/* A multiset of profiles that can be placed. */
struct mig_layout {
    int profiles[MIG_INSTANCES_LIMIT]; /* from the largest to the smallest */
    int starts[MIG_INSTANCES_LIMIT];   /* of one placement of it */
    size_t count;
    size_t placements; /* in how many ways it can be placed */
    bool maximal;      /* no instance can be added to the multiset, however it is placed */
};
/* All of them; a placement is a set of instances, each with its start. */
struct mig_layouts {
    struct mig_layout *multisets; /* distinct; by their largest profiles, fuller ones first */
    size_t multiset_count;
    size_t placements;         /* non-empty placements */
    size_t maximal_placements; /* to which no instance can be added in place */
    size_t maximal_multisets;
    bool complete; /* false: stopped at MIG_PLACEMENTS_LIMIT, so the counts are too small */
};
enum { MIG_PLACEMENTS_LIMIT = 100000 }; /* real GPUs have less than 5000 */
struct mig_layouts *mig_layouts_create(const struct gpu_model *gpu, enum mig_selection selection);
void mig_layouts_destroy(struct mig_layouts *layouts);

/* How layouts are written: "3g.40gb,2g.20gb,2g.20gb" as options and scenarios take them, or short
 * for people: "3g.40gb + 2 x 2g.20gb". Equal profiles must stand together. Cut if longer than the
 * buffer, which is returned. */
enum mig_style { MIG_LIST, MIG_SHORT };
const char *mig_layout_text(const struct gpu_model *gpu, const int *profiles, size_t count,
                            enum mig_style style, char *buffer, size_t size);

/* "{0,2,4}:2", the starts and the memory units, as nvidia-smi mig -lgipp writes them. */
const char *mig_placements_text(const struct mig_profile *profile, char *buffer, size_t size);

/* Brings profiles into the order of layouts: from the largest to the smallest. */
void mig_sort_profiles(const struct gpu_model *gpu, int *profiles, size_t count);

#endif
