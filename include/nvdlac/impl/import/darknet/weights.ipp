// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nvdlac/base/count.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/import/darknet/weights.hpp>
#include <nvdlac/import/file.hpp>
#include <nvdlac/import/random_weights.hpp>
#include <nvdlac/net/operation.hpp>

namespace nvdlac::import::darknet_format {

NVDLAC_IMPL weights::weights(std::string file, std::string_view content)
    : file_(std::move(file)), rest_(content) {
  const auto major = integer(), minor = integer();
  (void)integer();  // the revision
  const auto fail = [&](std::string reason, std::string remedy = {}) {
    return error(problem{.file = file_, .reason = std::move(reason),
                         .remedy = std::move(remedy)});
  };
  if (!header_ || major < 0 || minor < 0 || major > most_version || minor > most_version) {
    const auto kind = recognise(content);
    const bool other = kind.kind != file_kind::darknet_weights && !kind.name.starts_with("no ");
    throw fail(other ? "this is " + kind.name + ", not Darknet's weights"
                     : "it does not start with the version of Darknet's weights");
  }
  transposed_ = major > 1000 || minor > 1000;
  const std::size_t seen = major * 10 + minor >= 2 ? 8 : 4;  // bytes: pictures of the training
  if (rest_.size() < seen) throw fail("it ends in its header");
  rest_.remove_prefix(seen);
  if (rest_.size() % 4 != 0)
    throw fail(text("it has ", rest_.size(), " bytes behind its header, which are no whole "
                    "numbers of 4 bytes"), "the file is cut off or damaged");
}

NVDLAC_IMPL std::vector<float> weights::take(const std::string& layer, const dims& shape,
                                             const char* what) {
  std::int64_t count = 1;
  for (const auto n : shape) count = net::product({count, n});
  if (random_) {
    if (layer != layer_) {
      layer_ = layer;
      number_ = 0;
    }
    return noise(random_->of(layer, number_++), shape, what, most_);
  }
  needed_ = sum(needed_, count);
  if (lacking_ || static_cast<std::uint64_t>(count) > rest_.size() / 4) {
    if (!lacking_) lacking_ = lack{layer, what};
    missing_ = sum(missing_, count);
    return {};
  }
  std::vector<float> values(static_cast<std::size_t>(count));
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(values.data(), rest_.data(), values.size() * 4);
  rest_.remove_prefix(values.size() * 4);
  return values;
}

NVDLAC_IMPL std::optional<problem> weights::wrong() const {
  if (random_) return std::nullopt;
  const auto left = static_cast<std::int64_t>(rest_.size() / 4);
  problem p{.file = file_,
            .remedy = "cfg and weights do not belong together, or the file is cut off"};
  if (lacking_) {
    p.layer = lacking_->layer;
    p.reason = text("the weights end at its ", lacking_->what, ": ", missing_ - left, " of the ",
                    count_of(needed_, "value"), " of the network are missing");
    return p;
  }
  if (left == 0) return std::nullopt;
  p.reason = text("the layers take ", count_of(needed_, "value"), ", but there are ", left,
                  " more");
  return p;
}

NVDLAC_IMPL std::int64_t weights::integer() {
  std::int32_t v = 0;
  if (rest_.size() < 4) return header_ = false, 0;
  std::memcpy(&v, rest_.data(), 4);
  rest_.remove_prefix(4);
  return v;
}

NVDLAC_IMPL std::int64_t weights::sum(std::int64_t a, std::int64_t b) {
  std::int64_t all = 0;
  return __builtin_add_overflow(a, b, &all) ? net::product({a, b}) : all;
}

}  // namespace nvdlac::import::darknet_format
