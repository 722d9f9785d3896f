// SPDX-License-Identifier: Apache-2.0
#pragma once
// An integer network as a C++ header: the network that nvdlac::program<Hw, network> compiles.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::emit {

// The packed weights of one configuration, in a file beside the header.
struct cpp_image {
  std::string hardware;    // "nv_small"
  std::string file;        // "digits.nv_small.weights.bin"
  std::uint64_t size = 0;  // bytes
};

struct cpp_options {
  std::string name_space = "network";  // is_namespace
  std::string source{};                // of what file the network is
  bool constants = false;              // the weights too, instead of their sizes
  std::vector<cpp_image> images{};
  std::string preprocessing{};         // how pixels become values, for a comment; empty: not known
};

// The name of an image as an object with C linkage: "digits_nv_small_weights".
std::string image_symbol(std::string_view name_space, std::string_view hardware);

namespace detail {

// The text around the nodes.
class cpp_frame {
 public:
  explicit cpp_frame(const cpp_options& how) : how_(how) {}

  std::string head() const;
  std::string images() const;

  // The inputs and outputs as the file has them; a program's `cube::offset` tells where each
  // element is.
  static std::string tensors(const quantised::graph& g);

 private:
  std::string image_help(const cpp_image& i) const;
  const cpp_options& how_;
};

}  // namespace detail

// The text of a header that defines `name_space`::model, a net::network of integer operators that
// says the same as the graph. Constants are arrays; weights, and the values of constant tensors,
// are only sizes unless `constants` is set.
std::string write_cpp(const quantised::graph& g, const cpp_options& how = {});

}  // namespace nvdlac::emit

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/emit/cpp.ipp>
#endif
