/* What a reader of the figures of services must know: replicas without a slot, requests that were
 * turned away or had not ended. */
#ifndef REPORTS_SERVICE_NOTES_H
#define REPORTS_SERVICE_NOTES_H

#include "reports/result_set.h"

/* One line each, by case; free with service_notes_free. */
char **service_notes(struct result_set *set, size_t *count);
void service_notes_free(char **notes, size_t count);

#endif
