// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a device and the simulator disagree, as text.
#include <cstddef>
#include <filesystem>
#include <string>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/verify/location.hpp>

namespace nvdlac::report {
namespace detail {

// "(c 3, y 0, x 5)" of an element in c-h-w order.
std::string place_of(std::size_t element, net::shape s);

}  // namespace detail

// A few lines: the first layer that differs, where, and by what, or that none does. `directory` has
// the dumps.
std::string to_text(const verification::location& l, const std::filesystem::path& directory);

// Lists the program's writes to that layer's registers, a line each; nothing where there is none.
std::string registers_to_text(const verification::location& l);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/location.ipp>
#endif
