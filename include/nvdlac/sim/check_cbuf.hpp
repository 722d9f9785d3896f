// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/sim/cdma.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::sim {

// CBUF entries of one line of the input.
template <hw::hardware Hw>
std::uint64_t entries_per_slice(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  if (l.winograd)
    return hw::winograd_entries_per_slice(s, l.precision, l.padded_width(), l.channels,
                                          l.stride_x, l.stride_y).n;
  return l.pixel ? hw::image_entries_per_slice(s, l.precision, l.padded_width(), l.channels).n
                 : hw::feature_entries_per_slice(s, l.precision, l.width, l.channels).n;
}

// Whether the data fits its banks, and whether ENTRIES is what CDMA writes. CSC begins when the
// whole input is in the CBUF, so all of it must fit.
template <hw::hardware Hw>
void check_data_banks(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  const auto entries = entries_per_slice<Hw>(l);
  require(l.entries == entries, "CDMA.D_ENTRY_PER_SLICE.ENTRIES", "a slice takes ", entries,
          " CBUF entries, not ", l.entries);
  const std::uint64_t lines =
      (l.winograd ? l.padded_height() / l.stride_y : l.height) * std::uint64_t{l.batches};
  require(entries * lines <= std::uint64_t{l.data_banks} * s.cbuf_entries_per_bank,
          "CDMA.D_BANK.DATA_BANK", lines, " slices of ", entries,
          " entries do not fit ", l.data_banks, " banks");
}

template <hw::hardware Hw>
void check_weight_banks(const cdma_layer& l) {
  constexpr const auto& s = Hw::spec;
  const std::uint64_t all = std::uint64_t{l.kernels} * l.kernel_bytes;
  const auto space = std::uint64_t{l.weight_banks} * s.cbuf_bank().n;
  const auto group =
      std::uint64_t{std::min(l.kernels, s.kernel_group(l.precision))} * l.kernel_bytes;
  require(!l.keep_weights || l.weight_bytes <= space,
          "CDMA.D_BANK.WEIGHT_BANK", "weights that stay in the CBUF must fit their banks");
  if (!l.compressed) {
    require(l.weight_bytes >= all, "CDMA.D_WEIGHT_BYTES", l.kernels, " kernels of ",
            l.kernel_bytes, " bytes are more than ", l.weight_bytes, " bytes");
    require(l.weight_bytes - all < std::max<std::uint64_t>(128, s.cbuf_entry),
            "CDMA.D_WEIGHT_BYTES", l.weight_bytes, " bytes are too many for ", l.kernels,
            " kernels of ", l.kernel_bytes, " bytes");
    require(group <= space, "CDMA.D_BANK.WEIGHT_BANK", "a kernel group of ", group,
            " bytes does not fit ", l.weight_banks, " banks");
    return;
  }
  // The last bank holds a bit for each element: of all of them if they stay, else of a group.
  const auto elements = all / hw::element_bytes(l.precision);
  const auto bits = group / hw::element_bytes(l.precision);
  const auto entry = std::uint64_t{s.cbuf_entry} * 8, bank = s.cbuf_bank().n * 8;
  require(l.mask_bytes == ceil_div(elements, 1024) * 128, "CDMA.D_WMB_BYTES", elements,
          " elements have a mask of ", ceil_div(elements, 1024) * 128, " bytes, not ",
          l.mask_bytes);
  require(l.mask_bytes * 8 <= bank || (bits + entry <= bank && !l.keep_weights),
          "CDMA.D_WMB_BYTES", "the mask of ", l.keep_weights ? "all kernels" : "a kernel group",
          " does not fit its bank");
  require(l.weight_bytes <= align_up(all, 128), "CDMA.D_WEIGHT_BYTES", l.weight_bytes,
          " bytes are too many for ", l.kernels, " kernels of ", l.kernel_bytes, " bytes");
}

// What an operation brings fits the CBUF.
template <hw::hardware Hw>
void check_banks(const cdma_layer& l) {
  const auto usable = hw::usable_banks(Hw::spec, l.compressed).n;
  require(l.data_banks + l.weight_banks <= usable, "CDMA.D_BANK", l.data_banks, " + ",
          l.weight_banks, " banks for data and weights are more than the ", usable,
          " of the CBUF", l.compressed ? " beside the masks'" : "");
  if (l.brings_data) check_data_banks<Hw>(l);
  if (l.brings_weights) check_weight_banks<Hw>(l);
}

}  // namespace nvdlac::sim
