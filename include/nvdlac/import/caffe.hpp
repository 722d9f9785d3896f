// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fixed.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/caffe/layer_types.hpp>
#include <nvdlac/import/caffe/part.hpp>
#include <nvdlac/import/caffe/weights.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/weight_source.hpp>
#include <nvdlac/net/operators.hpp>

namespace nvdlac::import {

namespace caffe_format {

class reader {
 public:
  reader(const std::string& file, const proto::document& document, const weights& trained,
         const part& wanted = {})
      : file_(file), document_(document), weights_(trained), wanted_(wanted),
        net_(file, problems_, wanted.limits) {}

  network read();

 private:
  // Marks the layers that the wanted part needs.
  void choose_part(std::vector<layer>& layers);
  // Reads the inputs and the layers.
  void walk(const std::vector<layer>& layers);
  // The shape of what begins a part, by the layers before it, for as many pictures as the file is;
  // nothing where these are not understood.
  std::optional<dims> shape_before(const std::string& name) const;
  // Makes what the layer gives an input.
  void begin_behind(const layer& l, const part_end& begin);
  void note_ends(const layer& l);
  bool is_constant(const blob& b) const;
  // The shape of an input as the file has it, or where that is not known as the user gives it.
  std::optional<dims> wanted_shape(const std::string& input, const std::optional<dims>& declared);
  void report_unused_shapes();
  void mark_outputs();

  void complain(problem p);
  void complain(const layer& l, const error& e);

  void report_unknown(const std::vector<layer>& layers);

  // An input of the network; `told`: its shape in the file.
  blob input(const std::string& layer, const std::string& top, const std::optional<dims>& declared,
             std::size_t line = 0);
  void add_input(const std::string& layer, const std::string& top, const dims& d, std::size_t line);
  static dims to_dims(const proto::view& shape) { return shape.values<std::int64_t>("dim"); }
  void read_inputs(const std::vector<layer>& layers);

  // Reports parameters that a layer of another type would understand: they have no meaning here.
  void check_parameters(const layer& l, std::string_view expected);

  void bind(const std::string& top, const blob& b, const std::string& layer, std::size_t line,
            bool in_place);

  void mark_output(const std::string& name, const blob& b);

  // False if the layer is refused itself.
  bool read_layer(const layer& l, const std::vector<layer>& all, context& c);
  // Empty if one of them is not known; it is reported unless that was done before.
  std::optional<std::vector<blob>> inputs_of(const layer& l, const std::vector<layer>& all);

  std::string file_;
  const proto::document& document_;
  const weights& weights_;
  const part& wanted_;
  diagnostics problems_;
  assembly net_;
  std::int64_t batch_ = 0;  // of the inputs; 0 without inputs
  std::map<std::string, std::optional<blob>> blobs_;  // empty: produced by a layer with a problem
  std::set<std::string> unread_;  // the blobs that are outputs, if no further layer reads them
  std::set<std::string> names_;
  std::set<std::size_t> refused_, constant_;   // layers, by number
  std::optional<std::set<std::string>> read_;  // of a part: the inputs that it reads
  std::map<std::size_t, std::optional<blob>> begun_;  // of a part, in the user's order
  std::map<std::size_t, std::pair<std::string, blob>> ends_;  // of a part, in the user's order
  std::set<std::string> inputs_;  // whose shapes the user may give
  bool supported_listed_ = false;
};

network read(const named_content& prototxt, const weights& trained, const part& wanted = {});

}  // namespace caffe_format

// Reads a Caffe network as it is used (phase TEST) from its description and its trained weights.
// The network is for one picture; `batch` tells of how many the file is. `wanted` names a part of
// it by layers, blobs or numbers of layers, and shapes of what begins it. Throws `error` with all
// problems.
network caffe_network(const std::filesystem::path& prototxt,
                      const std::filesystem::path& caffemodel, const part& wanted = {});
// Reads a network that is not trained yet, with random weights.
network caffe_network(const std::filesystem::path& prototxt, random_weights weights,
                      const part& wanted = {});

// The graph alone, without the batch.
net::graph caffe_from(const named_content& prototxt, const named_content& caffemodel);
net::graph caffe(const std::filesystem::path& prototxt, const std::filesystem::path& caffemodel);
net::graph caffe(const std::filesystem::path& prototxt, random_weights weights);

// As model.hpp asks for it.
network read_caffe(const named_content& model, const weight_content& weights,
                   const part& wanted);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe.ipp>
#endif
