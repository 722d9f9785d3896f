// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <span>
#include <vector>

#include <nvdlac/sim/conv/cbuf.hpp>
#include <nvdlac/sim/conv/decode_cdma.hpp>
#include <nvdlac/sim/conv/load_input.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// Compressed weights: a bit for each element (WMB, the lowest first) says whether it is there;
// those that are not are 0. WGS holds the bytes of each kernel group.

// The ones among bits [first, first + count) of `mask`.
constexpr std::uint64_t count_ones(std::span<const std::uint8_t> mask, std::uint64_t first,
                                   std::uint64_t count) {
  std::uint64_t ones = 0;
  for (auto bit = first; bit < first + count;) {
    if (bit % 8 == 0 && first + count - bit >= 8) {
      ones += static_cast<std::uint64_t>(std::popcount(mask[static_cast<std::size_t>(bit / 8)]));
      bit += 8;
    } else {
      ones += mask[static_cast<std::size_t>(bit / 8)] >> (bit % 8) & 1;
      ++bit;
    }
  }
  return ones;
}

// `elements` elements of `bytes` bytes. The mask has a bit for each, `packed` those that are there.
constexpr void decompress_weights(std::span<const std::uint8_t> packed,
                                  std::span<const std::uint8_t> mask, std::uint64_t elements,
                                  std::uint32_t bytes, std::vector<std::uint8_t>& out) {
  out.assign(static_cast<std::size_t>(elements * bytes), 0);
  auto from = packed.begin();
  for (std::size_t i = 0; i < elements; ++i) {
    if ((mask[i / 8] >> (i % 8) & 1) == 0) continue;
    for (std::uint32_t b = 0; b < bytes; ++b) out[i * bytes + b] = *from++;
  }
}

// The sizes of the kernel groups against the mask. `group_elements`: of a whole kernel group.
void check_groups(std::span<const std::uint32_t> sizes, std::span<const std::uint8_t> mask,
                  std::uint64_t elements, std::uint64_t group_elements, std::uint32_t bytes);

// CDMA as an engine of its own: it executes an operation when it is enabled, whether CSC is or not,
// as far as the CBUF has room.
template <hw::hardware Hw>
class cdma_pipeline {
 public:
  // Begins or ends an operation; whether it could.
  bool run(device_state<Hw>& s, cbuf<Hw>& b) {
    if (streams_) return end(s, b);
    if (!s.groups(unit::cdma).ready()) return false;
    const auto g = s.active(unit::cdma);
    const cbuf_division banks{g.template count<"CDMA.D_BANK.DATA_BANK">(),
                              g.template count<"CDMA.D_BANK.WEIGHT_BANK">()};
    const bool divides = banks != b.cdma.banks;
    if (divides && !csc_divides(s, b)) return false;
    const auto l = decode(s, g, b, banks);
    if (divides) check_division(s, banks);
    const bool first = banks.data != b.cdma.banks.data;  // nothing stays of the data
    if (l.brings_data && (first ? 0 : b.data.entries()) + entries(l) > b.room(banks.data))
      return false;
    if (divides) {
      b.check_left(s.memories.rules, false);
      b.divide(banks);
    }
    counts_ = {};
    if (l.brings_data) bring_data(l, knows_shape(s, l), b);
    else if (!b.data.empty()) widen_padding(l, b.data.back());
    if (l.brings_weights) bring_weights(l, b);
    fetched_.template add<Hw>(g, l, counts_);
    if (s.flight) {
      const auto at = s.flight->fetched(s.groups(unit::cdma).consumer, s.memories.take_accesses(),
                                        s.memories.timing);
      if (l.brings_data) b.data.back().fetch = at;
      if (l.brings_weights) b.weights.back().fetch = at;
    }
    streams_ = true;
    layer_ = l;
    end(s, b);
    return true;
  }

  // An operation whose weights are not all in the CBUF yet.
  bool streams() const { return streams_; }
  // The counts of the last operation.
  const convolution_counts& counts() const { return counts_; }
  // Returns, and forgets, what operations brought since the last call.
  fetched_input take_fetched() { return std::exchange(fetched_, {}); }

  void reset() {
    streams_ = false;
    fetched_ = {};
  }

 private:
  using view = group_view<Hw::spec.map>;

  static std::uint32_t lines(const cdma_layer& l) {
    return l.winograd ? l.padded_height() / l.stride_y : l.height;
  }
  static std::uint64_t entries(const cdma_layer& l) {
    return std::uint64_t{lines(l)} * l.entries * l.batches;
  }

