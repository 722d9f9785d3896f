// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <random>

#include <nvdlac/hw/configurations/nv_full.hpp>
#include <nvdlac/hw/configurations/nv_large.hpp>
#include <nvdlac/hw/configurations/nv_medium_512.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/hw/configurations/nv_small_256.hpp>
#include <nvdlac/lower/split.hpp>

using namespace nvdlac;

namespace {

// Where weight (k, c, r, s) stands: counted from how many stand before it.
std::size_t position(const hw::spec& hw, lower::kernel_shape n, std::int32_t k, std::int32_t c,
                     std::int32_t r, std::int32_t s) {
  const auto group = static_cast<std::int32_t>(hw.mac_atomic_k);
  const auto block = static_cast<std::int32_t>(hw.mac_atomic_c);
  const auto in_group = std::min(group, n.kernels - k / group * group);
  const auto in_block = std::min(block, n.channels - c / block * block);
  std::int64_t before = std::int64_t{k / group} * group * n.channels * n.height * n.width;
  before += std::int64_t{c / block} * block * in_group * n.height * n.width;
  before += std::int64_t{r * n.width + s} * in_group * in_block;
  before += std::int64_t{k % group} * in_block + c % block;
  return static_cast<std::size_t>(before);
}

// The packed weights: weight(k, c, r, s) gives one.
template <class Weight>
constexpr std::vector<std::uint8_t> pack(const hw::spec& hw, lower::kernel_shape n,
                                         const Weight& weight) {
  std::vector<std::uint8_t> packed(lower::packed_size(hw, n).n, std::uint8_t{0});
  lower::pack_weights(hw, n, [&](auto k, auto c, auto count, auto r, auto s, std::uint8_t* to) {
    for (std::int32_t i = 0; i < count; ++i)
      to[i] = static_cast<std::uint8_t>(weight(k, c + i, r, s));
  }, packed.data());
  return packed;
}

constexpr auto small =
    pack(nv_small::spec, {2, 1, 1, 2}, [](auto k, auto, auto, auto s) {
      return 10 * k + s;
    }).size();
static_assert(small == 8);

}  // namespace

TEST_CASE("two kernels of three pixels stand pixel by pixel") {
  const auto packed = pack(
      nv_small::spec, {2, 1, 1, 3}, [](auto k, auto, auto, auto s) { return 10 * k + s + 1; });
  CHECK(std::vector<int>(packed.begin(), packed.end()) ==
        std::vector{1, 11, 2, 12, 3, 13, 0, 0});
}

TEST_CASE("weights stand by group, block, line, column, kernel, channel") {
  std::mt19937 random(7);
  for (const auto* hw : {&nv_small::spec, &nv_small_256::spec, &nv_medium_512::spec,
                         &nv_large::spec, &nv_full::spec})
    for (int round = 0; round < 12; ++round) {
      const auto pick = [&](std::int32_t most) {
        return static_cast<std::int32_t>(random() % static_cast<unsigned>(most)) + 1;
      };
      const lower::kernel_shape n{pick(70), pick(140), pick(3), pick(3)};
      std::vector<std::int8_t> values(static_cast<std::size_t>(n.kernels) * n.elements());
      for (auto& v : values) v = static_cast<std::int8_t>(random());
      const auto at = [&](std::int32_t k, std::int32_t c, std::int32_t r, std::int32_t s) {
        return values[static_cast<std::size_t>(((k * n.channels + c) * n.height + r) * n.width +
                                               s)];
      };
      const auto packed = pack(*hw, n, at);
      const auto unit = hw::weight_unit(*hw).n;
      CHECK(packed.size() % unit == 0);
      CHECK(packed.size() < values.size() + unit);
      bool same = true;
      for (std::int32_t k = 0; k < n.kernels; ++k)
        for (std::int32_t c = 0; c < n.channels; ++c)
          for (std::int32_t r = 0; r < n.height; ++r)
            for (std::int32_t s = 0; s < n.width; ++s)
              same = same && packed[position(*hw, n, k, c, r, s)] ==
                                 static_cast<std::uint8_t>(at(k, c, r, s));
      CHECK(same);
      for (auto i = values.size(); i < packed.size(); ++i) CHECK(packed[i] == 0);
    }
}

TEST_CASE("of several lines at a time each kernel's stand together") {
  const lower::kernel_shape shape{2, 3, 3, 1};
  std::vector<std::uint8_t> packed(lower::packed_size(nv_full::spec, shape).n);
  lower::pack_weights(nv_full::spec, shape,
                      [](auto k, auto, auto n, auto r, auto, std::uint8_t* to) {
                        for (std::int32_t c = 0; c < n; ++c)
                          to[c] = static_cast<std::uint8_t>(100 * k + 10 * r + c + 1);
                      },
                      packed.data(), hw::precision::int8, 2);
  packed.resize(18);
  CHECK(packed == std::vector<std::uint8_t>{1,   2,   3,   11,  12,  13,  101, 102, 103,
                                            111, 112, 113, 21,  22,  23,  121, 122, 123});
}
