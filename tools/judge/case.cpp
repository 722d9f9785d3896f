// SPDX-License-Identifier: Apache-2.0
#include "case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <stdexcept>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/data/npy.hpp>
#include <nvdlac/report/json.hpp>

#include "random_model.hpp"
#include "shrink_model.hpp"

namespace nvdlac::judge {
namespace {

namespace fs = std::filesystem;
using report::json;

constexpr std::size_t samples = 4;
// How often a finding is judged again until it is small; each takes long where time is the finding.
constexpr std::size_t many_questions = 200, few_questions = 10;

void write_file(const fs::path& to, std::string_view bytes) {
  std::ofstream out(to, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error(to.string() + " cannot be written");
}
std::string read_file(const fs::path& from) {
  std::ifstream in(from, std::ios::binary);
  if (!in) throw std::runtime_error(from.string() + " cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}
// All samples of an input, one behind the other along its batch or a dimension of their own.
void write_samples(const fs::path& to, const dims& shape, std::uint64_t seed, bool pixels) {
  std::vector<float> all;
  for (std::size_t s = 0; s < samples; ++s) {
    const auto one = random_values(shape, samples * seed + s);
    all.insert(all.end(), one.begin(), one.end());
  }
  std::string bytes_of_pixels;
  for (const float x : pixels ? all : std::vector<float>())
    bytes_of_pixels += static_cast<char>(std::lround(127.5F + 127.5F * x));
  std::string words =
      text("{'descr': '", pixels ? "|u1" : "<f4", "', 'fortran_order': False, 'shape': (", samples);
  for (std::size_t d = !shape.empty() && shape[0] == 1 ? 1 : 0; d < shape.size(); ++d)
    words += ", " + std::to_string(shape[d]);
  words += words.find(", ", words.find("'shape'") + 9) == words.npos ? ",), }" : "), }";
  words.resize((10 + words.size() + 64) / 64 * 64 - 10, ' ');
  words.back() = '\n';
  std::string bytes = "\x93NUMPY";
  bytes += '\1';
  bytes += '\0';
  bytes += static_cast<char>(words.size() & 0xff);
  bytes += static_cast<char>(words.size() >> 8);
  bytes += words;
  if (pixels) bytes += bytes_of_pixels;
  else bytes.append(reinterpret_cast<const char*>(all.data()), all.size() * sizeof(float));
  write_file(to, bytes);
}

json to_json(const trial& t) {
  return {{"configuration", t.configuration}, {"precision", t.precision},
          {"without", t.without}, {"optimize", t.optimize}, {"effort", t.effort},
          {"batch", t.batch}, {"winograd", t.winograd}, {"prefer", t.prefer},
          {"cvsram", t.cvsram}, {"observer", t.observer}, {"approximate", t.approximate},
          {"pixels", t.pixels}, {"calibrated", t.calibrated}, {"keep_scales", t.keep_scales},
          {"verified", t.verified}};
}
trial trial_of(const json& j) {
  return {.configuration = j["configuration"], .precision = j["precision"],
          .without = j["without"], .optimize = j["optimize"], .effort = j["effort"],
          .batch = j["batch"], .winograd = j["winograd"], .prefer = j["prefer"],
          .cvsram = j["cvsram"], .observer = j["observer"], .approximate = j["approximate"],
          .pixels = j["pixels"], .calibrated = j["calibrated"], .keep_scales = j["keep_scales"],
          .verified = j["verified"]};
}

double norm(const std::vector<float>& v) {
  double most = 0;
  for (const float x : v) most = std::max(most, std::fabs(double{x}));
  return most;
}
// Each of the differences, but for a tenth of them where there are jumps.
std::vector<double> differences(const std::vector<float>& a, const std::vector<float>& b,
                                bool has_jumps) {
  std::vector<double> all;
  for (std::size_t i = 0; i < a.size(); ++i) all.push_back(std::fabs(double{a[i]} - double{b[i]}));
  if (!has_jumps) return all;
  std::ranges::sort(all);
  all.resize(all.size() - all.size() / 10 - (all.size() > 1 ? 1 : 0));
  return all;
}
// The step of an engine's rounded numbers, as far as they tell: the least difference between two of
// them, at most a sixteenth of the largest.
double step_of(std::vector<float> values) {
  double step = norm(values) / 16;
  std::ranges::sort(values);
  for (std::size_t i = 1; i < values.size(); ++i)
    if (const double d = double{values[i]} - double{values[i - 1]}; d > 1e-6 * norm(values))
      step = std::min(step, d);
  return step;
}
// A line of a shell; the words hold no quotes.
std::string quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& w : words)
    line += (line.empty() ? "" : " ") + (w.find_first_of(" ;&()") == w.npos ? w : '"' + w + '"');
  return line;
}

}  // namespace

exhibit write_exhibit(const model& m, std::uint64_t seed, bool pixels, const fs::path& folder,
                      const std::string& name) {
  exhibit e{.folder = folder, .name = name};
  write_file(e.file(".onnx"), encode(m));
  for (std::size_t i = 0; i < m.inputs.size(); ++i) {
    e.inputs.push_back(m.inputs[i]);
    write_samples(e.file('.' + m.inputs[i].name + ".npy"), m.inputs[i].shape, 16 * seed + i,
                  pixels);
  }
  return e;
}

court::court(fs::path folder, cli::target_list targets, onnx_runtime* engine, const limits& most)
    : folder_(std::move(folder)), targets_(targets), engine_(engine), limits_(most) {}

outcome court::judge(const trial_pair& c) {
  const auto e = write_exhibit(c.network, c.seed, c.plain.pixels, folder_, "model");
  return judge_files(e, c.plain, c.variant,
                     {c.network.has_jumps, c.network.is_quantised});
}

outcome court::judge_files(const exhibit& e, const trial& plain,
                           const std::optional<trial>& variant, const traits& of) {
  ++trials_;
  auto base = run(e, plain, targets_, of, limits_);
  if (engine_ != nullptr && !plain.pixels &&
      (base.what == finding::none || base.what == finding::numbers))
    judge_engine(e, plain, base, of);
  if (base.what != finding::none || !variant) return base;
  ++trials_;
  auto other = run(e, *variant, targets_, of, limits_);
  if (other.what != finding::none) {
    // A refusal of the variant alone is no finding: the model counts as one that agrees.
    if (other.what == finding::refused) other.why = "with an option: " + other.why;
    return other;
  }
  if (plain.keeps_values() && variant->keeps_values() && variant->batch == 1)
    for (std::size_t o = 0; o < base.outputs.size(); ++o)
      if (base.outputs[o].program != other.outputs[o].program) {
        other.what = finding::variants;
        other.why = text("output '", base.outputs[o].name, "' is another one");
        return other;
      }
  return base;
}

void court::judge_engine(const exhibit& e, const trial& t, outcome& of, const traits& model) {
  const auto binary = read_file(e.file(".onnx"));
  std::vector<std::vector<float>> values;
  for (const auto& input : e.inputs) {
    const auto bytes = data::read_file(e.file('.' + input.name + ".npy"));
    values.push_back(data::parse_npy(bytes, input.name).content.values);
    values.back().resize(static_cast<std::size_t>(count_of(input.shape)));  // the first sample
  }
  const auto given = engine_->run(binary, e.inputs, values);
  if (!given.error.empty()) {
    ++not_compared_;
    of.warnings.push_back("ONNX Runtime: " + given.error);
    return;
  }
  ++compared_;
  const auto wrong = [&](std::string why) {
    of.what = finding::engine;
    of.why = std::move(why);
  };
  for (const auto& o : of.outputs) {
    const auto theirs = std::ranges::find(given.outputs, o.name, &onnx_runtime::result::name);
    if (theirs == given.outputs.end()) return wrong("the engine has no output '" + o.name + "'");
    if (theirs->values.size() != o.real.size())
      return wrong(text("output '", o.name, "' has ", o.real.size(), " elements, not ",
                        theirs->values.size()));
    if (theirs->shape != o.shape)
      return wrong(text("output '", o.name, "' has another shape than the engine's"));
    if (std::ranges::any_of(theirs->values, [](float x) { return !std::isfinite(x); })) continue;
    // A quantised model is rounded there, and here only in the program.
    if (model.own_scales) {
      if (t.calibrated) continue;
      if (o.program.empty() || of.what == finding::numbers) continue;
      double sum = 0;
      for (const double d : differences(theirs->values, o.program, model.has_jumps)) sum += d * d;
      const double rms = std::sqrt(sum / std::max<double>(1, static_cast<double>(o.real.size())));
      if (rms > 6 * std::hypot(o.expected, step_of(theirs->values) / std::sqrt(12.0)))
        return wrong(text("output '", o.name, "' of the program is ", std::setprecision(3), rms,
                          " from the engine's, where its scales explain ", o.expected));
      continue;
    }
    if (model.has_jumps) continue;
    const auto off = differences(theirs->values, o.real, false);
    const double most = off.empty() ? 0 : *std::ranges::max_element(off);
    // Beside less than a hundredth, only the rounding of float is left of values that are about 1
    // on the way.
    if (most > 3e-4 * std::max(1e-2, norm(theirs->values)))
      return wrong(text("output '", o.name, "' is ", std::setprecision(3), most,
                        " from the engine's, whose largest value is ", norm(theirs->values)));
  }
}

trial_pair court::smallest(trial_pair c, const outcome& first) {
  const auto same = [&](const outcome& o) {
    return o.what == first.what &&
           (o.what != finding::defect || o.why.substr(0, 24) == first.why.substr(0, 24));
  };
  // The variant alone, then without its options, one after the other.
  const auto try_this = [&](trial_pair next) {
    if (!same(judge(next))) return;
    c = std::move(next);
  };
  if (c.variant) {
    auto next = c;
    next.variant.reset();
    try_this(next);
  }
  if (c.variant && first.what != finding::variants) {
    auto next = c;
    next.plain = *c.variant;
    next.variant.reset();
    try_this(next);
  }
  auto& varied = c.variant ? *c.variant : c.plain;
  for (const auto& step : std::set<std::string>(varied.without)) {
    auto next = c;
    (next.variant ? *next.variant : next.plain).without.erase(step);
    try_this(next);
  }
  c.network = shrunk(c.network, [&](const model& m) {
    auto next = c;
    next.network = m;
    return same(judge(next));
  }, first.what == finding::time ? few_questions : many_questions);
  return c;
}

void court::leave(const trial_pair& c, const outcome& o, const fs::path& folder,
                  const std::string& name) const {
  fs::create_directories(folder);
  const auto e = write_exhibit(c.network, c.seed, c.plain.pixels, folder, name);
  json inputs = json::array();
  for (const auto& input : e.inputs)
    inputs.push_back({{"name", input.name}, {"shape", input.shape}});
  json j{{"finding", name_of(o.what)}, {"why", o.why}, {"inputs", inputs},
         {"has_jumps", c.network.has_jumps}, {"own_scales", c.network.is_quantised},
         {"plain", to_json(c.plain)}};
  if (c.variant) j["variant"] = to_json(*c.variant);
  write_file(e.file(".json"), j.dump(2) + '\n');

  std::string nodes;
  for (const auto& n : c.network.nodes) nodes += (nodes.empty() ? "" : ", ") + n.type;
  const auto& shown = c.variant && o.what != finding::variants ? *c.variant : c.plain;
  const auto command = [&](const trial& t) {
    const bool compiles = t.batch != 1;
    std::vector<std::string> words{"nvdlac", compiles ? "compile" : "verify", name + ".onnx"};
    exhibit here = e;
    here.folder.clear();
    for (const auto& w : t.words(here.arguments())) words.push_back(w);
    if (!compiles) {
      for (const auto& a : here.arguments()) {
        words.emplace_back("--input");
        words.push_back(a);
      }
    }
    return quoted(words);
  };
  std::string lines =
      text(name_of(o.what), ": ", o.why, "\nnodes: ", nodes, "\n", command(shown), '\n');
  if (c.variant && o.what == finding::variants) lines += command(*c.variant) + '\n';
  lines += text("all judges again: tools/differential --again ", name, ".json\n");
  write_file(e.file(".txt"), lines);
}

outcome court::again(const fs::path& path) {
  const auto j = json::parse(read_file(path));
  exhibit e{.folder = path.parent_path(), .name = path.stem().string()};
  for (const auto& input : j["inputs"]) e.inputs.push_back({input["name"], input["shape"]});
  if (e.folder.empty()) e.folder = ".";
  std::optional<trial> variant;
  if (j.contains("variant")) variant = trial_of(j["variant"]);
  return judge_files(e, trial_of(j["plain"]), variant,
                     {j["has_jumps"], j["own_scales"]});
}

}  // namespace nvdlac::judge
