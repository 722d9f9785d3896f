// SPDX-License-Identifier: Apache-2.0
#include "settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace nvdlac::board {

namespace {

[[noreturn]] void reject(const char* variable, const std::string& word) {
  std::fprintf(stderr, "%s: '%s' is unknown to the simulated board\n", variable, word.c_str());
  _exit(2);
}

// Calls f(key, numbers) for each word of the variable; false: it does not know it.
template <class F>
void each_word(const char* variable, F f) {
  const char* const value = std::getenv(variable);
  std::string_view rest = value == nullptr ? "" : value;
  while (!rest.empty()) {
    const std::string word(rest.substr(0, rest.find(',')));
    rest.remove_prefix(word.size() == rest.size() ? rest.size() : word.size() + 1);
    const auto key = word.substr(0, word.find('='));
    std::uint64_t numbers[3]{};
    const char* at = word.c_str() + key.size();
    for (auto& n : numbers)
      if (*at != '\0') {
        char* end = nullptr;
        n = std::strtoull(at + 1, &end, 0);
        at = end;
      }
    if (*at != '\0' || !f(key, numbers)) reject(variable, word);
  }
}

}  // namespace

settings settings::of_environment() {
  settings s;
  const auto yes = [](bool& what) { return what = true; };
  each_word("NVDLAC_SHIM", [&](const std::string& key, const std::uint64_t* n) {
    if (key == "nv_small") return true;
    if (key == "nv_large") return yes(s.large);
    if (key == "devices") s.devices = static_cast<unsigned>(n[0]);
    else if (key == "size") s.size = n[0];
    else if (key == "layer") s.layer = n[0];
    else if (key == "coherent") s.coherent = true;
    else if (key == "uncached") s.uncached = true;
    else if (key == "older") s.older = true;
    else return false;
    return true;
  });
  each_word("NVDLAC_SHIM_FAULT", [&](const std::string& key, const std::uint64_t* n) {
    if (key == "lost") s.lost = n[0];
    else if (key == "late") s.late = n[0];
    else if (key == "silent") s.silent = true;
    else if (key == "no-interrupt") s.no_interrupt = true;
    else if (key == "short") s.short_of = n[0];
    else if (key == "high") s.high = true;
    else if (key == "unaligned") s.unaligned = true;
    else if (key == "caches") s.caches = true;
    else if (key == "flip") s.flip = bit{n[0], n[1], n[2]};
    else if (key == "beside") s.beside = true;
    else if (key == "every") s.every = n[0];
    else if (key == "kill") s.kill = n[0];
    else return false;
    return true;
  });
  return s;
}

}  // namespace nvdlac::board
