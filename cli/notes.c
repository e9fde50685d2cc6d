#include "cli/notes.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/precision.h"
#include "reports/number.h"
#include "reports/sweep_point.h"
#include "scenarios/pool_price.h"
#include "sim/kernel/memory.h"

void notes_add(struct notes *notes, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *line = memory_format(format, arguments);
    va_end(arguments);
    for (size_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->lines[i], line) == 0) {
            free(line);
            return;
        }
    }
    notes->lines =
        memory_grow(notes->lines, &notes->capacity, notes->count + 1, sizeof *notes->lines);
    notes->lines[notes->count++] = line;
}

void notes_clear(struct notes *notes) {
    for (size_t i = 0; i < notes->count; i++) {
        free(notes->lines[i]);
    }
    free(notes->lines);
    *notes = (struct notes){0};
}

static void note_trace(struct notes *notes, const struct loaded_trace *entry) {
    const struct trace_report *report = trace_report(entry->trace);
    const char *file = entry->workload->trace.file;
    char buffer[2048];
    notes_add(notes, "%s: %lld of %lld rows used", file, (long long)report->kept,
              (long long)report->rows);
    if (report->skipped > 0) {
        notes_add(notes, "%s: %lld unreadable rows skipped, the first: %s", file,
                  (long long)report->skipped,
                  error_format(&report->first_skipped, buffer, sizeof buffer));
    }
    if (report->duplicates > 0) {
        notes_add(notes, "%s: %lld of the rows used repeat another row exactly (kept)", file,
                  (long long)report->duplicates);
    }
    if (report->dropped_links > 0) {
        notes_add(notes,
                  "%s: %lld of the rows used wait for a job that is not among them: these wait for "
                  "nobody",
                  file, (long long)report->dropped_links);
    }
    if (report->unused_columns[0] != '\0') {
        notes_add(notes, "%s: columns without effect in this version: %s", file,
                  report->unused_columns);
    }
}

/* Rows that a run ends before. */
static void note_horizon(struct notes *notes, const struct loaded_scenario *loaded) {
    const struct scenario *scenario = loaded->scenario;
    for (size_t i = 0; i < scenario->workload_count && !scenario->end_of_work; i++) {
        const struct trace *trace = loaded->traces[i];
        int64_t beyond =
            trace != NULL ? trace_report(trace)->kept - trace_count_before(trace, scenario->horizon)
                          : 0;
        if (beyond > 0) {
            notes_add(
                notes,
                "%s: %lld of the rows used come after the horizon of %s, so %lld are simulated",
                scenario->workloads[i].trace.file, (long long)beyond,
                number_duration((double)scenario->horizon * 1e-9).text,
                (long long)(trace_report(trace)->kept - beyond));
        }
    }
}

/* "AWS p4d.24xlarge, on-demand, 2026-11-09": what is known of it. Returns buffer. */
static const char *describe_price(const struct list_price *price, char *buffer, size_t size) {
    const char *const parts[][2] = {
        {"", price->provider}, {" ", price->sku}, {", ", price->kind}, {", ", price->date}};
    size_t used = 0;
    buffer[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && used < size; i++) {
        if (parts[i][1][0] != '\0') {
            used += (size_t)snprintf(buffer + used, size - used, "%s%s",
                                     used > 0 ? parts[i][0] : "", parts[i][1]);
        }
    }
    return buffer;
}

static void note_price(struct notes *notes, const struct pool_spec *pool,
                       const struct catalogue *catalogue) {
    const char *gpu = catalogue->gpus[pool->gpu].name;
    struct pool_price price = pool_price(pool, catalogue);
    const struct list_price *list = price.list;
    if (list != NULL) {
        char buffer[256];
        notes_add(notes, "pool %s: list price of %s, $%.4g per GPU-hour (%s)", pool->name, gpu,
                  price.per_gpu_hour, describe_price(list, buffer, sizeof buffer));
    } else if (isnan(price.per_gpu_hour)) {
        notes_add(
            notes,
            "pool %s: no price given, and no list price of %s is known: its costs are unknown",
            pool->name, gpu);
    }
}

