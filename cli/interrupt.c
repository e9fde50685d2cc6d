#include "cli/interrupt.h"

#include <signal.h>
#include <stdbool.h>
#include <time.h>

/* The only things that the signal handler touches. */
static atomic_bool interrupted;
static atomic_llong first_ns; /* when it was, by the monotonic clock; 0: not yet */
_Static_assert(ATOMIC_LLONG_LOCK_FREE == 2, "a signal handler cannot wait for a lock");

static void interrupt(int signal_number) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    long long now_ns = (long long)now.tv_sec * 1000000000 + now.tv_nsec;
    long long none = 0;
    if (atomic_compare_exchange_strong(&first_ns, &none, now_ns)) {
        atomic_store(&interrupted, true);
    } else if (now_ns - none >= 1000000000) {
        /* Comes when this handler returns. */
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

const atomic_bool *interrupts_catch(void) {
    struct sigaction action = {.sa_handler = interrupt};
    struct sigaction before;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        sigaction(SIGHUP, &action, NULL);
    }
    return &interrupted;
}
