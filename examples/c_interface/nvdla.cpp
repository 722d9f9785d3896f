// SPDX-License-Identifier: Apache-2.0
// The C interface of one configuration; another one is another `hardware`.
#include "nvdla.h"

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/sim/device.hpp>

using hardware = nvdlac::nv_full;

struct nvdla {
  explicit nvdla(bool lenient) : device({.lenient = lenient}) {}

  nvdlac::sim::device<hardware> device;
  std::string error{};
};

namespace {

// No exception may reach C.
template <class F>
int guarded(nvdla& n, F f) {
  try {
    f(n.device);
    return 0;
  } catch (const std::exception& e) {
    n.error = e.what();
    return -1;
  }
}

nvdlac::sim::memory& memory_of(nvdlac::sim::device<hardware>& d, nvdla_memory which) {
  return which == NVDLA_DRAM ? d.dram() : d.cvsram();
}

}  // namespace

extern "C" {

nvdla* nvdla_create(int lenient) {
  try {
    return new nvdla(lenient != 0);
  } catch (const std::exception&) {
    return nullptr;
  }
}

void nvdla_destroy(nvdla* n) { delete n; }

int nvdla_write(nvdla* n, uint32_t address, uint32_t value) {
  return guarded(*n, [&](auto& d) { d.write(address, value); });
}

int nvdla_read(nvdla* n, uint32_t address, uint32_t* value) {
  return guarded(*n, [&](auto& d) { *value = d.read(address); });
}

int nvdla_run_until_interrupt(nvdla* n, int* raised) {
  return guarded(*n, [&](auto& d) { *raised = d.run_until_interrupt(); });
}

int nvdla_memory_write(nvdla* n, nvdla_memory which, uint64_t address, const void* from,
                       size_t size) {
  return guarded(*n, [&](auto& d) {
    memory_of(d, which).write(address, {static_cast<const std::uint8_t*>(from), size});
  });
}

int nvdla_memory_read(nvdla* n, nvdla_memory which, uint64_t address, void* to, size_t size) {
  return guarded(*n, [&](auto& d) {
    memory_of(d, which).read(address, {static_cast<std::uint8_t*>(to), size});
  });
}

const char* nvdla_error(const nvdla* n) { return n->error.c_str(); }

}  // extern "C"
