/* headroom catalog mig: its parts. */
#ifndef CLI_CATALOG_MIG_H
#define CLI_CATALOG_MIG_H

#include <stdio.h>

#include "cli/catalog.h"
#include "models/mig.h"

/* Draws instances to scale along the GPU's memory units, and below their compute slices along the
 * GPU's. In ASCII, TABLE_WIDTH columns at most. */
void mig_picture_print(FILE *out, const struct gpu_model *gpu, const struct mig_instance *instances,
                       size_t count, bool colour);

/* --layout: places a list of profiles or ids and shows where, or says why it is impossible. Returns
 * the exit status. */
int mig_layout_print(const struct catalog_request *request, const struct gpu_model *gpu);

/* The tables of a GPU: "profiles" or "layouts". Free with table_destroy. */
struct table *mig_profiles_table(const struct gpu_model *gpu, enum table_format format);
struct table *mig_layouts_table(const struct gpu_model *gpu, const struct mig_layouts *layouts);

#endif
