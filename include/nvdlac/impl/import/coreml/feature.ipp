// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/coreml/feature.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/input.hpp>

namespace nvdlac::import::coreml_format {

NVDLAC_IMPL feature feature_of(const proto::view& described, const part& wanted) {
  feature f{.name = described.string("name")};
  const auto type = described.child("type");
  if (type.has("imageType")) {
    const auto image = type.child("imageType");
    const auto colours = image.integer("colorSpace");
    f.picture = colours == 10   ? net::channel_order::grey
                : colours == 30 ? net::channel_order::bgr
                                : net::channel_order::rgb;
    if (colours != 10 && colours != 20 && colours != 30)
      throw error(problem{.reason = text("its pictures have the color space ", colours),
                          .remedy = "grey, RGB and BGR pictures of bytes are supported"});
    f.shape = dims{1, colours == 10 ? 1 : 3, image.integer("height"), image.integer("width")};
    return f;
  }
  if (!type.has("multiArrayType"))
    throw error(problem{.reason = "this input is neither a picture nor an array",
                        .remedy = "pictures and arrays are supported"});
  const auto array = type.child("multiArrayType");
  auto shape = array.values<std::int64_t>("shape");
  f.flexible = array.has("enumeratedShapes") || array.has("shapeRange");
  if (shape.empty() && array.has("enumeratedShapes"))
    if (const auto first = array.child("enumeratedShapes").children("shapes"); !first.empty())
      shape = first.front().values<std::int64_t>("shape");
  if (shape.empty())
    for (const auto& range : array.child("shapeRange").children("sizeRanges"))
      shape.push_back(range.integer("lowerBound"));
  if (!shape.empty() && !(f.flexible && wanted.shapes.contains(f.name))) f.shape = shape;
  return f;
}

}  // namespace nvdlac::import::coreml_format
