/* What is promised to the head of a queue, on the naive GPUs that a calendar cuts anew, while jobs
 * start when they are said to: the moment at which it would start in a copy in which nobody else
 * does. */
#include <stddef.h>

#include "tests/support/naive_calendar.h"

static bool is_waiting(const struct naive_calendar *naive, const struct naive_calendar_job *job) {
    return job->submit <= naive->now && !job->impossible && !job->runs && !job->done;
}

static bool is_settled(const struct naive_calendar *naive) {
    bool settled = true;
    for (int g = 0; g < naive->nodes * naive->gpus_per_node; g++) {
        settled = settled && naive->gpus[g].phase == NAIVE_SETTLED;
    }
    return settled;
}

/* A promise is made for GPUs that are cut as the calendar says, and up to the second boundary. */
static bool is_where_it_should(const struct naive_calendar *naive, int j) {
    bool so = true;
    for (int g = 0; g < naive->nodes * naive->gpus_per_node; g++) {
        for (int i = 0; i < NAIVE_CALENDAR_INSTANCES; i++) {
            bool here = naive->gpus[g].held[i].job == j;
            so = so && (!here || naive->gpus[g].way == naive->way_now);
        }
    }
    return so;
}

static int promise_to(const struct naive_calendar *naive, int head) {
    struct naive_calendar copy = *naive;
    int boundaries = 0;
    copy.replay = NULL;
    copy.skip = false;
    for (int j = 0; j < copy.job_count; j++) {
        copy.jobs[j].impossible |= j != head && !copy.jobs[j].runs && !copy.jobs[j].done;
    }
    while (copy.now < copy.horizon && !copy.jobs[head].runs) {
        int way = copy.way_now;
        copy.now++;
        naive_calendar_step(&copy);
        boundaries += copy.way_now != way;
    }
    bool kept = copy.jobs[head].runs && boundaries < 2 && is_where_it_should(&copy, head);
    return kept ? copy.now : -1;
}

void naive_calendar_replay_pass(struct naive_calendar *naive) {
    int head = -1;
    for (int j = 0; j < naive->job_count; j++) {
        if (is_waiting(naive, &naive->jobs[j]) && naive->replay[j] == naive->now) {
            naive->differs |= !naive_calendar_start(naive, j);
        }
        head = head < 0 && is_waiting(naive, &naive->jobs[j]) ? j : head;
    }
    bool asks = head >= 0 && is_settled(naive) && naive->jobs[head].promise < 0 &&
                (naive->asked_for != head || naive->asked_in != naive->way_now);
    if (asks) {
        naive->asked_for = head;
        naive->asked_in = naive->way_now;
        naive->jobs[head].promise = promise_to(naive, head);
    }
}
