// SPDX-License-Identifier: Apache-2.0
#pragma once
// Parameters of layers: numbers, and windows of convolutions and poolings.
#include <cstdint>
#include <string>

#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

// A parameter that becomes a 32-bit number of an operator.
std::int32_t small(std::int64_t n, const char* name);
std::int32_t small(const proto::view& p, const char* name, std::int64_t otherwise);

struct height_width {
  std::int32_t h, w;
};

// `name` (once, or once for height and width) or name_h and name_w.
height_width either(const proto::view& p, const std::string& name, const char* h, const char* w,
                    std::int64_t otherwise);

net::window make_window(const proto::view& p, const char* stride_what);

net::window convolution_window(const proto::view& p);

void require_no_window(const proto::view& p);

// Caffe's rounding up of the output size differs from the usual rule in two corners: a window
// larger than the padded picture is allowed, and clipped; and without padding a last window that
// lies wholly outside is kept, which has no meaning.
void clip_window(net::window& w, net::shape in);

// The window that parts a picture into parts x parts, which lie beside each other.
net::window pyramid_window(net::shape in, std::int32_t parts);

}  // namespace nvdlac::import::caffe_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/caffe/parameters.ipp>
#endif
