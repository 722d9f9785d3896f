// SPDX-License-Identifier: Apache-2.0
#include "loadable_diff.hpp"

#include <algorithm>
#include <map>
#include <sstream>
#include <tuple>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/loadable.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/report/table.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::cli {
namespace {

using report::json;

constexpr std::size_t width_of_terminal = 80;

std::string written(const json& value) {
  return value.is_null() ? "-" : value.is_string() ? value.get<std::string>() : value.dump();
}

// "-8.0 %" from a to b.
std::string relative(const json& a, const json& b) {
  if (!a.is_number() || !b.is_number() || a.get<double>() == 0) return "";
  std::ostringstream out;
  out << std::showpos << std::fixed;
  out.precision(1);
  out << 100 * (b.get<double>() / a.get<double>() - 1) << " %";
  return out.str();
}

// Words on lines of at most the terminal's width, each behind blanks.
std::string wrapped(const std::vector<std::string>& words) {
  std::string out, line;
  for (const auto& word : words) {
    if (!line.empty() && 2 + line.size() + 2 + word.size() > width_of_terminal) {
      out += "  " + line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : "  ") + word;
  }
  return line.empty() ? out : out + "  " + line + '\n';
}

std::size_t different_bytes(const std::vector<std::uint8_t>& a,
                            const std::vector<std::uint8_t>& b) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) n += a[i] != b[i] ? 1 : 0;
  return n;
}

// "13 of 500", or as well that there are more.
std::string describe_bytes(std::size_t a, std::size_t b, std::size_t different) {
  if (a != b) return text(a, " -> ", b, " bytes");
  return a == 0 ? "" : different == 0 ? "equal" : text(different, " of ", a, " bytes differ");
}

}  // namespace

// A program with what is asked about its layers, in the order of the program.
struct loadable_diff::loaded {
  // A name stands for several layers where one is computed in parts.
  using key = std::tuple<std::string, std::string, std::size_t>;
  struct layer {
    key name{};
    std::map<std::string, json> fields{};
    std::vector<std::uint8_t> constants{};
  };

  loaded(const loadable_side& from, const prediction_options& conditions)
      : program(in_file(from.file, [&] { return runtime::load(from.image, from.on->spec()); })) {
    const auto tasks = report::tasks_of(program);
    predicted = report::predict(tasks, from.on->spec(), conditions.on(*from.on));
    std::map<std::pair<std::string, std::string>, std::size_t> seen;
    for (const auto& row : report::rows_of(tasks, predicted.estimate.layers)) {
      const auto& task = program.tasks[row.task];
      const auto& what = task.layers[row.index];
      auto& l = layers.emplace_back();
      l.name = {row.name, row.unit, seen[{row.name, row.unit}]++};
      add_fields(l, row, what, task, *from.on);
      l.constants = constants_of(what, task);
      macs += row.macs;
      weights += l.constants.size();
    }
  }

  runtime::loaded_program program;
  report::prediction predicted{};
  std::vector<layer> layers{};
  std::uint64_t macs = 0, weights = 0;

 private:
  static void add_fields(layer& to, const report::layer_row& row, const nvdlac::layer::layer& what,
                         const runtime::loaded_task& task, const target& on) {
    auto& f = to.fields;
    f = {{"input", text(row.input)}, {"output", text(row.output)}, {"macs", row.macs},
         {"cycles", row.on_hardware.cycles()}, {"bytes_read", row.on_hardware.moved.read()},
         {"bytes_written", row.on_hardware.moved.written},
         {"limited_by", cost::name_of(row.on_hardware.limited_by)}, {"what", row.detail}};
    for (const auto& [name, value] : on.registers(task, row.index)) f[name] = value;
    if (const auto* s = std::get_if<nvdlac::layer::host_softmax>(&what.what))
      f["input_scale"] = s->input_scale, f["output_scale"] = s->output_scale;
    if (const auto* c = std::get_if<nvdlac::layer::host_call>(&what.what)) {
      f["input_scale"] = std::vector<double>(c->input_scales.begin(),
                                             c->input_scales.begin() + c->input_count);
      f["output_scale"] = c->output_scale;
    }
  }

