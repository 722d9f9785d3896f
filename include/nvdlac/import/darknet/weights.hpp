// SPDX-License-Identifier: Apache-2.0
#pragma once
// The numbers of a .weights file, which have no names: layers take theirs in the order of the
// cfg.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/import/random_weights.hpp>

namespace nvdlac::import::darknet_format {

using dims = std::vector<std::int64_t>;

class weights {
 public:
  // Noise, of no more than budget::weights in a layer.
  weights(random_weights r, std::uint64_t most) : random_(r), most_(most) {}
  // The content outlives it. Throws `error` unless there is a header and whole numbers behind it.
  weights(std::string file, std::string_view content);

  // Connected layers have their weights as [inputs][outputs].
  bool transposed() const { return transposed_; }
  // Whether all that was taken so far was there.
  bool sound() const { return !lacking_; }

  // The next values, as many as the shape has; none where the file has no more.
  std::vector<float> take(const std::string& layer, const dims& shape, const char* what);

  // Once all layers have theirs: too few values or too many.
  std::optional<problem> wrong() const;

 private:
  static constexpr std::int64_t most_version = 1 << 16;

  std::int64_t integer();
  static std::int64_t sum(std::int64_t a, std::int64_t b);

  struct lack {
    std::string layer;
    const char* what;
  };

  std::string file_{};
  std::string_view rest_{};
  std::optional<random_weights> random_{};
  std::uint64_t most_ = 0;  // of noise
  bool header_ = true, transposed_ = false;
  std::int64_t needed_ = 0, missing_ = 0;
  std::optional<lack> lacking_{};
  std::string layer_{};
  std::uint32_t number_ = 0;  // of the layer's next array
};

}  // namespace nvdlac::import::darknet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet/weights.ipp>
#endif
