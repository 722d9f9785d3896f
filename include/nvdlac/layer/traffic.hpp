// SPDX-License-Identifier: Apache-2.0
#pragma once
// The bytes that a layer moves between memory and its units, as the hardware's clients do: whole
// atoms, whatever lies between the lines and surfaces of a cube.
#include <algorithm>
#include <cstdint>

#include <nvdlac/base/units.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/pdp.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/on_host.hpp>

namespace nvdlac::layer {

// The clients of the memory interfaces that go to the secondary memory, CVSRAM, not to DRAM.
struct client_places {
  bool data = false, weights = false, source = false, x1 = false, x2 = false, written = false;

  constexpr bool operator==(const client_places&) const = default;
};

// By the clients of the memory interfaces.
struct client_traffic {  // bytes
  std::uint64_t data = 0, weights = 0;  // CDMA
  std::uint64_t source = 0;             // the cube that SDP, PDP, CDP, Rubik or the host reads
  std::uint64_t x1 = 0, x2 = 0;         // operands of SDP
  std::uint64_t written = 0;
  client_places in_cvsram{};

  constexpr std::uint64_t read() const { return data + weights + source + x1 + x2; }
  // The bytes of one of the two memories.
  constexpr std::uint64_t read(bool cvsram) const {
    const auto of = [&](std::uint64_t n, bool there) { return there == cvsram ? n : 0; };
    return of(data, in_cvsram.data) + of(weights, in_cvsram.weights) +
           of(source, in_cvsram.source) + of(x1, in_cvsram.x1) + of(x2, in_cvsram.x2);
  }
  constexpr std::uint64_t written_to(bool cvsram) const {
    return in_cvsram.written == cvsram ? written : 0;
  }
  constexpr bool operator==(const client_traffic&) const = default;
};

struct traffic {
  std::uint64_t read = 0, written = 0;  // bytes
  constexpr bool operator==(const traffic&) const = default;
};

namespace detail {

// Bytes of `columns` of a cube in memory; none on the fly. SDP takes and leaves 16 bits in
// pairs of atoms beside each atom of int8: `channels` are then whole atoms of int8.
constexpr std::uint64_t moved(const surface& s, bytes atom, std::uint64_t columns,
                              std::uint64_t channels) {
  if (s.at.on_the_fly()) return 0;
  return ceil_div(channels, lanes_of(atom, s.precision)) *
         static_cast<std::uint64_t>(s.shape.h) * columns * atom.n *
         static_cast<std::uint64_t>(s.pictures);
}
constexpr std::uint64_t moved(const surface& s, bytes atom) {
  return moved(s, atom, static_cast<std::uint64_t>(s.shape.w),
               static_cast<std::uint64_t>(s.shape.c));
}

// The operands of X1 or X2 beside a cube that SDP computes in `inside`.
constexpr std::uint64_t moved(const sdp_unit& u, net::shape cube, hw::precision inside,
                              bytes atom) {
  if (!u.enabled() || u.mode == sdp_mode::per_layer) return 0;
  const std::uint64_t pixels =
      u.mode == sdp_mode::per_kernel ? 1 : static_cast<std::uint64_t>(cube.h) *
                                               static_cast<std::uint64_t>(cube.w);
  return pixels * u.operand_bytes * (u.alu && u.mul ? 2 : 1) *
         align_up(static_cast<std::uint64_t>(cube.c), lanes_of(atom, inside));
}

constexpr client_traffic clients_of(const convolution& c, bytes atom) {
  const auto data = c.is_pixel()
                        ? align_up(bytes_of_pixels(c.input.shape, c.input_precision()), atom.n) *
                              static_cast<std::uint64_t>(c.input.shape.h)
                        : moved(c.input, atom);
  const auto weights = c.weights.size + c.mask.size + c.group_sizes.size;
  return {.data = c.data_reuse ? 0 : data, .weights = c.weight_reuse ? 0 : weights,
          .in_cvsram = {.data = c.input.at.cvsram, .weights = c.weights.at.cvsram}};
}
constexpr client_traffic clients_of(const sdp& s, bytes atom) {
  const auto inside = s.inside();
  const auto whole = align_up(static_cast<std::uint64_t>(s.input.shape.c), lanes_of(atom, inside));
  const auto columns = static_cast<std::uint64_t>(s.input.shape.w);
  return {.source = moved(s.input, atom, columns, whole),
          .x1 = moved(s.x1, s.input.shape, inside, atom),
          .x2 = moved(s.x2, s.input.shape, inside, atom),
          .written = moved(s.output, atom, columns, whole),
          .in_cvsram = {.source = s.input.at.cvsram, .x1 = s.x1.operands.at.cvsram,
                        .x2 = s.x2.operands.at.cvsram, .written = s.output.at.cvsram}};
}
// Each part of a split pooling but the first reads columns again that its windows share.
constexpr client_traffic clients_of(const pdp& p, bytes atom) {
  const auto shared = std::max<std::int32_t>(p.window.kernel_w - p.window.stride_w, 0);
  const auto columns = p.input.shape.w + (p.split.parts - 1) * shared;
  return {.source = moved(p.input, atom, static_cast<std::uint64_t>(columns),
                          static_cast<std::uint64_t>(p.input.shape.c)),
          .written = moved(p.output, atom),
          .in_cvsram = {.source = p.input.at.cvsram, .written = p.output.at.cvsram}};
}
constexpr client_traffic clients_of(const host_call& c, bytes atom) {
  client_traffic t{.written = moved(c.output, atom)};
  for (const auto& cube : c.inputs()) t.source += moved(cube, atom);
  return t;
}
constexpr client_traffic clients_of(const auto& l, bytes atom) {
  return {.source = moved(l.input, atom), .written = moved(l.output, atom),
          .in_cvsram = {.source = l.input.at.cvsram, .written = l.output.at.cvsram}};
}

}  // namespace detail

constexpr client_traffic clients_of(const any& what, bytes atom) {
  return nvdlac::visit([&](const auto& l) { return detail::clients_of(l, atom); }, what);
}

constexpr traffic traffic_of(const any& what, bytes atom) {
  const auto by = clients_of(what, atom);
  return {by.read(), by.written};
}

}  // namespace nvdlac::layer
