// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/converter.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

namespace caffe_format {

// How the layers of one type are read: the message of their parameters and the conversion.
struct layer_type {
  const char* parameters;
  blob (converter::*convert)(const layer&, std::span<const blob>);
  std::size_t least_inputs = 1, most_inputs = 1;
  // Takes its place for layers with several tops.
  std::vector<blob> (converter::*convert_all)(const layer&, std::span<const blob>) = nullptr;
};

const std::map<std::string_view, layer_type>& layer_types();

// Why a layer of this type cannot be part of a deployed network.
problem unsupported(const std::string& type, bool with_list);

class reader {
 public:
  reader(const std::string& file, const proto::document& document, const weights& trained)
      : file_(file), document_(document), weights_(trained), net_(file, problems_) {}

  network read();

 private:
  void complain(problem p);
  void complain(const layer& l, const error& e);

  void report_unknown(const std::vector<layer>& layers);

  void add_input(const std::string& layer, const std::string& top, const dims& d, std::size_t line);
  static dims to_dims(const proto::view& shape) { return shape.values<std::int64_t>("dim"); }
  void read_inputs(const std::vector<layer>& layers);

  // What a layer of another type would understand has no meaning here.
  void check_parameters(const layer& l, std::string_view expected);

  void bind(const std::string& top, const blob& b, const std::string& layer, std::size_t line,
            bool in_place);

  void mark_output(const std::string& name, const blob& b);

  void read_layer(const layer& l, const std::vector<layer>& all, converter& convert);
  // Empty if one of them is not known; it is reported unless that was done before.
  std::optional<std::vector<blob>> inputs_of(const layer& l, const std::vector<layer>& all);

  std::string file_;
  const proto::document& document_;
  const weights& weights_;
  diagnostics problems_;
  assembly net_;
  std::int64_t batch_ = 0;  // of the inputs; 0 without inputs
  std::map<std::string, std::optional<blob>> blobs_;  // empty: produced by a layer with a problem
  std::set<std::string> unread_;  // the blobs that are outputs, if no further layer reads them
  std::set<std::string> names_;
  bool supported_listed_ = false;
};

network read(const named_content& prototxt, const weights& trained);

}  // namespace caffe_format

// Reads a Caffe network as it is used (phase TEST) from its description and its trained weights.
// The network is for one picture; `batch` tells of how many the file is. Throws `error` with all
// problems.
network caffe_network(const std::filesystem::path& prototxt,
                      const std::filesystem::path& caffemodel);
// The same for a network that is not trained yet.
network caffe_network(const std::filesystem::path& prototxt, random_weights weights);

// The same without the batch.
net::graph caffe_from(const named_content& prototxt, const named_content& caffemodel);
net::graph caffe(const std::filesystem::path& prototxt, const std::filesystem::path& caffemodel);
net::graph caffe(const std::filesystem::path& prototxt, random_weights weights);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe.ipp>
#endif
