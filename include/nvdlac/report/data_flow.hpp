// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/name_groups.hpp>

namespace nvdlac::report {

using layer_names = std::set<std::string, std::less<>>;

// Layers are numbered through all tasks, as in rows_of().
struct data_flow {
  struct node {
    std::string layer{};    // of the network, that it computes or a part of it
    std::size_t stage = 0;  // the same of layers that hand on without memory
    std::size_t box = 0;    // the same of stages that begin with parts of the same network's layer
    std::vector<std::size_t> layers{}, inputs{};  // that wrote what it reads in memory
  };
  // A buffer of the feature pool, from the first layer that touches it to the last.
  struct life {
    std::size_t buffer = 0, first = 0, last = 0;
  };

  std::vector<node> layers{};
  std::vector<std::string> boxes{};                 // their names
  name_groups groups{};                             // of the boxes
  std::vector<std::vector<std::size_t>> outputs{};  // of each output, the layers that write it
  std::vector<life> features{};                     // by the first layer
};

namespace detail {

// The layers that wrote bytes of a cube, back to the one that wrote just this cube.
struct written_cubes {
  struct entry {
    std::size_t layer = 0;
    layer::surface cube{};
  };
  const std::vector<plan::buffer>& buffers;
  std::vector<std::vector<entry>> of_buffer = std::vector<std::vector<entry>>(buffers.size());

  void add(std::size_t layer, const layer::surface& cube) {
    of_buffer[static_cast<std::size_t>(cube.at.buffer)].push_back({layer, cube});
  }
  void find(const layer::surface& cube, std::vector<std::size_t>& layers) const;
};

// Without the number of a picture in a batch, "@2".
constexpr std::string_view without_picture(std::string_view name) {
  const auto digits = name.find_last_not_of("0123456789");
  return digits != name.npos && digits + 1 < name.size() && name[digits] == '@'
             ? name.substr(0, digits) : name;
}

// The part of a hardware layer's name that names a layer of the network, or several that are
// computed as one: "conv1" of "conv1/k16/sdp", "conv1@2" of "conv1@2/sdp", "conv1+conv2" of
// "conv1+conv2/y8". All of it if there is none.
std::string_view network_part(std::string_view name, const layer_names& known);

}  // namespace detail

// `known` are the names of the network's layers.
data_flow data_flow_of(const plan::program_data& p, const layer_names& known);

// For Graphviz: inputs, outputs and what data_flow::box joins as boxes with the ids input0, output0
// and box0, and with a class for their unit; an edge where data flows, with the shape of what is
// one layer's. Groups are frames with the ids group0.
std::string data_flow_graph(const plan::program_data& p, const data_flow& flow,
                            const std::vector<layer_row>& rows);

// Likewise, but groups of this level are boxes, and only those around them are frames; all ids
// begin with "foldLEVEL_".
std::string folded_data_flow_graph(const plan::program_data& p, const data_flow& flow,
                                   const std::vector<layer_row>& rows, std::size_t level);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/data_flow.ipp>
#endif
