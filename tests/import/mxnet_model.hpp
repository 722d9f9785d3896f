// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small symbols of MXNet and their parameters.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/import/mxnet.hpp>

namespace mxnet_model {

using namespace nvdlac;

using floats = std::vector<float>;
using shape = std::vector<std::int64_t>;

struct parameter {
  std::string name{};
  shape sizes{};
  floats values{};
};
enum class layout : std::uint32_t { first = 0, v1 = 0xF993FAC8, v2 = 0xF993FAC9, v3 = 0xF993FACA };

template <class Number>
void put(std::string& to, Number v) {
  to.append(reinterpret_cast<const char*>(&v), sizeof v);
}
inline std::string params_of(const std::vector<parameter>& all, layout as = layout::v2) {
  std::string s;
  put(s, std::uint64_t{0x112});
  put(s, std::uint64_t{0});
  put(s, std::uint64_t{all.size()});
  for (const auto& p : all) {
    const auto rank = static_cast<std::int32_t>(p.sizes.size());
    if (as != layout::first) put(s, static_cast<std::uint32_t>(as));
    if (as == layout::v2 || as == layout::v3) put(s, std::int32_t{0});
    put(s, rank);
    for (const auto d : p.sizes)
      if (as == layout::first) put(s, static_cast<std::uint32_t>(d));
      else put(s, d);
    put(s, std::int32_t{2});  // a GPU
    put(s, std::int32_t{0});
    put(s, std::int32_t{0});
    for (const float v : p.values) put(s, v);
  }
  put(s, std::uint64_t{all.size()});
  for (const auto& p : all) {
    put(s, std::uint64_t{p.name.size()});
    s += p.name;
  }
  return s;
}

// The symbol of one operator that reads data and the parameters.
inline std::string symbol_of(const std::string& op, const std::string& attributes,
                             const std::vector<parameter>& all, const std::string& inputs = {}) {
  std::string nodes = R"({"op": "null", "name": "data", "inputs": []})", read = "[0, 0]";
  for (std::size_t i = 0; i < all.size(); ++i) {
    nodes += R"(, {"op": "null", "name": ")" + all[i].name.substr(4) + R"(", "inputs": []})";
    read += ", [" + std::to_string(i + 1) + ", 0, 0]";
  }
  return R"({"nodes": [)" + nodes + R"(, {"op": ")" + op + R"(", "name": "y", "attrs": {)" +
         attributes + "}, \"inputs\": [" + (inputs.empty() ? read : inputs) +
         R"(]}], "arg_nodes": [0], "heads": [[)" + std::to_string(all.size() + 1) + ", 0, 0]]}";
}
inline import::network network_of(const std::string& symbol, const std::vector<parameter>& all,
                                  const shape& input, layout as = layout::v2) {
  return import::mxnet_network_from({"net.json", symbol}, {"net.params", params_of(all, as)},
                                    {.shapes = {{"data", input}}});
}

}  // namespace mxnet_model
