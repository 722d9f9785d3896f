// SPDX-License-Identifier: Apache-2.0
// nvdlac-run: a loadable on a board, with nothing but the C++ library.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/version.hpp>
#include <nvdlac/data/array.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/data/inputs.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/runtime/infer.hpp>
#include <nvdlac/runtime/open_device.hpp>
#include <nvdlac/runtime/output_array.hpp>
#include <nvdlac/runtime/user_inputs.hpp>
#include <nvdlac/runtime/whole_runs.hpp>

#include "product.hpp"

namespace nvdlac::run_tool {
namespace {

enum exit_code { done = 0, refused = 1, usage = 2, defect = 3 };

// The command line itself is wrong.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct arguments {
  std::string loadable{}, config{}, device{}, output{};
  std::vector<std::string> inputs{};
  bool raw = false;
  std::uint32_t threads = 1;
  std::uint32_t patience = 10;  // seconds
};

std::string names_of_products() {
  std::string names;
  for (const auto& p : products()) names += (names.empty() ? "" : ", ") + std::string(p.name);
  return names;
}

void print_help() {
  std::cout <<
      "nvdlac-run: a loadable of nvdlac on an NVDLA or its simulator, without the compiler\n"
      "Usage: nvdlac-run [OPTIONS] LOADABLE\n"
      "  LOADABLE                   a file of `nvdlac compile`\n"
      "  -c, --config NAME          the configuration that runs it: " << names_of_products() <<
      ";\n"
      "                             default: that of the loadable, which names it\n"
      "  -i, --input [NAME=]FILE..  pictures (PGM, PPM, PNG, JPEG, BMP), npy, IDX or raw files,\n"
      "                             or directories of them; NAME= for one of several inputs\n"
      "  -o, --output FILE          write the outputs as an npy array of floats instead of\n"
      "                             printing the 5 largest; with several outputs, the name gets\n"
      "                             theirs\n"
      "      --device DEVICE        run on this NVDLA instead of the simulator: uioN or the name\n"
      "                             of a UIO device, with memory=.. and more behind commas; drm\n"
      "                             or renderDN for the public kernel driver (docs/board.md)\n"
      "      --patience SECONDS     how long a layer of the device may take before it counts as\n"
      "                             hung: 1 to 86400, default 10\n"
      "      --raw                  write the numbers of NVDLA (int8, int16 or fp16) as they are\n"
      "      --threads N            compute with so many threads; the results are the same\n"
      "  -h, --help    -V, --version\n"
      "Exit codes: 0 done, 1 bad or unsupported input, 2 wrong usage, 3 a defect of nvdlac\n";
}

std::uint32_t number(const std::string& option, const std::string& word, std::uint32_t most) {
  std::uint32_t n = 0;
  const auto* const end = word.data() + word.size();
  const auto [rest, failed] = std::from_chars(word.data(), end, n);
  if (failed != std::errc{} || rest != end || n < 1 || n > most)
    throw usage_error(text(option, " takes a number from 1 to ", most, ", not '", word, '\''));
  return n;
}

// Nothing where help or version was asked for.
std::optional<arguments> parse(const std::vector<std::string>& words) {
  arguments a;
  std::size_t at = 0;
  const auto is_option = [](const std::string& w) { return w.size() > 1 && w[0] == '-'; };
  const auto value_of = [&](const std::string& option) {
    if (++at == words.size() || words[at].empty() || is_option(words[at]))
      throw usage_error(option + " takes a value");
    return words[at];
  };
  for (; at < words.size(); ++at) {
    const auto& w = words[at];
    if (w == "-h" || w == "--help") return print_help(), std::nullopt;
    if (w == "-V" || w == "--version") {
      std::cout << "nvdlac-run " << version << '\n';
      return std::nullopt;
    }
    if (w == "-c" || w == "--config") a.config = value_of(w);
    else if (w == "-o" || w == "--output") a.output = value_of(w);
    else if (w == "--device") a.device = value_of(w);
    else if (w == "--patience") a.patience = number(w, value_of(w), 86'400);
    else if (w == "--threads") a.threads = number(w, value_of(w), 256);
    else if (w == "--raw") a.raw = true;
    else if (w == "-i" || w == "--input") {
      a.inputs.push_back(value_of(w));
      while (at + 1 < words.size() && !is_option(words[at + 1])) a.inputs.push_back(words[++at]);
    } else if (is_option(w)) throw usage_error("there is no option " + w + " (see --help)");
    else if (a.loadable.empty()) a.loadable = w;
    else throw usage_error("there is one LOADABLE, not '" + a.loadable + "' and '" + w + "' too");
  }
  if (a.loadable.empty()) throw usage_error("name a LOADABLE (see --help)");
  if (a.raw && a.output.empty()) throw usage_error("--raw is for --output");
  return a;
}

const product& product_for(const emit::loadable_image& image, const arguments& a) {
  if (a.config.empty() && image.notes.empty())
    throw usage_error(a.loadable + " does not name its configuration, give --config (" +
                      names_of_products() + ")");
  const auto name = a.config.empty() ? std::string(image.notes.hardware) : a.config;
  for (const auto& p : products())
    if (p.name == name) return p;
  throw usage_error("there is no configuration '" + name + "' here (there are " +
                    names_of_products() + ")");
}

data::input_paths paths_for(const std::vector<std::string>& words,
                            const std::vector<data::wanted_input>& wanted) {
  data::input_paths files(wanted.size());
  for (const auto& w : words) {
    std::size_t input = 0, skipped = 0;
    while (input < wanted.size() && !w.starts_with(wanted[input].name + "=")) ++input;
    if (input < wanted.size()) skipped = wanted[input].name.size() + 1;
    else if (wanted.size() == 1) input = 0;
    else throw usage_error("'" + w + "': the network has several inputs, give NAME=FILE for each");
    files[input].emplace_back(w.substr(skipped));
  }
  return files;
}

void tell(const char* kind, const std::vector<problem>& all) {
  for (const auto& p : all) std::cerr << "nvdlac-run: " << kind << ": " << to_string(p) << '\n';
}

// The file of each output, beside the path that was given if there are several.
std::vector<std::string> names_for(const std::vector<net::file_output>& outputs,
                                   const std::filesystem::path& path) {
  if (outputs.size() == 1) return {path.filename().string()};
  auto names = runtime::words_for_files(outputs);
  for (auto& n : names) n = text(path.stem().string(), '.', n, path.extension().string());
  return names;
}

void print_best(const std::string& name, const data::array& values) {
  constexpr std::size_t most = 5;
  std::cout << name << ':';
  for (const auto c : data::best(values, most))
    std::cout << "  " << c << " (" << std::setprecision(4) << values.values[c] << ')';
  std::cout << '\n';
}

product::session load(const arguments& a) {
  const auto image = emit::read_loadable(data::read_file(a.loadable), a.loadable);
  const auto& p = product_for(image, a);
  return in_file(a.loadable, [&] {
    if (!a.device.empty())
      return runtime::whole_runs(p.run_on(runtime::open_device(a.device), image,
                                          std::chrono::seconds(a.patience)));
    sim::settings settings;
    settings.threads = a.threads;
    return p.simulate(runtime::load(image, *p.spec), settings);
  });
}

void run(const arguments& a) {
  const auto m = load(a);
  if (m->inputs().empty() != a.inputs.empty())
    throw usage_error(a.inputs.empty() ? "--input is required"
                                       : "the program has no inputs, as its data are constants");
  const auto wanted_outputs = net::outputs_of_file(m->outputs());
  std::vector<runtime::output_array> outputs;
  for (const auto& o : wanted_outputs) outputs.emplace_back(o, a.raw);
  const auto take = [&](const std::string& name, const std::vector<quantised::feed>& feeds) {
    const auto tensors = m->infer_any(feeds);
    for (auto& o : outputs)
      if (!a.output.empty()) o.take(m->outputs(), tensors);
      else
        print_best(outputs.size() == 1 ? name : text(name, ' ', o.of().form.name),
                   runtime::array_of(o.of(), m->outputs(), tensors));
  };
  if (a.inputs.empty()) take(a.loadable, {});
  else {
    const auto wanted = runtime::wanted_by(m->inputs());
    const data::input_files inputs(paths_for(a.inputs, wanted), wanted);
    runtime::check_preprocessing(inputs, m->inputs());
    tell("note", inputs.notes());
    std::vector<runtime::excess> beyond;
    inputs.each([&](data::input_set&& set) {
      runtime::count_excess(beyond, set, m->inputs());
      take(set.name, runtime::feeds_of(set, m->inputs()));
    });
    tell("warning", runtime::problems_of(beyond));
  }
  if (a.output.empty()) return;
  const std::filesystem::path path(a.output);
  const auto names = names_for(wanted_outputs, path);
  std::vector<emit::file> files;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto content = outputs[i].npy();
    files.push_back({names[i], {content.begin(), content.end()}});
  }
  emit::write_files(path.parent_path(), std::move(files));
}

int explain() try {
  throw;
} catch (const usage_error& e) {
  std::cerr << "nvdlac-run: " << e.what() << '\n';
  return usage;
} catch (const error& e) {
  for (const auto& p : e.problems()) std::cerr << "nvdlac-run: error: " << to_string(p) << '\n';
  return refused;
} catch (const std::bad_alloc&) {
  std::cerr << "nvdlac-run: error: the memory of this machine does not suffice\n";
  return refused;
} catch (const std::filesystem::filesystem_error& e) {
  std::cerr << "nvdlac-run: error: "
            << to_string(problem{.file = e.path1().string(),
                                 .reason = "cannot be reached: " + e.code().message()}) << '\n';
  return refused;
} catch (const std::exception& e) {
  std::cerr << "nvdlac-run: internal error: " << e.what()
            << "\nThis is a defect of nvdlac, not of your input. Please report it with the command "
               "and the files.\n";
  return defect;
}

}  // namespace
}  // namespace nvdlac::run_tool

int main(int count, char** words) {
  using namespace nvdlac::run_tool;
  try {
    if (const auto a = parse({words + std::min(count, 1), words + count})) run(*a);
    return done;
  } catch (...) {
    return explain();
  }
}
