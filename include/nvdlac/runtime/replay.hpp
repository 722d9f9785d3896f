// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/crc.hpp>

#include <nvdlac/runtime/trace.hpp>
#include <nvdlac/runtime/workload.hpp>
#include <nvdlac/sim/device.hpp>
#include <nvdlac/sim/device_state.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::runtime {

// An expectation of a trace that did not hold.
struct difference {
  std::size_t line = 0;
  std::string what;
};

struct replay_options {
  sim::settings settings = {.timing = sim::timing::warn};
  // Takes what mem_dump writes: the name of the file, and its bytes. Without it nothing is dumped.
  std::function<void(const std::string&, std::vector<std::uint8_t>)> on_dump{};
  // Takes what the device tolerates: the line of the trace, and the broken rule.
  std::function<void(std::size_t, const std::string&)> on_warning{};
  std::function<void(const sim::layer_record&)> on_layer{};  // after each executed layer
};

// Runs a register trace on the simulator and compares what it expects.

// One run of a trace on one device.
template <hw::hardware Hw>
class replayer {
 public:
  replayer(const trace& t, const replay_options& o) : trace_(t), options_(o), device_(o.settings) {
    if (t.config != hw::name<Hw>())
      throw error(problem{.file = t.name, .reason = text("is of the configuration ", t.config,
                                                         ", not of ", hw::name<Hw>())});
    if (t.has_glb_base && t.glb_base != glb)
      throw error(problem{.file = t.name, .reason = text("glb_base is 0x", std::hex, glb,
                                                         " in this configuration")});
    try {
      o.settings.check_work(operations_of<Hw>(t));
    } catch (const error& e) {
      auto problems = e.problems();
      problems.front().file = t.name;
      throw error(std::move(problems));
    }
    device_.on_layer(o.on_layer);
  }

  // The differences in the order of the trace. A program that the device refuses is an
  // nvdlac::error with file and line.
  std::vector<difference> run() {
    for (const auto& c : trace_.commands) try {
        execute(c);
        for (const auto& w : device_.take_warnings())
          if (options_.on_warning) options_.on_warning(c.line, w);
      } catch (const error& e) {
        auto problems = e.problems();
        for (auto& p : problems) {
          p.file = trace_.name;
          p.line = c.line;
        }
        throw error(problems);
      }
    return std::move(differences_);
  }

  sim::device<Hw>& device() { return device_; }

 private:
  static constexpr auto map = Hw::spec.map;
  static constexpr std::uint32_t status = hw::address<map, "GLB.S_INTR_STATUS">;
  static constexpr std::uint32_t glb = status - 0xc;

  template <class... Args>
  void differ(const trace_command& c, const Args&... what) {
    differences_.push_back({c.line, text(what...)});
  }

  void execute(const trace_command& c) {
    auto& ram = c.cvsram ? device_.cvsram() : device_.dram();
    sim::require(!c.cvsram || Hw::spec.has_sram(), "cvsram", "this configuration has no CVSRAM");
    const auto address = static_cast<std::uint32_t>(c.address);
    switch (c.what) {
      using enum trace_command::kind;
      case mem_fill:
        check_size(c);
        return device_.host_fill(ram, c.address, c.size, static_cast<std::uint8_t>(c.value));
      case mem_load:
        return device_.host_write(ram, c.address,
                                  std::span(trace_.files.at(c.file))
                                      .subspan(static_cast<std::size_t>(c.offset),
                                               static_cast<std::size_t>(c.size)));
      case reg_write:
        if (address == status) read_ &= ~c.value;
        return device_.write(address, c.value);
      case reg_read:
        if (const auto v = device_.read(address); ((v ^ c.value) & c.mask) != 0)
          differ(c, hw::describe(map, address, v), " instead of ",
                 hw::describe(map, address, c.value));
        else
          see(c, address);
        return;
      case reg_poll: return poll(c, address);
      case wait_done: return wait(c);
      case wait_irq:
        if (!device_.run_until_interrupt()) return differ(c, "no interrupt", still_waiting());
        return see_interrupt();
      case mem_check: return check(c, ram);
      case mem_crc: return check_crc(c, ram);
      case mem_dump: return dump(c, ram);
    }
  }

  // The device has finished all that it can when a write returns: what does not hold after one
  // more run will never hold.
  void poll(const trace_command& c, std::uint32_t address) {
    do {
      if (((device_.read(address) ^ c.value) & c.mask) == 0) return see(c, address);
    } while (device_.run());
    differ(c, hw::describe(map, address, device_.read(address)), " never becomes ",
           hw::describe(map, address, c.value), still_waiting());
  }

