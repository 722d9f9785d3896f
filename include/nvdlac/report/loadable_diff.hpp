// SPDX-License-Identifier: Apache-2.0
#pragma once
// The differences of two loadables.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/visit.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/report/layer_rows.hpp>
#include <nvdlac/report/prediction.hpp>
#include <nvdlac/runtime/loaded_program.hpp>
#include <nvdlac/runtime/written_fields.hpp>

namespace nvdlac::report {

// One of two loadables, and the configuration that runs it.
struct loadable_side {
  std::string file{};  // its name
  std::vector<std::uint8_t> bytes{};
  emit::loadable_image image{};  // of the bytes, which it refers to
  std::string configuration{};
  hw::spec spec{};
  conditions given{};  // for which cycles are predicted
  // runtime::written_fields of the configuration.
  std::function<runtime::register_fields(const runtime::loaded_task&, std::size_t layer)>
      written_fields{};
};

// A loadable of Hw, with the memory that Hw was made for. Throws nvdlac::error for bytes that are
// none.
template <hw::hardware Hw>
loadable_side side_of(std::string file, std::vector<std::uint8_t> bytes) {
  loadable_side side{.file = std::move(file), .bytes = std::move(bytes),
                     .configuration = std::string(hw::name<Hw>()), .spec = Hw::spec,
                     .given = {.memory = cost::memory_of(Hw::spec)},
                     .written_fields = runtime::written_fields<Hw>};
  side.image = emit::read_loadable(side.bytes, side.file);
  return side;
}

// A number, a word or several numbers; monostate: it is not there.
using diff_value =
    std::variant<std::monostate, std::uint64_t, double, std::string, std::vector<double>>;

struct change {
  std::string what{};  // "cycles", "input data scale", "CSC.D_BANK.DATA_BANK"
  diff_value a{}, b{};
};

// A layer that both have, but not the same. A name stands for several layers where one is computed
// in parts.
struct changed_layer {
  std::string name{}, unit{};
  std::vector<change> fields{};
  // Weights and operands in bytes, and how many of them differ where there are as many.
  std::size_t bytes_a = 0, bytes_b = 0, different = 0;
};

// A layer that one of them has.
struct single_layer {
  std::string name{}, unit{};
};

// The differences of two loadables. Addresses are not listed: where nothing else differs, they do.
struct loadable_diff {
  std::string file_a{}, file_b{};
  bool same = false;       // byte for byte
  bool reordered = false;  // layers of both are in another order
  std::vector<change> changes{};  // of the whole
  std::vector<changed_layer> layers{};
  std::vector<single_layer> added{}, removed{};  // of B alone, of A alone
  std::size_t equal_layers = 0;
};

namespace detail {

std::size_t different_bytes(const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b);

// A loaded program with what is asked about its layers, in the order of the program.
struct loaded_side {
  using key = std::tuple<std::string, std::string, std::size_t>;  // name, unit, number of several
  struct part {
    key name{};
    std::map<std::string, diff_value> fields{};
    std::vector<std::uint8_t> constants{};
  };

  explicit loaded_side(const loadable_side& from);

  runtime::loaded_program program;
  prediction predicted{};
  std::vector<part> layers{};
  std::uint64_t macs = 0, weights = 0;

 private:
  static std::map<std::string, diff_value> fields_of(const layer_row& row,
                                                     const layer::layer& what);

  // The bytes of weights and operands that the layer reads, and of its table.
  std::vector<std::uint8_t> constants_of(const layer::layer& what,
                                         const runtime::loaded_task& task) const;
};

// Compares two loadables, one thing after the other.
class comparing {
 public:
  comparing(const loadable_side& a, const loadable_side& b);
  loadable_diff result() && { return std::move(found_); }

 private:
  static std::uint64_t size_of(const auto& list) { return list.size(); }

  void add(std::string what, diff_value a, diff_value b) {
    if (a != b) found_.changes.push_back({std::move(what), std::move(a), std::move(b)});
  }

  void compare_provenance(const emit::provenance& a, const emit::provenance& b);

  void compare_tensors(const char* kind, const std::vector<runtime::binding>& a,
                       const std::vector<runtime::binding>& b);

  void compare_layers(const loaded_side& a, const loaded_side& b);

  void compare_layer(const loaded_side::part& a, const loaded_side::part& b);

  loadable_diff found_{};
};

}  // namespace detail

// Compares two loadables: totals, tensors of the user, and layers by their names. Throws
// nvdlac::error for a loadable that its configuration does not run.
loadable_diff diff(const loadable_side& a, const loadable_side& b);

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/loadable_diff.ipp>
#endif
