// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nvdlac/base/impl.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/quant/keeping_more.hpp>
#include <nvdlac/quantised/graph.hpp>

namespace nvdlac::quant {

NVDLAC_IMPL std::string keeping_more(const quantised::graph& integers) {
  bool int8 = false, int16 = false;
  for (quantised::graph::id n = 0; n < integers.size(); ++n) {
    int8 = int8 || integers[n].precision == hw::precision::int8;
    int16 = int16 || integers[n].precision == hw::precision::int16;
  }
  if (int8)
    return "where the configuration has them, int16 keeps more than int8 and fp16 more than both "
           "(--precision); in int8 --effort 2 helps, too";
  if (int16)
    return "where the configuration has fp16, it keeps small values beside large ones, in all "
           "layers (--precision fp16) or in single ones (--precision int16,LAYER=fp16)";
  return "fp16 rounds to 11 bits: where the configuration has int16, layers whose values are of "
         "one size keep more in it (--precision fp16,LAYER=int16), and factors in the network "
         "bring values between 6e-5 and 65504";
}

}  // namespace nvdlac::quant
