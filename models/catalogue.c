#include "models/catalogue.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "models/catalogue_load.h"
#include "sim/kernel/memory.h"

struct catalogue *catalogue_create(void) {
    struct catalogue *catalogue = memory_zero(1, sizeof(*catalogue));
    catalogue->storage = memory_zero(1, sizeof(*catalogue->storage));
    catalogue_load_gpus(catalogue);
    catalogue_load_prices(catalogue);
    catalogue_load_models(catalogue);
    catalogue_load_speeds(catalogue);
    return catalogue;
}

void catalogue_destroy(struct catalogue *catalogue) {
    if (catalogue == NULL) {
        return;
    }
    arena_clear(&catalogue->storage->arena);
    free(catalogue->storage);
    free(catalogue);
}

bool provenance_verified(const struct provenance *provenance) {
    return strncmp(provenance->confidence, "unverified", strlen("unverified")) != 0;
}

const struct list_price *catalogue_price(const struct catalogue *catalogue, int gpu) {
    const struct gpu_model *model = &catalogue->gpus[gpu];
    for (size_t i = 0; i < model->price_count; i++) {
        const struct list_price *price = &model->prices[i];
        if (strcmp(price->kind, "on-demand") == 0 && provenance_verified(&price->provenance)) {
            return price;
        }
    }
    return NULL;
}

const struct model_profile *catalogue_find_model(const struct catalogue *catalogue,
                                                 const char *name) {
    for (size_t i = 0; i < catalogue->model_count; i++) {
        if (strcasecmp(catalogue->models[i].name, name) == 0) {
            return &catalogue->models[i];
        }
    }
    return NULL;
}
