// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/keras/description.hpp>
#include <nvdlac/import/keras/layer.hpp>
#include <nvdlac/import/keras/weights_file.hpp>

#ifdef NVDLAC_KERAS

namespace nvdlac::import::keras_format {

NVDLAC_IMPL std::string in_snake_case(const std::string& name) {
  std::string s;
  const auto is = [&](std::size_t i, int (*kind)(int)) {
    return i < name.size() && kind(static_cast<unsigned char>(name[i])) != 0;
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool starts_word = is(i, std::isupper) && is(i + 1, std::islower);
    const bool follows_small = i > 0 && is(i - 1, std::islower) && is(i, std::isupper);
    if (i > 0 && (starts_word || follows_small)) s += '_';
    s += static_cast<char>(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return s;
}

NVDLAC_IMPL weights_file::weights_file(const std::string& content, const budget& limits)
    : most_nodes_(limits.nodes), file_(content, limits) {
  if (file_.words("", "layer_names") || file_.words("", "layer_names0")) root_ = "";
  else if (file_.has("model_weights")) root_ = "model_weights";
  else by_groups_ = true;
  if (by_groups_) index();
}

NVDLAC_IMPL std::optional<std::string> weights_file::text_of(const char* attribute) const {
  auto w = file_.word("", attribute);
  return w || root_.empty() ? w : file_.word(root_, attribute);
}

NVDLAC_IMPL bool weights_file::has_tensorflow_names() const {
  for (const auto& group : file_.children(root_))
    for (const auto& name : file_.list(root_ + '/' + group, "weight_names").value_or(
             std::vector<std::string>{}))
      return name.ends_with(":0");
  return true;
}

NVDLAC_IMPL std::vector<std::string> weights_file::named(const layer& l) const {
  const layer* top = &l;
  while (top->parent != nullptr && top->parent->parent != nullptr) top = top->parent;
  const auto group = root_ + '/' + top->name;
  std::vector<std::string> found;
  if (!file_.has(group)) return found;
  if (top == &l) {
    for (const auto& name : names_in(group)) found.push_back(group + '/' + name);
    return found;
  }
  const auto [known, is_new] = within_.try_emplace(top);
  auto& all = known->second;
  if (is_new) {
    count(*top, all.layers);
    for (const auto& name : names_in(group))
      for (const auto& owner : owners_of(name)) all.weights[owner].push_back(name);
  }
  if (const auto mine = all.weights.find(l.name); mine != all.weights.end())
    for (const auto& name : mine->second) found.push_back(group + '/' + name);
  if (all.layers[l.name] > 1)
    throw error(problem{.reason = "several layers in the model '" + top->name +
                                  "' have its name, and the file does not tell whose weights "
                                  "are which",
                        .remedy = "save the model as a .keras file"});
  return found;
}

NVDLAC_IMPL std::vector<std::string> weights_file::names_in(const std::string& group) const {
  auto names = file_.list(group, "weight_names").value_or(std::vector<std::string>{});
  require_within(&budget::nodes, names.size(), most_nodes_);
  return names;
}

NVDLAC_IMPL std::vector<std::string> weights_file::owners_of(const std::string& weight) {
  std::vector<std::string> owners;
  const auto last = weight.rfind('/');
  if (last == weight.npos) return owners;
  auto whole = weight.substr(0, last);
  if (std::ranges::count(whole, '/') > deepest) return {whole};
  for (;;) {
    for (std::size_t from = 0;; from = whole.find('/', from) + 1) {
      owners.push_back(whole.substr(from));
      if (whole.find('/', from) == whole.npos) break;
    }
    // The cell of a recurrent layer stands within that layer, which may be one of two directions.
    const auto stroke = whole.rfind('/');
    if (stroke == whole.npos || owners.size() > 4 * deepest) return owners;
    const auto inner = whole.substr(stroke + 1);
    if (inner.find("_cell") == inner.npos && !inner.starts_with("forward_") &&
        !inner.starts_with("backward_"))
      return owners;
    whole.resize(stroke);
  }
}

NVDLAC_IMPL void weights_file::count(const layer& in, std::map<std::string, std::size_t>& names) {
  for (const auto& l : in.layers) {
    if (l->is_model) count(*l, names);
    else ++names[l->name];
  }
}

NVDLAC_IMPL void weights_file::index() {
  for (auto& path : file_.paths()) {
    if (path.ends_with('/')) path.pop_back();
    auto shown = path;
    std::ranges::replace(shown, '\\', '/');
    all_[shown] = std::move(path);
  }
}

NVDLAC_IMPL std::vector<std::string> weights_file::children(const std::string& shown) const {
  std::vector<std::string> names;
  const auto start = shown + '/';
  for (auto i = all_.lower_bound(start); i != all_.end() && i->first.starts_with(start); ++i) {
    auto name = i->first.substr(start.size());
    name = name.substr(0, name.find('/'));
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  return names;
}

NVDLAC_IMPL std::string weights_file::group_of(const layer& l) const {
  if (l.parent == nullptr) return "";
  const auto& around = groups_in(*l.parent);
  const auto found = around.find(&l);
  return found == around.end() ? "/?" : found->second;
}

NVDLAC_IMPL const weights_file::groups& weights_file::groups_in(const layer& model) const {
  const auto [known, is_new] = groups_.try_emplace(&model);
  if (!is_new) return known->second;
  const auto base = group_of(model);
  groups found;
  for (const char* container : {"/layers", "/_layer_checkpoint_dependencies"}) {
    const auto names = children(base + container);
    if (names.empty()) continue;
    found = matched(model, base + container, names);
    break;
  }
  return groups_[&model] = std::move(found);
}

NVDLAC_IMPL weights_file::groups weights_file::matched(
    const layer& model, const std::string& container, const std::vector<std::string>& names) const {
  groups found;
  std::map<std::string, std::string> by_name;
  for (const auto& n : names) {
    const auto vars = all_.find(container + '/' + n + "/vars");
    if (vars == all_.end()) continue;
    if (const auto name = file_.word(vars->second, "name"))
      by_name.emplace(*name, container + '/' + n);
  }
  if (!by_name.empty()) {
    for (const auto& l : model.layers)
      if (const auto g = by_name.find(l->name); g != by_name.end()) found[l.get()] = g->second;
    return found;
  }
  std::map<std::string, std::vector<const layer*>> by_class;
  for (const auto& l : model.layers) by_class[in_snake_case(l->class_name)].push_back(l.get());
  std::map<std::string, std::map<std::size_t, std::string>> numbered;
  for (const auto& n : names) {
    numbered[n][0] = container + '/' + n;
    if (const auto k = number_behind(n))
      numbered[n.substr(0, n.rfind('_'))][*k] = container + '/' + n;
  }
  for (const auto& [name, layers] : by_class) {
    const auto& groups_of_class = numbered[name];
    if (groups_of_class.size() != layers.size()) continue;
    auto next = groups_of_class.begin();
    for (const auto* l : layers) found[l] = (next++)->second;
  }
  return found;
}

NVDLAC_IMPL std::optional<std::size_t> weights_file::number_behind(const std::string& name) {
  const auto stroke = name.rfind('_');
  if (stroke == name.npos) return std::nullopt;
  const auto digits = name.substr(stroke + 1);
  if (digits.empty() || digits.size() > 8 ||
      digits.find_first_not_of("0123456789") != digits.npos)
    return std::nullopt;
  return std::stoul(digits);
}

NVDLAC_IMPL std::vector<std::string> weights_file::numbered(const layer& l) const {
  std::vector<std::string> found;
  for (const auto& group : groups_of(l, group_of(l)))
    for (std::size_t i = 0; i < 64; ++i) {
      const auto one = all_.find(group + "/vars/" + std::to_string(i));
      if (one == all_.end()) break;
      found.push_back(one->second);
    }
  return found;
}

NVDLAC_IMPL std::vector<std::string> weights_file::groups_of(const layer& l,
                                                             const std::string& own) {
  if (is_recurrent(l.class_name)) return {own, own + "/cell"};
  if (l.is_model || l.layers.empty()) return {own};
  if (l.layers.size() == 1) return groups_of(*l.layers[0], own + "/layer");
  auto both = groups_of(*l.layers[0], own + "/forward_layer");
  for (auto& g : groups_of(*l.layers[1], own + "/backward_layer")) both.push_back(std::move(g));
  return both;
}

}  // namespace nvdlac::import::keras_format

#endif
