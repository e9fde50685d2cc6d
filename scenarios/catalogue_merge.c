#include "scenarios/catalogue_merge.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "models/mig.h"
#include "scenarios/suggest.h"

enum { MIB = 1 << 20 };

/* What the figures of an entry are trusted as. */
static const char confidence[] = "given";

/* One that has room for as many more. */
static struct catalogue *copy_with_room(struct arena *arena, const struct catalogue *base,
                                        const struct catalogue_entries *entries) {
    struct catalogue *copy = arena_allocate(arena, 1, sizeof(*copy));
    *copy = *base;
    copy->storage = NULL;
    copy->gpus = arena_allocate(arena, base->gpu_count + entries->gpu_count, sizeof(*copy->gpus));
    copy->models =
        arena_allocate(arena, base->model_count + entries->model_count, sizeof(*copy->models));
    memcpy(copy->gpus, base->gpus, base->gpu_count * sizeof(*copy->gpus));
    memcpy(copy->models, base->models, base->model_count * sizeof(*copy->models));
    return copy;
}

/* "7g.80gb", perhaps with a suffix. */
static bool is_profile_name(const char *name) {
    static const char digits[] = "0123456789";
    size_t slices = strspn(name, digits);
    if (slices == 0 || strncmp(name + slices, "g.", 2) != 0) {
        return false;
    }
    const char *rest = name + slices + 2;
    size_t gigabytes = strspn(rest, digits);
    return gigabytes > 0 && strncmp(rest + gigabytes, "gb", 2) == 0 &&
           strspn(rest + gigabytes + 2, "abcdefghijklmnopqrstuvwxyz.+-") ==
               strlen(rest + gigabytes + 2);
}

/* Whether all is well with one profile, alone and beside those before it. */
static void check_profile(struct reading *reading, const struct gpu_model *gpu,
                          const struct mig_entry *mig, size_t index) {
    const struct profile_entry *profile = &mig->profiles[index];
    if (!is_profile_name(profile->name)) {
        reading_report(reading, profile->place,
                       "a MIG profile has a name such as 3g.40gb or 1g.10gb+me");
    }
    if (profile->slices > mig->compute_slices) {
        reading_report(reading, profile->place, "%s has %d slices, but the GPU only %d",
                       profile->name, (int)profile->slices, (int)mig->compute_slices);
    }
    for (size_t i = 0; i < profile->start_count; i++) {
        if (profile->starts[i] + profile->units > mig->memory_units) {
            reading_report(reading, profile->place,
                           "%s would end beyond the GPU's %d memory units if it began at %d",
                           profile->name, (int)mig->memory_units, (int)profile->starts[i]);
        }
    }
    if (profile->sms > gpu->sms && gpu->sms > 0) {
        reading_report(reading, profile->place, "%s has %d SMs, but the GPU only %d", profile->name,
                       (int)profile->sms, gpu->sms);
    }
    if (profile->memory / MIB > gpu->memory_mib && gpu->memory_mib > 0) {
        reading_report(reading, profile->place, "%s has more memory than the GPU", profile->name);
    }
    for (size_t i = 0; i < index; i++) {
        if (mig->profiles[i].id == profile->id) {
            reading_report(reading, profile->place, "%s has the id %d, as has %s", profile->name,
                           (int)profile->id, mig->profiles[i].name);
        }
    }
}

static struct mig_profile make_profile(const struct profile_entry *entry, struct provenance from) {
    struct mig_profile profile = {
        .name = entry->name,
        .id = entry->id,
        .compute_slices = entry->slices,
        .memory_units = entry->units,
        .memory_mib = entry->memory / MIB,
        .sms = entry->sms,
        .copy_engines = -1,
        .decoders = -1,
        .jpeg_engines = -1,
        .optical_flow_engines = -1,
        .max_instances = entry->max_instances,
        .geometry = from,
        .size = entry->memory > 0 || entry->sms > 0 ? from : (struct provenance){"", ""},
    };
    for (size_t i = 0; i < entry->start_count; i++) {
        profile.starts |= UINT32_C(1) << entry->starts[i];
    }
    return profile;
}

/* A profile whose entry has a mistake in it lacks figures and is left out. */
static bool is_whole(const struct mig_entry *mig, const struct profile_entry *entry) {
    return mig->compute_slices > 0 && mig->memory_units > 0 && entry->name != NULL &&
           entry->slices > 0 && entry->units > 0 && entry->max_instances > 0 &&
           entry->start_count > 0;
}

