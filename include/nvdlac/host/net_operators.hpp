// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that engines run as well, as calls: for configurations whose engines do not, and for
// what stands between two layers of the host.
#include <array>
#include <concepts>
#include <string_view>
#include <type_traits>

#include <nvdlac/host/description.hpp>
#include <nvdlac/host/layer.hpp>
#include <nvdlac/host/softmax.hpp>
#include <nvdlac/net/standard_operators.hpp>
#include <nvdlac/type_list.hpp>

namespace nvdlac::host {

template <>
struct description<net::relu> {
  static constexpr std::string_view name = "relu";
  static constexpr void fields(auto&, auto&&) {}
};
template <>
struct description<net::clip> {
  static constexpr std::string_view name = "clip";
  static constexpr void fields(auto& op, auto&& io) {
    io("low", op.low);
    io("high", op.high);
  }
};
template <>
struct description<net::prelu> {
  static constexpr std::string_view name = "prelu";
  static constexpr void fields(auto& op, auto&& io) { io("slope", op.slope); }
};
template <>
struct description<net::scale> {
  static constexpr std::string_view name = "scale";
  static constexpr void fields(auto& op, auto&& io) {
    io("factor", op.factor);
    io("bias", op.bias);
    io("relu", op.relu);
  }
};
template <>
struct description<net::batch_norm> {
  static constexpr std::string_view name = "batch_norm";
  static constexpr void fields(auto& op, auto&& io) {
    io("mean", op.mean);
    io("variance", op.variance);
    io("gamma", op.gamma);
    io("beta", op.beta);
    io("epsilon", op.epsilon);
  }
};
template <>
struct description<net::add> {
  static constexpr std::string_view name = "add";
  static constexpr void fields(auto& op, auto&& io) {
    io("coefficients", op.coefficients);
    io("relu", op.relu);
  }
};
template <>
struct description<net::multiply> {
  static constexpr std::string_view name = "multiply";
  static constexpr void fields(auto& op, auto&& io) { io("relu", op.relu); }
};
template <>
struct description<net::extremum> {
  static constexpr std::string_view name = "extremum";
  static constexpr void fields(auto& op, auto&& io) {
    io("kind", op.kind);
    io("relu", op.relu);
  }
};
template <>
struct description<net::concat> {
  static constexpr std::string_view name = "concat";
  static constexpr void fields(auto&, auto&&) {}
};
template <>
struct description<net::reshape> {
  static constexpr std::string_view name = "reshape";
  static constexpr void fields(auto& op, auto&& io) { io("target", op.target); }
};
template <>
struct description<net::flatten> {
  static constexpr std::string_view name = "flatten";
  static constexpr void fields(auto&, auto&&) {}
};
template <>
struct description<net::identity> {
  static constexpr std::string_view name = "identity";
  static constexpr void fields(auto&, auto&&) {}
};
template <>
struct description<net::move> {
  static constexpr std::string_view name = "move";
  static constexpr void fields(auto& op, auto&& io) {
    io("target", op.target);
    io("boxes", op.boxes);
    io("fill", op.fill);
  }
};
template <>
struct description<net::pool> {
  static constexpr std::string_view name = "pool";
  static constexpr void fields(auto& op, auto&& io) {
    io("kind", op.kind);
    io("window", op.window);
    io("ceil", op.ceil);
    io("count_include_pad", op.count_include_pad);
    io("global", op.global);
  }
};
template <>
struct description<net::lrn> {
  static constexpr std::string_view name = "lrn";
  static constexpr void fields(auto& op, auto&& io) {
    io("local_size", op.local_size);
    io("alpha", op.alpha);
    io("beta", op.beta);
    io("k", op.k);
  }
};

// A function of each element is a layer of its own name, which is no parameter.
template <>
struct description<net::activation> {
  static constexpr std::string_view name = "activation";
  static constexpr void fields(auto& op, auto&& io) {
    io("alpha", op.alpha);
    io("beta", op.beta);
    io("gamma", op.gamma);
  }
};
inline layer layer_of(net::function f) {
  layer result = layer_of<net::activation>();
  result.name = net::name_of(f);
  result.evaluate = [f](const parameters& p, input_tensors in) {
    auto op = operator_of<net::activation>(p);
    op.function = f;
    return op.evaluate(in);
  };
  return result;
}
inline call call_of(const net::activation& op) {
  auto result = call_of<net::activation>(op);
  result.layer = net::name_of(op.function);
  return result;
}
// That of the network goes over the channels.
inline call call_of(const net::softmax&) { return call_of(softmax{}); }

// Whether an operator of a network can be a call.
template <class Op>
concept callable = requires(const Op& op) {
  { call_of(op) } -> std::same_as<call>;
};

using net_operators =
    type_list<net::relu, net::clip, net::prelu, net::scale, net::batch_norm, net::add,
              net::multiply, net::extremum, net::concat, net::reshape, net::flatten, net::identity,
              net::move, net::pool, net::lrn>;

}  // namespace nvdlac::host
