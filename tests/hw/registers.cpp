// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/hw/registers.hpp>

using namespace nvdlac::hw;

namespace {

constexpr auto small = register_map::small, full = register_map::full;

constexpr bool well_formed(register_map map) {
  std::uint64_t next = 0, count = 0;
  for (const auto& r : registers(map)) {
    if (r.address < next || r.address % 4 != 0 || r.fields.empty()) return false;
    next = r.address + 4;
    std::uint32_t used = 0;
    for (const auto& f : r.fields) {
      if (f.msb > 31 || f.lsb > f.msb || (used & f.mask()) != 0 || f.reset > f.max()) return false;
      used |= f.mask();
      for (const auto& v : f.values)
        if (v.value > f.max()) return false;
    }
    if ((r.write_mask & ~used) != 0 || (r.access == access::r) != (r.write_mask == 0)) return false;
  }
  for (const auto& u : units(map)) {
    if (u.first != count) return false;
    for (const auto& r : registers(map).subspan(u.first, u.count))
      if (r.unit != u.name) return false;
    count += u.count;
  }
  return count == registers(map).size();
}
static_assert(well_formed(small));
static_assert(well_formed(full));
static_assert(registers(small).size() == 427 && registers(full).size() == 427);

static_assert(address<small, "CDMA.D_BANK"> == 0x30bc);
static_assert(address<full, "CDMA.D_BANK"> == 0x50bc);
static_assert(address<small, "GLB.S_INTR_STATUS"> == 0x100c);
static_assert(address<small, "BDMA.CFG_LAUNCH1"> == 0x10038);
static_assert(address<full, "RBK.D_OP_ENABLE"> == 0x10008);
static_assert(register_of<small, "GLB.S_NVDLA_HW_VERSION">.reset() == 0x303031);
static_assert(register_of<full, "GLB.S_NVDLA_HW_VERSION">.reset() == 0x303031);
static_assert(register_of<small, "CDMA.S_POINTER">.write_mask == 1);
static_assert(register_of<full, "CDMA.S_POINTER">.write_mask == 1);

static_assert(field_of<small, "CDMA.D_BANK.WEIGHT_BANK">.width() == 5);
static_assert(field_of<full, "CDMA.D_BANK.WEIGHT_BANK">.width() == 4);
static_assert(field_of<small, "CDMA.D_BANK.WEIGHT_BANK">.insert(31) == 0x1f0000);
static_assert(field_of<small, "CDMA.D_BANK.WEIGHT_BANK">.extract(0x1f0003) == 31);
static_assert(&field_of<small, "CDMA.D_OP_ENABLE"> == &field_of<small, "CDMA.D_OP_ENABLE.OP_EN">);

// Two's complement: a field of 16 bits takes -32768 to 65535.
constexpr auto& scale = field_of<small, "SDP.D_CVT_SCALE">;
static_assert(scale.insert(-1) == 0xffff && scale.insert(-32768) == 0x8000);
static_assert(scale.extract_signed(0xffff) == -1 && scale.extract_signed(0x7fff) == 32767);
constexpr auto& offset = field_of<full, "SDP.D_CVT_OFFSET">;
static_assert(offset.insert(-1) == 0xffffffff && offset.insert(0xffffffff) == 0xffffffff);
static_assert(offset.extract_signed(0x80000000) == INT32_MIN);

// Byte quantities give the same register word in both maps.
static_assert(field_of<small, "CDMA.D_LINE_STRIDE">.insert_bytes(0xc0) == 0xc0);
static_assert(field_of<full, "CDMA.D_LINE_STRIDE">.insert_bytes(0xc0) == 0xc0);
static_assert(field_of<small, "CDMA.D_LINE_STRIDE">.insert_bytes(0xffffffff) == 0xffffffff);
static_assert(field_of<full, "CDMA.D_WEIGHT_BYTES">.extract_bytes(0x1ff) == 0x180);

static_assert(value_of<small, "SDP.D_DP_BS_CFG.BS_ALU_ALGO", "SUM"> == 2);
static_assert(value_of<full, "SDP.D_DP_EW_CFG.EW_ALU_ALGO", "EQL"> == 3);
static_assert(value_of<full, "PDP.D_OPERATION_MODE_CFG.POOLING_METHOD", "AVERAGE"> == 0);
static_assert(value_of<small, "CDMA.D_DATAIN_FORMAT.PIXEL_FORMAT", "A8B8G8R8"> == 12);
static_assert(value_of<small, "CDMA.D_DAIN_RAM_TYPE", "MC"> == 1);
static_assert(value_of<small, "BDMA.CFG_CMD.SRC_RAM_TYPE", "MC"> == 1);
static_assert(value_of<small, "SDP.D_FEATURE_MODE_CFG.OUTPUT_DST", "PDP"> == 1);
static_assert(value_of<small, "CDP.D_LRN_CFG.NORMALZ_LEN", "LEN9"> == 3);

}  // namespace

