/* Shared by the files of models/mig*.c: what instances take together, and texts built piece by
 * piece. */
#ifndef MODELS_MIG_INTERNAL_H
#define MODELS_MIG_INTERNAL_H

#include "models/mig.h"

/* Engines that run out before compute slices do. -1 of a GPU: not known, so no limit. */
enum mig_engine { MIG_JPEG, MIG_OPTICAL_FLOW, MIG_ENGINES };
/* Of one instance; 0 where the catalogue does not know. */
int mig_engines_of(const struct mig_profile *profile, enum mig_engine engine);
/* Of the whole GPU, by the profile that takes all of it. */
int mig_engines_there(const struct gpu_model *gpu, enum mig_engine engine);
/* The profile that takes all compute slices and memory units, NULL: there is none. */
const struct mig_profile *mig_whole_gpu(const struct gpu_model *gpu);

/* < 0: a is the larger one, or stands first among equally large ones. */
int mig_compare_profiles(const struct gpu_model *gpu, int a, int b);

/* A text that grows in a buffer as far as there is room. */
struct mig_text {
    char *buffer;
    size_t size;
    size_t used;
};
struct mig_text mig_text_start(char *buffer, size_t size);
void mig_text_add(struct mig_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Says why no placement exists: the rules that fail, and layouts near to it. */
void mig_refuse(const struct gpu_model *gpu, const int *profiles, size_t count,
                struct error *error);

#endif
