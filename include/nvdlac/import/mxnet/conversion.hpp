// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/mxnet/symbol_node.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::mxnet_format {

using translation::operand;
using translation::sliding_window;

// The context in which a node is converted.
class conversion {
 public:
  conversion(const symbol_node& node, translation::channels_first_translator& all)
      : n(node), all_(all) {}

  const symbol_node& n;

  translation::layer_writer& to() const { return all_.to(); }
  const std::string& name() const { return n.layer.name; }
  std::size_t inputs() const { return n.layer.inputs.size(); }
  const operand& in(std::size_t i) const;
  void require_inputs(std::size_t least, std::size_t most) const {
    if (inputs() < least || inputs() > most) throw error(text("it has ",
                                                              count_of(inputs(), "input")));
  }
  const operand& only() const;
  // As many as its num_args tells.
  std::vector<operand> all() const;
  std::optional<operand> bias(std::size_t i, bool none) const;

 private:
  translation::channels_first_translator& all_;
};

}  // namespace nvdlac::import::mxnet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/mxnet/conversion.ipp>
#endif
