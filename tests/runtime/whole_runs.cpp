// SPDX-License-Identifier: Apache-2.0
// Signals that come in the middle of a run on a device.
#include <algorithm>
#include <csignal>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include <signal.h>

#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/runtime/session.hpp>
#include <nvdlac/runtime/whole_runs.hpp>

#include "emit/example.hpp"

using namespace nvdlac;

namespace {

volatile std::sig_atomic_t terminated = 0, terminated_while_running = 0;

// A simulator whose user ends the program whenever a register is read, once it is made.
struct interrupted : runtime::simulated<nv_small> {
  interrupted() : simulated(sim::settings{}) {}
  std::uint32_t read(std::uint32_t address) {
    if (is_made) {
      const int before = terminated;
      ::raise(SIGTERM);
      ::raise(SIGHUP);
      if (terminated != before) terminated_while_running = 1;
    }
    return runtime::simulated<nv_small>::read(address);
  }
  // As a device whose memory is mapped.
  std::span<std::uint8_t> view(const emit::dma_address& at, std::uint64_t size) {
    auto& bytes = mapped[at.address];
    bytes.resize(static_cast<std::size_t>(size));
    return bytes;
  }
  void flush(const emit::dma_address& at, std::uint64_t size) { load(at, view(at, size)); }
  void drop(const emit::dma_address& at, std::uint64_t size) { fetch(at, view(at, size)); }

  std::map<std::uint64_t, std::vector<std::uint8_t>> mapped{};
  static inline bool is_made = false;
};

// The action of a signal for as long as the object lives.
class action_for {
 public:
  action_for(int signal, void (*handler)(int)) : signal_(signal) {
    struct sigaction now {};
    now.sa_handler = handler;
    ::sigaction(signal, &now, &before_);
  }
  ~action_for() { ::sigaction(signal_, &before_, nullptr); }
  action_for(const action_for&) = delete;
  action_for& operator=(const action_for&) = delete;

 private:
  int signal_;
  struct sigaction before_ {};
};

std::unique_ptr<runtime::any_session> session() {
  const auto image = emit::read_loadable(emit::loadable(example::digits<nv_small>()), {});
  return runtime::whole_runs(
      std::make_unique<runtime::session<nv_small, interrupted>>(image, interrupted()));
}

std::vector<quantised::feed> input() {
  const auto bytes = example::noise(8 * 6 * 6, 1);
  return {net::int8_tensor{{8, 6, 6}, {bytes.begin(), bytes.end()}}};
}

}  // namespace

TEST_CASE("a signal in the middle of a run comes behind it, and ignored ones never") {
  terminated = 0;
  const action_for term(SIGTERM, [](int) { terminated = terminated + 1; });
  const action_for hup(SIGHUP, SIG_IGN);
  const auto on = session();
  interrupted::is_made = true;
  const auto out = on->infer_any(input());
  CHECK(terminated == 1);
  runtime::session<nv_small> alone(emit::loadable(example::digits<nv_small>()));
  CHECK((out == alone.infer_any(input())));
  (void)on->record(input());
  CHECK(terminated == 2);
  (void)on->run(on->pack(input()));
  CHECK(terminated == 3);
  (void)on->measure(input());
  CHECK(terminated == 4);
  std::mutex device;
  CHECK((on->unpack(on->run_in_set(0, device, on->pack(input()))) == out));
  CHECK(terminated == 5);
  CHECK(terminated_while_running == 0);
}

TEST_CASE("so does one in the middle of a run in place") {
  interrupted::is_made = false;
  terminated = 0;
  terminated_while_running = 0;
  const action_for term(SIGTERM, [](int) { terminated = terminated + 1; });
  const action_for hup(SIGHUP, SIG_IGN);
  const auto on = session();
  interrupted::is_made = true;
  runtime::session<nv_small> alone(emit::loadable(example::digits<nv_small>()));
  const auto packed = alone.pack(input());
  const auto in = on->input_memory(0);
  REQUIRE(in.size() == packed.at(0).size());
  std::ranges::copy(packed[0], in.begin());
  on->run_in_place();
  CHECK(terminated == 1);
  CHECK(terminated_while_running == 0);
  CHECK(std::ranges::equal(on->output_memory(0), alone.run(packed).at(0)));
}

TEST_CASE("signals wait for the last of those who defer them") {
  terminated = 0;
  const action_for term(SIGTERM, [](int) { terminated = terminated + 1; });
  {
    const runtime::signals_deferred outer;
    {
      const runtime::signals_deferred inner;
      CHECK(!runtime::signals_deferred::is_awaited());
      ::raise(SIGTERM);
    }
    CHECK(terminated == 0);
    CHECK(runtime::signals_deferred::is_awaited());
  }
  CHECK(terminated == 1);
  CHECK(!runtime::signals_deferred::is_awaited());
  ::raise(SIGTERM);
  CHECK(terminated == 2);
}
