// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/report/table.hpp>

#include "queue/ranks.hpp"
#include "verification.hpp"
#include "verified.hpp"

namespace nvdlac::cli {

// Runs a verification over all inputs, counts, and prints.
class verifier {
 public:
  static constexpr std::size_t few = 32;  // inputs with a row each, and to compare layers on

  verifier(const preparation&, const input_files&,
           std::optional<std::vector<std::size_t>> labels, const sim::settings&,
           const prediction_options&, const verification::extent& = {});
  // Compares all inputs, which the ranks share out; the first one knows the results, whatever their
  // number. A table has a row for each input.
  void run(ranks&, bool table, bool quiet = false);
  // The least first classes that are right (or float's, without labels) and the most that are lost
  // beside float, both in percent of the inputs; the least signal to noise of an output in dB.
  struct thresholds {
    std::optional<double> top1{}, drop{}, snr{};
  };
  // Those that do not hold, by how much, after run().
  std::vector<problem> missed(const thresholds&) const;

  // The table, if there is one, then the summary, and the errors of all layers, if wanted.
  void print(bool layers) const;
  void print_json(const thresholds&) const;
  void print_csv() const;
  // What --html writes for a target.
  std::string page(std::size_t target) const;

  // By target.
  const std::vector<tally>& tallies() const { return tallies_; }
  std::size_t float_right() const { return float_right_; }
  const verification& work() const { return work_; }

 private:
  // What is asked of a program, and what there is.
  struct judged {
    std::string_view option;
    std::size_t target = 0;
    std::string what{};  // "top-1", "SNR of 'prob'"
    double value = 0, limit = 0;
    const char* unit = "";
    bool met = false;
  };
  std::vector<judged> judge(const thresholds&) const;
  std::vector<quant::layer_error> worst_first() const;
  report::json of_all() const;
  report::json of_target(std::size_t target) const;
  report::table empty_table() const;
  verified take(const input_set&, std::size_t number) const;
  std::vector<std::string> row_of(const input_set&, std::size_t number,
                                  const verification::result&) const;
  void count(const verified&);
  void summarise() const;
  void summarise(std::size_t target) const;

  const preparation& from_;
  const input_files& inputs_;
  std::optional<std::vector<std::size_t>> labels_;
  verification work_;
  verification::extent extent_;
  std::vector<tally> tallies_;
  std::size_t float_right_ = 0, float_tied_ = 0;
  std::vector<std::vector<std::string>> rows_{};
};

}  // namespace nvdlac::cli
