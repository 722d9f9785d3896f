// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

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
  // Its three parts. The device is used by `run` alone, so that other threads may pack the values of
  // the next run meanwhile, and unpack those of the last. What is wrong with a value is an `error`.
  virtual memories pack(const std::vector<quantised::feed>&) const = 0;
  virtual memories run(const memories&) = 0;
  virtual std::vector<net::any_tensor> unpack(const memories&) const = 0;
  // Of the last run of infer_any.
  virtual run_times times() const = 0;
  // A run with all that a trace checks.
  virtual emit::run_record record(const std::vector<quantised::feed>&) = 0;
  virtual void on_layer(layer_observer) = 0;
  virtual void on_cube(cube_observer) = 0;

  const std::string& network() const { return program().network; }
  const std::vector<binding>& inputs() const { return program().inputs; }
  const std::vector<binding>& outputs() const { return program().outputs; }
};

}  // namespace nvdlac::runtime
