// SPDX-License-Identifier: Apache-2.0
#include "find_target.hpp"

#include <algorithm>

#include <nvdlac/emit/loadable_image.hpp>

#include "nearest.hpp"
#include "usage.hpp"

namespace nvdlac::cli {

std::string names_of(target_list targets) {
  std::string names;
  for (const auto* t : targets) names += (names.empty() ? "" : ", ") + std::string(t->name());
  return names;
}

const target& find_target(target_list targets, const std::string& name) {
  const auto* const found = [&]() -> const target* {
    for (const auto* t : targets)
      if (t->name() == name) return t;
    return nullptr;
  }();
  if (found == nullptr) {
    std::vector<std::string> names;
    for (const auto* t : targets) names.emplace_back(t->name());
    const auto like = nearest(name, names);
    throw usage_error("there is no configuration '" + name + "'" +
                      (like.empty() ? "" : ": did you mean " + like + "?") + " (there are " +
                      names_of(targets) +
                      "; a tool for your own is made with nvdlac_add_cli in CMake)");
  }
  return *found;
}

const target& find_target_of(const emit::loadable_image& image, const std::string& file,
                             const std::string& named, target_list targets) {
  if (!named.empty()) return find_target(targets, named);
  if (image.notes.empty())
    throw usage_error(file + " does not name its configuration, give --config (" +
                      names_of(targets) + ")");
  return find_target(targets, std::string(image.notes.hardware));
}

std::vector<const target*> find_targets(target_list targets,
                                        const std::vector<std::string>& names) {
  std::vector<const target*> found;
  for (const auto& name : names) {
    const auto* t = &find_target(targets, name);
    if (std::find(found.begin(), found.end(), t) == found.end()) found.push_back(t);
  }
  return found;
}

}  // namespace nvdlac::cli
