// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs the hardware operations of a task on a device as the public firmware does: the first
// operation of each engine and its successor are programmed into the two register groups; an
// operation is enabled when nothing that it depends on is left; interrupts end it, free its group
// and pass its events on.
#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nvdlac/emit/any_bus.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/groups.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/emit/ping_pong_groups.hpp>
#include <nvdlac/runtime/delivered.hpp>
#include <nvdlac/runtime/device.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/operation_meter.hpp>
#include <nvdlac/runtime/register_bus.hpp>

namespace nvdlac::runtime {

template <hw::hardware Hw>
class scheduler {
 public:
  explicit scheduler(register_port device, std::chrono::milliseconds patience = default_patience)
      : device_(Hw::spec.map, device, patience), patience_(patience) {}

  // Begins with the register groups at which the device stands, as another program may have left
  // it. A unit that works is an `error`.
  void attach() {
    if (const auto units = busy_units(Hw::spec, device_); !units.empty())
      throw error(problem{.reason = text("NVDLA is busy (", units, ")"),
                          .remedy = "end the program that uses it, or reset it"});
    groups_ = groups_of(Hw::spec, device_);
    device_.write(status_address, device_.read(status_address));  // of layers that it began
  }

  // After the device was reset.
  void reset() {
    groups_ = {};
    unnamed_ = {};
  }

  // The layers that the device has just computed in these engines, "CONV SDP": of each engine the
  // oldest that was submitted and not asked for yet. To be called for each layer, if for any.
  std::string take_names(std::string_view engines) {
    std::string names, last;
    for (std::size_t e = 0; e < plan::engines; ++e) {
      auto& queue = unnamed_[e];
      if (queue.empty() || !takes_part(layer_of(queue.front()).what, engines)) continue;
      const std::string name(layer_of(queue.front()).name.view());
      if (name != last) names += (names.empty() ? "" : ", ") + name;
      last = name;
      queue.pop_front();
    }
    return names;
  }

  // Calls f with the number of each operation when it has ended and before anything follows it.
  void on_operation(std::function<void(std::size_t)> f) { ended_ = std::move(f); }

  // With true a hardware layer starts when no other runs, but for what reads its operands ahead.
  void run_alone(bool alone) { alone_ = alone; }

  // Calls f with the time and the counters of each operation, but for its task, when it has ended;
  // an empty function ends that.
  void measure(operation_meter::observer f) { device_.measure(std::move(f)); }

  // An operation that never becomes ready, and what the device refuses, is an `error` that names
  // the operation.
  void run(const loaded_task& task) {
    task_ = &task;
    delivered_.emplace(task);
    engines_ = {};
    unnamed_ = {};
    waits_.clear();
    submitted_.assign(task.layers.size(), false);
    started_.assign(task.layers.size(), false);
    postponed_.clear();
    for (const auto& d : task.dependencies) waits_.push_back(d.dependency_count);
    left_ = task.layers.size();
    for (std::size_t e = 0; e < plan::engines; ++e) {
      if (task.heads[e] < 0) continue;
      submit(e, task.heads[e]);
      submit_next(e);
    }
    while (left_ > 0) {
      const auto status = device_.read(status_address);
      if (status == 0) {
        if (!device_.wait(patience_)) fail();
        continue;
      }
      device_.interrupted();
      device_.write(status_address, status);
      for (std::size_t e = 0; e < plan::engines; ++e) finish(e, status);
    }
  }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr auto status_address = hw::address<map, "GLB.S_INTR_STATUS">;

  // An operation in a register group.
  struct slot {
    std::int16_t operation = -1;
    emit::groups groups{};
    bool programmed = false, enabled = false;
  };
  struct engine_state {
    std::array<slot, 2> slots{};
    std::int16_t tail = -1;  // the operation that was submitted last
  };

  // Whether the name of the layer's engine, or of its registers, is one of these words.
  static bool takes_part(const layer::any& what, std::string_view engines) {
    const std::string words = ' ' + std::string(engines) + ' ';
    const std::string name = layer::name_of_engine(what);
    return words.find(' ' + (name == "RUBIK" ? "RBK" : name) + ' ') != words.npos;
  }

  const layer::layer& layer_of(std::int16_t op) const {
    return task_->layers[static_cast<std::size_t>(op)];
  }
  const emit::firmware::common& links(std::int16_t op) const {
    return task_->dependencies[static_cast<std::size_t>(op)];
  }

