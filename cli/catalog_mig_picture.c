/* A MIG layout as a picture. */
#include "cli/catalog_mig.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "reports/number.h"

enum { ROWS = 12, WIDEST_UNIT = 14 };

struct canvas {
    char cells[ROWS][TABLE_WIDTH];
    enum table_colour colours[ROWS][TABLE_WIDTH];
    int row; /* where the next box begins */
};

static void write_text(struct canvas *canvas, int row, int column, int room,
                       enum table_colour colour, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* As much of it as there is room for. */
static void write_text(struct canvas *canvas, int row, int column, int room,
                       enum table_colour colour, const char *format, ...) {
    char text[TABLE_WIDTH + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (int i = 0; text[i] != '\0' && i < room && column + i < TABLE_WIDTH; i++) {
        canvas->cells[row][column + i] = text[i];
        canvas->colours[row][column + i] = colour;
    }
}

/* A frame from column `left` to column `right` around `lines` rows; neighbours share a side. */
static void draw_box(struct canvas *canvas, int left, int right, int lines, bool in_use) {
    for (int line = 0; line < lines + 2; line++) {
        bool border = line == 0 || line == lines + 1;
        char *cells = canvas->cells[canvas->row + line];
        enum table_colour *colours = canvas->colours[canvas->row + line];
        for (int column = left + 1; column < right; column++) {
            cells[column] = border ? '-' : in_use ? ' ' : '.';
            colours[column] = border || in_use ? TABLE_PLAIN : TABLE_DIM;
        }
        cells[left] = cells[right] = border ? '+' : '|';
    }
}

/* Line 0 is the first within the box. */
static void label_box(struct canvas *canvas, int left, int right, int line, const char *text,
                      enum table_colour colour) {
    write_text(canvas, canvas->row + 1 + line, left + 2, right - left - 2, colour, "%s", text);
}

/* Among the dots. */
static void label_free(struct canvas *canvas, int left, int right) {
    write_text(canvas, canvas->row + 1, left + 1, right - left - 1, TABLE_DIM, " free ");
}

static void print_canvas(FILE *out, const struct canvas *canvas, bool colour) {
    for (int row = 0; row < canvas->row; row++) {
        int end = TABLE_WIDTH;
        while (end > 0 && canvas->cells[row][end - 1] == ' ') {
            end--;
        }
        for (int from = 0, to; from < end; from = to) {
            char run[TABLE_WIDTH + 1];
            for (to = from; to < end && canvas->colours[row][to] == canvas->colours[row][from];
                 to++) {
                run[to - from] = canvas->cells[row][to];
            }
            run[to - from] = '\0';
            table_print_coloured(out, run, canvas->colours[row][from], colour);
        }
        fputc('\n', out);
    }
}

static void label_instance(struct canvas *canvas, int left, int right,
                           const struct mig_profile *profile) {
    char text[128];
    label_box(canvas, left, right, 0, profile->name, TABLE_BOLD);
    snprintf(text, sizeof text, "%d slice%s", profile->compute_slices,
             profile->compute_slices == 1 ? "" : "s");
    label_box(canvas, left, right, 1, text, TABLE_PLAIN);
    snprintf(text, sizeof text, "%s SMs", profile->sms > 0 ? number_count(profile->sms).text : "?");
    label_box(canvas, left, right, 2, text, TABLE_PLAIN);
    snprintf(text, sizeof text, "%s GiB",
             profile->memory_mib > 0 ? number_plain((double)profile->memory_mib / 1024).text : "?");
    label_box(canvas, left, right, 3, text, TABLE_PLAIN);
}

/* The instance that lies on a memory unit, NULL: none. */
static const struct mig_instance *instance_at(const struct gpu_model *gpu,
                                              const struct mig_instance *instances, size_t count,
                                              int unit) {
    for (size_t i = 0; i < count; i++) {
        int start = instances[i].start;
        if (unit >= start && unit < start + gpu->profiles[instances[i].profile].memory_units) {
            return &instances[i];
        }
    }
    return NULL;
}

/* Boxes along the memory units, each unit `scale` columns wide. */
static void draw_memory(struct canvas *canvas, const struct gpu_model *gpu,
                        const struct mig_instance *instances, size_t count, int scale) {
    write_text(canvas, canvas->row++, 0, TABLE_WIDTH, TABLE_PLAIN, "memory units");
    for (int unit = 0; unit < gpu->memory_units; unit++) {
        write_text(canvas, canvas->row, unit * scale, TABLE_WIDTH, TABLE_DIM, "%d", unit);
    }
    canvas->row++;
    for (int unit = 0, next; unit < gpu->memory_units; unit = next) {
        const struct mig_instance *instance = instance_at(gpu, instances, count, unit);
        next = unit + 1;
        while (instance == NULL && next < gpu->memory_units &&
               instance_at(gpu, instances, count, next) == NULL) {
            next++;
        }
        if (instance != NULL) {
            next = unit + gpu->profiles[instance->profile].memory_units;
        }
        draw_box(canvas, unit * scale, next * scale, 4, instance != NULL);
        if (instance != NULL) {
            label_instance(canvas, unit * scale, next * scale, &gpu->profiles[instance->profile]);
        } else {
            label_free(canvas, unit * scale, next * scale);
        }
    }
    canvas->row += 6;
}

/* Boxes along the compute slices, in the order of the instances' starts; what is left comes last.
 */
static void draw_slices(struct canvas *canvas, const struct gpu_model *gpu,
                        const struct mig_instance *instances, size_t count, int width) {
    int taken = 0;
    write_text(canvas, canvas->row++, 0, TABLE_WIDTH, TABLE_PLAIN, "compute slices");
    for (int unit = 0; unit <= gpu->memory_units; unit++) {
        const struct mig_instance *instance = instance_at(gpu, instances, count, unit);
        bool begins = instance != NULL && instance->start == unit;
        bool rest = unit == gpu->memory_units && taken < gpu->compute_slices;
        if (!begins && !rest) {
            continue;
        }
        int before = taken;
        taken =
            rest ? gpu->compute_slices : taken + gpu->profiles[instance->profile].compute_slices;
        int left = before * width / gpu->compute_slices;
        int right = taken * width / gpu->compute_slices;
        draw_box(canvas, left, right, 1, begins);
        if (begins) {
            label_box(canvas, left, right, 0, gpu->profiles[instance->profile].name, TABLE_BOLD);
        } else {
            label_free(canvas, left, right);
        }
    }
    canvas->row += 3;
}

void mig_picture_print(FILE *out, const struct gpu_model *gpu, const struct mig_instance *instances,
                       size_t count, bool colour) {
    struct canvas *canvas = &(struct canvas){0};
    int scale = (TABLE_WIDTH - 1) / gpu->memory_units;
    scale = scale > WIDEST_UNIT ? WIDEST_UNIT : scale;
    memset(canvas->cells, ' ', sizeof canvas->cells);
    draw_memory(canvas, gpu, instances, count, scale);
    draw_slices(canvas, gpu, instances, count, scale * gpu->memory_units);
    assert(canvas->row <= ROWS);
    print_canvas(out, canvas, colour);
}