/* "quickstart, variant today, nodes=7"; free it. */
static char *describe_case(const struct scenario *scenario) {
    char *point = sweep_point_short(scenario->point);
    char *text = NULL;
    if (asprintf(&text, "%s, variant %s%s%s", scenario->name, scenario->variant,
                 point[0] != '\0' ? ", " : "", point) < 0) {
        memory_exhausted(0);
    }
    free(point);
    return text;
}

static void note_preemption(struct notes *notes, const struct scenario *scenario) {
    bool any = !scenario->scheduler.preemption.given;
    for (size_t i = 0; i < scenario->workload_count; i++) {
        any |= scenario->workloads[i].preemptible;
    }
    if (!any) {
        char *what = describe_case(scenario);
        notes_add(notes, "%s: nobody is preempted, as no workload says `preemptible: true`", what);
        free(what);
    }
}

void notes_of_inputs(struct notes *notes, const struct loaded *loaded) {
    for (size_t i = 0; i < loaded->trace_count; i++) {
        note_trace(notes, &loaded->traces[i]);
    }
    for (size_t i = 0; i < loaded->scenario_count; i++) {
        const struct scenario *scenario = loaded->scenarios[i].scenario;
        for (size_t p = 0; p < scenario->pool_count; p++) {
            note_price(notes, &scenario->pools[p], scenario->catalogue);
        }
        note_horizon(notes, &loaded->scenarios[i]);
        note_preemption(notes, scenario);
    }
}

/* Where the replications ran out before the objectives were known as well as was asked. */
static void note_precision(struct notes *notes, const struct loaded *loaded,
                           const struct batch *batch, size_t first, size_t count) {
    const struct scenario *scenario = loaded->scenarios[batch->scenario_of[first]].scenario;
    if (scenario->precision > 0 && batch->notes[first + count - 1].merged &&
        !precision_reached(scenario, &batch->notes[first], count)) {
        char *what = describe_case(scenario);
        notes_add(notes,
                  "%s: after %zu replications, the most allowed, an objective is not known to "
                  "within %.4g %%",
                  what, count, scenario->precision * 100);
        free(what);
    }
}

static void note_run(struct notes *notes, const struct scenario *scenario,
                     const struct run_outcome_note *note) {
    char *what = describe_case(scenario);
    if (note->rejected > 0) {
        notes_add(notes, "%s: %lld rejected; the first: %s", what, (long long)note->rejected,
                  note->first_rejected);
    }
    if (note->overflows > 0) {
        notes_add(notes, "%s: GPU memory ran out %lld time%s; the first: %s", what,
                  (long long)note->overflows, note->overflows == 1 ? "" : "s",
                  note->first_overflow);
    }
    if (note->given_up > 0) {
        notes_add(notes, "%s: %lld replica%s gave up asking for a slot; the first: %s", what,
                  (long long)note->given_up, note->given_up == 1 ? "" : "s", note->first_given_up);
    }
    if (note->stuck > 0) {
        notes_add(notes, "%s: %lld job%s got nowhere; the first: %s", what, (long long)note->stuck,
                  note->stuck == 1 ? "" : "s", note->first_stuck);
    }
    free(what);
}

void notes_of_runs(struct notes *notes, const struct loaded *loaded, const struct batch *batch) {
    for (size_t first = 0; first < batch->run_count;) {
        size_t of = batch->scenario_of[first];
        size_t count = (size_t)loaded->scenarios[of].scenario->replications;
        note_precision(notes, loaded, batch, first, count);
        first += count;
    }
    for (size_t i = 0; i < batch->run_count; i++) {
        if (batch->notes[i].merged) {
            note_run(notes, loaded->scenarios[batch->scenario_of[i]].scenario, &batch->notes[i]);
        }
    }
}
