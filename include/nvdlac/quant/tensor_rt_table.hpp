// SPDX-License-Identifier: Apache-2.0
#pragma once
// The file that TensorRT keeps of a calibration, and its names of tensors.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/quant/scale_table.hpp>

namespace nvdlac::quant {

// Whether a text is a calibration cache: its first line begins with "TRT-".
bool is_tensor_rt_cache(std::string_view text_of_file);

// A line for each tensor: its name, a colon, and the bits of its scale as a 32-bit float, in eight
// hexadecimal digits. `file` is for messages.
scale_table tensor_rt_scales(std::string_view text_of_file, const std::string& file,
                             diagnostics& found);

// A layer of a network, in the order of the file.
struct numbered_layer {
  std::string_view name{};
  std::string_view kind{};  // the type of its operator
};

// The table with the layers' own names in place of "(Unnamed Layer* N) [KIND]_output", which means
// layer N, counted from 0 without inputs, if that is of the kind; others stay.
scale_table named_by_number(scale_table table, std::span<const numbered_layer> layers);

template <class Graph>
scale_table named_by_number(const scale_table& table, const Graph& g) {
  std::vector<numbered_layer> layers;
  for (typename Graph::id n = 0; n < g.size(); ++n)
    if (!g.inputs(n).empty())
      layers.push_back({g[n].name, nvdlac::visit([]<class Op>(const Op&) {
                          return type_name<Op>();
                        }, g[n].op)});
  return named_by_number(table, std::span<const numbered_layer>(layers));
}

}  // namespace nvdlac::quant

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/quant/tensor_rt_table.ipp>
#endif
