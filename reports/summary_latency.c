#include <stdio.h>

#include "reports/number.h"
#include "reports/summary_internal.h"
#include "sim/serving/latency_parts.h"

static double part_of(const struct page *page, const struct result_case *of, int part) {
    char name[64];
    snprintf(name, sizeof(name), "latency_s.part.%s", latency_part_names[part]);
    return result_figure(page->set, of, SCOPE_RUN, "", name).mean;
}

/* The parts add up to the mean latency of the requests they are of. */
static double total_of(const struct page *page, const struct result_case *of) {
    double total = 0;
    for (int part = 0; part < LATENCY_PART_COUNT; part++) {
        total += part_of(page, of, part);
    }
    return total;
}

static void print_line(const struct page *page) {
    const struct result_case *of = &page->cases[0];
    char line[512] = "";
    size_t used = 0;
    for (int part = 0; part < LATENCY_PART_COUNT && used < sizeof(line); part++) {
        double seconds = part_of(page, of, part);
        if (seconds > 0) {
            used +=
                (size_t)snprintf(line + used, sizeof(line) - used, "%s%s %s", used > 0 ? ", " : "",
                                 latency_part_names[part], number_duration(seconds).text);
        }
    }
    fputc('\n', page->out);
    page_print_line(page, "slowest 1 %", "of requests: %s on average, of which %s",
                    number_duration(total_of(page, of)).text, line);
}

static void print_table(const struct page *page) {
    struct table *table = page_table(page);
    table_add_column(table, "slowest 1 %", "total", TABLE_RIGHT, TABLE_FOR_ALL);
    for (int part = 0; part < LATENCY_PART_COUNT; part++) {
        table_add_column(table, latency_part_names[part], latency_part_names[part], TABLE_RIGHT,
                         TABLE_FOR_ALL);
    }
    for (size_t i = 0; i < page->count; i++) {
        const struct result_case *of = &page->cases[i];
        double total = total_of(page, of);
        table_add_row(table);
        page_add_labels(table, page, of);
        table_add_number(table, total, number_duration(total).text);
        for (int part = 0; part < LATENCY_PART_COUNT; part++) {
            double seconds = part_of(page, of, part);
            table_add_number(table, seconds, number_duration(seconds).text);
        }
    }
    for (int part = 0; part < LATENCY_PART_COUNT; part++) {
        table_hide_if_all(table, latency_part_names[part], 0);
    }
    page_print_table(page, table);
}

void page_print_latency_parts(const struct page *page) {
    bool any = false;
    for (size_t i = 0; i < page->count && !any; i++) {
        any = total_of(page, &page->cases[i]) > 0;
    }
    if (any && page->count == 1) {
        print_line(page);
    } else if (any) {
        print_table(page);
    }
}
