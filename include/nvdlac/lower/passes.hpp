// SPDX-License-Identifier: Apache-2.0
#pragma once
// The passes of a convolution: those that take the fewest cycles, or as a schedule tells.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::lower {

// How a convolution of several pictures is cut in batch mode: a pass holds all lines of as many
// pictures as have room beside two kernel groups, or beside one; nullopt: of one picture at most.
// Pairs of atoms are those of atoms of 32 bytes.
template <class Hw>
constexpr std::optional<convolution_split> split_of_pictures(net::shape in, net::shape out,
                                                             const net::window& w, hw::precision p,
                                                             std::int32_t pictures) {
  using limits = typename hw::limits<Hw::spec.map>::convolution;
  const auto& hw = Hw::spec;
  if (!hw.batch || 2 * hw.memory_atom != hw::pair_of_atoms) return std::nullopt;
  const auto slice = slice_of(hw, in.c, {.count = in.w}, false, p);
  const kernel_shape kernels{out.c, in.c, w.kernel_h, w.kernel_w};
  const auto weights = [&](std::uint64_t count) {
    count = std::min(count, static_cast<std::uint64_t>(out.c));
    return hw::weight_banks(hw, hw::weight_bytes(hw, p, count, kernels.elements()));
  };
  const std::uint64_t group = hw.kernel_group(p);
  for (const auto least : {weights(2 * group), weights(group)})
    for (std::int32_t parts = 1; parts < pictures; ++parts) {
      const auto n = detail::divided(pictures, parts);
      const auto at_once = static_cast<std::uint64_t>(n);
      if (n == 1) break;
      if (std::cmp_greater(n, limits::batch) || slice.n * at_once > hw::most_entries_of_pictures)
        continue;
      const auto data = hw::data_banks(hw, slice, at_once * static_cast<std::uint64_t>(in.h));
      if (data + least > banks{hw.cbuf_banks}) continue;
      return convolution_split{.rows = out.h, .columns = out.w, .kernels = out.c, .data = data,
                               .weights = std::min(weights(static_cast<std::uint64_t>(out.c)),
                                                   banks{hw.cbuf_banks} - data),
                               .pictures = n};
    }
  return std::nullopt;
}

namespace detail {

// The kernels of passes that keep their places: whole kernel groups that fill whole
// atoms of the output.
template <class Hw>
constexpr std::uint64_t kernel_unit(hw::precision p) {
  return std::lcm(std::uint64_t{Hw::spec.kernel_group(p)}, layer::lanes_of(Hw::spec.atom(), p));
}

// The kernels of a pass that has all of the input, and about so many bytes of weights at most.
template <class Hw>
constexpr std::int32_t kernels_of_a_pass(const convolution_split& all, net::shape in,
                                         const layer::surface& out, const net::window& window,
                                         std::uint64_t most) {
  const auto p = out.precision;
  const auto count = static_cast<std::uint64_t>(out.shape.c);
  if (most == 0 || all.rows < out.shape.h || all.columns < out.shape.w || all.kernels < out.shape.c)
    return all.kernels;
  const kernel_shape shape{out.shape.c, in.c, window.kernel_h, window.kernel_w};
  const auto unit = kernel_unit<Hw>(p);
  const auto bytes = unit * shape.elements() * hw::element_bytes(p);
  const auto kernels = std::max<std::uint64_t>(1, most / bytes) * unit;
  const auto even = align_up(ceil_div(count, ceil_div(count, kernels)), unit);
  return static_cast<std::int32_t>(std::min(even, count));
}

// The passes of a convolution that is not of a batch, as it is told; what it is not told is as it
// was found, or what the rest leaves.
template <class Hw>
class told_passes {
 public:
  // `in`, `window` and `found` are those of the passes that were found.
  told_passes(const plan::passes& told, const layer::surface& in, const layer::surface& out,
              const net::window& window, const std::optional<pooled>& pool,
              const convolution_split& found)
      : told_(told), in_(in), out_(out.shape), precision_(out.precision), window_(window),
        pool_(pool), axes_(in.shape, out.shape, window, pool), split_(found) {}

