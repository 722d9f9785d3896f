// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/cut_node.hpp>
#include <nvdlac/import/darknet/context.hpp>
#include <nvdlac/import/darknet/section.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import::darknet_format {

// Reads one network, section by section.
class reader {
 public:
  reader(const std::string& file, std::string_view content, weights& values, float epsilon,
         const part& wanted);

  network read();

 private:
  static bool is_net(const section& s) { return s.type == "net" || s.type == "network"; }

  void complain(problem p);
  void complain(const section& s, const std::string& layer, const error& e);
  template <class Action>
  bool attempt(const section& s, const std::string& layer, Action action) {
    try {
      action();
      return true;
    } catch (const error& e) {
      complain(s, layer, e);
      return false;
    }
  }

  void check_options(const section& s);

  // Pictures are RGB, as Darknet reads them, and each byte is divided by 255.
  void input(const section& s);

  void layer(const section& s, bool has_input);

  // The numbers of the layers that are wanted by their names or numbers.
  std::vector<std::size_t> called(const std::vector<section>& sections,
                                  const std::vector<std::string>& names);
  // Makes what the layer gives an input.
  void begin_behind(const section& s, std::size_t index);

  void head(const context& c, std::int64_t expected);

  // The layers as a cut sees them.
  std::vector<cut_node> cut_nodes(const std::vector<section>& sections) const;

  void mark_output(const section& s, id n);
  void mark_outputs(const std::vector<section>& sections, const std::vector<std::size_t>& ends);

  std::string file_;
  std::string_view content_;
  weights& weights_;
  float epsilon_;
  const part& wanted_;
  diagnostics problems_;
  assembly net_;
  id input_{};
  std::vector<given> given_;
  std::optional<std::size_t> failed_{};  // the first layer that is refused
  std::vector<problem> notes_;
  bool listed_ = false;  // the supported sections, once
};

}  // namespace nvdlac::import::darknet_format

namespace nvdlac::import {

// Options that neither of Darknet's files tells: the epsilon of batch normalisation, added to the
// variance. Darknet has it in its code: 1e-5 in the common fork (AlexeyAB's). OpenCV computes with
// 1e-6; the original adds 1e-6 to the root instead, to which an epsilon of 0 comes nearest.
struct darknet_options {
  float epsilon = 1e-5F;
};

namespace darknet_format {

network read(const named_content& cfg, weights values, const darknet_options& options,
             const part& wanted = {});

}  // namespace darknet_format

// Reads a Darknet network from its cfg and its weights. What enters a head (yolo, Gaussian_yolo,
// region, detection) is an output of the network, and so is what the last layer gives; boxes are
// left to the host. Layers have the name of their section and their index, "convolutional_0".
// `wanted` names a part of the network by these names or indices; the layers before it are read for
// their weights. Throws `error` with all problems.
network darknet_network_from(const named_content& cfg, const named_content& values,
                             const darknet_options& options = {}, const part& wanted = {});
network darknet_network(const std::filesystem::path& cfg, const std::filesystem::path& values,
                        const darknet_options& options = {}, const part& wanted = {});
// Reads a network that is not trained yet, with random weights.
network darknet_network(const std::filesystem::path& cfg, random_weights values,
                        const darknet_options& options = {}, const part& wanted = {});

// The graph alone.
net::graph darknet_from(const named_content& cfg, const named_content& values,
                        const darknet_options& options = {});
net::graph darknet(const std::filesystem::path& cfg, const std::filesystem::path& values,
                   const darknet_options& options = {});

// As model.hpp asks for it.
network read_darknet(const named_content& model, const weight_content& weights,
                     const part& wanted);

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet.ipp>
#endif