  void submit(std::size_t engine, std::int16_t op) {
    auto& e = engines_[engine];
    const auto groups = groups_.next(layer_of(op).what);
    if (submitted_[static_cast<std::size_t>(op)])
      throw error(problem{.layer = layer_of(op).name, .reason = "two operations lead to it"});
    submitted_[static_cast<std::size_t>(op)] = true;
    auto& s = e.slots[groups.core];
    const bool loaded = lut_is_in_use(engine, lut_of(op));
    s = {op, groups};
    e.tail = op;
    delivered_->program(engine, static_cast<std::size_t>(op));
    unnamed_[engine].push_back(op);
    if (const auto lut = lut_of(op); lut >= 0 && !loaded)
      emit::program_lut<Hw>(layer_of(op).what, task_->luts[static_cast<std::size_t>(lut)],
                            emit::any_bus(device_));
    emit::program<Hw>(layer_of(op), *task_, groups, emit::any_bus(device_));
    device_.programmed(static_cast<std::size_t>(op));
    notify(op, plan::event::programmed);
    s.programmed = true;
    if (waits_[static_cast<std::size_t>(op)] == 0) enable(op);
  }

  // The successor of the engine's last operation, if a group is free.
  void submit_next(std::size_t engine) {
    auto& e = engines_[engine];
    if (e.tail < 0) return;
    const auto next = links(e.tail).consumers[engine].index;
    const bool busy = e.slots[0].operation >= 0 && e.slots[1].operation >= 0;
    if (next >= 0 && !busy && is_ready(engine, next)) submit(engine, next);
  }

  std::int16_t lut_of(std::int16_t op) const { return layer::lut_of(layer_of(op).what); }
  // Whether the operation in a group of the engine needs this lookup table, so that it is loaded.
  bool lut_is_in_use(std::size_t engine, std::int16_t lut) const {
    const auto& slots = engines_[engine].slots;
    return std::any_of(slots.begin(), slots.end(), [&](const slot& s) {
      return s.operation >= 0 && lut >= 0 && lut_of(s.operation) == lut;
    });
  }
  // Both groups share the lookup table: it is not written while another layer may run.
  bool is_ready(std::size_t engine, std::int16_t op) const {
    const auto& slots = engines_[engine].slots;
    const bool alone = std::all_of(slots.begin(), slots.end(),
                                   [](const slot& s) { return s.operation < 0; });
    return lut_of(op) < 0 || alone || lut_is_in_use(engine, lut_of(op));
  }

  void notify(std::int16_t op, plan::event event) {
    const auto& l = links(op);
    for (const auto& c : l.consumers) notify(op, c, event);
    notify(op, l.fused_parent, event);
  }

  void notify(std::int16_t op, const emit::firmware::consumer& c, plan::event event) {
    if (c.index < 0 || c.event != static_cast<std::uint8_t>(event)) return;
    delivered_->notify(static_cast<std::size_t>(op), event, static_cast<std::size_t>(c.index));
    auto& waits = waits_[static_cast<std::size_t>(c.index)];
    if (waits == 0)
      throw error(problem{.layer = layer_of(c.index).name,
                          .reason = "gets more events than its dependency count"});
    if (--waits == 0) enable(c.index);
  }

  // The operation that begins the hardware layer of this one, which takes part in it.
  std::int16_t first_of(std::int16_t op) const {
    while (layer::takes_on_the_fly(layer_of(op).what) && links(op).fused_parent.index >= 0)
      op = links(op).fused_parent.index;
    return op;
  }
  // Whether an operation is in a register group, and no older one of its engine is in the other.
  bool is_next(std::int16_t op) const {
    const auto& e = engines_[links(op).op_type];
    const bool is_there = std::ranges::any_of(e.slots, [&](const slot& s) {
      return s.operation == op && s.programmed;
    });
    return is_there && (op != e.tail || std::ranges::all_of(e.slots, [&](const slot& s) {
             return s.operation < 0 || s.operation == op;
           }));
  }
  // Whether all operations of the hardware layer that this one begins are next in their engines,
  // and so in the hardware's order.
  bool is_layer_next(std::int16_t first) const {
    for (std::size_t i = 0; i < task_->layers.size(); ++i)
      if (const auto op = static_cast<std::int16_t>(i); first_of(op) == first && !is_next(op))
        return false;
    return true;
  }
  // Starts postponed layers while none runs.
  void start_postponed() {
    while (!is_running()) {
      const auto next =
          std::ranges::find_if(postponed_, [&](auto op) { return is_layer_next(op); });
      if (next == postponed_.end()) return;
      const auto op = *next;
      postponed_.erase(next);
      start(op);
    }
  }
  // Whether a hardware layer has started and not ended.
  bool is_running() const {
    return std::ranges::any_of(engines_, [&](const engine_state& e) {
      return std::ranges::any_of(e.slots, [&](const slot& s) {
        return s.operation >= 0 && started_[static_cast<std::size_t>(first_of(s.operation))];
      });
    });
  }

