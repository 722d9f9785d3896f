// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/import/network.hpp>
#include <nvdlac/net/evaluate.hpp>
#include <nvdlac/net/verify.hpp>

#include "in_file.hpp"

// Runs of a network, each of which takes the states that the one before left; the first one zeros.
class stepper {
 public:
  explicit stepper(const nvdlac::import::network& n) : g_(n.graph) {
    for (const auto& p : nvdlac::net::verify(g_)) FAIL_CHECK(to_string(p));
    for (const auto i : nvdlac::net::input_nodes(g_)) in_.push_back({g_[i].shape});
  }
  // The first output.
  std::vector<float> run(std::vector<float> x) {
    in_[0].values = std::move(x);
    const auto out = in_file::outputs(g_, in_);
    for (std::size_t i = 1; i < in_.size(); ++i) {
      const auto name = g_[nvdlac::net::input_nodes(g_)[i]].name + "/next";
      CHECK(out.at(i).name == name);
      in_[i].values = out.at(i).values;
    }
    return out[0].values;
  }
  std::vector<std::string> states() const {
    std::vector<std::string> all;
    for (std::size_t i = 1; i < in_.size(); ++i)
      all.emplace_back(std::string_view(g_[nvdlac::net::input_nodes(g_)[i]].in_file.at(0).name));
    return all;
  }

 private:
  nvdlac::net::graph g_;
  std::vector<nvdlac::net::float_tensor> in_;
};
