#include "scenarios/pool_price.h"

#include <math.h>
#include <stdio.h>

struct pool_price pool_price(const struct pool_spec *pool, const struct catalogue *catalogue) {
    if (pool->price.given) {
        return (struct pool_price){pool->price.per_gpu_hour, pool->price.currency, NULL};
    }
    const struct list_price *list = catalogue_price(catalogue, pool->gpu);
    if (list == NULL) {
        return (struct pool_price){(double)NAN, NULL, NULL};
    }
    return (struct pool_price){list->usd_per_gpu_hour, "USD", list};
}

static const char *label_of(const struct price_part *part) {
    return part->commitment != NULL ? part->commitment : part->spot ? "spot" : "";
}

const char *pool_price_mix(const struct pool_spec *pool, char text[PRICE_MIX_TEXT]) {
    const struct price_spec *price = &pool->price;
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; price->part_count > 1 && i < price->part_count && used < PRICE_MIX_TEXT;
         i++) {
        const struct price_part *part = &price->parts[i];
        const char *label = label_of(part);
        double per_gpu_hour = part->per_gpu_hour + part->per_node_hour / pool->gpus_per_node;
        used += (size_t)snprintf(text + used, PRICE_MIX_TEXT - used,
                                 "%s%.4g %% at %.4g per GPU-hour%s%s%s", i > 0 ? ", " : "",
                                 part->share * 100, per_gpu_hour, label[0] != '\0' ? " (" : "",
                                 label, label[0] != '\0' ? ")" : "");
    }
    return text;
}
