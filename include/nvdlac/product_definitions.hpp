// SPDX-License-Identifier: Apache-2.0
// The definitions of what product.hpp declares, and `compile` with the user's own passes, policy
// and operators.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/chip_definitions.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/model_definitions.hpp>
#include <nvdlac/net/layer_precisions.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/product.hpp>
#include <nvdlac/quant/rules.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/schedule/standard.hpp>

namespace nvdlac {
namespace detail {

// The name of a type of the user's, if it says more than that of a template does.
template <class T>
std::string own_type() {
  const std::string_view name = type_name<T>();
  return name.find_first_of("<>()") == name.npos ? ' ' + std::string(name) : std::string();
}

// The steps of Hw with passes and a policy of the user's, for compile_by.
template <hw::hardware Hw, class Passes, schedule::policy Policy>
struct own_steps {
  template <class Graph>
  static bool needs_scales(const Graph& network, const net::layer_precisions& p) {
    return quant::needs_scales(network, p);
  }
  template <class Graph>
  static auto prepare(const Graph& network, const scale_source& source,
                      const compile_options& options) {
    return prepare_for<Hw, Passes>(network, source, options);
  }
  static plan::program<Hw> build(const quantised::graph& integers, const compile_options& options) {
    return nvdlac::build<Hw, Policy>(integers, options);
  }
};

}  // namespace detail

// With passes of the user's own in place of pass::standard, and a policy of his own that chooses
// the schedule, and of a network that may have operators of his own.
template <hw::hardware Hw, class Passes, schedule::policy Policy = schedule::standard, class... Own>
auto compile(const basic_model<import::basic_network<type_list<Own...>>>& from,
             const pictures& calibration = {}, const compile_options& given = {},
             std::span<const sample> samples = {}) {
  std::vector<std::string> own;
  if (sizeof...(Own) > 0) own.emplace_back("own operators");
  if (!std::is_same_v<Passes, pass::standard>)
    own.push_back("own passes" + detail::own_type<Passes>());
  if (!std::is_same_v<Policy, schedule::standard>)
    own.push_back("own schedule" + detail::own_type<Policy>());
  return detail::compile_by<Hw, detail::own_steps<Hw, Passes, Policy>>(from, calibration, given,
                                                                       samples, std::move(own));
}

template <hw::hardware Hw, class First, class... Own>
auto compile(const basic_model<import::basic_network<type_list<First, Own...>>>& from,
             const pictures& calibration = {}, const compile_options& given = {}) {
  return compile<Hw, pass::standard>(from, calibration, given);
}

}  // namespace nvdlac
