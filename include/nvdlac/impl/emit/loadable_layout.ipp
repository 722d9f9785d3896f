// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/loadable_layout.hpp>

namespace nvdlac::emit::detail {

NVDLAC_IMPL problem loadable_builder::in_layer(const label& name, const error& e) {
  problem p = e.problems().front();
  p.layer = name;
  return p;
}

}  // namespace nvdlac::emit::detail
