// SPDX-License-Identifier: Apache-2.0
#pragma once
// A loadable on the simulated hardware, of a configuration that only run time knows.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/emit/fwd.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/runtime/fwd.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/sim/fwd.hpp>

namespace nvdlac::runtime {

// What a session<Hw> does, for code that is compiled once for all configurations.
class any_session {
 public:
  // Called with a hardware layer that has ended, and its name.
  using layer_observer = std::function<void(const sim::layer_record&, const std::string&)>;
  // Called with a cube that a layer has written, and its bytes in memory.
  using cube_observer = std::function<void(const written_cube&, std::span<const std::uint8_t>)>;

  virtual ~any_session() = default;
  virtual const loaded_program& program() const = 0;
  virtual std::vector<net::any_tensor> infer(const std::vector<quantised::feed>&) = 0;
  virtual emit::run_record record(const std::vector<quantised::feed>&) = 0;
  virtual void on_layer(layer_observer) = 0;
  virtual void on_cube(cube_observer) = 0;

  const std::string& network() const { return program().network; }
  const std::vector<binding>& inputs() const { return program().inputs; }
  const std::vector<binding>& outputs() const { return program().outputs; }
};

// The any_session of one configuration, with a session of its own or, where Session is a reference,
// with another's.
template <hw::hardware Hw, class Session = session<Hw>>
class session_of final : public any_session {
 public:
  template <class... Arguments>
  explicit session_of(Arguments&&... a) : session_(std::forward<Arguments>(a)...) {}

  const loaded_program& program() const override { return session_.program(); }
  std::vector<net::any_tensor> infer(const std::vector<quantised::feed>& in) override {
    return session_.infer_any(in);
  }
  emit::run_record record(const std::vector<quantised::feed>& in) override {
    std::vector<std::vector<std::uint8_t>> memories;
    for (std::size_t i = 0; i < in.size(); ++i) memories.push_back(session_.pack(i, in[i]));
    return session_.record(memories);
  }
  void on_layer(layer_observer f) override { session_.on_layer(std::move(f)); }
  void on_cube(cube_observer f) override { session_.on_cube(std::move(f)); }

 private:
  Session session_;
};

}  // namespace nvdlac::runtime