  // Banks change when both units come to it: each waits for the other.
  static bool csc_divides(const device_state<Hw>& s, const cbuf<Hw>& b) {
    return s.groups(unit::csc).ready() && division_of_csc(s) != b.csc.banks;
  }
  static cbuf_division division_of_csc(const device_state<Hw>& s) {
    const auto g = s.active(unit::csc);
    return {g.template count<"CSC.D_BANK.DATA_BANK">(),
            g.template count<"CSC.D_BANK.WEIGHT_BANK">()};
  }
  static void check_division(const device_state<Hw>& s, cbuf_division banks) {
    const auto csc = division_of_csc(s);
    require(csc.data == banks.data, "CSC.D_BANK.DATA_BANK", csc.data, " differs from ", banks.data,
            " of CDMA");
    require(csc.weights == banks.weights, "CSC.D_BANK.WEIGHT_BANK", csc.weights, " differs from ",
            banks.weights, " of CDMA");
  }

  // A reuse bit counts only where the operation before kept what it brought: CDMA fetches else.
  static cdma_layer decode(device_state<Hw>& s, const view& g, const cbuf<Hw>& b,
                           cbuf_division banks) {
    const bool data = g.template on<"CDMA.D_MISC_CFG.DATA_REUSE">();
    const bool weights = g.template on<"CDMA.D_MISC_CFG.WEIGHT_REUSE">();
    const auto mode = mode_of(g.template on<"CDMA.D_DATAIN_FORMAT.DATAIN_FORMAT">(),
                              g.template on<"CDMA.D_MISC_CFG.CONV_MODE">());
    const bool keeps_data = data && banks.data == b.cdma.banks.data && b.cdma.keep_data &&
                            b.cdma.mode == mode;
    const bool keeps_weights = weights && banks == b.cdma.banks && b.cdma.keep_weights;
    const bool lines_left = banks.data == b.cdma.banks.data &&
                            (b.csc.kept_slices != 0 || (!b.data.empty() && !b.data.back().begun));
    auto& rules = s.memories.rules;
    rules.holds(!data || keeps_data || lines_left, "CDMA.D_MISC_CFG.DATA_REUSE",
                "the convolution before did not keep its data (SKIP_DATA_RLS), or the banks or the "
                "mode changed");
    rules.holds(!weights || keeps_weights, "CDMA.D_MISC_CFG.WEIGHT_REUSE",
                "the convolution before did not keep its weights (SKIP_WEIGHT_RLS), or the banks "
                "changed");
    return decode_cdma<Hw>(g, s.memories, !keeps_data, !keeps_weights);
  }

  // CSC will read the line in the shape that CDMA is told.
  static bool knows_shape(const device_state<Hw>& s, const cdma_layer& l) {
    if (!s.groups(unit::csc).ready()) return false;
    const auto g = s.active(unit::csc);
    return g.template count<"CSC.D_DATAIN_SIZE_EXT_0.DATAIN_WIDTH_EXT">() == l.width &&
           g.template count<"CSC.D_DATAIN_SIZE_EXT_1.DATAIN_CHANNEL_EXT">() == l.channels;
  }

  void bring_data(cdma_layer l, bool known_shape, cbuf<Hw>& b) {
    auto block = b.data.fresh();
    // CDMA writes whole atoms of features.
    if (!l.pixel && !l.winograd && !known_shape)
      l.channels = static_cast<std::uint32_t>(
          align_up(l.channels, Hw::spec.memory_atom / hw::element_bytes(l.precision)));
    block.layer = l;
    block.begun = false;
    block.lines = lines(l);
    block.batches.resize(l.batches);
    for (std::uint32_t n = 0; n < l.batches; ++n, l.source.base += l.batch_stride)
      load(l, block.batches[n]);
    b.data.push(std::move(block));
  }

  // The right and lower padding is that of any layer that computes with the data.
  static void widen_padding(const cdma_layer& l, input_block& block) {
    if (block.layer.pixel || block.layer.winograd) return;
    block.layer.pad_left = l.pad_left;
    block.layer.pad_top = l.pad_top;
    block.layer.pad_right = std::max(block.layer.pad_right, l.pad_right);
    block.layer.pad_bottom = std::max(block.layer.pad_bottom, l.pad_bottom);
  }

  void load(const cdma_layer& l, cbuf_input& to) {
    if constexpr (has_16_bits<Hw>)
      if (l.precision != hw::precision::int8) return load_as(l, to.data16);
    load_as(l, to.data);
  }

  template <class T>
  void load_as(const cdma_layer& l, std::vector<T>& data) {
    if (l.pixel) return load_pixels(l, bytes_, data, counts_);
    if constexpr (Hw::spec.winograd)
      if (l.winograd) {
        const auto lanes = static_cast<std::size_t>(l.source.surfaces * l.source.unit / sizeof(T));
        std::vector<T> plain;
        load_feature(l, lanes, bytes_, plain, counts_);
        return extend_input(l, lanes, plain, data);
      }
    load_feature(l, l.channels, bytes_, data, counts_);
  }

