// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <variant>

#include <nvdlac/base/fixed.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/pool.hpp>

namespace nvdlac::layer {

// What the host computes between layers of the hardware. Tensors of fp16 have no scales.

// A softmax over the channels, int8 or fp16, as the emulator of the public runtime computes it.
struct host_softmax {
  layer::surface input{}, output{};
  float input_scale = 1, output_scale = 1;

  constexpr bool operator==(const host_softmax&) const = default;
};

// A call of a layer that the host has by name, of any precision.
struct host_call {
  std::int16_t call = 0;  // index into program::calls
  std::uint8_t input_count = 1;
  std::array<layer::surface, net::most_host_inputs> input_list{};
  layer::surface output{};
  std::array<double, net::most_host_inputs> input_scales{};  // real = scale * integer
  double output_scale = 1;

  constexpr std::span<const layer::surface> inputs() const { return {&input_list[0], input_count}; }
  constexpr std::span<layer::surface> inputs() { return {&input_list[0], input_count}; }
  constexpr bool operator==(const host_call&) const = default;
};

template <>
struct engine<host_softmax> {
  static constexpr const char* name = "host";
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
  }
};

template <>
struct engine<host_call> {
  static constexpr const char* name = "host";
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    for (auto& cube : l.inputs()) visit(cube, access::read);
    visit(l.output, access::write);
  }
};

// One pass of CDP from memory to memory: what its table says to the sum of the squares of
// local_size channels, times the element. Lanes beyond the last channel count as 0.
struct cdp {
  layer::surface input{}, output{};
  std::int32_t local_size = 5;  // 3, 5, 7 or 9
  converter in{}, out{};
  std::int16_t lut = -1;        // index into program::luts

  constexpr bool operator==(const cdp&) const = default;
};

template <>
struct engine<cdp> {
  static constexpr const char* name = "CDP";
  static constexpr auto number = engine_number::cdp;
  static constexpr fixed_string done{"GLB.S_INTR_STATUS.CDP_DONE_STATUS0"};
  static constexpr register_blocks<"CDP"> cores{};
  static constexpr fixed_string reader{"CDP_RDMA"};
  static constexpr bool uses_reader(const cdp&) { return true; }
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
  }
};

// A split of a pooling's width into first, middle and last parts; columns of input and output.
struct pdp_split {
  std::uint8_t parts = 1;
  std::uint16_t in_first = 0, in_mid = 0, in_last = 0;
  std::uint16_t out_first = 0, out_mid = 0, out_last = 0;

  constexpr bool operator==(const pdp_split&) const = default;
};

// One pass of PDP, in the precision of its cubes. The source is SDP when input.at is on the fly.
// Padding counts as pad_value in an average and is ignored by a maximum; an average divides by the
// whole kernel.
struct pdp {
  layer::surface input{};
  layer::surface output{};
  net::pool_kind kind = net::pool_kind::maximum;
  net::window window{};  // dilation 1; kernel and stride 1..8, pads 0..7
  std::int16_t pad_value = 0;
  pdp_split split{};

  constexpr bool operator==(const pdp&) const = default;
};

template <>
struct engine<pdp> {
  static constexpr const char* name = "PDP";
  static constexpr auto number = engine_number::pdp;
  static constexpr auto source = engine_number::sdp;
  static constexpr fixed_string done{"GLB.S_INTR_STATUS.PDP_DONE_STATUS0"};
  static constexpr register_blocks<"PDP"> cores{};
  static constexpr fixed_string reader{"PDP_RDMA"};
  static constexpr bool uses_reader(const pdp& l) { return !l.input.at.on_the_fly(); }
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
  }
};

// One pass of Rubik in the mode that contracts: the surfaces of the input are stride_y * stride_x
// groups, each as many as the output has; pixel (y, x) of group r * stride_x + s becomes
// pixel (y * stride_y + r, x * stride_x + s) of the output. Atoms move whole, in any precision.
struct rubik {
  layer::surface input{}, output{};
  std::int32_t stride_y = 1, stride_x = 1;

  constexpr std::int32_t groups() const { return stride_y * stride_x; }
  constexpr bool operator==(const rubik&) const = default;
};

