// SPDX-License-Identifier: Apache-2.0
#pragma once
// The steps of the host of a register program, as the model of cycles asks for them.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <nvdlac/base/type_list.hpp>
#include <nvdlac/cost/host.hpp>
#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/emit/schedule.hpp>
#include <nvdlac/hw/registers.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::emit {
namespace detail {

// Signals of an engine: the bit that tells the end of group 0, and the registers that enable its
// units, of which the last starts it.
struct engine_signals {
  std::uint32_t done = 0;
  std::array<std::uint32_t, 5> enables{};
  std::size_t units = 0;

  constexpr bool enabled_at(std::uint32_t address) const {
    return std::find(enables.begin(), enables.begin() + units, address) != enables.begin() + units;
  }
  constexpr bool starts_at(std::uint32_t address) const {
    return units != 0 && enables[units - 1] == address;
  }
};
template <hw::register_map Map, fixed_string... Units>
constexpr void add_enables(engine_signals& to, layer::register_blocks<Units...>) {
  ((to.enables[to.units++] = hw::address<Map, name_in<Units, ".D_OP_ENABLE">()>), ...);
}
template <hw::register_map Map>
constexpr std::array<engine_signals, layer::engines> signals_of_engines() {
  std::array<engine_signals, layer::engines> all{};
  for_each(layer::kinds{}, [&]<class Layer>(std::type_identity<Layer>) {
    if constexpr (layer::on_engine<Layer>) {
      using engine = layer::engine<Layer>;
      auto& one = all[layer::index(engine::number)];
      one.done = first_done_bit<Layer>();
      constexpr bool reads_last = requires { engine::ready; };
      if constexpr (reads_last) add_enables<Map>(one, engine::cores);
      if constexpr (requires { engine::reader; })
        add_enables<Map>(one, layer::register_blocks<engine::reader>{});
      if constexpr (!reads_last) add_enables<Map>(one, engine::cores);
    }
  });
  return all;
}

// Counts accesses from the first unit on that is enabled, and keeps what stands between them.
template <hw::register_map Map>
class step_recorder {
 public:
  constexpr void write(std::uint32_t address, std::uint32_t) {
    begun_ = begun_ || std::any_of(engines.begin(), engines.end(),
                                   [&](const auto& e) { return e.enabled_at(address); });
    count(kind::write);
    for (std::size_t e = 0; e < engines.size(); ++e)
      if (engines[e].starts_at(address))
        steps_.push_back({.what = kind::start, .engine = static_cast<layer::engine_number>(e)});
  }
  constexpr void poll(std::uint32_t address, std::uint32_t mask, std::uint32_t) {
    if (address == hw::address<Map, "CDMA.S_STATUS">) {
      const bool second = mask == hw::field_of<Map, "CDMA.S_STATUS.STATUS_1">.mask();
      steps_.push_back({.what = kind::fetched, .group = second});
    } else {
      count(kind::read);
    }
  }
  constexpr void begin(const layer::layer&) { steps_.push_back({.what = kind::layer}); }
  constexpr void wait_done(std::uint32_t bits) {
    for (std::size_t e = 0; e < engines.size(); ++e)
      for (std::uint8_t group = 0; group < 2; ++group)
        if ((bits & engines[e].done << group) != 0)
          steps_.push_back({.what = kind::wait, .engine = static_cast<layer::engine_number>(e),
                            .group = group});
  }
  constexpr void host(const layer::layer&) {}

  constexpr std::vector<cost::host_step> take() && { return std::move(steps_); }

 private:
  using kind = cost::host_step::kind;
  static constexpr auto engines = signals_of_engines<Map>();

  constexpr void count(kind what) {
    if (!begun_) return;
    if (!steps_.empty() && steps_.back().what == what) ++steps_.back().count;
    else steps_.push_back({.what = what});
  }

  std::vector<cost::host_step> steps_{};
  bool begun_ = false;
};

}  // namespace detail

// The steps of `schedule`, from the first unit on that it enables: a program's cycles begin there.
template <hw::hardware Hw>
constexpr std::vector<cost::host_step> host_steps(const plan::program_data& p) {
  detail::step_recorder<Hw::spec.map> steps;
  schedule<Hw>(p, map_memory(p, Hw::spec.address_bits), steps);
  return std::move(steps).take();
}

}  // namespace nvdlac::emit
