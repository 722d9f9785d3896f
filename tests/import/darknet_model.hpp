// SPDX-License-Identifier: Apache-2.0
#pragma once
// Darknet networks for tests: a cfg and its weights in memory.
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/import/darknet.hpp>
#include <nvdlac/net/evaluate.hpp>

#include "../in_file.hpp"
#include "files.hpp"

namespace darknet_model {

using namespace nvdlac;
using floats = std::vector<float>;

// The numbers behind a header of this version.
inline std::string weights(const floats& values, std::int32_t major = 0, std::int32_t minor = 2) {
  const std::int32_t version[] = {major, minor, 5};
  std::string s(reinterpret_cast<const char*>(version), sizeof version);
  s.append(major * 10 + minor >= 2 ? 8 : 4, '\1');
  if (!values.empty())
    s.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float));
  return s;
}

// A network for pictures of this shape.
inline std::string cfg(net::shape in, const std::string& sections, const std::string& more = {}) {
  return text("[net]\nwidth=", in.w, "\nheight=", in.h, "\nchannels=", in.c, "\n", more, "\n",
              sections, "\n");
}

inline import::network network(const std::string& content, const floats& values = {},
                               const import::darknet_options& options = {}) {
  return import::darknet_network_from({"net.cfg", content}, {"net.weights", weights(values)},
                                      options);
}
inline std::string refused(const std::string& content, const floats& values = {}) {
  return complaints([&] { (void)network(content, values); });
}

// The outputs for one picture, by their names.
inline std::vector<std::pair<std::string, floats>> run(const import::network& n,
                                                       const floats& picture) {
  const auto& input = n.graph[net::input_nodes(n.graph).at(0)];
  net::float_tensor x{input.shape};
  x.values = input.in_file.empty() ? picture
                                   : input.in_file[0].to_cube(std::span<const float>(picture));
  std::vector<std::pair<std::string, floats>> result;
  for (const auto& o : in_file::outputs(n.graph, x)) result.emplace_back(o.name, o.values);
  return result;
}
// The output of a network with one output and without weights, or with these.
inline floats result_of(net::shape in, const std::string& sections, const floats& picture,
                        const floats& values = {}) {
  return run(network(cfg(in, sections), values), picture).at(0).second;
}

inline floats counting(std::size_t n, float first = 0) {
  floats v(n);
  for (auto& x : v) x = first++;
  return v;
}

}  // namespace darknet_model
