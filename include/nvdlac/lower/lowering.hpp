// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/base/refuse.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/pooled.hpp>
#include <nvdlac/quantised/operators.hpp>

namespace nvdlac::lower {

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
  // Whether the cubes are those of all pictures of a batch.
  bool of_batch = false;
  // For a concat, or a move that Rubik makes: which inputs or turns already stand at their place in
  // `staging`.
  std::vector<char> in_place{};
  layer::surface staging{};
};

// The rule that turns an integer operator into hardware layers: `run(assembly&, const site<Op>&)`.
template <class Op, class Hw>
struct lowering {
  static_assert(never<failed::operator_<Op>, failed::on_hardware<Hw>>,
                "nvdlac: unsupported operator: no lowering is known for it on this hardware");
};

}  // namespace nvdlac::lower
