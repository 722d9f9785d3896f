// SPDX-License-Identifier: Apache-2.0
// Weights of 4 bits, scales of blocks, and operators of quantised models beside the common ones.
#include "onnx_model.hpp"

using namespace onnx_model;

namespace {

constexpr int uint4 = 21, int4 = 22;

std::string stored(const std::string& name, int type, const std::vector<std::int64_t>& shape,
                   const std::string& values) {
  return "initializer { name: '" + name + text("' data_type: ", type) + list("dims", shape) + " " +
         values + " }\n";
}
std::string bytes(const std::string& octal) { return "raw_data: '" + octal + "'"; }
std::string grid_of(const std::string& name, float s, std::int64_t zero) {
  return floats(name + ".s", {}, {s}) + stored(name + ".z", 3, {}, text("int32_data: ", zero));
}
// y = x * w for x = 0.1 -0.2 0.3 and weights [3, 1] that DequantizeLinear gives.
numbers product(const std::string& constants, const std::string& in,
                const std::string& attributes = {}) {
  return run(x_to_y({1, 3}, constants + node("DequantizeLinear", in, "d", attributes) +
                                node("MatMul", "x d", "y"), 21));
}
std::string refused_product(const std::string& constants, const std::string& in = "w s",
                            const std::string& attributes = {}) {
  return refused(x_to_y({1, 3}, constants + node("DequantizeLinear", in, "d", attributes) +
                                    node("MatMul", "x d", "y"), 21));
}
const std::string half = floats("s", {}, {0.5F});

}  // namespace

TEST_CASE("weights of 4 bits: two in a byte, the first in its lower half") {
  // 7, -8, -1 and 7, 8, 15
  for (const auto& values : {bytes("\\207\\017"), std::string("int32_data: 135 int32_data: 15")}) {
    CAPTURE(values);
    check_close(product(half + stored("w", int4, {3, 1}, values), "w s"),
                {0.5F * (0.1F * 7 + 0.2F * 8 - 0.3F)});
    check_close(product(half + stored("w", uint4, {3, 1}, values), "w s"),
                {0.5F * (0.1F * 7 - 0.2F * 8 + 0.3F * 15)});
  }
  // A zero point of the same type.
  check_close(product(half + stored("w", uint4, {3, 1}, bytes("\\207\\017")) +
                          stored("z", uint4, {}, bytes("\\010")), "w s z"),
              {0.5F * (0.1F * -1 - 0.2F * 0 + 0.3F * 7)});
  const auto bad = [](int type, const std::string& values) {
    return refused_product(half + stored("w", type, {3, 1}, values));
  };
  CHECK(mentions(bad(int4, bytes("\\207")), "it has 1 bytes instead of 2"));
  CHECK(mentions(bad(int4, bytes("\\207\\027")), "what follows its last value of 4 bits is not 0"));
  CHECK(mentions(bad(int4, "int32_data: 135"), "it has 2 values instead of 3"));
  CHECK(mentions(bad(int4, "int32_data: 256 int32_data: 0"), "256 is no two numbers of 4 bits"));
  CHECK(mentions(bad(26, bytes("\\207")), "its values are of type INT2, which is not supported"));
  CHECK(mentions(bad(25, bytes("\\207")), "its values are of type UINT2, which is not supported"));
  CHECK(mentions(bad(23, bytes("\\207")), "its values are of type FLOAT4E2M1"));
}

TEST_CASE("constants are quantised to 4 bits, computed tensors are not") {
  const auto k = floats("k", {3, 1}, {1.3F, -9, 2}) + half;
  check_close(run(x_to_y({1, 3}, k + node("QuantizeLinear", "k s", "q",
                                          integer("output_dtype", int4)) +
                                     node("DequantizeLinear", "q s", "d") +
                                     node("MatMul", "x d", "y"), 21)),
              {0.1F * 1.5F + 0.2F * 4 + 0.3F * 2});
  const auto computed = refused(x_to_y(
      {1, 3}, half + node("QuantizeLinear", "x s", "q", integer("output_dtype", int4)) +
                  node("DequantizeLinear", "q s", "y"), 21));
  CHECK(mentions(computed, "it quantises to INT4"));
  CHECK(mentions(computed, "only constants, such as weights, may have 4 bits"));
}

