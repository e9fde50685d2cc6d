#include "sim/cluster/request_mix.h"

#include <math.h>
#include <stdbool.h>

static bool is_same(const struct request_class *class, int32_t gpus, const struct slot_ask *slot) {
    const struct slot_ask *known = &class->slot;
    return class->gpus == gpus && known->memory == slot->memory &&
           known->compute == slot->compute && known->kinds == slot->kinds &&
           known->party == slot->party && known->exclusive_party == slot->exclusive_party &&
           known->host.cpus == slot->host.cpus && known->host.memory == slot->host.memory;
}

/* In parts of a GPU, where they ask for the same things: any other difference is more than a GPU.
 */
static double difference(const struct request_mix *mix, const struct request_class *class,
                         int32_t gpus, const struct slot_ask *slot) {
    const struct slot_ask *known = &class->slot;
    double memory = (double)(known->memory - slot->memory) / (double)mix->gpu_memory;
    double compute = (double)(known->compute - slot->compute) * 1e-9;
    int others = (known->kinds != slot->kinds) + (known->party != slot->party) +
                 (known->exclusive_party != slot->exclusive_party) +
                 (known->host.cpus != slot->host.cpus) + (known->host.memory != slot->host.memory);
    return fabs(memory) + fabs(compute) + 2 * others + 16 * (class->gpus != gpus);
}

void request_mix_note(struct request_mix *mix, int32_t gpus, const struct slot_ask *asked) {
    const struct slot_ask host_alone = {.host = asked->host};
    const struct slot_ask *slot = gpus > 0 ? &host_alone : asked;
    size_t like = 0;
    while (like < mix->class_count && !is_same(&mix->classes[like], gpus, slot)) {
        like++;
    }
    if (like == REQUEST_CLASSES_LIMIT) {
        like = 0;
        for (size_t i = 1; i < mix->class_count; i++) {
            bool closer = difference(mix, &mix->classes[i], gpus, slot) <
                          difference(mix, &mix->classes[like], gpus, slot);
            like = closer ? i : like;
        }
    } else if (like == mix->class_count) {
        mix->classes[mix->class_count++] = (struct request_class){.gpus = gpus, .slot = *slot};
    }
    mix->classes[like].count++;
    mix->total++;
}
