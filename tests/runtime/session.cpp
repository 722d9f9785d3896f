// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/session.hpp>

#include "emit/example.hpp"

using namespace nvdlac;

namespace {

net::int8_tensor random_tensor(net::shape s, unsigned seed) {
  const auto bytes = example::noise(s.size(), seed);
  return {s, {bytes.begin(), bytes.end()}};
}

std::int16_t word(const std::vector<std::uint8_t>& v, std::size_t i) {
  return static_cast<std::int16_t>(v[2 * i] | v[2 * i + 1] << 8);
}

// The example's convolution, computed one sum after the other; weights in the order
// [group of 8 kernels][block of 8 channels][y][x][kernel][channel].
net::int8_tensor convolve(const plan::program_data& p, const plan::task& t, std::size_t op,
                          const net::int8_tensor& in) {
  const auto& c = std::get<layer::convolution>(t.operations[op].layer.what);
  const auto& s = std::get<layer::sdp>(t.operations[op + 1].layer.what);
  const auto& weights = p.buffers[static_cast<std::size_t>(c.weights.at.buffer)].content;
  const auto& operands = p.buffers[static_cast<std::size_t>(s.x1.operands.at.buffer)].content;
  net::int8_tensor out{c.output};
  const auto& w = c.window;
  for (std::int32_t k = 0; k < c.output.c; ++k)
    for (std::int32_t y = 0; y < c.output.h; ++y)
      for (std::int32_t x = 0; x < c.output.w; ++x) {
        std::int64_t sum = 0;
        const auto in_group = std::min(8, c.output.c - k / 8 * 8);
        std::size_t base = static_cast<std::size_t>(k / 8 * 8) * c.bytes_per_kernel();
        for (std::int32_t block = 0; block < in.shape.c; block += 8)
          for (std::int32_t r = 0; r < w.kernel_h; ++r)
            for (std::int32_t q = 0; q < w.kernel_w; ++q)
              for (std::int32_t n = 0; n < in_group; ++n)
                for (std::int32_t i = 0; i < 8; ++i, ++base) {
                  const auto iy = y + r - w.pad_top, ix = x + q - w.pad_left;
                  if (n != k % 8 || iy < 0 || ix < 0 || iy >= in.shape.h || ix >= in.shape.w)
                    continue;
                  sum += in.at(block + i, iy, ix) * static_cast<std::int8_t>(weights[base]);
                }
        const auto lane = static_cast<std::size_t>(k);
        const auto biased = sum + word(operands, 2 * lane);
        const auto scaled = saturate<32>(round_shift(biased * word(operands, 2 * lane + 1), 22));
        out.at(k, y, x) = static_cast<std::int8_t>(saturate<8>(std::max<std::int64_t>(scaled, 0)));
      }
  return out;
}

net::int8_tensor pool(const net::int8_tensor& in) {
  net::int8_tensor out{{in.shape.c, in.shape.h / 2, in.shape.w / 2}};
  for (std::int32_t c = 0; c < out.shape.c; ++c)
    for (std::int32_t y = 0; y < out.shape.h; ++y)
      for (std::int32_t x = 0; x < out.shape.w; ++x)
        out.at(c, y, x) = std::max({in.at(c, 2 * y, 2 * x), in.at(c, 2 * y, 2 * x + 1),
                                    in.at(c, 2 * y + 1, 2 * x), in.at(c, 2 * y + 1, 2 * x + 1)});
  return out;
}

net::int8_tensor reference(const plan::program_data& p, const net::int8_tensor& in) {
  const auto& t = p.tasks[0];
  const auto logits = convolve(p, t, 3, pool(convolve(p, t, 0, in)));
  const net::int8_tensor* const inputs[]{&logits};
  return quantised::softmax{}.evaluate<std::int8_t>(inputs, 0.015625, 1 / 127.0);
}

std::string refusal(const plan::program<nv_small>& p) {
  try {
    runtime::session<nv_small> r(emit::loadable(p));
    r.infer({random_tensor({8, 6, 6}, 1)});
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a loadable computes what its layers say") {
  const auto program = example::digits<nv_small>();
  runtime::session<nv_small> runtime(emit::loadable(program));
  CHECK(runtime.network() == "example");
  CHECK(runtime.inputs().at(0).scale == 0.5);
  CHECK(runtime.outputs().at(0).name == "prob");
  int different = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto in = random_tensor({8, 6, 6}, 100 + seed);
    const auto expected = reference(program, in);
    CHECK(runtime.infer({in}).at(0) == expected);
    different += expected.values != reference(program, random_tensor({8, 6, 6}, 1)).values;
  }
  CHECK(different > 10);
}

TEST_CASE("a record holds what a trace checks") {
  const auto program = example::digits<nv_small>();
  runtime::session<nv_small> runtime(emit::loadable(program));
  const auto values = random_tensor({8, 6, 6}, 4);
  const auto in = runtime.pack(0, values);
  const auto record = runtime.record({values});
  CHECK(record.inputs.at(0) == in);
  CHECK(record.outputs == runtime.run({in}));
  REQUIRE(record.host.size() == 1);
  CHECK(record.host[0].inputs[0].size() == 16);
  CHECK(record.host[0].output == record.outputs[0]);
}

TEST_CASE("an operation that is never ready is named") {
  auto p = example::digits<nv_small>();
  CHECK(refusal(p) == "");
  ++p.tasks[0].operations[2].dependency_count;
  CHECK(refusal(p).find("'pool1': is never ready: waits for 1 more") != std::string::npos);
  p = example::digits<nv_small>();
  p.tasks[0].operations[0].consumers[1] = {};
  CHECK(refusal(p) != "");
}

TEST_CASE("what the device refuses names the layer") {
  auto p = example::digits<nv_small>();
  std::get<layer::convolution>(p.tasks[0].operations[0].layer.what).entries_per_slice = 77;
  CHECK(refusal(p).find("'conv1': ") != std::string::npos);
}

TEST_CASE("wrong inputs and other products are refused") {
  const auto bytes = emit::loadable(example::digits<nv_small>());
  runtime::session<nv_small> runtime(bytes);
  CHECK_THROWS_AS(runtime.infer({}), error);
  CHECK_THROWS_AS(runtime.infer({random_tensor({8, 6, 5}, 1)}), error);
  CHECK_THROWS_AS(runtime.infer({std::vector<std::uint8_t>(288)}), error);
  CHECK_THROWS_AS(runtime.run({std::vector<std::uint8_t>(3)}), error);
  CHECK_THROWS_WITH_AS(runtime::session<nv_large>{bytes},
                       "the loadable was compiled for nv_small (run it with the same --config)",
                       error);
}

TEST_CASE("numbers and memories of inputs, outputs and operations that there are not are refused") {
  runtime::session<nv_small> runtime(emit::loadable(example::digits<nv_small>()));
  const std::vector<std::vector<std::uint8_t>> in{runtime.pack(0, random_tensor({8, 6, 6}, 1))};
  const auto out = runtime.run(in);
  CHECK(runtime.unpack(out).size() == 1);
  CHECK_THROWS_WITH_AS(runtime.unpack(std::vector<std::vector<std::uint8_t>>{}),
                       "the network has 1 output, not 0", error);
  CHECK_THROWS_WITH_AS(runtime.unpack(7, out[0]), "there is no output 7: the network has 1 output",
                       error);
  CHECK_THROWS_WITH_AS(runtime.unpack(0, std::span(out[0]).first(3)),
                       doctest::Contains("its memory has "), error);
  CHECK_THROWS_WITH_AS(runtime.input_memory(9), "there is no input 9: the network has 1 input",
                       error);
  CHECK_THROWS_WITH_AS(runtime.output_memory(9), "there is no output 9: the network has 1 output",
                       error);
  CHECK_THROWS_WITH_AS(runtime.registers_of(99, 0), doctest::Contains("there is no task 99"),
                       error);
  CHECK_THROWS_WITH_AS(runtime.registers_of(0, 99), doctest::Contains("there is no operation 99"),
                       error);
  std::mutex device;
  CHECK(runtime.run_in_set(0, device, in) == out);
  CHECK_THROWS_WITH_AS(runtime.run_in_set(7, device, in),
                       "there is no set 7 of inputs and outputs: there are 0 and 1", error);
}

TEST_CASE("a session keeps the host's layers that it is given") {
  const auto bytes = emit::loadable(example::digits<nv_small>());
  const auto made = [&] {
    const host::registry gone;
    return std::make_unique<runtime::session<nv_small>>(bytes, "", sim::settings{}, gone);
  }();
  runtime::session<nv_small> other(bytes);
  const auto in = random_tensor({8, 6, 6}, 1);
  CHECK(made->infer({in}) == other.infer({in}));
}

TEST_CASE("damaged loadables are run or refused") {
  const auto bytes = emit::loadable(example::digits<nv_small>());
  std::mt19937 random(9);
  sim::settings settings;
  settings.memory = 1 << 24;
  settings.macs = 1 << 24;
  settings.elements = 1 << 22;
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    auto damaged = bytes;
    damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    try {
      runtime::session<nv_small> runtime(damaged, "damaged", settings);
      std::vector<std::vector<std::uint8_t>> in;
      for (const auto& b : runtime.inputs()) in.emplace_back(b.size);
      runtime.run(in);
    } catch (const error&) {
      ++refused;
    }
  }
  CHECK(refused > 100);
}

