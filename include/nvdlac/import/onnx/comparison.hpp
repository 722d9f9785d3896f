// SPDX-License-Identifier: Apache-2.0
#pragma once
// Comparisons of computed tensors, which the host makes, and what is computed of truths.
#include <optional>
#include <string_view>
#include <vector>

#include <nvdlac/host/comparison.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/net/graph.hpp>

namespace nvdlac::import::onnx_format {

// The relation that an operator of this type looks for, if it is a comparison.
std::optional<host::relation> relation_of(std::string_view type);

// A tensor that is compared with the maxima of the windows around its elements, as CenterNet finds
// its peaks; nothing where an operator of this type compares others.
struct found_peaks {
  host::peak what{};
  assembly::id of{};
};
std::optional<found_peaks> peaks_of(const net::graph& g, std::string_view type,
                                    const std::vector<assembly::id>& in);

// Equal, Greater, GreaterOrEqual, Less, LessOrEqual.
std::vector<value> on_comparison(const context& c);

// Joins and turns truths, which are 1 and 0: And, Or, Not.
std::vector<value> on_truths(const context& c);
std::vector<value> on_not(const context& c);

// The elements of a where the computed condition holds, and of b elsewhere.
value chosen_by(const context& c, const computed& condition, const value& a, const value& b);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/comparison.ipp>
#endif
