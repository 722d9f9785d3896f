// SPDX-License-Identifier: Apache-2.0
#pragma once
// Weights without their zeros, for configurations whose CDMA reads them so.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::schedule {

namespace detail {

// The contents of memory for packed weights: the elements that are not 0, behind them the mask of
// all, behind that the sizes of the kernel groups, each in whole 128 bytes.
struct compressed_weights {
  std::vector<std::uint8_t> content{};
  std::uint64_t data = 0, mask = 0, groups = 0;  // WEIGHT_BYTES, WMB_BYTES and bytes of WGS
  std::uint64_t largest_group = 0;               // bytes of data

  constexpr std::uint64_t mask_at() const { return align_up(data, unit); }
  constexpr std::uint64_t groups_at() const { return mask_at() + mask; }

  static constexpr std::uint64_t unit = 128;  // bytes
};

// The weights of `c` from what is packed. A kernel group of zeros alone keeps its first: what CSC
// does with a group of no bytes is not known.
constexpr compressed_weights compress_weights(const hw::spec& hw, const layer::convolution& c,
                                              std::span<const std::uint8_t> packed) {
  const std::size_t size = hw::element_bytes(c.precision);
  const auto kernel = c.elements_per_kernel();
  const auto elements = static_cast<std::size_t>(c.output.c) * static_cast<std::size_t>(kernel);
  const auto of_group = static_cast<std::size_t>(hw.kernel_group(c.precision) * kernel);
  compressed_weights w;
  std::vector<std::uint8_t> mask(static_cast<std::size_t>(hw::mask_bytes(elements).n),
                                 std::uint8_t{0});
  std::vector<std::uint8_t> groups;
  for (std::size_t first = 0; first < elements; first += of_group) {
    const auto before = w.content.size(), end = std::min(first + of_group, elements);
    const auto keep = [&](std::size_t i) {
      mask[i / 8] = static_cast<std::uint8_t>(mask[i / 8] | 1 << i % 8);
      for (std::size_t b = 0; b < size; ++b) w.content.push_back(packed[i * size + b]);
    };
    for (auto i = first; i < end; ++i)
      if (packed[i * size] != 0 || packed[i * size + size - 1] != 0) keep(i);
    if (w.content.size() == before) keep(first);
    const auto bytes = w.content.size() - before;
    w.largest_group = std::max<std::uint64_t>(w.largest_group, bytes);
    for (unsigned b = 0; b < 4; ++b)
      groups.push_back(static_cast<std::uint8_t>(bytes >> 8 * b & 0xff));
  }
  w.data = align_up(w.content.size(), hw::weight_unit(hw).n);
  w.mask = mask.size();
  w.groups = groups.size();
  w.content.resize(in_memory(w.mask_at()), std::uint8_t{0});
  w.content.insert(w.content.end(), mask.begin(), mask.end());
  w.content.insert(w.content.end(), groups.begin(), groups.end());
  w.content.resize(in_memory(align_up(w.content.size(), compressed_weights::unit)),
                   std::uint8_t{0});
  return w;
}

// `c` with these weights in its buffer; nullopt: the CBUF has no room beside the masks' bank.
constexpr std::optional<layer::convolution> with_weights(const hw::spec& hw, layer::convolution c,
                                                         const compressed_weights& w) {
  const auto usable = hw::usable_banks(hw, true);
  if (banks{c.data_banks} >= usable) return std::nullopt;
  const auto used = std::min({banks{c.weight_banks}, usable - banks{c.data_banks},
                              hw::weight_banks(hw, bytes{w.data})});
  const auto bank = hw.cbuf_bank().n;
  if (std::min(w.largest_group + hw.cbuf_entry, w.data) > used.n * bank) return std::nullopt;
  const auto kernels = std::min<std::uint64_t>(static_cast<std::uint64_t>(c.output.c),
                                               hw.kernel_group(c.precision));
  if (w.mask > bank && kernels * c.elements_per_kernel() + 8 * hw.cbuf_entry > 8 * bank)
    return std::nullopt;
  c.weight_banks = static_cast<std::uint8_t>(used.n);
  c.weights.size = w.data;
  const auto behind = [&](std::uint64_t at, std::uint64_t size) {
    auto s = c.weights;
    s.at.offset += at;
    s.size = size;
    return s;
  };
  c.mask = behind(w.mask_at(), w.mask);
  c.group_sizes = behind(w.groups_at(), w.groups);
  return c;
}

// Compresses the weights of one buffer after the other.
class compression {
 public:
  constexpr compression(const hw::spec& hw, const cost::memory& memory, plan::lowered& l)
      : hw_(hw), memory_(memory), l_(l) {}

