// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/tensorflow/array.hpp>
#include <nvdlac/import/tensorflow/node.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::tensorflow_format {

using hub::attribute;
using translation::computed;
using translation::names;
using translation::order;
using translation::values;

struct tensor : translation::tensor {
  std::int64_t type = dt_none;
  std::function<array()> read{};  // the values of a constant
};

// One axis of a picture that SpaceToBatchND cut into several: its pixels by turns. The pictures
// are kept as the one that they come from, without the zeros around it.
struct block {
  std::int64_t size = 1, before = 0, after = 0;       // zeros that are not part of it yet
  std::int64_t cropped_before = 0, cropped_after = 0;  // what was left out ahead of BatchToSpaceND
};
using blocks = std::vector<block>;  // by axis of the tensor

// The tensors of a graph, which grow as its nodes are converted.
class tensors : public translation::source {
 public:
  const tensor& at(std::int32_t index) const override {
    return all_[static_cast<std::size_t>(index)];
  }
  array constant(std::int32_t, bool) const override {  // those of the file are folded at once
    throw error("its values are not known");
  }

  std::int32_t of(port p, const node& n);
  tensor& operator[](std::int32_t index) { return all_[static_cast<std::size_t>(index)]; }
  std::map<std::int32_t, blocks>& cut() { return cut_; }

 private:
  std::deque<tensor> all_;
  std::map<port, std::int32_t> numbers_;
  std::map<std::int32_t, blocks> cut_;
};

}  // namespace nvdlac::import::tensorflow_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/tensorflow/tensors.ipp>
#endif
