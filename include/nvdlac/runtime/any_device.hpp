// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <concepts>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include <nvdlac/emit/registers.hpp>
#include <nvdlac/runtime/device.hpp>

namespace nvdlac::runtime {

// A device that only run time knows, of either kind. What its kind does not have is not called:
// `takes_tasks` tells.
class any_device {
 public:
  // Does not ask of itself whether it is a device: the answer would depend on this constructor.
  template <class D>
    requires(!std::same_as<D, any_device>) && device<D>
  any_device(D d) : held_(std::make_unique<model<D>>(std::move(d))) {}

  // The device; std::bad_cast where it is no D.
  template <class D>
  D& get() {
    return dynamic_cast<model<D>&>(*held_).d;
  }
  template <class D>
  const D& get() const {
    return dynamic_cast<const model<D>&>(*held_).d;
  }

  bool takes_tasks() const { return held_->takes_tasks(); }
  bool loads_beside_runs() const { return held_->loads_beside_runs(); }
  emit::dma_address allocate(std::uint64_t size, bool dram) {
    return held_->allocate(size, dram);
  }
  void load(const emit::dma_address& at, std::span<const std::uint8_t> bytes) {
    held_->load(at, bytes);
  }
  void fetch(const emit::dma_address& at, std::span<std::uint8_t> bytes) {
    held_->fetch(at, bytes);
  }

  // The bytes where the processor has them; none of a device that maps none.
  std::span<std::uint8_t> view(const emit::dma_address& at, std::uint64_t size) {
    return held_->view(at, size);
  }
  void flush(const emit::dma_address& at, std::uint64_t size) { held_->flush(at, size); }
  void drop(const emit::dma_address& at, std::uint64_t size) { held_->drop(at, size); }

  std::uint32_t read(std::uint32_t address) { return held_->read(address); }
  void write(std::uint32_t address, std::uint32_t value) { held_->write(address, value); }
  bool wait(std::chrono::milliseconds time) { return held_->wait(time); }
  void reset() { held_->reset(); }

  void submit(std::span<const emit::dma_address> addresses, std::chrono::milliseconds time) {
    held_->submit(addresses, time);
  }

 private:
  struct concept_of_device {
    virtual ~concept_of_device() = default;
    virtual bool takes_tasks() const = 0;
    virtual bool loads_beside_runs() const = 0;
    virtual emit::dma_address allocate(std::uint64_t, bool) = 0;
    virtual void load(const emit::dma_address&, std::span<const std::uint8_t>) = 0;
    virtual void fetch(const emit::dma_address&, std::span<std::uint8_t>) = 0;
    virtual std::span<std::uint8_t> view(const emit::dma_address&, std::uint64_t) = 0;
    virtual void flush(const emit::dma_address&, std::uint64_t) = 0;
    virtual void drop(const emit::dma_address&, std::uint64_t) = 0;
    virtual std::uint32_t read(std::uint32_t) = 0;
    virtual void write(std::uint32_t, std::uint32_t) = 0;
    virtual bool wait(std::chrono::milliseconds) = 0;
    virtual void reset() = 0;
    virtual void submit(std::span<const emit::dma_address>, std::chrono::milliseconds) = 0;
  };

  template <class D>
  struct model final : concept_of_device {
    explicit model(D of) : d(std::move(of)) {}

    bool takes_tasks() const override {
      if constexpr (requires { { d.takes_tasks() } -> std::same_as<bool>; }) return d.takes_tasks();
      else return task_device<D>;
    }
    bool loads_beside_runs() const override { return runtime::loads_beside_runs(d); }
    emit::dma_address allocate(std::uint64_t size, bool dram) override {
      return d.allocate(size, dram);
    }
    void load(const emit::dma_address& at, std::span<const std::uint8_t> b) override {
      d.load(at, b);
    }
    void fetch(const emit::dma_address& at, std::span<std::uint8_t> b) override { d.fetch(at, b); }
    std::span<std::uint8_t> view(const emit::dma_address& at, std::uint64_t size) override {
      if constexpr (mapped_device<D>) return d.view(at, size);
      else return {};
    }
    void flush(const emit::dma_address& at, std::uint64_t size) override {
      if constexpr (mapped_device<D>) d.flush(at, size);
    }
    void drop(const emit::dma_address& at, std::uint64_t size) override {
      if constexpr (mapped_device<D>) d.drop(at, size);
    }
    std::uint32_t read(std::uint32_t address) override {
      if constexpr (register_device<D>) return d.read(address);
      else return 0;
    }
    void write(std::uint32_t address, std::uint32_t value) override {
      if constexpr (register_device<D>) d.write(address, value);
    }
    bool wait(std::chrono::milliseconds time) override {
      if constexpr (register_device<D>) return d.wait(time);
      else return false;
    }
    void reset() override {
      if constexpr (register_device<D>) d.reset();
    }
    void submit(std::span<const emit::dma_address> addresses,
                std::chrono::milliseconds time) override {
      if constexpr (task_device<D>) d.submit(addresses, time);
    }

    D d;
  };

  std::unique_ptr<concept_of_device> held_;
};
static_assert(register_device<any_device> && task_device<any_device> &&
              mapped_device<any_device>);

}  // namespace nvdlac::runtime
