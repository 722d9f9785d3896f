// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/tensorflow/conversion.hpp>
#include <nvdlac/import/translation/conversion.hpp>

namespace nvdlac::import::tensorflow_format {

NVDLAC_IMPL conversion::conversion(const tensorflow_format::node& from, const indices& inputs,
                                   const indices& outputs, values& all, tensors& of_graph,
                                   const blocks& crops)
    : translation::conversion(inputs, outputs, all),
      n(from), crops_ahead(crops), inputs_(inputs), outputs_(outputs), tensors_(of_graph) {}

NVDLAC_IMPL const blocks* conversion::cut(std::size_t i) const {
  const auto found = tensors_.cut().find(inputs_[i]);
  return found == tensors_.cut().end() ? nullptr : &found->second;
}

NVDLAC_IMPL void conversion::require_count(const char* attribute, std::size_t wanted) const {
  const auto given = n.integer(attribute, static_cast<std::int64_t>(wanted));
  if (std::cmp_not_equal(given, wanted))
    throw error(text("attribute '", attribute, "' is ", given, ", but it has ", wanted));
}

NVDLAC_IMPL std::int64_t conversion::single(std::size_t i, const char* what) const {
  const dims d = integers(i, what);
  if (d.size() != 1) throw error(text("its ", what, " is no single number"));
  return d[0];
}

NVDLAC_IMPL void conversion::pass(std::size_t i) const {
  if (is_constant(i)) return give_constant(constant(i, "values"));
  give(all().result(inputs_[i]));
}

NVDLAC_IMPL bool conversion::channels_first() const {
  const auto format = n.string("data_format", "NHWC");
  if (format == "NHWC" || format == "NCHW") return format == "NCHW";
  throw error(problem{.reason = "its data_format is " + format,
                      .remedy = "NHWC and NCHW are supported"});
}

NVDLAC_IMPL translation::window conversion::window() const {
  using kind = translation::window::padding;
  translation::window w{.channels_first = channels_first()};
  w.strides = spatial("strides", w, true);
  w.dilations = spatial("dilations", w, false);
  const auto padding = n.string("padding", "");
  if (padding != "SAME" && padding != "VALID" && padding != "EXPLICIT")
    throw error(text("its padding is '", padding, "'"));
  w.kind = padding == "SAME" ? kind::same : padding == "VALID" ? kind::valid : kind::given;
  const dims explicit_pads = n.integers("explicit_paddings").value_or(dims{});
  if (w.kind == kind::given) {
    if (explicit_pads.size() != 8) throw error("its explicit_paddings are no 8 numbers");
    const auto at = 2 * w.first_axis();
    w.pads = {explicit_pads[at], explicit_pads[at + 2], explicit_pads[at + 1],
              explicit_pads[at + 3]};
    for (std::size_t i = 0; i < 8; ++i)
      if (explicit_pads[i] < 0 || ((i < at || i >= at + 4) && explicit_pads[i] != 0))
        throw error(text("its explicit_paddings are ", onnx_format::to_text(explicit_pads)));
  } else if (!explicit_pads.empty()) {
    throw error("it has explicit_paddings, but its padding is " + padding);
  }
  return w;
}

NVDLAC_IMPL dims conversion::spatial(const char* attribute, const translation::window& w,
                                     bool required) const {
  const auto given = n.integers(attribute);
  if (!given && !required) return {1, 1};
  if (!given || given->size() != 4)
    throw error(text("its ", attribute, " are no 4 numbers"));
  for (const std::size_t i : {std::size_t{0}, w.channel_axis()})
    if ((*given)[i] != 1)
      throw error(text("its ", attribute, " are ", onnx_format::to_text(*given)));
  return {(*given)[w.first_axis()], (*given)[w.first_axis() + 1]};
}

}  // namespace nvdlac::import::tensorflow_format
