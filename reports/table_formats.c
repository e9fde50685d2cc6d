#include <stdlib.h>
#include <string.h>

#include "reports/csv_text.h"
#include "reports/table_internal.h"
#include "reports/text.h"

/* Characters that would end the cell, or be taken for formatting or HTML. */
static void print_markdown_text(FILE *out, const char *text) {
    char *visible = text_visible(text);
    for (const char *c = visible; *c != '\0'; c++) {
        if (*c == '<') {
            fputs("&lt;", out);
        } else if (*c == '&') {
            fputs("&amp;", out);
        } else {
            if (strchr("|\\`*_[]~", *c) != NULL) {
                fputc('\\', out);
            }
            fputc(*c, out);
        }
    }
    free(visible);
}

static void print_markdown_cell(FILE *out, const struct table_cell *cell) {
    fputs(" ", out);
    for (int line = 0; cell != NULL && line < TABLE_MOST_LINES && cell->lines[line] != NULL;
         line++) {
        fputs(line > 0 ? " " : "", out);
        print_markdown_text(out, cell->lines[line]);
    }
    fputs(" |", out);
}

void table_print_markdown(FILE *out, const struct table *table) {
    fputc('|', out);
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].audience != TABLE_FOR_MACHINES) {
            fputc(' ', out);
            print_markdown_text(out, table->columns[i].header);
            fputs(" |", out);
        }
    }
    fputs("\n|", out);
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].audience != TABLE_FOR_MACHINES) {
            fputs(table->columns[i].align == TABLE_RIGHT ? " ---: |" : " :--- |", out);
        }
    }
    fputc('\n', out);
    for (size_t row = 0; row < table->row_count; row++) {
        fputc('|', out);
        for (size_t i = 0; i < table->column_count; i++) {
            if (table->columns[i].audience != TABLE_FOR_MACHINES) {
                print_markdown_cell(out, table_cell_at(table, row, i));
            }
        }
        fputc('\n', out);
    }
}

static void print_csv_cell(FILE *out, const struct table_cell *cell) {
    if (cell == NULL) {
        return;
    }
    if (!cell->is_number) {
        csv_print_text(out, cell->lines[0] != NULL ? cell->lines[0] : "");
    } else {
        csv_print_number(out, cell->value);
    }
}

void table_print_csv(FILE *out, const struct table *table) {
    const char *separator = "";
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].audience != TABLE_FOR_PEOPLE) {
            fputs(separator, out);
            csv_print_text(out, table->columns[i].key);
            separator = ",";
        }
    }
    fputc('\n', out);
    for (size_t row = 0; row < table->row_count; row++) {
        separator = "";
        for (size_t i = 0; i < table->column_count; i++) {
            if (table->columns[i].audience != TABLE_FOR_PEOPLE) {
                fputs(separator, out);
                print_csv_cell(out, table_cell_at(table, row, i));
                separator = ",";
            }
        }
        fputc('\n', out);
    }
}
