// SPDX-License-Identifier: Apache-2.0
#pragma once
// Poolings of windows.
#include <cstdint>
#include <utility>
#include <vector>

#include <nvdlac/import/onnx/context.hpp>
#include <nvdlac/import/onnx/layers.hpp>
#include <nvdlac/net/pool.hpp>
#include <nvdlac/net/sliding.hpp>

namespace nvdlac::import::onnx_format {

// One dimension of a dilated pooling with stride 1: every dilation-th output reads every
// dilation-th input. Of those from output `phase` on: the first input and the window over the rest.
struct dilated_side {
  std::int64_t first, before, after, outputs;

  dilated_side(const net::sliding& s, std::int64_t size, std::int64_t phase);
};

// The maxima or means of dilated windows: the phases of the dilation are pictures of their own,
// whose results are put together again.
computed dilated_pool(const context& c, const computed& x, const net::pool& op);

// Whether a pooling's padding can be that of `whole`, which takes in zeros of the input: to an
// average they count, as all padding does then, and a window does not lie in padding alone.
bool takes_zeros(const net::pool& op, const net::window& whole);

// An operator of a picture [1, height, width, channels].
template <handler Real>
std::vector<value> with_channels_last(const context& c) {
  const computed& x = c.tensor(0);
  require_rank_4(x.shape);
  std::vector<value> turned = c.in;
  turned[0] = moved(x, transpose(x.shape, {0, 3, 1, 2}, c.ceiling), c.n.name(),
                    c.net.net().shape(x.node));
  const auto y = std::get<computed>(Real({c.n, turned, c.net, c.batch, c.ceiling}).at(0));
  return {moved(y, transpose(y.shape, {0, 2, 3, 1}, c.ceiling), c.n.name(),
                c.net.net().shape(y.node))};
}
template <handler Real>
std::vector<value> with_either_order(const context& c) {
  return c.n.flag("channels_last", false) ? with_channels_last<Real>(c) : Real(c);
}

// Throws for what is padded with minus infinity, of which only a maximum is a number.
void require_finite(const computed& x);
void require_finite(const context& c);

std::vector<value> on_pool(const context& c);

// Poolings by a norm: of each window the p-th root of the sum of its magnitudes to the power of p.

// Magnitudes and squares need no table; other powers, and roots, do. Each channel is summed by a
// convolution with ones: an average would divide the windows at the edges by less.
std::vector<value> norms_of_windows(const context& c, net::window w, bool ceil);

std::vector<value> on_lp_pool(const context& c);

std::vector<value> on_global_lp_pool(const context& c);

}  // namespace nvdlac::import::onnx_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/onnx/pooling.ipp>
#endif
