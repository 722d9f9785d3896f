// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the memories of a program lie when there is no operating system that decides it: one
// behind the other from 0x80000000 on, each on a page: weights, features, inputs, outputs. The
// secondary memory is one of its own, and begins where the public traces have it.
#include <algorithm>
#include <vector>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/emit/registers.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

// Hands out pages; an `error` when the addresses of the product end.
class address_space {
 public:
  static constexpr std::uint64_t first = 0x80000000, page = 4096, cvsram = 0x50000000;

  explicit constexpr address_space(std::uint32_t address_bits, std::uint64_t from = first)
      : next_(from),
        // 16 TiB are enough for anyone, and keep sums of addresses far from their end.
        end_(std::uint64_t{1} << (address_bits < 44 ? address_bits : 44)) {
    if (from % page != 0 || from > end_)
      throw error(text("memory begins at ", from, ", which is not the address of a page"));
  }

  constexpr std::uint64_t take(std::uint64_t size) {
    if (size > end_ - next_)
      throw error(text("memory ends: ", size, " bytes more at address ", next_,
                       " are beyond the last address of the product"));
    const auto at = next_;
    next_ = std::min(align_up(next_ + size, page), end_);
    return at;
  }
  // In DRAM, or in CVSRAM, which is one memory.
  constexpr dma_address take(std::uint64_t size, bool dram) {
    return {dram ? take(size) : cvsram, dram};
  }

 private:
  std::uint64_t next_, end_;
};

// The addresses of a program's buffers; a callable for `emit::program`.
struct memory_map {
  std::vector<std::uint64_t> bases{};  // by buffer
  std::uint64_t weights = 0, features = 0;  // of the pools

  constexpr dma_address operator()(const layer::location& at) const {
    return {bases[static_cast<std::size_t>(at.buffer)] + at.offset, !at.cvsram};
  }
};

constexpr memory_map map_memory(const plan::program_data& p, std::uint32_t address_bits,
                                std::uint64_t first = address_space::first) {
  address_space space(address_bits, first);
  memory_map map;
  map.weights = space.take(p.weights_size);
  map.features = space.take(p.features_size);
  map.bases.resize(p.buffers.size(), std::uint64_t{0});
  for (const auto kind : {plan::memory::input, plan::memory::output})
    for (std::size_t i = 0; i < p.buffers.size(); ++i)
      if (p.buffers[i].memory == kind) map.bases[i] = space.take(p.buffers[i].size);
  for (std::size_t i = 0; i < p.buffers.size(); ++i) {
    const auto& b = p.buffers[i];
    if (b.memory != plan::memory::weights && b.memory != plan::memory::features) continue;
    const auto pool = b.memory == plan::memory::weights ? map.weights : map.features;
    map.bases[i] = (b.cvsram ? address_space::cvsram : pool) + b.offset;
  }
  return map;
}

template <hw::hardware Hw>
constexpr memory_map map_memory(const plan::program<Hw>& p) {
  return map_memory(p, Hw::spec.address_bits);
}

// The bytes of the weights pool, or of the weights with which CVSRAM begins. Contents that the
// program does not have are 0.
constexpr std::vector<std::uint8_t> weight_image(const plan::program_data& p,
                                                 bool cvsram = false) {
  std::vector<std::uint8_t> pool(in_memory(cvsram ? p.cvsram.weights : p.weights_size),
                                 std::uint8_t{0});
  for (const auto& b : p.buffers) {
    if (b.memory != plan::memory::weights || b.cvsram != cvsram) continue;
    std::uint8_t* to = pool.data() + b.offset;
    for (const std::uint8_t byte : b.content) *to++ = byte;
  }
  return pool;
}

// One run of a program, as bytes of memory: what its inputs and outputs held, what each task of the
// host read and wrote, and where that is asked for, what each operation has written.
struct run_record {
  struct host_layer {
    std::vector<std::vector<std::uint8_t>> inputs{};
    std::vector<std::uint8_t> output{};
  };

  std::vector<std::vector<std::uint8_t>> inputs{}, outputs{};
  std::vector<host_layer> host{};  // in the order of execution
  // By task and operation, from the first byte that it writes to the last; empty without memory.
  std::vector<std::vector<std::vector<std::uint8_t>>> layers{};
};

}  // namespace nvdlac::emit
