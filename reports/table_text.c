#include <stdlib.h>
#include <string.h>

#include "reports/table_internal.h"
#include "reports/text.h"
#include "sim/kernel/memory.h"

enum { GAP = 2, NARROWEST_TEXT = 12, WIDEST_TEXT = 40 };

/* The columns that people see, and how wide each is printed. */
struct layout {
    const struct table *table;
    size_t *columns; /* indices into table->columns */
    size_t *widths;
    size_t count;
    size_t keys; /* the first ones, which name the row; repeated in every part */
    size_t limit;
    int indent;
    bool colour;
};

void table_print_coloured(FILE *out, const char *text, enum table_colour colour, bool enabled) {
    static const char *const codes[] = {
        [TABLE_GREEN] = "32", [TABLE_RED] = "31", [TABLE_YELLOW] = "33",
        [TABLE_DIM] = "2",    [TABLE_BOLD] = "1",
    };
    if (enabled && colour != TABLE_PLAIN) {
        fprintf(out, "\x1b[%sm%s\x1b[0m", codes[colour], text);
    } else {
        fputs(text, out);
    }
}

static void print_spaces(FILE *out, size_t count) {
    fprintf(out, "%*s", (int)count, "");
}

/* The next line of a header: as many words as fit, at least one; returns its bytes. */
static size_t header_line(const char *header, size_t width) {
    size_t end = strcspn(header, " ");
    while (header[end] == ' ') {
        size_t next = end + 1 + strcspn(header + end + 1, " ");
        char *longer = memory_duplicate(header, next + 1);
        longer[next] = '\0';
        bool fits = text_width(longer) <= width;
        free(longer);
        if (!fits) {
            break;
        }
        end = next;
    }
    return end;
}

static size_t count_header_lines(const char *header, size_t width) {
    size_t lines = 0;
    while (*header != '\0') {
        header += header_line(header, width);
        header += *header == ' ';
        lines++;
    }
    return lines;
}

static size_t longest_word(const char *header) {
    size_t longest = 0;
    while (*header != '\0') {
        size_t end = strcspn(header, " ");
        char *word = memory_duplicate(header, end + 1);
        word[end] = '\0';
        size_t width = text_width(word);
        free(word);
        longest = width > longest ? width : longest;
        header += end + (header[end] == ' ');
    }
    return longest;
}

static size_t cell_width(const struct table_cell *cell) {
    size_t widest = 0;
    for (int line = 0; cell != NULL && line < TABLE_MOST_LINES && cell->lines[line] != NULL;
         line++) {
        char *visible = text_visible(cell->lines[line]);
        size_t width = text_width(visible);
        free(visible);
        widest = width > widest ? width : widest;
    }
    return widest;
}

static size_t natural_width(const struct layout *layout, size_t i, bool whole_header) {
    const struct table *table = layout->table;
    const char *header = table->columns[layout->columns[i]].header;
    size_t widest = whole_header ? text_width(header) : longest_word(header);
    widest = widest < WIDEST_TEXT ? widest : WIDEST_TEXT;
    for (size_t row = 0; row < table->row_count; row++) {
        size_t width = cell_width(table_cell_at(table, row, layout->columns[i]));
        widest = width > widest ? width : widest;
    }
    return widest;
}

static bool is_left(const struct layout *layout, size_t i) {
    return layout->table->columns[layout->columns[i]].align == TABLE_LEFT;
}

static size_t total_width(const struct layout *layout) {
    size_t total = (size_t)layout->indent;
    for (size_t i = 0; i < layout->count; i++) {
        total += layout->widths[i] + (i > 0 ? GAP : 0);
    }
    return total;
}

/* The widest column of words that can still be narrowed, or count. */
static size_t widest_text(const struct layout *layout) {
    size_t found = layout->count;
    for (size_t i = 0; i < layout->count; i++) {
        if (is_left(layout, i) && layout->widths[i] > NARROWEST_TEXT &&
            (found == layout->count || layout->widths[i] > layout->widths[found])) {
            found = i;
        }
    }
    return found;
}

