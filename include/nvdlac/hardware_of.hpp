// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compiler and the simulator of one configuration behind any_hardware.hpp.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/any_hardware.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/choose/planned.hpp>
#include <nvdlac/choose/siblings.hpp>
#include <nvdlac/compile.hpp>
#include <nvdlac/emit/host_steps.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/emit/trace.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/lower/compiled_target.hpp>
#include <nvdlac/lower/own_float_rules.hpp>
#include <nvdlac/lower/runs_on.hpp>
#include <nvdlac/lower/winograd_choice.hpp>
#include <nvdlac/report/operator_limits.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/replay.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/written_fields.hpp>

namespace nvdlac {

template <hw::hardware Hw, class Graph = net::graph,
          schedule::policy Policy = schedule::standard>
class hardware_of final : public basic_any_hardware<Graph> {
  using graph = std::remove_cvref_t<decltype(graph_in(std::declval<const Graph&>()))>;

 public:
  using integers = quantised::graph;

  hardware_of() : basic_any_hardware<Graph>(hw::name<Hw>(), Hw::spec) {}

  std::vector<ability> operators() const override {
    std::vector<ability> all;
    for_each(typename graph::operators{}, [&]<class Op>(std::type_identity<Op>) {
      all.push_back({std::string(type_name<Op>()),
                     std::string(lower::to_text(lower::reason_of<Op, Hw>()))});
    });
    return all;
  }
  std::vector<ability> precisions() const override {
    std::vector<ability> all;
    for (const auto p : {hw::precision::int8, hw::precision::int16, hw::precision::fp16})
      all.push_back({.what = hw::name_of(p),
                     .reason = std::string(lower::to_text(lower::check_precision(Hw::spec, p)))});
    return all;
  }
  std::vector<ability_limit> limits() const override {
    std::vector<ability_limit> all;
    for (const auto& l : report::limits_on<Hw>()) {
      const auto [most, beyond] = report::limit_of(l.ask);
      ability_limit limit{.operator_name = std::string(l.operator_name),
                          .what = std::string(l.what)};
      if (beyond != lower::reason::none) {
        limit.most = most;
        limit.beyond = lower::to_text(beyond);
      }
      if (l.in_one_layer) limit.in_one_layer = report::greatest(l.in_one_layer);
      all.push_back(std::move(limit));
    }
    return all;
  }

  std::vector<problem> check(const Graph& g, const net::layer_precisions& p,
                             std::uint64_t most_layers) const override {
    return rules().check(lower::compiled_target<Hw>(), graph_in(g), p, most_layers);
  }
  void keep_scales(Graph& g, const net::layer_precisions& p) const override {
    rules().keep_scales(lower::compiled_target<Hw>(), graph_in(g), p);
  }
  bool adds_behind(const Graph& g, std::size_t convolution, std::size_t sum,
                   const net::layer_precisions& p) const override {
    return rules().adds_behind(lower::compiled_target<Hw>(), graph_in(g), convolution, sum, p);
  }
  bool is_faster_in_winograd(const quantised::convolution& direct, const quantised::pool* behind,
                             std::span<const net::shape> in, hw::precision p,
                             const cost::memory& m) const override {
    return lower::is_faster_in_winograd(lower::compiled_target<Hw>(), direct, behind, in, p, m);
  }
  bool is_faster(const integers& a, const integers& b,
                 const compile_options& options) const override {
    return choose::is_faster(lower::compiled_target<Hw>(), a, b, options);
  }
  quant::shifts_of_layers shifts_of_siblings(const integers& g,
                                             const compile_options& options) const override {
    return choose::shared_shifts(lower::compiled_target<Hw>(), g, options);
  }

  plan::program_data build(const integers& g, const compile_options& options) const override {
    return nvdlac::build<Hw, Policy>(g, options);
  }
  std::vector<cost::host_step> host_steps(const plan::program_data& p) const override {
    return emit::host_steps<Hw>(p);
  }
  std::vector<emit::file> trace(const plan::program_data& p, const emit::run_record& run,
                                std::string stem) const override {
    return emit::trace(plan::program<Hw>{p}, run, std::move(stem));
  }

  std::unique_ptr<runtime::any_session> simulate(runtime::loaded_program p,
                                                 const sim::settings& s) const override {
    return std::make_unique<runtime::session<Hw>>(std::move(p), s);
  }
  std::unique_ptr<runtime::any_session> run_on(
      runtime::any_device d, const emit::loadable_image& image,
      std::chrono::milliseconds patience) const override {
    return std::make_unique<runtime::session<Hw, runtime::any_device>>(
        image, std::move(d), host::standard(), patience);
  }
  std::vector<runtime::difference> replay(const runtime::trace& t,
                                          const runtime::replay_options& o) const override {
    return runtime::replay<Hw>(t, o);
  }
  runtime::register_fields written_fields(const runtime::loaded_task& task,
                                          std::size_t layer) const override {
    return runtime::written_fields<Hw>(task, layer);
  }

 private:
  static const lower::float_rules<graph>& rules() { return lower::float_rules_of<Hw, graph>(); }
};

}  // namespace nvdlac
