// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>

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

}  // namespace nvdlac::import::translation
