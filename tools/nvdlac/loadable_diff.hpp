// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is different in two loadables.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/report/json.hpp>

#include "prediction_options.hpp"
#include "target.hpp"

namespace nvdlac::cli {

// One of the two files.
struct loadable_side {
  std::string file{};
  std::vector<std::uint8_t> bytes{};
  emit::loadable_image image{};
  const target* on = nullptr;
};

class loadable_diff {
 public:
  // Throws nvdlac::error for a loadable that its configuration does not run.
  loadable_diff(const loadable_side& a, const loadable_side& b, const prediction_options&);

  // Whether the files are the same, byte for byte.
  bool same() const { return same_; }
  std::string print() const;  // in lines of at most 80 letters
  report::json to_json() const;

 private:
  struct change {
    std::string what;
    report::json a, b;  // null: not there
  };
  struct changed_layer {
    std::string name, unit;
    std::vector<change> fields{};
    // Weights and operands in bytes, and how many of them differ where there are as many.
    std::size_t bytes_a = 0, bytes_b = 0, different = 0;
  };
  struct layer_of_one {
    std::string name, unit;
  };
  struct loaded;

  void add(std::string what, report::json a, report::json b);
  void compare_tensors(const char* kind, const loaded& a, const loaded& b);
  void compare_layers(const loaded& a, const loaded& b);

  std::string file_a_, file_b_;
  bool same_ = false, reordered_ = false;
  std::vector<change> changes_{};
  std::vector<changed_layer> layers_{};
  std::vector<layer_of_one> added_{}, removed_{};
  std::size_t equal_layers_ = 0;
};

}  // namespace nvdlac::cli
