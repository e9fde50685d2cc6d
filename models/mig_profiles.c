/* The profiles of a GPU: sizes, variants, engines, and how layouts of them are written. */
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "models/mig_internal.h"

/* Variants have the size of another profile and a suffix: 1g.10gb+me, 1g.24gb-me. */
static bool is_engine_variant(const struct mig_profile *profile) {
    return strpbrk(profile->name, "+-") != NULL;
}

/* Another profile has as many slices with less memory. */
static bool is_memory_variant(const struct gpu_model *gpu, const struct mig_profile *profile) {
    for (size_t i = 0; i < gpu->profile_count; i++) {
        const struct mig_profile *other = &gpu->profiles[i];
        if (other->compute_slices == profile->compute_slices &&
            other->memory_units < profile->memory_units) {
            return true;
        }
    }
    return false;
}

bool mig_selected(const struct gpu_model *gpu, int profile, enum mig_selection selection) {
    const struct mig_profile *row = &gpu->profiles[profile];
    return selection == MIG_ALL ||
           (!is_engine_variant(row) && (selection == MIG_SIZES || !is_memory_variant(gpu, row)));
}

const struct mig_profile *mig_whole_gpu(const struct gpu_model *gpu) {
    for (size_t i = 0; i < gpu->profile_count; i++) {
        const struct mig_profile *profile = &gpu->profiles[i];
        if (profile->compute_slices == gpu->compute_slices &&
            profile->memory_units == gpu->memory_units) {
            return profile;
        }
    }
    return NULL;
}

static int known_engines(const struct mig_profile *profile, enum mig_engine engine) {
    return engine == MIG_JPEG ? profile->jpeg_engines : profile->optical_flow_engines;
}

int mig_engines_of(const struct mig_profile *profile, enum mig_engine engine) {
    int known = known_engines(profile, engine);
    return known < 0 ? 0 : known;
}

int mig_engines_there(const struct gpu_model *gpu, enum mig_engine engine) {
    const struct mig_profile *whole = mig_whole_gpu(gpu);
    return whole == NULL ? -1 : known_engines(whole, engine);
}

int mig_compare_profiles(const struct gpu_model *gpu, int a, int b) {
    const struct mig_profile *left = &gpu->profiles[a];
    const struct mig_profile *right = &gpu->profiles[b];
    int slices = right->compute_slices - left->compute_slices;
    int units = right->memory_units - left->memory_units;
    return slices != 0 ? slices : units != 0 ? units : a - b;
}

void mig_sort_profiles(const struct gpu_model *gpu, int *profiles, size_t count) {
    for (size_t i = 1; i < count; i++) {
        int profile = profiles[i];
        size_t place = i;
        while (place > 0 && mig_compare_profiles(gpu, profile, profiles[place - 1]) < 0) {
            profiles[place] = profiles[place - 1];
            place--;
        }
        profiles[place] = profile;
    }
}

struct mig_text mig_text_start(char *buffer, size_t size) {
    buffer[0] = '\0';
    return (struct mig_text){.buffer = buffer, .size = size};
}

void mig_text_add(struct mig_text *text, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(text->buffer + text->used, text->size - text->used, format, arguments);
    va_end(arguments);
    size_t room = text->size - text->used - 1;
    text->used += written < 0 ? 0 : (size_t)written < room ? (size_t)written : room;
}

const char *mig_placements_text(const struct mig_profile *profile, char *buffer, size_t size) {
    struct mig_text text = mig_text_start(buffer, size);
    const char *separator = "";
    mig_text_add(&text, "{");
    for (int unit = 0; unit < (int)(sizeof(profile->starts) * CHAR_BIT); unit++) {
        if ((profile->starts >> unit & 1) != 0) {
            mig_text_add(&text, "%s%d", separator, unit);
            separator = ",";
        }
    }
    mig_text_add(&text, "}:%d", profile->memory_units);
    return buffer;
}

const char *mig_layout_text(const struct gpu_model *gpu, const int *profiles, size_t count,
                            enum mig_style style, char *buffer, size_t size) {
    struct mig_text text = mig_text_start(buffer, size);
    size_t equal = 1;
    for (size_t i = 0; i < count; i += equal) {
        const char *name = gpu->profiles[profiles[i]].name;
        for (equal = 1;
             style == MIG_SHORT && i + equal < count && profiles[i + equal] == profiles[i];
             equal++) {
        }
        mig_text_add(&text, "%s", i == 0 ? "" : style == MIG_LIST ? "," : " + ");
        if (equal > 1) {
            mig_text_add(&text, "%zu x ", equal);
        }
        mig_text_add(&text, "%s", name);
    }
    return buffer;
}
