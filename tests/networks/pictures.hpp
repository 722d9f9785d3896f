// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collections of small pictures with their classes, if they are at hand.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <vector>

#include <nvdlac/data/file.hpp>
#include <nvdlac/data/picture.hpp>

#include "pipeline.hpp"
#include "shared.hpp"

namespace networks {

namespace detail {

inline std::vector<std::vector<std::uint8_t>> cut(const std::vector<std::uint8_t>& bytes,
                                                  std::ptrdiff_t size) {
  std::vector<std::vector<std::uint8_t>> pictures;
  for (auto p = bytes.begin(); p != bytes.end(); p += size) pictures.emplace_back(p, p + size);
  return pictures;
}

}  // namespace detail

inline std::optional<collection> mnist() {
  const auto pictures = shared_path("images/mnist/images-idx3-ubyte");
  const auto labels = shared_path("images/mnist/labels-idx1-ubyte");
  if (!pictures || !labels) return std::nullopt;
  collection all;
  all.pictures = detail::cut(data::read_idx(*pictures).values, 28 * 28);
  for (const auto label : data::read_idx(*labels).values) all.labels.push_back(label);
  all.training.assign(all.pictures.end() - 100, all.pictures.end());  // which nobody classifies
  return all;
}

// The networks have seen the training pictures, so they are for means and calibration alone.
inline std::optional<collection> cifar() {
  const auto training = shared_path("images/cifar10/images.png");
  const auto pictures = shared_path("images/cifar10/test.png");
  const auto labels = shared_path("images/cifar10/test_labels.txt");
  if (!training || !pictures || !labels) return std::nullopt;
  collection all;
  all.pictures = detail::cut(data::read_picture(*pictures).pixels, 32 * 32 * 3);
  all.training = detail::cut(data::read_picture(*training).pixels, 32 * 32 * 3);
  std::ifstream in(*labels);
  for (std::size_t label; in >> label;) all.labels.push_back(label);
  return all;
}

// The mean of the pictures for training, element by element.
inline std::vector<double> mean_picture(const collection& all) {
  std::vector<double> mean(all.training.at(0).size(), 0);
  for (const auto& p : all.training)
    for (std::size_t i = 0; i < p.size(); ++i)
      mean[i] += p[i] / static_cast<double>(all.training.size());
  return mean;
}

}  // namespace networks
