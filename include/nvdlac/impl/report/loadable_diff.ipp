// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/cost/cycles.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/lut.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/net/input.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/loadable.hpp>
#include <nvdlac/report/loadable_diff.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/report/provenance.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::report {

namespace detail {

NVDLAC_IMPL std::size_t different_bytes(const std::vector<std::uint8_t>& a,
                                        const std::vector<std::uint8_t>& b) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) n += a[i] != b[i] ? 1 : 0;
  return n;
}

NVDLAC_IMPL loaded_side::loaded_side(const loadable_side& from)
    : program(in_file(from.file, [&] { return runtime::load(from.image, from.spec); })) {
  const auto tasks = tasks_of(program);
  predicted = predict(tasks, from.spec, from.given);
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  for (const auto& row : rows_of(tasks, predicted.estimate.layers)) {
    const auto& task = program.tasks[row.task];
    const auto& what = task.layers[row.index];
    auto& l = layers.emplace_back();
    l.name = {row.name, row.unit, seen[{row.name, row.unit}]++};
    l.fields = fields_of(row, what);
    for (const auto& [name, value] : from.written_fields(task, row.index))
      l.fields[name] = std::uint64_t{value};
    l.constants = constants_of(what, task);
    macs += row.macs;
    weights += l.constants.size();
  }
}

NVDLAC_IMPL std::map<std::string, diff_value> loaded_side::fields_of(const layer_row& row,
                                                                     const layer::layer& what) {
  const auto& on = row.on_hardware;
  std::map<std::string, diff_value> f{
      {"input", text(row.input)}, {"output", text(row.output)}, {"macs", row.macs},
      {"cycles", on.own()}, {"bytes_read", on.moved.read()},
      {"bytes_written", on.moved.written},
      {"limited_by", std::string(cost::name_of(on.limited_by))}, {"what", row.detail}};
  if (const auto* s = std::get_if<layer::host_softmax>(&what.what)) {
    f["input_scale"] = double{s->input_scale};
    f["output_scale"] = double{s->output_scale};
  }
  if (const auto* c = std::get_if<layer::host_call>(&what.what)) {
    f["input_scale"] = std::vector<double>(c->input_scales.begin(),
                                           c->input_scales.begin() + c->input_count);
    f["output_scale"] = double{c->output_scale};
  }
  return f;
}

