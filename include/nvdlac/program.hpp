// SPDX-License-Identifier: Apache-2.0
#pragma once
// The program of a network that the C++ compiler compiles: the same functions as at run time give
// the same registers, memory and weights, as constants. See docs/compile_time.md.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/emit/even_groups.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/emit/register_lists.hpp>
#include <nvdlac/lower/lower.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/plan/plan.hpp>
#include <nvdlac/program_checks.hpp>
#include <nvdlac/register_program.hpp>

namespace nvdlac {

namespace detail {

// How many there are of everything.
struct program_counts {
  std::size_t steps = 0, inputs = 0, outputs = 0, host_layers = 0, pieces = 0, letters = 0;
  std::uint64_t weights = 0;
  bool values_known = true;
};

template <class To, class From>
constexpr To listed(const From& from) {
  To to{};
  auto* next = to.data();
  const auto* element = from.data();  // iterators would take clang three times as many steps
  for (auto left = from.size(); left != 0; --left) *next++ = *element++;
  return to;
}

// Counts nothing for a network that does not run on Hw, so that the compiler says its reason alone.
template <hw::hardware Hw, const auto& Net, std::uint64_t Base>
constexpr program_counts count_program() {
  if constexpr (!runs_or_refused<Hw, Net>()) return {};
  else {
    auto layers = detail::layers_of<Hw, Net>();
    const bool known = layers.values_known;
    const auto plan = plan::make_program<Hw>(std::move(layers));
    const auto lists = emit::make_registers<Hw>(plan, Base, emit::step_count());
    program_counts n{lists.steps.count,       lists.inputs.size(),        lists.outputs.size(),
                     lists.host_layers.size(), lists.weight_layout.size(), 0,
                     lists.weights.size,       known};
    for (const auto* tensors : {&lists.inputs, &lists.outputs})
      for (const auto& t : *tensors) n.letters += t.name.size();
    for (const auto& p : lists.weight_layout) n.letters += p.name.size();
    return n;
  }
}

// Everything but the weights, with the names one behind the other.
template <program_counts N>
struct program_constants {
  std::array<step, N.steps> steps{};
  memory_region weights{}, features{}, cvsram{};
  std::array<program_tensor, N.inputs> inputs{};
  std::array<program_tensor, N.outputs> outputs{};
  std::array<host_softmax, N.host_layers> host_layers{};
  std::array<weight_piece, N.pieces> weight_layout{};
  std::array<std::size_t, N.inputs + N.outputs + N.pieces> name_ends{};
  std::array<char, N.letters> letters{};
};

template <hw::hardware Hw, const auto& Net, std::uint64_t Base, program_counts N>
constexpr program_constants<N> make_program_constants() {
  if constexpr (!runs_or_refused<Hw, Net>()) return {};
  else {
    const auto plan = detail::program_of<Hw, Net>();
    program_constants<N> c{};
    const auto lists = emit::make_registers<Hw>(plan, Base, emit::steps_at{c.steps.data()});
    c.weights = lists.weights;
    c.features = lists.features;
    c.cvsram = lists.cvsram;
    c.host_layers = listed<std::array<host_softmax, N.host_layers>>(lists.host_layers);
    std::size_t names = 0, letters = 0;
    // A constant cannot refer to a name of this evaluation.
    const auto take = [&](auto& to, const auto& from) {
      for (std::size_t i = 0; i < from.size(); ++i) {
        to[i] = from[i];
        to[i].name = {};
        for (const char letter : from[i].name) c.letters[letters++] = letter;
        c.name_ends[names++] = letters;
      }
    };
    take(c.inputs, lists.inputs);
    take(c.outputs, lists.outputs);
    take(c.weight_layout, lists.weight_layout);
    return c;
  }
}

// The cycles of one run as `steps` drive it, with register accesses that take no time.
template <hw::hardware Hw, const auto& Net>
constexpr cost::totals cycles_of_program() {
  if constexpr (!runs_or_refused<Hw, Net>()) return {};
  else {
    auto plan = detail::program_of<Hw, Net>();
    auto even = emit::even_groups(plan, Hw::spec);
    plan.tasks.insert(plan.tasks.begin() + static_cast<std::ptrdiff_t>(even.before),
                      std::move(even.task));
    return cost::cycles<Hw>(plan).totals;
  }
}

// The elements with their names, which end at ends[first] and following.
template <class Named, std::size_t Size>
constexpr std::array<Named, Size> with_names(std::array<Named, Size> elements,
                                             std::string_view letters,
                                             std::span<const std::size_t> ends,
                                             std::size_t first) {
  std::size_t from = first == 0 ? 0 : ends[first - 1];
  for (std::size_t i = 0; i < Size; ++i) {
    const auto end = ends[first + i];
    elements[i].name = letters.substr(from, end - from);
    from = end;
  }
  return elements;
}

}  // namespace detail

// The program of `Net`, a constexpr net::network of integer operators, for Hw. Memory begins at
// `Base`, or where the firmware says if that is `relocatable`. A network that Hw cannot compute
// does not compile.
template <hw::hardware Hw, const auto& Net, std::uint64_t Base = emit::address_space::first>
class program {
  static_assert(is_verified<Hw, Net>, "nvdlac: its own checker refuses the program");
  static constexpr auto counts = detail::count_program<Hw, Net, Base>();
  static constexpr auto all = detail::make_program_constants<Hw, Net, Base, counts>();
  static constexpr std::array<char, counts.letters> letters = all.letters;  // `all` is not in ROM

  template <class Elements>
  static constexpr Elements named(const Elements& elements, std::size_t first) {
    return detail::with_names(elements, {letters.data(), letters.size()}, all.name_ends, first);
  }

  using image = std::array<std::uint8_t, counts.weights>;

  static constexpr image packed_weights() {
    image all_bytes{};
    if constexpr (known_or_refused<Net>())
      lower::lower_constant<Hw, Net>(lower::contents::into(all_bytes.data()));
    return all_bytes;
  }

 public:
  using hardware = Hw;

  // The steps of the host, in order.
  static constexpr std::array<step, counts.steps> steps = all.steps;
  // Memory that holds the weight image, and memory that NVDLA works in.
  static constexpr memory_region weights = all.weights, features = all.features;
  // The part of the secondary memory that it works in, where Hw has a member `cvsram` that says how
  // many bytes of it a program may use.
  static constexpr memory_region cvsram = all.cvsram;
  static constexpr std::array<program_tensor, counts.inputs> inputs = named(all.inputs, 0);
  static constexpr std::array<program_tensor, counts.outputs> outputs =
      named(all.outputs, counts.inputs);
  static constexpr std::array<host_softmax, counts.host_layers> host_layers = all.host_layers;
  // The pieces of the weight image, in the order of their offsets.
  static constexpr std::array<weight_piece, counts.pieces> weight_layout =
      named(all.weight_layout, counts.inputs + counts.outputs);
  // The bytes of the weights; only of a network whose constants are all known.
  static constexpr bool has_weight_image = counts.values_known;
  alignas(64) static constexpr image weight_image = packed_weights();
  // The cycles of a run on the hardware, with the memory that Hw was made for. Estimated, and
  // only if somebody asks.
  static constexpr cost::totals cycles = detail::cycles_of_program<Hw, Net>();

  static constexpr auto view() {
    const register_program p{steps,   weights,     features,      inputs,
                             outputs, host_layers, weight_layout, cvsram};
    if constexpr (Base == relocatable) return relocatable_program{p};
    else return p;
  }
};

}  // namespace nvdlac
