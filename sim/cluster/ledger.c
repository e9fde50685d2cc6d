#include "sim/cluster/ledger.h"

const char *const gpu_category_names[GPU_CATEGORY_COUNT] = {
    [GPU_USEFUL] = "useful",
    [GPU_REDONE] = "redone",
    [GPU_CHECKPOINT] = "checkpoint",
    [GPU_RESTORE] = "restore",
    [GPU_LOADING] = "loading",
    [GPU_SWITCH] = "switch",
    [GPU_HELD_IDLE] = "held_idle",
    [GPU_IDLE] = "idle",
    [GPU_STRANDED] = "stranded",
    [GPU_RECONFIGURING] = "reconfiguring",
    [GPU_DOWN] = "down",
};

void ledger_initialize(struct ledger *ledger, int64_t units) {
    *ledger = (struct ledger){.units = units};
    ledger->now_in[GPU_IDLE] = units;
}

void ledger_transfer(struct ledger *ledger, enum gpu_category from, enum gpu_category to,
                     gpu_time amount) {
    assert(amount >= 0);
    ledger->integral[from] -= amount;
    ledger->integral[to] += amount;
}

void ledger_lose(struct ledger *ledger, gpu_time amount, sim_time now) {
    gpu_time useful = ledger_integral(ledger, GPU_USEFUL, now);
    ledger_transfer(ledger, GPU_USEFUL, GPU_REDONE, amount < useful ? amount : useful);
}

bool ledger_balances(const struct ledger *ledger, sim_time now) {
    gpu_time sum = 0;
    bool sound = true;
    for (int i = 0; i < GPU_STATE_COUNT; i++) {
        gpu_time integral = ledger_integral(ledger, (enum gpu_category)i, now);
        sound = sound && integral >= 0 && ledger->now_in[i] >= 0;
        sum += integral;
    }
    return sound && sum == (gpu_time)ledger->units * now;
}
