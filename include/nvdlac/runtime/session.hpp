// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/emit/any_bus.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/runtime/device.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/program_session.hpp>
#include <nvdlac/runtime/scheduler.hpp>
#include <nvdlac/runtime/simulated.hpp>
#include <nvdlac/runtime/task_steps.hpp>
#include <nvdlac/runtime/workload.hpp>

namespace nvdlac::runtime {

// Runs a loadable on a device of the product, as the public runtime and firmware do: on the
// simulator unless another is given.
//   runtime::session<nv_small> r(emit::read_loadable(bytes));
//   auto probabilities = r.infer({picture})[0];
//   runtime::session<nv_small, my_board> b(emit::read_loadable(bytes), my_board(..));
template <hw::hardware Hw, device Device = simulated<Hw>>
class session final : public program_session {
  static constexpr bool is_simulated = std::same_as<Device, simulated<Hw>>;

 public:
  // On the simulator. A loadable that the product or the host cannot run is an `error`.
  explicit session(const emit::loadable_image& image, const sim::settings& s = {},
                   const host::registry& host = host::standard())
    requires is_simulated
      : session(load(image, Hw::spec, s), s, host) {}
  // A program that was loaded for this product; layers of the host are those of `host`, which must
  // outlive the session.
  explicit session(loaded_program program, const sim::settings& s = {},
                   const host::registry& host = host::standard())
    requires is_simulated
      : program_session(std::move(program), Hw::spec, host), device_(with_any_timing(s)) {
    s.check_work(operations_of<Hw>(this->program(), operations_of_host()));
    start();
  }
  explicit session(std::span<const std::uint8_t> bytes, const std::string& file = {},
                   const sim::settings& s = {}, const host::registry& host = host::standard())
    requires is_simulated
      : session(emit::read_loadable(bytes, file), s, host) {}

  // On another device, which gives its memory: a layer that takes longer than `patience` is an
  // `error`.
  session(const emit::loadable_image& image, Device d,
          const host::registry& host = host::standard(),
          std::chrono::milliseconds patience = default_patience)
    requires(!is_simulated)
      : program_session(load(image, Hw::spec, [&d](auto size, bool dram) {
                          return d.allocate(size, dram);
                        }), Hw::spec, host),
        device_(std::move(d)), patience_(patience) {
    start();
  }

  Device& device() { return device_; }

  std::vector<register_setting> registers_of(std::size_t task,
                                             std::size_t operation) const override {
    const auto& t = program().tasks.at(task);
    if (t.host) return {};
    setting_list list;
    std::vector<std::size_t> chain{operation};
    while (layer::takes_on_the_fly(t.layers.at(chain.back()).what)) {
      const auto parent = t.dependencies.at(chain.back()).fused_parent.index;
      if (parent < 0 || chain.size() > t.layers.size()) break;
      chain.push_back(static_cast<std::size_t>(parent));
    }
    for (const auto i : std::views::reverse(chain))
      emit::program<Hw>(t.layers.at(i), t, emit::groups{}, emit::any_bus(list));
    return std::move(list).all;
  }
  bool run_layers_alone(bool alone) override {
    if (by_tasks()) return false;
    on_registers([&](auto&, auto& s) { s.run_alone(alone); });
    return true;
  }
  // Calls f(record, name) after each hardware layer of the simulator; the name is that of the layer,
  // or of several that were computed as one: "conv1, pool1".
  void on_layer(layer_observer f) override {
    if constexpr (is_simulated)
      device_.chip().on_layer([this, f = std::move(f)](const sim::layer_record& r) {
        f(r, scheduler_.take_names(r.units));
      });
    else
      throw error("what each layer multiplies and reads is counted by the simulator only");
  }

 private:
  // A bus that keeps what is written to it.
  struct setting_list {
    std::vector<register_setting> all{};

    void write(std::uint32_t address, std::uint32_t value) {
      const auto* r = hw::find(Hw::spec.map, address);
      if (r != nullptr && r->name == "S_POINTER") return;
      all.push_back({address, value, hw::describe(Hw::spec.map, address, value)});
    }
  };

  static sim::settings with_any_timing(sim::settings s) {
    s.timing = sim::timing::refuse;
    return s;
  }

