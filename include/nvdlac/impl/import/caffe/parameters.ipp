// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/caffe/parameters.hpp>
#include <nvdlac/import/protobuf.hpp>
#include <nvdlac/net/tensor.hpp>

namespace nvdlac::import::caffe_format {

NVDLAC_IMPL std::int32_t small(std::int64_t n, const char* name) {
  constexpr std::int64_t most = std::int64_t{1} << 24;
  if (n < 0 || n > most) throw error(text(name, " is ", n, ", which is not in 0 .. ", most));
  return static_cast<std::int32_t>(n);
}

NVDLAC_IMPL std::int32_t small(const proto::view& p, const char* name, std::int64_t otherwise) {
  return small(p.integer(name, otherwise), name);
}

NVDLAC_IMPL height_width either(const proto::view& p, const std::string& name, const char* h,
                                const char* w, std::int64_t otherwise) {
  const bool split = p.has(h) || p.has(w);
  if (split && p.has(name.c_str()))
    throw error(text("it gives both ", name, " and ", h, " or ", w));
  if (split) return {small(p, h, otherwise), small(p, w, otherwise)};
  const auto* field = p.message().GetDescriptor()->FindFieldByName(name);
  if (!field->is_repeated()) {
    const auto n = small(p, name.c_str(), otherwise);
    return {n, n};
  }
  const auto all = p.values<std::uint32_t>(name.c_str());
  if (all.size() > 2)
    throw error(text("it has ", count_of(all.size(), "value"), " of ", name,
                     ", for a convolution of ",
                     count_of(all.size(), "dimension"), " (2 are supported)"));
  if (all.empty()) return {small(otherwise, name.c_str()), small(otherwise, name.c_str())};
  return {small(all.front(), name.c_str()), small(all.back(), name.c_str())};
}

NVDLAC_IMPL net::window make_window(const proto::view& p, const char* stride_what) {
  const auto kernel = either(p, "kernel_size", "kernel_h", "kernel_w", 0);
  const auto stride = either(p, "stride", "stride_h", "stride_w", 1);
  const auto pad = either(p, "pad", "pad_h", "pad_w", 0);
  if (kernel.h < 1 || kernel.w < 1) throw error("its kernel_size is missing or 0");
  if (stride.h < 1 || stride.w < 1) throw error(text("its ", stride_what, " is 0"));
  return {.kernel_h = kernel.h, .kernel_w = kernel.w, .stride_h = stride.h, .stride_w = stride.w,
          .pad_top = pad.h, .pad_left = pad.w, .pad_bottom = pad.h, .pad_right = pad.w};
}

NVDLAC_IMPL net::window convolution_window(const proto::view& p) {
  net::window w = make_window(p, "stride");
  const auto dilation = p.values<std::uint32_t>("dilation");
  if (dilation.size() > 2) throw error("it has more than 2 values of dilation");
  if (!dilation.empty()) {
    w.dilation_h = small(dilation.front(), "dilation");
    w.dilation_w = small(dilation.back(), "dilation");
  }
  return w;
}

NVDLAC_IMPL void require_no_window(const proto::view& p) {
  const auto pad = either(p, "pad", "pad_h", "pad_w", 0);
  const auto stride = either(p, "stride", "stride_h", "stride_w", 1);
  if (p.has("kernel_size") || p.has("kernel_h") || p.has("kernel_w"))
    throw error("it gives both global_pooling and a kernel size");
  if (pad.h != 0 || pad.w != 0 || stride.h != 1 || stride.w != 1)
    throw error("global_pooling takes no padding and stride 1");
}

NVDLAC_IMPL void clip_window(net::window& w, net::shape in) {
  const auto fit = [](std::int32_t& kernel, std::int32_t stride, std::int32_t pad,
                      std::int32_t size) {
    const std::int64_t padded = std::int64_t{size} + 2 * pad;
    if (kernel > padded && kernel - padded < stride) kernel = static_cast<std::int32_t>(padded);
    const std::int64_t rest = padded - kernel, last = (rest + stride - 1) / stride * stride;
    if (pad == 0 && rest > 0 && last >= size)
      throw error("its last window lies outside the picture: its stride is larger than its kernel");
  };
  fit(w.kernel_h, w.stride_h, w.pad_top, in.h);
  fit(w.kernel_w, w.stride_w, w.pad_left, in.w);
}

NVDLAC_IMPL net::window pyramid_window(net::shape in, std::int32_t parts) {
  const auto size = [&](std::int32_t n) { return (n + parts - 1) / parts; };
  const auto pad = [&](std::int32_t n) { return (size(n) * parts - n + 1) / 2; };
  return {.kernel_h = size(in.h), .kernel_w = size(in.w), .stride_h = size(in.h),
          .stride_w = size(in.w), .pad_top = pad(in.h), .pad_left = pad(in.w),
          .pad_bottom = pad(in.h), .pad_right = pad(in.w)};
}

}  // namespace nvdlac::import::caffe_format
