// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import::translation {

// The problems of the layers of one file, which are told all together.
class layer_problems {
 public:
  explicit layer_problems(std::string file, diagnostics found = {})
      : file_(std::move(file)), found_(std::move(found)) {}

  void add(const std::string& layer, const error& e);
  // Whether the action threw no error.
  template <class Action>
  bool attempt(const std::string& layer, Action action) {
    try {
      action();
      return true;
    } catch (const error& e) {
      add(layer, e);
      return false;
    }
  }
  diagnostics& found() { return found_; }
  void check() const { found_.check(); }

 private:
  std::string file_;
  diagnostics found_;
};

// The shapes of inputs: the file's, or the user's where it leaves them open.

using onnx_format::dims;

class input_shapes {
 public:
  // `example`: a picture as the format has it, for messages.
  explicit input_shapes(const part& wanted, dims example = {1, 224, 224, 3})
      : wanted_(wanted), example_(std::move(example)) {}

  // `more` is said behind the problem that a shape is not known.
  dims of(const std::string& name, const std::optional<dims>& declared,
          const std::string& more = {});
  // Reports shapes of what is no input.
  void report_unused(layer_problems& to) const;

 private:
  static dims checked(const dims& d, const std::optional<dims>& declared);

  // The option that tells a shape, with the example's sizes where it is open.
  std::string option(const std::string& name, const dims& declared) const;

  const part& wanted_;
  dims example_;
  std::vector<std::string> names_{};  // of all inputs
};

}  // namespace nvdlac::import::translation

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/translation/input_shapes.ipp>
#endif
