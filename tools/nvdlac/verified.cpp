// SPDX-License-Identifier: Apache-2.0
#include "verified.hpp"

#include <nvdlac/host/on_host.hpp>
#include <nvdlac/quant/layer_errors.hpp>
#include <nvdlac/report/json.hpp>

namespace nvdlac::cli {
namespace {

using report::json;

json to_json(const tally& t) {
  json outputs = json::array();
  for (const auto& o : t.outputs) outputs.push_back(o.numbers());
  return {outputs, t.agreed, t.right, t.tied, t.tied_before};
}
tally tally_of(const json& j) {
  tally t{.agreed = j[1], .right = j[2], .tied = j[3], .tied_before = j[4]};
  for (const auto& o : j[0]) t.outputs.push_back(comparison::of(o));
  return t;
}

json to_json(const quant::layer_error& e) {
  return {e.name, e.signal, e.error, e.arising, e.product, e.square, e.at_its_scale,
          e.at_own_range};
}
quant::layer_error layer_of(const json& j) {
  return {.name = j[0], .signal = j[1], .error = j[2], .arising = j[3], .product = j[4],
          .square = j[5], .at_its_scale = j[6], .at_own_range = j[7]};
}

}  // namespace

void tally::add(const tally& next) {
  outputs.resize(next.outputs.size());
  for (std::size_t o = 0; o < outputs.size(); ++o) outputs[o].add(next.outputs[o]);
  agreed += next.agreed;
  right += next.right;
  tied += next.tied;
  tied_before += next.tied_before;
}

std::string packed(const std::vector<verified>& all) {
  json list = json::array();
  for (const auto& v : all) {
    json programs = json::array(), layers = json::array();
    for (const auto& t : v.programs) programs.push_back(to_json(t));
    for (const auto& e : v.layers) layers.push_back(to_json(e));
    list.push_back({v.number, v.row, v.float_right, v.float_tied, programs, layers});
  }
  std::string bytes;
  json::to_cbor(list, bytes);
  return bytes;
}

std::vector<verified> unpacked(const std::string& bytes) {
  std::vector<verified> all;
  for (const auto& j : json::from_cbor(bytes)) {
    verified v{.number = j[0], .row = j[1], .float_right = j[2], .float_tied = j[3]};
    for (const auto& t : j[4]) v.programs.push_back(tally_of(t));
    for (const auto& e : j[5]) v.layers.push_back(layer_of(e));
    all.push_back(std::move(v));
  }
  return all;
}

}  // namespace nvdlac::cli