NVDLAC_IMPL std::vector<std::uint8_t> loaded_side::constants_of(
    const layer::layer& what, const runtime::loaded_task& task) const {
  std::vector<std::uint8_t> all;
  layer::for_each_read(what.what, [&](const layer::surface& s) {
    const auto [at, in_dram] = task(s.at);
    for (const auto& c : program.contents)
      if (in_dram == c.at.dram && at >= c.at.address && at - c.at.address <= c.data.size() &&
          s.size <= c.data.size() - (at - c.at.address)) {
        const auto begin = c.data.begin() + static_cast<std::ptrdiff_t>(at - c.at.address);
        all.insert(all.end(), begin, begin + static_cast<std::ptrdiff_t>(s.size));
        break;
      }
  });
  if (const auto lut = layer::lut_of(what.what); lut >= 0) {
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

NVDLAC_IMPL comparing::comparing(const loadable_side& a, const loadable_side& b) {
  found_.file_a = a.file;
  found_.file_b = b.file;
  found_.same = a.bytes == b.bytes;
  const loaded_side of_a(a), of_b(b);
  add("network", of_a.program.network, of_b.program.network);
  add("configuration", a.configuration, b.configuration);
  const auto totals = [](const loaded_side& l) { return l.predicted.estimate.totals; };
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
  add("memories", size_of(a.image.memories), size_of(b.image.memories));
  add("tasks", size_of(of_a.program.tasks), size_of(of_b.program.tasks));
  add("layers", size_of(of_a.layers), size_of(of_b.layers));
  add("file", size_of(a.bytes), size_of(b.bytes));
  compare_provenance(a.image.notes.made_from, b.image.notes.made_from);
  compare_tensors("input", of_a.program.inputs, of_b.program.inputs);
  compare_tensors("output", of_a.program.outputs, of_b.program.outputs);
  compare_layers(of_a, of_b);
}

NVDLAC_IMPL void comparing::compare_provenance(const emit::provenance& a,
                                               const emit::provenance& b) {
  const auto made_by = [](const emit::provenance& p) {
    return p.empty() ? diff_value() : diff_value(maker_of(p));
  };
  add("made by", made_by(a), made_by(b));
  const auto options = [](const emit::provenance& p) {
    std::string all;
    for (const auto& o : p.options) all += (all.empty() ? "" : " ") + std::string(o);
    return all;
  };
  if (!a.empty() && !b.empty()) add("options", options(a), options(b));
  std::set<std::string> roles;
  for (const auto* p : {&a, &b})
    for (const auto& s : p->sources) roles.emplace(s.role);
  const auto hash = [](const emit::provenance& p, const std::string& role) {
    const auto* s = p.find(role);
    return s == nullptr ? diff_value() : diff_value(s->sha256.hex());
  };
  for (const auto& role : roles) add(role + " SHA-256", hash(a, role), hash(b, role));
}

NVDLAC_IMPL void comparing::compare_tensors(const char* kind,
                                            const std::vector<runtime::binding>& a,
                                            const std::vector<runtime::binding>& b) {
  const auto find = [](const std::vector<runtime::binding>& in, const std::string& name) {
    return std::ranges::find(in, name, &runtime::binding::name);
  };
  const auto shape = [](const runtime::binding& t) { return text(t.shape); };
  for (const auto& t : a) {
    const auto name = text(kind, ' ', t.name);
    const auto other = find(b, t.name);
    if (other == b.end()) {
      add(name, shape(t), {});
      continue;
    }
    add(name + " shape", shape(t), shape(*other));
    add(name + " scale", t.scale, other->scale);
    if (t.gain != other->gain) add(name + " scales of channels", "one", "another");
    const auto format = [](const runtime::binding& in) {
      return std::string(in.picture ? "pixels" : hw::name_of(in.surface.precision));
    };
    add(name + " format", format(t), format(*other));
    const auto made = [](const runtime::binding& in) {
      return in.preprocessing ? diff_value(net::describe(*in.preprocessing)) : diff_value();
    };
    add(name + " preprocessing", made(t), made(*other));
  }
  for (const auto& t : b)
    if (find(a, t.name) == a.end()) add(text(kind, ' ', t.name), {}, shape(t));
}

NVDLAC_IMPL void comparing::compare_layers(const loaded_side& a, const loaded_side& b) {
  std::map<loaded_side::key, const loaded_side::part*> in_b;
  for (const auto& l : b.layers) in_b[l.name] = &l;
  const loaded_side::part* last = nullptr;
  for (const auto& l : a.layers) {
    const auto found = in_b.find(l.name);
    if (found == in_b.end()) {
      found_.removed.push_back({std::get<0>(l.name), std::get<1>(l.name)});
      continue;
    }
    const auto& other = *found->second;
    in_b.erase(found);
    found_.reordered = found_.reordered || (last != nullptr && &other < last);
    last = &other;
    compare_layer(l, other);
  }
  for (const auto& l : b.layers)
    if (in_b.contains(l.name))
      found_.added.push_back({std::get<0>(l.name), std::get<1>(l.name)});
}

NVDLAC_IMPL void comparing::compare_layer(const loaded_side::part& a, const loaded_side::part& b) {
  changed_layer c{.name = std::get<0>(a.name), .unit = std::get<1>(a.name),
                  .bytes_a = a.constants.size(), .bytes_b = b.constants.size(),
                  .different = different_bytes(a.constants, b.constants)};
  auto names = a.fields;
  names.insert(b.fields.begin(), b.fields.end());
  for (const auto& [field, ignored] : names) {
    const auto value = [&](const std::map<std::string, diff_value>& fields) {
      const auto at = fields.find(field);
      return at == fields.end() ? diff_value() : at->second;
    };
    if (value(a.fields) != value(b.fields))
      c.fields.push_back({field, value(a.fields), value(b.fields)});
  }
  if (c.fields.empty() && c.different == 0 && c.bytes_a == c.bytes_b) ++found_.equal_layers;
  else found_.layers.push_back(std::move(c));
}

}  // namespace detail

NVDLAC_IMPL loadable_diff diff(const loadable_side& a, const loadable_side& b) {
  return detail::comparing(a, b).result();
}

}  // namespace nvdlac::report
