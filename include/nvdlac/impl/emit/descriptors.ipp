// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/emit/cdp_descriptor.hpp>
#include <nvdlac/emit/convolution_descriptor.hpp>
#include <nvdlac/emit/descriptor.hpp>
#include <nvdlac/emit/descriptors.hpp>
#include <nvdlac/emit/firmware.hpp>
#include <nvdlac/emit/host_descriptor.hpp>
#include <nvdlac/emit/lut_descriptor.hpp>
#include <nvdlac/emit/pdp_descriptor.hpp>
#include <nvdlac/emit/rubik_descriptor.hpp>
#include <nvdlac/emit/sdp_descriptor.hpp>
#include <nvdlac/layer/layer.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL layer::any decode(unsigned type, std::span<const std::uint8_t> operations,
                              std::span<const std::uint8_t> surfaces, std::size_t index) {
  layer::any result;
  const auto is = [&]<class Layer>(std::type_identity<Layer>) {
    if constexpr (layer::on_engine<Layer>) {
      if (type != layer::index(layer::engine<Layer>::number)) return false;
      descriptor_of<Layer> d;
      d.op = read_record<decltype(d.op)>(operations, index, firmware::operation_bytes);
      d.surface = read_record<decltype(d.surface)>(surfaces, index, firmware::surface_bytes);
      result = decode(d);
      return true;
    }
    return false;
  };
  try {
    if (!any_of(layer::kinds{}, is))
      throw error(text("the operation type ", type, " is not supported"));
    return result;
  } catch (const error& e) {
    throw error(problem{.layer = text("operation ", index), .reason = e.problems().front().reason});
  }
}

}  // namespace nvdlac::emit
