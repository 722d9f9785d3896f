// SPDX-License-Identifier: Apache-2.0
#pragma once
// Layers as a file describes them.
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/import/protobuf.hpp>

namespace nvdlac::import::caffe_format {

// A top of a layer at which a part of the network begins or ends.
struct part_end {
  std::size_t top = 0;     // of the layer
  std::size_t number = 0;  // among all that begin, or end, in the user's order
  std::string name{};      // as the user calls it
};

// A layer of either form, under the type names of the new one.
struct layer {
  proto::view fields;
  std::string name, type;
  std::vector<std::string> bottoms, tops;
  std::size_t line = 0;
  proto::text_location start{}, end{};  // of a text: where it starts and where the next one does
  // In a part of the network: whether it is computed, and which of its tops begin and end the part.
  bool computed = true;
  std::vector<part_end> begins{}, ends{};
};

// The name in the new form of a type that the old form has.
std::string new_type_name(const std::string& old);

// Whether a rule of `include` or `exclude` holds when the network is used (phase TEST).
bool rule_holds(const proto::view& rule, const proto::view& state);

bool is_used(const proto::view& fields, const proto::view& state);

// The layers that take part when the network is used, in the order of the file.
std::vector<layer> used_layers(const proto::document& net);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/layer.ipp>
#endif
