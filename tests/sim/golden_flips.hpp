// SPDX-License-Identifier: Apache-2.0
#pragma once
// Tests the golden tests: one wrong bit in an input, a weight, an operand or a register is seen.
#include <set>

#include "golden.hpp"

namespace golden {

enum class outcome { same, different, refused };

template <hw::hardware Hw>
outcome run(const runtime::trace& t) {
  try {
    return hardware<Hw>().replay(t, {}).empty() ? outcome::same : outcome::different;
  } catch (const error&) {
    return outcome::refused;
  }
}

// The role of the bytes that a trace loads at an address, by the unit's address register of it.
template <hw::hardware Hw>
std::string role(const runtime::trace& t, std::uint64_t address) {
  for (const auto& c : t.commands) {
    if (c.what != runtime::trace_command::kind::reg_write || c.value != address) continue;
    const auto* r = hw::find(Hw::spec.map, static_cast<std::uint32_t>(c.address));
    if (r == nullptr || r->name.find("ADDR_LOW") == std::string_view::npos) continue;
    if (r->name.find("WEIGHT") != std::string_view::npos) return "weight";
    for (const auto* input : {"D_DAIN", "D_SRC", "CFG_SRC"})
      if (r->name.starts_with(input)) return "input";
    if (r->name.starts_with("D_WGS") || r->name.starts_with("D_WMB")) return "mask";
    if (r->unit == "SDP_RDMA") return "operand";
  }
  return "nothing";
}

// Tries bits at the start of a file and spread over it until one changes the result.
template <hw::hardware Hw>
bool sees_flip(runtime::trace& t, std::vector<std::uint8_t>& file) {
  for (std::size_t i = 0; i < 200; ++i)
    for (const int bit : {7, 6, 3}) {
      auto& byte = file[(i < 50 ? i : i * 7919 + 5) % file.size()];
      byte = static_cast<std::uint8_t>(byte ^ 1 << bit);
      const bool seen = run<Hw>(t) != outcome::same;
      byte = static_cast<std::uint8_t>(byte ^ 1 << bit);
      if (seen) return true;
    }
  return false;
}

template <hw::hardware Hw>
void check_flips(std::string_view folder) {
  for (const auto& path : traces(folder)) {
    CAPTURE(path.string());
    auto t = runtime::read_trace(path);
    REQUIRE(run<Hw>(t) == outcome::same);

    std::set<std::string> roles, seen;
    for (const auto& c : t.commands) {
      if (c.what != runtime::trace_command::kind::mem_load) continue;
      const auto what = role<Hw>(t, c.address);
      roles.insert(what);
      if (!seen.contains(what) && sees_flip<Hw>(t, t.files.at(c.file))) seen.insert(what);
    }
    roles.erase("nothing");
    seen.erase("nothing");
    CHECK(roles.contains("input"));
    for (const auto& what : roles) CHECK_MESSAGE(seen.contains(what), what);

    // Several of the registers must matter to the result and several to the rules.
    std::size_t different = 0, refused = 0;
    for (auto& c : t.commands) {
      if (c.what != runtime::trace_command::kind::reg_write) continue;
      const auto kept = c.value;
      for (const auto bit : {0u, 4u}) {
        c.value = kept ^ 1u << bit;
        const auto o = run<Hw>(t);
        different += o == outcome::different;
        refused += o == outcome::refused;
      }
      c.value = kept;
    }
    CHECK(different > 0);
    CHECK(refused > 0);
  }
}

}  // namespace golden
