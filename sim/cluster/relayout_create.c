/* From what a scenario says of calendars to their plans, and the GPUs as they are at the start. */
#include <assert.h>
#include <stdlib.h>

#include "models/mig.h"
#include "sim/cluster/pool.h"
#include "sim/cluster/relayout.h"
#include "sim/cluster/slots.h"
#include "sim/kernel/memory.h"

static void add_to_plan(const struct slots *slots, struct cut_plan *plan, int start, int32_t kind) {
    plan->kind_at[start] = kind;
    plan->units += slots->kinds[kind].units;
}

/* Where the instances of a way lie is what mig_place says, as for layouts that stay. */
static struct cut_plan make_plan(const struct slots *slots, const struct gpu_model *gpu,
                                 struct layout_way way) {
    struct cut_plan plan = {.whole = way.whole};
    for (int unit = 0; unit < CUT_UNITS_LIMIT; unit++) {
        plan.kind_at[unit] = -1;
    }
    if (way.whole) {
        const struct chosen exclusive = {.index = SHARING_EXCLUSIVE};
        add_to_plan(slots, &plan, 0, slots_find_kind(slots, -1, &exclusive));
        return plan;
    }
    int profiles[MIG_INSTANCES_LIMIT] = {0};
    int32_t kinds[MIG_INSTANCES_LIMIT];
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
    size_t count = 0;
    for (size_t i = 0; i < way.count; i++) {
        const struct layout_item *item = &way.items[i];
        for (int32_t k = 0; k < item->count; k++) {
            assert(count < MIG_INSTANCES_LIMIT); /* else the scenario was refused */
            kinds[count] = slots_find_kind(slots, item->profile_row, &item->sharing);
            profiles[count++] = item->profile_row;
        }
    }
    struct error error;
    bool fits = mig_place(gpu, profiles, count, instances, &error);
    assert(fits);
    for (size_t i = 0; fits && i < count; i++) {
        add_to_plan(slots, &plan, instances[i].start, kinds[i]);
    }
    return plan;
}

static struct relayout_program *program_for(struct relayout *relayout,
                                            const struct sharing_spec *spec) {
    for (size_t i = 0; i < relayout->program_count; i++) {
        if (relayout->programs[i].spec == spec) {
            return &relayout->programs[i];
        }
    }
    struct relayout_program *program = &relayout->programs[relayout->program_count++];
    size_t ways = sharing_way_count(spec);
    *program = (struct relayout_program){
        .owner = relayout,
        .spec = spec,
        .plans = memory_zero(ways, sizeof *program->plans),
        .spans = memory_zero(spec->calendar_count, sizeof *program->spans)};
    for (size_t k = 0; k < ways; k++) {
        program->plans[k] = make_plan(relayout->slots, relayout->catalogued, sharing_way(spec, k));
    }
    for (size_t i = 0; i < spec->calendar_count; i++) {
        program->spans[i] = spec->calendar[i].span;
    }
    program->calendar = (struct weekly_calendar){program->spans, spec->calendar_count, 0};
    return program;
}

struct relayout *relayout_create(struct pool *pool, struct slots *slots,
                                 const struct gpu_model *gpu,
                                 const struct sharing_spec *const *of_gpu) {
    struct relayout *relayout = memory_zero(1, sizeof *relayout);
    size_t per_node = (size_t)slots->gpus_per_node;
    *relayout = (struct relayout){.pool = pool, .slots = slots, .catalogued = gpu};
    relayout->programs = memory_zero(per_node, sizeof *relayout->programs);
    relayout->gpus = memory_zero((size_t)slots->node_count * per_node, sizeof *relayout->gpus);
    for (size_t i = 0; i < (size_t)slots->node_count * per_node; i++) {
        const struct sharing_spec *spec = of_gpu[i % per_node];
        struct relayout_gpu *own = &relayout->gpus[i];
        own->node = (int32_t)(i / per_node);
        own->gpu = (int32_t)(i % per_node);
        if (spec != NULL) {
            own->program = program_for(relayout, spec);
            own->program->gpus |= UINT64_C(1) << own->gpu;
        }
    }
    return relayout;
}

void relayout_destroy(struct relayout *relayout) {
    if (relayout == NULL) {
        return;
    }
    for (size_t i = 0; i < relayout->program_count; i++) {
        free(relayout->programs[i].plans);
        free(relayout->programs[i].spans);
    }
    free(relayout->programs);
    free(relayout->gpus);
    free(relayout);
}
