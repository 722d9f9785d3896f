// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/sim/layer_record.hpp>

#include "outputs.hpp"

namespace CLI {
class App;
}

namespace nvdlac::cli {

// What the layers of a run did, if the user asks for it: --layers prints a table, --layers=FILE
// writes JSON.
class layers_option {
 public:
  void add(CLI::App&);
  bool wanted() const { return !where_.empty(); }
  // Before the run, and behind it: the file, or the table.
  void plan(output_set&) const;
  void take(const sim::layer_record& r) { records_.push_back(r); }
  void finish(output_set&) const;

 private:
  bool to_file() const { return where_ != standard_output; }

  static constexpr auto standard_output = "-";

  std::string where_{};
  std::vector<sim::layer_record> records_{};
};

}  // namespace nvdlac::cli
