// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/print.hpp>
#include <nvdlac/net/verify.hpp>

#include "files.hpp"
#include "in_file.hpp"

// The outcome of reading a file: a complaint, or a graph and what it computes.
struct outcome {
  std::string complaint{}, graph{};
  std::vector<nvdlac::net::float_tensor> outputs{};
  std::vector<in_file::value> in_file{};  // the same as the file has them

  bool accepted() const { return complaint.empty(); }
  bool same_result(const outcome& o) const {
    return std::equal(in_file.begin(), in_file.end(), o.in_file.begin(), o.in_file.end(),
                      [](const auto& a, const auto& b) {
                        const auto bits = [](float x, float y) {
                          return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y);
                        };
                        return a.shape == b.shape && std::equal(a.values.begin(), a.values.end(),
                                                                b.values.begin(), bits);
                      });
  }
  bool operator==(const outcome& o) const {
    return complaint == o.complaint && graph == o.graph && same_result(o);
  }
};

inline outcome outcome_of(const std::function<nvdlac::net::graph()>& read) {
  using namespace nvdlac;
  try {
    const net::graph g = read();
    std::ostringstream dump;
    net::dump(dump, g);
    for (const auto& p : net::verify(g)) dump << to_string(p) << '\n';
    std::vector<net::float_tensor> inputs;
    for (const auto n : net::input_nodes(g)) {
      net::float_tensor x{g[n].shape};
      for (std::size_t i = 0; i < x.values.size(); ++i)
        x.values[i] = static_cast<float>(3 * std::sin(1.7 * static_cast<double>(i + 1)));
      if (!g[n].in_file.empty())
        x.values = g[n].in_file[0].to_cube(std::span<const float>(x.values));
      inputs.push_back(std::move(x));
    }
    return {{}, dump.str(), net::evaluate(g, std::span<const net::float_tensor>(inputs)),
            in_file::outputs(g, inputs)};
  } catch (const error& e) {
    return {e.what()};
  }
}