static void set_mig(struct reading *reading, struct gpu_model *gpu, const struct mig_entry *mig,
                    struct provenance from) {
    struct mig_profile *profiles =
        arena_allocate(&reading->scenario->arena, mig->profile_count, sizeof(profiles[0]));
    gpu->compute_slices = mig->compute_slices;
    gpu->memory_units = mig->memory_units;
    gpu->mig_mode_needs_reset = mig->mode_needs_reset;
    gpu->profiles = profiles;
    gpu->profile_count = 0;
    for (size_t i = 0; i < mig->profile_count; i++) {
        if (is_whole(mig, &mig->profiles[i])) {
            check_profile(reading, gpu, mig, i);
            profiles[gpu->profile_count++] = make_profile(&mig->profiles[i], from);
        }
    }
}

/* The figures of a layout's instances may not add up to more than the GPU has. */
static void check_layouts(struct reading *reading, const struct gpu_model *gpu,
                          struct place place) {
    struct mig_layouts *layouts = mig_layouts_create(gpu, MIG_ALL);
    for (size_t i = 0; i < layouts->multiset_count; i++) {
        const struct mig_layout *layout = &layouts->multisets[i];
        int64_t memory_mib = 0;
        int sms = 0;
        for (size_t k = 0; k < layout->count; k++) {
            memory_mib += gpu->profiles[layout->profiles[k]].memory_mib;
            sms += gpu->profiles[layout->profiles[k]].sms;
        }
        if ((gpu->sms > 0 && sms > gpu->sms) || memory_mib > gpu->memory_mib) {
            char text[256];
            mig_layout_text(gpu, layout->profiles, layout->count, MIG_SHORT, text, sizeof(text));
            reading_report(reading, place,
                           "the profiles of %s contradict the GPU: %s would fit on it, but has %d "
                           "of %d SMs and %lld of %lld MiB",
                           gpu->name, text, sms, gpu->sms, (long long)memory_mib,
                           (long long)gpu->memory_mib);
            break;
        }
    }
    mig_layouts_destroy(layouts);
}

static void set_price(struct reading *reading, struct gpu_model *gpu,
                      const struct list_price_entry *entry, struct provenance from) {
    struct list_price *price = arena_allocate(&reading->scenario->arena, 1, sizeof(*price));
    *price = (struct list_price){.usd_per_gpu_hour = entry->usd_per_gpu_hour,
                                 .provider = entry->provider,
                                 .sku = entry->product,
                                 .kind = "on-demand",
                                 .date = entry->date,
                                 .provenance = from};
    gpu->prices = price;
    gpu->price_count = 1;
}

static void set_power(struct gpu_model *gpu, const struct power_entry *power,
                      struct provenance from) {
    gpu->idle_watts = power->has_idle ? power->idle_watts : gpu->idle_watts;
    gpu->limit_watts = power->has_limit ? power->limit_watts : gpu->limit_watts;
    gpu->power = from;
}

/* The figures that are given. */
static void set_gpu(struct reading *reading, struct gpu_model *gpu, const struct gpu_entry *entry) {
    struct provenance from = {entry->source, confidence};
    size_t problems = reading->errors->count;
    if (entry->has_memory) {
        gpu->memory_mib = entry->memory / MIB;
        gpu->memory = from;
    }
    if (entry->sms > 0) {
        gpu->sms = entry->sms;
        gpu->sms_provenance = from;
    }
    if (entry->power.has_idle || entry->power.has_limit) {
        set_power(gpu, &entry->power, from);
    }
    if (gpu->idle_watts > gpu->limit_watts) {
        reading_report(reading, entry->place, "%s would draw more power idle than at most",
                       gpu->name);
    }
    if (entry->price.given) {
        set_price(reading, gpu, &entry->price, from);
    }
    if (entry->mig.given) {
        set_mig(reading, gpu, &entry->mig, from);
    }
    if (gpu->profile_count > 0 && reading->errors->count == problems) {
        check_layouts(reading, gpu, entry->place);
    }
}

static struct gpu_model *find_gpu(const struct catalogue *catalogue, const char *name) {
    for (size_t i = 0; i < catalogue->gpu_count; i++) {
        if (strcasecmp(catalogue->gpus[i].name, name) == 0) {
            return &catalogue->gpus[i];
        }
    }
    return NULL;
}

