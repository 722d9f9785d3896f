// SPDX-License-Identifier: Apache-2.0
#pragma once
// The part of a session that depends on no configuration and no device: compiled once for all.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/host/fwd.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/host.hpp>
#include <nvdlac/runtime/any_session.hpp>
#include <nvdlac/runtime/written_cube.hpp>

namespace nvdlac::runtime {

class program_session : public any_session {
 public:
  // A scheduler keeps a reference to the device.
  program_session(const program_session&) = delete;
  program_session& operator=(const program_session&) = delete;

  // The program that was loaded, but for the contents of its memory, which the device has.
  const loaded_program& program() const final { return program_; }

  // Calls f with each cube that a layer has written to memory, and with its bytes there. A driver
  // that runs whole tasks gets those of single layers meanwhile.
  void on_cube(cube_observer f) final { on_cube_ = std::move(f); }

  std::span<std::uint8_t> input_memory(std::size_t i) override;
  std::span<const std::uint8_t> output_memory(std::size_t i) override;
  void run_in_place() override;
  memories pack(const std::vector<quantised::feed>& in) const override;
  memories run(const memories& in) override { return execute(in, nullptr); }
  buffer_sets double_buffers() override;
  memories run_in_set(std::size_t set, std::mutex& device, const memories& in) override;
  std::vector<net::any_tensor> unpack(const memories& out) const override;

  std::vector<measured_operation> measure(const std::vector<quantised::feed>& in) override;
  emit::run_record record(const std::vector<quantised::feed>& in) override;
  emit::run_record record_layers(const std::vector<quantised::feed>& in) override;

  // Values for values: tensors or pictures in, tensors of the network's shapes out.
  std::vector<net::any_tensor> infer_any(const std::vector<quantised::feed>& in) override;
  run_times times() const override { return times_; }
  // The outputs of a network whose outputs are int8.
  std::vector<net::int8_tensor> infer(const std::vector<quantised::feed>& in);

  // The memory of input i for one value; what is wrong with the value is an `error`.
  std::vector<std::uint8_t> pack(std::size_t i, const quantised::feed& value) const;
  net::any_tensor unpack(std::size_t i, std::span<const std::uint8_t> memory) const override;

 protected:
  // Layers of the host are those of `host`, as it is now.
  program_session(loaded_program program, const hw::spec& spec, const host::registry& host);

  // The multiplications and comparisons of all calls of the host in a run, beside their elements.
  std::uint64_t operations_of_host() const;
  // A firmware that reads the descriptors itself knows those of its own interface.
  void require_newest_descriptors() const;
  // Writes the contents of the program's memories, once.
  void load_contents();
  // An operation of the task that runs has ended, and nothing has followed it yet.
  void show(std::size_t operation);
  bool is_observed() const { return on_cube_ || layers_ != nullptr; }
  std::size_t running_task() const { return task_; }  // its number

 private:
  using written_layers = decltype(emit::run_record::layers);

  // The device, of which `inspect` reads for an observer.
  virtual void write_memory(const emit::dma_address& at, std::span<const std::uint8_t> bytes) = 0;
  virtual void read_memory(const emit::dma_address& at, std::span<std::uint8_t> bytes) = 0;
  virtual void inspect(const emit::dma_address& at, std::span<std::uint8_t> bytes) = 0;
  // Its memory where the processor has it, as mapped_device says; none where it does not.
  virtual std::span<std::uint8_t> view(const emit::dma_address& at, std::uint64_t size) = 0;
  virtual void flush(const emit::dma_address& at, std::uint64_t size) = 0;
  virtual void drop(const emit::dma_address& at, std::uint64_t size) = 0;
  virtual void run_hardware(const loaded_task&) = 0;
  // Calls f with each operation that has ended, but for its task; an empty function ends that.
  virtual void measure_operations(std::function<void(measured_operation)> f) = 0;
  // After the tasks of a run, and after a task that failed.
  virtual void check_end() const = 0;
  virtual void recover() = 0;
  // For a second set of inputs and outputs.
  virtual bool loads_beside_runs() const = 0;
  virtual emit::dma_address allocate(std::uint64_t size) = 0;

  // Where inputs and outputs stand, and by task the places that its operations know.
  struct buffer_set {
    std::vector<std::uint64_t> inputs{}, outputs{};
    std::vector<std::vector<emit::dma_address>> places{};
  };
  buffer_set first_set() const;
  void check_usable() const;
  void write_inputs(const memories& in, const std::vector<std::uint64_t>& to);
  memories read_outputs(const std::vector<std::uint64_t>& from);
  memories execute(const memories& in, emit::run_record* record);
  void run_tasks(emit::run_record* record);
  void run_host(const loaded_task& t, emit::run_record* record);
  void compute(const layer::host_call& l, emit::run_record::host_layer& io) const;
  void compute(const layer::host_softmax& l, emit::run_record::host_layer& io) const;

  loaded_program program_;
  const hw::spec& spec_;
  std::shared_ptr<const host::registry> host_;
  run_times times_{};
  std::size_t task_ = 0;     // that runs
  std::optional<problem> unusable_{};  // why nothing runs any more
  std::vector<buffer_set> sets_{};  // none, or both
  cube_observer on_cube_{};
  written_layers* layers_ = nullptr;  // takes what the operations of a run write
};

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/program_session.ipp>
#endif
