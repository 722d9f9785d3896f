// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/onnx/array.hpp>

namespace nvdlac::import::translation {

// The problems of the layers of one file, which are told all together.
class complaints {
 public:
  explicit complaints(std::string file, diagnostics found = {})
      : file_(std::move(file)), found_(std::move(found)) {}

  void add(const std::string& layer, const error& e) {
    for (problem p : e.problems()) {
      p.file = file_;
      p.layer = escape::is_printable(layer) ? layer : "with a name that cannot be printed";
      found_.add(std::move(p));
    }
  }
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
  explicit input_shapes(const part& wanted) : wanted_(wanted) {}

  // `more` is said behind the complaint that a shape is not known.
  dims of(const std::string& name, const std::optional<dims>& told, const std::string& more = {}) {
    names_.push_back(name);
    if (const auto given = wanted_.shapes.find(name); given != wanted_.shapes.end())
      return checked(given->second, told);
    if (!told)
      throw error(problem{.reason = "the shape of this input is not known" + more,
                          .remedy = "give it: " + shape_option(name, {1, 224, 224, 3})});
    dims d = *told;
    if (d.size() > 1 && d[0] == -1) d[0] = 1;  // the batch
    for (std::size_t i = 0; i < d.size(); ++i)
      if (d[i] < 1)
        throw error(problem{.reason = text("dimension ", i, " of this input is not known", more),
                            .remedy = "give its shape: " + shape_option(name, *told)});
    return d;
  }
  // Complains of shapes of what is no input.
  void report_unused(complaints& to) const {
    std::string all;
    for (const auto& name : names_) all += (all.empty() ? "" : ", ") + name;
    for (const auto& [name, ignored] : wanted_.shapes)
      if (std::ranges::find(names_, name) == names_.end())
        to.add(name, error(problem{.reason = "its shape is given, but it is no input",
                                   .remedy = "inputs are " + (all.empty() ? "none" : all)}));
  }

 private:
  static dims checked(const dims& d, const std::optional<dims>& told) {
    bool fits = !told || told->size() == d.size();
    for (std::size_t i = 0; fits && told && i < d.size(); ++i)
      fits = (*told)[i] == -1 || (*told)[i] == d[i];
    if (!fits)
      throw error(text("its shape is given as ", onnx_format::to_text(d), ", but the file has ",
                       onnx_format::to_text(*told)));
    for (const auto n : d)
      if (n < 1) throw error(text("its shape is given as ", onnx_format::to_text(d)));
    return d;
  }

  const part& wanted_;
  std::vector<std::string> names_{};  // of all inputs
};

}  // namespace nvdlac::import::translation
