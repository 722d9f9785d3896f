// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/runtime/board_steps.hpp>
#include <nvdlac/runtime/uio_trace.hpp>

namespace nvdlac::runtime {

NVDLAC_IMPL std::vector<emit::file> uio_trace(const board_steps& p, const std::string& name) {
  const auto hex = [](std::uint64_t v) { return text("0x", std::hex, v); };
  text_stream s;
  s << "#!/bin/sh\n# " << escape::line(p.network) << " for " << escape::line(p.config)
    << ", written by nvdlac: a program of " << p.steps.size() << " steps.\n#\nneeded=" << p.memory
    << '\n' << detail::uio_player;
  for (const auto& step : p.steps) {
    word_stream remarks(step.remark);
    for (std::string line; std::getline(remarks, line);) s << "# " << line << '\n';
    using kind = board_step::kind;
    switch (step.what) {
      case kind::write: s << "write " << hex(step.reg) << ' ' << hex(step.value); break;
      case kind::address:
        s << "address " << hex(step.reg) << ' ' << hex(step.high) << ' ' << hex(step.value);
        break;
      case kind::poll:
        s << "poll " << hex(step.reg) << ' ' << hex(step.mask) << ' ' << hex(step.value);
        break;
      case kind::wait_done: s << "wait_done " << hex(step.reg) << ' ' << hex(step.mask); break;
      case kind::load:
        s << "load " << hex(step.value) << ' ' << detail::shell_word(p.files[step.file].name);
        break;
      case kind::check:
        s << "check " << hex(step.value) << ' ' << p.files[step.file].bytes.size() << ' '
          << detail::shell_word(p.files[step.file].name);
        break;
    }
    if (!step.meaning.empty()) s << "  # " << step.meaning;
    s << '\n';
  }
  s << "exit \"$different\"\n";
  const auto script = s.str();
  std::vector<emit::file> all{{name, {script.begin(), script.end()}}};
  for (const auto& f : p.files) all.push_back({f.name, f.bytes});
  return all;
}

}  // namespace nvdlac::runtime
