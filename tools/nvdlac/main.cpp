// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "commands.hpp"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace {

// Keeps the memory of weights and tensors that are done for those that come: to take each from the
// system anew costs as much as to fill it. The thresholds are the largest that glibc takes.
void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

}  // namespace

int main(int count, char** arguments) {
  keep_freed_memory();
  return nvdlac::cli::run(count, arguments, nvdlac::cli::targets());
}
