// SPDX-License-Identifier: Apache-2.0
#pragma once
// The groups that a network's own names tell, such as PyTorch's modules: "/blocks/blocks.1/Conv"
// is of "/blocks/blocks.1", which is of "/blocks".
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::report {

struct name_groups {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  struct group {
    std::string name{};
    std::size_t parent = none;  // it stands before this one
    std::size_t level = 0;      // how many groups it stands in
  };
  std::vector<group> groups{};    // by their first name
  std::vector<std::size_t> of{};  // of each name the innermost group, or none

  std::size_t levels() const;
  // The group of a level that holds this one, or none.
  std::size_t at_level(std::size_t of_group, std::size_t level) const;
  // The rest of a name behind that of this group; the whole name where it is in none.
  std::string within(std::size_t of_group, const std::string& name) const;
};

// Parts of names end with '/', or with '.' in a name without it; of names that are joined by ';',
// as TensorFlow Lite has them, the first counts. What holds one name, all names, or the same ones
// as a group within it, is no group.
name_groups groups_of(const std::vector<std::string>& names);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/name_groups.ipp>
#endif
