// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/layer/surface.hpp>
#include <nvdlac/lower/pooled.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

// One of several convolutions that are computed as one, and the channel of the result at which its
// kernels begin. Channels between these and the next ones are nobody's.
struct joined_convolution {
  const quantised::convolution* op = nullptr;
  std::int32_t first = 0;
};

// One operator of an integer graph with the cubes that it reads and writes.
template <class Op>
struct site {
  const Op& op;
  label name;
  std::vector<layer::surface> in{};
  layer::surface out{};
  std::vector<double> in_scale{};
  double out_scale = 1;
  // Set if the input is a picture that CDMA converts.
  std::optional<quantised::pixels> pixels{};
  // Set if a pooling takes the convolution's result on the fly; `out` is then the pooling's.
  std::optional<pooled> pool{};
  // Set if a table alone reads the convolution's result, which Y then looks up in this one of the
  // program's; `out` is the table's tensor, of that name.
  std::int16_t table = -1;
  label tabulated{};
  // All convolutions that are computed as one with `op`, itself among them; else empty.
  std::span<const joined_convolution> joined{};
  // Whether it is the fully connected layer of all pictures of a batch.
  bool of_batch = false;
  // The node of a network that it is, if it is one, of which a schedule may tell how it is cut.
  std::string_view node{};
  // For a concat or a move: which inputs, or phases that Rubik takes, already stand at their place,
  // in `staging` or, where a move has none, in its result.
  std::vector<char> in_place{};
  layer::surface staging{};
};

class assembly;

// The rule that all configurations share: `run(const target&, assembly&, const site<Op>&)`.
template <class Op>
struct standard_lowering;

// The rule that turns an integer operator into the hardware layers of Hw: `run(assembly&, const
// site<Op>&)`. It is standard_lowering with the numbers of Hw (rules.hpp); who knows better for a
// configuration of his own specialises it.
template <class Op, class Hw>
struct lowering {
  static_assert(contains<Op, quantised::operators> ||
                    never<failed::operator_<Op>, failed::on_hardware<Hw>>,
                "nvdlac: unsupported operator: no lowering is known for it on this hardware");
  static constexpr bool is_standard = true;

  static constexpr void run(assembly& to, const site<Op>& s) { run_standard<Hw>(to, s); }
};

}  // namespace nvdlac::lower
