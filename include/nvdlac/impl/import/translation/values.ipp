// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/onnx/movement.hpp>
#include <nvdlac/import/onnx/quantised.hpp>
#include <nvdlac/import/translation/values.hpp>

namespace nvdlac::import::translation {

NVDLAC_IMPL array channels_second(const array& a,
                                  const onnx_format::element_ceiling& most) {
  return onnx_format::apply(a, onnx_format::transpose(a.shape, {0, 3, 1, 2}, most));
}

NVDLAC_IMPL std::int64_t axis_with_channels_second(std::int64_t axis) {
  return axis == 0 ? 0 : axis == 3 ? 1 : axis + 1;
}

NVDLAC_IMPL bool values::is_broken(std::int32_t index) const {
  const auto v = computed_.find(index);
  return v != computed_.end() && v->second.value.empty();
}

NVDLAC_IMPL const dims& values::shape(std::int32_t index) const {
  const tensor& t = at(index);
  if (t.has_shape) return t.shape;
  if (const auto f = folded_.find(index); f != folded_.end()) return f->second.shape;
  return computed_.at(index).shape;
}

NVDLAC_IMPL array values::constant(std::int32_t index, bool with_scale) {
  require_sound(index);
  array a = folded_.contains(index) ? folded_.at(index) : from_.constant(index, with_scale);
  // Small files can describe large constants; together they stay within what any network needs.
  elements_ += a.size();
  if (elements_ > std::size_t{1} << 28)
    throw error(text("the constants have more than ", std::size_t{1} << 28, " elements"));
  return a;
}

NVDLAC_IMPL const computed& values::result(std::int32_t index) const {
  require_sound(index);
  return computed_.at(index);
}

NVDLAC_IMPL void values::require_sound(std::int32_t index) const {
  const tensor& t = at(index);
  if (!t.wrong.empty()) throw error(text("its tensor '", t.name, "': ", t.wrong));
}

NVDLAC_IMPL std::string values::write(array a, const std::string& hint,
                                      std::int64_t integer_type) {
  auto name = fresh(hint);
  to_.constant(name, std::move(a), integer_type);
  return name;
}

NVDLAC_IMPL std::string values::node(const std::string& type, const std::string& name,
                                     const names& inputs,
                                     const std::vector<attribute>& attributes) {
  auto out = fresh(name);
  to_.node(type, name, inputs, {out}, attributes);
  return out;
}

NVDLAC_IMPL std::string values::on_grid(const tensor& t, std::string value) {
  if (!t.grid || !t.holds_integers) return value;
  const auto [scale, zero] = write_grid(t);
  const auto q = node("QuantizeLinear", t.name, {std::move(value), scale, zero});
  return node("DequantizeLinear", t.name, {q, scale, zero});
}

NVDLAC_IMPL std::string values::off_grid(const tensor& t, std::string value) {
  const auto [scale, zero] = write_grid(t);
  return node("DequantizeLinear", t.name, {std::move(value), scale, zero});
}

NVDLAC_IMPL std::pair<std::string, std::string> values::write_grid(const tensor& t) {
  if (t.grid->scales.size() != 1)
    throw error(text("its tensor '", t.name, "' is computed but has several scales"));
  auto scale = write_number(t.grid->scales[0], t.name);
  return {std::move(scale),
          write(array::of_integers({}, {t.grid->zeros[0]}), t.name, t.onnx_type)};
}

}  // namespace nvdlac::import::translation