  // nullopt: it is not possible, for the reason why().
  std::optional<convolution_split> run() {
    const auto numbers = {told_.rows, told_.columns, told_.kernels, told_.data_banks,
                          told_.weight_banks};
    if (std::ranges::any_of(numbers, [](auto n) { return n < 0; }))
      return refuse("is told a number below 0");
    choose_image();
    if (why_.empty() && !split_.image) choose_lines();
    if (why_.empty()) choose_kernels();
    if (why_.empty()) choose_banks();
    return why_.empty() ? std::optional(split_) : std::nullopt;
  }
  const std::string& why() const { return why_; }

 private:
  std::nullopt_t refuse(std::string reason) {
    why_ = std::move(reason);
    return std::nullopt;
  }
  static std::int32_t told_or(std::int32_t told, std::int32_t most, std::int32_t found) {
    return told == 0 ? found : std::min(told, most);
  }

  // As an image, or no longer; an image's lines and columns, too.
  void choose_image() {
    if (told_.image && in_.is_interleaved()) return void(refuse("reads pixels, always as an image"));
    if (!told_.image.value_or(split_.image.has_value())) {
      if (split_.image)
        split_ = *split_convolution(hw_, in_.shape, out_, window_, false, precision_, pool_);
      return;
    }
    if (split_.image && told_.rows == 0 && told_.columns == 0) return;
    const bool has_pixels = hw_.memory_atom == 2 * image_view::channels;
    const auto view = has_pixels ? image_view::of(in_, hw_.atom()) : std::nullopt;
    if (!view)
      return void(refuse("cannot be read as an image: that is for int8 and atoms of two pixels, "
                         "where all surfaces of a line stand beside each other"));
    const image_search search(hw_, view, in_.shape, out_, window_, pool_);
    const auto columns = told_or(told_.columns, out_.w, split_.image ? split_.columns : 0);
    if (const auto found = search.told(columns, told_.rows)) split_ = *found;
    else refuse("has no such passes as an image: CSC does not read its lines right, or the CBUF "
                "has no room");
  }
  void choose_lines() {
    if (told_.rows == 0 && told_.columns == 0) return;
    if (in_.is_interleaved() && told_.columns != 0)
      return void(refuse("reads pixels, of which no columns can be told: each pass begins at an "
                         "atom of the picture"));
    split_.columns = told_or(told_.columns, out_.w, split_.columns);
    if (pool_ && split_.columns > widest_pass(pool_->window))
      return void(refuse(text("has a pooling behind it that takes ", widest_pass(pool_->window),
                              " columns of a pass at most")));
    split_.rows = told_or(told_.rows, out_.h, out_.h);
    for (std::int32_t parts = 2; told_.rows == 0 && parts <= out_.h && !has_room(); ++parts)
      split_.rows = divided(out_.h, parts);
  }
  void choose_kernels() {
    if (told_.kernels != 0) {
      const auto unit = kernel_unit<Hw>(precision_);
      const auto count = static_cast<std::uint64_t>(std::min(told_.kernels, out_.c));
      if (std::cmp_less(count, out_.c) && count % unit != 0)
        return void(refuse(text("has passes of whole kernel groups that fill whole atoms: of ",
                                unit, " kernels, or a multiple")));
      split_.kernels = static_cast<std::int32_t>(count), split_.last_first = false;
    }
    const bool is_part = pool_ || out_.h > 1 || out_.w > 1;
    if (is_part && axes_.rows.leaves_one(split_.rows) && axes_.columns.leaves_one(split_.columns) &&
        std::cmp_greater(split_.kernels, layer::lanes_of(hw_.atom(), precision_)))
      refuse("would leave a single pixel to a pass, which may have but one atom of kernels then");
  }
  void choose_banks() {
    const auto need = data(), least = weights(std::min(split_.kernels, group()));
    if (need + least > all_banks_)
      return void(refuse(text("has no room in the CBUF: data of a pass take ", need.n, " banks, a "
                              "kernel group ", least.n, ", and there are ", all_banks_.n)));
    if (told_.rows != 0 || told_.columns != 0 || told_.kernels != 0 || told_.image) {
      split_.weights = std::min(weights(split_.kernels), all_banks_ - need);
      const bool several = split_.rows < out_.h || split_.columns < out_.w;
      split_.data = several ? std::min(banks{2 * need.n}, all_banks_ - split_.weights) : need;
    }
    const auto told = [](std::int32_t n) { return banks{static_cast<std::uint64_t>(n)}; };
    const auto own_data = told(told_.data_banks), own_weights = told(told_.weight_banks);
    if (std::max(own_data, own_weights) >= all_banks_ || own_data + own_weights > all_banks_)
      return void(refuse(text("is told more banks than the CBUF has, which are ", all_banks_.n)));
    if (own_data.n != 0)
      split_.data = own_data, split_.weights = std::min(split_.weights, all_banks_ - own_data);
    if (own_weights.n != 0) {
      split_.weights = own_weights;
      if (own_data.n == 0) split_.data = std::min(split_.data, all_banks_ - own_weights);
    }
    if (split_.data < need) refuse(text("has data of a pass in ", need.n, " banks at least"));
    else if (split_.weights < least)
      refuse(text("has a kernel group of weights in ", least.n, " banks"));
  }

