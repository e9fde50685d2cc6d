#include "reports/service_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "reports/headline.h"
#include "reports/number.h"
#include "reports/subject_group.h"
#include "reports/sweep_point.h"
#include "sim/kernel/memory.h"

/* Names after this many are only counted; lines likewise, of many cases. */
enum { MOST_NAMES = 4, MOST_NOTES = 20 };

struct notes {
    char **lines;
    size_t count;
    size_t capacity;
};

static void __attribute__((format(printf, 2, 3)))
add_note(struct notes *notes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *line = memory_format(format, arguments);
    va_end(arguments);
    notes->lines =
        memory_grow(notes->lines, &notes->capacity, notes->count + 1, sizeof(notes->lines[0]));
    notes->lines[notes->count++] = line;
}

/* A case and its services. */
struct services {
    struct result_set *set;
    const struct result_case *of;
    const struct subject_group *groups; /* one each */
    size_t count;
};

static double value_of(const struct services *services, size_t i, const char *metric) {
    return result_figure(services->set, services->of, SCOPE_WORKLOAD,
                         services->groups[i].subjects[0], metric)
        .mean;
}

/* Whether something is to be said of a service, and the number to say of it. */
typedef bool service_test(const struct services *services, size_t i, double *number);

static bool lacks_slots(const struct services *services, size_t i, double *number) {
    *number = value_of(services, i, "replicas_waiting");
    return *number > 0;
}

static bool has_unfinished(const struct services *services, size_t i, double *number) {
    *number = value_of(services, i, "unfinished") / value_of(services, i, "submitted");
    return *number > UNFINISHED_FLAGGED;
}

static bool turns_away(const struct services *services, size_t i, double *number) {
    *number = value_of(services, i, "rejected");
    return *number > 0;
}

/* "chat-8, chat-9 and 3 more" of those it holds for; returns their number, and adds up theirs. */
static size_t list_services(const struct services *services, service_test *test, char *list,
                            size_t size, double *sum) {
    size_t found = 0;
    size_t used = 0;
    list[0] = '\0';
    *sum = 0;
    for (size_t i = 0; i < services->count; i++) {
        double number;
        if (test(services, i, &number)) {
            *sum += number;
            if (found++ < MOST_NAMES && used < size) {
                used += (size_t)snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "",
                                         services->groups[i].subjects[0]);
            }
        }
    }
    if (found > MOST_NAMES && used < size) {
        snprintf(list + used, size - used, " and %zu more", found - MOST_NAMES);
    }
    return found;
}

static void note_case(struct notes *notes, const struct services *services) {
    const struct result_case *of = services->of;
    char list[600];
    char where[400];
    double sum;
    char *point = sweep_point_short(of->point);
    snprintf(where, sizeof(where), "%s, variant %s%s%s", of->scenario, of->variant,
             point[0] != '\0' ? ", " : "", point);
    free(point);
    if (list_services(services, lacks_slots, list, sizeof(list), &sum) > 0) {
        double all = result_figure(services->set, of, SCOPE_RUN, "", "replicas").mean;
        add_note(notes, "%s: %s of %s replicas held no slot when the run ended (%s)", where,
                 number_count(sum).text, number_count(all).text, list);
    }
    if (list_services(services, turns_away, list, sizeof(list), &sum) > 0) {
        add_note(notes, "%s: %s requests found their queue full (%s)", where,
                 number_count(sum).text, list);
    }
    size_t found = list_services(services, has_unfinished, list, sizeof(list), &sum);
    if (found > 0) {
        add_note(notes,
                 "%s: of the requests of %s, %s%s had not ended at the end of the run; latencies "
                 "leave them out",
                 where, list, number_share(sum / (double)found).text,
                 found > 1 ? " on average" : "");
    }
}

char **service_notes(struct result_set *set, size_t *count) {
    struct notes notes = {0};
    for (size_t i = 0; i < set->case_count && notes.count < MOST_NOTES; i++) {
        struct services services = {.set = set, .of = &set->cases[i]};
        services.groups =
            subject_groups(set, services.of, "latency_s.mean", false, &services.count);
        note_case(&notes, &services);
    }
    *count = notes.count;
    return notes.lines;
}

void service_notes_free(char **notes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        free(notes[i]);
    }
    free(notes);
}
