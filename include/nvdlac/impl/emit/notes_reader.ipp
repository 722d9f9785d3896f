// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/flat_table.hpp>
#include <nvdlac/emit/loadable_notes.hpp>
#include <nvdlac/emit/notes_reader.hpp>
#include <nvdlac/emit/notes_schema.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::emit {

namespace detail {

NVDLAC_IMPL bool flat_noted_pixels::fields(flatbuffers::Verifier& v) const {
  return array<std::int16_t>(v, f::mean) && scalar<std::int32_t>(v, f::offset) &&
         scalar<std::int16_t>(v, f::scale) && scalar<std::uint8_t>(v, f::shift);
}

NVDLAC_IMPL bool flat_noted_preprocessing::fields(flatbuffers::Verifier& v) const {
  return array<double>(v, f::mean) && array<double>(v, f::scale) &&
         scalar<std::uint8_t>(v, f::order) && scalar<std::uint8_t>(v, f::resize) &&
         scalar<std::int32_t>(v, f::side) && scalar<std::int32_t>(v, f::crop);
}

NVDLAC_IMPL bool flat_noted_file_tensor::fields(flatbuffers::Verifier& v) const {
  return string(v, f::name) && array<std::int32_t>(v, f::shape) &&
         array<std::int32_t>(v, f::counts) && array<std::int32_t>(v, f::strides) &&
         scalar<std::int32_t>(v, f::place) && scalar<std::int32_t>(v, f::first) &&
         array<std::int32_t>(v, f::spread);
}

NVDLAC_IMPL bool flat_noted_tensor::fields(flatbuffers::Verifier& v) const {
  return string(v, f::name) && scalar<std::int32_t>(v, f::c) && scalar<std::int32_t>(v, f::h) &&
         scalar<std::int32_t>(v, f::w) && scalar<double>(v, f::scale) &&
         table<flat_noted_pixels>(v, f::pixels) &&
         table<flat_noted_preprocessing>(v, f::preprocessing) &&
         tables<flat_noted_file_tensor>(v, f::in_file) && array<double>(v, f::gain);
}

NVDLAC_IMPL bool flat_noted_part::fields(flatbuffers::Verifier& v) const {
  return scalar<std::uint32_t>(v, f::operation) && string(v, f::layer) &&
         scalar<std::int32_t>(v, f::first) && scalar<std::int32_t>(v, f::channels) &&
         scalar<double>(v, f::scale) && scalar<std::int32_t>(v, f::zero);
}

NVDLAC_IMPL bool flat_noted_task::fields(flatbuffers::Verifier& v) const {
  return strings(v, f::layers) && array<double>(v, f::scales) &&
         array<std::int32_t>(v, f::zeros) && tables<flat_noted_part>(v, f::parts);
}

NVDLAC_IMPL bool flat_noted_call::fields(flatbuffers::Verifier& v) const {
  return string(v, f::layer) && tables<flat_noted_parameter>(v, f::parameters) &&
         array<double>(v, f::input_scales) && scalar<double>(v, f::output_scale);
}

NVDLAC_IMPL bool flat_noted_source::fields(flatbuffers::Verifier& v) const {
  return string(v, f::role) && array<std::uint8_t>(v, f::sha256) &&
         scalar<std::uint32_t>(v, f::count);
}

NVDLAC_IMPL bool flat_noted_provenance::fields(flatbuffers::Verifier& v) const {
  return string(v, f::version) && string(v, f::commit) && strings(v, f::options) &&
         tables<flat_noted_source>(v, f::sources);
}

NVDLAC_IMPL bool flat_notes::fields(flatbuffers::Verifier& v) const {
  return string(v, f::network) && string(v, f::hardware) &&
         array<std::uint32_t>(v, f::parameters) && tables<flat_noted_tensor>(v, f::inputs) &&
         tables<flat_noted_tensor>(v, f::outputs) && tables<flat_noted_task>(v, f::tasks) &&
         tables<flat_noted_call>(v, f::calls) && table<flat_noted_provenance>(v, f::made_from) &&
         scalar<std::uint8_t>(v, f::transposed);
}

NVDLAC_IMPL notes_reader::notes_reader(std::span<const std::uint8_t> bytes) {
  // Fields are read where they are, so they must be aligned in memory as they are in the file.
  std::vector<std::uint64_t> aligned(bytes.size() / 8 + 1);
  auto* const start = reinterpret_cast<std::uint8_t*>(aligned.data());
  std::ranges::copy(bytes, start);
  flatbuffers::Verifier verifier(start, bytes.size(), 8, 1000000);
  if (bytes.size() < 8 || !verifier.VerifyBuffer<flat_notes>(flat::notes_identifier)) fail();
  left_ = 4 * bytes.size() + 65536;
  read(*flatbuffers::GetRoot<flat_notes>(start));
}

NVDLAC_IMPL void notes_reader::take(std::size_t bytes) {
  if (bytes > left_) fail();
  left_ -= bytes;
}

NVDLAC_IMPL void notes_reader::read(const flat_notes& root) {
  using f = flat::notes;
  notes_.network = root.label_of(f::network);
  notes_.hardware = root.label_of(f::hardware);
  notes_.parameters = root.numbers<std::uint32_t>(f::parameters);
  if (notes_.hardware.empty()) fail();
  notes_.transposed = root.get<std::uint8_t>(f::transposed) != 0;
  if (const auto* calls = root.vector<flatbuffers::Offset<flat_noted_call>>(f::calls))
    for (const auto* c : *calls) notes_.calls.push_back(read(*c));
  read(root, f::inputs, notes_.inputs);
  read(root, f::outputs, notes_.outputs);
  for (const auto& in : notes_.inputs)
    if (std::ranges::any_of(in.in_file, &net::file_tensor::is_part)) fail();
  check_parts(notes_.outputs);
  if (const auto* tasks = root.vector<flatbuffers::Offset<flat_noted_task>>(f::tasks))
    for (const auto* t : *tasks) read(*t);
  if (const auto* p = root.table<flat_noted_provenance>(f::made_from)) notes_.made_from = read(*p);
}

NVDLAC_IMPL void notes_reader::read(const flat_noted_task& t) {
  using f = flat::noted_task;
  auto& names = notes_.layers.emplace_back();
  if (const auto* list = t.vector<flatbuffers::Offset<flatbuffers::String>>(f::layers))
    for (const auto* s : *list) {
      take(s->size() + 4);
      names.emplace_back(std::string_view(s->data(), s->size()));
    }
  const auto scales = t.numbers<double>(f::scales);
  const auto zeros = t.numbers<std::int32_t>(f::zeros);
  take(8 * scales.size() + 4 * zeros.size());
  if (scales.size() != zeros.size()) fail();
  if (!scales.empty() && scales.size() != names.size()) fail();
  auto& to = notes_.numbers.emplace_back();
  for (std::size_t i = 0; i < scales.size(); ++i) to.push_back(numbering(scales[i], zeros[i]));
  auto& parts = notes_.parts.emplace_back();
  if (const auto* list = t.vector<flatbuffers::Offset<flat_noted_part>>(f::parts))
    for (const auto* p : *list) parts.push_back(read(*p, names.size()));
}

NVDLAC_IMPL plan::numbering notes_reader::numbering(double scale, std::int32_t zero) const {
  if (!(scale >= 0 && scale <= std::numeric_limits<double>::max())) fail();
  if (zero < -32768 || zero > 32767) fail();
  return {scale, zero};
}

NVDLAC_IMPL loadable_notes::part notes_reader::read(const flat_noted_part& p,
                                                    std::size_t operations) {
  using f = flat::noted_part;
  loadable_notes::part to{.operation = p.get<std::uint32_t>(f::operation),
                          .layer = p.label_of(f::layer),
                          .first = p.get<std::int32_t>(f::first),
                          .channels = p.get<std::int32_t>(f::channels),
                          .numbers = numbering(p.get<double>(f::scale),
                                               p.get<std::int32_t>(f::zero))};
  take(to.layer.size() + 32);
  if (to.operation >= operations || to.first < 0 || to.channels < 1) fail();
  return to;
}

NVDLAC_IMPL void notes_reader::read(const flat_notes& root, flatbuffers::voffset_t field,
                                    std::vector<loadable_notes::tensor>& to) {
  const auto* list = root.vector<flatbuffers::Offset<flat_noted_tensor>>(field);
  if (list == nullptr) return;
  using f = flat::noted_tensor;
  for (const auto* t : *list) {
    loadable_notes::tensor n{.name = t->label_of(f::name),
                             .shape = {t->get<std::int32_t>(f::c), t->get<std::int32_t>(f::h),
                                       t->get<std::int32_t>(f::w)},
                             .scale = t->get<double>(f::scale),
                             .gain = t->numbers<double>(f::gain)};
    if (!net::fit_shape(n.shape).ok()) fail();
    take(n.name.size() + 8 * n.gain.size() + 4);
    if (!n.gain.empty() && std::cmp_not_equal(n.gain.size(), n.shape.c)) fail();
    if (const auto* p = t->table<flat_noted_pixels>(f::pixels)) n.pixels = read(*p);
    if (const auto* p = t->table<flat_noted_preprocessing>(f::preprocessing))
      n.preprocessing = read(*p);
    if (const auto* forms = t->vector<flatbuffers::Offset<flat_noted_file_tensor>>(f::in_file))
      for (const auto* form : *forms) n.in_file.push_back(read(*form, n.shape));
    to.push_back(std::move(n));
  }
}

NVDLAC_IMPL loadable_notes::call notes_reader::read(const flat_noted_call& c) {
  using f = flat::noted_call;
  loadable_notes::call to{.what = {.layer = c.label_of(f::layer)},
                          .input_scales = c.numbers<double>(f::input_scales),
                          .output_scale = c.get<double>(f::output_scale)};
  take(to.what.layer.size() + 8 * to.input_scales.size() + 4);
  if (const auto* list = c.vector<flatbuffers::Offset<flat_noted_parameter>>(f::parameters))
    for (const auto* p : *list) {
      to.what.parameters.push_back({.name = p->label_of(flat::noted_parameter::name),
                                    .values =
                                        p->numbers<double>(flat::noted_parameter::values)});
      const auto& last = to.what.parameters.back();
      take(last.name.size() + 8 * last.values.size() + 4);
    }
  return to;
}

NVDLAC_IMPL provenance notes_reader::read(const flat_noted_provenance& p) {
  using f = flat::noted_provenance;
  provenance to{.version = p.label_of(f::version), .commit = p.label_of(f::commit)};
  take(to.version.size() + to.commit.size() + 8);
  if (const auto* list = p.vector<flatbuffers::Offset<flatbuffers::String>>(f::options))
    for (const auto* s : *list) {
      take(s->size() + 4);
      to.options.emplace_back(std::string_view(s->data(), s->size()));
    }
  if (const auto* list = p.vector<flatbuffers::Offset<flat_noted_source>>(f::sources))
    for (const auto* s : *list) {
      using of = flat::noted_source;
      const auto sha256 = s->numbers<std::uint8_t>(of::sha256);
      provenance::source one{.role = s->label_of(of::role),
                             .count = s->get<std::uint32_t>(of::count)};
      take(one.role.size() + sha256.size() + 8);
      if (sha256.size() != one.sha256.bytes.size()) fail();
      std::ranges::copy(sha256, one.sha256.bytes.begin());
      to.sources.push_back(std::move(one));
    }
  return to;
}

NVDLAC_IMPL net::file_tensor notes_reader::read(const flat_noted_file_tensor& t,
                                                const net::shape& cube) {
  using f = flat::noted_file_tensor;
  net::file_tensor to{.name = t.label_of(f::name), .shape = t.numbers<std::int32_t>(f::shape),
                      .place = t.get<std::int32_t>(f::place),
                      .first = t.get<std::int32_t>(f::first),
                      .spread = t.numbers<std::int32_t>(f::spread)};
  const auto counts = t.numbers<std::int32_t>(f::counts);
  const auto strides = t.numbers<std::int32_t>(f::strides);
  take(to.name.size() +
       4 * (to.shape.size() + counts.size() + strides.size() + to.spread.size()) + 4);
  if (counts.size() != strides.size()) fail();
  for (std::size_t i = 0; i < counts.size(); ++i) to.walk.push_back({counts[i], strides[i]});
  if (!to.fits(cube)) fail();
  return to;
}

NVDLAC_IMPL void notes_reader::check_parts(const std::vector<loadable_notes::tensor>& all) {
  std::map<std::int32_t, std::pair<std::vector<std::int32_t>, std::size_t>> held;  // by place
  for (const auto& t : all)
    for (const auto& form : t.in_file) {
      if (!form.is_part()) continue;
      auto& [shape, elements] = held.try_emplace(form.place, form.shape, 0).first->second;
      if (shape != form.shape) fail();
      elements += t.shape.size();
    }
  for (const auto& [place, whole] : held)
    if (net::file_tensor{.shape = whole.first}.size() != whole.second) fail();
}

NVDLAC_IMPL quantised::pixels notes_reader::read(const flat_noted_pixels& p) {
  using f = flat::noted_pixels;
  quantised::pixels to{.cvt = {p.get<std::int32_t>(f::offset), p.get<std::int16_t>(f::scale),
                                  p.get<std::uint8_t>(f::shift)}};
  const auto mean = p.numbers<std::int16_t>(f::mean);
  if (mean.size() != to.mean.size()) fail();
  std::ranges::copy(mean, to.mean.begin());
  return to;
}

NVDLAC_IMPL net::preprocessing notes_reader::read(const flat_noted_preprocessing& p) {
  using f = flat::noted_preprocessing;
  const auto order = p.get<std::uint8_t>(f::order);
  if (order > static_cast<std::uint8_t>(net::channel_order::grey)) fail();
  const auto resize = p.get<std::uint8_t>(f::resize);
  const net::picture_size size{static_cast<net::resizing>(resize), p.get<std::int32_t>(f::side),
                               p.get<std::int32_t>(f::crop)};
  if (resize > static_cast<std::uint8_t>(net::resizing::shorter) || size.side < 0 ||
      size.crop < 0)
    fail();
  net::preprocessing to{p.numbers<double>(f::mean), p.numbers<double>(f::scale),
                        static_cast<net::channel_order>(order), size};
  take(8 * (to.mean.size() + to.scale.size()));
  return to;
}

}  // namespace detail

NVDLAC_IMPL loadable_notes read_notes(std::span<const std::uint8_t> bytes) {
  return detail::notes_reader(bytes).take();
}

}  // namespace nvdlac::emit
