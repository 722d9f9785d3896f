// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/fwd.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/fwd.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/sim/fwd.hpp>

namespace nvdlac::runtime {

// Where the time of a run went, in seconds.
struct run_times {
  double pack = 0;      // values into the device's memory
  double hardware = 0;  // tasks of NVDLA
  double host = 0;      // layers that the processor computes
  double unpack = 0;    // values out of that memory

  double all() const { return pack + hardware + host + unpack; }
};

// Where the inputs and outputs of a program stand on the device.
struct buffer_sets {
  std::size_t count = 1;    // of two, one is loaded and fetched during a run with the other
  std::uint64_t bytes = 0;  // of the device's memory that the second one takes
  std::string reason{};     // why there is one
};

// A register, and what a program writes to it.
struct register_setting {
  std::uint32_t address = 0, value = 0;
  std::string meaning{};  // its name and its fields
};

// A hardware operation of a run as a device has run it.
struct measured_operation {
  // A number that a unit has counted meanwhile: cycles in which it waited for memory, or values
  // that were clipped or beyond a table.
  struct counter {
    std::string name{};  // of its register: "CDMA.D_PERF_WT_READ_STALL"
    std::uint32_t value = 0;
  };
  std::size_t task = 0, operation = 0;
  // Its own time: from the interrupt of the one that ended before it, or from its start where that
  // is later, to its interrupt, as the host sees them. Of several that one interrupt tells of, the
  // first has the time.
  double seconds = 0;
  std::vector<counter> counters{};  // of all its units that count, in the order of their registers
};

// A loadable on an NVDLA, simulated or not, of a configuration that only run time knows.
class any_session {
 public:
  // Called with a hardware layer that has ended, and its name.
  using layer_observer = std::function<void(const sim::layer_record&, const std::string&)>;
  // Called with a cube that a layer has written, and its bytes in memory.
  using cube_observer = std::function<void(const written_cube&, std::span<const std::uint8_t>)>;
  // The bytes of each input, or of each output, as they stand in the device's memory.
  using memories = std::vector<std::vector<std::uint8_t>>;

  virtual ~any_session() = default;
  virtual const loaded_program& program() const = 0;
  // Values for values: tensors or pictures in, tensors of the network's shapes out.
  virtual std::vector<net::any_tensor> infer_any(const std::vector<quantised::feed>&) = 0;
  // Its three parts. The device is used by `run` alone, so that other threads may pack the values
  // of the next run meanwhile, and unpack those of the last. What is wrong with a value is an
  // `error`.
  virtual memories pack(const std::vector<quantised::feed>&) const = 0;
  virtual memories run(const memories&) = 0;
  virtual std::vector<net::any_tensor> unpack(const memories&) const = 0;
  // The values of output i in its memory.
  virtual net::any_tensor unpack(std::size_t i, std::span<const std::uint8_t> memory) const = 0;
  // The memory of an input or output where the device has it, for who writes and reads it there,
  // as a camera does; none where the device maps none, as the simulator. Element (c, y, x) is at
  // surface.at.offset + layer::offset_of(surface, atom, c, y, x) of inputs()[i].surface, and
  // what no element has stays 0. It lives as long as the session, is left alone during a run, and
  // is what `run` and `infer_any` write as well.
  virtual std::span<std::uint8_t> input_memory(std::size_t i) = 0;
  virtual std::span<const std::uint8_t> output_memory(std::size_t i) = 0;
  // A run with what stands there, nothing of which is copied. An `error` where one has none.
  virtual void run_in_place() = 0;
  // Asks for memory for a second set of inputs and outputs; to be called once, before runs.
  virtual buffer_sets double_buffers() { return {.reason = "the session has one set"}; }
  // A run with one set of them, 0 or 1, for which the device is locked while it computes. Another
  // thread may do so with the other set.
  virtual memories run_in_set(std::size_t set, std::mutex& device, const memories& in) {
    if (set > 1)
      throw error(text("there is no set ", set, " of inputs and outputs: there are 0 and 1"));
    const std::lock_guard lock(device);
    return run(in);
  }
  // The times of the last run of infer_any or run_in_place.
  virtual run_times times() const = 0;
  // A run of which each hardware operation is measured, in the order in which they ended. A driver
  // that runs whole tasks is an `error`.
  virtual std::vector<measured_operation> measure(const std::vector<quantised::feed>&) = 0;
  // A run with what a trace checks, and one with what each layer has written besides.
  virtual emit::run_record record(const std::vector<quantised::feed>&) = 0;
  virtual emit::run_record record_layers(const std::vector<quantised::feed>&) = 0;
  // The registers of an operation, and of those that hand it their results without memory, but for
  // tables and the choice of groups; none of a layer of the host.
  virtual std::vector<register_setting> registers_of(std::size_t task,
                                                     std::size_t operation) const = 0;
  // With true each hardware layer of later runs starts when no other runs, but for what reads its
  // operands ahead. Whether that can be chosen: not where a driver runs whole tasks.
  virtual bool run_layers_alone(bool) { return false; }
  virtual void on_layer(layer_observer) = 0;
  virtual void on_cube(cube_observer) = 0;

  const std::string& network() const { return program().network; }
  const std::vector<binding>& inputs() const { return program().inputs; }
  const std::vector<binding>& outputs() const { return program().outputs; }
};

}  // namespace nvdlac::runtime
