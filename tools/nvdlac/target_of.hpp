// SPDX-License-Identifier: Apache-2.0
#pragma once
// The side of one configuration; included by generated files only.
#include <cstdint>
#include <map>
#include <string>
#include <type_traits>
#include <utility>

#include <nvdlac/choose/planned.hpp>
#include <nvdlac/choose/siblings.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/session.hpp>

#include "float_graph.hpp"
#include "operator_limits.hpp"
#include "target.hpp"

namespace nvdlac::cli {

template <hw::hardware Hw>
class machine_of final : public machine {
 public:
  machine_of(runtime::loaded_program p, const sim::settings& s) : runtime_(std::move(p), s) {}

  const std::string& network() const override { return runtime_.network(); }
  const std::vector<runtime::binding>& inputs() const override { return runtime_.inputs(); }
  const std::vector<runtime::binding>& outputs() const override { return runtime_.outputs(); }
  std::vector<net::any_tensor> infer(const std::vector<quantised::feed>& in) override {
    return runtime_.infer_any(in);
  }
  emit::run_record record(const std::vector<quantised::feed>& in) override {
    std::vector<std::vector<std::uint8_t>> memories;
    for (std::size_t i = 0; i < in.size(); ++i) memories.push_back(runtime_.pack(i, in[i]));
    return runtime_.record(memories);
  }
  void on_layer(std::function<void(const sim::layer_record&, const std::string&)> f) override {
    runtime_.on_layer(std::move(f));
  }
  void on_cube(cube_observer f) override { runtime_.on_cube(std::move(f)); }

 private:
  runtime::session<Hw> runtime_;
};

// A bus that keeps what is written, but for addresses, the entries of tables, and the choice of a
// register group.
struct kept_registers {
  hw::register_map map;
  std::map<std::string, std::uint32_t> fields{};

  void write(std::uint32_t address, std::uint32_t value) {
    const auto* r = hw::find(map, address);
    if (r == nullptr || r->name == "S_POINTER" || r->name.find("ADDR_") != r->name.npos ||
        r->name.starts_with("S_LUT_ACCESS"))
      return;
    for (const auto& f : r->fields)
      fields[r->fields.size() == 1 ? text(r->unit, '.', r->name)
                                   : text(r->unit, '.', r->name, '.', f.name)] = f.extract(value);
  }
};

template <hw::hardware Hw>
class target_of final : public target {
 public:
  std::string_view name() const override { return hw::name<Hw>(); }
  const hw::spec& spec() const override { return Hw::spec; }

  std::vector<answer> operators() const override {
    std::vector<answer> all;
    for_each(graph::operators{}, [&]<class Op>(std::type_identity<Op>) {
      all.push_back({std::string(type_name<Op>()),
                     std::string(lower::to_text(lower::reason_of<Op, Hw>()))});
    });
    return all;
  }
  std::vector<answer> precisions() const override {
    std::vector<answer> all;
    for (const auto& [type, p] : {std::pair{"int8", hw::precision::int8},
                                  {"int16", hw::precision::int16}, {"fp16", hw::precision::fp16}})
      all.push_back({type, std::string(lower::to_text(lower::check_precision<Hw>(p)))});
    return all;
  }
  std::vector<bound> limits() const override {
    std::vector<bound> all;
    for (const auto& l : report::limits_on<Hw>()) {
      const auto [most, beyond] = report::limit_of(l.ask);
      bound b{.operator_name = std::string(l.operator_name), .what = std::string(l.what)};
      if (beyond != lower::reason::none) {
        b.most = most;
        b.beyond = lower::to_text(beyond);
      }
      if (l.in_one_layer) b.in_one_layer = report::greatest(l.in_one_layer);
      all.push_back(std::move(b));
    }
    return all;
  }

  std::vector<problem> check(const float_graph& g, const net::layer_precisions& p) const override {
    return lower::check<Hw>(g.graph, p);
  }
  void keep_scales(const float_graph& g) const override { lower::keep_scales<Hw>(g.graph); }
  bool adds_behind(const float_graph& g, std::size_t convolution, std::size_t sum,
                   const net::layer_precisions& p) const override {
    return lower::adds_behind<Hw>(g.graph, convolution, sum, p);
  }
  bool is_faster_in_winograd(const quantised::convolution& direct, const quantised::pool* behind,
                             std::span<const net::shape> in, hw::precision p,
                             const cost::memory& m) const override {
    return lower::is_faster_in_winograd<Hw>(direct, behind, in, p, m);
  }
  bool is_faster(const quantised_graph& a, const quantised_graph& b,
                 const compile_options& options) const override {
    return choose::is_faster<Hw>(a.graph, b.graph, options);
  }
  quant::shifts_of_layers shifts_of_siblings(const quantised_graph& g,
                                             const compile_options& options) const override {
    return choose::shared_shifts<Hw>(g.graph, options);
  }
  plan::program_data build(const quantised_graph& g, const compile_options& options) const override {
    return nvdlac::build<Hw>(g.graph, options);
  }
  std::vector<emit::file> trace(const plan::program_data& p, const emit::run_record& run,
                                std::string stem) const override {
    return emit::trace(plan::program<Hw>{p}, run, std::move(stem));
  }
  std::unique_ptr<machine> simulate(runtime::loaded_program p, const sim::settings& s) const override {
    return std::make_unique<machine_of<Hw>>(std::move(p), s);
  }
  std::vector<runtime::difference> replay(const runtime::trace& t,
                                      const runtime::replay_options& o) const override {
    return runtime::replay<Hw>(t, o);
  }
  std::map<std::string, std::uint32_t> registers(const runtime::loaded_task& task,
                                                 std::size_t layer) const override {
    const auto& l = task.layers.at(layer);
    kept_registers kept{.map = Hw::spec.map};
    emit::program<Hw>(l, task, emit::groups{}, kept);
    if (const auto lut = emit::lut_of(l.what); lut >= 0)
      emit::program_lut<Hw>(l.what, task.luts.at(static_cast<std::size_t>(lut)), kept);
    return kept.fields;
  }
};

}  // namespace nvdlac::cli