  std::int32_t group() const {
    return static_cast<std::int32_t>(hw_.kernel_group(precision_));
  }
  bool has_room() const {
    return data() + weights(std::min(split_.kernels, 2 * group())) <= all_banks_;
  }
  // Banks for the widest pass.
  banks data() const {
    entries widest{1};
    for (std::int32_t first = 0; first < out_.w; first += split_.columns) {
      const auto x = axes_.columns.part(first, split_.columns).input;
      widest = std::max(widest, split_.image ? split_.image->slice(hw_, x)
                                             : slice_of(hw_, in_.shape.c, x,
                                                        in_.is_interleaved(), precision_));
    }
    const auto lines = std::min<std::int64_t>(axes_.rows.reach(split_.rows), in_.shape.h);
    const std::int64_t of_each = split_.image ? split_.image->lines : 1;
    return hw::data_banks(hw_, widest, static_cast<std::uint64_t>(lines * of_each));
  }
  banks weights(std::int32_t kernels) const {
    const kernel_shape shape{kernels, split_.image ? split_.image->all_channels() : in_.shape.c,
                             window_.kernel_h, window_.kernel_w};
    return hw::weight_banks(hw_, packed_size(hw_, shape, precision_));
  }

  const hw::spec& hw_ = Hw::spec;
  const banks all_banks_{Hw::spec.cbuf_banks};
  const plan::passes& told_;
  const layer::surface& in_;
  net::shape out_;
  hw::precision precision_;
  net::window window_;
  const std::optional<pooled>& pool_;
  pass_axes axes_;
  convolution_split split_;
  std::string why_{};
};

}  // namespace detail

