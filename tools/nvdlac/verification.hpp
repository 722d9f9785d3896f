// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "preparation.hpp"
#include "results.hpp"

namespace nvdlac::cli {

// A network in float beside its programs on the simulator, input by input.
class verification {
 public:
  explicit verification(const preparation&, const sim::settings& = {});

  // What one input gave: outputs of the float network and of each program.
  struct result {
    std::vector<real_tensor> reference{};
    std::vector<std::vector<real_tensor>> programs{};  // by target
  };
  // With `layers`, compares the integers of every layer with its floats as well. Throws
  // std::logic_error if a program is not the exact integer reference, bit for bit.
  result run(const input_set&, bool layers);

  struct layer {
    std::string name;
    double snr = 0;
  };
  // The layer with the least signal to noise, of `layers()` compared ones.
  layer worst_layer() const;
  std::size_t layers() const { return layers_.size(); }
  // Of an output that is a softmax: the layer that it reads, if that was compared.
  const comparison* before_softmax(const std::string& output) const;

  const std::vector<sim::binding>& outputs() const { return machines_.front()->outputs(); }

 private:
  std::vector<net::float_tensor> floats_of(const input_set&) const;
  void compare_layer(const net::integer::graph::node&, const net::any_tensor& values,
                     const real_tensor& reference);

  const preparation& from_;
  std::vector<std::unique_ptr<machine>> machines_{};
  std::map<std::string, comparison> layers_{};
};

}  // namespace nvdlac::cli
