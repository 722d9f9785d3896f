// SPDX-License-Identifier: Apache-2.0
#pragma once
// The context in which a section is converted: the sections of a cfg, and the weights.
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/random_weights.hpp>

namespace nvdlac::import::darknet_format {

// The text of a Darknet network: sections, and in each `key=value` on a line.

struct entry {
  std::string key{}, value{};
  std::size_t line = 0;
};

// One section. Where a value is not of the kind that is asked for, it throws `error` with the line.
struct section {
  std::string type{};  // without the brackets
  std::size_t line = 0;
  std::vector<entry> entries{};

  // The first one counts.
  const entry* find(std::string_view key) const;
  std::int64_t integer(std::string_view key, std::int64_t none) const;
  float real(std::string_view key, float none) const;
  std::string word(std::string_view key, std::string none) const;
  bool flag(std::string_view key) const { return integer(key, 0) != 0; }
  // Numbers with commas between them; a last comma is allowed, as Darknet's own files have it.
  std::vector<std::int64_t> integers(std::string_view key) const;

 private:
  template <class T>
  static T number(const entry& e, std::string_view s, const char* kind) {
    constexpr auto most = static_cast<T>(1 << 30);
    T v{};
    if (s.starts_with('+')) s.remove_prefix(1);
    const auto [end, failed] = std::from_chars(s.data(), s.data() + s.size(), v);
    const bool whole = failed == std::errc() && end == s.data() + s.size();
    if (!whole || !(v >= -most && v <= most))
      throw error(problem{.line = e.line, .reason = text(e.key, "=", e.value, " is not ", kind)});
    return v;
  }
};

// The sections in their order. What is no section and no `key=value` goes to `problems`. Spaces
// count nowhere; comments start with # or ;.
std::vector<section> sections_of(std::string_view content, diagnostics& problems,
                                 const budget& limits);

// The numbers of a .weights file, which have no names: layers take theirs in the order of the cfg.

using dims = std::vector<std::int64_t>;

class weights {
 public:
  // Noise, of no more than budget::weights in a layer.
  weights(random_weights r, std::uint64_t most) : random_(r), most_(most) {}
  // The content outlives it. Throws `error` unless there is a header and whole numbers behind it.
  weights(std::string file, std::string_view content);

  // Connected layers have their weights as [inputs][outputs].
  bool transposed() const { return transposed_; }
  // Whether all that was taken so far was there.
  bool sound() const { return !lacking_; }

  // The next values, as many as the shape has; none where the file has no more.
  std::vector<float> take(const std::string& layer, const dims& shape, const char* what);

  // Once all layers have theirs: too few values or too many.
  std::optional<problem> wrong() const;

 private:
  static constexpr std::int64_t most_version = 1 << 16;

  std::int64_t integer();
  static std::int64_t sum(std::int64_t a, std::int64_t b);

  struct lack {
    std::string layer;
    const char* what;
  };

  std::string file_{};
  std::string_view rest_{};
  std::optional<random_weights> random_{};
  std::uint64_t most_ = 0;  // of noise
  bool header_ = true, transposed_ = false;
  std::int64_t needed_ = 0, missing_ = 0;
  std::optional<lack> lacking_{};
  std::string layer_{};
  std::uint32_t number_ = 0;  // of the layer's next array
};

using id = assembly::id;

// The result of a section: a node; none if it is a head, which the host computes, or has a problem.
struct given {
  std::optional<id> node{};
  bool is_head = false;
};

// A section that is being read. The index counts sections from 0, [net] not among them.
struct context {
  const section& s;
  std::string name;  // of the layer: type_index
  std::size_t index;
  const std::vector<given>& before;  // what the sections before it give
  id first;                          // the network's input
  float epsilon;                     // of batch normalisation
  assembly& net;
  darknet_format::weights& weights;

  id input() const { return index == 0 ? first : earlier(-1); }
  // A layer by its index, or counted back from this one.
  id earlier(std::int64_t i) const;
  const net::shape& shape(id n) const { return net.shape(n); }

  // A number of a window or of channels.
  std::int32_t small(std::string_view key, std::int64_t none, std::int64_t least = 1) const;
  // Options that change what a layer computes, and are not supported.
  void refuse(std::initializer_list<std::string_view> keys) const;
  std::size_t line_of(std::string_view key) const;

  // The last node of a layer has its name, those before it a suffix.
  std::string step(bool last, const char* suffix) const { return last ? name : name + suffix; }
  template <class Op>
  id add(const std::string& node, Op op, const std::vector<id>& inputs) const {
    return net.add(node, std::move(op), inputs, s.line, weights.sound());
  }
  // Elements that change their places, to a cube of c x h x w.
  id move(const std::string& node, id x, const onnx_format::movement& m) const;
  onnx_format::element_ceiling ceiling() const {
    return onnx_format::element_ceiling(net.limits());
  }
};

inline dims dims_of(const net::shape& s) { return {s.c, s.h, s.w}; }

// The functions of `activation=`, each as nodes of which the last has the given name.
using function_writer = id (*)(const context&, const std::string& name, id x);

const std::map<std::string_view, function_writer>& functions();

// The function of a layer. Darknet's code for mish and swish belongs to some layers alone.
std::string function_of(const context& c, const char* none, bool gates = false);
id activated(const context& c, const std::string& function, id x);

}  // namespace nvdlac::import::darknet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet/context.ipp>
#endif
