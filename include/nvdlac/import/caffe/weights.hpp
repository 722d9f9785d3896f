// SPDX-License-Identifier: Apache-2.0
#pragma once
// Trained values of layers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/random_weights.hpp>

namespace nvdlac::import::caffe_format {

using dims = std::vector<std::int64_t>;

std::string to_text(const dims& d);

#ifdef NVDLAC_KERAS
// Adds the layer whose blobs are the numbered datasets of a group of an HDF5 file.
void add_layer(const hdf5_file& from, const std::string& group, const std::string& name,
               std::size_t blobs, onnx_format::constant_elements& most, proto::editor& to);
// Adds the layers of a file. Their names may have strokes, so that groups may be within groups.
void add_layers(const hdf5_file& from, onnx_format::constant_elements& most,
                std::uint64_t most_nodes, proto::editor& to);
#endif
// Reads what Caffe writes where snapshot_format is HDF5 into the message of a caffemodel.
proto::document net_parameter_in([[maybe_unused]] const std::string& content,
                                 [[maybe_unused]] const budget& limits);

// The blobs of a caffemodel, by the names of their layers, or noise.
class weights {
 public:
  // One blob of a layer.
  struct source {
    const proto::view* trained = nullptr;  // null: noise
    std::vector<std::uint32_t> seed{};
    std::uint64_t most = 0;                // of noise
  };

  // Noise, of no more than budget::weights in a blob.
  weights(random_weights r, std::uint64_t most) : random_(r), most_(most) {}
  weights(const std::string& file, const std::string& content, const budget& limits);

  // Throws unless the layer has exactly `count` blobs.
  std::vector<source> of(const std::string& layer, std::size_t count) const;

  // The values of a blob that must have this shape. Old blobs have four dimensions, of which
  // leading ones of 1 do not count.
  static std::vector<float> values(const source& from, dims expected, const char* what);

 private:
  static dims significant(const dims& d) {
    return dims(std::find_if(d.begin(), d.end(), [](auto n) { return n != 1; }), d.end());
  }
  static proto::document parse(const std::string& file, const std::string& content,
                               const budget& limits);

  std::string file_{};
  std::optional<proto::document> content_{};
  random_weights random_{};
  std::uint64_t most_ = 0;  // of noise
  std::map<std::string, std::vector<proto::view>> blobs_;
};

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/weights.ipp>
#endif
