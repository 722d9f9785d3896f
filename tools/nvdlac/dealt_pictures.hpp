// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/net/file_tensor.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

#include "inputs.hpp"

namespace nvdlac::cli {

// Pictures of one file or several for a program that computes a batch: its inputs and outputs are
// "x@1", "x@2", .. in the order of the pictures, which are dealt to them.
class dealt_pictures {
 public:
  // Nothing for a program of a single picture, and where the arguments name inputs such as "x@2".
  static std::optional<dealt_pictures> of(const std::vector<std::string>& arguments,
                                          const std::vector<wanted_input>& inputs,
                                          const std::vector<net::file_output>& outputs);

  std::size_t size() const { return inputs_of_.size(); }
  // The tensors of one picture, by their names in the file of the network.
  const std::vector<wanted_input>& inputs() const { return inputs_; }
  const std::vector<net::file_output>& outputs() const { return outputs_; }
  // The bindings of the first picture.
  std::vector<runtime::binding> bindings(const std::vector<runtime::binding>& all) const;

  // One run of the program for so many pictures, of which the last one stands for those that are
  // missing.
  input_set run_of(const std::vector<input_set>& pictures) const;
  // The outputs of a picture of the run, where those of the first picture stand.
  std::vector<net::any_tensor> of_picture(std::size_t picture,
                                          std::vector<net::any_tensor> outputs) const;

 private:
  struct exchange {
    std::size_t first = 0, own = 0;  // tensors of the first picture and of another one
  };

  std::vector<wanted_input> inputs_{};
  std::vector<net::file_output> outputs_{};
  std::vector<std::vector<std::size_t>> inputs_of_{};  // of each picture
  std::vector<std::vector<exchange>> outputs_of_{};
};

}  // namespace nvdlac::cli
