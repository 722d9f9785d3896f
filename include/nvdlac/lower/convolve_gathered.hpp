// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include <nvdlac/lower/convolve.hpp>
#include <nvdlac/lower/select_channels.hpp>

namespace nvdlac::lower {

// Emits the passes of `name` as convolve() does, also where not even one atom of kernels fits the
// CBUF: every pass then takes an atom of a scratch cube, from which its channels are brought
// together.
template <class Hw, class Values>
constexpr void convolve_gathered(assembly& to, const label& name, const layer::surface& in,
                                 const std::optional<quantised::pixels>& pixels,
                                 const layer::surface& out, net::window window,
                                 const convolution_split& split, const requantisation& q,
                                 const Values& values) {
  const bytes atom = Hw::spec.atom();
  const hw::precision p = out.precision;
  const std::int32_t count = out.shape.c;
  const auto lanes = static_cast<std::int32_t>(layer::lanes_of(atom, p));
  if (split.kernels >= count || split.kernels % lanes == 0)
    return convolve<Hw>(to, name, in, pixels, out, window, split, q, values);

  const auto passes = static_cast<std::int32_t>(
      ceil_div(static_cast<std::uint64_t>(count), static_cast<std::uint64_t>(split.kernels)));
  auto scratch = layer::packed({passes * lanes, out.shape.h, out.shape.w}, atom, {}, p);
  scratch.at = to.reserve(label(name, "/scratch"), plan::memory::features, scratch.size);
  auto sparse = scratch;
  sparse.shape.c = count;
  convolve<Hw>(to, name, in, pixels, sparse, window, split, q, values);
  std::vector<std::int32_t> source;
  for (std::int32_t k = 0; k < count; ++k)
    source.push_back(k / split.kernels * lanes + k % split.kernels);
  select_channels<Hw>(to, label(name, "/gather"), scratch, out, source);
}

}  // namespace nvdlac::lower
