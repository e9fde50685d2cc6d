#include "sim/cluster/sharing.h"

#include "scenarios/language_sharing.h"
#include "sim/cluster/engines.h"

static int32_t one(const struct sharing_spec *spec) {
    (void)spec;
    return 1;
}

static int32_t clients(const struct sharing_spec *spec) {
    return spec->clients;
}

static int32_t replicas(const struct sharing_spec *spec) {
    return spec->replicas;
}

const struct sharing_mode sharing_modes[] = {
    {{.name = "exclusive", .summary = "a slot is a whole GPU, held by one tenant alone"},
     &engine_alone,
     one,
     true,
     false},
    {{.name = "mig",
      .summary = "a slot is a MIG instance, with SMs and memory of its own",
      .options = &sharing_mig_options,
      .option_size = sizeof(struct sharing_spec)},
     NULL,
     one,
     true,
     false},
    {{.name = "mps",
      .summary = "tenants compute at the same time",
      .options = &sharing_mps_options,
      .option_size = sizeof(struct sharing_spec)},
     &engine_together,
     clients,
     false,
     true},
    {{.name = "timeslice",
      .summary = "tenants take turns on a GPU",
      .options = &sharing_timeslice_options,
      .option_size = sizeof(struct sharing_spec)},
     &engine_turns,
     replicas,
     false,
     false},
};
const size_t sharing_mode_count = sizeof sharing_modes / sizeof sharing_modes[0];