  // Nothing happens if it is not programmed yet: programming ends with another look.
  void enable(std::int16_t op) {
    const auto& slots = engines_[links(op).op_type].slots;
    const bool is_ready = std::ranges::any_of(slots, [&](const slot& s) {
      return s.operation == op && s.programmed && !s.enabled;
    });
    if (!is_ready) return;
    if (!alone_ || first_of(op) != op) return start(op);
    postponed_.push_back(op);
    start_postponed();
  }

  void start(std::int16_t op) {
    for (auto& s : engines_[links(op).op_type].slots) {
      if (s.operation != op) continue;
      s.enabled = true;
      started_[static_cast<std::size_t>(op)] = true;
      delivered_->check(Hw::spec, static_cast<std::size_t>(op));
      device_.started(static_cast<std::size_t>(op));
      try {
        emit::enable<Hw>(layer_of(op).what, s.groups, emit::any_bus(device_));
      } catch (const error& e) {
        auto problems = e.problems();
        for (auto& p : problems)
          if (p.layer.empty()) p.layer = layer_of(op).name;
        throw error(std::move(problems));
      }
      notify(op, plan::event::enabled);
      return;
    }
  }

  void finish(std::size_t engine, std::uint32_t status) {
    auto& e = engines_[engine];
    // The older operation first.
    const std::size_t older = e.slots[0].operation == e.tail ? 1 : 0;
    for (const auto i : {older, 1 - older}) {
      auto& s = e.slots[i];
      if (s.operation < 0 || !s.enabled) continue;
      if ((emit::done_bits(layer_of(s.operation).what, s.groups) & status) == 0) continue;
      const auto op = std::exchange(s.operation, std::int16_t{-1});
      --left_;
      device_.ended(static_cast<std::size_t>(op));
      if (ended_) ended_(static_cast<std::size_t>(op));
      delivered_->complete(engine, static_cast<std::size_t>(op));
      notify(op, plan::event::completed);
      submit_next(engine);
    }
    start_postponed();
  }

  bool is_postponed(std::int16_t op) const {
    return std::ranges::find(postponed_, op) != postponed_.end();
  }

  // No interrupt came.
  [[noreturn]] void fail() {
    if (const auto status = device_.read(status_address); status != 0)
      throw error(problem{.reason = text("no interrupt arrived within ", patience_.count(),
                                         " ms, though GLB.S_INTR_STATUS is 0x", std::hex, status),
                          .remedy = "see whether the interrupt has the number and the polarity "
                                    "that the device's description says"});
    const auto units = busy_units(Hw::spec, device_);
    diagnostics found;
    for (const auto& e : engines_)
      for (const auto& s : e.slots)
        if (s.operation >= 0)
          found.add({.layer = layer_of(s.operation).name,
                     .reason = is_postponed(s.operation) ? text("waits until no other layer runs")
                               : !s.enabled ? text("is never ready: waits for ",
                                                 int{waits_[static_cast<std::size_t>(s.operation)]},
                                                 " more events")
                               : text("is enabled and never ends",
                                      units.empty() ? ", though all units are idle"
                                                    : "; waiting units: ",
                                      units)});
    found.check();
    throw error(text(left_, " operations are reached by no chain of consumers"));
  }

  operation_meter device_;
  std::chrono::milliseconds patience_;
  const loaded_task* task_ = nullptr;
  std::optional<delivered> delivered_{};  // of the task
  emit::ping_pong_groups groups_;
  std::array<engine_state, plan::engines> engines_{};
  std::vector<bool> submitted_, started_;
  bool alone_ = false;
  std::vector<std::int16_t> postponed_{};  // first operations that are ready while others run
  std::array<std::deque<std::int16_t>, plan::engines> unnamed_{};  // whose name is not taken
  std::vector<std::uint8_t> waits_;  // events that each operation still waits for
  std::size_t left_ = 0;
  std::function<void(std::size_t)> ended_{};
};

}  // namespace nvdlac::runtime
