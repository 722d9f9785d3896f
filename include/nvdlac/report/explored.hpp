// SPDX-License-Identifier: Apache-2.0
#pragma once
// Predicted configurations of a range as CSV and as C++.
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/explore.hpp>
#include <nvdlac/hw/spec.hpp>

namespace nvdlac::report {

// Configurations as explore::predict judges them for one network, or for several together.
struct explored {
  hw::spec start{};          // which the ranges change
  double megahertz = 1000;   // NVDLA's clock, for runs a second
  std::vector<std::string> networks{};
  std::vector<explore::range> ranges{};
  std::vector<explore::point> together{};            // explore::combined of `each`
  std::vector<std::vector<explore::point>> each{};   // by network
  std::vector<explore::objective> objectives{explore::usual_objectives.begin(),
                                             explore::usual_objectives.end()};  // of the front
  std::string estimated_by{};                        // the source of area and energy
};

// A line of comma-separated values for each point, with those of the ranges, and of each of several
// networks its cycles; `base` is the one that the ranges change.
std::string to_csv(const explored& a);

// A configuration as a struct of C++, `explored_N`, for nvdlac_add_cli and programs.
std::string struct_of(std::size_t n, const hw::spec& s);
inline constexpr std::string_view head_of_explored =
    "#pragma once\n#include <nvdlac/hw/validate.hpp>\n";

// A header with the configurations of the front.
std::string header_of(const std::vector<explore::point>& points);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/explored.ipp>
#endif
