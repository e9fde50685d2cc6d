#include "sim/cluster/sharing.h"

const struct sharing_mode sharing_modes[] = {
    {{.name = "exclusive", .summary = "a slot is a whole GPU, held by one tenant alone"}},
};
const size_t sharing_mode_count = sizeof sharing_modes / sizeof sharing_modes[0];
