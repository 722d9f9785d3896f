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
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/any_bus.hpp>
#include <nvdlac/emit/engines.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/host/registry.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/hw/validate.hpp>
#include <nvdlac/runtime/any_device.hpp>
#include <nvdlac/runtime/device.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/program_session.hpp>
#include <nvdlac/runtime/scheduler.hpp>
#include <nvdlac/runtime/simulated.hpp>
#include <nvdlac/runtime/task_steps.hpp>
#include <nvdlac/runtime/workload.hpp>

namespace nvdlac::runtime {

// A session of one configuration, whatever its device is: compiled once for all devices.
template <hw::hardware Hw>
class device_session : public program_session {
  static_assert(hw::validated<Hw>);

 public:
  std::vector<register_setting> registers_of(std::size_t task,
                                             std::size_t operation) const override {
    const auto& tasks = program().tasks;
    if (task >= tasks.size())
      throw error(text("there is no task ", task, ": the program has ",
                       count_of(tasks.size(), "task")));
    const auto& t = tasks[task];
    if (t.host) return {};
    if (operation >= t.layers.size())
      throw error(text("there is no operation ", operation, " in task ", task, ": it has ",
                       count_of(t.layers.size(), "operation")));
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
    scheduler_.run_alone(alone);
    return true;
  }
  void on_layer(layer_observer) override {
    throw error("what each layer multiplies and reads is counted by the simulator only");
  }

 protected:
  // A program whose memory the device gives; an operation that takes longer than `patience` is an
  // `error`.
  device_session(const emit::loadable_image& image, any_device d, const host::registry& host,
                 std::chrono::milliseconds patience)
      : program_session(load(image, Hw::spec,
                             [&d](auto size, bool dram) { return d.allocate(size, dram); }),
                        Hw::spec, host),
        device_(std::move(d)), patience_(patience) {}
  device_session(loaded_program program, any_device d, const host::registry& host)
      : program_session(std::move(program), Hw::spec, host), device_(std::move(d)) {}

  // A device that another program uses is refused before anything of it is changed.
  void start() {
    if (by_tasks()) {
      require_newest_descriptors();
    } else {
      scheduler_.attach();
      scheduler_.on_operation([this](std::size_t op) { show(op); });
    }
    load_contents();
    initialize();
  }

  any_device& held() { return device_; }
  const any_device& held() const { return device_; }
  scheduler<Hw>& operations() { return scheduler_; }

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

  // Whether its driver does what is done on registers.
  bool by_tasks() const { return device_.takes_tasks(); }
  void initialize() {
    if (!by_tasks()) emit::initialize<Hw>(emit::any_bus(device_));
  }

  void write_memory(const emit::dma_address& at, std::span<const std::uint8_t> bytes) override {
    device_.load(at, bytes);
  }
  void read_memory(const emit::dma_address& at, std::span<std::uint8_t> bytes) override {
    device_.fetch(at, bytes);
  }
  void inspect(const emit::dma_address& at, std::span<std::uint8_t> bytes) override {
    device_.fetch(at, bytes);
  }
  std::span<std::uint8_t> view(const emit::dma_address& at, std::uint64_t size) override {
    return device_.view(at, size);
  }
  void flush(const emit::dma_address& at, std::uint64_t size) override { device_.flush(at, size); }
  void drop(const emit::dma_address& at, std::uint64_t size) override { device_.drop(at, size); }
  bool loads_beside_runs() const override { return device_.loads_beside_runs(); }
  emit::dma_address allocate(std::uint64_t size) override { return device_.allocate(size, true); }

