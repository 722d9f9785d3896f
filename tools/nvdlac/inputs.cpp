// SPDX-License-Identifier: Apache-2.0
#include "inputs.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

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

data::input_arrays arrays_for(const named_arrays& arrays, const std::vector<wanted_input>& wanted) {
  std::vector<const data::shared_array*> found_for(wanted.size());
  std::vector<std::string> names;
  for (const auto& w : wanted) names.push_back(w.name);
  const auto remedy = "give an array for each of " + joined(names);
  diagnostics found;
  for (const auto& [name, array] : arrays) {
    const auto input = name.empty() && wanted.size() == 1
                           ? names.begin()
                           : std::ranges::find(names, name);
    if (input != names.end())
      found_for[static_cast<std::size_t>(input - names.begin())] = &array;
    else
      found.add({.reason = name.empty() ? "one array is for a network with one input, this one has "
                                          "several"
                                        : "the network has no input '" + name + "'",
                 .remedy = remedy});
  }
  for (std::size_t i = 0; i < names.size() && found.empty(); ++i)
    if (found_for[i] == nullptr)
      found.add({.layer = names[i], .reason = "there is no array of this input", .remedy = remedy});
  found.check();
  data::input_arrays all;
  for (const auto* a : found_for) all.push_back(*a);
  return all;
}

void tell(std::ostream& to, const char* kind, const std::vector<problem>& all) {
  for (const auto& p : all) to << "nvdlac: " << kind << ": " << to_string(p) << '\n';
}

}  // namespace nvdlac::cli
