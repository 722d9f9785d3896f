// SPDX-License-Identifier: Apache-2.0
#pragma once
// Knowledge of the engines that compute layers: one specialisation for each kind of layer,
// beside the layer. Whatever depends on an engine asks it here, by the type of the layer.
#include <cstddef>
#include <cstdint>

#include <nvdlac/base/label.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::layer {

// The engines as the firmware numbers them. No layer is one of BDMA, and those of the host are of
// none.
enum class engine_number : std::uint8_t { bdma, convolution, sdp, pdp, cdp, rubik, none };
inline constexpr std::size_t engines = 6;

constexpr std::size_t index(engine_number e) { return static_cast<std::size_t>(e); }

// Units that have registers of their own, by their names in the register table.
template <fixed_string... Names>
struct register_blocks {};

enum class access : std::uint8_t { read, write };

// Every specialisation has
//   name             what reports and messages call it
//   cubes(l, visit)  visit(cube, access) for every cube that the layer l names, in memory or not
// and, unless the host computes the layer,
//   number           the firmware's
//   done             the field of the interrupts that tells the end of the layer in register
//                    group 0; the next bit tells that of group 1
//   cores            its units but the read DMA, in the order in which they are programmed
// and, if there is such a thing,
//   reader           its read DMA, which takes turns of its own with its register groups
//   uses_reader(l)   whether the layer l needs it
//   source           the engine from which it takes its input if that is not in memory
//   ready            the field that has to be 1 before a layer is enabled
//   is_in(spec)      whether the configuration has the engine, unless all have it
template <class Layer>
struct engine;

template <class Layer>
concept on_engine = requires { engine<Layer>::number; };

// Whether a configuration has the engine that computes a layer.
template <on_engine Layer>
constexpr bool has_engine(const hw::spec& s) {
  if constexpr (requires { engine<Layer>::is_in(s); }) return engine<Layer>::is_in(s);
  else return true;
}

}  // namespace nvdlac::layer