// The passes of a convolution that reads `in` and gives `out`. Pixels may get columns of zeros
// before those of the window, which grows by them, as do the zero taps to the `left`.
template <class Hw>
constexpr convolution_split passes_found(const site<quantised::convolution>& s,
                                         const layer::surface& in, const layer::surface& out,
                                         net::window& window, std::int32_t& left,
                                         std::uint64_t pass_weights) {
  const hw::precision p = out.precision;
  const bool pixel = in.is_interleaved(), adds = s.in.size() > 1;
  if (const auto why = check_convolution<Hw>(in.shape, convolved_of(out.shape, s.pool), window,
                                             pixel, p, adds);
      why != reason::none)
    throw error(problem{.layer = s.name,
                        .reason = text("a convolution of ", in.shape, " by ", window.kernel_h,
                                       'x', window.kernel_w, " does not run on ",
                                       hw::name<Hw>(), ": ", to_text(why))});
  if (in.pictures > 1)
    return *split_of_pictures<Hw>(in.shape, out.shape, window, p, in.pictures);
  auto split = s.of_batch
                   ? split_of_batch(Hw::spec, in.shape, out.shape, window, p)
                   : split_convolution(Hw::spec, in.shape, out.shape, window, pixel, p, s.pool);
  // Only a pooling behind it can ask for more than the passes that were checked.
  if (!split) throw error(problem{.layer = s.name, .reason = "no pass holds it and its pooling"});
  if (!pixel && !s.of_batch) {
    if (!s.pool)
      split->kernels =
          detail::kernels_of_a_pass<Hw>(*split, in.shape, out, window, pass_weights);
    if (const auto faster = split_as_image<Hw>(in, out.shape, window, s.pool)) split = faster;
  } else if (pixel) {
    if (const auto faster = split_pixels<Hw>(in.shape, out.shape, window, s.pool)) {
      split = faster->split;
      window.kernel_w += faster->zeros, window.pad_left += faster->zeros, left += faster->zeros;
    }
  }
  if (out.shape.h == 1 && out.shape.w == 1 && !pixel && !adds && !s.pool &&
      split->kernels == out.shape.c) {
    const kernel_shape shape{out.shape.c, in.shape.c, window.kernel_h, window.kernel_w};
    split->kernels = detail::pace_of_kernels(Hw::spec, shape, p, split->weights).kernels;
    if (const auto ahead = detail::kernels_ahead(Hw::spec, shape, p);
        ahead != 0 && split->kernels == out.shape.c)
      split->kernels -= ahead, split->last_first = true;
  }
  return *split;
}

namespace detail {

// The given passes, or else those found. None are given while the C++ compiler computes.
template <class Hw>
convolution_split passes_told(assembly& to, const site<quantised::convolution>& s,
                              const plan::passes& told, const layer::surface& in,
                              const layer::surface& out, const net::window& window,
                              const convolution_split& found) {
  if (in.pictures > 1 || s.of_batch) {
    to.refuse(told, "is computed for all pictures of a batch at once");
    return found;
  }
  told_passes<Hw> as_told(told, in, out, window, s.pool, found);
  if (const auto own = as_told.run()) return *own;
  to.refuse(told, as_told.why());
  return found;
}
// Notes how the convolution is cut.
template <class Hw>
void tell_passes(assembly& to, const site<quantised::convolution>& s, const layer::surface& in,
                 const layer::surface& out, const convolution_split& split) {
  if (s.node.empty() || in.pictures > 1 || s.of_batch) return;
  const auto small = [](auto n) { return static_cast<std::int32_t>(n); };
  plan::split_convolution cut{.now = {.layer = s.node, .rows = split.rows, .columns = split.columns,
                                    .kernels = split.kernels, .data_banks = small(split.data.n),
                                    .weight_banks = small(split.weights.n)},
                            .results = out.shape,
                            .kernel_unit = small(kernel_unit<Hw>(out.precision))};
  if (!in.is_interleaved() && Hw::spec.memory_atom == 2 * image_view::channels &&
      image_view::of(in, Hw::spec.atom()))
    cut.now.image = split.image.has_value();
  to.tell(std::move(cut));
}

}  // namespace detail

// The passes as a schedule gives them.
template <class Hw>
constexpr convolution_split passes_of(assembly& to, const site<quantised::convolution>& s,
                                      const layer::surface& in, const layer::surface& out,
                                      net::window& window, std::int32_t& left) {
  if (std::is_constant_evaluated()) return passes_found<Hw>(s, in, out, window, left, 0);
  auto split = passes_found<Hw>(s, in, out, window, left, to.result.told.pass_weights);
  if (const auto* told = to.told_of(s.node))
    split = detail::passes_told<Hw>(to, s, *told, in, out, window, split);
  detail::tell_passes<Hw>(to, s, in, out, split);
  return split;
}

}  // namespace nvdlac::lower
