// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/forwarding_session.hpp>
#include <nvdlac/runtime/pool.hpp>
#include <nvdlac/runtime/session.hpp>

#include "emit/example.hpp"
#include "problem_of.hpp"

using namespace nvdlac;

namespace {

const emit::loadable_image& image() {
  static const auto bytes = emit::loadable(example::digits<nv_small>());
  static const auto read = emit::read_loadable(bytes, {});
  return read;
}

// A simulator of which a run takes some time, as on hardware.
struct slow : runtime::simulated<nv_small> {
  slow() : simulated(sim::settings{}) {}
  bool wait(std::chrono::milliseconds t) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return runtime::simulated<nv_small>::wait(t);
  }
  std::uint32_t read(std::uint32_t address) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return runtime::simulated<nv_small>::read(address);
  }
};

std::vector<std::unique_ptr<runtime::any_session>> slow_ones(int count) {
  std::vector<std::unique_ptr<runtime::any_session>> all;
  for (int i = 0; i < count; ++i)
    all.push_back(std::make_unique<runtime::session<nv_small, slow>>(image(), slow()));
  return all;
}

// A session that tells when it runs and when it has packed.
class observed final : public runtime::forwarding_session {
 public:
  observed(std::function<void()> runs, std::function<void()> has_packed)
      : observed(std::make_unique<runtime::session<nv_small>>(image()), std::move(runs),
                 std::move(has_packed)) {}

  memories pack(const std::vector<quantised::feed>& in) const override {
    auto packed = session().pack(in);
    has_packed_();
    return packed;
  }
  memories run(const memories& in) override {
    runs_();
    return session().run(in);
  }

 private:
  observed(std::unique_ptr<runtime::any_session> s, std::function<void()> runs,
           std::function<void()> has_packed)
      : forwarding_session(*s), owned_(std::move(s)), runs_(std::move(runs)),
        has_packed_(std::move(has_packed)) {}

  std::unique_ptr<runtime::any_session> owned_;
  std::function<void()> runs_, has_packed_;
};

// A simulator that may be loaded while it runs: a run of it waits until that has happened.
struct loaded_meanwhile {
  struct state {
    std::mutex mutex{};
    std::condition_variable changed{};
    runtime::simulated<nv_small> chip{sim::settings{}};
    std::uint64_t left = 1 << 20;  // of its memory
    int loads = 0;
    int awaited = 0;  // loads before a run goes on
    bool came = false;
  };
  std::shared_ptr<state> s = std::make_shared<state>();

  static bool loads_beside_runs() { return true; }
  emit::dma_address allocate(std::uint64_t size, bool dram) {
    if (size > s->left) throw error("has too little memory");
    s->left -= size;
    return s->chip.allocate(size, dram);
  }
  void load(const emit::dma_address& at, std::span<const std::uint8_t> from) {
    const std::lock_guard lock(s->mutex);
    s->chip.load(at, from);
    ++s->loads;
    s->changed.notify_all();
  }
  void fetch(const emit::dma_address& at, std::span<std::uint8_t> to) {
    const std::lock_guard lock(s->mutex);
    s->chip.fetch(at, to);
  }
  std::uint32_t read(std::uint32_t address) {
    std::unique_lock lock(s->mutex);
    const auto came = [&] { return s->loads >= s->awaited; };
    if (s->awaited != 0) s->came = s->changed.wait_for(lock, std::chrono::seconds(30), came);
    s->awaited = 0;
    return s->chip.read(address);
  }
  void write(std::uint32_t address, std::uint32_t value) {
    const std::lock_guard lock(s->mutex);
    s->chip.write(address, value);
  }
  bool wait(std::chrono::milliseconds time) {
    const std::lock_guard lock(s->mutex);
    return s->chip.wait(time);
  }
  void reset() { s->chip.reset(); }
};

std::vector<quantised::feed> input(unsigned seed) {
  const auto bytes = example::noise(8 * 6 * 6, seed);
  return {net::int8_tensor{{8, 6, 6}, {bytes.begin(), bytes.end()}}};
}

}  // namespace

TEST_CASE("runs of a pool give each its own result, whichever device was free") {
  runtime::session<nv_small> alone(image());
  runtime::pool all(slow_ones(3));
  CHECK(all.size() == 3);
  std::vector<std::future<runtime::pool::outputs>> results;
  for (unsigned seed = 0; seed < 12; ++seed) results.push_back(all.run(input(seed)));
  for (unsigned seed = 0; seed < 12; ++seed)
    CHECK(results[seed].get() == alone.infer_any(input(seed)));
}

