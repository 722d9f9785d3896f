// SPDX-License-Identifier: Apache-2.0
#pragma once
// Entries of Linux in sysfs for its UIO devices (Documentation/driver-api/uio-howto.rst) and the
// buffers of u-dma-buf (github.com/ikwzm/udmabuf). What is absent, cannot be read or is nonsense is
// an `error` that names the file and lists what is there.
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::runtime {

// A range of a device's addresses that a program may map.
struct uio_map {
  unsigned number = 0;         // map0 is 0
  std::string name{};          // the driver's, may be empty
  std::uint64_t address = 0;   // physical
  std::uint64_t size = 0;      // bytes
  std::uint64_t offset = 0;    // of the first of them in the first page that is mapped
};

struct uio_entry {
  std::string device{};        // "uio0", below /dev
  std::string name{};          // the driver's or the device tree's, "nvdla"
  std::vector<uio_map> maps{};  // by number
};

// The UIO device `name`: "uio0", or what its file `name` says, if that is one device's. `root` is
// the folder that stands for /.
uio_entry find_uio(const std::filesystem::path& root, const std::string& name);

// A buffer of u-dma-buf: contiguous memory that devices see.
struct dma_buffer {
  std::string device{};           // "udmabuf0", below /dev
  std::filesystem::path folder{};  // of its files in sysfs
  std::uint64_t address = 0;      // as the bus of its device sees it
  std::uint64_t size = 0;         // bytes
  bool cached = true;             // for the processor, where the device is opened without O_SYNC
  bool coherent = false;          // caches and devices see the same without a word to the kernel
};

// The buffer of this name; of none the only one, or udmabuf0 of several.
dma_buffer find_dma_buffer(const std::filesystem::path& root,
                           const std::optional<std::string>& name);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/uio_sysfs.ipp>
#endif
