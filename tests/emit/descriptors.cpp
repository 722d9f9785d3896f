// SPDX-License-Identifier: Apache-2.0
#include <random>

#include <doctest/doctest.h>

#include <nvdlac/emit/descriptors.hpp>

using namespace nvdlac;

namespace {

class random_layers {
 public:
  explicit random_layers(unsigned seed) : engine_(seed) {}

  int number(int least, int most) { return std::uniform_int_distribution(least, most)(engine_); }
  bool coin() { return number(0, 1) == 1; }
  layer::location place() {
    return {number(0, 30), static_cast<std::uint64_t>(number(0, 1 << 30))};
  }
  net::shape shape() { return {number(1, 8192), number(1, 8192), number(1, 8192)}; }
  layer::surface surface(layer::location at) {
    return {at, shape(), static_cast<std::uint32_t>(number(0, 1 << 30)),
            static_cast<std::uint32_t>(number(0, 1 << 30)),
            static_cast<std::uint64_t>(number(0, 1 << 30))};
  }
  void pictures(layer::surface& s) {
    s.pictures = coin() ? number(2, 32) : 1;
    if (s.pictures > 1) s.picture_stride = static_cast<std::uint32_t>(number(0, 1 << 30));
  }
  converter cvt() {
    return {number(-100000, 100000), static_cast<std::int16_t>(number(-32768, 32767)),
            static_cast<std::uint8_t>(number(0, 63))};
  }
  layer::sdp_unit unit() {
    layer::sdp_unit u;
    if (coin()) return u;
    u.alu = coin();
    u.mul = coin();
    u.relu = coin() || (!u.alu && !u.mul);
    u.prelu = u.mul && !u.relu && coin();
    u.algorithm = static_cast<layer::sdp_alu>(number(0, 2));
    if (u.alu || u.mul) u.mode = static_cast<layer::sdp_mode>(number(0, 2));
    u.alu_shift = static_cast<std::uint8_t>(number(0, 63));
    u.mul_shift = static_cast<std::uint8_t>(number(0, 255));
    u.alu_operand = static_cast<std::int16_t>(number(-32768, 32767));
    u.mul_operand = static_cast<std::int16_t>(number(-32768, 32767));
    u.operand_bytes = coin() ? 1 : 2;
    if (u.mode == layer::sdp_mode::per_point) u.operands = surface(place());
    if (u.mode == layer::sdp_mode::per_kernel) u.operands = {place(), {}, 0, 0, 4096};
    return u;
  }
  layer::any convolution() {
    layer::convolution l;
    const bool pixels = coin();
    l.input = surface(place());
    l.input.shape.c = pixels ? 4 : number(1, 1000);
    l.format = pixels ? layer::pixel_format::a8b8g8r8 : layer::pixel_format::feature;
    l.weights = {place(), {}, 0, 0, static_cast<std::uint64_t>(number(1, 1 << 20)) * 128};
    l.output = shape();
    l.output.w = number(1, 100);
    l.output.h = number(1, 100);
    l.window = {number(1, 32), number(1, 32), number(1, 8), number(1, 8), number(0, 31),
                number(0, 31), number(0, 63), number(0, 63), number(1, 32), number(1, 32)};
    l.pad_value = static_cast<std::int16_t>(number(-32768, 32767));
    for (auto& m : l.mean) m = static_cast<std::int16_t>(number(-32768, 32767));
    l.use_mean = coin();
    l.pixels_signed = coin();
    l.convert = coin();
    if (pixels) l.kernel_lines = static_cast<std::uint8_t>(1 << number(0, 2));
    l.cvt = cvt();
    l.entries_per_slice = static_cast<std::uint16_t>(number(1, 16384));
    l.data_banks = static_cast<std::uint8_t>(number(1, 32));
    l.weight_banks = static_cast<std::uint8_t>(number(1, 32));
    l.fetch_grain = static_cast<std::uint16_t>(number(1, 4096));
    l.release = static_cast<std::uint16_t>(number(1, 4096));
    l.data_reuse = coin();
    l.weight_reuse = coin();
    l.skip_data_release = coin();
    l.skip_weight_release = coin();
    l.truncate = static_cast<std::uint8_t>(number(0, 16));
    l.winograd = !pixels && coin();
    if (l.winograd) l.input_truncate = static_cast<std::uint8_t>(number(0, 2));
    if (!pixels) pictures(l.input);
    return l;
  }
  layer::any sdp() {
    layer::sdp l;
    l.input = surface(coin() ? place() : layer::location{});
    l.x1 = unit();
    l.x2 = unit();
    l.out = cvt();
    l.output = surface(coin() ? place() : layer::location{});
    pictures(l.output);
    l.input.pictures = l.output.pictures;
    l.lut = static_cast<std::int16_t>(coin() ? number(0, 32767) : -1);
    return l;
  }
  layer::any pdp() {
    layer::pdp l;
    l.input = surface(coin() ? place() : layer::location{});
    l.output = surface(place());
    l.kind = coin() ? net::pool_kind::average : net::pool_kind::maximum;
    l.window = {number(1, 8), number(1, 8), number(1, 8), number(1, 8), number(0, 7),
                number(0, 7), number(0, 7), number(0, 7), 1, 1};
    l.pad_value = static_cast<std::int16_t>(number(-32768, 32767));
    if (!l.input.at.on_the_fly()) l.split = {3, 13, 12, 8, 6, 6, 4};
    return l;
  }
  layer::any cdp() {
    layer::cdp l;
    l.input = surface(place());
    l.output = surface(place());
    l.local_size = 2 * number(1, 4) + 1;
    l.in = cvt();
    l.out = cvt();
    l.lut = static_cast<std::int16_t>(number(0, 32767));
    return l;
  }
  layer::any rubik() {
    layer::rubik l{.input = surface(place()), .output = surface(place())};
    l.stride_y = number(1, 32);
    l.stride_x = number(1, 32);
    l.input.precision = l.output.precision = static_cast<hw::precision>(number(0, 2));
    return l;
  }