  void wait(const trace_command& c) {
    std::uint32_t seen = 0;
    do {
      const auto now = device_.read(status) & c.mask;
      if (now != 0) device_.write(status, now);
      seen |= now;
    } while (seen != c.mask && device_.run());
    device_.observe(seen & ~read_);
    read_ &= ~seen;
    if (seen != c.mask)
      differ(c, "the interrupts 0x", std::hex, c.mask & ~seen, " never come", still_waiting());
  }

  // The program has read what it expects; interrupts count once, however often they are read
  // before they are cleared.
  void see(const trace_command& c, std::uint32_t address) {
    const auto* const r = hw::find(map, address);
    if (r != nullptr && r->name == "S_STATUS") device_.observe_idle(*r, c.mask & ~c.value);
    if (address != status) return;
    const auto now = c.value & c.mask;
    device_.observe(now & ~read_);
    read_ |= now;
  }

  // The interrupt line is raised: by one of those that are not masked, which may be the only one.
  void see_interrupt() {
    const auto mask = device_.read(hw::address<map, "GLB.S_INTR_MASK">);
    const auto first = device_.first_of(device_.read(status) & ~mask & ~read_);
    device_.observe(first);
    read_ |= first;
  }

  std::string still_waiting() const {
    device_.require_turns();
    const auto units = device_.waiting();
    return units.empty() ? "" : "; enabled units that wait for others: " + units;
  }

  void check_size(const trace_command& c) const {
    sim::require(c.size <= options_.settings.memory, "memory", "a region of ", c.size,
            " bytes is beyond the limit (--limit memory=", c.size, " raises it, in C++ "
            "budget::memory)");
  }

  std::vector<std::uint8_t> bytes(const sim::memory& ram, std::uint64_t at, std::uint64_t size) {
    std::vector<std::uint8_t> v(static_cast<std::size_t>(size));
    device_.host_read(ram, at, v);
    return v;
  }

  void check(const trace_command& c, const sim::memory& ram) {
    const auto& expected = trace_.files.at(c.file);
    const auto is = bytes(ram, c.address, expected.size());
    std::size_t first = is.size(), count = 0;
    for (std::size_t i = is.size(); i-- > 0;)
      if (is[i] != expected[i]) {
        first = i;
        ++count;
      }
    if (count != 0)
      differ(c, called(c), count, " of ", is.size(), " bytes differ from ", c.file, ", first 0x",
             std::hex, c.address + first, ": 0x", +is[first], " instead of 0x", +expected[first]);
  }

  // The trace's words on the memory, in the first line before the command: "output 'prob'".
  std::string called(const trace_command& c) const {
    auto remark = remark_of(trace_, c);
    remark.resize(std::min(remark.find('\n'), remark.size()));
    return remark.empty() ? remark : remark + ": ";
  }

  void check_crc(const trace_command& c, const sim::memory& ram) {
    boost::crc_32_type crc;
    constexpr std::uint64_t step = std::uint64_t{1} << 20;
    for (std::uint64_t at = 0; at < c.size; at += step) {
      const auto part = bytes(ram, c.address + at, std::min(step, c.size - at));
      crc.process_bytes(part.data(), part.size());
    }
    if (crc.checksum() != c.value)
      differ(c, called(c), "the CRC of 0x", std::hex, c.size, " bytes at 0x", c.address, " is 0x",
             crc.checksum(), " instead of 0x", c.value);
  }

  void dump(const trace_command& c, const sim::memory& ram) {
    if (!options_.on_dump) return;
    check_size(c);
    options_.on_dump(c.file, bytes(ram, c.address, c.size));
  }

  const trace& trace_;
  replay_options options_;
  sim::device<Hw> device_;
  std::vector<difference> differences_;
  std::uint32_t read_ = 0;  // interrupts that the program has read and not cleared
};

// Runs the trace on a fresh device of its configuration, which must be Hw. Throws nvdlac::error.
template <hw::hardware Hw>
std::vector<difference> replay(const trace& t, const replay_options& o = {}) {
  return replayer<Hw>(t, o).run();
}

template <hw::hardware Hw>
std::vector<difference> replay(const std::filesystem::path& path, const replay_options& o = {}) {
  return replay<Hw>(read_trace(path), o);
}

}  // namespace nvdlac::runtime
