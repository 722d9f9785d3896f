// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/fields.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/text_stream.hpp>
#include <nvdlac/cost/timeline.hpp>
#include <nvdlac/explore.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/report/explored.hpp>

namespace nvdlac::report {

NVDLAC_IMPL std::string to_csv(const explored& a) {
  text_stream out;
  out << "point,macs_channels,macs_kernels,atom_bytes,cbuf_banks,cbuf_bytes,dram_bits,sram_bits,"
         "cycles,runs_per_second,limited_by,bytes_read,bytes_written,feature_bytes,weight_bytes,"
         "estimated_square_micrometres,estimated_nanojoules,base,front,outlined,refused";
  std::vector<std::string> members;
  for (const auto& r : a.ranges)
    if (r.member != "cbuf_banks") members.push_back(r.member);  // which is there already
  for (const auto& member : members) out << ',' << escape::csv(member);
  if (a.networks.size() > 1)
    for (const auto& name : a.networks) out << ',' << escape::csv("cycles of " + name);
  out << '\n';
  for (std::size_t n = 0; n < a.together.size(); ++n) {
    const auto& p = a.together[n];
    const auto& s = p.spec;
    out << n << ',' << s.mac_atomic_c << ',' << s.mac_atomic_k << ',' << s.memory_atom << ','
        << s.cbuf_banks << ',' << s.cbuf().n << ',' << s.dram.width_bits << ','
        << s.sram.width_bits << ',' << p.totals.cycles << ','
        << p.totals.runs_per_second(a.megahertz) << ',' << cost::name_of(p.totals.limited_by) << ','
        << p.totals.read << ','
        << p.totals.written << ',' << p.features << ',' << p.weights << ','
        << p.area << ',' << p.energy << ','
        << (s == a.start ? "yes" : "no") << ',' << (p.on_front ? "yes" : "no") << ','
        << (p.outlined ? "yes" : "no") << ','
        << escape::csv(p.refused);
    for (const auto& member : members) out << ',' << explore::value_of(s, member);
    if (a.networks.size() > 1)
      for (const auto& own : a.each) out << ',' << own[n].totals.cycles;
    out << '\n';
  }
  return out.str();
}

NVDLAC_IMPL std::string struct_of(std::size_t n, const hw::spec& s) {
  auto out = text("struct explored_", n, " {\n  static constexpr nvdlac::hw::spec spec{\n");
  visit_fields(s, [&](const auto& f, const auto& value) {
    out += text("      .", f.name, " = ");
    if constexpr (requires { value == hw::register_map::full; })
      out += text("nvdlac::hw::register_map::",
                  value == hw::register_map::full ? "full" : "small");
    else out += in_braces(value);
    out += ",\n";
  });
  return out + text("  };\n};\nstatic_assert(nvdlac::hw::validated<explored_", n, ">);\n");
}

NVDLAC_IMPL std::string header_of(const std::vector<explore::point>& points) {
  std::string all(head_of_explored);
  for (std::size_t n = 0; n < points.size(); ++n)
    if (points[n].on_front) all += '\n' + struct_of(n, points[n].spec);
  return all;
}

}  // namespace nvdlac::report
