/* What several sections of a report need. */
#include <stdlib.h>
#include <string.h>

#include "reports/report_internal.h"
#include "reports/store_internal.h"
#include "reports/table_internal.h"
#include "reports/verdict.h"

static struct case_set cases_of(const struct report *report) {
    return (struct case_set){report->set, report->cases, report->case_count};
}

const char *report_label(const struct report *report, const struct result_case *of) {
    struct case_set cases = cases_of(report);
    return case_label(&cases, of);
}

void report_add_label_columns(const struct report *report, struct table *table) {
    if (report->variants) {
        table_add_column(table, "variant", "variant", TABLE_LEFT, TABLE_FOR_ALL);
    }
    if (report->sweep.count > 0) {
        sweep_columns_add(&report->sweep, table);
    }
}

void report_add_labels(const struct report *report, struct table *table,
                       const struct result_case *of) {
    if (report->variants) {
        table_add_text(table, of->variant);
    }
    if (report->sweep.count > 0) {
        sweep_columns_add_cells(&report->sweep, table, of->point);
    }
}

bool report_has_objectives(const struct report *report) {
    struct case_set cases = cases_of(report);
    return cases_have_objectives(&cases);
}

sqlite3_stmt *report_prepare(const struct report *report, const struct result_case *of,
                             const char *sql) {
    return result_prepare(report->set, of, sql);
}

bool report_next(const struct report *report, sqlite3_stmt *statement) {
    return result_next(report->set, statement);
}

static const char *class_of(const struct table_column *column, const struct table_cell *cell) {
    static const char *const classes[][2] = {
        [TABLE_PLAIN] = {"", "num"},      [TABLE_GREEN] = {"good", "num good"},
        [TABLE_RED] = {"bad", "num bad"}, [TABLE_YELLOW] = {"bad", "num bad"},
        [TABLE_DIM] = {"dim", "num dim"}, [TABLE_BOLD] = {"strong", "num strong"}};
    enum table_colour colour = cell != NULL ? cell->colour : TABLE_PLAIN;
    return classes[colour][column->align == TABLE_RIGHT];
}

static void print_cell(FILE *out, const struct table_column *column, const struct table_cell *cell,
                       bool heads) {
    html_print(out, heads ? "<th scope=\"row\" class=\"%s\"" : "<td class=\"%s\"",
               class_of(column, cell));
    if (cell != NULL && cell->is_number) {
        fprintf(out, " data-v=\"%.17g\"", cell->value);
    }
    fputs(">", out);
    for (int i = 0; cell != NULL && i < TABLE_MOST_LINES && cell->lines[i] != NULL; i++) {
        html_print(out, i == 0 ? "%s" : "<small>%s</small>", cell->lines[i]);
    }
    fputs(heads ? "</th>" : "</td>", out);
}

static void print_header(FILE *out, const struct table *table) {
    fputs("<thead><tr>", out);
    for (size_t i = 0; i < table->column_count; i++) {
        const struct table_column *column = &table->columns[i];
        if (column->audience != TABLE_FOR_MACHINES) {
            html_print(out,
                       "<th scope=\"col\" class=\"%s\"><button type=\"button\">%s</button></th>",
                       class_of(column, NULL), column->header);
        }
    }
    fputs("</tr></thead>\n", out);
}

void report_table(const struct report *report, const struct table *table, const char *caption) {
    FILE *out = report->out;
    html_print(out,
               "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"%s\">"
               "<table class=\"sortable\">\n",
               caption);
    print_header(out, table);
    fputs("<tbody>\n", out);
    for (size_t row = 0; row < table->row_count; row++) {
        fputs("<tr>", out);
        bool heads = true;
        for (size_t i = 0; i < table->column_count; i++) {
            if (table->columns[i].audience != TABLE_FOR_MACHINES) {
                print_cell(out, &table->columns[i], table_cell_at(table, row, i), heads);
                heads = false;
            }
        }
        fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}

static void print_legend(FILE *out, const struct report_legend *legend) {
    fputs("<ul class=\"legend\">", out);
    for (size_t i = 0; i < legend->count; i++) {
        bool area = legend->series == NULL;
        size_t series = area ? 0 : legend->series[i];
        html_print(out, "<li><i class=\"%s\" style=\"color:%s\"></i>%s</li>",
                   area                     ? "area"
                   : plot_dash(series) == 1 ? "line"
                                            : "line dashed",
                   area ? legend->colours[i] : plot_colour(series), legend->names[i]);
    }
    fputs("</ul>", out);
}

void report_figure(struct report *report, struct plot *plot, const struct report_legend *legend,
                   const char *label, const char *caption) {
    char *svg = NULL;
    if (!report->failed && !plot_draw(report->plotter, plot, &svg, report->error)) {
        report->failed = true;
    }
    if (svg != NULL) {
        fputs("<figure>\n", report->out);
        print_legend(report->out, legend);
        html_print_svg(report->out, svg, label);
        html_print(report->out, "<figcaption>%s</figcaption></figure>\n", caption);
    }
    free(svg);
}

const char *report_category_colour(const char *category) {
    static const char *const colours[][2] = {
        {"useful", "#009E73"},     {"busy", "#009E73"},          {"redone", "#7A1F2B"},
        {"checkpoint", "#F0E442"}, {"restore", "#A6761D"},       {"loading", "#56B4E9"},
        {"switch", "#D55E00"},     {"held_idle", "#E69F00"},     {"idle", "#B8B8B8"},
        {"stranded", "#CC79A7"},   {"reconfiguring", "#0072B2"}, {"down", "#333333"}};
    for (size_t i = 0; i < sizeof(colours) / sizeof(colours[0]); i++) {
        if (strcmp(colours[i][0], category) == 0) {
            return colours[i][1];
        }
    }
    return "#7F7F7F";
}

const char *report_category_name(const struct report *report, const char *category) {
    char *name = arena_duplicate_string(&report->set->arena, category);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
    return name;
}