  void bring_weights(const cdma_layer& l, cbuf<Hw>& b) {
    const auto group = std::uint64_t{std::min(l.kernels, Hw::spec.kernel_group(l.precision))} *
                       l.kernel_bytes;
    require(b.entries_of(l.compressed ? 0 : group) + b.lost <= b.room(l.weight_banks),
            "CDMA.D_WEIGHT_BYTES", "CDMA waits for ever: the convolutions before left ", b.lost,
            " entries of weights that are never released, and a kernel group of ",
            b.entries_of(group), " does not fit beside them in ", l.weight_banks, " banks of ",
            Hw::spec.cbuf_entries_per_bank);
    auto block = b.weights.fresh();
    auto& read = l.compressed ? bytes_ : block.bytes;
    read.resize(l.weight_bytes);
    l.weight_ram->read(l.weight_address, read);
    if constexpr (Hw::spec.data_types.fp16)
      if (l.precision == hw::precision::fp16)
        count_floats(read, false, counts_.nan_weights, counts_.inf_weights);
    if constexpr (Hw::spec.weight_compression)
      if (l.compressed) decompress(l, block.bytes);
    block.layer = l;
    block.kernels = l.kernels;
    block.entries = b.entries_of(l.weight_bytes);
    b.weights.push(std::move(block));
  }

  void decompress(const cdma_layer& l, std::vector<std::uint8_t>& to) {
    const auto bytes = hw::element_bytes(l.precision);
    const auto kernel = std::uint64_t{l.kernel_bytes} / bytes, elements = l.kernels * kernel;
    const auto group = Hw::spec.kernel_group(l.precision);
    std::vector<std::uint32_t> sizes(ceil_div(l.kernels, group));
    std::vector<std::uint8_t> raw(sizes.size() * 4), mask(l.mask_bytes);
    l.weight_ram->read(l.sizes_address, raw);
    l.weight_ram->read(l.mask_address, mask);
    std::uint64_t sum = 0, largest = 0;
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      for (std::size_t i = 4; i-- > 0;) sizes[g] = sizes[g] << 8 | raw[g * 4 + i];
      sum += sizes[g];
      largest = std::max<std::uint64_t>(largest, sizes[g]);
    }
    check_groups(sizes, mask, elements, group * kernel, bytes);
    require(l.weight_bytes == align_up(sum, hw::weight_unit(Hw::spec).n), "CDMA.D_WEIGHT_BYTES",
            "the kernel groups of ", sum, " bytes do not fill ", l.weight_bytes, " bytes");
    const auto space = l.weight_banks * Hw::spec.cbuf_bank().n;
    require(l.weight_bytes <= space || largest + Hw::spec.cbuf_entry <= space,
            "CDMA.D_BANK.WEIGHT_BANK", "a kernel group of ", largest, " bytes does not fit ",
            l.weight_banks, " banks");
    decompress_weights(bytes_, mask, elements, bytes, to);
  }

  // The operation ends when its last weights are in the CBUF.
  bool end(device_state<Hw>& s, cbuf<Hw>& b) {
    if (b.weights.entries() > b.room(b.cdma.banks.weights)) return false;
    streams_ = false;
    b.cdma.mode = mode_of(layer_.pixel, layer_.winograd);
    b.cdma.keep_data = layer_.keep_data;
    b.cdma.keep_weights = layer_.keep_weights;
    constexpr auto map = Hw::spec.map;
    const int group = s.groups(unit::cdma).take();
    s.registers.set(group, hw::address<map, "CDMA.D_NAN_INPUT_DATA_NUM">, counts_.nan_data);
    s.registers.set(group, hw::address<map, "CDMA.D_INF_INPUT_DATA_NUM">, counts_.inf_data);
    s.registers.set(group, hw::address<map, "CDMA.D_NAN_INPUT_WEIGHT_NUM">, counts_.nan_weights);
    s.registers.set(group, hw::address<map, "CDMA.D_INF_INPUT_WEIGHT_NUM">, counts_.inf_weights);
    s.template done<"GLB.S_INTR_STATUS.CDMA_DAT_DONE_STATUS0">(group);
    s.template done<"GLB.S_INTR_STATUS.CDMA_WT_DONE_STATUS0">(group);
    return true;
  }

  bool streams_ = false;
  cdma_layer layer_{};
  convolution_counts counts_{};
  fetched_input fetched_{};
  std::vector<std::uint8_t> bytes_;
};

}  // namespace nvdlac::sim

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/sim/conv/cdma_pipeline.ipp>
#endif
