// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/in_memory.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/layer/layer.hpp>
#include <nvdlac/layer/lut.hpp>
#include <nvdlac/lower/options.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::lower {

// Collects buffers and layers, of one picture or of several one after the other or in turns, which
// have the trained values of the first. Bytes that lowering makes up itself, such as kernels that
// select channels, are kept once however often they are needed. Trained values are kept as often as
// they stand in the network, so that the layout depends on their sizes alone.
class assembly {
 public:
  plan::lowered result{};

  constexpr assembly() = default;
  constexpr explicit assembly(contents to) : to_(to) {}

  // Begins one of so many pictures, or goes on with it where all did as much.
  constexpr void begin_picture(int picture, int pictures) {
    picture_ = pictures > 1 ? picture + 1 : 0;
    if (picture == 0) begun_ = trained_.size();
    next_ = begun_;
    places_before_ = places_;
  }
  // Begins what is done once for all pictures.
  constexpr void begin_all() { picture_ = 0; }
  // Begins a tensor: what is reserved from now on holds it, or what becomes it.
  constexpr void begin_tensor(plan::numbering numbers) { numbers_ = numbers; }
  // The name of a node in the program: in a batch "name@1", "name@2", ..
  constexpr label named(std::string_view node) const {
    if (picture_ == 0) return node;  // g++ 12 cannot choose between two labels while compiling
    return {node, "@", picture_};
  }

  // How the convolution of a node is to be cut; nullptr: as is found.
  constexpr const plan::passes* given_of(std::string_view node) const {
    for (const auto& p : result.given.passes)
      if (p.layer == node) return &p;
    return nullptr;
  }
  // It cannot be cut so. Parts of a layer, and pictures of a batch, say so once.
  constexpr void refuse(const plan::passes& given, std::string reason) {
    for (const auto& p : refused_)
      if (p.layer == given.layer.view()) return;
    refused_.push_back({.layer = given.layer, .reason = std::move(reason),
                        .remedy = "leave it out of the schedule's `passes`, or change it there; "
                                  "docs/schedule.md says what is possible"});
  }
  constexpr const std::vector<problem>& refused() const { return refused_; }
  // Tells, once, that the lines of a node's convolution can be folded.
  void tell_foldable(std::string_view node);
  // Whether they are to be.
  bool is_folded(std::string_view node) const;
  // Tells of a convolution how it is cut; where it is in parts, of the first.
  void tell(plan::split_convolution c);

  // Where an output of the file stands among those of all pictures.
  constexpr std::int32_t placed(std::int32_t place) {
    places_ = std::max(places_, places_before_ + place + 1);
    return places_before_ + place;
  }

  constexpr layer::location reserve(label name, plan::memory memory, std::uint64_t size) {
    result.buffers.push_back({.name = std::move(name), .memory = memory, .size = size});
    if (memory != plan::memory::weights) result.buffers.back().numbers = numbers_;
    return {static_cast<std::int32_t>(result.buffers.size() - 1), 0};
  }
  // write(to) writes the values to `size` bytes that are 0.
  template <class Write>
  constexpr layer::location keep_trained(label name, std::uint64_t size, bool known,
                                         const Write& write) {
    if (picture_ > 1) return trained_[next_++];  // lowering asks for the same in the same order
    const auto at = reserve_weights(std::move(name), size);
    trained_.push_back(at);
    auto& buffer = result.buffers.back();
    result.values_known = result.values_known && known;
    if (known && to_.owned) {
      buffer.content = std::vector<std::uint8_t>(in_memory(size), std::uint8_t{0});
      write(buffer.content.data());
    }
    if (known && to_.image != nullptr) write(to_.image + buffer.offset);
    return at;
  }
  template <class Write>
  constexpr layer::location keep(label name, std::uint64_t size, const Write& write) {
    std::vector<std::uint8_t> content(in_memory(size), std::uint8_t{0});
    write(content.data());
    for (const auto b : kept_)
      if (result.buffers[static_cast<std::size_t>(b)].content == content) return {b, 0};
    const auto at = reserve_weights(std::move(name), size);
    auto& buffer = result.buffers.back();
    if (to_.image != nullptr)
      std::copy(content.begin(), content.end(), to_.image + buffer.offset);
    buffer.content = std::move(content);
    kept_.push_back(at.buffer);
    return at;
  }
  // The index of the lookup table, which is kept once.
  constexpr std::int16_t keep_lut(const layer::lut& lut) {
    const auto at = std::find(result.luts.begin(), result.luts.end(), lut) - result.luts.begin();
    if (static_cast<std::size_t>(at) == result.luts.size()) result.luts.push_back(lut);
    return static_cast<std::int16_t>(at);
  }
  // The index of the call.
  constexpr std::int16_t keep_call(const net::host_call& c) {
    if (result.calls.size() == 32767) throw error("more than 32767 layers of the host");
    result.calls.push_back(c);
    return static_cast<std::int16_t>(result.calls.size() - 1);
  }
  constexpr void add(label name, layer::any what) {
    result.layers.push_back({std::move(name), std::move(what)});
  }

 private:
  constexpr layer::location reserve_weights(label name, std::uint64_t size) {
    const auto at = reserve(std::move(name), plan::memory::weights, size);
    result.buffers.back().offset = result.weights_size;
    result.weights_size += align_up(size, plan::alignment);
    return at;
  }

  contents to_{};
  std::vector<problem> refused_{};    // of what was given
  std::vector<std::int32_t> kept_{};  // buffers of made up bytes
  std::vector<layer::location> trained_{};
  std::size_t next_ = 0, begun_ = 0;
  int picture_ = 0;  // from 1 on; 0: there is only one
  plan::numbering numbers_{};
  std::int32_t places_ = 0, places_before_ = 0;  // of outputs, also those of earlier pictures
};

}  // namespace nvdlac::lower

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/lower/assembly.ipp>
#endif
