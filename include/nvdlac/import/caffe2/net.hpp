// SPDX-License-Identifier: Apache-2.0
#pragma once
// The networks that Caffe2's messages describe.
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/translation/channels_first.hpp>

namespace nvdlac::import::caffe2_format {

using onnx_format::array;
using onnx_format::dims;

// The array with which an operator of the init_net fills a blob.
array filled(const proto::view& op, onnx_format::constant_elements& most);

// The operators of a predict_net under names that are given once: what an operator overwrites has a
// number behind its name.
class network_graph {
 public:
  network_graph(const proto::view& predict, const proto::view& init, const part& wanted);

  const translation::file_graph& graph() const { return graph_; }
  const proto::view& op(std::size_t k) const { return ops_[k]; }
  const std::map<std::string, proto::view>& fills() const { return fills_; }
  const std::vector<problem>& notes() const { return notes_; }

 private:
  // A blob that nothing fills; of an export from ONNX, which fills all, the first.
  void choose_inputs(const std::vector<std::string>& external, const part& wanted);
  void input(const std::string& name);
  std::string current(const std::string& blob) const;
  void add(const proto::view& op);
  // Exports name the old shapes, too, that Reshape and Concat give beside their results.
  void output(const std::string& blob);

  std::map<std::string, proto::view> fills_;
  std::vector<proto::view> ops_;
  std::map<std::string, int> left_, produced_;  // how often a blob is written, at all and so far
  std::map<std::string, std::string> now_;
  std::set<std::string> inputs_, results_;  // results: the first outputs of operators
  translation::file_graph graph_;
  std::vector<problem> notes_;
};

}  // namespace nvdlac::import::caffe2_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe2/net.ipp>
#endif