  // The bytes of weights and operands that the layer reads, and of its table.
  std::vector<std::uint8_t> constants_of(const nvdlac::layer::layer& what,
                                         const runtime::loaded_task& task) const {
    std::vector<std::uint8_t> all;
    nvdlac::layer::for_each_read(what.what, [&](const nvdlac::layer::surface& s) {
      const auto [at, in_dram] = task(s.at);
      for (const auto& c : program.contents)
        if (in_dram == c.at.dram && at >= c.at.address && at - c.at.address <= c.data.size() &&
            s.size <= c.data.size() - (at - c.at.address)) {
          const auto begin = c.data.begin() + static_cast<std::ptrdiff_t>(at - c.at.address);
          all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(s.size));
          break;
        }
    });
    if (const auto lut = emit::lut_of(what.what); lut >= 0) {
      const auto& table = task.luts.at(static_cast<std::size_t>(lut)).tables;
      const auto append = [&](const auto& entries) {
        for (const auto entry : entries) {
          const auto bits = static_cast<std::uint16_t>(entry);
          all.push_back(static_cast<std::uint8_t>(bits & 255));
          all.push_back(static_cast<std::uint8_t>(bits >> 8));
        }
      };
      append(table.le);
      append(table.lo);
    }
    return all;
  }
};

loadable_diff::loadable_diff(const loadable_side& a, const loadable_side& b,
                             const prediction_options& conditions)
    : file_a_(a.file), file_b_(b.file), same_(a.bytes == b.bytes) {
  const loaded of_a(a, conditions), of_b(b, conditions);
  add("network", of_a.program.network, of_b.program.network);
  add("configuration", a.on->name(), b.on->name());
  const auto totals = [](const loaded& l) { return l.predicted.estimate.totals; };
  add("cycles", totals(of_a).cycles, totals(of_b).cycles);
  add("macs", of_a.macs, of_b.macs);
  add("bytes_read", totals(of_a).read, totals(of_b).read);
  add("bytes_written", totals(of_a).written, totals(of_b).written);
  add("weights", of_a.weights, of_b.weights);
  const auto scratch = [](const emit::loadable_image& image) {
    std::uint64_t n = 0;
    for (const auto& m : image.memories)
      if (!m.bindable() && (m.flags & emit::loadable_code::set) == 0) n += m.size;
    return n;
  };
  add("features", scratch(a.image), scratch(b.image));
  add("memories", a.image.memories.size(), b.image.memories.size());
  add("tasks", of_a.program.tasks.size(), of_b.program.tasks.size());
  add("layers", of_a.layers.size(), of_b.layers.size());
  add("file", a.bytes.size(), b.bytes.size());
  compare_tensors("input", of_a, of_b);
  compare_tensors("output", of_a, of_b);
  compare_layers(of_a, of_b);
}

void loadable_diff::add(std::string what, json a, json b) {
  if (a != b) changes_.push_back({std::move(what), std::move(a), std::move(b)});
}

void loadable_diff::compare_tensors(const char* kind, const loaded& a, const loaded& b) {
  const bool inputs = std::string_view(kind) == "input";
  const auto& of_a = inputs ? a.program.inputs : a.program.outputs;
  const auto& of_b = inputs ? b.program.inputs : b.program.outputs;
  const auto find = [](const std::vector<runtime::binding>& in, const std::string& name) {
    return std::ranges::find(in, name, &runtime::binding::name);
  };
  const auto shape = [](const runtime::binding& t) { return json(text(t.shape)); };
  for (const auto& t : of_a) {
    const auto name = text(kind, ' ', t.name);
    const auto other = find(of_b, t.name);
    if (other == of_b.end()) {
      add(name, shape(t), nullptr);
      continue;
    }
    add(name + " shape", shape(t), shape(*other));
    add(name + " scale", t.scale, other->scale);
    const auto format = [](const runtime::binding& in) {
      return in.picture ? "pixels" : hw::name_of(in.surface.precision);
    };
    add(name + " format", format(t), format(*other));
    const auto made = [](const runtime::binding& in) {
      return in.preprocessing ? json(net::describe(*in.preprocessing)) : json();
    };
    add(name + " preprocessing", made(t), made(*other));
  }
  for (const auto& t : of_b)
    if (find(of_a, t.name) == of_a.end()) add(text(kind, ' ', t.name), nullptr, shape(t));
}

