/* From what a scenario says of a pool to its devices and their kinds. */
#include <assert.h>
#include <stdlib.h>

#include "models/mig.h"
#include "sim/cluster/pool.h"
#include "sim/cluster/relayout.h"
#include "sim/cluster/slots.h"
#include "sim/kernel/memory.h"

static const struct sharing_mode *mode_of(const struct chosen *sharing) {
    return &sharing_modes[sharing->index];
}

static const struct chosen whole_gpu = {.index = SHARING_EXCLUSIVE};

static bool is_exclusive(const struct chosen *sharing) {
    return mode_of(sharing)->engine != NULL && mode_of(sharing)->exclusive;
}

bool slots_needed(const struct pool_spec *spec) {
    bool needed = false;
    for (int32_t gpu = 0; gpu < spec->gpus_per_node; gpu++) {
        needed |= !is_exclusive(pool_sharing_of(spec, gpu));
    }
    return needed;
}

int32_t slots_units_per_gpu(const struct pool_spec *spec, const struct gpu_model *gpu) {
    bool cut = false;
    bool known = gpu->sms > 0;
    for (int32_t i = 0; i < spec->gpus_per_node; i++) {
        const struct chosen *sharing = pool_sharing_of(spec, i);
        const struct sharing_spec *mig = sharing->options;
        if (mode_of(sharing)->engine == NULL) {
            cut = true;
            for (size_t n = 0; n < sharing_way_count(mig); n++) {
                struct layout_way way = sharing_way(mig, n);
                for (size_t k = 0; k < way.count; k++) {
                    known = known && gpu->profiles[way.items[k].profile_row].sms > 0;
                }
            }
            for (size_t k = 0; mig->dynamic && k < gpu->profile_count; k++) {
                known = known && gpu->profiles[k].sms > 0;
            }
        }
    }
    return !cut ? 1 : known ? gpu->sms : gpu->compute_slices;
}

/* What building a node's devices works with. */
struct making {
    struct slots *slots;
    const struct pool_spec *spec;
    const struct gpu_model *gpu;
    int32_t units_per_gpu;
    struct slot_kind *of_device; /* by device of a node; of no mode: none there at first */
    const struct sharing_spec *dynamic[GPUS_PER_NODE_LIMIT]; /* GPUs cut on demand; NULL: others */
    const struct sharing_spec *clocked[GPUS_PER_NODE_LIMIT]; /* those cut by the clock; likewise */
};

static struct slot_kind kind_of_sharing(const struct making *making, const struct chosen *sharing) {
    struct slot_kind kind = {.mode = mode_of(sharing),
                             .spec = sharing->options,
                             .profile = -1,
                             .units = making->units_per_gpu,
                             .sm_share = 1,
                             .memory = making->gpu->memory_mib * 1024 * 1024};
    return kind;
}

static struct slot_kind kind_of_item(const struct making *making, const struct layout_item *item) {
    const struct gpu_model *gpu = making->gpu;
    const struct mig_profile *profile = &gpu->profiles[item->profile_row];
    struct slot_kind kind = kind_of_sharing(making, &item->sharing);
    kind.profile = item->profile_row;
    kind.memory = profile->memory_mib * 1024 * 1024;
    bool by_sms = making->units_per_gpu == gpu->sms;
    kind.units = by_sms ? profile->sms : profile->compute_slices;
    kind.sm_share = profile->sms > 0 && gpu->sms > 0
                        ? (double)profile->sms / gpu->sms
                        : (double)profile->compute_slices / gpu->compute_slices;
    return kind;
}

/* Said twice is the same: kinds are few, and a tenant may take either. */
static bool sharing_equal(const struct sharing_spec *a, const struct sharing_spec *b) {
    if (a == NULL || b == NULL) {
        return a == b;
    }
    return a->clients == b->clients && a->thread_percentage == b->thread_percentage &&
           a->interference == b->interference && a->memory_limit == b->memory_limit &&
           a->oom == b->oom && a->replicas == b->replicas && a->slice == b->slice &&
           a->switch_time == b->switch_time;
}

static bool kind_equal(const struct slot_kind *a, const struct slot_kind *b) {
    return a->mode == b->mode && a->profile == b->profile && sharing_equal(a->spec, b->spec);
}

static int32_t find_kind(const struct slots *slots, const struct slot_kind *kind) {
    size_t i = 0;
    while (i < slots->kind_count && !kind_equal(&slots->kinds[i], kind)) {
        i++;
    }
    return (int32_t)i;
}

