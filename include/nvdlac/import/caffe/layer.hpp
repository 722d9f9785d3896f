// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/onnx/array.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

// A parameter that becomes a 32-bit number of an operator.
std::int32_t small(std::int64_t n, const char* name);
std::int32_t small(const proto::view& p, const char* name, std::int64_t otherwise);

struct height_width {
  std::int32_t h, w;
};

// `name` (once, or once for height and width) or name_h and name_w.
height_width either(const proto::view& p, const std::string& name, const char* h, const char* w,
                    std::int64_t otherwise);

net::window make_window(const proto::view& p, const char* stride_what);

net::window convolution_window(const proto::view& p);

void require_no_window(const proto::view& p);

// Caffe's rounding up of the output size differs from the usual rule in two corners: a window
// larger than the padded picture is allowed, and clipped; and without padding a last window that
// lies wholly outside is kept, which has no meaning.
void clip_window(net::window& w, net::shape in);

// The window that parts a picture into parts x parts, which lie beside each other.
net::window pyramid_window(net::shape in, std::int32_t parts);

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
  proto::place start{}, end{};  // of a text: where it starts and where the next one does
  // In a part of the network: whether it is computed, and which of its tops begin and end the part.
  bool computed = true;
  std::vector<part_end> begins{}, ends{};
};

inline std::string new_type_name(const std::string& old) {
  static const std::map<std::string_view, const char*> renamed = {
      {"ABSVAL", "AbsVal"},
      {"ACCURACY", "Accuracy"},
      {"ARGMAX", "ArgMax"},
      {"CONCAT", "Concat"},
      {"CONVOLUTION", "Convolution"},
      {"DATA", "Data"},
      {"DECONVOLUTION", "Deconvolution"},
      {"DROPOUT", "Dropout"},
      {"DUMMY_DATA", "DummyData"},
      {"ELTWISE", "Eltwise"},
      {"EUCLIDEAN_LOSS", "EuclideanLoss"},
      {"EXP", "Exp"},
      {"FLATTEN", "Flatten"},
      {"HDF5_DATA", "HDF5Data"},
      {"HDF5_OUTPUT", "HDF5Output"},
      {"IMAGE_DATA", "ImageData"},
      {"INNER_PRODUCT", "InnerProduct"},
      {"MEMORY_DATA", "MemoryData"},
      {"POOLING", "Pooling"},
      {"POWER", "Power"},
      {"RELU", "ReLU"},
      {"SIGMOID", "Sigmoid"},
      {"SILENCE", "Silence"},
      {"SLICE", "Slice"},
      {"SOFTMAX", "Softmax"},
      {"SOFTMAX_LOSS", "SoftmaxWithLoss"},
      {"SPLIT", "Split"},
      {"TANH", "TanH"},
      {"THRESHOLD", "Threshold"},
      {"WINDOW_DATA", "WindowData"}};
  const auto found = renamed.find(old);
  return found == renamed.end() ? old : found->second;
}

// Whether a rule of `include` or `exclude` holds when the network is used (phase TEST).
bool rule_holds(const proto::view& rule, const proto::view& state);

bool is_used(const proto::view& fields, const proto::view& state);

// The layers that take part when the network is used, in the order of the file.
std::vector<layer> used_layers(const proto::document& net);

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
#include <nvdlac/impl/import/caffe/layer.ipp>
#endif
