// SPDX-License-Identifier: Apache-2.0
#pragma once
// How data and weights fill the convolution buffer. Widths, heights and channels are those of the
// input in elements and at least 1; a slice is one line of the input with all its channels.
#include <algorithm>
#include <cstdint>

#include <nvdlac/hw/spec.hpp>

namespace nvdlac::hw {

// Memory atoms in one CBUF entry.
constexpr std::uint32_t atoms_per_entry(const spec& s) { return s.cbuf_entry / s.memory_atom; }

// Surfaces of a cube: groups of channels that share one atom.
constexpr std::uint64_t surfaces(const spec& s, precision p, std::uint64_t channels) {
  return ceil_div(channels * element_bytes(p), s.memory_atom);
}

// CDMA.D_ENTRY_PER_SLICE of a feature cube. Whole entries take the atoms of neighbouring surfaces;
// the rest of the surfaces is packed along the line, but three of four take an entry for each atom.
constexpr entries feature_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                            std::uint64_t channels) {
  const std::uint64_t per_entry = atoms_per_entry(s);
  const auto atoms = surfaces(s, p, channels);
  const auto rest = atoms % per_entry;
  const auto tail = rest == 3 ? width : ceil_div(width * rest, per_entry);
  return {atoms / per_entry * width + tail};
}

// CDMA.D_ENTRY_PER_SLICE of an image; `p` is the precision of the processing, `width` includes the
// left and the right padding, which the buffer stores too.
constexpr entries image_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                          std::uint64_t channels) {
  return {ceil_div(width * channels * element_bytes(p), s.cbuf_entry)};
}

// CDMA.D_ENTRY_PER_SLICE of a Winograd convolution: `width` includes the padding and is a multiple
// of 4 * stride_x.
constexpr entries winograd_entries_per_slice(const spec& s, precision p, std::uint64_t width,
                                             std::uint64_t channels, std::uint64_t stride_x = 1,
                                             std::uint64_t stride_y = 1) {
  return {width / (4 * stride_x) * surfaces(s, p, channels) * stride_x * stride_y};
}

// Banks for so many slices (lines) of data; a bank is used by data or by weights, never by both.
constexpr banks data_banks(const spec& s, entries per_slice, std::uint64_t lines) {
  return {std::max<std::uint64_t>(ceil_div(per_slice.n * lines, s.cbuf_entries_per_bank), 1)};
}

// CDMA and CSC count the entries that a line of all pictures of a batch takes in 12 bits
// (entry_per_batch in NV_NVDLA_CDMA_dc.v, entries_batch in NV_NVDLA_CSC_dl.v).
inline constexpr std::uint64_t most_entries_of_pictures = 4095;

// In batch mode CACC hands over two atoms of each picture at a time, and SDP writes them so, where
// they share so many bytes (NV_NVDLA_CACC_delivery_ctrl.v, NV_NVDLA_SDP_WDMA_cmd.v).
inline constexpr std::uint32_t pair_of_atoms = 64;

// Slices of data that fit so many banks.
constexpr std::uint64_t slices_in(const spec& s, banks b, entries per_slice) {
  return b.n * s.cbuf_entries_per_bank / per_slice.n;
}

// The unit of WEIGHT_BYTES: one entry. CDMA writes that many bytes, but CSC releases only the
// entries that the kernels take: one more stays for ever, and the layers after it read behind it.
constexpr bytes weight_unit(const spec& s) {
  const std::uint64_t field = s.map == register_map::full ? 128 : 1;  // the register's lowest bit
  return {std::max<std::uint64_t>(s.cbuf_entry, field)};
}

// CDMA.D_WEIGHT_BYTES and CSC.D_WEIGHT_BYTES: the packed weights in whole units, never in more.
constexpr bytes weight_bytes(const spec& s, precision p, std::uint64_t kernels,
                             std::uint64_t elements_per_kernel) {
  return round_up(bytes{kernels * elements_per_kernel * element_bytes(p)}, weight_unit(s));
}

// The fewest weights that must be in the buffer at once: one kernel group.
constexpr bytes kernel_group_bytes(const spec& s, precision p, std::uint64_t kernels,
                                   std::uint64_t elements_per_kernel) {
  return weight_bytes(s, p, std::min<std::uint64_t>(kernels, s.kernel_group(p)),
                      elements_per_kernel);
}

// Banks that hold so many bytes of weights.
constexpr banks weight_banks(const spec& s, bytes weights) {
  return {std::max<std::uint64_t>(ceil_div(weights.n, s.cbuf_bank().n), 1)};
}

// CDMA.D_WMB_BYTES and CSC.D_WMB_BYTES: a bit for each element of compressed weights.
constexpr bytes mask_bytes(std::uint64_t elements) {
  return round_up(bytes{ceil_div(elements, 8u)}, bytes{128});
}

// Banks for data and weights together: the masks of compressed weights occupy the last one.
constexpr banks usable_banks(const spec& s, bool compressed) {
  return {s.cbuf_banks - (compressed ? 1u : 0u)};
}

}  // namespace nvdlac::hw
