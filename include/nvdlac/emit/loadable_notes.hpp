// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the loadable's schema has no place for, in the blob "nvdlac.json" (interface NONE) that no
// memory refers to: the product it is made for, scales and preprocessing of the tensors, and the
// names of the hardware layers. The public runtime copies such a blob and never looks at it.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <nvdlac/error.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {

inline constexpr std::string_view notes_name = "nvdlac.json";

struct loadable_notes {
  struct tensor {
    std::string name;
    net::shape shape{};  // as the network sees it
    double scale = 1.0;  // real = scale * integer
    std::optional<net::integer::pixels> pixels{};
    std::optional<net::preprocessing> preprocessing{};
  };

  std::string network, hardware;
  // What a program depends on: atom, MAC channels and kernels, CBUF banks, entry and entries.
  std::vector<std::uint32_t> parameters{};
  std::vector<tensor> inputs{}, outputs{};
  std::vector<std::vector<std::string>> layers{};  // by task
};

// The parameters of a product that a program for another one may not share.
constexpr std::array<std::uint32_t, 6> program_parameters(const hw::spec& s) {
  return {s.memory_atom, s.mac_atomic_c, s.mac_atomic_k,
          s.cbuf_banks,  s.cbuf_entry,   s.cbuf_entries_per_bank};
}

inline loadable_notes notes_of(const plan::program_data& p, std::string_view hardware,
                               const hw::spec& spec) {
  loadable_notes n{.network = p.network, .hardware = std::string(hardware)};
  const auto parameters = program_parameters(spec);
  n.parameters.assign(parameters.begin(), parameters.end());
  for (const auto& b : p.inputs)
    n.inputs.push_back({b.name, b.shape, b.scale, b.pixels, b.preprocessing});
  for (const auto& b : p.outputs) n.outputs.push_back({b.name, b.shape, b.scale, {}, {}});
  for (const auto& t : p.tasks) {
    n.layers.emplace_back();
    for (const auto& op : t.operations) n.layers.back().push_back(op.layer.name);
  }
  return n;
}

namespace detail {

inline constexpr std::array<std::string_view, 3> order_names{"rgb", "bgr", "grey"};

inline nlohmann::json to_json(const loadable_notes::tensor& t) {
  nlohmann::json j{{"name", t.name}, {"shape", {t.shape.c, t.shape.h, t.shape.w}},
                   {"scale", t.scale}};
  if (t.pixels)
    j["pixels"] = {{"mean", t.pixels->mean},
                   {"offset", t.pixels->cvt.offset},
                   {"scale", t.pixels->cvt.scale},
                   {"shift", t.pixels->cvt.shift}};
  if (t.preprocessing)
    j["preprocessing"] = {{"mean", t.preprocessing->mean},
                          {"scale", t.preprocessing->scale},
                          {"order", order_names[static_cast<std::size_t>(t.preprocessing->order)]}};
  return j;
}

inline loadable_notes::tensor tensor_from(const nlohmann::json& j) {
  const auto shape = j.at("shape").get<std::array<std::int32_t, 3>>();
  loadable_notes::tensor t{j.at("name"), {shape[0], shape[1], shape[2]}, j.at("scale"), {}, {}};
  if (const auto p = j.find("pixels"); p != j.end())
    t.pixels = net::integer::pixels{p->at("mean"),
                                    {p->at("offset"), p->at("scale"), p->at("shift")}};
  if (const auto p = j.find("preprocessing"); p != j.end()) {
    const auto order = std::ranges::find(order_names, p->at("order").get<std::string>());
    if (order == order_names.end()) throw error("no such channel order");
    t.preprocessing = net::preprocessing{
        p->at("mean"), p->at("scale"),
        static_cast<net::channel_order>(order - order_names.begin())};
  }
  return t;
}

// Names of a model's file may hold any bytes; those that are not UTF-8 are replaced.
inline std::string dump(const nlohmann::json& j) {
  return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace detail

inline std::string to_json(const loadable_notes& n) {
  nlohmann::json j{{"network", n.network},
                   {"hardware", n.hardware},
                   {"parameters", n.parameters},
                   {"inputs", nlohmann::json::array()},
                   {"outputs", nlohmann::json::array()},
                   {"layers", n.layers}};
  for (const auto& t : n.inputs) j["inputs"].push_back(detail::to_json(t));
  for (const auto& t : n.outputs) j["outputs"].push_back(detail::to_json(t));
  return detail::dump(j);
}

// Text that is not such notes is an `error`.
inline loadable_notes notes_from_json(std::string_view json) {
  try {
    const auto j = nlohmann::json::parse(json);
    loadable_notes n{.network = j.at("network"),
                     .hardware = j.at("hardware"),
                     .parameters = j.at("parameters"),
                     .layers = j.at("layers")};
    for (const auto& t : j.at("inputs")) n.inputs.push_back(detail::tensor_from(t));
    for (const auto& t : j.at("outputs")) n.outputs.push_back(detail::tensor_from(t));
    return n;
  } catch (const std::exception& e) {
    throw error(text("the blob ", notes_name, " is corrupt: ", e.what()));
  }
}

}  // namespace nvdlac::emit
