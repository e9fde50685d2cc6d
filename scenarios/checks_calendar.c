/* Whether a calendar of MIG layouts says one thing at each time, and can be followed. */
#include "scenarios/checks.h"
#include "scenarios/weekly_text.h"

static void check_entry(struct reading *reading, const struct gpu_model *gpu,
                        const struct calendar_entry *entry, struct node *node) {
    struct node *layout = node_member(node, "layout");
    if (entry->span.from == entry->span.to) {
        reading_report(reading, node->place,
                       "this entry begins and ends at one time of day: leave out from and to for "
                       "whole days, or end it at another");
        node->bad = true;
    }
    if (entry->mode == CALENDAR_EXCLUSIVE && layout != NULL) {
        reading_report(reading, layout->place,
                       "mode: exclusive leaves GPUs whole, so there is no layout: leave one out");
        node->bad = true;
    } else if (entry->mode == CALENDAR_MIG && layout == NULL && !node->strange) {
        reading_report(reading, node->place,
                       "this entry needs a layout such as [3g.40gb, 2g.20gb, 2g.20gb], or mode: "
                       "exclusive for whole GPUs");
        node->bad = true;
    } else if (layout != NULL && !layout->bad) {
        checks_layout(reading, gpu, entry->layout, entry->layout_count, layout);
        node->bad |= layout->bad;
    }
}

/* Reports the first entry that says something else at the hours of an earlier one. */
static bool check_overlaps(struct reading *reading, const struct sharing_spec *spec) {
    for (size_t i = 0; i < spec->calendar_count; i++) {
        for (size_t k = 0; k < i; k++) {
            int64_t position;
            char text[WEEKLY_TEXT];
            if (weekly_spans_overlap(&spec->calendar[k].span, &spec->calendar[i].span, &position)) {
                return reading_report(
                    reading, spec->calendar[i].place,
                    "this entry and that of line %d both hold from %s on: let one end before the "
                    "other begins",
                    spec->calendar[k].place.line, weekly_position_format(position, text));
            }
        }
    }
    return true;
}

static bool entries_are_sound(const struct node *calendar) {
    bool sound = true;
    for (size_t i = 0; i < calendar->count; i++) {
        sound &= !calendar->entries[i].value->bad;
    }
    return sound;
}

void checks_calendar(struct reading *reading, const struct gpu_model *gpu,
                     const struct sharing_spec *spec, struct node *node) {
    struct node *calendar = node_member(node, "calendar");
    if (calendar == NULL || calendar->bad) {
        node->bad |= calendar != NULL;
        return;
    }
    for (size_t i = 0; i < spec->calendar_count; i++) {
        check_entry(reading, gpu, &spec->calendar[i], calendar->entries[i].value);
    }
    bool sound = entries_are_sound(calendar) && check_overlaps(reading, spec);
    if (spec->dynamic) {
        sound = reading_report(reading, calendar->place,
                               "a calendar says how GPUs are cut at each hour, and `dynamic` cuts "
                               "them for what waits at any, so that one would undo what the other "
                               "does: leave out the calendar to cut them on demand, or `dynamic` "
                               "to keep to the hours");
    }
    if (!reading->scenario->has_start && checks_sound(reading->root, "start")) {
        sound = reading_report(reading, calendar->place,
                               "a calendar goes by the wall clock: say what that is at t = 0, "
                               "such as `start: \"2026-03-02T00:00:00\"`, a Monday");
    }
    node->bad |= !sound;
}
