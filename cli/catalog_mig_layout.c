/* headroom catalog mig --layout: one layout, where it lies and what it leaves. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/catalog_mig.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "reports/json.h"
#include "reports/number.h"
#include "sim/kernel/memory.h"

/* What is placed. */
struct layout {
    const struct gpu_model *gpu;
    int *profiles; /* in the order given */
    size_t count;
    size_t capacity;
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
};

/* Names or ids with commas between them, and spaces around them as one likes. */
static bool parse_list(struct layout *layout, const char *list, struct error *error) {
    for (const char *item = list; item != NULL;) {
        const char *comma = strchr(item, ',');
        size_t length = comma != NULL ? (size_t)(comma - item) : strlen(item);
        size_t blanks = strspn(item, " ");
        const char *from = item + (blanks < length ? blanks : length);
        length -= (size_t)(from - item);
        while (length > 0 && from[length - 1] == ' ') {
            length--;
        }
        char *name = memory_duplicate(from, length + 1);
        name[length] = '\0';
        int profile = mig_find_profile(layout->gpu, name, error);
        free(name);
        if (profile < 0) {
            return false;
        }
        layout->profiles = memory_grow(layout->profiles, &layout->capacity, layout->count + 1,
                                       sizeof(layout->profiles[0]));
        layout->profiles[layout->count++] = profile;
        item = comma != NULL ? comma + 1 : NULL;
    }
    return true;
}

static double nan_if(bool unknown, double value) {
    return unknown ? (double)NAN : value;
}

static struct table *tabulate_instances(const struct layout *layout) {
    struct table *table = table_create();
    table_add_column(table, "profile", "profile", TABLE_LEFT, TABLE_FOR_ALL);
    table_add_column(table, "id", "id", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "start", "start", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "memory units", "memory_units", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "slices", "compute_slices", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "memory MiB", "memory_mib", TABLE_RIGHT, TABLE_FOR_ALL);
    table_add_column(table, "SMs", "sms", TABLE_RIGHT, TABLE_FOR_ALL);
    for (size_t i = 0; i < layout->count; i++) {
        const struct mig_instance *instance = &layout->instances[i];
        const struct mig_profile *profile = &layout->gpu->profiles[instance->profile];
        double mib = nan_if(profile->memory_mib <= 0, (double)profile->memory_mib);
        double sms = nan_if(profile->sms <= 0, profile->sms);
        static const struct provenance exact = {"", ""};
        table_add_row(table);
        table_add_text(table, profile->name);
        catalog_add_figure(table, profile->id, number_count(profile->id).text, &exact);
        catalog_add_figure(table, instance->start, number_count(instance->start).text, &exact);
        catalog_add_figure(table, profile->memory_units, number_count(profile->memory_units).text,
                           &exact);
        catalog_add_figure(table, profile->compute_slices,
                           number_count(profile->compute_slices).text, &exact);
        catalog_add_figure(table, mib, number_count(mib).text, &profile->size);
        catalog_add_figure(table, sms, number_count(sms).text, &profile->size);
    }
    return table;
}

static json_t *layout_json(const struct layout *layout, const struct table *instances) {
    struct mig_waste waste = mig_waste_of(layout->gpu, layout->profiles, layout->count);
    json_t *object = json_object();
    json_object_set_new(object, "gpu", json_text(layout->gpu->name));
    json_object_set_new(object, "instances", table_json(instances));
    json_object_set_new(object, "stranded_compute_slices", json_integer(waste.stranded_slices));
    json_object_set_new(object, "stranded_memory_units", json_integer(waste.stranded_units));
    json_object_set_new(
        object, "stranded_memory_mib",
        json_number_or_null(nan_if(waste.stranded_mib < 0, (double)waste.stranded_mib)));
    json_object_set_new(object, "lost_sms",
                        json_number_or_null(nan_if(waste.lost_sms < 0, waste.lost_sms)));
    return object;
}

static void print_waste(const struct layout *layout) {
    const struct gpu_model *gpu = layout->gpu;
    struct mig_waste waste = mig_waste_of(gpu, layout->profiles, layout->count);
    printf("stranded: %d of %d compute slices, %d of %d memory units", waste.stranded_slices,
           gpu->compute_slices, waste.stranded_units, gpu->memory_units);
    if (waste.stranded_mib >= 0) {
        printf(", %s MiB", number_count((double)waste.stranded_mib).text);
    }
    if (waste.lost_sms >= 0) {
        printf(", %d of %d SMs (%s)\n", waste.lost_sms, gpu->sms,
               number_share((double)waste.lost_sms / gpu->sms).text);
    } else {
        puts("; SMs not known");
    }
}

/* Profiles for which this placement has room. */
static void print_room(const struct layout *layout) {
    const struct gpu_model *gpu = layout->gpu;
    const char *separator = "room left for: ";
    for (int profile = 0; profile < (int)gpu->profile_count; profile++) {
        bool fits = false;
        for (int unit = 0; unit < gpu->memory_units; unit++) {
            fits |= mig_selected(gpu, profile, MIG_SIZES) &&
                    mig_can_add(gpu, layout->instances, layout->count, profile, unit);
        }
        if (fits) {
            printf("%s%s", separator, gpu->profiles[profile].name);
            separator = ", ";
        }
    }
    puts(separator[0] == 'r' ? "room left for no other instance" : "");
}

/* How to have just this placement; the driver chooses another one where starts are left out. */
static void print_command(const struct layout *layout) {
    printf("to cut it so: nvidia-smi mig -cgi ");
    for (size_t i = 0; i < layout->count; i++) {
        const struct mig_instance *instance = &layout->instances[i];
        printf("%s%d:%d", i > 0 ? "," : "", layout->gpu->profiles[instance->profile].id,
               instance->start);
    }
    puts(" -C");
}

static void print_for_people(struct layout *layout) {
    char text[TABLE_WIDTH];
    bool colour = terminal_wants_colour(stdout);
    printf("%s: ", layout->gpu->name);
    mig_sort_profiles(layout->gpu, layout->profiles, layout->count);
    puts(mig_layout_text(layout->gpu, layout->profiles, layout->count, MIG_SHORT, text,
                         sizeof text - 32));
    putchar('\n');
    mig_picture_print(stdout, layout->gpu, layout->instances, layout->count, colour);
    putchar('\n');
    print_waste(layout);
    print_room(layout);
    print_command(layout);
}

static void print_placed(struct layout *layout, enum table_format format) {
    struct table *instances = tabulate_instances(layout);
    if (format == TABLE_TEXT) {
        print_for_people(layout);
    } else if (format == TABLE_JSON) {
        json_t *object = layout_json(layout, instances);
        json_print(stdout, object);
        json_decref(object);
    } else {
        table_print(stdout, instances, format, 0, false);
    }
    table_destroy(instances);
}

int mig_layout_print(const struct catalog_request *request, const struct gpu_model *gpu) {
    struct layout layout = {.gpu = gpu};
    struct error error;
    int status = STATUS_DONE;
    if (!parse_list(&layout, request->layout, &error) ||
        !mig_place(gpu, layout.profiles, layout.count, layout.instances, &error)) {
        complain_error(&error);
        status = STATUS_BAD_INPUT;
    } else {
        print_placed(&layout, request->format);
    }
    free(layout.profiles);
    return status;
}
