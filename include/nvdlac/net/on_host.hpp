// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// Layers that the host can compute, and a network's calls of them.

// Tensors that one call takes at most: a hardware layer has room for so many.
inline constexpr std::size_t most_host_inputs = 4;

// Numbers under the name that the layer knows them by. Floats and integers of 32 bits are kept as
// they are.
struct host_parameter {
  label name{};
  std::vector<double> values{};

  constexpr bool operator==(const host_parameter&) const = default;
};
using host_parameters = std::vector<host_parameter>;

// One use of a layer that the host computes: the name it is registered by and its parameters. This
// is what a loadable keeps of it.
struct host_call {
  label layer{};
  host_parameters parameters{};

  constexpr bool operator==(const host_call&) const = default;
};

// A layer that the host can compute for networks whose layers no engine of NVDLA runs. Its
// functions throw nvdlac::error with a reason, without the layer's name; `evaluate` gives the same
// bits for the same values.
struct host_layer {
  using shapes = std::span<const shape>;
  using tensors = std::span<const float_tensor* const>;

  std::string name;  // by which calls know it
  std::string description{};  // what the name does not say, for messages
  arity inputs{1, 1};
  std::function<shape(const host_parameters&, shapes)> infer{};
  std::function<float_tensor(const host_parameters&, tensors)> evaluate{};
  // For a layer that counts, such as one that finds the place of a maximum: its results are the
  // whole numbers from 0 to this one, given as they are. Unset: real numbers, which get a scale.
  std::function<std::int64_t(const host_parameters&, shapes)> counts_to{};
  // The greatest place that a layer takes whose inputs are places, such as the rows of a table.
  // Unset: they are numbers.
  std::function<std::int64_t(const host_parameters&)> takes_places_to{};
  // The largest magnitude of its results for inputs up to these, where no table tells it. Unset:
  // a table must.
  std::function<double(const host_parameters&, std::span<const double>)> bound{};
  // The multiplications and comparisons of a call, beside its elements. Unset: none.
  std::function<std::uint64_t(const host_parameters&, shapes)> operations{};
  // Whether 8 bits tell its real numbers too coarsely for who reads them, such as places in a
  // picture: where no engine does, they have 16.
  bool wants_16_bits = false;
  // The number of inputs, from the first on, of which it gives elements as they are: numbers of
  // others that count still do.
  std::size_t moved_inputs = 0;

  // The shape of a call's result; inputs that the layer does not take are an `error`.
  shape infer_checked(const host_parameters& given, shapes in) const;
  // The call's result, which has the shape that was inferred; else an `error`.
  float_tensor evaluate_checked(const host_parameters& given, tensors in) const;
};

// A layer that the host computes: the call that a loadable keeps, and who computes it, which must
// outlive the network (host::on_host makes both of an operator). Known at run time only.
struct on_host {
  using is_known_at_run_time = void;
  static constexpr arity inputs{1, most_host_inputs};

  host_call call{};
  const host_layer* layer = nullptr;
  static constexpr void fields(auto&& field) { field("call", &on_host::call); }

  shape infer(std::span<const shape> in) const {
    return known().infer_checked(call.parameters, in);
  }
  float_tensor evaluate(std::span<const float_tensor* const> in) const {
    return known().evaluate_checked(call.parameters, in);
  }
  // The multiplications and comparisons of the call beside its elements.
  std::uint64_t operations(std::span<const shape> in) const;
  // The largest whole number that the call gives, if it counts.
  std::optional<std::int64_t> counts_to(std::span<const shape> in) const;
  // The greatest place that the call takes, if its inputs are places.
  std::optional<std::int64_t> takes_places_to() const;
  std::optional<double> bound(std::span<const double> in) const;
  bool has_bound() const { return layer != nullptr && static_cast<bool>(layer->bound); }
  bool wants_16_bits() const { return known().wants_16_bits; }
  std::size_t moved_inputs() const { return known().moved_inputs; }

 private:
  const host_layer& known() const;
};
static_assert(operation<on_host>);

}  // namespace nvdlac::net

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/net/on_host.ipp>
#endif
