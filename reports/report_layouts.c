/* MIG layouts drawn to scale: what an instance takes of a GPU's memory and of its compute slices.
 */
#include <stdlib.h>
#include <string.h>

#include "models/mig.h"
#include "reports/report_internal.h"
#include "scenarios/scenario.h"
#include "scenarios/weekly_text.h"

/* One way in which GPUs of a case are cut. */
struct cut {
    const struct gpu_model *gpu;
    int profiles[MIG_INSTANCES_LIMIT];
    struct mig_instance instances[MIG_INSTANCES_LIMIT];
    size_t count;
    char text[256];
};

/* How many ways there are in which a sharing cuts GPUs: a layout, and those of its calendar. */
static size_t way_count(const struct chosen *sharing) {
    return sharing->index == SHARING_MIG && sharing->options != NULL
               ? sharing_way_count(sharing->options)
               : 0;
}

/* One of them. False if it is not by a fixed layout that can be placed. */
static bool cut_of(struct cut *cut, const struct gpu_model *gpu, const struct chosen *sharing,
                   size_t k) {
    struct layout_way way = sharing_way(sharing->options, k);
    *cut = (struct cut){.gpu = gpu};
    if (gpu->compute_slices == 0) {
        return false;
    }
    for (size_t i = 0; i < way.count; i++) {
        for (int32_t n = 0; n < way.items[i].count && cut->count < MIG_INSTANCES_LIMIT; n++) {
            cut->profiles[cut->count++] = way.items[i].profile_row;
        }
    }
    struct error error;
    if (cut->count == 0 || !mig_place(gpu, cut->profiles, cut->count, cut->instances, &error)) {
        return false;
    }
    mig_sort_profiles(gpu, cut->profiles, cut->count);
    mig_layout_text(gpu, cut->profiles, cut->count, MIG_SHORT, cut->text, sizeof(cut->text));
    return true;
}

enum { UNIT_WIDTH = 72, MEMORY_TOP = 22, MEMORY_HEIGHT = 66, SLICES_TOP = 116, SLICES_HEIGHT = 34 };

static void print_box(FILE *out, int left, int right, int top, int height, bool used,
                      size_t colour) {
    html_print(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"4\"",
               used ? "instance" : "free", left + 2, top, right - left - 4, height);
    html_print(out, " style=\"--c:%s\"/>\n", plot_colour(colour));
}

static void print_label(FILE *out, int left, int right, int y, const char *class_name,
                        const char *text) {
    html_print(out, "<text class=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
               class_name, (left + right) / 2, y, text);
}

static int by_start(const void *a, const void *b) {
    return ((const struct mig_instance *)a)->start - ((const struct mig_instance *)b)->start;
}

static void print_memory(FILE *out, const struct cut *cut) {
    html_print(out, "<text class=\"axis\" x=\"2\" y=\"%d\">memory</text>\n", MEMORY_TOP - 8);
    int end = 0;
    for (size_t i = 0; i <= cut->count; i++) {
        bool rest = i == cut->count;
        int start = rest ? cut->gpu->memory_units : cut->instances[i].start;
        if (start > end) {
            print_box(out, end * UNIT_WIDTH, start * UNIT_WIDTH, MEMORY_TOP, MEMORY_HEIGHT, false,
                      0);
            print_label(out, end * UNIT_WIDTH, start * UNIT_WIDTH, MEMORY_TOP + 38, "size", "free");
        }
        if (!rest) {
            const struct mig_profile *profile = &cut->gpu->profiles[cut->instances[i].profile];
            end = start + profile->memory_units;
            print_box(out, start * UNIT_WIDTH, end * UNIT_WIDTH, MEMORY_TOP, MEMORY_HEIGHT, true,
                      i);
            bool crowded = profile->memory_units == 1 && strlen(profile->name) > 7;
            print_label(out, start * UNIT_WIDTH, end * UNIT_WIDTH, MEMORY_TOP + 30,
                        crowded ? "name long" : "name", profile->name);
            char size[100];
            snprintf(size, sizeof(size), "%s GiB",
                     number_plain((double)profile->memory_mib / 1024).text);
            if (profile->memory_mib > 0) {
                print_label(out, start * UNIT_WIDTH, end * UNIT_WIDTH, MEMORY_TOP + 50, "size",
                            size);
            }
        }
    }
}

