// SPDX-License-Identifier: Apache-2.0
// Local response normalisation in integers: by hand, and each attribute counts.
#include <doctest/doctest.h>

#include <array>
#include <span>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/lookup.hpp>

using namespace nvdlac;
using quantised::lrn;

namespace {

// LO answers to sums from 1 to 255 with entries that fall from 1000 by 2 for each.
lrn falling() {
  lrn op{.local_size = 3};
  op.table = {.exponential = false, .underflow_lo = true, .overflow_lo = true, .hybrid_lo = true,
              .le = {.start = 1000}};
  op.le.assign(65, 7);
  for (int i = 0; i < 257; ++i) op.lo.push_back(static_cast<std::int16_t>(1000 - 2 * i));
  op.out = {0, 1, 6};
  return op;
}

std::vector<std::int8_t> computed(const lrn& op, const net::int8_tensor& x) {
  const net::int8_tensor* const in[] = {&x};
  return op.evaluate(std::span<const net::int8_tensor* const>(in)).values;
}

const net::int8_tensor column{{4, 1, 1}, {3, -5, 2, 0}};

std::string refused(const lrn& op) {
  try {
    computed(op, column);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("sums of squares end at the first and at the last channel") {
  // sums 34, 38, 29, 4; factors 932, 924, 942, 992
  CHECK(computed(falling(), column) == std::vector<std::int8_t>{44, -72, 29, 0});
}

TEST_CASE("each attribute of the integer operator counts") {
  const auto usual = computed(falling(), column);
  const auto differs = [&](auto change) {
    auto op = falling();
    change(op);
    return computed(op, column) != usual;
  };
  CHECK(differs([](lrn& op) { op.local_size = 5; }));
  CHECK(differs([](lrn& op) { op.in.offset = 1; }));
  CHECK(differs([](lrn& op) { op.in.scale = 2; }));
  CHECK(differs([](lrn& op) { op.in.shift = 1; }));
  CHECK(differs([](lrn& op) { op.out.offset = 100; }));
  CHECK(differs([](lrn& op) { op.out.scale = -1; }));
  CHECK(differs([](lrn& op) { op.out.shift = 5; }));
  CHECK(differs([](lrn& op) { op.table.lo.start = 20; }));
  CHECK(differs([](lrn& op) { op.table.lo.select = 2; }));
  CHECK(differs([](lrn& op) { op.table.hybrid_lo = false; op.table.le.start = 0; }));
  CHECK(differs([](lrn& op) {
    op.table.exponential = true;
    op.table.hybrid_lo = false;
    op.table.le.start = 0;
  }));
  CHECK(differs([](lrn& op) { op.lo[34] = 0; }));
}

TEST_CASE("what the registers do not hold is refused") {
  const auto refusal = [](auto change) {
    auto op = falling();
    change(op);
    return refused(op);
  };
  const auto says = [](const std::string& all, const char* part) {
    INFO(all);
    return all.find(part) != std::string::npos;
  };
  CHECK(refusal([](lrn&) {}).empty());
  for (const int size : {-1, 1, 4, 11})
    CHECK(says(refusal([&](lrn& op) { op.local_size = size; }), "none of 3, 5, 7 and 9"));
  CHECK(says(refusal([](lrn& op) { op.in.shift = 32; }), "input shift is above 31"));
  CHECK(says(refusal([](lrn& op) { op.out.shift = 64; }), "output shift is above 63"));
  CHECK(says(refusal([](lrn& op) { op.in.offset = 128; }), "beyond the registers"));
  CHECK(says(refusal([](lrn& op) { op.out.offset = 1 << 24; }), "beyond the registers"));
  CHECK(says(refusal([](lrn& op) { op.table.le.start = 1 << 21; }), "beyond the registers"));
  CHECK(says(refusal([](lrn& op) { op.table.lo.select = 32; }), "beyond the registers"));
  CHECK(says(refusal([](lrn& op) { op.table.lo.overflow.shift = 16; }), "beyond the registers"));
  CHECK(says(refusal([](lrn& op) { op.table.offset = 128; }), "beyond the registers"));
  CHECK(says(refusal([](lrn& op) { op.lo.resize(256); }), "table LO"));
  CHECK(says(refusal([](lrn& op) { op.le = net::only_size{65}; }), "somewhere else"));
}
