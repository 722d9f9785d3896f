// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators that make one number of all elements along some axes.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>

namespace nvdlac::import::onnx_format {

// The axes of a shape in another order: those that stay, then those that are reduced.
struct reduced_axes {
  dims order{}, last{}, result{};  // `result` has ones for the reduced axes if they are kept
  std::int64_t stay = 1;           // elements of the result

  reduced_axes(const dims& shape, dims axes, bool keep);
  std::int64_t run() const { return count(last); }

  // A tensor with the reduced axes last.
  computed sort(const context& c, const computed& x) const {
    return moved(x, transpose(x.shape, order, c.ceiling), c.n.name(), c.net.net().shape(x.node));
  }
};

// The elements that become one lie in one channel.
net::shape reduced_cube(const reduced_axes& axes);
// For each channel of the cube that x is the whole of, the result that all of its elements are a
// part of. Nothing where elements of one channel belong to several.
std::vector<std::int32_t> results_of_channels(const context& c, const computed& x,
                                              const reduced_axes& axes);
// For each result its channel, where it is all of one.
element_map channels_of_results(const context& c, const computed& x, const reduced_axes& axes);
// All lines and columns of each channel of a cube as one.
assembly::id pooled_places(const context& c, const std::string& layer, net::pool_kind kind,
                           assembly::id cube);
computed pooled(const context& c, const std::string& layer, net::pool_kind kind, const computed& x,
                const reduced_axes& axes);
// The sum of all elements times a factor, which is rounded once: a pooling keeps its input's scale.
computed summed(const context& c, const std::string& layer, const computed& x,
                const reduced_axes& axes, float factor = 1);
// The sum of all elements, of a large picture that of the means of its small windows, which PDP
// rounds at the scale of its input as it does those of a mean over the picture.
computed summed_in_levels(const context& c, const std::string& layer, const computed& x,
                          const reduced_axes& axes);
std::vector<value> global_pool(const context& c, net::pool_kind kind, const dims& axes);
std::vector<value> on_global_pool(const context& c);

enum class combining { sum, mean, maximum, minimum, product };
enum class preparing { nothing, magnitude, square, exponential };
enum class finishing { nothing, root, logarithm };

struct reducer {
  combining how;
  preparing before = preparing::nothing;
  finishing after = finishing::nothing;

  double prepared(double v) const;
  double combined(double a, double b) const;
  double finished(double v, std::size_t run) const;
};

const std::map<std::string_view, reducer>& reducers();

// A product of halves until one element is left.
computed product_along(const context& c, const computed& x, const reduced_axes& axes);

computed reduced(const context& c, computed x, const reducer& r, const reduced_axes& axes);

array reduced(const array& x, const reducer& r, const reduced_axes& axes,
              const element_ceiling& most);

std::vector<value> reduce_by(const context& c, const reducer& r);
std::vector<value> on_reduce(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/reduction.ipp>
#endif
