/* Cells of CSV files (RFC 4180), which no spreadsheet takes for a formula. */
#ifndef REPORTS_CSV_TEXT_H
#define REPORTS_CSV_TEXT_H

#include <stdio.h>

/* Quoted where need be; one that a spreadsheet would run as a formula gets a ' before it. */
void csv_print_text(FILE *out, const char *text);
/* The shortest of the two usual precisions that reads back as the same number; NaN is nothing. */
void csv_print_number(FILE *out, double value);

#endif
