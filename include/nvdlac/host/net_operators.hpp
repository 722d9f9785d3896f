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
struct description<net::relu> : description_by<"relu"> {};
template <>
struct description<net::clip>
    : description_by<"clip", field{"low", &net::clip::low}, field{"high", &net::clip::high}> {};
template <>
struct description<net::prelu> : description_by<"prelu", field{"slope", &net::prelu::slope}> {};
template <>
struct description<net::scale>
    : description_by<"scale", field{"factor", &net::scale::factor},
                     field{"bias", &net::scale::bias}, field{"relu", &net::scale::relu}> {};
template <>
struct description<net::batch_norm>
    : description_by<"batch_norm", field{"mean", &net::batch_norm::mean},
                     field{"variance", &net::batch_norm::variance},
                     field{"gamma", &net::batch_norm::gamma}, field{"beta", &net::batch_norm::beta},
                     field{"epsilon", &net::batch_norm::epsilon}> {};
template <>
struct description<net::add>
    : description_by<"add", field{"coefficients", &net::add::coefficients},
                     field{"relu", &net::add::relu}> {};
template <>
struct description<net::multiply>
    : description_by<"multiply", field{"relu", &net::multiply::relu}> {};
template <>
struct description<net::extremum>
    : description_by<"extremum", field{"kind", &net::extremum::kind},
                     field{"relu", &net::extremum::relu}> {};
template <>
struct description<net::concat> : description_by<"concat"> {};
template <>
struct description<net::reshape>
    : description_by<"reshape", field{"target", &net::reshape::target}> {};
template <>
struct description<net::flatten> : description_by<"flatten"> {};
template <>
struct description<net::identity> : description_by<"identity"> {};
template <>
struct description<net::move>
    : description_by<"move", field{"target", &net::move::target}, field{"boxes", &net::move::boxes},
                     field{"fill", &net::move::fill}> {};
template <>
struct description<net::pool>
    : description_by<"pool", field{"kind", &net::pool::kind}, field{"window", &net::pool::window},
                     field{"ceil", &net::pool::ceil},
                     field{"count_include_pad", &net::pool::count_include_pad},
                     field{"global", &net::pool::global}> {};
template <>
struct description<net::lrn>
    : description_by<"lrn", field{"local_size", &net::lrn::local_size},
                     field{"alpha", &net::lrn::alpha}, field{"beta", &net::lrn::beta},
                     field{"k", &net::lrn::k}> {};

// A function of each element is a layer of its own name, which is no parameter.
template <>
struct description<net::activation>
    : description_by<"activation", field{"alpha", &net::activation::alpha},
                     field{"beta", &net::activation::beta},
                     field{"gamma", &net::activation::gamma}> {};

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
