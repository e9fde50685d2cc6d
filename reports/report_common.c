/* What several sections of a report need. */
#include <stdlib.h>
#include <string.h>

#include "reports/report_internal.h"
#include "reports/store_internal.h"
#include "reports/sweep_point.h"
#include "reports/table_internal.h"
#include "reports/unstable.h"
#include "sim/kernel/memory.h"

static bool one_variant(const struct report *report) {
    bool one = true;
    for (size_t i = 1; i < report->case_count && one; i++) {
        one = strcmp(report->cases[i].variant, report->cases[0].variant) == 0;
    }
    return one;
}

const char *report_label(const struct report *report, const struct result_case *of) {
    if (of->point[0] == '\0') {
        return of->variant;
    }
    bool one = one_variant(report);
    char *point = sweep_point_short(of->point);
    char *text = NULL;
    if (asprintf(&text, "%s%s%s", one ? "" : of->variant, one ? "" : ", ", point) < 0) {
        memory_exhausted(0);
    }
    const char *label = arena_duplicate_string(&report->set->arena, text);
    free(text);
    free(point);
    return label;
}

bool report_meets_all(const struct report *report, const struct result_case *of) {
    struct objective_score score = result_objectives(report->set, of);
    return score.count > 0 && score.met == score.count &&
           unstable_runs(report->set, of, SCOPE_RUN, "") == 0;
}

bool report_has_objectives(const struct report *report) {
    bool has = false;
    for (size_t i = 0; i < report->case_count && !has; i++) {
        has = result_objectives(report->set, &report->cases[i]).count > 0;
    }
    return has;
}

static void keep_error(const struct report *report, const struct error *error) {
    if (!report->set->failed) {
        report->set->failed = true;
        report->set->error = *error;
    }
}

sqlite3_stmt *report_prepare(const struct report *report, const struct result_case *of,
                             const char *sql) {
    struct error error;
    sqlite3_stmt *statement = database_prepare(&report->set->store->database, sql, false, &error);
    if (statement == NULL) {
        keep_error(report, &error);
        return NULL;
    }
    sqlite3_bind_int64(statement, 1, of->batch);
    sqlite3_bind_text(statement, 2, of->scenario, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 3, of->variant, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 4, of->point, -1, SQLITE_STATIC);
    return statement;
}

bool report_next(const struct report *report, sqlite3_stmt *statement) {
    struct error error;
    int found =
        statement == NULL ? 0 : database_next(&report->set->store->database, statement, &error);
    if (found < 0) {
        keep_error(report, &error);
    }
    return found == 1;
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
    static const char *const colours[][2] = {{"useful", "#009E73"},       {"loading", "#56B4E9"},
                                             {"switch", "#D55E00"},       {"held_idle", "#E69F00"},
                                             {"idle", "#B8B8B8"},         {"stranded", "#CC79A7"},
                                             {"reconfiguring", "#0072B2"}};
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
