// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operators whose outputs are sums of inputs with factors that are known when the file is read:
// interpolation by any factor, pictures sampled at constant places, Fourier transforms. They are
// products with a matrix of these factors.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::onnx_format {

// Factors [outputs][inputs] of one dimension, or of several together.
struct factor_matrix {
  std::int64_t outputs = 1, inputs = 1;
  std::vector<float> values{1.0F};

  static constexpr std::int64_t most = std::int64_t{1} << 24;

  factor_matrix() = default;
  factor_matrix(std::int64_t rows, std::int64_t columns);
  float& at(std::int64_t output, std::int64_t input) {
    return values[static_cast<std::size_t>(output * inputs + input)];
  }
};

// The factors of two dimensions, the second being the inner one.
factor_matrix both(factor_matrix& outer, factor_matrix& inner);

// Applies factors to the last dimensions of x, which hold `inputs` elements, for a result of
// `shape`.
value sampled(const context& c, const computed& x, factor_matrix m, dims shape);

// The weights of the neighbours of a place between two elements, from floor(place) - 1 on.
struct cubic_weights {
  double w[4];
  cubic_weights(double part, double a);
};

// Interpolation along one dimension: linear, or cubic with the coefficient a.
struct interpolator {
  bool cubic = false;
  double a = -0.75;
  bool exclude_outside = false;  // what lies outside weighs nothing, else it is the outermost
  bool antialias = false;        // a smaller result takes all that lies around its elements

  // `scale`: the size of the result for one of the input.
  factor_matrix matrix(std::int64_t in, std::span<const double> places,
                       double scale = 1) const;

  // The elements from `first` on that a smaller result takes around a place, as far as they reach.
  struct taps {
    std::int64_t first = 0;
    std::vector<double> weights{};
  };
  taps around(std::int64_t in, double place, double scale) const;

 private:
  double weight(double distance) const;
  // The matrix of a result that is smaller, whose elements reach further.
  factor_matrix smoothed(std::int64_t in, std::span<const double> places, double scale) const;
};

// GridSample.
class grid_sampler {
 public:
  grid_sampler(const node& n, std::int64_t height, std::int64_t width);

  // Adds the weights of one output at the place (x, y) in -1 .. 1.
  void weigh(factor_matrix& m, std::int64_t output, double x, double y) const;

 private:
  double count(int axis) const { return static_cast<double>(size_[axis]); }
  double first(int) const { return aligned_ ? 0 : -0.5; }
  double last(int axis) const { return count(axis) - (aligned_ ? 1 : 0.5); }
  double in_elements(double p, int axis) const {
    return aligned_ ? (p + 1) / 2 * (count(axis) - 1) : ((p + 1) * count(axis) - 1) / 2;
  }
  bool outside(double p, int axis) const { return p < first(axis) || p > last(axis); }
  double brought_in(double p, int axis) const;
  double reflected(double p, int axis) const;
  void add(factor_matrix& m, std::int64_t output, double y, double x, double weight) const;

  std::int64_t size_[2];
  std::string mode_, outside_;
  bool aligned_ = false;
};

std::vector<value> on_grid_sample(const context& c);

std::vector<value> on_dft(const context& c);

// Sums of all elements up to each along an axis: a product with a triangular matrix.
std::vector<value> on_cum_sum(const context& c);

// Interpolation of pictures: one dimension at a time.

// The inputs that each output is a sum of, in ascending order, and what they weigh; as many for
// each output, so that some weigh nothing.
struct neighbours {
  std::vector<dims> at{};                     // [neighbour][output]
  std::vector<std::vector<float>> weight{};   // likewise

  explicit neighbours(const factor_matrix& m);
  // One neighbour of each output, along an axis of a tensor.
  movement gather(const dims& shape, std::size_t axis, std::size_t neighbour,
                  const element_ceiling& most) const;

 private:
  void set(std::size_t n, std::int64_t output, std::int64_t input, float w);
  // Another neighbour; the outputs before this one have it behind their last.
  void grow(std::int64_t output, const factor_matrix& m);
};

// The factors of one neighbour for all elements of `out`, along height (axis 2) or width (3).
net::float_tensor factors_of(const std::vector<float>& weight, std::size_t axis, net::shape out);

// The sum, as the layer `result`, of the neighbours' lines or columns times their factors:
// pick(name, neighbour) gives the cube of shape `out` of one's elements, and
// add(name, operator, inputs) a layer. Names of others begin with `base`.
template <class Pick, class Add>
assembly::id summed_neighbours(const neighbours& from, std::size_t axis, net::shape out,
                               const std::string& base, const std::string& result,
                               const Pick& pick, const Add& add) {
  assembly::id sum{};
  for (std::size_t n = 0; n < from.at.size(); ++n) {
    const std::string name = base + std::to_string(n);
    const auto near = pick(name, n);
    const auto k = add(name + "/factors", net::constant{factors_of(from.weight[n], axis, out)},
                       std::vector<assembly::id>{});
    const bool last = n + 1 == from.at.size();
    const auto term = add(last && n == 0 ? result : name + "/share", net::multiply{},
                          std::vector{near, k});
    sum = n == 0 ? term
                 : add(last ? result : name + "/sum", net::add{}, std::vector{sum, term});
  }
  return sum;
}

// Height (axis 2) or width (3) of x: the neighbours' lines or columns, times constants, summed as
// the layer `result`.
computed interpolated_along(const context& c, const computed& x, std::size_t axis,
                            const factor_matrix& m, const std::string& result);

// Whether a picture is interpolated from d to `out` one dimension after the other: by sums of four
// neighbours (cubic) or more, which round more often than one product with a matrix, where that
// would have so many factors that it costs more.
bool is_separable(const dims& d, const dims& out, bool of_many);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/sampling.ipp>
#endif
