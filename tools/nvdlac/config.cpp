// SPDX-License-Identifier: Apache-2.0
// nvdlac config: NVIDIA's definition of a configuration as a C++ type.
#include <iostream>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/emit/cpp_names.hpp>
#include <nvdlac/hw/configurations.hpp>
#include <nvdlac/hw/read_spec.hpp>
#include <nvdlac/report/table.hpp>

#include "commands.hpp"
#include "manner.hpp"
#include "outputs.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

struct config_arguments {
  std::string spec{}, output = "-", name{};
};

// A field of a configuration, and its value as C++ writes it.
using field_values = std::vector<std::pair<std::string, std::string>>;

template <class T>
std::string as_cpp(const T& value) {
  if constexpr (std::is_same_v<T, bool>) return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, hw::register_map>)
    return value == hw::register_map::full ? "nvdlac::hw::register_map::full"
                                           : "nvdlac::hw::register_map::small";
  else if constexpr (std::is_class_v<T>) {
    std::string s;
    T::fields([&](const char* name, auto member) {
      s += text(s.empty() ? "{." : ", .", name, " = ", as_cpp(value.*member));
    });
    return s + "}";
  } else return text(value);
}

field_values values_of(const hw::spec& s) {
  field_values all;
  hw::spec::fields([&](const char* name, auto member) {
    all.emplace_back(name, as_cpp(s.*member));
  });
  return all;
}

struct published_neighbour {
  std::string name;
  hw::spec spec{};
  std::size_t differences = 0;
};

// The published configuration with the fewest other values; of several the smaller one.
published_neighbour nearest_to(const hw::spec& s) {
  published_neighbour best;
  const auto own = values_of(s);
  for_each(hw::published{}, [&]<class Hw>(std::type_identity<Hw>) {
    const auto other = values_of(Hw::spec);
    std::size_t differences = 0;
    for (std::size_t i = 0; i < own.size(); ++i) differences += own[i] != other[i];
    if (best.name.empty() || differences < best.differences)
      best = {std::string(hw::name<Hw>()), Hw::spec, differences};
  });
  return best;
}

std::string type_header(const std::string& name, const hw::spec& s,
                        const published_neighbour& near) {
  std::string changes;
  const auto own = values_of(s), other = values_of(near.spec);
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i] != other[i]) changes += text("    s.", own[i].first, " = ", own[i].second, ";\n");
  return text("#pragma once\n#include <nvdlac/hw/configurations.hpp>\n\n// ", near.name,
              changes.empty() ? ".\n" : " but for what is changed here.\n", "struct ", name,
              " {\n  static constexpr nvdlac::hw::spec spec = [] {\n    auto s = nvdlac::",
              near.name, "::spec;\n", changes, "    return s;\n  }();\n};\nstatic_assert("
              "nvdlac::hw::validated<", name, ">);\n");
}

std::string difference_table(const hw::spec& s, const published_neighbour& near,
                             const std::string& name) {
  report::table t({{"field"}, {.title = near.name, .wraps = true},
                   {.title = name, .wraps = true}});
  const auto own = values_of(s), other = values_of(near.spec);
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i] != other[i]) t.add({own[i].first, other[i].second, own[i].second});
  return t.print(line_width());
}

void write_config(const config_arguments& a) {
  const auto name = a.name.empty() ? emit::global_identifier(fs::path(a.spec).stem().string())
                                   : a.name;
  if (!emit::is_identifier(name) || emit::is_taken_globally(name))
    throw usage_error(text("--name '", name, "' cannot be the name of a type"));
  output_set files({a.spec});
  files.plan("--output", a.output);
  data::file_stream in(a.spec);
  const auto given = hw::read_spec(in, a.spec);
  if (const char* const rule = hw::broken_rule(given.spec))
    throw error(problem{.file = a.spec,
                        .reason = std::string(rule).substr(std::string_view("nvdlac: ").size())});
  const auto near = nearest_to(given.spec);
  for (const auto& r : given.remarks) files.messages() << a.spec << ": note: " << r << '\n';
  files.messages() << name << (near.differences == 0 ? " is " : " is nearest to ") << near.name
                   << '\n';
  if (near.differences != 0) files.messages() << difference_table(given.spec, near, name);
  files.add("--output", a.output, type_header(name, given.spec, near));
  files.write();
}

}  // namespace

void add_config(CLI::App& app) {
  auto* sub = app.add_subcommand(
      "config", "Make a configuration's C++ type of NVIDIA's .spec file or project.h");
  const auto a = std::make_shared<config_arguments>();
  sub->add_option("SPEC", a->spec,
                  "A file of spec/defs of nvdla/hw, or the project.h that its build makes of it")
      ->required()->type_name("FILE");
  sub->add_option("-o,--output", a->output, "The header (default: the standard output)")
      ->check(check_output_name)->type_name("FILE");
  sub->add_option("--name", a->name, "What the type is called (default: as the file)")
      ->type_name("NAME");
  sub->footer(
      "Says what differs from the nearest published configuration. A CMake project makes its own\n"
      "command line of the header: nvdlac_add_cli(my_tool CONFIG my_soc.hpp TYPE my_soc).\n"
      "Example:\n"
      "  nvdlac config hw/spec/defs/my_soc.spec -o my_soc.hpp");
  sub->callback([=] { write_config(*a); });
}

}  // namespace nvdlac::cli