static void add_kind(struct slots *slots, struct slot_kind kind) {
    int64_t limit = kind.spec != NULL ? kind.spec->memory_limit : 0;
    kind.most_memory = limit > 0 && limit < kind.memory ? limit : kind.memory;
    kind.most_compute = slots_compute(kind.sm_share);
    size_t place = (size_t)find_kind(slots, &kind);
    if (place == slots->kind_count) {
        assert(slots->kind_count < SLOT_KINDS_LIMIT);
        slots->kinds[slots->kind_count++] = kind;
    }
    slots->kinds[place].by_name |= kind.by_name;
}

static void add_device(struct making *making, struct slot_kind kind) {
    add_kind(making->slots, kind);
    making->of_device[making->slots->devices_per_node++] = kind;
}

/* The instances of its layout in order, and where each begins. Returns how many. */
static size_t lay_out(const struct making *making, const struct sharing_spec *mig,
                      const struct layout_item **items, struct mig_instance *instances) {
    int profiles[MIG_INSTANCES_LIMIT] = {0};
    size_t count = 0;
    for (size_t i = 0; i < mig->layout_count; i++) {
        for (int32_t k = 0; k < mig->layout[i].count; k++) {
            assert(count < MIG_INSTANCES_LIMIT); /* else the scenario was refused */
            items[count] = &mig->layout[i];
            profiles[count++] = mig->layout[i].profile_row;
        }
    }
    struct error error;
    bool fits = mig_place(making->gpu, profiles, count, instances, &error);
    assert(fits);
    return fits ? count : 0;
}

/* The same, each as the device of the unit at which it begins. */
static void place_layout(struct making *making, const struct sharing_spec *mig,
                         struct slot_kind *of_device) {
    const struct layout_item *items[MIG_INSTANCES_LIMIT];
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
    size_t count = lay_out(making, mig, items, instances);
    for (size_t i = 0; i < count; i++) {
        struct slot_kind kind = kind_of_item(making, items[i]);
        add_kind(making->slots, kind);
        of_device[instances[i].start] = kind;
    }
}

/* A device for each instance, in the order of the layout, which holds for good. */
static void add_fixed_gpu(struct making *making, const struct sharing_spec *mig) {
    struct slots *slots = making->slots;
    const struct layout_item *items[MIG_INSTANCES_LIMIT];
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
    size_t count = lay_out(making, mig, items, instances);
    slots->stranded_units += making->units_per_gpu;
    for (size_t i = 0; i < count; i++) {
        struct slot_kind kind = kind_of_item(making, items[i]);
        slots->stranded_units -= kind.units;
        slots->unit_of[slots->devices_per_node] = instances[i].start;
        add_device(making, kind);
    }
}

static void add_unit(struct making *making, int32_t unit) {
    struct slots *slots = making->slots;
    slots->unit_of[slots->devices_per_node] = unit;
    making->of_device[slots->devices_per_node++] = (struct slot_kind){.mode = NULL};
}

/* A device for each unit at which an instance may begin, none there but those of the layout. */
static void add_dynamic_gpu(struct making *making, const struct sharing_spec *mig) {
    struct slots *slots = making->slots;
    const struct gpu_model *gpu = making->gpu;
    struct slot_kind *of_device = &making->of_device[slots->devices_per_node];
    uint32_t starts = 0;
    int32_t unit = 0;
    for (size_t i = 0; i < gpu->profile_count; i++) {
        struct layout_item item = recut_instance(mig, (int)i);
        struct slot_kind kind = kind_of_item(making, &item);
        kind.by_name = !mig_selected(gpu, (int)i, MIG_SIZES);
        add_kind(slots, kind);
        starts |= gpu->profiles[i].starts;
    }
    for (; starts != 0; starts >>= 1) {
        add_unit(making, unit++);
    }
    place_layout(making, mig, of_device);
}

