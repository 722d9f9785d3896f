// SPDX-License-Identifier: Apache-2.0
#pragma once
// Runs a program on the simulated device, layer after layer through the register bus. Memory is
// full of noise before, so that nothing can depend on bytes that the program does not write.
#include <cstdint>
#include <random>
#include <span>
#include <stdexcept>
#include <variant>
#include <vector>

#include <nvdlac/emit/schedule.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/quantised/graph.hpp>
#include <nvdlac/sim/device.hpp>

template <nvdlac::hw::hardware Hw>
class program_run {
 public:
  program_run(const nvdlac::plan::program<Hw>& p, std::uint64_t seed) : program_(p), random_(seed) {
    std::uint64_t next = 0x100000;
    const auto reserve = [&](std::uint64_t size) {
      const auto at = next;
      next += nvdlac::align_up(size, 4096) + 4096;
      return at;
    };
    const auto weights = reserve(p.weights_size), features = reserve(p.features_size);
    for (const auto& b : p.buffers) {
      address_.push_back(b.memory == weights_memory    ? weights + b.offset
                         : b.memory == features_memory ? features + b.offset
                                                       : reserve(b.size));
      std::vector<std::uint8_t> bytes = b.content;
      bytes.resize(b.size);
      if (b.content.empty()) noise(bytes);
      device_.dram().write(address_.back(), bytes);
    }
  }

  // Feeds in the order of the program's inputs; the outputs' values in dense c-h-w order.
  std::vector<std::vector<std::int8_t>> run(std::span<const nvdlac::quantised::feed> feeds) {
    for (std::size_t i = 0; i < feeds.size(); ++i) put(program_.inputs[i], feeds[i]);
    nvdlac::emit::schedule<Hw>(program_, where(), *this);
    if (!device_.waiting().empty())
      throw std::logic_error("the device waits: " + device_.waiting());
    if (device_.leak() != nvdlac::sim::cbuf_leak{})
      throw std::logic_error("the program leaves something in the CBUF");
    std::vector<std::vector<std::int8_t>> results;
    for (const auto& out : program_.outputs) results.push_back(get(out.surface));
    return results;
  }

  // The calls that the schedule makes.
  void write(std::uint32_t address, std::uint32_t value) { device_.write(address, value); }
  void begin(const nvdlac::layer::layer&) {}
  void wait_done(std::uint32_t bits) {
    constexpr auto status = nvdlac::hw::address<Hw::spec.map, "GLB.S_INTR_STATUS">;
    if ((device_.read(status) & bits) != bits)
      throw std::logic_error("the device waits: " + device_.waiting());
    device_.write(status, bits);
  }
  void host(const nvdlac::layer::layer& l) {
    const auto& s = std::get<nvdlac::layer::host_softmax>(l.what);
    const nvdlac::net::int8_tensor x{s.input.shape, get(s.input)};
    const nvdlac::net::int8_tensor* in[] = {&x};
    put(s.output, nvdlac::quantised::softmax{}.evaluate<std::int8_t>(
                      in, static_cast<double>(s.input_scale),
                      static_cast<double>(s.output_scale)));
  }

 private:
  static constexpr auto weights_memory = nvdlac::plan::memory::weights;
  static constexpr auto features_memory = nvdlac::plan::memory::features;

  auto where() const {
    return [this](const nvdlac::layer::location& at) {
      return nvdlac::emit::dma_address{
          address_[static_cast<std::size_t>(at.buffer)] + at.offset, true};
    };
  }

  void put(const nvdlac::plan::binding& b, const nvdlac::quantised::feed& f) {
    if (const auto* values = std::get_if<nvdlac::net::int8_tensor>(&f))
      return b.surface.is_interleaved() ? put_interleaved(b, *values) : put(b.surface, *values);
    const auto& pixels = std::get<std::vector<std::uint8_t>>(f);
    std::vector<std::uint8_t> bytes(b.surface.size);
    noise(bytes);
    const auto from = static_cast<std::size_t>(b.shape.c);
    const auto channels = static_cast<std::size_t>(b.surface.shape.c);
    const auto width = static_cast<std::size_t>(b.shape.w);
    for (std::size_t i = 0; i < pixels.size(); ++i) {
      const auto pixel = i / from;
      bytes[pixel / width * b.surface.line_stride + pixel % width * channels + i % from] =
          pixels[i];
    }
    device_.dram().write(where()(b.surface.at).address, bytes);
  }
  // Channels that only the cube has are full of noise.
  void put_interleaved(const nvdlac::plan::binding& b, const nvdlac::net::int8_tensor& values) {
    const auto& cube = b.surface;
    std::vector<std::uint8_t> bytes(cube.size);
    noise(bytes);
    for (std::int32_t c = 0; c < b.shape.c; ++c)
      for (std::int32_t y = 0; y < b.shape.h; ++y)
        for (std::int32_t x = 0; x < b.shape.w; ++x)
          bytes[static_cast<std::size_t>(y) * cube.line_stride +
                static_cast<std::size_t>(x * cube.shape.c + c)] =
              static_cast<std::uint8_t>(values.values[b.shape.at(c, y, x)]);
    device_.dram().write(where()(cube.at).address, bytes);
  }
  void put(const nvdlac::layer::surface& s, const nvdlac::net::int8_tensor& values) {
    each_element(s, [&](std::uint64_t at, std::size_t i) {
      const auto byte = static_cast<std::uint8_t>(values.values[i]);
      device_.dram().write(at, std::span(&byte, 1));
    });
  }
  std::vector<std::int8_t> get(const nvdlac::layer::surface& s) {
    std::vector<std::int8_t> values(s.shape.size());
    each_element(s, [&](std::uint64_t at, std::size_t i) {
      std::uint8_t byte = 0;
      device_.dram().read(at, std::span(&byte, 1));
      values[i] = static_cast<std::int8_t>(byte);
    });
    return values;
  }
  template <class Visit>
  void each_element(const nvdlac::layer::surface& s, Visit visit) {
    const auto base = where()(s.at).address;
    for (std::int32_t c = 0; c < s.shape.c; ++c)
      for (std::int32_t y = 0; y < s.shape.h; ++y)
        for (std::int32_t x = 0; x < s.shape.w; ++x)
          visit(base + nvdlac::layer::offset_of(s, Hw::spec.atom(), c, y, x), s.shape.at(c, y, x));
  }
  void noise(std::vector<std::uint8_t>& bytes) {
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random_());
  }

  const nvdlac::plan::program<Hw>& program_;
  std::mt19937_64 random_;
  nvdlac::sim::device<Hw> device_{};
  std::vector<std::uint64_t> address_;
};