  void run_hardware(const loaded_task& t) override {
    if (!by_tasks()) return scheduler_.run(t);
    if (is_observed()) return run_steps();
    // The public firmware counts the dependencies down where they stand.
    if (!t.graph.data.empty()) device_.load(t.graph.at, t.graph.data);
    submit(t);
  }
  void measure_operations(std::function<void(measured_operation)> f) override {
    if (!by_tasks()) return scheduler_.measure(std::move(f));
    if (f)
      throw error(
          problem{.reason = "the device's driver runs whole tasks, and times no layer of them",
                  .remedy = "measure layers by the registers (UIO)"});
  }
  // Runs a whole task. The driver's errors name no layer; the layers of the task are added to them.
  void submit(const loaded_task& t) try {
    device_.submit(t.places, patience_);
  } catch (const error& e) {
    auto p = e.problems().front();
    if (p.layer.empty() && !t.layers.empty())
      p.reason += text(" (task ", running_task(), ", '", t.layers.front().name, "' to '",
                       t.layers.back().name, "')");
    throw error(std::move(p));
  }
  void run_steps() {
    if (!steps_)
      steps_.emplace(program(),
                     [&](std::uint64_t size, bool dram) { return device_.allocate(size, dram); },
                     [&](const emit::dma_address& at, std::size_t size) {
                       std::vector<std::uint8_t> bytes(size);
                       device_.fetch(at, bytes);
                       return bytes;
                     });
    steps_->run(running_task(), [&](const memory_content& c) { device_.load(c.at, c.data); },
                [&](std::span<const emit::dma_address> at) { device_.submit(at, patience_); },
                [&](std::size_t operation) { show(operation); });
  }
  void check_end() const override {}
  void recover() override {
    if (by_tasks()) return;
    device_.reset();
    scheduler_.reset();
    initialize();
  }

  any_device device_;
  std::chrono::milliseconds patience_ = default_patience;
  scheduler<Hw> scheduler_{register_port(device_), patience_};
  std::optional<stepper> steps_{};  // of a driver that runs whole tasks, when it was observed
};

// Runs a loadable on a device of the product, as the public runtime and firmware do: on the
// simulator unless another is given.
//   runtime::session<nv_small> r(emit::read_loadable(bytes));
//   auto probabilities = r.infer({picture})[0];
//   runtime::session<nv_small, my_board> b(emit::read_loadable(bytes), my_board(..));
template <hw::hardware Hw, device Device = simulated<Hw>>
class session final : public device_session<Hw> {
 public:
  // The device gives its memory; a layer that takes longer than `patience` is an `error`.
  session(const emit::loadable_image& image, Device d,
          const host::registry& host = host::standard(),
          std::chrono::milliseconds patience = default_patience)
      : device_session<Hw>(image, std::move(d), host, patience) {
    this->start();
  }

  Device& device() {
    if constexpr (std::same_as<Device, any_device>) return this->held();
    else return this->held().template get<Device>();
  }
};

// On the simulator.
template <hw::hardware Hw>
class session<Hw, simulated<Hw>> final : public device_session<Hw> {
 public:
  // A loadable that the product or the host cannot run is an `error`.
  explicit session(const emit::loadable_image& image, const sim::settings& s = {},
                   const host::registry& host = host::standard())
      : session(load(image, Hw::spec, s), s, host) {}
  // A program that was loaded for this product; layers of the host are those of `host`, as it is
  // now.
  explicit session(loaded_program program, const sim::settings& s = {},
                   const host::registry& host = host::standard())
      : device_session<Hw>(std::move(program), simulated<Hw>(with_any_timing(s)), host) {
    s.check_work(operations_of<Hw>(this->program(), this->operations_of_host()));
    this->start();
  }
  explicit session(std::span<const std::uint8_t> bytes, const std::string& file = {},
                   const sim::settings& s = {}, const host::registry& host = host::standard())
      : session(emit::read_loadable(bytes, file), s, host) {}

  simulated<Hw>& device() { return this->held().template get<simulated<Hw>>(); }
  const simulated<Hw>& device() const { return this->held().template get<simulated<Hw>>(); }

  // Calls f(record, name) after each hardware layer; the name is that of the layer, or of several
  // that were computed as one: "conv1, pool1". An empty function ends that.
  void on_layer(any_session::layer_observer f) override {
    if (!f) return device().chip().on_layer({});
    device().chip().on_layer([this, f = std::move(f)](const sim::layer_record& r) {
      f(r, this->operations().take_names(r.units));
    });
  }

 private:
  static sim::settings with_any_timing(sim::settings s) {
    s.timing = sim::timing::refuse;
    return s;
  }

  void inspect(const emit::dma_address& at, std::span<std::uint8_t> bytes) override {
    device().inspect(at, bytes);
  }
  // Contents that one run leaves in the CBUF for ever, many runs fill it with.
  void check_end() const override {
    const auto leak = device().chip().leak();
    sim::require(leak.weights == 0, "CDMA.D_WEIGHT_BYTES", leak.weights,
                 " CBUF entries of weights are never released after the last convolution");
    sim::require(leak.slices == 0, "CSC.D_RELEASE.RLS_SLICES", leak.slices,
                 " slices of data are never released after the last convolution");
  }
};

}  // namespace nvdlac::runtime
