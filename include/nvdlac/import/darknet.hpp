// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/darknet/reader.hpp>
#include <nvdlac/import/darknet/weights.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

// What neither of Darknet's files tells: the epsilon of batch normalisation, which is added to the
// variance. Darknet has it in its code: 1e-5 in the common fork (AlexeyAB's). OpenCV computes with
// 1e-6; the original adds 1e-6 to the root instead, to which an epsilon of 0 comes nearest.
struct darknet_options {
  float epsilon = 1e-5F;
};

namespace darknet_format {

inline network read(const named_content& cfg, weights values, const darknet_options& options) {
  if (const auto kind = recognise(cfg.content); kind.kind != file_kind::darknet_text)
    throw error(problem{.file = cfg.file,
                        .reason = "this is " + kind.name + ", not a cfg of Darknet",
                        .remedy = kind.kind == file_kind::darknet_weights
                                      ? "give the cfg first, then the weights"
                                      : kind.remedy});
  return reader(cfg.file, cfg.content, values, options.epsilon).read();
}

}  // namespace darknet_format

// Reads a Darknet network from its cfg and its weights. What enters a head (yolo, Gaussian_yolo,
// region, detection) is an output of the network, and so is what the last layer gives; boxes are
// left to the host. Layers have the name of their section and their index, "convolutional_0".
// Throws `error` with all problems.
inline network darknet_network_from(const named_content& cfg, const named_content& values,
                                    const darknet_options& options = {}) {
  return darknet_format::read(cfg, darknet_format::weights(values.file, values.content), options);
}
inline network darknet_network(const std::filesystem::path& cfg,
                               const std::filesystem::path& values,
                               const darknet_options& options = {}) {
  return darknet_network_from({cfg.string(), read_file(cfg)}, {values.string(), read_file(values)},
                              options);
}
// The same for a network that is not trained yet.
inline network darknet_network(const std::filesystem::path& cfg, random_weights values,
                               const darknet_options& options = {}) {
  return darknet_format::read({cfg.string(), read_file(cfg)}, darknet_format::weights(values),
                              options);
}

// The graph alone.
inline net::graph darknet_from(const named_content& cfg, const named_content& values,
                               const darknet_options& options = {}) {
  return darknet_network_from(cfg, values, options).graph;
}
inline net::graph darknet(const std::filesystem::path& cfg, const std::filesystem::path& values,
                          const darknet_options& options = {}) {
  return darknet_network(cfg, values, options).graph;
}

}  // namespace nvdlac::import