TEST_CASE("what is wrong with one run reaches who has asked for it, and nobody else") {
  runtime::pool all(slow_ones(2));
  auto wrong = all.run({});
  auto right = all.run(input(1));
  CHECK_THROWS_AS(wrong.get(), error);
  CHECK(right.get().size() == 1);
}

TEST_CASE("a pool ends the runs that were begun") {
  std::future<runtime::pool::outputs> last;
  {
    runtime::pool all(slow_ones(1));
    for (unsigned seed = 0; seed < 3; ++seed) last = all.run(input(seed));
  }
  CHECK(last.get().size() == 1);
  CHECK_THROWS_AS(runtime::pool({}), error);
}

TEST_CASE("a pool runs one program, and refuses another one of the same name") {
  const auto session_of = [](bool with_other_weights, double scale = 1) {
    auto program = example::digits<nv_small>();
    for (auto& b : program.buffers)
      if (with_other_weights && !b.content.empty()) b.content.back() ^= 1;
    program.inputs.at(0).scale *= scale;
    return std::make_unique<runtime::session<nv_small>>(emit::loadable(program));
  };
  const auto pool_of = [](auto a, auto b) {
    std::vector<std::unique_ptr<runtime::any_session>> all;
    all.push_back(std::move(a));
    all.push_back(std::move(b));
    return runtime::pool(std::move(all)).size();
  };
  CHECK(pool_of(session_of(true), session_of(true)) == 2);
  const auto refused = problem_of([&] { pool_of(session_of(false), session_of(true)); });
  CHECK(has(refused.reason, "a pool runs one program, not two that are called '"));
  CHECK_THROWS_AS(pool_of(session_of(false), session_of(false, 2)), error);
}

TEST_CASE("a pool calls back behind a run, with what it gave or what was wrong") {
  runtime::session<nv_small> alone(image());
  std::promise<runtime::pool::outputs> right;
  std::promise<std::string> wrong;
  runtime::pool all(slow_ones(1));
  all.run(input(3), [&](std::future<runtime::pool::outputs> r) { right.set_value(r.get()); });
  all.run({}, [&](std::future<runtime::pool::outputs> r) {
    try {
      r.get();
    } catch (const error& e) {
      wrong.set_value(e.problems().front().reason);
    }
  });
  CHECK(right.get_future().get() == alone.infer_any(input(3)));
  CHECK(wrong.get_future().get() == "the network has 1 input, not 0");
}

TEST_CASE("the inputs of the next run are packed while a device runs") {
  std::mutex m;
  std::condition_variable changed;
  bool runs = false, is_packed = false;
  std::vector<std::unique_ptr<runtime::any_session>> one;
  one.push_back(std::make_unique<observed>([&] {  // in a run
    std::unique_lock lock(m);
    runs = true;
    changed.notify_all();
    CHECK(changed.wait_for(lock, std::chrono::seconds(30), [&] { return is_packed; }));
  }, [&] {  // behind packing
    const std::lock_guard lock(m);
    if (runs) is_packed = true;
    changed.notify_all();
  }));
  runtime::pool all(std::move(one));
  auto first = all.run(input(1));
  {
    std::unique_lock lock(m);
    changed.wait(lock, [&] { return runs; });
  }
  auto second = all.run(input(2));
  CHECK(first.get().size() == 1);
  CHECK(second.get().size() == 1);
}

TEST_CASE("the inputs of the next run are on the device while it runs, if there is room") {
  runtime::session<nv_small> alone(image());
  for (const bool has_room : {true, false}) {
    CAPTURE(has_room);
    const loaded_meanwhile device;
    std::vector<std::unique_ptr<runtime::any_session>> one;
    one.push_back(
        std::make_unique<runtime::session<nv_small, loaded_meanwhile>>(image(), device));
    if (!has_room) device.s->left = 300;  // of the input's 288 bytes and the output's
    runtime::pool all(std::move(one));
    const auto& sets = all.sets(0);
    CHECK(sets.count == (has_room ? 2 : 1));
    const auto& session = all.session(0);
    const auto bytes = session.inputs()[0].size + session.outputs()[0].size;
    CHECK(sets.bytes == (has_room ? bytes : 0));
    CHECK(has(sets.reason, "too little memory") == !has_room);
    if (has_room) device.s->awaited = device.s->loads + 2;  // its own input, and the next one's
    std::vector<std::future<runtime::pool::outputs>> results;
    for (unsigned seed = 0; seed < 20; ++seed) results.push_back(all.run(input(seed)));
    for (unsigned seed = 0; seed < 20; ++seed)
      CHECK(results[seed].get() == alone.infer_any(input(seed)));
    CHECK(device.s->came == has_room);
  }
  runtime::pool others(slow_ones(1));
  CHECK(others.sets(0).count == 1);
  CHECK(has(others.sets(0).reason, "does not say"));
}
