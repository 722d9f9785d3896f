// SPDX-License-Identifier: Apache-2.0
#pragma once
// A network's layers, what may be chosen about them, and what a choice costs: what a policy works
// with.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/cost/memory.hpp>
#include <nvdlac/hw/spec.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/arrange.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/cvsram.hpp>

namespace nvdlac::schedule {

class draft {
 public:
  // The layers stay where they are. They are priced with a memory, of which the secondary one may
  // be used, or with the one that the configuration was made for.
  draft(const hw::spec& hw, const plan::lowered& l) : draft(hw, l, cost::memory_of(hw)) {}
  // `anew`: makes the layers of the same network by these choices.
  using relowering = std::function<plan::lowered(const plan::lowering_choices&)>;
  draft(const hw::spec& hw, const plan::lowered& l, const cost::memory& memory,
        relowering anew = {});

  const hw::spec& hw() const { return numbers_.hw(); }
  const std::vector<schedule::stage>& stages() const { return numbers_.stages(); }
  // The price of a choice. As all that takes choices, it throws nvdlac::error where they do not fit
  // the network.
  schedule::price price(const choices& c) const;

  // The primitives of a policy: each gives other choices.

  // The tiles of a stage behind its first begin with these rows; none: it is in one.
  choices tile(const choices& c, std::string_view stage, std::vector<std::int32_t> rows) const;
  // Two tiles of convolutions behind each other, where the second one waits for less then.
  choices tile(const choices& c) const {
    return named(numbers_.resolved(numbers_.tiled(numbered(c), {})));
  }
  // Layers of other engines beside the convolutions that they do not need, and convolutions that
  // read the same behind each other.
  choices order(const choices& c) const { return named(numbers_.early(numbered(c))); }
  // A stage, or tile, before another one, as far as what it needs allows.
  choices order(const choices& c, std::string_view stage, std::string_view before) const;
  // The choices with what neighbours share kept in the CBUF, but for the named stages.
  choices keep(choices c, std::vector<std::string> apart = {}) const;

  // The network in other layers: a convolution in other passes, or all poolings on the fly, for
  // which the compiler's rule is, but not those that are named. Choices are those of the draft that
  // they were made for.
  draft tile(std::string_view layer, plan::passes passes) const;
  draft fuse(const std::vector<std::string>& unfused = {}) const;
  draft with(plan::lowering_choices given) const;
  // The choices that lowering was given, and those that it could be given instead.
  const plan::lowering_choices& given() const { return layers_->given; }
  const std::vector<plan::split_convolution>& convolutions() const { return layers_->convolutions; }
  const std::vector<label>& fused() const { return layers_->fused; }

  // The contents of the secondary memory, by the names of the buffers, or by the compiler's rule.
  choices place(choices c, std::vector<std::string> cvsram) const;
  choices place(const choices& c) const {
    return named(detail::cvsram_chooser(numbers_, numbered(c)).run());
  }
  // The names of the buffers that may stand there.
  std::vector<std::string> movable() const;

  // A form by numbers, for policies that try many.
  const detail::arranger& numbers() const { return numbers_; }
  // Throws nvdlac::error with all that is not possible; `file` is for messages.
  detail::decisions numbered(const choices& c, const std::string& file = {}) const;
  // Adopts what was chosen of other layers of the network, as far as these can have it. Stages that
  // an order does not know stand behind the ones before them.
  detail::decisions adopted(const choices& c) const;
  choices named(const detail::decisions& d) const;

 private:
  static constexpr const char* remedy =
      "make the schedule anew for this network, with these options and for this configuration";

  static problem unknown(const std::string& file, std::string name);
  problem not_movable(const std::string& file, std::string name) const;
  // The number of a buffer that may stand in the secondary memory; -1: none of that name may.
  std::int32_t movable(std::string_view name) const;
  void check_room(const detail::decisions& d, const std::string& file) const;
  std::optional<std::size_t> number_of(std::string_view name) const;
  std::string name_of(const detail::piece_key& key, const detail::decisions& d) const;
  std::map<std::string, detail::piece_key, std::less<>> keys_of(const detail::decisions& d) const;
  void check_order(const detail::decisions& d, const std::string& file) const;

  detail::arranger numbers_;
  const plan::lowered* layers_;
  std::shared_ptr<const plan::lowered> own_{};  // the same, if nobody else has them
  relowering anew_;
  std::vector<std::string> buffers_{};  // their names
};

}  // namespace nvdlac::schedule

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/schedule/draft.ipp>
#endif
