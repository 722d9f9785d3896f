// SPDX-License-Identifier: Apache-2.0
// nvdlac locate: the first layer at which a device and the simulator disagree.
#include <cstring>
#include <filesystem>
#include <iostream>
#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/samples.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/user_inputs.hpp>
#include <nvdlac/runtime/written_cube.hpp>
#include <nvdlac/sim/rule.hpp>

#include "commands.hpp"
#include "find_target.hpp"
#include "inputs.hpp"
#include "limit_options.hpp"
#include "program_input.hpp"
#include "tensor_files.hpp"
#include "threads.hpp"
#include "usage.hpp"

namespace nvdlac::cli {
namespace {

namespace fs = std::filesystem;

struct locate_arguments {
  std::string directory{}, loadable{}, config{};
  std::vector<std::string> inputs{};
  preprocessing_options preprocessing{};
  sim::settings settings{};
};

// Where two tensors differ.
struct disagreement {
  std::size_t count = 0, of = 0;
  std::string first{};  // the place and the two values
};

// "(c 3, y 0, x 5)" of an element in c-h-w order.
std::string element_place(std::size_t element, net::shape s) {
  const auto w = static_cast<std::size_t>(s.w), h = static_cast<std::size_t>(s.h);
  return text("(c ", element / (h * w), ", y ", element / w % h, ", x ", element % w, ')');
}

disagreement compare_pixels(const run_tensor& t, const std::vector<std::uint8_t>& found) {
  disagreement d{.of = t.bytes.size()};
  for (std::size_t i = t.bytes.size(); i-- > 0;)
    if (t.bytes[i] != found[i]) {
      ++d.count;
      d.first = text("byte ", i, ": ", +t.bytes[i], " expected, ", +found[i], " found");
    }
  return d;
}

// Elements alone: what is between lines and behind the last channel is nobody's.
disagreement compare_cubes(const run_tensor& t, const std::vector<std::uint8_t>& found,
                           std::uint32_t atom) {
  const auto is = numbers_of(t, found, atom);
  return nvdlac::visit([&]<class Tensor>(const Tensor& expected) {
    const auto& values = std::get<Tensor>(is).values;
    disagreement d{.of = values.size()};
    for (std::size_t i = values.size(); i-- > 0;) {
      if (std::memcmp(&values[i], &expected.values[i], sizeof values[i]) == 0) continue;
      ++d.count;
      const auto show = [](const auto& v) {
        if constexpr (std::is_same_v<Tensor, net::fp16_tensor>)
          return text(quantised::value_of(v), " (0x", std::hex, v.bits, ')');
        else return text(+v);
      };
      d.first = text(element_place(i, t.surface.shape), ": ", show(expected.values[i]),
                     " expected, ", show(values[i]), " found");
    }
    return d;
  }, numbers_of(t, t.bytes, atom));
}

// A dump is as long as the tensor, or as the whole pages that hold it.
std::vector<std::uint8_t> read_dump(const fs::path& path, const run_tensor& t) {
  auto bytes = data::read_file(path);
  std::vector<std::uint8_t> found(bytes.begin(), bytes.end());
  if (found.size() < t.bytes.size())
    throw error(problem{.file = path.string(),
                        .reason = text("has ", found.size(), " bytes, not the ", t.bytes.size(),
                                       " of '", t.layer, "'")});
  found.resize(t.bytes.size());
  return found;
}

// Whether they agree; prints what was found.
bool compare_dumps(const locate_arguments& a, const target& t,
                   const std::vector<run_tensor>& tensors) {
  std::size_t compared = 0, without = 0, number = 0;
  for (const auto& one : tensors) {
    ++number;
    const auto path = fs::path(a.directory) / (one.file + ".bin");
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
      ++without;
      continue;
    }
    ++compared;
    const auto found = read_dump(path, one);
    const auto d = one.picture ? compare_pixels(one, found)
                               : compare_cubes(one, found, t.spec().memory_atom);
    if (d.count == 0) continue;
    std::cout << (one.input ? "input '" : "layer '") << one.layer << "' differs in " << d.count
              << " of " << d.of << (one.picture ? " bytes" : " elements") << ", first at "
              << d.first << '\n'
              << "  " << path.string() << ": " << one.surface.shape << " ("
              << hw::name_of(one.surface.precision) << "), tensor " << number << " of "
              << tensors.size() << '\n';
    if (one.input) std::cout << "  the device was given something else\n";
    if (without != 0)
      std::cout << "  " << without << " tensors before it have no dump and may differ as well\n";
    return false;
  }
  if (compared == 0)
    throw error(problem{.file = a.directory,
                        .reason = "holds no dump of this program's tensors",
                        .remedy = text("their names are those of `nvdlac run --save-tensors`, such "
                                       "as ", tensors.back().file, ".bin")});
  std::cout << "no difference: " << compared << " tensors agree"
            << (without != 0 ? text(", ", without, " have no dump") : "") << '\n';
  return true;
}

void locate(locate_arguments& a, target_list targets) try {
  const auto& t = find_target(targets, a.config);
  a.settings.limit_by(budget::in_force());
  if (!fs::is_directory(a.directory))
    throw error(problem{.file = a.directory, .reason = "is no directory"});
  const auto m = in_file(a.loadable, [&] {
    const auto image = emit::read_loadable(data::read_file(a.loadable), a.loadable);
    return t.simulate(runtime::load(image, t.spec()), a.settings);
  });
  const auto how = wanted_by(*m, a.preprocessing);
  const input_files inputs(paths_for(a.inputs, how), how);
  if (!a.preprocessing.given()) runtime::check_preprocessing(inputs, m->inputs());
  if (inputs.size() != 1)
    throw usage_error(text("a dump is of one run, but there are ", inputs.size(), " inputs"));
  bool same = true;
  inputs.each([&](input_set&& set) {
    same = compare_dumps(a, t, tensors_of_run(*m, runtime::feeds_of(set, m->inputs())));
  });
  if (!same) throw negative{};
} catch (const error& e) {
  throw trouble(e);
}

}  // namespace

void add_locate(CLI::App& app, target_list targets) {
  auto* sub = app.add_subcommand(
      "locate", "Find the first layer whose result on a device is not the simulator's");
  const auto a = std::make_shared<locate_arguments>();
  sub->add_option("DIR", a->directory,
                  "Dumps of the device's memory, called as `nvdlac run --save-tensors` calls them "
                  "(.bin); those that are absent are passed over")
      ->required()->type_name("DIR");
  sub->add_option("LOADABLE", a->loadable,
                  "The program that ran, as `nvdlac compile` wrote it; not its model")
      ->required()->type_name("FILE");
  sub->add_option("-c,--config", a->config, "The configuration that runs it: " + names_of(targets))
      ->required()->type_name("NAME");
  sub->add_option("-i,--input", a->inputs, "What the device was given: the files of one run")
      ->required()->type_name("FILE");
  add_threads(*sub, a->settings.threads);
  add_limits(*sub);
  add_preprocessing(*sub, a->preprocessing);
  sub->footer(
      "Layers are compared in the order in which they end, element by element. index.json of\n"
      "--save-tensors tells where in memory each one is.\n"
      "Exit codes: 0 no difference, 1 a difference, 2 wrong usage or input, 3 a defect of nvdlac.\n"
      "Example:\n"
      "  nvdlac locate dumps digits.nvdla --config nv_small --input seven.png");
  sub->callback([=] { locate(*a, targets); });
}

}  // namespace nvdlac::cli
