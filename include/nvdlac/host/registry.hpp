// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/error.hpp>
#include <nvdlac/host/layer.hpp>
#include <nvdlac/host/standard.hpp>

namespace nvdlac::host {

// The layers that the host can compute, by name: nvdlac's own and those that the user adds.
class registry {
 public:
  registry() {
    const auto add_all = [&]<class Op>(std::type_identity<Op>) { add<Op>(); };
    for_each(net_operators{}, add_all);
    for (std::size_t f = 0; f < net::functions.size(); ++f)
      add(layer_of(static_cast<net::function>(f)));
    for_each(host_operators{}, add_all);
  }

  // A name that is taken, or empty, is an `error`.
  void add(layer l) {
    if (l.name.empty() || !l.infer || !l.evaluate)
      throw error("a layer of the host needs a name, a shape rule and a computation");
    std::string name = l.name;
    if (!layers_.emplace(name, std::move(l)).second)
      throw error(text("the host has a layer '", name, "' already"));
  }
  // The layer of an operator.
  template <net::operation Op>
  void add() { add(layer_of<Op>()); }

  // Null if there is none.
  const layer* find(std::string_view name) const {
    const auto found = layers_.find(name);
    return found == layers_.end() ? nullptr : &found->second;
  }
  const layer& get(std::string_view name) const {
    const auto* found = find(name);
    if (found == nullptr)
      throw error(problem{.reason = text("the host has no layer '", name, "'"),
                          .remedy = "register it: host::layers().add(..)"});
    return *found;
  }
  std::vector<std::string_view> names() const {
    std::vector<std::string_view> result;
    for (const auto& [name, ignored] : layers_) result.push_back(name);
    return result;
  }

 private:
  std::map<std::string, layer, std::less<>> layers_{};
};

// The one registry of the program. It is not locked: add layers before threads use it.
inline registry& layers() {
  static registry all;
  return all;
}

}  // namespace nvdlac::host
