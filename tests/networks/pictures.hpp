// SPDX-License-Identifier: Apache-2.0
#pragma once
// Collections of small pictures with their classes, if they are at hand.
#include <fstream>
#include <optional>

#include <nvdlac/data/idx.hpp>
#include <nvdlac/data/picture.hpp>

#include "pipeline.hpp"
#include "shared.hpp"

namespace networks {

inline std::optional<collection> mnist() {
  const auto pictures = shared_path("images/mnist/images-idx3-ubyte");
  const auto labels = shared_path("images/mnist/labels-idx1-ubyte");
  if (!pictures || !labels) return std::nullopt;
  collection all;
  const auto bytes = data::read_idx(*pictures).values;
  for (auto p = bytes.begin(); p != bytes.end(); p += 28 * 28)
    all.pictures.emplace_back(p, p + 28 * 28);
  for (const auto label : data::read_idx(*labels).values) all.labels.push_back(label);
  return all;
}

inline std::optional<collection> cifar() {
  const auto pictures = shared_path("images/cifar10/images.png");
  const auto labels = shared_path("images/cifar10/labels.txt");
  if (!pictures || !labels) return std::nullopt;
  collection all;
  const auto bytes = data::read_picture(*pictures).pixels;
  for (auto p = bytes.begin(); p != bytes.end(); p += 32 * 32 * 3)
    all.pictures.emplace_back(p, p + 32 * 32 * 3);
  std::ifstream in(*labels);
  for (std::size_t label; in >> label;) all.labels.push_back(label);
  return all;
}

}  // namespace networks
