// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules of batch mode: CONV takes the cubes of several pictures, and SDP behind it.
#include <cstdint>

#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/layer/convolution.hpp>
#include <nvdlac/layer/sdp.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/plan/checker/rules.hpp>

namespace nvdlac::plan::checker {

// The strides between pictures, of which none reaches into the next one.
constexpr void check_pictures(const layer::surface& s, const char* what, rules r) {
  const auto unit = r.unit_of_addresses();
  const auto cube = layer::surfaces(s.shape, r.hw().atom(), s.precision) *
                    std::uint64_t{s.surface_stride};
  r.expect(s.picture_stride % unit == 0, what, " has pictures ", s.picture_stride,
           " bytes apart, not a multiple of ", unit);
  r.expect(s.picture_stride >= cube, what, " has pictures ", s.picture_stride,
           " bytes apart, but each takes ", cube);
}

template <hw::register_map Map>
constexpr void check_batch(const layer::convolution& c, rules r) {
  r.within(c.input.pictures, 1, hw::limits<Map>.convolution.batch, "the number of pictures");
  if (c.input.pictures <= 1) return;
  const auto entries = std::uint64_t{c.entries_per_slice} *
                       static_cast<std::uint64_t>(c.input.pictures);
  r.expect(r.hw().batch, "the configuration has no batch mode");
  r.expect(!c.winograd, "batch mode is none of Winograd's");
  r.expect(!c.is_pixel(), "batch mode reads no pixels");
  r.expect(entries <= hw::most_entries_of_pictures, "a line of all pictures has ", entries,
           " entries of the CBUF, more than ", hw::most_entries_of_pictures);
  r.expect(!c.data_reuse && !c.skip_data_release, "data of several pictures do not stay");
  check_pictures(c.input, "the input", r);
}

// CACC hands over pairs of atoms of each picture, and SDP writes them so, where they share 64
// bytes; single pixels go one by one.
constexpr void check_batch(const layer::sdp& s, rules r) {
  r.expect(s.input.pictures == s.output.pictures, "it takes ", s.input.pictures,
           " pictures and writes ", s.output.pictures);
  if (s.input.pictures == 1) return;
  constexpr auto pair = hw::pair_of_atoms;
  const auto& out = s.output;
  r.expect(s.input.at.on_the_fly(), "it takes several pictures from memory");
  r.expect(!s.winograd, "it takes several pictures in Winograd's order");
  r.expect(s.input.precision == out.precision, "it changes the data type of several pictures");
  for (const auto& unit : {s.x1, s.x2})
    r.expect(!unit.reads_memory() || unit.mode != layer::sdp_mode::per_point,
             "all pictures would get the same operands for each element");
  if (out.at.on_the_fly()) return r.expect(false, "it hands several pictures on to PDP");
  check_pictures(out, "the output", r);
  r.multiple(out.at, pair, "the output's start");
  r.expect(out.picture_stride % pair == 0, "the output has pictures ", out.picture_stride,
           " bytes apart, not a multiple of ", pair);
  r.expect((out.shape.h == 1 && out.shape.w == 1) ||
               (out.line_stride % pair == 0 && out.surface_stride % pair == 0),
           "the output of several pictures has strides of ", out.line_stride, " and ",
           out.surface_stride, ", not multiples of ", pair);
}

}  // namespace nvdlac::plan::checker
