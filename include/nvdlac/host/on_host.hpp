// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators as calls by the name of their type, and back: what a loadable can keep. An operator's
// `fields` are the parameters of its call, and its own `infer` and `evaluate` compute it.
#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/net/on_host.hpp>
#include <nvdlac/net/operation.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/standard_operators.hpp>

namespace nvdlac::host {

namespace detail {

template <class T>
void put(const T& v, std::vector<double>& to) {
  if constexpr (std::is_enum_v<T>) put(static_cast<std::underlying_type_t<T>>(v), to);
  else if constexpr (std::is_arithmetic_v<T>) to.push_back(static_cast<double>(v));
  else if constexpr (has_fields<T>)
    visit_fields(v, [&](const auto&, const auto& member) { put(member, to); });
  else
    for (const auto& each : v) put(each, to);
}

// Takes the values of one parameter in their order; a number that the field cannot hold is an
// `error`.
class parameter_reader {
 public:
  explicit parameter_reader(const net::host_parameter& p) : name_(p.name), left_(p.values) {}

  bool done() const { return left_.empty(); }
  template <class T>
  void get(T& to) {
    if constexpr (std::is_enum_v<T>) {
      std::underlying_type_t<T> number{};
      get(number);
      to = static_cast<T>(number);
    } else if constexpr (std::is_same_v<T, bool>) {
      to = whole(0, 1) != 0;
    } else if constexpr (std::is_integral_v<T>) {
      to = static_cast<T>(whole(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else if constexpr (std::is_floating_point_v<T>) {
      to = static_cast<T>(next());
    } else if constexpr (has_fields<T>) {
      visit_fields(to, [&](const auto&, auto& member) { this->get(member); });
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      for (auto& each : to) get(each);
    } else {
      to = {};
      while (!done()) {
        typename T::value_type each{};
        get(each);
        to.push_back(each);
      }
    }
  }

 private:
  double next();
  double whole(auto least, auto most) {
    const double v = next();
    if (!(v >= static_cast<double>(least) && v <= static_cast<double>(most)) || v != std::floor(v))
      throw error(text("its parameter '", name_, "' has the value ", v));
    return v;
  }

  label name_;
  std::span<const double> left_;
};

}  // namespace detail

template <class Op>
net::host_call call_of(const Op& op) {
  net::host_call result{.layer = type_name<Op>()};
  visit_fields(op, [&]<class T>(const auto& field, const T& member) {
    // Operators of the host have no second input that joins sums.
    if constexpr (std::is_same_v<T, net::combination>) return;
    result.parameters.push_back({.name = field.name});
    detail::put(member, result.parameters.back().values);
  });
  return result;
}

// The operator of a call. Parameters that are missing keep the operator's default; one that it does
// not have, or a value that it cannot have, is an `error`.
template <class Op>
Op operator_of(const net::host_parameters& given) {
  Op op{};
  std::size_t known = 0;
  visit_fields(op, [&](const auto& field, auto& member) {
    for (const auto& p : given)
      if (p.name == field.name) {
        detail::parameter_reader in(p);
        in.get(member);
        if (!in.done())
          throw error(text("its parameter '", field.name, "' has too many values"));
        ++known;
      }
  });
  if (known != given.size())
    throw error(text("the host's layer '", type_name<Op>(), "' has not all of its ", given.size(),
                     " parameters, or has one twice"));
  return op;
}

// Operators whose results are elements of their inputs.
using movements = type_list<net::concat, net::reshape, net::flatten, net::identity, net::move>;

// The layer that computes an operator by the name of its type; one with `moved_inputs` gives
// elements of these as they are, one with `counts_to(std::span<const net::shape>)` counts, one with
// `takes_places_to()` reads whole numbers up to that one, one with
// `bound(std::span<const double>)` or `wants_16_bits` tells these of its results, one with
// `operations(std::span<const net::shape>)` what it costs beside its elements, and `description`
// says what the name does not.
template <net::operation Op>
net::host_layer layer_of() {
  using net::host_layer, net::host_parameters;
  host_layer result{.name = std::string(type_name<Op>()), .inputs = Op::inputs};
  result.infer = [](const host_parameters& p, host_layer::shapes in) {
    return operator_of<Op>(p).infer(in);
  };
  result.evaluate = [](const host_parameters& p, host_layer::tensors in) {
    return operator_of<Op>(p).evaluate(in);
  };
  if constexpr (requires(const Op& op, host_layer::shapes in) { op.counts_to(in); })
    result.counts_to = [](const host_parameters& p, host_layer::shapes in) {
      return operator_of<Op>(p).counts_to(in);
    };
  if constexpr (requires(const Op& op) { op.takes_places_to(); })
    result.takes_places_to = [](const host_parameters& p) {
      return operator_of<Op>(p).takes_places_to();
    };
  if constexpr (requires(const Op& op, std::span<const double> in) { op.bound(in); })
    result.bound = [](const host_parameters& p, std::span<const double> in) {
      return operator_of<Op>(p).bound(in);
    };
  if constexpr (requires(const Op& op, host_layer::shapes in) { op.operations(in); })
    result.operations = [](const host_parameters& p, host_layer::shapes in) {
      return operator_of<Op>(p).operations(in);
    };
  if constexpr (requires { Op::wants_16_bits; }) result.wants_16_bits = Op::wants_16_bits;
  if constexpr (contains<Op, movements>) result.moved_inputs = Op::inputs.most;
  else if constexpr (requires { Op::moved_inputs; }) result.moved_inputs = Op::moved_inputs;
  if constexpr (requires { Op::description; }) result.description = Op::description;
  return result;
}

// The operator, computed by the host, as a node of a network.
template <class Op>
net::on_host on_host(const Op& op) {
  static const net::host_layer layer = layer_of<Op>();
  return {call_of(op), &layer};
}

// Operators that engines run as well, as calls: for configurations whose engines do not, and for
// what stands between two layers of the host.

// A function of each element is a layer of its own name, which is no parameter.
net::host_layer layer_of(net::function f);
net::on_host on_host(const net::activation& op);
// That of the network goes over the channels.
inline net::on_host on_host(const net::softmax&) { return on_host(softmax{}); }

using net_operators =
    joined_lists<net::piecewise_linear_operators, type_list<net::scale, net::batch_norm>,
                 net::elementwise_operators,
                 type_list<net::concat, net::reshape, net::flatten, net::identity, net::move,
                           net::pool, net::lrn>>;

// Whether an operator of a network can be a call.
template <class Op>
concept callable = contains<Op, net_operators> || std::same_as<Op, net::activation> ||
                   std::same_as<Op, net::softmax>;

}  // namespace nvdlac::host

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/host/on_host.ipp>
#endif
