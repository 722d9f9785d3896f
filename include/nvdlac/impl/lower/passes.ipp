// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/type_list.hpp>
#include <nvdlac/hw/cbuf.hpp>
#include <nvdlac/hw/limits.hpp>
#include <nvdlac/lower/assembly.hpp>
#include <nvdlac/lower/image_mode.hpp>
#include <nvdlac/lower/pass_times.hpp>
#include <nvdlac/lower/passes.hpp>
#include <nvdlac/lower/split.hpp>
#include <nvdlac/lower/support_integer.hpp>
#include <nvdlac/lower/target.hpp>
#include <nvdlac/plan/program.hpp>

namespace nvdlac::lower::detail {

// The passes of a convolution that is not of a batch, as they are given; what is not given is as it
// was found, or what the rest leaves.
class given_passes {
 public:
  // `in`, `window` and `found` are those of the passes that were found.
  given_passes(const hw::spec& hw, const plan::passes& given, const layer::surface& in,
               const layer::surface& out, const net::window& window,
               const std::optional<pooled>& pool, const convolution_split& found)
      : hw_(hw), given_(given), in_(in), out_(out.shape), precision_(out.precision),
        window_(window), pool_(pool), axes_(in.shape, out.shape, window, pool), split_(found) {}

  // nullopt: it is not possible, for the reason why().
  std::optional<convolution_split> run() {
    const auto numbers = {given_.rows, given_.columns, given_.kernels, given_.data_banks,
                          given_.weight_banks};
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
  static std::int32_t given_or(std::int32_t given, std::int32_t most, std::int32_t found) {
    return given == 0 ? found : std::min(given, most);
  }

  // As an image, or no longer; an image's lines and columns, too.
  void choose_image() {
    if (given_.image && in_.is_interleaved())
      return void(refuse("reads pixels, always as an image"));
    if (!given_.image.value_or(split_.image.has_value())) {
      if (split_.image)
        split_ = *split_convolution(hw_, in_.shape, out_, window_, false, precision_, pool_);
      return;
    }
    if (split_.image && given_.rows == 0 && given_.columns == 0) return;
    const bool has_pixels = hw_.memory_atom == 2 * image_view::channels;
    const auto view = has_pixels ? image_view::of(in_, hw_.atom()) : std::nullopt;
    if (!view)
      return void(refuse("cannot be read as an image: that is for int8 and atoms of two pixels, "
                         "where all surfaces of a line stand beside each other"));
    const image_search search(hw_, view, in_.shape, out_, window_, pool_);
    const auto columns = given_or(given_.columns, out_.w, split_.image ? split_.columns : 0);
    if (const auto found = search.given(columns, given_.rows)) split_ = *found;
    else refuse("has no such passes as an image: CSC does not read its lines right, or the CBUF "
                "has no room");
  }
  void choose_lines() {
    if (given_.rows == 0 && given_.columns == 0) return;
    if (in_.is_interleaved() && given_.columns != 0)
      return void(refuse("reads pixels, of which no columns can be told: each pass begins at an "
                         "atom of the picture"));
    split_.columns = given_or(given_.columns, out_.w, split_.columns);
    if (pool_ && split_.columns > widest_pass(pool_->window))
      return void(refuse(text("has a pooling behind it that takes ", widest_pass(pool_->window),
                              " columns of a pass at most")));
    split_.rows = given_or(given_.rows, out_.h, out_.h);
    for (std::int32_t parts = 2; given_.rows == 0 && parts <= out_.h && !has_room(); ++parts)
      split_.rows = divided(out_.h, parts);
  }
  void choose_kernels() {
    if (given_.kernels != 0) {
      const auto unit = kernel_unit(hw_, precision_);
      const auto count = static_cast<std::uint64_t>(std::min(given_.kernels, out_.c));
      if (std::cmp_less(count, out_.c) && count % unit != 0)
        return void(refuse(text("has passes of whole kernel groups that fill whole atoms: of ",
                                unit, " kernels, or a multiple")));
      split_.kernels = static_cast<std::int32_t>(count);
      split_.last_first = false;
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
    if (given_.rows != 0 || given_.columns != 0 || given_.kernels != 0 || given_.image) {
      split_.weights = std::min(weights(split_.kernels), all_banks_ - need);
      const bool several = split_.rows < out_.h || split_.columns < out_.w;
      split_.data = several ? std::min(banks{2 * need.n}, all_banks_ - split_.weights) : need;
    }
    const auto of = [](std::int32_t n) { return banks{static_cast<std::uint64_t>(n)}; };
    const auto own_data = of(given_.data_banks), own_weights = of(given_.weight_banks);
    if (std::max(own_data, own_weights) >= all_banks_ || own_data + own_weights > all_banks_)
      return void(refuse(text("is told more banks than the CBUF has, which are ", all_banks_.n)));
    if (own_data.n != 0) {
      split_.data = own_data;
      split_.weights = std::min(split_.weights, all_banks_ - own_data);
    }
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

  const hw::spec& hw_;
  const banks all_banks_{hw_.cbuf_banks};
  const plan::passes& given_;
  const layer::surface& in_;
  net::shape out_;
  hw::precision precision_;
  net::window window_;
  const std::optional<pooled>& pool_;
  pass_axes axes_;
  convolution_split split_;
  std::string why_{};
};

NVDLAC_IMPL convolution_split passes_given(const hw::spec& hw, assembly& to,
                                           const site<quantised::convolution>& s,
                                           const plan::passes& given, const layer::surface& in,
                                           const layer::surface& out, const net::window& window,
                                           const convolution_split& found) {
  if (in.pictures > 1 || s.of_batch) {
    to.refuse(given, "is computed for all pictures of a batch at once");
    return found;
  }
  given_passes as_given(hw, given, in, out, window, s.pool, found);
  if (const auto own = as_given.run()) return *own;
  to.refuse(given, as_given.why());
  return found;
}

NVDLAC_IMPL void tell_passes(const hw::spec& hw, assembly& to,
                             const site<quantised::convolution>& s, const layer::surface& in,
                             const layer::surface& out, const net::window& window,
                             const convolution_split& split) {
  if (s.node.empty() || in.pictures > 1 || s.of_batch) return;
  const auto small = [](auto n) { return static_cast<std::int32_t>(n); };
  plan::split_convolution cut{.now = {.layer = s.node, .rows = split.rows, .columns = split.columns,
                                      .kernels = split.kernels, .data_banks = small(split.data.n),
                                      .weight_banks = small(split.weights.n)},
                              .results = out.shape,
                              .kernel_unit = small(kernel_unit(hw, out.precision))};
  if (!in.is_interleaved() && hw.memory_atom == 2 * image_view::channels &&
      image_view::of(in, hw.atom()))
    cut.now.image = split.image.has_value();
  const bool is_given = to.given_of(s.node) != nullptr;
  if (!in.is_interleaved() && !split.image && !is_given) {
    const auto best =
        paced_by_memory(hw, in.shape, out.shape, window, out.precision, s.pool, split);
    plan::passes paced{.layer = s.node, .rows = best.rows, .image = cut.now.image};
    if (best.kernels < out.shape.c) paced.kernels = best.kernels;
    const auto as_given = given_passes(hw, paced, in, out, window, s.pool, split).run();
    if (as_given && (as_given->data != best.data || as_given->weights != best.weights)) {
      paced.data_banks = small(best.data.n);
      paced.weight_banks = small(best.weights.n);
    }
    if (best.rows != split.rows || best.kernels != split.kernels) cut.paced = paced;
  }
  to.tell(std::move(cut));
}

}  // namespace nvdlac::lower::detail
