// SPDX-License-Identifier: Apache-2.0
#pragma once
// The noise of rounding, by which channels are brought to one range (equalise.hpp).
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/base/version.hpp>

namespace nvdlac::quant {

// The noise that rounding adds to a network's outputs, by factors of channels: those that give
// a channel multiply it, those that read it divide by it. Channels of one class have one
// factor.
class channel_noise {
 public:
  static constexpr std::size_t no_class = std::numeric_limits<std::size_t>::max();  // factor 1

  // Channels that are rounded in steps of one range, of which the noise is the square of the
  // largest range * factor, times the sum of gain / factor^2.
  struct shared_range {
    std::vector<std::pair<std::size_t, double>> ranges{}, gains{};  // by class
  };
  // Filters that share their input, of which the noise is for each kernel the square of its largest
  // weight / factor, times part and the sum of energy * factor^2.
  struct filters {
    std::vector<std::size_t> classes{};  // of the channels that they read
    std::vector<double> energy{};        // of these channels
    std::vector<float> largest{};        // weights, [kernel][channel]
    std::vector<double> part{};          // of the kernels
  };

  explicit channel_noise(std::size_t classes) : classes_(classes) {}
  void add(shared_range r) { ranges_.push_back(std::move(r)); }
  void add(filters f) { filters_.push_back(std::move(f)); }

  // The logarithms of the factors of least noise between these limits, in so many rounds. It is
  // convex in them, as all of it are sums of products of their powers.
  std::vector<double> least(std::span<const double> low, std::span<const double> high, int rounds,
                            std::size_t threads) const;

 private:
  struct term {
    std::size_t at;
    double slope, bend;  // bend: at least the second derivative
  };
  using terms = std::vector<term>;

  // A maximum is taken as a root of the sum of such powers, which bends smoothly.
  static constexpr double power = 16;
  static double to_the_power(double x);
  // The term of a maximum's share, and of a sum's, in a noise that holds their squares.
  static term of_largest(std::size_t at, double noise) {
    return {at, 2 * noise, (4 + 2 * power) * noise};
  }
  static double factor(const std::vector<double>& logs, std::size_t at) {
    return at == no_class ? 1 : std::exp(logs[at]);
  }

  static terms terms_of(const shared_range& r, const std::vector<double>& logs);
  static terms terms_of(const filters& f, const std::vector<double>& logs);

  std::size_t classes_;
  std::vector<shared_range> ranges_{};
  std::vector<filters> filters_{};
};

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/channel_noise.ipp>
#endif
