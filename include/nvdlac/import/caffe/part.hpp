// SPDX-License-Identifier: Apache-2.0
#pragma once
// A part of a Caffe network. Layers that work in place give a blob that has a name already, so what
// a layer gives is told by the layer and the number of its top.
#include <compare>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/import/cut_around.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import::caffe_format {

// The wiring of a network: which layer gives what another one reads.
class wiring {
 public:
  struct port {
    std::size_t layer = 0, top = 0;
    auto operator<=>(const port&) const = default;
  };

  explicit wiring(const std::vector<layer>& layers);

  // The source of each bottom of a layer; nothing for an input of the network that no layer gives.
  const std::vector<std::optional<port>>& inputs(std::size_t layer) const {
    return inputs_[layer];
  }
  // The blobs that no layer reads, each as the last layer gives it.
  std::vector<port> outputs() const;
  // The tops that a layer, a blob or the number of a layer stands for; empty if the file has none.
  // For a layer and a blob of one name it is what the layer gives of that name.
  std::vector<port> called(const std::string& name) const;
  // A name that stands for it alone.
  std::string name_of(port p) const;

  // The layers as a cut sees them; what constant ones give, such as prior boxes, neither begins nor
  // ends a part.
  std::vector<cut_node> cut_nodes(const std::set<std::size_t>& refused,
                                  const std::set<std::size_t>& constant) const;

 private:
  const std::vector<layer>& layers_;
  std::vector<std::vector<std::optional<port>>> inputs_;
  std::map<std::string, std::size_t> by_name_;  // the first layer of a name
  std::map<std::string, port> last_;            // by blobs
};

// Marks in each layer whether the part has it, and where it begins and ends. `inputs` are those
// that no layer gives. Returns the inputs that the part reads. Names that the file does not have
// are problems, under the name `file`.
std::set<std::string> choose_part(std::vector<layer>& layers,
                                  const std::vector<std::string>& inputs, const part& wanted,
                                  const std::string& file, diagnostics& problems);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/part.ipp>
#endif
