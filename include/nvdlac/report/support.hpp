// SPDX-License-Identifier: Apache-2.0
#pragma once
// What runs on which configuration, asked of `lower::support` and nothing else.
#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/reason_of.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/net/square.hpp>
#include <nvdlac/type_list.hpp>
#include <nvdlac/type_name.hpp>

namespace nvdlac::report {

// A number of an operator that configurations limit: `ask(n)` says why it cannot be n.
struct limited {
  std::string_view operator_name, what;
  std::function<lower::reason(std::int32_t)> ask;
};

// Numbers above this are not asked for: no cube is larger.
inline constexpr std::int32_t most_asked = 8192;

// The greatest number that runs, and why the next one does not; or nothing stops `most_asked`.
struct found_limit {
  std::int32_t most = 0;
  lower::reason beyond = lower::reason::none;
};
inline found_limit limit_of(const limited& l) {
  std::int32_t runs = 0, fails = 1;
  for (; l.ask(fails) == lower::reason::none; fails *= 2) {
    runs = fails;
    if (runs >= most_asked && l.ask(runs + 1) == lower::reason::none) return {runs};
  }
  while (fails - runs > 1) {
    const std::int32_t middle = runs + (fails - runs) / 2;
    (l.ask(middle) == lower::reason::none ? runs : fails) = middle;
  }
  return {runs, l.ask(runs + 1)};
}

template <hw::hardware Hw>
std::vector<limited> limits_on() {
  using net::shape, net::square;
  const auto ask = [](const auto& op, shape in) {
    return lower::reason_of<Hw>(op, std::array{in});
  };
  const auto kernel = [ask](std::string_view what, auto window_of, shape in) {
    return limited{"convolution", what, [=](std::int32_t n) {
                     const net::window w = window_of(n);
                     return ask(net::convolution{.window = w},
                                shape{in.c, std::max(in.h, w.extent_h()),
                                      std::max(in.w, w.extent_w())});
                   }};
  };
  const auto channels = [ask](std::string_view what, std::int32_t size, shape in) {
    return limited{"convolution", what, [=](std::int32_t n) {
                     return ask(net::convolution{.window = square{.kernel = size}},
                                shape{n, in.h, in.w});
                   }};
  };
  return {
      kernel("kernel height and width", [](auto n) { return square{.kernel = n}; }, {1, 1, 1}),
      kernel("kernel height and width, 256 channels", [](auto n) { return square{.kernel = n}; },
             {256, 1, 1}),
      kernel("stride", [](auto n) { return square{.stride = n}; }, {1, 64, 64}),
      kernel("dilation of a 3 x 3 kernel",
             [](auto n) { return square{.kernel = 3, .dilation = n}; }, {1, 1, 1}),
      kernel("padding left and above",
             [](auto n) { return net::window{32, 32, 1, 1, n, n}; }, {1, 64, 64}),
      kernel("padding right and below",
             [](auto n) { return net::window{.kernel_h = 32, .kernel_w = 32, .pad_bottom = n,
                                             .pad_right = n}; }, {1, 64, 64}),
      {"convolution", "kernels",
       [=](std::int32_t n) { return ask(net::convolution{.kernels = n}, {1, 8, 8}); }},
      channels("input channels, 1 x 1 kernel", 1, {1, 8, 8}),
      channels("input channels, 3 x 3 kernel, 56 x 56 input", 3, {1, 56, 56}),
      channels("input channels, 3 x 3 kernel, 224 x 224 input", 3, {1, 224, 224}),
      channels("input channels, 7 x 7 kernel, 7 x 7 input", 7, {1, 7, 7}),
      {"convolution", "input width, 64 channels, 3 x 3 kernel",
       [=](std::int32_t n) {
         return ask(net::convolution{.window = square{.kernel = 3, .pad = 1}}, {64, 8, n});
       }},
      {"fully_connected", "outputs",
       [=](std::int32_t n) { return ask(net::fully_connected{.outputs = n}, {8, 1, 1}); }},
      {"fully_connected", "inputs in a row of channels",
       [=](std::int32_t n) { return ask(net::fully_connected{}, {n, 1, 1}); }},
      {"fully_connected", "channels of a 7 x 7 input",
       [=](std::int32_t n) { return ask(net::fully_connected{}, {n, 7, 7}); }},
      {"pool", "window height and width of a maximum",
       [=](std::int32_t n) {
         return ask(net::pool{.window = square{.kernel = n}}, {8, n + 1, n + 1});
       }},
      {"pool", "window height and width of an average",
       [=](std::int32_t n) {
         return ask(net::pool{.kind = net::pool_kind::average, .window = square{.kernel = n}},
                    {8, n + 1, n + 1});
       }},
      {"pool", "stride",
       [=](std::int32_t n) {
         return ask(net::pool{.window = square{.kernel = 2, .stride = n}}, {8, 64, 64});
       }},
      {"pool", "height and width under one window",
       [=](std::int32_t n) { return ask(net::pool{.global = true}, {1, n, n}); }},
      {"softmax", "height and width",
       [=](std::int32_t n) { return ask(net::softmax{}, {8, n, n}); }},
  };
}

namespace detail {

// Gives each reason the number of a note.
class notes {
 public:
  std::string operator()(lower::reason r) {
    auto at = std::find(seen_.begin(), seen_.end(), r);
    if (at == seen_.end()) at = seen_.insert(at, r);
    return text('[', at - seen_.begin() + 1, ']');
  }
  std::string print() const {
    std::string s;
    for (std::size_t i = 0; i < seen_.size(); ++i)
      s += text("- [", i + 1, "] ", lower::to_text(seen_[i]), "\n");
    return s;
  }

