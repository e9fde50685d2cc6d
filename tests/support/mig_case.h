/* Layouts of GPUs as tests write them: names or ids with commas between them. */
#ifndef TESTS_SUPPORT_MIG_CASE_H
#define TESTS_SUPPORT_MIG_CASE_H

#include "models/mig.h"

/* By name or short form; fails the test if there is none. */
const struct gpu_model *find_mig_gpu(const struct catalogue *catalogue, const char *name);
/* Fills profiles (32 at most) and returns their number; fails the test on an unknown one. */
size_t parse_mig_layout(const struct gpu_model *gpu, const char *layout, int *profiles);

void expect_mig_counts(const struct gpu_model *gpu, enum mig_selection selection, size_t placements,
                       size_t multisets, size_t maximal_placements, size_t maximal_multisets);
/* starts: "4,0,2", of the profiles in the order given. */
void expect_mig_placed(const struct gpu_model *gpu, const char *layout, const char *starts);
void expect_mig_refused(const struct gpu_model *gpu, const char *layout, const char *message);
void expect_mig_unknown(const struct gpu_model *gpu, const char *name, const char *message);

#endif