void loadable_diff::compare_layers(const loaded& a, const loaded& b) {
  std::map<loaded::key, const loaded::layer*> in_b;
  for (const auto& l : b.layers) in_b[l.name] = &l;
  const loaded::layer* last = nullptr;
  for (const auto& l : a.layers) {
    const auto& [name, unit, part] = l.name;
    const auto found = in_b.find(l.name);
    if (found == in_b.end()) {
      removed_.push_back({name, unit});
      continue;
    }
    const auto& other = *found->second;
    in_b.erase(found);
    reordered_ = reordered_ || (last != nullptr && &other < last);
    last = &other;
    changed_layer c{.name = name, .unit = unit, .bytes_a = l.constants.size(),
                    .bytes_b = other.constants.size(),
                    .different = different_bytes(l.constants, other.constants)};
    auto names = l.fields;
    names.insert(other.fields.begin(), other.fields.end());
    for (const auto& [field, ignored] : names) {
      const auto value = [&](const std::map<std::string, json>& fields) {
        const auto at = fields.find(field);
        return at == fields.end() ? json() : at->second;
      };
      if (value(l.fields) != value(other.fields))
        c.fields.push_back({field, value(l.fields), value(other.fields)});
    }
    if (c.fields.empty() && c.different == 0 && c.bytes_a == c.bytes_b) ++equal_layers_;
    else layers_.push_back(std::move(c));
  }
  for (const auto& l : b.layers)
    if (in_b.contains(l.name)) added_.push_back({std::get<0>(l.name), std::get<1>(l.name)});
}

std::string loadable_diff::print() const {
  if (same_) return text(file_a_, " and ", file_b_, " are the same, byte for byte\n");
  std::string out = text("A: ", file_a_, "\nB: ", file_b_, "\n\n");
  if (!changes_.empty()) {
    report::table t({{.title = "", .shortens = true}, {"A", true, true}, {"B", true, true},
                     {"change", true}});
    for (const auto& c : changes_) t.add({c.what, written(c.a), written(c.b), relative(c.a, c.b)});
    out += t.print(width_of_terminal) + '\n';
  }
  out += text("Layers: ", equal_layers_, " equal, ", layers_.size(), " changed, ", removed_.size(),
              " in A alone, ", added_.size(), " in B alone",
              reordered_ ? "; those of both are in another order" : "", '\n');
  for (const auto& [where, list] : {std::pair("A", &removed_), std::pair("B", &added_)}) {
    if (list->empty()) continue;
    std::vector<std::string> words;
    for (const auto& l : *list) words.push_back(text(l.name, " (", l.unit, ')'));
    out += text("in ", where, " alone\n") + wrapped(words);
  }
  for (const auto& l : layers_) {
    const auto constants = describe_bytes(l.bytes_a, l.bytes_b, l.different);
    out += text(l.name, " (", l.unit, ')', constants.empty() ? "" : ": constants ",
                constants, '\n');
    std::vector<std::string> words;
    for (const auto& f : l.fields)
      words.push_back(f.what + ' ' + written(f.a) + " -> " + written(f.b));
    out += wrapped(words);
  }
  if (changes_.empty() && layers_.empty() && removed_.empty() && added_.empty() && !reordered_)
    out += "Only addresses, names or notes differ.\n";
  return out;
}

json loadable_diff::to_json() const {
  auto all = report::headed("diff");
  all.update(json{{"a", file_a_}, {"b", file_b_}, {"same", same_}, {"changes", json::array()}});
  const auto list = [](const std::vector<change>& changes) {
    json l = json::array();
    for (const auto& c : changes) l.push_back({{"what", c.what}, {"a", c.a}, {"b", c.b}});
    return l;
  };
  const auto named = [](const std::vector<layer_of_one>& layers) {
    json l = json::array();
    for (const auto& one : layers) l.push_back({{"name", one.name}, {"unit", one.unit}});
    return l;
  };
  all["changes"] = list(changes_);
  json changed = json::array();
  for (const auto& l : layers_)
    changed.push_back({{"name", l.name}, {"unit", l.unit}, {"fields", list(l.fields)},
                       {"constants", {{"bytes_a", l.bytes_a}, {"bytes_b", l.bytes_b},
                                      {"different", l.different}}}});
  all["layers"] = {{"equal", equal_layers_}, {"changed", changed}, {"removed", named(removed_)},
                   {"added", named(added_)}, {"reordered", reordered_}};
  return all;
}

}  // namespace nvdlac::cli