template <>
struct engine<rubik> {
  static constexpr const char* name = "RUBIK";
  static constexpr auto number = engine_number::rubik;
  static constexpr fixed_string done{"GLB.S_INTR_STATUS.RUBIK_DONE_STATUS0"};
  static constexpr register_blocks<"RBK"> cores{};
  template <class Visit>
  static constexpr void cubes(auto& l, Visit visit) {
    visit(l.input, access::read);
    visit(l.output, access::write);
  }
};

// Every kind of layer that there is: the one list. A new engine joins it with its layer, and says
// what it is in `engine`.
using kinds = type_list<convolution, sdp, pdp, cdp, rubik, host_softmax, host_call>;

template <class... Kinds>
std::variant<Kinds...> one_of(type_list<Kinds...>);

// A hardware layer: one programming of one engine (or one computation of the host). A convolution
// is always followed by the SDP layer that takes its result.
using any = decltype(one_of(kinds{}));

struct layer {
  label name;  // of the network's layer it computes, with a suffix when that is split
  any what;
};

namespace detail {

template <class Layer>
constexpr engine_number number_of_kind() {
  if constexpr (on_engine<Layer>) return engine<Layer>::number;
  else return engine_number::none;
}

// By the index of the kind.
template <class... Kinds>
constexpr std::array<const char*, sizeof...(Kinds)> names_of(type_list<Kinds...>) {
  return {engine<Kinds>::name...};
}
template <class... Kinds>
constexpr std::array<engine_number, sizeof...(Kinds)> numbers_of(type_list<Kinds...>) {
  return {number_of_kind<Kinds>()...};
}
inline constexpr auto names = names_of(kinds{});
inline constexpr auto numbers = numbers_of(kinds{});

}  // namespace detail

constexpr engine_number engine_of(const any& what) { return detail::numbers[what.index()]; }
constexpr const char* name_of_engine(const any& what) { return detail::names[what.index()]; }
constexpr bool on_host(const any& what) { return engine_of(what) == engine_number::none; }

// visit(cube, access) for every cube that the layer names, in memory or on the fly.
template <class Any, class Visit>
constexpr void for_each_cube(Any& what, Visit visit) {
  nvdlac::visit([&]<class Layer>(Layer& l) {
    engine<std::remove_const_t<Layer>>::cubes(l, visit);
  }, what);
}

// visit(cube) for every cube in memory that the layer reads.
template <class Visit>
constexpr void for_each_read(const any& what, Visit visit) {
  for_each_cube(what, [&](const surface& cube, access a) {
    if (a == access::read && !cube.at.on_the_fly()) visit(cube);
  });
}

// visit(cube) for the cube in memory that the layer writes, if any.
template <class Visit>
constexpr void for_each_write(const any& what, Visit visit) {
  for_each_cube(what, [&](const surface& cube, access a) {
    if (a == access::write && !cube.at.on_the_fly()) visit(cube);
  });
}

// Whether the layer takes its input from another engine, not from memory.
constexpr bool takes_on_the_fly(const any& what) {
  return nvdlac::visit([]<class Layer>(const Layer& l) {
    if constexpr (requires { engine<Layer>::source; }) return l.input.at.on_the_fly();
    else return false;
  }, what);
}

// Whether the next layer takes its result: it leaves nothing in memory.
constexpr bool gives_on_the_fly(const any& what) {
  bool writes = false;
  for_each_write(what, [&](const surface&) { writes = true; });
  return !writes;
}

// The bytes that a layer moves between memory and its units, as the hardware's clients do: whole
// atoms, whatever lies between the lines and surfaces of a cube.

// Which clients of the memory interfaces go to the secondary memory, CVSRAM, not to DRAM.
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
  // Of one of the two memories.
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

// Of `columns` of a cube in memory; none on the fly. SDP takes and leaves 16 bits in pairs of atoms
// beside each atom of int8: `channels` are then whole atoms of int8.
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
  const auto line = static_cast<std::uint64_t>(c.input.shape.w) *
                    static_cast<std::uint64_t>(c.input.shape.c);
  const auto data = c.is_pixel()
                        ? align_up(line, atom.n) * static_cast<std::uint64_t>(c.input.shape.h)
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
