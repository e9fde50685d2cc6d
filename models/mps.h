/* Speed of tenants that compute on one GPU at the same time, as under NVIDIA MPS: each asks for a
 * share of the SMs, and where they ask for more than there are, all get less in proportion. */
#ifndef MODELS_MPS_H
#define MODELS_MPS_H

struct mps_tenant {
    double demand; /* d: the share of the GPU's SMs that it keeps busy when alone */
    double speed;  /* its rate when alone; 1: as fast as with the GPU to itself */
};

/* saturation: the share of the SMs beyond which it gets no faster. thread_share: the most that it
 * may use (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE / 100), a cap even while the rest is free. Both are
 * above 0 and at most 1. */
struct mps_tenant mps_tenant_of(double saturation, double thread_share);

/* Work done per time by a tenant that computes:
 *
 *     speed x min(1, 1 / D) / (1 + interference x (D - d))
 *
 * total_demand: D, the sum of d over the tenants that compute, this one included. interference: at
 * least 0, what others cost beyond SMs (cache, memory bandwidth) per SM share of theirs; an
 * assumption of this model, 0 where nothing was measured. Without it, two tenants of saturation s
 * do min(2, 1 / s) times the work of one; profiles of an A100 by ParvaGPU (SC '24) have 1.02 to 2.1
 * times for two clients. */
double mps_rate(struct mps_tenant tenant, double total_demand, double interference);

#endif
