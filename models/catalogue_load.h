/* Inside the catalogue: its files, each loaded into the catalogue's storage. */
#ifndef MODELS_CATALOGUE_LOAD_H
#define MODELS_CATALOGUE_LOAD_H

#include "models/catalogue.h"
#include "sim/kernel/arena.h"

struct catalogue_storage {
    struct arena arena;
};

/* In this order: the others refer to the GPUs. */
void catalogue_load_gpus(struct catalogue *catalogue);
void catalogue_load_profiles(struct catalogue *catalogue, const char *const *family_of_gpu);
void catalogue_load_prices(struct catalogue *catalogue);
void catalogue_load_models(struct catalogue *catalogue);
void catalogue_load_speeds(struct catalogue *catalogue);

/* The row of a GPU that the files name, in full. */
int catalogue_gpu_named(const struct catalogue *catalogue, const char *name);

#endif
