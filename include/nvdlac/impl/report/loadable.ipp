// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/layer/placement_text.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/report/loadable.hpp>
#include <nvdlac/report/table.hpp>
#include <nvdlac/runtime/loaded_program.hpp>

namespace nvdlac::report {

NVDLAC_IMPL std::vector<plan::task> tasks_of(const runtime::loaded_program& from) {
  const auto link_of = [](const emit::firmware::consumer& c) {
    return plan::link{c.index, static_cast<plan::event>(c.event)};
  };
  std::vector<plan::task> tasks;
  for (const auto& t : from.tasks) {
    auto& to = tasks.emplace_back();
    to.host = t.host;
    for (std::size_t i = 0; i < t.layers.size(); ++i) {
      auto& op = to.operations.emplace_back();
      op.layer = t.layers[i];
      if (i >= t.dependencies.size()) continue;  // host layers have none
      const auto& d = t.dependencies[i];
      for (std::size_t e = 0; e < plan::engines; ++e) op.consumers[e] = link_of(d.consumers[e]);
      op.fused_parent = link_of(d.fused_parent);
      op.dependency_count = d.dependency_count;
    }
  }
  return tasks;
}

NVDLAC_IMPL std::string memory_table(const emit::loadable_image& image, std::size_t most) {
  namespace code = emit::loadable_code;
  table t({{"memory", true}, {"bytes", true}, {"role"}, {"domain"},
           {.title = "contents", .wraps = true}});
  for (std::size_t i = 0; i < image.memories.size(); ++i) {
    const auto& m = image.memories[i];
    const char* role = (m.flags & code::input) != 0    ? "input"
                       : (m.flags & code::output) != 0 ? "output"
                       : (m.flags & code::set) != 0    ? "constant"
                                                       : "scratch";
    std::string contents;
    for (const auto& c : m.contents) contents += text(contents.empty() ? "" : ", ", c);
    if (m.bindable() && m.tensor_desc_id < image.tensors.size())
      contents = std::string(image.tensors[m.tensor_desc_id].name);
    t.add({text(i), grouped(m.size), role, m.domain == 0 ? "system" : "SRAM", contents});
  }
  return t.print(most);
}

NVDLAC_IMPL std::string describe_places(const runtime::binding& b, bytes atom) {
  std::string s;
  for (const auto& line : layer::placement_lines(b, b.picture, atom))
    s += text("       in ", s.empty() ? "memory " : "the file ", line, '\n');
  for (const auto& line : layer::step_lines(b.scale, b.gain)) s += text("       ", line, '\n');
  return s;
}

NVDLAC_IMPL std::string describe(const runtime::binding& b) {
  std::string s = text(b.name, ' ', b.shape, ": ",
                       b.picture ? "pixels" : hw::name_of(b.surface.precision));
  if (!b.picture)
    s += text(" of scale ", b.scale,
              b.gain.empty() ? "" : " times what each channel has of its own");
  return b.preprocessing ? s + ", " + net::describe(*b.preprocessing) : s;
}

}  // namespace nvdlac::report
