// SPDX-License-Identifier: Apache-2.0
// nvdlac explore: which configurations of a range are the best for a network.
#include <charconv>
#include <iostream>
#include <memory>
#include <sstream>

#include <CLI/CLI.hpp>

#include <nvdlac/base/escape.hpp>
#include <nvdlac/explore.hpp>
#include <nvdlac/report/table.hpp>

#include "commands.hpp"
#include "outputs.hpp"
#include "preparation.hpp"
#include "progress.hpp"
#include "threads.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

struct explore_arguments {
  model_options model{};
  std::vector<std::string> ranges{};
  std::string table{}, header{};
  std::uint32_t threads = 1;
};

// "cbuf_banks=8,16,32"
explore::range parse_range(const std::string& given) {
  const auto equals = given.find('=');
  const auto fail = [&] {
    return usage_error("--range '" + given + "' is not MEMBER=N,N,.. with whole numbers");
  };
  if (equals == given.npos) throw fail();
  explore::range r{.member = given.substr(0, equals)};
  std::istringstream values(given.substr(equals + 1));
  for (std::string word; std::getline(values, word, ',');) {
    std::uint32_t value = 0;
    const auto [end, why] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (why != std::errc() || end != word.data() + word.size()) throw fail();
    r.values.push_back(value);
  }
  return r;
}

std::vector<std::string> row_of(std::size_t n, const explore::point& p) {
  const auto [cycles, macs, cbuf, width] = explore::objectives(p);
  std::vector<std::string> row{text(n), text(p.spec.mac_atomic_c, 'x', p.spec.mac_atomic_k),
                               text(p.spec.memory_atom), text(p.spec.cbuf_banks),
                               text(cbuf / 1024), text(width)};
  if (p.refused.empty())
    for (const auto number : {cycles, p.totals.read, p.totals.written, p.features})
      row.push_back(text(number));
  return row;
}

void print_front(std::ostream& out, const std::vector<explore::point>& points) {
  report::table t({{"point", true}, {"MACs", true}, {"atom", true}, {"banks", true},
                   {"CBUF KiB", true}, {"bus bits", true}, {"cycles", true}, {"bytes read", true},
                   {"written", true}, {"features", true}});
  for (std::size_t n = 0; n < points.size(); ++n)
    if (points[n].on_front) t.add(row_of(n, points[n]));
  out << t.print();
}

// A line of comma-separated values for each point.
std::string csv_of(const std::vector<explore::point>& points) {
  std::ostringstream out;
  out << "point,macs_channels,macs_kernels,atom_bytes,cbuf_banks,cbuf_bytes,dram_bits,sram_bits,"
         "cycles,bytes_read,bytes_written,feature_bytes,weight_bytes,front,refused\n";
  for (std::size_t n = 0; n < points.size(); ++n) {
    const auto& p = points[n];
    const auto& s = p.spec;
    out << n << ',' << s.mac_atomic_c << ',' << s.mac_atomic_k << ',' << s.memory_atom << ','
        << s.cbuf_banks << ',' << s.cbuf().n << ',' << s.dram.width_bits << ','
        << s.sram.width_bits << ',' << p.totals.cycles << ',' << p.totals.read << ','
        << p.totals.written << ',' << p.features << ',' << p.weights << ','
        << (p.on_front ? "yes" : "no") << ',' << escape::csv(p.refused) << '\n';
  }
  return out.str();
}

// The configurations of the front as C++, for nvdlac_add_cli and programs.
std::string header_of(const std::vector<explore::point>& points) {
  std::ostringstream out;
  out << "#pragma once\n#include <nvdlac/hw/validate.hpp>\n";
  for (std::size_t n = 0; n < points.size(); ++n) {
    if (!points[n].on_front) continue;
    out << "\nstruct explored_" << n << " {\n  static constexpr nvdlac::hw::spec spec{\n";
    visit_fields(points[n].spec, [&](const auto& f, const auto& value) {
      out << "      ." << f.name << " = ";
      if constexpr (requires { value == hw::register_map::full; })
        out << "nvdlac::hw::register_map::"
            << (value == hw::register_map::full ? "full" : "small");
      else out << in_braces(value);
      out << ",\n";
    });
    out << "  };\n};\nstatic_assert(nvdlac::hw::validated<explored_" << n << ">);\n";
  }
  return out.str();
}

void run_explore(const explore_arguments& a, target_list targets) {
  if (a.model.configs.size() != 1)
    throw usage_error("name the one configuration that the ranges change: --config nv_small");
  std::vector<explore::range> ranges;
  for (const auto& given : a.ranges) ranges.push_back(parse_range(given));
  preparation from(a.model, targets);
  const auto specs = explore::configurations(from.targets().front()->spec(), ranges);
  output_set files(from.files());
  if (!a.table.empty()) files.plan("--output", a.table);
  if (!a.header.empty()) files.plan("--cpp", a.header);
  from.quantise({});

  progress_line line("predicting");
  const auto points = explore::predict(specs, from.network().integers, from.options(), a.threads,
                                       [&](std::size_t n, std::size_t all) { line(n, all); });
  line.clear();
  const auto count = [&](const auto& is) { return std::ranges::count_if(points, is); };
  if (count([](const auto& p) { return p.refused.empty(); }) == 0)
    throw error(text("none of ", points.size(), " configurations runs the network; of the first: ",
                     points.front().refused));
  if (!a.table.empty()) files.add("--output", a.table, csv_of(points));
  if (!a.header.empty()) files.add("--cpp", a.header, header_of(points));
  files.write();
  print_front(files.messages(), points);
  files.remarks() << points.size() << " legal configurations, "
                   << count([](const auto& p) { return !p.refused.empty(); })
                   << " of them cannot run the network, "
                   << count([](const auto& p) { return p.on_front; })
                   << " are on the front of cycles, MACs, CBUF and bus\n";
}

}  // namespace

void add_explore(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand("explore", "Predict a network on thousands of configurations");
  const auto a = std::make_shared<explore_arguments>();
  add_model_options(*sub, a->model);
  sub->add_option("--range", a->ranges,
                  "Values of a member of the configuration, as NVDLA's spec files and "
                  "nvdlac/hw/spec.hpp call it: mac_atomic_c=8,16,32; may be given several times. "
                  "All combinations that are legal are predicted")
      ->required()->type_name("MEMBER=N,N,..");
  add_threads(*sub, a->threads, a->model);
  const std::string outputs = "Outputs";
  sub->add_option("-o,--output", a->table, "Table of all of them, as CSV")
      ->check(check_output_name)->type_name("FILE")->group(outputs);
  sub->add_option("--cpp", a->header,
                  "The front as C++ structs explored_POINT, for nvdlac_add_cli and programs")
      ->check(check_output_name)->type_name("OUT.hpp")->group(outputs);
  sub->footer(
      "Cycles are those of the schedule's model, see docs/performance.md; it was compared with the "
      "RTL of nv_small and nv_large. Printed is the front: configurations of which no other one "
      "has as few cycles, MACs, bytes of CBUF and bits of memory bus.\n"
      "Example:\n"
      "  nvdlac explore digits.onnx --config nv_small --calibration pictures/ \\\n"
      "      --range mac_atomic_c=8,16,32,64 --range mac_atomic_k=8,16,32 \\\n"
      "      --range cbuf_entry=8,16,32,64 --range cbuf_banks=8,16,32");
  sub->callback([=] { run_explore(*a, targets); });
}

}  // namespace nvdlac::cli
