#include "models/checkpoint.h"

#include <assert.h>
#include <math.h>

int64_t checkpoint_bytes(double parameters, double bytes_per_parameter) {
    return llround(parameters * bytes_per_parameter);
}

double checkpoint_interval_young(double save, double mtbf) {
    return sqrt(2 * save * mtbf);
}

double checkpoint_interval_daly(double save, double mtbf) {
    assert(save >= 0 && mtbf > 0);
    if (save >= 2 * mtbf) {
        return mtbf;
    }
    double ratio = save / (2 * mtbf);
    return checkpoint_interval_young(save, mtbf) * (1 + sqrt(ratio) / 3 + ratio / 9) - save;
}

/* Of one stretch that must come through without an interruption. */
static double stretch_time(const struct checkpoint_course *course, double length) {
    if (course->rate == 0) {
        return length;
    }
    return exp(course->rate * course->restore) * (1 / course->rate + course->out) *
           expm1(course->rate * length);
}

double checkpoint_expected_time(const struct checkpoint_course *course) {
    assert(course->work > 0 && course->interval > 0);
    /* The last stretch is what is left, and there is no save before it is done. */
    double saves = fmax(0, ceil(course->work / course->interval * (1 - 1e-12)) - 1);
    double last = course->work - (saves > 0 ? saves * course->interval : 0);
    double before = saves > 0 ? stretch_time(course, course->interval + course->save) : 0;
    return saves * before + stretch_time(course, last + (course->final ? course->save : 0));
}
