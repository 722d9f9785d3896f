// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include <nvdlac/report/json.hpp>
#include <nvdlac/sim/device_state.hpp>

#include "outputs.hpp"

namespace CLI {
class App;
}

namespace nvdlac::cli {

// Records of what the layers of a run did, if the user asks for them: --layers prints a table,
// --layers=FILE writes JSON.
class layers_option {
 public:
  void add(CLI::App&);
  bool wanted() const { return !where_.empty(); }
  // Before the run, and behind it: the file, or the table.
  void plan(output_set&) const;
  void take(const sim::layer_record& r, const std::string& name = {}) {
    records_.push_back({name, r});
  }
  void finish(output_set&) const;
  report::json to_json() const;  // a list
  bool to_file() const { return where_ != standard_output; }

  // A record of what one layer did, with its name where it is known.
  struct executed {
    std::string name{};
    sim::layer_record did{};
  };

 private:
  static constexpr auto standard_output = "-";

  std::string where_{};
  std::vector<executed> records_{};
};

}  // namespace nvdlac::cli
