// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>

namespace nvdlac::import::caffe_format {

// How the layers of one type are read: the message of their parameters and the conversion.
struct layer_type {
  const char* parameters;
  blob (*convert)(context&, const layer&, std::span<const blob>);
  std::size_t least_inputs = 1, most_inputs = 1;
  // Takes its place for layers with several tops.
  std::vector<blob> (*convert_all)(context&, const layer&, std::span<const blob>) = nullptr;
};

const std::map<std::string_view, layer_type>& layer_types();

// Why a layer of this type cannot be part of a deployed network.
problem unsupported(const std::string& type, bool with_list);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/layer_types.ipp>
#endif