TEST_CASE("registers: both maps have the same paths, values and access") {
  for (const auto& r : registers(small)) {
    const auto path = nvdlac::text(r.unit, '.', r.name);
    CAPTURE(path);
    const auto* other = find(full, path);
    REQUIRE(other != nullptr);
    CHECK(other->access == r.access);
    CHECK(find(small, path) == &r);
    CHECK(find(small, r.address) == &r);
    CHECK(find(full, other->address) == other);
    REQUIRE(other->fields.size() == r.fields.size());
    for (const auto& f : r.fields) {
      const auto* g = find_field(full, nvdlac::text(path, '.', f.name));
      REQUIRE(g != nullptr);
      CHECK(g->values.data() == f.values.data());
      CHECK(find_field(small, nvdlac::text(path, '.', f.name)) == &f);
    }
  }
}

TEST_CASE("registers: what is not there is not found") {
  for (const auto map : {small, full}) {
    for (const char* path : {"", ".", "CDMA", "CDMA.", "CDMA.D_BAN", "CDMA.D_BANKS", "cdma.D_BANK",
                             "CDMA.D_BANK.", "CDMA.D_BANK.DATA_BANK.X", "D_BANK", "SDP_.D_BANK"}) {
      CAPTURE(path);
      CHECK(find_field(map, path) == nullptr);
    }
    CHECK(find(map, "CDMA.D_BANK.DATA_BANK") == nullptr);
    CHECK(find(map, "CDMA.D_BANK") != nullptr);
    CHECK(find(map, 0x30bdu) == nullptr);
    CHECK(find(map, 0xffffffffu) == nullptr);
  }
}

TEST_CASE("registers: every value that fits comes back, every other one is refused") {
  for (const auto map : {small, full})
    for (const auto& r : registers(map))
      for (const auto& f : r.fields) {
        const std::int64_t top = f.max();
        for (const auto v : {std::int64_t{0}, std::int64_t{1}, top / 2, top})
          CHECK(f.extract(f.insert(v)) == v);
        for (const auto v : {-(top / 2) - 1, std::int64_t{-1}})
          CHECK(f.extract_signed(f.insert(v)) == v);
        CHECK_THROWS_AS(f.insert(top + 1), nvdlac::error);
        CHECK_THROWS_AS(f.insert(-(top / 2) - 2), nvdlac::error);
        CHECK_THROWS_AS(f.insert(INT64_MIN), nvdlac::error);
      }
  CHECK_THROWS_WITH_AS((field_of<full, "CDMA.D_BANK.DATA_BANK">.insert(16)),
                       "the value 16 does not fit the register field DATA_BANK of 4 bits",
                       nvdlac::error);
  CHECK_THROWS_AS((field_of<full, "CDMA.D_LINE_STRIDE">.insert_bytes(0x10)), nvdlac::error);
  CHECK_THROWS_AS((field_of<small, "CDMA.D_LINE_STRIDE">.insert_bytes(1ull << 32)), nvdlac::error);
  CHECK_THROWS_AS((field_of<small, "CACC.D_LINE_STRIDE">.insert_bytes(1u << 24)), nvdlac::error);
}

TEST_CASE("registers: a write is described in words") {
  CHECK(describe(small, 0x30bc, 0x00010001) == "CDMA.D_BANK DATA_BANK=1 WEIGHT_BANK=1");
  CHECK(describe(full, 0x501c, 0x00040013) ==
        "CDMA.D_DATAIN_SIZE_0 DATAIN_WIDTH=0x13 DATAIN_HEIGHT=4");
  CHECK(describe(small, 0x905c, 0x101) ==
        "SDP.D_DP_BS_ALU_CFG BS_ALU_SRC=MEM BS_ALU_SHIFT_VALUE=1");
  CHECK(describe(small, 0x1ffc, 7) == "0x1ffc");
}
