// SPDX-License-Identifier: Apache-2.0
#include "shrink_model.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace nvdlac::judge {
namespace {

bool is_output(const model& m, const std::string& name) {
  return std::ranges::any_of(m.outputs, [&](const value& v) { return v.name == name; });
}

// Only this tensor is an output.
model up_to(model m, const std::string& name) {
  m.outputs = {{name, {}}};
  return pruned(std::move(m));
}
// The user gives what node n computes.
std::optional<model> from(model m, std::size_t n) {
  const auto& outputs = m.nodes[n].outputs;
  std::vector<value> given;
  for (const auto& name : outputs) {
    const auto shape = m.shapes.find(name);
    if (shape == m.shapes.end() || shape->second.empty() || is_output(m, name)) return std::nullopt;
    given.push_back({name, shape->second});
  }
  m.nodes.erase(m.nodes.begin() + static_cast<std::ptrdiff_t>(n));
  m.inputs.insert(m.inputs.end(), given.begin(), given.end());
  return pruned(std::move(m));
}
// Readers of node n read what it reads.
std::optional<model> around(model m, std::size_t n) {
  const auto& it = m.nodes[n];
  if (it.inputs.empty() || it.outputs.size() != 1) return std::nullopt;
  const auto in = it.inputs[0], out = it.outputs[0];
  const bool computed = std::ranges::any_of(m.nodes, [&](const node& other) {
    return std::ranges::find(other.outputs, in) != other.outputs.end();
  });
  if (is_output(m, out) && (!computed || is_output(m, in))) return std::nullopt;
  m.nodes.erase(m.nodes.begin() + static_cast<std::ptrdiff_t>(n));
  for (auto& other : m.nodes) std::ranges::replace(other.inputs, out, in);
  for (auto& o : m.outputs)
    if (o.name == out) o.name = in;
  return pruned(std::move(m));
}

class shrinker {
 public:
  shrinker(model m, const std::function<bool(const model&)>& fails, std::size_t most)
      : m_(std::move(m)), fails_(fails), left_(most) {}

  model run() {
    while (leave_out_nodes() || leave_out_details()) {}
    while (make_planes_smaller()) {}
    return std::move(m_);
  }

 private:
  bool takes(std::optional<model> candidate) {
    if (!candidate || candidate->nodes.empty() || candidate->outputs.empty() || left_ == 0)
      return false;
    --left_;
    if (!fails_(*candidate)) return false;
    m_ = std::move(*candidate);
    return true;
  }
  bool leave_out_nodes() {
    const auto size = m_.nodes.size();
    for (std::size_t o = 0; m_.outputs.size() > 1 && o < m_.outputs.size(); ++o) {
      if (takes(up_to(m_, m_.outputs[o].name))) return true;
      auto fewer = m_;
      fewer.outputs.erase(fewer.outputs.begin() + static_cast<std::ptrdiff_t>(o));
      if (takes(pruned(std::move(fewer)))) return true;
    }
    for (std::size_t n = 0; n < size; ++n)
      if (m_.nodes[n].outputs.size() == 1 && m_.shapes.contains(m_.nodes[n].outputs[0]) &&
          !is_output(m_, m_.nodes[n].outputs[0])) {
        auto shorter = up_to(m_, m_.nodes[n].outputs[0]);
        if (shorter.nodes.size() < size && takes(std::move(shorter))) return true;
      }
    for (std::size_t n = size; n-- > 0;) {
      auto later = from(m_, n);
      if (later && later->nodes.size() < size && takes(std::move(later))) return true;
      if (takes(around(m_, n))) return true;
    }
    return false;
  }
  bool leave_out_details() {
    for (std::size_t n = 0; n < m_.nodes.size(); ++n) {
      const auto& it = m_.nodes[n];
      const std::size_t needed = it.type == "Clip" ? 1 : 2;  // its bounds may be left out
      if (it.inputs.size() > needed && it.type != "Concat") {
        auto fewer = m_;
        fewer.nodes[n].inputs.pop_back();
        if (takes(pruned(std::move(fewer)))) return true;
      }
      for (std::size_t a = 0; a < m_.nodes[n].attributes.size(); ++a) {
        auto fewer = m_;
        auto& attributes = fewer.nodes[n].attributes;
        attributes.erase(attributes.begin() + static_cast<std::ptrdiff_t>(a));
        if (takes(std::move(fewer))) return true;
      }
    }
    return false;
  }
  bool make_planes_smaller() {
    for (std::size_t i = 0; i < m_.inputs.size(); ++i)
      for (std::size_t d = 2; d < m_.inputs[i].shape.size(); ++d)
        for (const std::int64_t divisor : {2, 1}) {
          auto smaller = m_;
          auto& size = smaller.inputs[i].shape[d];
          const auto next = divisor == 2 ? size / 2 : size - 1;
          if (next < 1) continue;
          const auto before = m_.inputs[i].shape;
          size = next;
          for (auto& other : smaller.inputs)  // those that are read together
            if (other.shape == before) other.shape = smaller.inputs[i].shape;
          if (takes(std::move(smaller))) return true;
        }
    return false;
  }

  model m_;
  const std::function<bool(const model&)>& fails_;
  std::size_t left_;
};

}  // namespace

model pruned(model m) {
  std::set<std::string> needed;
  for (const auto& o : m.outputs) needed.insert(o.name);
  std::vector<node> kept;
  for (auto n = m.nodes.rbegin(); n != m.nodes.rend(); ++n) {
    if (std::ranges::none_of(n->outputs, [&](const auto& o) { return needed.contains(o); }))
      continue;
    needed.insert(n->inputs.begin(), n->inputs.end());
    kept.push_back(std::move(*n));
  }
  std::ranges::reverse(kept);
  m.nodes = std::move(kept);
  std::erase_if(m.constants, [&](const constant& c) { return !needed.contains(c.name); });
  auto inputs = m.inputs;
  std::erase_if(inputs, [&](const value& v) { return !needed.contains(v.name); });
  if (inputs.empty()) inputs = {m.inputs.front()};
  m.inputs = std::move(inputs);
  return m;
}

model shrunk(model m, const std::function<bool(const model&)>& fails, std::size_t most) {
  return shrinker(std::move(m), fails, most).run();
}

}  // namespace nvdlac::judge
