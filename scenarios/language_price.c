/* price: {per_gpu_hour: 2.05}, or a mix: [{share: 60%, commitment: 1y, per_gpu_hour: 1.4}, ...]. */
#include "scenarios/language_price.h"

#include <stdio.h>
#include <string.h>

#include "scenarios/scenario.h"
#include "scenarios/schema_engine.h"

static const double ROUNDING = 1e-9; /* of shares that add up to all */

const char *const price_keys[] = {"per_gpu_hour", "per_gpu_month", "per_node_hour",
                                  "per_node_month", NULL};

static const struct field part_fields[] = {
    {.name = "share",
     .summary =
         "of a mix: the share of the pool's GPUs with this price; the last one without takes "
         "the rest",
     .type = &field_share,
     FIELD_AT(struct price_part, share),
     FIELD_PRESENCE(struct price_part, has_share),
     FIELD_ABOVE_TO(0, 1)},
    {.name = "per_gpu_hour",
     .summary = "price of one GPU for one hour",
     .type = &field_number,
     FIELD_AT(struct price_part, per_gpu_hour),
     FIELD_RANGE(0, 1e9)},
    {.name = "per_gpu_month",
     .summary = "price of one GPU for one month, of 730 hours",
     .type = &field_number,
     FIELD_AT(struct price_part, per_gpu_hour),
     FIELD_RANGE(0, 1e9),
     .divisor = 730},
    {.name = "per_node_hour",
     .summary = "price of one node for one hour, with all its GPUs",
     .type = &field_number,
     FIELD_AT(struct price_part, per_node_hour),
     FIELD_RANGE(0, 1e9)},
    {.name = "per_node_month",
     .summary = "price of one node for one month, of 730 hours",
     .type = &field_number,
     FIELD_AT(struct price_part, per_node_hour),
     FIELD_RANGE(0, 1e9),
     .divisor = 730},
    {.name = "commitment",
     .summary = "what was agreed on for this price, such as 1y; a label",
     .type = &field_name,
     FIELD_AT(struct price_part, commitment)},
    {.name = "spot",
     .summary = "that it is a price of spot capacity; a label: the pool's `spot` says when it goes",
     .type = &field_boolean,
     FIELD_AT(struct price_part, spot),
     .preset = "false"},
    {.name = "currency",
     .summary = "what the price is in, USD if left out; one for all pools",
     .type = &field_name,
     FIELD_AT(struct price_part, currency)},
    {.name = NULL},
};

static const struct field single = {.type = &field_object, .fields = part_fields};
static const struct field part_item = {
    .type = &field_object, FIELD_PLACE(struct price_part, place), .fields = part_fields};
static const struct field mix = {.type = &field_list,
                                 FIELD_AT(struct price_spec, parts),
                                 FIELD_COUNT(struct price_spec, part_count),
                                 .item = &part_item,
                                 .item_size = sizeof(struct price_part)};

static size_t count_prices(const struct node *part) {
    size_t count = 0;
    for (size_t i = 0; price_keys[i] != NULL; i++) {
        count += node_entry(part, price_keys[i]) != NULL;
    }
    return count;
}

/* Each part has one price; shares add up to all, the last part taking what is left. */
static bool check_mix(struct reading *reading, const struct node *node, struct price_spec *price) {
    double sum = 0;
    for (size_t i = 0; i < price->part_count; i++) {
        const struct price_part *part = &price->parts[i];
        if (count_prices(node->entries[i].value) != 1) {
            return reading_refuse(reading, part->place,
                                  "needs one of per_gpu_hour, per_gpu_month, per_node_hour and "
                                  "per_node_month in each part");
        }
        if (!part->has_share && i + 1 < price->part_count) {
            return reading_refuse(reading, part->place,
                                  "needs a share in each part but the last, which takes the rest");
        }
        sum += part->share;
    }
    struct price_part *last = &price->parts[price->part_count - 1];
    if (sum > 1 + ROUNDING || (!last->has_share && sum > 1 - ROUNDING)) {
        return reading_refuse(reading, last->place,
                              last->has_share ? "has shares that add up to %.6g %%, more than all"
                                              : "has shares of %.6g %% before the last part, which "
                                                "leaves nothing for it",
                              sum * 100);
    }
    if (last->has_share && sum < 1 - ROUNDING) {
        return reading_refuse(reading, last->place,
                              "has shares that add up to %.6g %% only: leave out the last one's to "
                              "let it take the rest",
                              sum * 100);
    }
    last->share = last->has_share ? last->share : 1 - sum;
    return true;
}