/* The same for one that a calendar cuts, with the kinds of all its layouts. */
static void add_clocked_gpu(struct making *making, int32_t gpu, const struct sharing_spec *mig) {
    struct slots *slots = making->slots;
    struct slot_kind *of_device = &making->of_device[slots->devices_per_node];
    for (size_t n = 0; n < sharing_way_count(mig); n++) {
        struct layout_way way = sharing_way(mig, n);
        for (size_t i = 0; i < way.count; i++) {
            add_kind(slots, kind_of_item(making, &way.items[i]));
        }
        if (way.whole) {
            add_kind(slots, kind_of_sharing(making, &whole_gpu));
            slots->ever_whole_mask |= UINT64_C(1) << gpu;
        }
    }
    for (int32_t unit = 0; unit < making->gpu->memory_units; unit++) {
        add_unit(making, unit);
    }
    place_layout(making, mig, of_device);
    slots->stranded_units += making->units_per_gpu;
    for (int32_t unit = 0; unit < making->gpu->memory_units; unit++) {
        slots->stranded_units -= of_device[unit].units;
    }
}

static void add_gpu(struct making *making, int32_t gpu) {
    struct slots *slots = making->slots;
    const struct chosen *sharing = pool_sharing_of(making->spec, gpu);
    slots->first_of_gpu[gpu] = slots->devices_per_node;
    if (mode_of(sharing)->engine != NULL) {
        slots->whole_mask |= UINT64_C(1) << gpu;
        slots->ever_whole_mask |= UINT64_C(1) << gpu;
        add_device(making, kind_of_sharing(making, sharing));
        return;
    }
    const struct sharing_spec *mig = sharing->options;
    if (mig->dynamic) {
        making->dynamic[gpu] = mig;
        add_dynamic_gpu(making, mig);
        return;
    }
    if (mig->calendar_count > 0) {
        making->clocked[gpu] = mig;
        add_clocked_gpu(making, gpu, mig);
        return;
    }
    add_fixed_gpu(making, mig);
}

static int compare_kinds(const void *left, const void *right) {
    const struct slot_kind *a = left;
    const struct slot_kind *b = right;
    if (a->most_memory != b->most_memory) {
        return a->most_memory < b->most_memory ? -1 : 1;
    }
    if (a->units != b->units) {
        return a->units < b->units ? -1 : 1;
    }
    return (a->profile > b->profile) - (a->profile < b->profile);
}

static void sort_kinds(struct making *making) {
    struct slots *slots = making->slots;
    qsort(slots->kinds, slots->kind_count, sizeof slots->kinds[0], compare_kinds);
    slots->kind_of = memory_zero((size_t)slots->devices_per_node, sizeof *slots->kind_of);
    for (int32_t i = 0; i < slots->devices_per_node; i++) {
        const struct slot_kind *kind = &making->of_device[i];
        slots->kind_of[i] = kind->mode == NULL ? -1 : find_kind(slots, kind);
    }
}

int32_t slots_find_kind(const struct slots *slots, int32_t profile, const struct chosen *sharing) {
    struct slot_kind kind = {
        .mode = mode_of(sharing), .spec = sharing->options, .profile = profile};
    int32_t found = find_kind(slots, &kind);
    assert((size_t)found < slots->kind_count);
    return found;
}

void slots_describe(const struct slots *slots, struct device *device, int32_t index) {
    const struct slot_kind *kind = &slots->kinds[index];
    bool together = kind->spec != NULL && kind->spec->thread_percentage > 0;
    device->engine = kind->mode->engine;
    device->profile = kind->profile;
    device->units = kind->units;
    device->sm_share = kind->sm_share;
    device->memory = kind->memory;
    device->memory_limit = kind->spec != NULL ? kind->spec->memory_limit : 0;
    device->oom = kind->spec != NULL ? kind->spec->oom : OOM_CLIENT;
    device->thread_percentage = together ? kind->spec->thread_percentage : 1;
    device->slots = kind->mode->slots(kind->spec);
}

void slots_shape_device(struct slots *slots, struct device *device, int32_t index) {
    slots->entries[device - slots->devices].kind = index;
    slots->entries[device - slots->devices].made_as = index + 1;
    slots_describe(slots, device, index);
}

static void make_device(const struct making *making, struct pool *pool, struct device_host *host,
                        int32_t node, int32_t gpu, int32_t index) {
    struct slots *slots = making->slots;
    size_t at = (size_t)node * (size_t)slots->devices_per_node + (size_t)index;
    struct device *device = &slots->devices[at];
    device->host = host;
    device->pool = pool;
    device->node = node;
    device->gpu = gpu;
    slots->entries[at].kind = slots->kind_of[index];
    if (slots->entries[at].kind < 0) {
        return;
    }
    const struct slot_kind *kind = &slots->kinds[slots->entries[at].kind];
    slots_shape_device(slots, device, slots->entries[at].kind);
    device_initialize(device, kind->mode->engine, kind->spec);
    if (making->dynamic[gpu] == NULL) {
        slots->free_on_node[node] += device->slots;
        slots->free_on_gpu[node * slots->gpus_per_node + gpu] += device->slots;
    }
}

