// SPDX-License-Identifier: Apache-2.0
#pragma once
// The register program of a planned network, as lists: what a firmware without a file system runs.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/units.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/emit/schedule.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/plan/dependencies.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/register_program.hpp>

namespace nvdlac::emit {

// Where steps go besides a vector, which costs a compiler that evaluates it a dozen times as much:
// to a place that has room, and to be counted alone.
struct steps_at {
  step* next = nullptr;
  constexpr void push_back(const step& s) { *next++ = s; }
  constexpr void reserve(std::size_t) {}
};
struct step_count {
  std::size_t count = 0;
  constexpr void push_back(const step&) { ++count; }
  constexpr void reserve(std::size_t) {}
};

// Collects the steps.
template <hw::register_map Map, class Steps>
class step_list {
 public:
  Steps steps{};
  std::vector<layer::host_softmax> host_layers{};
  bool relocatable = false;

  constexpr bool relocates(const dma_address& at) const { return relocatable && at.dram; }
  constexpr void address_high(std::uint32_t address, std::uint32_t from_base) {
    add(step_kind::address_high, address, from_base);
  }
  constexpr void address_low(std::uint32_t address, std::uint32_t from_base) {
    add(step_kind::address_low, address, from_base);
  }
  constexpr void write(std::uint32_t address, std::uint32_t value) {
    add(step_kind::write, address, value);
  }
  // The schedule waits for bits to become 1 only, where no kernels come ahead.
  constexpr void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t) {
    add(step_kind::poll, address, mask);
  }
  constexpr void begin(const layer::layer&) {}
  constexpr void wait_done(std::uint32_t bits) {
    add(step_kind::wait_done, hw::address<Map, "GLB.S_INTR_STATUS">, bits);
  }
  constexpr void host(const layer::layer& l) {
    const auto* softmax = std::get_if<layer::host_softmax>(&l.what);
    if (softmax == nullptr)
      throw error(problem{.layer = l.name,
                          .reason = "of layers of the host, a register program has softmax only",
                          .remedy = "run the network from its loadable"});
    add(step_kind::host, 0, static_cast<std::uint32_t>(host_layers.size()));
    host_layers.push_back(*softmax);
  }

 private:
  constexpr void add(step_kind kind, std::uint32_t address, std::uint32_t value) {
    steps.push_back({kind, address & 0xffffffu, value});
  }
};

// The cube with its address.
constexpr cube placed(const layer::surface& s, bytes atom, const addresses auto& where) {
  return {{where(s.at).address, s.size}, {s.shape.c, s.shape.h, s.shape.w}, s.line_stride,
          s.surface_stride, static_cast<std::uint16_t>(layer::lanes_of(atom, s.precision)),
          s.precision, s.transposed};
}

// The name refers to the binding's.
constexpr program_tensor placed(const plan::binding& b, bytes atom, const addresses auto& where) {
  return {b.name, placed(b.seen(), atom, where), {b.shape.c, b.shape.h, b.shape.w}, b.scale,
          b.pixels.has_value()};
}

// A register program that owns its numbers, but for steps that go elsewhere; the names are those of
// the plan, which must live on.
template <class Steps = std::vector<step>>
struct register_lists {
  Steps steps{};
  memory_region weights{}, features{}, cvsram{};
  std::vector<program_tensor> inputs{}, outputs{};
  std::vector<host_softmax> host_layers{};
  std::vector<weight_piece> weight_layout{};

  constexpr register_program view() const {
    return {steps, weights, features, inputs, outputs, host_layers, weight_layout, cvsram};
  }
};

// Memory begins at `base`, the address of a page, or anywhere if it is `relocatable`. No kernels
// come ahead of their layer, as a register program cannot wait until CDMA has brought them.
template <hw::hardware Hw, class Steps = std::vector<step>>
constexpr register_lists<Steps> make_registers(const plan::program_data& p,
                                               std::uint64_t base = address_space::first,
                                               Steps steps = {}) {
  const bool anywhere = base == relocatable;
  const auto map = map_memory(p, anywhere ? 32 : Hw::spec.address_bits, anywhere ? 0 : base);
  const bytes atom = Hw::spec.atom();
  step_list<Hw::spec.map, Steps> list;
  list.steps = std::move(steps);
  list.relocatable = anywhere;
  std::size_t operations = 0;
  for (const auto& t : p.tasks) operations += t.operations.size();
  list.steps.reserve(operations * 90);  // what a convolution takes
  if (plan::differs_in_registers(p)) schedule<Hw>(plan::as_in_loadables(p), map, list);
  else schedule<Hw>(p, map, list);
  register_lists<Steps> result;
  result.steps = std::move(list.steps);
  result.weights = {map.weights, p.weights_size};
  result.features = {map.features, p.features_size};
  if (p.cvsram.weights != 0)
    throw error("a register program has its weights in DRAM, but some stand in CVSRAM");
  if (p.cvsram.size != 0) result.cvsram = {address_space::cvsram, p.cvsram.size};
  for (const auto& b : p.inputs) result.inputs.push_back(placed(b, atom, map));
  for (const auto& b : p.outputs) result.outputs.push_back(placed(b, atom, map));
  for (const auto& l : list.host_layers)
    result.host_layers.push_back(
        {placed(l.input, atom, map), placed(l.output, atom, map), l.input_scale, l.output_scale});
  for (const auto& b : p.buffers)
    if (b.memory == plan::memory::weights)
      result.weight_layout.push_back({b.name, b.offset, b.size});
  return result;
}

}  // namespace nvdlac::emit