TEST_CASE("notes of a tensor that is not the one in memory are refused") {
  const auto image = emit::loadable_lists(example::digits<nv_small>());
  const auto refuse = [&](auto change) {
    auto wrong = image;
    change(wrong.notes);
    CHECK_THROWS_WITH_AS(runtime::session<nv_small>{wrong}, doctest::Contains("the notes give"),
                         error);
  };
  // Read on its walk, this would be the first and the 101st element of 16.
  refuse([](emit::loadable_notes& n) {
    auto& t = n.outputs.at(0);
    t.shape = {100, 2, 1};
    t.in_file = {{.shape = {200}, .walk = {{100, 1}, {2, 100}}}};
  });
  refuse([](emit::loadable_notes& n) { ++n.outputs.at(0).shape.c; });
  refuse([](emit::loadable_notes& n) { --n.inputs.at(0).shape.h; });
  refuse([](emit::loadable_notes& n) { n.inputs.at(0).shape.w = 1 << 28; });
}

TEST_CASE("a loadable runs again as it ran first, and costs no decoding") {
  runtime::session<nv_small> runtime(emit::loadable(example::digits<nv_small>()));
  const auto in = runtime.pack(0, random_tensor({8, 6, 6}, 4));
  const auto first = runtime.run({in});
  for (int i = 0; i < 10; ++i) CHECK(runtime.run({in}) == first);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 200; ++i) runtime.run({in});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  MESSAGE("one run of 5 hardware layers: " << seconds.count() * 1e6 / 200 << " us");
}