 private:
  std::vector<lower::reason> seen_;
};

inline std::string row(const std::vector<std::string>& cells) {
  std::string s = "|";
  for (const auto& c : cells) s += ' ' + c + " |";
  return s + '\n';
}
inline std::string header(std::vector<std::string> cells, std::size_t words) {
  std::string s = row(cells);
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = i < words ? "---" : "---:";
  return s + row(cells);
}

}  // namespace detail

// docs/support.md: operators, their limits and data types on each of these configurations.
template <class... Hw>
std::string support_tables(type_list<Hw...>) {
  detail::notes note;
  const auto titled = [](std::vector<std::string> first) {
    (first.emplace_back(type_name<Hw>()), ...);
    return first;
  };
  const auto cell = [&](lower::reason r) {
    return r == lower::reason::none ? std::string("yes") : "no " + note(r);
  };
  std::string s =
      "# What runs on which configuration\n\n"
      "Generated by `tools/generate_support_table.cpp` from `nvdlac::lower::support`, the "
      "predicate that\nalso makes the errors of the compiler and of the program; a test compares "
      "this file with it.\n\n## Operators\n\n" + detail::header(titled({"operator"}), 1);
  for_each(net::standard_operators{}, [&]<class Op>(std::type_identity<Op>) {
    s += detail::row({std::string(type_name<Op>()), cell(lower::reason_of<Op, Hw>())...});
  });

  s += "\n## Data types\n\n" + detail::header(titled({"type"}), 1);
  for (const auto& [name, p] : {std::pair{"int8", hw::precision::int8},
                                {"int16", hw::precision::int16}, {"fp16", hw::precision::fp16}})
    s += detail::row({name, cell(lower::check_precision<Hw>(p))...});

  s += "\n## Limits\n\nThe greatest numbers that run, and what stops the next one; passes make smaller "
       "layers of\nwhat is larger than the hardware's windows and strides.\n\n" +
       detail::header(titled({"operator", "number"}), 2);
  const std::array all{limits_on<Hw>()...};
  for (std::size_t i = 0; i < all[0].size(); ++i) {
    std::vector<std::string> cells{std::string(all[0][i].operator_name),
                                   std::string(all[0][i].what)};
    for (const auto& limits : all) {
      const auto [most, beyond] = limit_of(limits[i]);
      cells.push_back(beyond == lower::reason::none ? "any" : text(most, ' ', note(beyond)));
    }
    s += detail::row(cells);
  }
  return s + "\n" + note.print();
}

}  // namespace nvdlac::report
