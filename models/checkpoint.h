/* Checkpoints: how often to save, and how long a job takes that is interrupted and goes back to its
 * last save. Times are in any one unit, rates per that unit. */
#ifndef MODELS_CHECKPOINT_H
#define MODELS_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of one save, to the nearest. bytes_per_parameter: 2 for weights in 16 bits; training by
 * Adam in mixed precision keeps 14 (those, and a 32-bit copy, momentum and variance) to 18 (and
 * gradients in 32 bits). Source: Rajbhandari et al., ZeRO: memory optimizations toward training
 * trillion parameter models, SC 2020, section 3.1: 16 with gradients in 16 bits. */
int64_t checkpoint_bytes(double parameters, double bytes_per_parameter);

/* The computing time between two saves that costs least in all. save: how long one takes; mtbf:
 * mean time between failures (exponential), > 0. Both are infinite for a job that never fails.
 *
 * First order, for save << mtbf: sqrt(2 save mtbf). Source: Young, A first order approximation to
 * the optimum checkpoint interval, Communications of the ACM 17 (1974). */
double checkpoint_interval_young(double save, double mtbf);
/* Higher order; mtbf itself where save >= 2 mtbf. Source: Daly, A higher order estimate of the
 * optimum checkpoint interval for restart dumps, Future Generation Computer Systems 22 (2006). A
 * job that saves so often takes no more than 0.2 % longer than at the optimum, where save < 2 mtbf.
 */
double checkpoint_interval_daly(double save, double mtbf);

/* A job that computes `work`, and is interrupted at random (Poisson) while it computes, saves or
 * restores: it is out for a while, in which nothing else happens to it, restores, and goes on from
 * its last complete save, or from the beginning. */
struct checkpoint_course {
    double work;     /* > 0 */
    double interval; /* of computing between saves; INFINITY: none */
    double save;     /* how long one takes; the job computes nothing meanwhile */
    bool final;      /* whether it saves when its work is done, too */
    double restore;
    double rate; /* of interruptions, >= 0 */
    double out;  /* mean time that one takes */
};

/* Its expected time from start to end. Of a stretch of length t up to a save, every attempt but the
 * first begins with a restore, so that the stretch takes exp(rate restore) (1 / rate + out)
 * (exp(rate t) - 1). Source for restore = 0: Duda, The effects of checkpointing on program
 * execution time, Information Processing Letters 16 (1983); for out = 0: Daly, as above. */
double checkpoint_expected_time(const struct checkpoint_course *course);

#endif