  // A device that another program uses is refused before anything of it is changed.
  void start() {
    if (by_tasks()) require_newest_descriptors();
    on_registers([this](auto&, auto& s) {
      s.attach();
      s.on_operation([this](std::size_t op) { show(op); });
    });
    load_contents();
    on_registers([](auto& d, auto&) { emit::initialize<Hw>(emit::any_bus(d)); });
  }
  bool by_tasks() const {
    if constexpr (requires { device_.takes_tasks(); }) return device_.takes_tasks();
    else return task_device<Device>;
  }
  // What is done on registers, with their scheduler, unless the driver does that.
  template <class F>
  void on_registers(F f) {
    if constexpr (register_device<Device>)
      if (!by_tasks()) f(device_, scheduler_);
  }

  void write_memory(const emit::place& at, std::span<const std::uint8_t> bytes) override {
    device_.load(at, bytes);
  }
  void read_memory(const emit::place& at, std::span<std::uint8_t> bytes) override {
    device_.fetch(at, bytes);
  }
  void inspect(const emit::place& at, std::span<std::uint8_t> bytes) override {
    if constexpr (is_simulated) device_.inspect(at, bytes);
    else device_.fetch(at, bytes);
  }

  std::span<std::uint8_t> view(const emit::place& at, std::uint64_t size) override {
    if constexpr (mapped_device<Device>) return device_.view(at, size);
    else return {};
  }
  void flush(const emit::place& at, std::uint64_t size) override {
    if constexpr (mapped_device<Device>) device_.flush(at, size);
  }
  void drop(const emit::place& at, std::uint64_t size) override {
    if constexpr (mapped_device<Device>) device_.drop(at, size);
  }
  bool loads_beside_runs() const override { return runtime::loads_beside_runs(device_); }
  emit::place allocate(std::uint64_t size) override { return device_.allocate(size, true); }

  void run_hardware(const loaded_task& t) override {
    if constexpr (task_device<Device>)
      if (by_tasks()) {
        if (is_observed()) return run_steps();
        // The public firmware counts the dependencies down where they stand.
        if (!t.graph.data.empty()) device_.load(t.graph.at, t.graph.data);
        submit(t);
      }
    on_registers([&](auto&, auto& s) { s.run(t); });
  }
  void measure_operations(std::function<void(measured_operation)> f) override {
    if (by_tasks() && f)
      throw error(problem{.reason = "the device's driver runs whole tasks, and times no layer of them",
                          .remedy = "measure layers by the registers (UIO)"});
    on_registers([&](auto&, auto& s) { s.measure(std::move(f)); });
  }
  // What the driver says of a task, it says of no layer.
  void submit(const loaded_task& t)
    requires task_device<Device>
  try {
    device_.submit(t.places, patience_);
  } catch (const error& e) {
    auto p = e.problems().front();
    if (p.layer.empty() && !t.layers.empty())
      p.reason += text(" (task ", running_task(), ", '", t.layers.front().name, "' to '",
                       t.layers.back().name, "')");
    throw error(std::move(p));
  }
  void run_steps()
    requires task_device<Device>
  {
    if (!steps_)
      steps_.emplace(program(),
                     [&](std::uint64_t size, bool dram) { return device_.allocate(size, dram); },
                     [&](const emit::place& at, std::size_t size) {
                       std::vector<std::uint8_t> bytes(size);
                       device_.fetch(at, bytes);
                       return bytes;
                     });
    steps_->run(running_task(), [&](const memory_content& c) { device_.load(c.at, c.data); },
                [&](std::span<const emit::place> at) { device_.submit(at, patience_); },
                [&](std::size_t operation) { show(operation); });
  }
  // Contents that one run leaves in the CBUF for ever, many runs fill it with.
  void check_end() const override {
    if constexpr (is_simulated) {
      const auto leak = device_.chip().leak();
      sim::require(leak.weights == 0, "CDMA.D_WEIGHT_BYTES", leak.weights,
                   " CBUF entries of weights are never released after the last convolution");
      sim::require(leak.slices == 0, "CSC.D_RELEASE.RLS_SLICES", leak.slices,
                   " slices of data are never released after the last convolution");
    }
  }
  void recover() override {
    on_registers([](auto& d, auto& s) {
      d.reset();
      s.reset();
      emit::initialize<Hw>(emit::any_bus(d));
    });
  }

  auto make_scheduler() {
    if constexpr (register_device<Device>)
      return scheduler<Hw>(register_port(device_), patience_);
    else return std::monostate{};
  }

  Device device_;
  std::chrono::milliseconds patience_ = default_patience;
  std::conditional_t<register_device<Device>, scheduler<Hw>, std::monostate> scheduler_ =
      make_scheduler();
  std::optional<stepper> steps_{};  // of a driver that runs whole tasks, when it was observed
};

}  // namespace nvdlac::runtime