namespace {

// The program as before version 0.12 of the firmware's interface: the cubes of its descriptors have
// no offset, so that each has an address of its own.
emit::loadable_image without_offsets(emit::loadable_image image) {
  constexpr std::size_t bytes = 644, cubes[]{0, 5, 5, 2, 2, 2};
  const auto blob = [&](const std::string& name) -> emit::loadable_image::blob& {
    for (auto& b : image.blobs)
      if (b.name == name) return b;
    FAIL("no blob " << name);
    return image.blobs.front();
  };
  for (std::size_t n = 0; n < image.tasks.size(); ++n) {
    auto& task = image.tasks[n];
    if (task.interface != emit::loadable_code::dla1) continue;
    const auto stem = "task-" + std::to_string(n);
    const auto& graph = blob(stem + "-dep_graph").data;
    auto& surfaces = blob(stem + "-surf_list");
    const auto operations = surfaces.data.size() / bytes;
    std::vector<std::uint8_t> old(surfaces.data.size(), std::uint8_t{0});
    for (std::size_t i = 0; i < operations; ++i) {
      const auto* from = surfaces.data.data() + i * bytes;
      auto* to = old.data() + i * bytes;
      const auto count = cubes[graph.at(i * 36 + 3)];
      for (std::size_t c = 0; c < count; ++c, from += 32, to += 28) {
        std::int16_t address = 0;
        std::uint32_t offset = 0;
        std::memcpy(&address, from + 2, 2);
        std::memcpy(&offset, from + 4, 4);
        if (address >= 0 && offset != 0) {
          auto entry = image.addresses[task.addresses[static_cast<std::size_t>(address)]];
          entry.offset += offset;
          entry.size -= offset;
          address = static_cast<std::int16_t>(task.addresses.size());
          task.addresses.push_back(static_cast<std::uint16_t>(image.addresses.size()));
          image.addresses.push_back(entry);
        }
        std::memcpy(to, from, 2);
        std::memcpy(to + 2, &address, 2);
        std::memcpy(to + 4, from + 8, 24);
      }
      std::memcpy(to, from, bytes - count * 32);
    }
    surfaces.data = std::move(old);
    surfaces.version = {0, 11, 0};
  }
  return image;
}

}  // namespace

TEST_CASE("descriptors of the firmware's older interfaces, without offsets, run as the newer do") {
  const auto image = emit::loadable_lists(example::digits<nv_small>());
  const auto old = without_offsets(image);
  CHECK(old.addresses.size() > image.addresses.size());
  runtime::session<nv_small> now(image), before(old);
  for (unsigned seed = 4; seed < 7; ++seed) {
    const auto in = now.pack(0, random_tensor({8, 6, 6}, seed));
    CHECK(before.run({in}) == now.run({in}));
  }
}

TEST_CASE("a driver's firmware is not given descriptors of an older interface") {
  struct driver {
    emit::dma_address allocate(std::uint64_t size, bool dram) { return space.take(size, dram); }
    void load(const emit::dma_address&, std::span<const std::uint8_t>) {}
    void fetch(const emit::dma_address&, std::span<std::uint8_t>) {}
    void submit(std::span<const emit::dma_address>, std::chrono::milliseconds) {}
    emit::address_space space{32};
  };
  using by_driver = runtime::session<nv_small, driver>;
  const auto image = emit::loadable_lists(example::digits<nv_small>());
  by_driver now(image, driver{});
  CHECK_THROWS_WITH_AS(by_driver(without_offsets(image), driver{}),
                       doctest::Contains("before version 0.12"), error);
}

TEST_CASE("descriptors of a version that was never public are refused by it") {
  auto image = emit::loadable_lists(example::digits<nv_small>());
  for (auto& b : image.blobs)
    if (b.name == "task-0-surf_list") b.version = {0, 9, 0};
  const auto message = [&] {
    try {
      runtime::session<nv_small> r(image);
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  }();
  CHECK(message.find("'task-0-surf_list' are of version 0.9.0") != std::string::npos);
}
