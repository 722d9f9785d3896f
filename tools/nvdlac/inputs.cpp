// SPDX-License-Identifier: Apache-2.0
#include "inputs.hpp"

#include <algorithm>
#include <cstddef>

#include "usage.hpp"

namespace nvdlac::cli {

data::input_paths paths_for(const std::vector<std::string>& arguments,
                            const std::vector<wanted_input>& wanted) {
  data::input_paths files(wanted.size());
  for (const auto& a : arguments) {
    const auto input = std::find_if(wanted.begin(), wanted.end(), [&](const wanted_input& w) {
      return a.starts_with(w.name + "=");
    });
    const bool named = input != wanted.end();
    if (!named && wanted.size() != 1) {
      std::string names;
      for (const auto& w : wanted) names += (names.empty() ? "" : ", ") + w.name;
      throw usage_error("'" + a + "': the network has several inputs, give NAME=FILE for each of " +
                        names);
    }
    if (named && a.size() == input->name.size() + 1)
      throw usage_error("'" + a + "' names no file");
    files[named ? static_cast<std::size_t>(input - wanted.begin()) : 0].emplace_back(
        named ? a.substr(input->name.size() + 1) : a);
  }
  return files;
}

void tell(std::ostream& to, const char* kind, const std::vector<problem>& all) {
  for (const auto& p : all) to << "nvdlac: " << kind << ": " << to_string(p) << '\n';
}

}  // namespace nvdlac::cli
