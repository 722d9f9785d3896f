// SPDX-License-Identifier: Apache-2.0
#pragma once
// A search for a better schedule: small changes, judged by the model of cycles.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <nvdlac/base/label.hpp>
#include <nvdlac/plan/program.hpp>
#include <nvdlac/schedule/choices.hpp>
#include <nvdlac/schedule/draft.hpp>

namespace nvdlac::schedule {

struct search_settings {
  std::size_t trials = 0;   // schedules that are priced
  std::size_t threads = 1;  // changes nothing but the time
  bool layers = false;      // whether also the layers are changed, which are made anew then
  // Called with (done, all) as trials are done.
  std::function<void(std::size_t, std::size_t)> progress{};
};

struct search_result {
  schedule::choices choices{};
  price before{}, after{};
};

namespace detail {

// One change of a schedule, which can be made of several.
struct change {
  enum class kind : std::uint8_t {
    tiles, chain, move, apart, early, by_need, in_order, kept, beside, cvsram, layers
  };

  kind what = kind::tiles;
  std::size_t stage = 0, last = 0;      // chain: tiles of those from `stage` until before `last`
  std::vector<std::int32_t> rows{};     // tiles and chain: those of `stage`
  piece_key piece{}, before{};          // move, apart
  std::int32_t buffer = -1, other = -1;  // cvsram: what goes to the other memory; -1: nothing
  plan::passes passes{};                // layers: of a convolution, if it has a name,
  label pooling{};                      // or of a pooling that is no longer apart, or is now

  // Whether it says by numbers what it changes, which are those of the layers it was drawn for.
  bool is_by_number() const {
    return what == kind::tiles || what == kind::chain || what == kind::move ||
           what == kind::apart || what == kind::cvsram;
  }
};

// One that leaves the layers as they are.
decisions changed(const arranger& by_number, decisions d, const change& c);

// The layers of one that makes others; nullopt: they are not possible.
std::optional<draft> remade(const draft& d, const change& c);

// A schedule with its price, and where it loses cycles.
struct rated {
  std::shared_ptr<const draft> of{};  // the layers
  decisions what{};
  schedule::price price{};
  std::vector<piece_key> pieces{};          // in their order
  // By stage: cycles beyond their bounds, of all until it that may be cut.
  std::vector<std::uint64_t> lost_until{};

  bool is_better_than(const rated& o) const;
};
rated rate(std::shared_ptr<const draft> of, decisions d);

// The schedule with a change; without layers if it cannot be made.
rated with_change(const rated& r, const change& c);

// Draws a change, most where cycles are lost. The same numbers on every machine: what the standard
// library makes of its generators is not.
class draw {
 public:
  // `layers`: whether some change these.
  draw(const rated& of, bool layers, std::uint64_t seed)
      : by_number_(of.of->numbers()), of_(of), layers_(layers), numbers_(seed) {}

  change operator()();

 private:
  // How many changes of the layers there are, none where no convolution has passes and no pooling
  // could be on the fly: each convolution is drawn 8 times as often as a pooling.
  std::size_t convolution_ways() const { return 8 * of_.of->convolutions().size(); }
  std::size_t pooling_ways() const {
    return of_.of->fused().size() + of_.of->given().unfused.size();
  }
  change of_layers(std::size_t n);
  // Other passes of a convolution, but not of fewer kernels: weights that come beside the pass
  // before are predicted too well for these (docs/performance.md).
  plan::passes passes_of(const plan::split_convolution& c);
  // One of n numbers from 0 on; there is one at least.
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(numbers_() % n); }
  std::size_t a_stage();
  // Other tiles of a stage than it has.
  std::vector<std::int32_t> tiles_of(std::size_t n);

  const arranger& by_number_;
  const rated& of_;
  bool layers_;
  std::mt19937_64 numbers_;
};

// Climbs: of some changes of the best schedule so far the best one is made, if it is one, and the
// other good ones are tried again.
class climb {
 public:
  climb(const draft& d, const choices& from, const search_settings& s);

  search_result run();

 private:
  // The number of threads does not change it.
  static constexpr std::size_t at_once = 8;

  bool is_allowed(const rated& r) const;
  void round();

  const search_settings& settings_;
  rated best_;
  price first_{};  // of the layers as lowering made them
  std::uint64_t most_moved_ = 0;
  std::vector<change> again_{};
  std::size_t done_ = 0;
};

}  // namespace detail

// A schedule that takes fewer cycles than `from`, or the same with fewer bytes moved, if one is
// found; its memory grows no more than that of the standard one may, and at most a 16th more bytes
// are moved. Always the same one for the same number of trials.
search_result search(const draft& d, const choices& from, const search_settings& s);

}  // namespace nvdlac::schedule

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/schedule/search.ipp>
#endif