static void make_devices(const struct making *making, struct pool *pool, struct device_host *host) {
    struct slots *slots = making->slots;
    size_t nodes = (size_t)slots->node_count;
    size_t devices = nodes * (size_t)slots->devices_per_node;
    slots->devices = memory_zero(devices, sizeof *slots->devices);
    slots->entries = memory_zero(devices, sizeof *slots->entries);
    slots->free_on_node = memory_zero(nodes, sizeof *slots->free_on_node);
    slots->free_on_gpu =
        memory_zero(nodes * (size_t)slots->gpus_per_node, sizeof *slots->free_on_gpu);
    for (int32_t node = 0; node < slots->node_count; node++) {
        for (int32_t gpu = 0; gpu < slots->gpus_per_node; gpu++) {
            for (int32_t i = slots->first_of_gpu[gpu]; i < slots->first_of_gpu[gpu + 1]; i++) {
                make_device(making, pool, host, node, gpu, i);
            }
        }
    }
    if (slots->recut != NULL) {
        recut_open(slots);
    }
    for (size_t i = 0; i < devices; i++) {
        slots_refresh(slots, &slots->devices[i]);
    }
}

static bool any_of(const struct sharing_spec *const *of_gpu, int32_t gpus_per_node) {
    bool any = false;
    for (int32_t i = 0; i < gpus_per_node; i++) {
        any |= of_gpu[i] != NULL;
    }
    return any;
}

static size_t most_devices(const struct pool_spec *spec) {
    return (size_t)spec->gpus_per_node * CUT_UNITS_LIMIT;
}

struct slots *slots_create(const struct pool_spec *spec, const struct gpu_model *gpu,
                           struct pool *pool, struct device_host *host, int32_t parties,
                           slot_rank *rank) {
    struct slots *slots = memory_zero(1, sizeof *slots);
    slots->node_count = pool_node_count(spec);
    slots->gpus_per_node = spec->gpus_per_node;
    slots->rank = rank;
    slots->index = &pool->index;
    slots->groups = SLOTS_GROUPS_FOR_ALL + parties;
    slots->first_of_gpu = memory_zero((size_t)spec->gpus_per_node + 1, sizeof *slots->first_of_gpu);
    slots->unit_of = memory_zero(most_devices(spec), sizeof *slots->unit_of);
    struct making making = {.slots = slots,
                            .spec = spec,
                            .gpu = gpu,
                            .units_per_gpu = slots_units_per_gpu(spec, gpu),
                            .of_device = memory_zero(most_devices(spec), sizeof(struct slot_kind))};
    for (int32_t i = 0; i < spec->gpus_per_node; i++) {
        add_gpu(&making, i);
    }
    slots->first_of_gpu[spec->gpus_per_node] = slots->devices_per_node;
    sort_kinds(&making);
    slots->trees = memory_zero(slots->kind_count * (size_t)slots->groups, sizeof *slots->trees);
    if (any_of(making.dynamic, spec->gpus_per_node)) {
        slots->recut = recut_create(slots, gpu, making.dynamic, making.units_per_gpu);
        slots->stranded_units += recut_stranded_units(slots);
    }
    make_devices(&making, pool, host);
    if (any_of(making.clocked, spec->gpus_per_node)) {
        slots->relayout = relayout_create(pool, slots, gpu, making.clocked);
    }
    free(making.of_device);
    return slots;
}

void slots_destroy(struct slots *slots) {
    if (slots == NULL) {
        return;
    }
    slot_states_destroy(slots->states);
    recut_destroy(slots->recut);
    relayout_destroy(slots->relayout);
    size_t devices = (size_t)slots->node_count * (size_t)slots->devices_per_node;
    for (size_t i = 0; i < devices; i++) {
        device_terminate(&slots->devices[i]);
    }
    free(slots->devices);
    free(slots->entries);
    free(slots->free_on_node);
    free(slots->free_on_gpu);
    free(slots->first_of_gpu);
    free(slots->unit_of);
    free(slots->kind_of);
    free(slots->trees);
    free(slots);
}
