/* A 64-bit fingerprint of some bytes, for finding equal ones: among n different texts two agree by
 * chance with probability n^2 / 2^65. Not for untrusted input whose author wants them to. */
#ifndef WORKLOADS_FINGERPRINT_H
#define WORKLOADS_FINGERPRINT_H

#include <stddef.h>
#include <stdint.h>

uint64_t fingerprint(const void *bytes, size_t size);

#endif
