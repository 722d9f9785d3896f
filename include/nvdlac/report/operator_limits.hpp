// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of operators that configurations limit, found by asking `lower::support`.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/runs_in_integers.hpp>
#include <nvdlac/net/network.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::report {

// Why a number of an operator cannot be n.
using question = std::function<lower::reason(std::int32_t)>;

// A number of an operator: of what nvdlac runs, and, if passes make several layers of a larger one,
// whether one hardware layer takes n.
struct limited {
  std::string_view operator_name, what;
  question ask;
  std::function<bool(std::int32_t)> in_one_layer = nullptr;
};

// Numbers above this are not asked for: no cube is larger.
inline constexpr std::int32_t most_asked = 8192;

// The greatest number that runs; above `most_asked` if nothing stops it.
std::int32_t greatest(const auto& runs) {
  std::int32_t good = 0, bad = 1;
  for (; runs(bad); bad *= 2) {
    good = bad;
    if (good >= most_asked && runs(good + 1)) return good + 1;
  }
  while (bad - good > 1) {
    const std::int32_t middle = good + (bad - good) / 2;
    (runs(middle) ? good : bad) = middle;
  }
  return good;
}

// The greatest number that runs, and why the next one does not; or nothing stops `most_asked`.
struct found_limit {
  std::int32_t most = 0;
  lower::reason beyond = lower::reason::none;
};
found_limit limit_of(const question& ask);

namespace detail {

template <hw::hardware Hw>
class limit_list {
 public:
  explicit limit_list(hw::precision p) : p_(p) {
    add_convolutions();
    add_layers_of_rows();
    add_pools();
    add_others();
  }
  std::vector<limited> take() { return std::move(found_); }

 private:
  static constexpr auto average = net::pool_kind::average;
  using shape = net::shape;
  using square = net::square;

  auto asking() const {
    return [p = p_](const auto& op, shape in) {
      return lower::reason_of<Hw>(op, std::array{in}, p);
    };
  }
  // The limits of a quantised operator, which is one layer or cut by address.
  auto fitting() const {
    return [ask = asking()](const auto& op, shape in) {
      return op.fit(std::array{in}).ok() && ask(op, in) == lower::reason::none;
    };
  }

  // Numbers of a convolution's window, on an input that is as large as the window at least.
  void add_window(std::string_view what, auto window_of, shape in) {
    const auto with = [=](auto op, const auto& ask, std::int32_t n) {
      op.window = window_of(n);
      return ask(op, shape{in.c, std::max(in.h, op.window.extent_h()),
                           std::max(in.w, op.window.extent_w())});
    };
    found_.push_back({"convolution", what,
                      [=, ask = asking()](std::int32_t n) {
                        return with(net::convolution{}, ask, n);
                      },
                      [=, fits = fitting()](std::int32_t n) {
                        return with(quantised::convolution{}, fits, n);
                      }});
  }
  void add_convolutions() {
    const auto kernel = [](auto n) { return square{.kernel = n}; };
    add_window("kernel height and width", kernel, {1, 1, 1});
    add_window("kernel height and width, 256 channels", kernel, {256, 1, 1});
    add_window("stride", [](auto n) { return square{.stride = n}; }, {1, 64, 64});
    add_window("dilation of a 3 x 3 kernel",
               [](auto n) { return square{.kernel = 3, .dilation = n}; }, {1, 1, 1});
    add_window("padding left and above", [](auto n) { return net::window{32, 32, 1, 1, n, n}; },
               {1, 64, 64});
    add_window("padding right and below",
               [](auto n) {
                 return net::window{
                     .kernel_h = 32, .kernel_w = 32, .pad_bottom = n, .pad_right = n};
               },
               {1, 64, 64});
    const auto ask = asking();
    found_.push_back({"convolution", "kernels", [=](std::int32_t n) {
                        return ask(net::convolution{.kernels = n}, {1, 8, 8});
                      }});
    const auto channels = [&](std::string_view what, std::int32_t size, shape in) {
      found_.push_back({"convolution", what, [=](std::int32_t n) {
                          return ask(net::convolution{.window = square{.kernel = size}},
                                     shape{n, in.h, in.w});
                        }});
    };
    channels("input channels, 1 x 1 kernel", 1, {1, 8, 8});
    channels("input channels, 3 x 3 kernel, 56 x 56 input", 3, {1, 56, 56});
    channels("input channels, 3 x 3 kernel, 224 x 224 input", 3, {1, 224, 224});
    channels("input channels, 7 x 7 kernel, 7 x 7 input", 7, {1, 7, 7});
    found_.push_back({"convolution", "input width, 64 channels, 3 x 3 kernel", [=](std::int32_t n) {
                        return ask(net::convolution{.window = square{.kernel = 3, .pad = 1}},
                                   {64, 8, n});
                      }});
    found_.push_back({"deconvolution", "kernel height, stride 2", [=](std::int32_t n) {
                        return ask(net::deconvolution{.window = {.kernel_h = n, .stride_h = 2}},
                                   {1, 1, 1});
                      }});
  }
  void add_layers_of_rows() {
    const auto ask = asking();
    const auto row = [&](std::string_view what, auto rows_of) {
      found_.push_back({"fully_connected", what, rows_of});
    };
    row("outputs", [=](std::int32_t n) {
      return ask(net::fully_connected{.outputs = n}, {8, 1, 1});
    });
    row("inputs in a row of channels",
        [=](std::int32_t n) { return ask(net::fully_connected{}, {n, 1, 1}); });
    row("channels of a 7 x 7 input",
        [=](std::int32_t n) { return ask(net::fully_connected{}, {n, 7, 7}); });
  }
  void add_pools() {
    const auto add = [&](std::string_view what, auto with) {
      found_.push_back(
          {"pool", what,
           [=, ask = asking()](std::int32_t n) { return with(net::pool{}, ask, n); },
           [=, fits = fitting()](std::int32_t n) { return with(quantised::pool{}, fits, n); }});
    };
    const auto windows = [](net::pool_kind kind, auto window_of) {
      return [=](auto op, const auto& ask, std::int32_t n) {
        op.kind = kind;
        op.window = window_of(n);
        return ask(op, shape{8, std::max(64, n + 1), std::max(64, n + 1)});
      };
    };
    const auto kernel = [](auto n) { return square{.kernel = n}; };
    add("window height and width of a maximum", windows(net::pool_kind::maximum, kernel));
    add("window height and width of an average", windows(average, kernel));
    add("stride", windows(net::pool_kind::maximum,
                          [](auto n) { return square{.kernel = 2, .stride = n}; }));
    add("padding of a maximum of 16 x 16", windows(net::pool_kind::maximum, [](auto n) {
          return square{.kernel = 16, .pad = n};
        }));
    found_.push_back({"pool", "height and width under one window",
                      [ask = asking()](std::int32_t n) {
                        return ask(net::pool{.kind = average, .global = true}, {1, n, n});
                      }});
  }
  void add_others() {
    const auto ask = asking();
    found_.push_back({"softmax", "height and width", [=](std::int32_t n) {
                        return ask(net::softmax{}, {8, n, n});
                      }});
    found_.push_back({"lrn", "channels", [=](std::int32_t n) {
                        return ask(net::lrn{}, {n, 8, 8});
                      }});
  }

  hw::precision p_;
  std::vector<limited> found_;
};

}  // namespace detail

template <hw::hardware Hw>
std::vector<limited> limits_on(hw::precision p = hw::precision::int8) {
  return detail::limit_list<Hw>(p).take();
}

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/operator_limits.ipp>
#endif