/* A new GPU without memory is perhaps a short form or a slip. */
static void report_no_memory(struct reading *reading, const struct catalogue *base,
                             const struct gpu_entry *entry) {
    int candidate = 0;
    size_t count = 0;
    int row = catalogue_find_gpu(base, entry->name, &candidate, 1, &count);
    const char *meant = row >= 0    ? base->gpus[row].name
                        : count > 0 ? base->gpus[candidate].name
                                    : NULL;
    reading_report(reading, entry->place, "%s is a new GPU and needs its memory%s%s%s", entry->name,
                   meant != NULL ? "; to change one of the catalogue, write its full name, such as "
                                 : "",
                   meant != NULL ? meant : "", "");
}

static void merge_gpu(struct reading *reading, struct catalogue *merged,
                      const struct catalogue *base, const struct gpu_entry *entry) {
    struct gpu_model *gpu = find_gpu(merged, entry->name);
    if (gpu == NULL) {
        gpu = &merged->gpus[merged->gpu_count++];
        *gpu = (struct gpu_model){.name = entry->name,
                                  .memory = {"", ""},
                                  .sms_provenance = {"", ""},
                                  .idle_watts = (double)NAN,
                                  .limit_watts = (double)NAN,
                                  .power = {"", ""}};
        if (!entry->has_memory) {
            report_no_memory(reading, base, entry);
        }
    }
    set_gpu(reading, gpu, entry);
}

/* The name as the tables of speeds spell it; NULL after reporting that they do not have it. */
static const char *find_measured(struct reading *reading, const struct catalogue *catalogue,
                                 const struct model_entry *entry) {
    struct suggestion suggestion = suggestion_start(entry->measured_as);
    for (size_t i = 0; i < catalogue->speed_count; i++) {
        if (strcasecmp(catalogue->speeds[i].model, entry->measured_as) == 0) {
            return catalogue->speeds[i].model;
        }
        suggestion_consider(&suggestion, catalogue->speeds[i].model);
    }
    bool close = suggestion.best != NULL;
    reading_report(
        reading, entry->measured_as_place,
        "no speeds were measured of \"%s\"%s%s%s (`headroom catalog models` lists whose)",
        entry->measured_as, close ? "; did you mean \"" : "", close ? suggestion.best : "",
        close ? "\"?" : "");
    return NULL;
}

static void merge_model(struct reading *reading, struct catalogue *merged,
                        const struct model_entry *entry) {
    const struct model_profile *known = catalogue_find_model(merged, entry->name);
    size_t row = known != NULL ? (size_t)(known - merged->models) : merged->model_count++;
    struct model_profile *model = &merged->models[row];
    if (known == NULL) {
        *model = (struct model_profile){.name = entry->name, .measured_as = ""};
        if (!entry->has_memory) {
            reading_report(reading, entry->place, "%s is a new model and needs its memory",
                           entry->name);
        }
    }
    if (entry->has_memory) {
        model->memory_bytes = entry->memory;
        model->provenance = (struct provenance){entry->source, confidence};
    }
    if (entry->measured_as != NULL) {
        const char *measured_as = find_measured(reading, merged, entry);
        model->measured_as = measured_as != NULL ? measured_as : "";
    }
    if (model->provenance.source == NULL) {
        model->provenance = (struct provenance){"", ""};
    }
}

/* Names are compared in any case, so the tree does not see it. */
static bool is_repeated(struct reading *reading, const struct catalogue_entries *entries,
                        size_t index) {
    for (size_t i = 0; i < index; i++) {
        const char *name = entries->gpus[i].name;
        if (name != NULL && strcasecmp(name, entries->gpus[index].name) == 0) {
            reading_report(reading, entries->gpus[index].place, "%s is the same name as %s",
                           entries->gpus[index].name, name);
            return true;
        }
    }
    return false;
}

const struct catalogue *catalogue_merge(struct reading *reading, const struct catalogue *base,
                                        const struct catalogue_entries *entries) {
    struct catalogue *merged = copy_with_room(&reading->scenario->arena, base, entries);
    for (size_t i = 0; i < entries->gpu_count; i++) {
        if (entries->gpus[i].name != NULL && !is_repeated(reading, entries, i)) {
            merge_gpu(reading, merged, base, &entries->gpus[i]);
        }
    }
    for (size_t i = 0; i < entries->model_count; i++) {
        if (entries->models[i].name != NULL) {
            merge_model(reading, merged, &entries->models[i]);
        }
    }
    return merged;
}