static void print_slices(FILE *out, const struct cut *cut) {
    html_print(out, "<text class=\"axis\" x=\"2\" y=\"%d\">compute slices</text>\n",
               SLICES_TOP - 8);
    int width = cut->gpu->memory_units * UNIT_WIDTH;
    int slices = cut->gpu->compute_slices;
    int taken = 0;
    for (size_t i = 0; i < cut->count; i++) {
        int next = taken + cut->gpu->profiles[cut->instances[i].profile].compute_slices;
        char text[32];
        snprintf(text, sizeof(text), "%d", next - taken);
        print_box(out, taken * width / slices, next * width / slices, SLICES_TOP, SLICES_HEIGHT,
                  true, i);
        print_label(out, taken * width / slices, next * width / slices, SLICES_TOP + 22, "size",
                    text);
        taken = next;
    }
    if (taken < slices) {
        print_box(out, taken * width / slices, width, SLICES_TOP, SLICES_HEIGHT, false, 0);
        print_label(out, taken * width / slices, width, SLICES_TOP + 22, "size", "free");
    }
}

/* "" for a layout that holds all the time, or whenever nothing else does. */
static const char *hours_of(const struct chosen *sharing, size_t k, char buffer[WEEKLY_TEXT]) {
    const struct sharing_spec *spec = sharing->options;
    buffer[0] = '\0';
    return k == 0 ? buffer : weekly_span_format(&spec->calendar[k - 1].span, buffer);
}

static void draw_cut(const struct report *report, const struct cut *cut, const char *pool,
                     const char *variants, const char *hours) {
    struct cut sorted = *cut;
    qsort(sorted.instances, sorted.count, sizeof(sorted.instances[0]), by_start);
    html_print(report->out,
               "<figure><svg class=\"layout\" role=\"img\" viewBox=\"0 0 %d %d\" "
               "aria-label=\"A %s cut into %s\">\n",
               cut->gpu->memory_units * UNIT_WIDTH, SLICES_TOP + SLICES_HEIGHT + 4, cut->gpu->name,
               cut->text);
    print_memory(report->out, &sorted);
    print_slices(report->out, &sorted);
    html_print(report->out,
               "</svg><figcaption>Pool %s of %s%s%s: a %s cut into %s. Placed as low as possible; "
               "the driver may place it otherwise.</figcaption></figure>\n",
               pool, variants, hours[0] == '\0' ? "" : ", ", hours, cut->gpu->name, cut->text);
}

/* Whether a pool is cut like this in any way up to one of its sharings (k of them count). */
static bool has_cut(const struct pool_spec *pool, const struct cut *cut, size_t sharings) {
    struct cut other;
    for (size_t l = 0; l < sharings; l++) {
        const struct chosen *sharing = l == 0 ? &pool->sharing : &pool->layouts[l - 1].sharing;
        for (size_t k = 0; k < way_count(sharing); k++) {
            if (cut_of(&other, cut->gpu, sharing, k) && strcmp(other.text, cut->text) == 0) {
                return true;
            }
        }
    }
    return false;
}

/* Whether an earlier case has a pool of that name cut like this, so that it has been drawn. */
static bool was_drawn(const struct report *report, size_t before, const char *pool,
                      const struct cut *cut) {
    bool drawn = false;
    for (size_t i = 0; i < before && !drawn; i++) {
        const struct scenario *scenario = report->scenarios[i];
        for (size_t p = 0; scenario != NULL && p < scenario->pool_count && !drawn; p++) {
            const struct pool_spec *spec = &scenario->pools[p];
            drawn = strcmp(spec->name, pool) == 0 &&
                    &scenario->catalogue->gpus[spec->gpu] == cut->gpu &&
                    has_cut(spec, cut, 1 + spec->layout_count);
        }
    }
    return drawn;
}

/* Of one pool of a case; opens the section if it is not open yet. */
static void draw_pool(const struct report *report, size_t index, const struct pool_spec *pool,
                      const struct gpu_model *gpu, bool *any) {
    for (size_t l = 0; l <= pool->layout_count; l++) {
        const struct chosen *sharing = l == 0 ? &pool->sharing : &pool->layouts[l - 1].sharing;
        for (size_t k = 0; k < way_count(sharing); k++) {
            struct cut cut;
            char hours[WEEKLY_TEXT];
            if (!cut_of(&cut, gpu, sharing, k) || was_drawn(report, index, pool->name, &cut)) {
                continue;
            }
            if (!*any) {
                fputs("<section><h2>How GPUs are cut</h2>\n<div class=\"figures wide\">\n",
                      report->out);
                *any = true;
            }
            draw_cut(report, &cut, pool->name, report_label(report, &report->cases[index]),
                     hours_of(sharing, k, hours));
        }
    }
}

void report_layouts(struct report *report) {
    bool any = false;
    for (size_t i = 0; i < report->case_count; i++) {
        const struct scenario *scenario = report->scenarios[i];
        for (size_t p = 0; scenario != NULL && p < scenario->pool_count; p++) {
            draw_pool(report, i, &scenario->pools[p],
                      &scenario->catalogue->gpus[scenario->pools[p].gpu], &any);
        }
    }
    if (any) {
        fputs("</div></section>\n", report->out);
    }
}
