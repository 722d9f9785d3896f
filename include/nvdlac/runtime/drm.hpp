// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <nvdlac/runtime/any_device.hpp>  // which load() takes
#include <nvdlac/runtime/device.hpp>

namespace nvdlac::runtime {

namespace detail {

class drm_node;

}  // namespace detail

// An NVDLA behind the public kernel driver of Linux (nvdla/sw, kmd/port/linux), whose firmware runs
// whole tasks; neither the public user-mode runtime nor a library of it is needed.
//   runtime::session<nv_small, runtime::drm> board(emit::read_loadable(bytes), runtime::drm());
// One thread at a time runs a device; another may load and fetch memory meanwhile. Several
// processes may use it, for each task waits for the others'.
class drm {
 public:
  // The render node, "renderD128" or the path of one, or "drm", the first that a driver of this
  // name has. What is not there or not allowed is an `error`.
  explicit drm(const std::string& node = "drm", const std::string& driver = "nvdla");
  drm(drm&&) noexcept;
  drm& operator=(drm&&) noexcept;
  ~drm();

  // A buffer of the driver's own. Where NVDLA sees it, the driver keeps for itself: its place is
  // one in an address space of this object. CVSRAM is an `error`: the driver has none.
  emit::dma_address allocate(std::uint64_t size, bool dram = true);
  void load(const emit::dma_address& at, std::span<const std::uint8_t> bytes);
  void fetch(const emit::dma_address& at, std::span<std::uint8_t> bytes);
  // The driver maps its buffers with write-combining: there is nothing to write back, and reading
  // is slow.
  std::span<std::uint8_t> view(const emit::dma_address& at, std::uint64_t size);
  static void flush(const emit::dma_address&, std::uint64_t) {}
  static void drop(const emit::dma_address&, std::uint64_t) {}
  static bool loads_beside_runs() { return true; }

  // Runs a task. The driver lets go of whoever submits one only when it has ended, by no signal and
  // at no time, so that a process of its own waits for it. After a time-out the device takes no
  // further task until the driver has ended that one.
  void submit(std::span<const emit::dma_address> addresses,
              std::chrono::milliseconds patience = default_patience);

  const std::string& node() const;  // "/dev/dri/renderD128"

 private:
  std::unique_ptr<detail::drm_node> node_;
};
static_assert(task_device<drm> && mapped_device<drm>);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/drm.ipp>
#endif
