// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/escape.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/report/provenance.hpp>

namespace nvdlac::report {

NVDLAC_IMPL std::string maker_of(const emit::provenance& p) {
  return text(escape::line(p.version),
              p.commit.empty() ? "" : text(" (", escape::line(p.commit), ')'));
}

NVDLAC_IMPL std::string to_text(const emit::provenance& p) {
  if (p.empty()) return "nothing is noted of what it was made from\n";
  const auto line = [](std::string what, const std::string& said) {
    constexpr std::size_t width = 13;
    what.resize(std::max(what.size(), width), ' ');
    return what + said + '\n';
  };
  std::string all = line("made by", "nvdlac " + maker_of(p));
  for (const auto& s : p.sources)
    all += line(escape::line(s.role),
                text("SHA-256 ", s.sha256.hex(),
                     s.role == "calibration" ? text(" of the values of ",
                                                    count_of(s.count, "input"))
                     : s.count != 1          ? text(" of ", count_of(s.count, "file")) : ""));
  for (const auto& o : p.options)
    all += line(&o == &p.options.front() ? "options" : "", escape::line(o));
  return all;
}

}  // namespace nvdlac::report
