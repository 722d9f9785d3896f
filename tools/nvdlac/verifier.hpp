// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/report/table.hpp>

#include "verification.hpp"

namespace nvdlac::cli {

// Runs a verification over all inputs, counts, and prints.
class verifier {
 public:
  static constexpr std::size_t few = 32;  // inputs with a row each, and to compare layers on

  verifier(preparation&, const input_files&, std::optional<std::vector<std::size_t>> labels,
           const sim::settings&, const prediction_options&);
  // Compares all inputs.
  void run();
  // Rows for few inputs, or for `each`, and then the summary.
  void print(bool each) const;
  void print_json() const;

 private:
  // What all inputs say of one program.
  struct tally {
    std::vector<comparison> outputs{};
    std::size_t agreed = 0, right = 0, tied = 0, tied_before = 0;
  };

  report::table empty_table() const;
  std::vector<std::string> take(const input_set&, std::size_t number);
  void summarise() const;
  void summarise(std::size_t target) const;

  const preparation& from_;
  const input_files& inputs_;
  std::optional<std::vector<std::size_t>> labels_;
  verification work_;
  std::vector<tally> tallies_;
  std::size_t float_right_ = 0, float_tied_ = 0;
  report::table rows_;
};

}  // namespace nvdlac::cli
