// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/assembly.hpp>
#include <nvdlac/import/caffe/blob.hpp>
#include <nvdlac/import/caffe/context.hpp>
#include <nvdlac/import/caffe/layer.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL blob context::picture(assembly::id n) const {
  const net::shape s = net.shape(n);
  return {n, {1, s.c, s.h, s.w}};
}

NVDLAC_IMPL void context::note_weights(const layer& l, const error& e) {
  for (problem p : e.problems()) {
    p.line = l.line;
    p.layer = l.name;
    weight_problems.push_back(std::move(p));
  }
}

}  // namespace nvdlac::import::caffe_format
