// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/array.hpp>

namespace nvdlac {

// What a network says of one input: its outputs, with the names, shapes and order of elements of
// the model's file.
struct result {
  struct output {
    std::string name{};
    data::array values{};
    bool operator==(const output&) const = default;
  };

  std::string name{};  // of the input: "3_a.pgm", or "digits.idx[17]" out of many
  std::vector<output> outputs{};
  bool operator==(const result&) const = default;

  const data::array& operator[](std::string_view wanted) const {
    std::string names;
    for (const auto& o : outputs) {
      if (o.name == wanted) return o.values;
      names += (names.empty() ? "" : ", ") + o.name;
    }
    throw error({.layer = std::string(wanted), .reason = "is no output of the network",
                 .remedy = "its outputs are " + names});
  }
  // The output of a network that has one.
  const data::array& only() const {
    if (outputs.size() != 1)
      throw error({.reason = text("the network has ", outputs.size(), " outputs, not one"),
                   .remedy = "name an output: result[\"NAME\"]"});
    return outputs[0].values;
  }
  // The class with the greatest value, of equal ones the first; `top(n)` the n greatest.
  std::size_t top1() const { return data::best(only(), 1).at(0); }
  std::vector<std::size_t> top(std::size_t n) const { return data::best(only(), n); }
};

}  // namespace nvdlac
