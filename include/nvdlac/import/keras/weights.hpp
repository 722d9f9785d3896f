// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where the weights of layers stand in an HDF5 file.
#include <nvdlac/import/hdf5.hpp>
#include <nvdlac/import/keras/layer.hpp>

#ifdef NVDLAC_KERAS
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nvdlac::import::keras_format {

// Keras 3's name of a class in its files: MaxPooling2D is max_pooling2d.
inline std::string in_snake_case(const std::string& name) {
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

class weights_file {
 public:
  explicit weights_file(const std::string& content) : file_(content) {
    if (file_.words("", "layer_names") || file_.words("", "layer_names0")) root_ = "";
    else if (file_.has("model_weights")) root_ = "model_weights";
    else by_groups_ = true;
    if (by_groups_) index("", "", 0);
  }

  const hdf5_file& file() const { return file_; }
  // Text that a whole model has; nothing: this is none, or one without it.
  std::optional<std::string> text_of(const char* attribute) const {
    auto w = file_.word("", attribute);
    return w || root_.empty() ? w : file_.word(root_, attribute);
  }
  // Whether the names of TensorFlow's tensors betray who wrote the file, which Keras 1 does not
  // tell.
  bool has_tensorflow_names() const {
    for (const auto& group : file_.children(root_))
      for (const auto& name : file_.list(root_ + '/' + group, "weight_names").value_or(
               std::vector<std::string>{}))
        return name.ends_with(":0");
    return true;
  }

  // The datasets of a layer, in the layer's order.
  std::vector<std::string> of(const layer& l) const {
    return by_groups_ ? numbered(l) : named(l);
  }

 private:
  // As Keras 1 and 2 write: a group for each layer of the outermost model, with the names of the
  // weights in their order. A model's group has the weights of all its layers.
  std::vector<std::string> named(const layer& l) const {
    const layer* top = &l;
    while (top->parent != nullptr && top->parent->parent != nullptr) top = top->parent;
    const auto group = root_ + '/' + top->name;
    std::vector<std::string> found;
    if (!file_.has(group)) return found;
    const auto names = file_.list(group, "weight_names").value_or(std::vector<std::string>{});
    require_within(&budget::nodes, names.size());
    for (const auto& name : names)
      if (top == &l || is_of(name, l)) found.push_back(group + '/' + name);
    if (top != &l) require_one(*top, l);
    return found;
  }
  // "block/conv/kernel:0" is the kernel of conv.
  static bool is_of(const std::string& weight, const layer& l) {
    const auto last = weight.rfind('/');
    if (last == weight.npos) return false;
    const auto owner = weight.substr(0, last);
    return owner == l.name || owner.ends_with('/' + l.name);
  }
  static void require_one(const layer& in, const layer& l) {
    if (count(in, l.name) > 1)
      throw error(problem{.reason = "several layers in the model '" + in.name +
                                    "' have its name, and the file does not tell whose weights "
                                    "are which",
                          .remedy = "save the model as a .keras file"});
  }
  static std::size_t count(const layer& in, const std::string& name) {
    std::size_t n = 0;
    for (const auto& l : in.layers) n += l->is_model ? count(*l, name) : l->name == name ? 1 : 0;
    return n;
  }

  // As Keras 3 writes: groups by class and number, with numbered weights. Paths are kept as they
  // should be and as they are: some have a \ within a name.
  void index(const std::string& path, const std::string& shown, int depth) {
    if (depth > 40) return;
    for (const auto& name : file_.children(path)) {
      require_within(&budget::fields, all_.size() + 1);
      const auto below = path + '/' + name;
      auto as_shown = shown + '/' + name;
      std::ranges::replace(as_shown, '\\', '/');
      all_[as_shown] = below;
      if (file_.is_group(below)) index(below, as_shown, depth + 1);
    }
  }
  std::vector<std::string> children(const std::string& shown) const {
    std::vector<std::string> names;
    const auto start = shown + '/';
    for (auto i = all_.lower_bound(start); i != all_.end() && i->first.starts_with(start); ++i) {
      auto name = i->first.substr(start.size());
      name = name.substr(0, name.find('/'));
      if (names.empty() || names.back() != name) names.push_back(std::move(name));
    }
    return names;
  }
  std::string group_of(const layer& l) const {
    if (l.parent == nullptr) return "";
    const auto& around = groups_in(*l.parent);
    const auto found = around.find(&l);
    return found == around.end() ? "/?" : found->second;
  }
  using groups = std::map<const layer*, std::string>;
  const groups& groups_in(const layer& model) const {
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
  groups matched(const layer& model, const std::string& container,
                 const std::vector<std::string>& names) const {
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
    for (const auto& [name, layers] : by_class) {
      std::map<std::size_t, std::string> numbered;
      for (const auto& n : names)
        if (const auto k = number_behind(n, name)) numbered[*k] = container + '/' + n;
      if (numbered.size() != layers.size()) continue;
      auto next = numbered.begin();
      for (const auto* l : layers) found[l] = (next++)->second;
    }
    return found;
  }
  // conv2d_3: 3; conv2d: 0
  static std::optional<std::size_t> number_behind(const std::string& name,
                                                  const std::string& start) {
    if (!name.starts_with(start)) return std::nullopt;
    const auto rest = name.substr(start.size());
    if (rest.empty()) return 0;
    if (rest.size() < 2 || rest.size() > 9 || rest[0] != '_' ||
        !std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; }))
      return std::nullopt;
    return std::stoul(rest.substr(1));
  }
  std::vector<std::string> numbered(const layer& l) const {
    std::vector<std::string> found;
    const auto vars = group_of(l) + "/vars/";
    for (std::size_t i = 0; i < 64; ++i) {
      const auto one = all_.find(vars + std::to_string(i));
      if (one == all_.end()) break;
      found.push_back(one->second);
    }
    return found;
  }

  hdf5_file file_;
  std::string root_{};
  bool by_groups_ = false;
  std::map<std::string, std::string> all_;
  mutable std::map<const layer*, groups> groups_;
};

}  // namespace nvdlac::import::keras_format
#endif
