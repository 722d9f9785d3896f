// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/darknet/functions.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::darknet_format {

NVDLAC_IMPL const std::map<std::string_view, function_writer>& functions() {
  using enum net::function;
  static const std::map<std::string_view, function_writer> all = {
      {"linear", [](const context&, const std::string&, id x) { return x; }},
      {"relu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::relu{}, {x});
       }},
      {"relu6", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::clip{0.0F, 6.0F}, {x});
       }},
      {"hardtan", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::clip{-1.0F, 1.0F}, {x});
       }},
      {"leaky", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.1F}}, {x});
       }},
      {"revleaky", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.1F}}, {x});
       }},
      {"relie", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::prelu{{0.01F}}, {x});
       }},
      {"ramp", [](const context& c, const std::string& n, id x) {  // max(x, 0) + x / 10
         const auto bent = c.add(n + "/bend", net::prelu{{1 / 11.0F}}, {x});
         return c.add(n, net::scale{.factor = {1.1F}}, {bent});
       }},
      {"logistic", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = sigmoid}, {x});
       }},
      {"loggy", [](const context& c, const std::string& n, id x) {  // 2 * sigmoid(x) - 1
         const auto half = c.add(n + "/half", net::scale{.factor = {0.5F}}, {x});
         return c.add(n, net::activation{.function = tanh}, {half});
       }},
      {"tanh", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = tanh}, {x});
       }},
      {"mish", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = mish}, {x});
       }},
      {"swish", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = swish}, {x});
       }},
      {"gelu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = gelu_tanh}, {x});
       }},
      {"elu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = elu}, {x});
       }},
      {"selu", [](const context& c, const std::string& n, id x) {
         return c.add(n, net::activation{.function = selu, .alpha = 1.6732F, .gamma = 1.0507F},
                      {x});
       }},
  };
  return all;
}

NVDLAC_IMPL std::string function_of(const context& c, const char* none, bool gates) {
  const auto name = c.s.string("activation", none);
  const auto fail = [&](std::string reason, std::string remedy) -> error {
    return error(problem{.line = c.line_of("activation"), .reason = std::move(reason),
                         .remedy = std::move(remedy)});
  };
  if (!functions().contains(name)) {
    std::string known;
    for (const auto& [f, ignored] : functions())
      known += (known.empty() ? "" : ", ") + std::string(f);
    throw fail("activation=" + name + " is not supported", "supported are " + known);
  }
  if (!gates && (name == "mish" || name == "swish"))
    throw fail("activation=" + name + " in a layer of this type, where Darknet computes none",
               "convolutional and shortcut layers have it");
  return name;
}

NVDLAC_IMPL id activated(const context& c, const std::string& function, id x) {
  return functions().at(function)(c, c.name, x);
}

}  // namespace nvdlac::import::darknet_format
