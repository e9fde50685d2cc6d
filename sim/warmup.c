#include "sim/warmup.h"

#include "sim/kernel/batch_series.h"
#include "sim/kernel/mser.h"

/* With less there is nothing to cut. */
enum { FEWEST_BATCHES = 10 };

/* A cut beyond this share of the jobs is as good as one in the second half, which mser_truncation
 * does not look into: the error still falls there. */
static const double LATEST_CUT = 0.45;

static void refuse(const struct run_request *request, const struct batch_series *waits,
                   struct error *error) {
    const char *file = request->scenario->file;
    if (waits->count < FEWEST_BATCHES) {
        error_set(error, file, 0, 0,
                  "warmup auto: the run is too short to tell where its start-up ends: %zu batches "
                  "of %d jobs started, and it takes %d; lengthen the horizon or set a warmup",
                  waits->count, PILOT_BATCH_SIZE, FEWEST_BATCHES);
    } else {
        error_set(error, file, 0, 0,
                  "warmup auto: the run is too short to tell where its start-up ends: MSER-5 would "
                  "leave out half of its jobs or more; lengthen the horizon or set a warmup");
    }
}

static bool choose(const struct run_request *request, const struct batch_series *waits,
                   sim_time *warmup, struct error *error) {
    /* Batches are of equal size, so their sums serve as well as their means. */
    size_t truncation = mser_truncation(waits->sums, waits->count);
    if (waits->count < FEWEST_BATCHES || (double)truncation > LATEST_CUT * (double)waits->count) {
        refuse(request, waits, error);
        return false;
    }
    *warmup = truncation == 0 ? 0 : waits->began[truncation];
    return true;
}

enum run_outcome warmup_find(const struct run_request *request, sim_time *warmup,
                             struct error *error) {
    struct batch_series waits;
    batch_series_initialize(&waits, PILOT_BATCHES, PILOT_BATCH_SIZE);
    struct run_request pilot = *request;
    pilot.pilot_waits = &waits;
    struct results results;
    enum run_outcome outcome = simulation_run(&pilot, NULL, &results, error);
    if (outcome == RUN_DONE) {
        *warmup = 0;
        bool unstable = results_metric(&results, SCOPE_RUN, "", "unstable") > 0;
        outcome = unstable || choose(request, &waits, warmup, error) ? RUN_DONE : RUN_FAILED;
        results_clear(&results);
    }
    batch_series_terminate(&waits);
    return outcome;
}
