// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the simulator answers a program that breaks a rule of the hardware. What the hardware does
// then is undefined for most rules: such a program is refused. For some it is defined: a strict
// device refuses the program too, a lenient one notes a warning and goes on as the hardware.
#ifdef __FAST_MATH__
#error "nvdlac's simulator is exact to the bit: compile without -ffast-math"
#endif
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/arithmetic/float_format.hpp>
#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>

namespace nvdlac::sim {

// The program broke a rule of `where` ("CDMA.D_BANK.DATA_BANK").
template <class... Args>
[[noreturn]] void refuse(std::string_view where, const Args&... rule) {
  throw error(problem{.reason = text(where, ": ", rule...)});
}

template <class... Args>
void require(bool holds, std::string_view where, const Args&... rule) {
  if (!holds) [[unlikely]] refuse(where, rule...);
}

// The rules that a program may break with a defined outcome, and where it did.
class tolerance {
 public:
  explicit tolerance(bool lenient = false) : lenient_(lenient) {}

  // Whether the rule holds. If not: strict, an nvdlac::error; lenient, a warning.
  template <class... Args>
  bool holds(bool rule, std::string_view where, const Args&... what) {
    if (rule) [[likely]] return true;
    if (!lenient_) refuse(where, what...);
    if (warnings_.size() < most) warnings_.push_back(text(where, ": ", what...));
    return false;
  }

  bool lenient() const { return lenient_; }

  // The warnings since the last call, at most `most`: "SDP.D_CVT_SHIFT: written while ...".
  std::vector<std::string> take_warnings() { return std::exchange(warnings_, {}); }

  static constexpr std::size_t most = 1000;

 private:
  bool lenient_;
  std::vector<std::string> warnings_;
};

// The treatment of a program that is right with some latencies of memories and host only
// (in_flight.hpp): nothing, as only the order of execution here counts; a warning; it is refused.
enum class timing : std::uint8_t { one, warn, refuse };

// How one simulator works, and how much it spends on one program before it calls it absurd.
struct settings {
  bool lenient = false;       // go on after a broken rule where the hardware's answer is defined
  sim::timing timing = sim::timing::one;  // of a program that is judged
  std::uint32_t threads = 1;  // that share a convolution; results do not depend on it
  // The value of bytes that nobody has written. A program that is right does not depend on it: 0xff
  // finds one that does, as that makes NaN of fp16 and -1 of integers.
  std::uint8_t unwritten = 0;
  // Limits.
  std::uint64_t memory = budget{}.memory;      // bytes written, for each memory
  std::uint64_t work = budget{}.work;          // of a trace, of one run of a loadable
  std::uint64_t macs = budget{}.macs;          // of one convolution
  std::uint64_t surface_elements = std::uint64_t{1} << 27;  // of one surface of any cube
  std::uint64_t elements = budget{}.elements;  // of any cube

  void limit_by(const budget& b) {
    memory = b.memory;
    work = b.work;
    macs = b.macs;
    elements = b.elements;
  }
  static settings limited_by(const budget& b) {
    settings s;
    s.limit_by(b);
    return s;
  }

  // Before anything of a program that asks for `operations` is run.
  void check_work(std::uint64_t operations) const {
    if (operations > work)
      throw error({.reason = text("a run makes ", operations, " multiplications, comparisons and "
                                  "copies, more than the limit of ", work),
                   .remedy = text("if that is meant, raise it: --limit work=", operations,
                                  ", in C++ budget::work")});
  }

  // One surface of width x height pixels of `lanes` elements, and `count` of them.
  void check(std::string_view where, std::uint64_t width, std::uint64_t height,
             std::uint64_t lanes, std::uint64_t count) const {
    const auto surface = width * height * lanes;
    require(surface <= surface_elements && surface * count <= elements, where, "a cube of ",
            count, " surfaces of ", width, "x", height,
            " pixels is beyond what the simulator is set to compute (sim::settings, "
            "--limit elements)");
  }
};

// fp16, fp17, fp32 and what they compute.
using namespace arithmetic;

}  // namespace nvdlac::sim
