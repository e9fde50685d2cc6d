/* When in its runs an objective of a candidate is worst. */
#ifndef PLAN_WORST_MOMENT_H
#define PLAN_WORST_MOMENT_H

#include "plan/moments.h"

struct plan_worst {
    bool known;  /* false: too few jobs or requests to tell parts of the time apart */
    bool of_day; /* the same hours of every day, counted from t = 0; else of the run */
    double from_s;
    double to_s;
    double value;    /* the figure there, over all replications */
    double overall;  /* and over the whole of them */
    bool stands_out; /* the part that is worst in half of the replications is worse than the rest of
                      * the time in the others, too, beyond chance (one-sided, 5 %) */
};

/* Of `count` replications of one scenario; makes their parts equally wide. Hours of the day where
 * those stand out in runs of several days, else of the run. */
void plan_moments_worst(struct plan_moments *moments, size_t count, struct plan_worst *worst);

#endif