 private:
  std::mt19937 engine_;
};

struct lists {
  std::vector<std::uint8_t> operations{}, surfaces{};
};

std::string refusal(lists l, unsigned type) {
  try {
    emit::decode(type, l.operations, l.surfaces, 0);
  } catch (const error& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("layers come back from their descriptors") {
  random_layers random(7);
  lists l;
  std::vector<layer::any> layers;
  for (int i = 0; i < 300; ++i) {
    layers.push_back(i % 5 == 0   ? random.convolution()
                     : i % 5 == 1 ? random.sdp()
                     : i % 5 == 2 ? random.pdp()
                     : i % 5 == 3 ? random.cdp()
                                  : random.rubik());
    emit::encode(layers.back(), {8}, l.operations, l.surfaces);
  }
  CHECK(l.operations.size() == 300 * 116);
  CHECK(l.surfaces.size() == 300 * 644);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto type = static_cast<unsigned>(layer::engine_of(layers[i]));
    CHECK(emit::decode(type, l.operations, l.surfaces, i) == layers[i]);
  }
  CHECK_THROWS_AS(emit::decode(1, l.operations, l.surfaces, 300), error);
}

TEST_CASE("fields are where the firmware looks for them") {
  layer::convolution c;
  c.input = layer::packed({40, 7, 9}, {8}, {5, 0x1234});
  c.weights = {{1, 64}, {}, 0, 0, 0x2200};
  c.output = {24, 7, 9};
  c.window = {3, 3, 2, 1, 4, 5, 6, 7, 1, 2};
  c.entries_per_slice = 0x2d;
  lists l;
  emit::encode(c, {8}, l.operations, l.surfaces);
  const auto& op = l.operations;
  CHECK(op[6] == 0x2d);        // entry_per_slice
  CHECK(op[8] == 36);          // data_format
  CHECK(op[20] == 1);          // batch
  CHECK(op[48] + 256 * op[49] == 360);  // bytes_per_kernel
  CHECK(op[61] == 1);          // conv_stride_x
  CHECK(op[62] == 2);          // conv_stride_y
  CHECK(op[63] == 5);          // pad_x_left
  CHECK(op[67] == 2);          // dilation_x
  const auto& s = l.surfaces;
  CHECK(s[96 + 2] == 5);       // src.address
  CHECK(s[96 + 4] == 0x34);    // src.offset
  CHECK(s[128] == 2);          // dst.type: hardware
  CHECK(s[128 + 2] == 0xff);   // dst.address: -1
}

TEST_CASE("pictures of a batch are where the firmware looks for them") {
  auto several = layer::packed({40, 3, 7}, {32}, {5, 0x1240});
  several.pictures = 6;
  several.picture_stride = 0x12340;
  layer::convolution c{.input = several};
  c.output = {40, 3, 7};
  lists l;
  emit::encode(c, {32}, l.operations, l.surfaces);
  CHECK(l.operations[20] == 6);  // batch
  CHECK(l.operations[24] == 0x40);
  CHECK(l.operations[25] == 0x23);
  CHECK(l.operations[26] == 1);  // batch_stride
  // dst.line_stride: 7 atoms are no whole pairs
  CHECK(l.surfaces[128 + 20] + 256 * l.surfaces[128 + 21] == 256);
  CHECK(l.surfaces[128 + 24] + 256 * l.surfaces[128 + 25] == 768);  // dst.surf_stride
  l.operations[20] = 0;
  CHECK(refusal(l, 1).find("conv.batch is 0") != std::string::npos);

  layer::sdp s{.input = {.shape = several.shape, .pictures = 6}, .output = several};
  lists m;
  emit::encode(s, {32}, m.operations, m.surfaces);
  CHECK(m.operations[13] == 6);  // batch_num
  CHECK(m.operations[16] == 0x40);
  CHECK(m.operations[18] == 1);  // batch_stride
}

TEST_CASE("what our layers do not have is refused by name") {
  lists l;
  random_layers random(3);
  emit::encode(random.convolution(), {8}, l.operations, l.surfaces);
  l.operations[0] = 2;
  CHECK(refusal(l, 1).find("operation 0") != std::string::npos);
  CHECK(refusal(l, 1).find("conv_mode is 2") != std::string::npos);
  lists p;
  emit::encode(random.pdp(), {8}, p.operations, p.surfaces);
  p.operations[13] = 3;
  CHECK(refusal(p, 3).find("pool_mode is 3") != std::string::npos);
  CHECK(refusal(p, 6).find("type 6") != std::string::npos);
  lists r;
  emit::encode(random.rubik(), {8}, r.operations, r.surfaces);
  r.operations[0] = 1;
  CHECK(refusal(r, 5).find("rubik.mode is 1") != std::string::npos);
  r.operations[0] = r.operations[2] = 0;
  CHECK(refusal(r, 5).find("rubik.stride_x is 0") != std::string::npos);
  lists s;
  emit::encode(layer::sdp{layer::packed({8, 2, 2}, {8}, {1, 0}), {}, {}, {},
                          layer::packed({8, 2, 2}, {8}, {2, 0})},
               {8}, s.operations, s.surfaces);
  s.operations[84] = 1;
  CHECK(refusal(s, 2).find("sdp.y_op.act") != std::string::npos);
  s.operations[84 + 4] = 2;
  CHECK(refusal(s, 2).find("Y has no lookup table") != std::string::npos);
  s.operations[84 + 2] = 1;
  CHECK(refusal(s, 2).find("sdp.y_op.type") != std::string::npos);
  s.operations[84] = s.operations[2] = s.operations[3] = 0;
  CHECK(refusal(s, 2).find("of no use without Y") != std::string::npos);
}

TEST_CASE("values that do not fit name their field") {
  layer::pdp p;
  p.output.at = {0, 0};
  p.window.stride_w = 300;
  lists l;
  CHECK_THROWS_WITH_AS(
      emit::encode(layer::any{p}, {8}, l.operations, l.surfaces),
      "a loadable holds no more than 255 in the field pdp.stride_x of the public "
      "firmware, and this is 300 (a smaller network, or a part of it: --from, --to)",
      error);
}

TEST_CASE("a call of the host has cubes of any size, the runtime's softmax has not") {
  const auto list = layer::packed({262144, 1, 1}, {8}, {3, 64});
  layer::host_call call;
  call.input_count = 2;
  call.input_list[0] = layer::packed({2, 131072, 3}, {8}, {1, 0});
  call.input_list[1] = layer::packed({1, 1, 70000}, {8}, {2, 0});
  call.output = list;
  std::vector<std::uint8_t> operations, buffers;
  emit::encode_host(layer::any{call}, {8}, operations, buffers);
  namespace fw = emit::firmware;
  emit::descriptor_of<layer::host_call> d;
  d.op = emit::read_record<fw::emulator_call>(operations, 0, fw::emulator_operation_bytes);
  for (std::size_t i = 0; i < 2; ++i)
    d.inputs.push_back(
        emit::read_record<fw::emulator_buffer>(buffers, i, fw::emulator_buffer_bytes));
  d.output = emit::read_record<fw::emulator_buffer>(buffers, 2, fw::emulator_buffer_bytes);
  const auto again = emit::decode(d);
  CHECK(again.output == call.output);
  CHECK(again.input_list[0] == call.input_list[0]);
  CHECK(again.input_list[1] == call.input_list[1]);

  const layer::host_softmax softmax{.input = list, .output = list};
  CHECK_THROWS_WITH_AS(emit::encode_host(layer::any{softmax}, {8}, operations, buffers),
                       doctest::Contains("no more than 65535 in the field softmax.src_data"),
                       error);
}

TEST_CASE("a lookup table comes back from the firmware's record") {
  std::mt19937 random(8);
  const auto number = [&](int least, int most) {
    return std::uniform_int_distribution(least, most)(random);
  };
  for (int i = 0; i < 20; ++i) {
    layer::lut lut;
    for (auto& e : lut.tables.le) e = static_cast<std::int16_t>(number(-32768, 32767));
    for (auto& e : lut.tables.lo) e = static_cast<std::int16_t>(number(-32768, 32767));
    auto& s = lut.settings;
    s = {number(0, 1) == 1, number(-128, 127), number(0, 1) == 1, number(0, 1) == 1,
         number(0, 1) == 1};
    if (!s.exponential) std::swap(s.offset, s.le.select);
    s.lo.select = number(-128, 127);
    for (auto* d : {&s.le, &s.lo}) {
      d->start = number(-100000, 100000);
      d->end = number(-100000, 100000);
      d->underflow = {static_cast<std::int16_t>(number(-32768, 32767)), number(-16, 15)};
      d->overflow = {static_cast<std::int16_t>(number(-32768, 32767)), number(-16, 15)};
    }
    CHECK(emit::decode(emit::encode(lut)) == lut);
  }
  std::vector<std::uint8_t> bytes;
  layer::lut lut;
  lut.settings.exponential = false;
  lut.settings.le.select = 3;
  lut.settings.lo = {.start = -2, .end = 5, .select = -4, .underflow = {0x1234, 6}};
  lut.tables.lo[0] = 0x55;
  emit::write_record(bytes, emit::encode(lut), emit::firmware::lut_bytes);
  REQUIRE(bytes.size() == 700);
  CHECK(bytes[130] == 0x55);   // linear_only_table
  CHECK(bytes[644] == 3);      // linear_exp_offset.frac_bits
  CHECK(bytes[646] == 0xfc);   // linear_only_offset.frac_bits
  CHECK(bytes[664] == 0xfe);   // linear_only_start
  CHECK(bytes[672] == 5);      // linear_only_end
  CHECK(bytes[688] == 0x34);   // linear_only_underflow_slope.scale
  CHECK(bytes[690] == 6);      // its shifter
  CHECK(bytes[699] == 1);      // method: linear
}

TEST_CASE("a softmax comes back from the emulator's descriptors") {
  layer::host_softmax s;
  s.input = layer::packed({10, 1, 1}, {8}, {3, 64});
  s.output = layer::packed({10, 1, 1}, {8}, {4, 0});
  s.input_scale = 0.125f;
  s.output_scale = 1 / 127.0f;
  CHECK(emit::decode(emit::encode(s, {8})) == s);
  CHECK(emit::encode(s, {8}).src.format == 1);
  CHECK(emit::encode(s, {32}).src.format == 0);
}

TEST_CASE("random descriptors are decoded or refused") {
  std::mt19937 random(11);
  lists l;
  l.operations.resize(116);
  l.surfaces.resize(644);
  int refused = 0;
  for (int i = 0; i < 3000; ++i) {
    for (auto* list : {&l.operations, &l.surfaces})
      for (auto& b : *list) b = static_cast<std::uint8_t>(random() % 8 == 0 ? random() : 0);
    refused += !refusal(l, random() % 8).empty();
  }
  CHECK(refused > 2000);
}
