// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/runtime/any_session.hpp>

namespace nvdlac::runtime {

// A session that does what another one does, with one set of inputs and outputs: a base of those
// that do something of it in another way.
class forwarding_session : public any_session {
 public:
  const loaded_program& program() const override { return session_.program(); }
  std::vector<net::any_tensor> infer_any(const std::vector<quantised::feed>& in) override {
    return session_.infer_any(in);
  }
  memories pack(const std::vector<quantised::feed>& in) const override {
    return session_.pack(in);
  }
  memories run(const memories& in) override { return session_.run(in); }
  std::vector<net::any_tensor> unpack(const memories& out) const override {
    return session_.unpack(out);
  }
  net::any_tensor unpack(std::size_t i, std::span<const std::uint8_t> memory) const override {
    return session_.unpack(i, memory);
  }
  std::span<std::uint8_t> input_memory(std::size_t i) override { return session_.input_memory(i); }
  std::span<const std::uint8_t> output_memory(std::size_t i) override {
    return session_.output_memory(i);
  }
  void run_in_place() override { session_.run_in_place(); }
  run_times times() const override { return session_.times(); }
  std::vector<measured_operation> measure(const std::vector<quantised::feed>& in) override {
    return session_.measure(in);
  }
  emit::run_record record(const std::vector<quantised::feed>& in) override {
    return session_.record(in);
  }
  emit::run_record record_layers(const std::vector<quantised::feed>& in) override {
    return session_.record_layers(in);
  }
  std::vector<register_setting> registers_of(std::size_t task,
                                             std::size_t operation) const override {
    return session_.registers_of(task, operation);
  }
  bool run_layers_alone(bool alone) override { return session_.run_layers_alone(alone); }
  void on_layer(layer_observer f) override { session_.on_layer(std::move(f)); }
  void on_cube(cube_observer f) override { session_.on_cube(std::move(f)); }

 protected:
  // The session must outlive this one.
  explicit forwarding_session(any_session& s) : session_(s) {}

  any_session& session() { return session_; }
  const any_session& session() const { return session_; }

 private:
  any_session& session_;
};

}  // namespace nvdlac::runtime
