// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <iomanip>
#include <string>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/report/location.hpp>
#include <nvdlac/verify/location.hpp>

namespace nvdlac::report {

namespace detail {

NVDLAC_IMPL std::string place_of(std::size_t element, net::shape s) {
  const auto w = static_cast<std::size_t>(s.w), h = static_cast<std::size_t>(s.h);
  return text("(c ", element / (h * w), ", y ", element / w % h, ", x ", element % w, ')');
}

}  // namespace detail

NVDLAC_IMPL std::string to_text(const verification::location& l,
                                const std::filesystem::path& directory) {
  if (!l.first)
    return text("no difference", l.runs > 1 ? text(" in ", l.runs, " runs") : "", ": ",
                count_of(l.compared, "tensor"), l.compared == 1 ? " agrees" : " agree",
                l.without != 0 ? text(", ", l.without, " without a dump") : "", '\n');
  const auto& d = *l.first;
  auto s = text(l.runs > 1 ? text("in run ", l.runs, ": ") : "", d.input ? "input '" : "layer '",
                d.layer, "' differs in ", d.count, " of ", d.of,
                d.picture ? " bytes" : " elements", ", first at ",
                d.picture ? text("byte ", d.element) : detail::place_of(d.element, d.shape), ": ",
                d.expected, " expected, ", d.found, " found\n  ",
                directory.empty() ? "" : text((directory / d.file).string(), ": "), d.shape, " (",
                hw::name_of(d.precision), "), tensor ", d.number, " of ", l.tensors, '\n');
  if (d.input) s += "  the device was given something else\n";
  if (!d.cause.empty()) s += text("  ", d.cause, '\n');
  if (l.alone)
    s += text("  with one layer at a time ",
              l.alone->number == d.number ? text("as well")
              : l.alone->number != 0
                  ? text('\'', l.alone->layer, "' is the first that differs")
                  : text("nothing differs: it comes and goes, or takes two layers at once"),
              '\n');
  if (l.without != 0)
    s += text("  ", count_of(l.without, "tensor"),
              " before it without a dump may differ as well\n");
  return s;
}

NVDLAC_IMPL std::string registers_to_text(const verification::location& l) {
  if (!l.first || l.first->registers.empty()) return {};
  text_stream s;
  s << "\nRegisters of '" << l.first->layer << "', the same in both groups\n" << std::hex
    << std::setfill('0');
  for (const auto& r : l.first->registers)
    s << "  0x" << std::setw(5) << r.address << "  0x" << std::setw(8) << r.value << "  "
      << r.meaning << '\n';
  return s.str();
}

}  // namespace nvdlac::report