/* Whether two different texts, one below the other, would look the same. */
static bool narrowing_blurs(const struct layout *layout, size_t i) {
    bool blurs = false;
    for (size_t row = 1; row < layout->table->row_count && !blurs; row++) {
        const struct table_cell *above = table_cell_at(layout->table, row - 1, layout->columns[i]);
        const struct table_cell *below = table_cell_at(layout->table, row, layout->columns[i]);
        if (above != NULL && below != NULL && above->lines[0] != NULL && below->lines[0] != NULL) {
            char *first = text_abbreviated(above->lines[0], layout->widths[i]);
            char *second = text_abbreviated(below->lines[0], layout->widths[i]);
            blurs = strcmp(first, second) == 0 && strcmp(above->lines[0], below->lines[0]) != 0;
            free(first);
            free(second);
        }
    }
    return blurs;
}

static bool narrows_well(const struct layout *layout) {
    bool well = total_width(layout) <= layout->limit;
    for (size_t i = 0; i < layout->count && well; i++) {
        well = !is_left(layout, i) || !narrowing_blurs(layout, i);
    }
    return well;
}

static void choose_widths(struct layout *layout) {
    for (int whole_header = 1; whole_header >= 0; whole_header--) {
        for (size_t i = 0; i < layout->count; i++) {
            layout->widths[i] = natural_width(layout, i, whole_header);
        }
        if (total_width(layout) <= layout->limit) {
            return;
        }
    }
    size_t *natural = memory_duplicate(layout->widths, layout->count * sizeof(layout->widths[0]));
    size_t widest = layout->count;
    while (total_width(layout) > layout->limit && (widest = widest_text(layout)) < layout->count) {
        layout->widths[widest]--;
    }
    if (!narrows_well(layout)) {
        /* Several parts it is, and then words have room. */
        for (size_t i = 0; i < layout->count; i++) {
            bool narrowed = is_left(layout, i) && natural[i] > WIDEST_TEXT;
            layout->widths[i] = narrowed ? WIDEST_TEXT : natural[i];
        }
    }
    free(natural);
}

/* *blank is how many spaces go before the next text of the line: so none are left at its end. */
static void print_padded(FILE *out, const struct layout *layout, size_t i, const char *text,
                         enum table_colour colour, size_t *blank) {
    if (text[0] == '\0') {
        *blank += layout->widths[i];
        return;
    }
    char *fitting = text_abbreviated(text, layout->widths[i]);
    size_t padding = layout->widths[i] - text_width(fitting);
    bool left = is_left(layout, i);
    print_spaces(out, *blank + (left ? 0 : padding));
    table_print_coloured(out, fitting, colour, layout->colour);
    *blank = left ? padding : 0;
    free(fitting);
}

/* Goes through the columns of one part: the keys, then [from, to). */
static size_t part_column(const struct layout *layout, size_t from, size_t n) {
    return n < layout->keys ? n : from + n - layout->keys;
}

/* Headers stand on their last line. */
static char *header_text(const struct layout *layout, size_t i, size_t line, size_t lines) {
    const char *header = layout->table->columns[layout->columns[i]].header;
    size_t own = count_header_lines(header, layout->widths[i]);
    if (line + own < lines) {
        return memory_duplicate_string("");
    }
    for (size_t skip = line + own - lines; skip > 0; skip--) {
        header += header_line(header, layout->widths[i]);
        header += *header == ' ';
    }
    size_t length = header_line(header, layout->widths[i]);
    char *text = memory_duplicate(header, length + 1);
    text[length] = '\0';
    return text;
}