TEST_CASE("scales of blocks of weights") {
  // Weights 7 -8 / -1 5 / 3 0, a scale for two lines of each column.
  const auto w = stored("w", int4, {3, 2}, bytes("\\207\\137\\003"));
  const auto s = floats("s", {2, 2}, {1, 2, 3, 4});
  const auto along_0 = integer("axis", 0) + integer("block_size", 2);
  check_close(product(w + s, "w s", along_0),
              {0.1F * 7 + 0.2F * 1 + 0.3F * 9, 0.1F * -16 - 0.2F * 10});
  const auto z = stored("z", int4, {2, 2}, bytes("\\020\\000"));
  check_close(product(w + s + z, "w s z", along_0),
              {0.1F * 7 + 0.2F * 1 + 0.3F * 9, 0.1F * -18 - 0.2F * 8});
  const auto columns = floats("s", {3, 1}, {1, 2, 4});
  check_close(product(w + columns, "w s", integer("axis", 1) + integer("block_size", 2)),
              {0.1F * 7 + 0.2F * 2 + 0.3F * 12, 0.1F * -8 - 0.2F * 10});
  // A constant is also quantised in blocks, as it is dequantised.
  const auto k = floats("k", {3, 2}, {7, -16, -1, 10, 9, 0});
  check_close(run(x_to_y({1, 3}, k + s + node("QuantizeLinear", "k s", "q",
                                              along_0 + integer("output_dtype", int4)) +
                                     node("DequantizeLinear", "q s", "d", along_0) +
                                     node("MatMul", "x d", "y"), 21)),
              {0.1F * 7 + 0.2F * 1 + 0.3F * 9, 0.1F * -16 - 0.2F * 10});
  CHECK(mentions(refused_product(w + s, "w s", integer("axis", 0) + integer("block_size", 1)),
                 "its scales [2, 2] do not fit [3, 2] in blocks of 1 along axis 0"));
  CHECK(mentions(refused_product(w + s, "w s", integer("axis", 0) + integer("block_size", -2)),
                 "its block_size is -2"));
}

TEST_CASE("QLinearReduceMean and QLinearWhere") {
  const auto of_microsoft = [](std::string n) {
    return n.insert(n.find("op_type"), "domain: 'com.microsoft' ");
  };
  const auto head = grid_of("x", 0.5F, 3) + grid_of("y", 0.1F, -10) +
                    node("QuantizeLinear", "x x.s x.z", "xq");
  const auto tail = node("DequantizeLinear", "yq y.s y.z", "y");
  const auto mean = [&](const std::string& attributes) {
    return x_to_y({1, 2, 2, 2}, head + of_microsoft(node("QLinearReduceMean",
                                                         "xq x.s x.z y.s y.z", "yq",
                                                         attributes)) + tail);
  };
  check_close(run(mean(ints("axes", {2, 3}))),
              {(0.1F - 0.2F + 0.3F - 0.4F) / 4, (0.5F - 0.6F + 0.7F - 0.8F) / 4});
  check_close(run(mean(ints("axes", {1}) + integer("keepdims", 0))), {0.3F, -0.4F, 0.5F, -0.6F});
  const auto network = import::onnx_network_from(mean(ints("axes", {2, 3})), "net.onnx");
  CHECK(network.scales.find("QLinearReduceMean_yq").value_or(0) ==
        doctest::Approx(0.1 * 137 / 127));
  const auto where = [&](const std::string& condition) {
    return x_to_y({1, 4}, head + stored("k", 9, {4}, "int32_data: [1, 0, 0, 1]") +
                              stored("v", 3, {1}, "int32_data: 23") +
                              of_microsoft(node("QLinearWhere", condition +
                                                " xq x.s x.z v y.s y.z y.s y.z", "yq")) + tail);
  };
  check_close(run(where("k")), {0.1F, 3.3F, 3.3F, -0.4F});
  CHECK(mentions(refused(where("x")), "its condition is of another type than BOOL"));
}

TEST_CASE("CastLike converts to the type of another tensor") {
  const auto g = grid_of("x", 0.5F, 3);
  const auto between = [&](const std::string& like) {
    return x_to_y({1, 4}, g + stored("u", 2, {}, "int32_data: 1") +
                              node("QuantizeLinear", "x x.s x.z", "q") +
                              node("CastLike", "q " + like, "c") +
                              node("DequantizeLinear", "c x.s x.z", "y"), 19);
  };
  check_close(run(between("x.z")), {0.1F, -0.2F, 0.3F, -0.4F});
  check_close(run(between("q")), {0.1F, -0.2F, 0.3F, -0.4F});
  CHECK(mentions(refused(between("u")), "it computes with the integers of a quantised tensor"));
  check_close(run(x_to_y({1, 4}, node("CastLike", "x x", "y"), 15)), {0.1F, -0.2F, 0.3F, -0.4F});
  CHECK(mentions(refused(x_to_y({1, 4}, g + node("CastLike", "x x.z", "y"), 15)),
                 "it converts a computed tensor to INT8"));
  // A zero point that was written as INT64.
  const auto zero = integers("wide", {3}) + node("CastLike", "wide x.z", "narrow") +
                    node("Squeeze", "narrow", "z");
  check_close(run(x_to_y({1, 4}, g + zero + node("QuantizeLinear", "x x.s z", "q") +
                                     node("DequantizeLinear", "q x.s z", "y"), 15)),
              {0.1F, -0.2F, 0.3F, -0.4F});
  CHECK(mentions(refused(x_to_y({1, 4}, node("CastLike", "x x", "y"), 14)),
                 "it is understood from opset 15 on"));
}