  // Whether any is compressed.
  constexpr bool run() {
    bool found = false;
    std::vector<std::vector<std::size_t>> readers(l_.buffers.size());  // layers, of each buffer
    for (std::size_t i = 0; i < l_.layers.size(); ++i)
      layer::for_each_read(l_.layers[i].what, [&](const layer::surface& s) {
        readers[static_cast<std::size_t>(s.at.buffer)].push_back(i);
      });
    for (std::size_t b = 0; b < readers.size(); ++b)
      if (l_.buffers[b].memory == plan::memory::weights && !readers[b].empty())
        found = compress(l_.buffers[b], readers[b]) || found;
    if (found) place();
    return found;
  }

 private:
  constexpr layer::convolution* convolution(std::size_t n) const {
    return std::get_if<layer::convolution>(&l_.layers[n].what);
  }
  // Whether these layers read the buffer as the weights of equal kernels.
  constexpr bool are_alike(const plan::buffer& b, std::span<const std::size_t> readers) const {
    const auto* const first = convolution(readers.front());
    return std::ranges::all_of(readers, [&](std::size_t n) {
      const auto* const c = convolution(n);
      return c != nullptr && c->weights == first->weights && c->weights.at.offset == 0 &&
             c->weights.size == b.size && c->output.c == first->output.c &&
             c->precision == first->precision &&
             c->elements_per_kernel() == first->elements_per_kernel();
    });
  }
  // Cycles of the stage that begins with a layer, alone.
  constexpr std::uint64_t cycles(std::size_t n, const layer::convolution& as) const {
    std::vector<plan::task> alone(1);
    alone[0].operations.push_back({.layer = {l_.layers[n].name, as}});
    while (++n < l_.layers.size() && layer::takes_on_the_fly(l_.layers[n].what))
      alone[0].operations.push_back({.layer = l_.layers[n]});
    return cost::cycles(alone, hw_, memory_).totals.cycles;
  }
  constexpr bool compress(plan::buffer& b, std::span<const std::size_t> readers) {
    if (b.content.size() != b.size || !are_alike(b, readers)) return false;
    const auto w = compress_weights(hw_, *convolution(readers.front()), b.content);
    if (w.content.size() >= b.size) return false;
    std::vector<layer::convolution> all;
    std::uint64_t before = 0, now = 0;
    for (const auto n : readers) {
      const auto c = with_weights(hw_, *convolution(n), w);
      if (!c) return false;
      before += cycles(n, *convolution(n));
      now += cycles(n, *c);
      all.push_back(*c);
    }
    if (now > before) return false;
    for (std::size_t i = 0; i < all.size(); ++i) *convolution(readers[i]) = all[i];
    b.content = w.content;
    b.size = w.content.size();
    return true;
  }
  // Closes the gaps between the buffers of weights.
  constexpr void place() {
    l_.weights_size = 0;
    for (auto& b : l_.buffers)
      if (b.memory == plan::memory::weights) {
        b.offset = l_.weights_size;
        l_.weights_size += align_up(b.size, plan::alignment);
      }
  }

  hw::spec hw_;
  cost::memory memory_;
  plan::lowered& l_;
};

}  // namespace detail

// Takes the zeros out of the weights of convolutions, each where that saves bytes and, as
// predicted for a memory, costs no cycles.
struct compress {
  static constexpr std::string_view name = "compress";
  static constexpr std::string_view description =
      "leave the zeros out of the weights where the hardware reads them so";

  // Whether any are. Of weights of which only the size is known, none; nor where an entry of the
  // CBUF is not the 128 bytes that masks come in: how CSC releases them there nobody has seen.
  static constexpr bool run(const hw::spec& hw, plan::lowered& l, const cost::memory& memory) {
    return hw.weight_compression && hw.cbuf_entry == detail::compressed_weights::unit &&
           detail::compression(hw, memory, l).run();
  }
};

}  // namespace nvdlac::schedule