static void print_headers(FILE *out, const struct layout *layout, size_t from, size_t count) {
    size_t lines = 0;
    for (size_t n = 0; n < count; n++) {
        size_t i = part_column(layout, from, n);
        size_t own = count_header_lines(layout->table->columns[layout->columns[i]].header,
                                        layout->widths[i]);
        lines = own > lines ? own : lines;
    }
    for (size_t line = 0; line < lines; line++) {
        size_t blank = (size_t)layout->indent;
        for (size_t n = 0; n < count; n++) {
            size_t i = part_column(layout, from, n);
            char *text = header_text(layout, i, line, lines);
            blank += n > 0 ? GAP : 0;
            print_padded(out, layout, i, text, TABLE_BOLD, &blank);
            free(text);
        }
        fputc('\n', out);
    }
}

/* The line of a cell, or NULL. */
static const char *cell_line(const struct layout *layout, size_t row, size_t i, int line) {
    const struct table_cell *cell = table_cell_at(layout->table, row, layout->columns[i]);
    return cell != NULL ? cell->lines[line] : NULL;
}

static bool has_line(const struct layout *layout, size_t row, size_t from, size_t count, int line) {
    bool has = line == 0;
    for (size_t n = 0; n < count && !has; n++) {
        has = cell_line(layout, row, part_column(layout, from, n), line) != NULL;
    }
    return has;
}

static void print_row(FILE *out, const struct layout *layout, size_t row, size_t from,
                      size_t count) {
    for (int line = 0; line < TABLE_MOST_LINES && has_line(layout, row, from, count, line);
         line++) {
        size_t blank = (size_t)layout->indent;
        for (size_t n = 0; n < count; n++) {
            size_t i = part_column(layout, from, n);
            const struct table_cell *cell = table_cell_at(layout->table, row, layout->columns[i]);
            const char *words = cell_line(layout, row, i, line);
            char *text = text_visible(words != NULL ? words : "");
            blank += n > 0 ? GAP : 0;
            print_padded(out, layout, i, text, cell != NULL ? cell->colour : TABLE_PLAIN, &blank);
            free(text);
        }
        fputc('\n', out);
    }
}

/* How many columns from `from` on fit beside the keys: at least one, if there is one. */
static size_t fitting_columns(const struct layout *layout, size_t from) {
    size_t used = (size_t)layout->indent;
    for (size_t i = 0; i < layout->keys; i++) {
        used += layout->widths[i] + GAP;
    }
    size_t count = 0;
    while (from + count < layout->count) {
        used += layout->widths[from + count] + (count > 0 ? GAP : 0);
        if (count > 0 && used > layout->limit) {
            break;
        }
        count++;
    }
    return count;
}

static void print_parts(FILE *out, const struct layout *layout) {
    size_t from = layout->keys;
    do {
        size_t fitting = fitting_columns(layout, from);
        if (from > layout->keys) {
            fputc('\n', out);
        }
        print_headers(out, layout, from, layout->keys + fitting);
        for (size_t row = 0; row < layout->table->row_count; row++) {
            print_row(out, layout, row, from, layout->keys + fitting);
        }
        from += fitting;
    } while (from < layout->count);
}

void table_print_text(FILE *out, const struct table *table, int indent, bool colour) {
    struct layout layout = {
        .table = table,
        .columns = memory_zero(table->column_count, sizeof(size_t)),
        .widths = memory_zero(table->column_count, sizeof(size_t)),
        .limit = TABLE_WIDTH,
        .indent = indent,
        .colour = colour,
    };
    for (size_t i = 0; i < table->column_count; i++) {
        if (table->columns[i].audience != TABLE_FOR_MACHINES) {
            layout.columns[layout.count++] = i;
        }
    }
    while (layout.keys < layout.count && is_left(&layout, layout.keys)) {
        layout.keys++;
    }
    /* If all are words, the first one names the row. */
    layout.keys = layout.keys == layout.count && layout.count > 0 ? 1 : layout.keys;
    choose_widths(&layout);
    print_parts(out, &layout);
    free(layout.columns);
    free(layout.widths);
}
