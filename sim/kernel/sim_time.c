#include "sim/kernel/sim_time.h"

#include <math.h>

sim_time sim_time_from_seconds(double seconds) {
    double nanoseconds = nearbyint(seconds * 1e9);
    /* Written so that NaN, too, becomes 0. */
    if (!(nanoseconds > 0)) {
        return 0;
    }
    if (nanoseconds >= (double)SIM_TIME_LONGEST) {
        return SIM_TIME_LONGEST;
    }
    return (sim_time)nanoseconds;
}
