#include "sim/cluster/ledger.h"

#include <assert.h>

const char *const gpu_category_names[GPU_CATEGORY_COUNT] = {
    [GPU_USEFUL] = "useful",
    [GPU_IDLE] = "idle",
};

void ledger_initialize(struct ledger *ledger, int64_t gpus) {
    *ledger = (struct ledger){.gpus = gpus};
    ledger->now_in[GPU_IDLE] = gpus;
}

void ledger_advance(struct ledger *ledger, sim_time now) {
    assert(now >= ledger->since);
    sim_time elapsed = now - ledger->since;
    for (int i = 0; i < GPU_CATEGORY_COUNT; i++) {
        ledger->integral[i] += (gpu_time)ledger->now_in[i] * elapsed;
    }
    ledger->since = now;
}

void ledger_move(struct ledger *ledger, sim_time now, enum gpu_category from, enum gpu_category to,
                 int64_t gpus) {
    assert(gpus >= 0 && ledger->now_in[from] >= gpus);
    ledger_advance(ledger, now);
    ledger->now_in[from] -= gpus;
    ledger->now_in[to] += gpus;
}

bool ledger_balances(const struct ledger *ledger) {
    gpu_time sum = 0;
    for (int i = 0; i < GPU_CATEGORY_COUNT; i++) {
        sum += ledger->integral[i];
    }
    return sum == (gpu_time)ledger->gpus * ledger->since;
}
