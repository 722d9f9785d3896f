// SPDX-License-Identifier: Apache-2.0
#pragma once
// Functions of one element in straight lines, for hardware that has no table.
#include <array>
#include <optional>

#include <nvdlac/net/activation.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::net {

// An odd function from -1 to 1 in five straight pieces: the sum of the two
// share * min(max(x / end, -1), 1).
struct five_lines {
  std::array<double, 2> end{}, share{};
};

// A function as `low` + `half` * lines(inner * x), times x if it is `gated`; nowhere further from
// it than `bound`.
struct approximation {
  five_lines lines{};
  double inner = 1, low = 0, half = 1;
  bool gated = false;
  double bound = 0;
};

// The one with the least largest error; nothing for functions of another form.
constexpr std::optional<approximation> approximation_of(const activation& op) {
  // tanh(x / 2), for its own sake or times x, and the same of erf.
  constexpr five_lines logistic{{1.6526, 4.0358}, {0.51484, 0.48516}},
      logistic_gate{{2.1090, 4.7153}, {0.68035, 0.31965}},
      error{{0.72112, 1.53701}, {0.47598, 0.52402}},
      error_gate{{1.24237, 2.39305}, {0.62186, 0.37814}};  // of x / sqrt(2)
  const double a{op.alpha};
  switch (op.function) {
    case function::sigmoid: return approximation{logistic, 1, 0.5, 0.5, false, 0.0175};
    case function::tanh: return approximation{logistic, 2, 0, 1, false, 0.035};
    case function::erf: return approximation{error, 1, 0, 1, false, 0.03};
    case function::swish:
      if (a == 0) return std::nullopt;
      return approximation{logistic_gate, a, 0.5, 0.5, true, 0.0419 / (a < 0 ? -a : a)};
    case function::gelu: return approximation{error_gate, 1, 0.5, 0.5, true, 0.0201};
    case function::gelu_tanh: return approximation{error_gate, 1, 0.5, 0.5, true, 0.0205};
    default: return std::nullopt;
  }
}

// x * sigmoid(x) as two operators: lines of the sigmoid that suit the product.
constexpr approximation gate_of_swish() {
  auto gate = *approximation_of({.function = function::swish});
  gate.gated = false;
  return gate;
}

}  // namespace nvdlac::net
