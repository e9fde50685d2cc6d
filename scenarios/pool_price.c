#include "scenarios/pool_price.h"

#include <math.h>

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