static bool check_currency(struct reading *reading, struct price_spec *price) {
    for (size_t i = 0; i < price->part_count; i++) {
        const char *currency = price->parts[i].currency;
        if (currency != NULL && price->currency != NULL && strcmp(currency, price->currency) != 0) {
            return reading_refuse(reading, price->parts[i].place,
                                  "is in %s and in %s: its parts are added up, so they need one "
                                  "currency",
                                  price->currency, currency);
        }
        price->currency = currency != NULL ? currency : price->currency;
    }
    price->currency = price->currency != NULL ? price->currency : "USD";
    return true;
}

static void add_up(struct price_spec *price, int32_t gpus_per_node) {
    price->per_gpu_hour = 0;
    for (size_t i = 0; i < price->part_count; i++) {
        const struct price_part *part = &price->parts[i];
        double per_gpu = part->per_gpu_hour;
        if (gpus_per_node > 0) { /* else that is what is wrong */
            per_gpu += part->per_node_hour / gpus_per_node;
        }
        price->per_gpu_hour += part->share * per_gpu;
    }
}

static bool read_single(struct reading *reading, struct node *node, struct price_spec *price) {
    price->parts = arena_allocate(&reading->scenario->arena, 1, sizeof *price->parts);
    price->part_count = 1;
    if (!field_object.read(reading, &single, node, price->parts)) {
        return false;
    }
    if (price->parts->has_share) {
        return reading_refuse(
            reading, node->place,
            "has a share, which is for a list of prices: [{share: 60%%, ...}, ...]");
    }
    price->parts->share = 1;
    return true;
}

static void price_preset(struct reading *reading, const struct field *field, void *target) {
    (void)reading;
    (void)field;
    ((struct price_spec *)target)->currency = "USD";
}

static bool price_read(struct reading *reading, const struct field *field, struct node *node,
                       void *target) {
    struct price_spec *price = target;
    const struct pool_spec *pool =
        (const struct pool_spec *)((char *)target - offsetof(struct pool_spec, price));
    bool list = node->kind == NODE_LIST;
    (void)field;
    bool sound = list ? field_list.read(reading, &mix, node, &price->parts) &&
                            check_mix(reading, node, price)
                      : read_single(reading, node, price);
    if (!sound || !check_currency(reading, price)) {
        price_preset(reading, field, price);
        return false;
    }
    add_up(price, pool->gpus_per_node);
    return true;
}

static void price_describe(const struct reader_context *context, const struct field *field,
                           json_t *schema) {
    (void)field;
    json_t *object = json_object();
    json_t *list = json_object();
    field_object.describe(context, &single, object);
    field_list.describe(context, &mix, list);
    json_object_set_new(schema, "anyOf", json_pack("[o, o]", object, list));
}

const struct field_type language_price_type = {.size = sizeof(struct price_spec),
                                               .read = price_read,
                                               .preset = price_preset,
                                               .describe = price_describe};

const struct field language_power_fields[] = {
    {.name = "price_per_kwh",
     .summary = "price of a kilowatt-hour, in the currency of the pools",
     .type = &field_number,
     FIELD_AT(struct power_spec, price_per_kwh),
     FIELD_RANGE(0, 1e6),
     .required = true},
    {.name = "pue",
     .summary = "power usage effectiveness: what the building draws over what the GPUs do",
     .type = &field_number,
     FIELD_AT(struct power_spec, pue),
     FIELD_RANGE(1, 100),
     .preset = "1"},
    {.name = NULL},
};
