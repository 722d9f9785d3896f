// SPDX-License-Identifier: Apache-2.0
// Layers that the host may compute: --host and --host-stub.
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

namespace {

// With two functions that nv_small has no table for.
const char* const network = R"(
layer { name: "data" type: "Input" top: "data"
        input_param { shape { dim: 1 dim: 1 dim: 8 dim: 8 } } }
layer { name: "c" type: "Convolution" bottom: "data" top: "c"
        convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "e" type: "ELU" bottom: "c" top: "e" }
layer { name: "d" type: "Convolution" bottom: "e" top: "d"
        convolution_param { num_output: 4 kernel_size: 3 } }
layer { name: "t" type: "TanH" bottom: "d" top: "t" }
)";

struct host_network {
  scratch dir{};
  std::string arguments{};

  host_network() {
    dir.write("net.prototxt", network);
    std::string pixels = "P5 8 8 255\n";
    for (int i = 0; i < 64; ++i) pixels += static_cast<char>(i * 37 % 256);
    dir.write("p.pgm", pixels);
    arguments = " net.prototxt --random-weights 3 --config nv_small --calibration p.pgm ";
  }
  outcome run(const std::string& command, const std::string& more) const {
    return nvdlac_in(dir.path, command + arguments + more);
  }
};

}  // namespace

TEST_CASE("without leave the host computes nothing, and the error says how to give it") {
  const host_network n;
  for (const char* leave : {"", "--host forbid", "--host softmax"}) {
    const auto r = n.run("compile", std::string(leave) + " -o n.nvdla");
    CAPTURE(r.err);
    CHECK(r.code == 1);
    CHECK(r.complains("layer 'e': activation does not run on nv_small"));
    CHECK(r.complains("let the host compute it: --host allow, or --host elu"));
    CHECK(r.complains("layer 't'"));
    CHECK(n.dir.files() == 2);
  }
  const auto part = n.run("compile", "--host elu -o n.nvdla");
  CHECK(part.code == 1);
  CHECK(!part.complains("layer 'e'"));
  CHECK(part.complains("layer 't'"));
}

TEST_CASE("with leave it computes what NVDLA cannot, by names of operators or layers") {
  const host_network n;
  for (const char* leave : {"allow", "elu,tanh", "activation", "e,t", "elu,t"}) {
    CAPTURE(leave);
    const auto r = n.run(
        "compile", std::string("--no-provenance --host ") + leave + " -o " + leave + ".nvdla");
    CAPTURE(r.err);
    CHECK(r.code == 0);
    CHECK(r.says("in 4 tasks"));
    CHECK(content(n.dir.path / (std::string(leave) + ".nvdla")) ==
          content(n.dir.path / "allow.nvdla"));
  }
  const auto verified = n.run("verify", "--host allow --input p.pgm");
  CHECK(verified.code == 0);
  CHECK(verified.says("equal bit for bit"));
}

TEST_CASE("what only tells another shape goes to the host where NVDLA would copy single elements") {
  scratch dir;
  dir.write("net.prototxt", R"(
input: 'x' input_shape { dim: 1 dim: 4 dim: 16 dim: 84 }
layer { name: 'c' type: 'Convolution' bottom: 'x' top: 'c'
        convolution_param { num_output: 16 kernel_size: 1 } }
layer { name: 'all' type: 'Reshape' bottom: 'c' top: 'all'
        reshape_param { shape { dim: 1 dim: 21504 dim: 1 dim: 1 } } }
layer { name: 's' type: 'Softmax' bottom: 'all' top: 's' }
layer { name: 'back' type: 'Reshape' bottom: 's' top: 'back'
        reshape_param { shape { dim: 1 dim: 16 dim: 4 dim: 336 } } }
layer { name: 'd' type: 'Convolution' bottom: 'back' top: 'd'
        convolution_param { num_output: 2 kernel_size: 1 } }
)");
  std::vector<float> values(4 * 16 * 84);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i * 37 % 256);
  nvdlac::data::write_npy(dir.path / "x.npy", {{1, 4, 16, 84}, values});
  const std::string net = " net.prototxt --random-weights 2 -c nv_small --calibration x.npy ";
  const auto alone = nvdlac_in(dir.path, "compile" + net);
  CHECK(alone.code == 1);
  CHECK(alone.complains("layer 'back': reshape does not run on nv_small: it would take "));
  CHECK(alone.complains("or let the host compute it: --host allow, or --host reshape"));
  const auto r = nvdlac_in(dir.path, "compile" + net + "--host allow --report r.json");
  CAPTURE(r.err);
  REQUIRE(r.code == 0);
  const auto report = nlohmann::json::parse(content(dir.path / "r.json"));
  std::size_t single = 0;  // layers that copy for it
  for (const auto& l : report.at("layers"))
    single += l.at("layer") == "back" && l.at("unit") != "host" ? 1 : 0;
  CHECK(single == 0);
  CHECK(nvdlac_in(dir.path, "verify" + net + "--host allow --input x.npy")
            .says("equal bit for bit"));
}

TEST_CASE("a list with a name that nothing has, or with none, is refused") {
  const host_network n;
  const auto unknown = n.run("compile", "--host elu,gelou -o n.nvdla");
  CHECK(unknown.code == 1);
  CHECK(unknown.complains("'gelou', which is neither"));
  const auto empty = n.run("compile", "--host elu,,tanh -o n.nvdla");
  CHECK(empty.code == 2);
  CHECK(empty.complains("empty name"));
}

TEST_CASE("a name by which nothing goes to the host is told") {
  const host_network n;
  const auto r = n.run("compile", "--host elu,tanh,c,relu -o n.nvdla");
  CHECK(r.code == 0);
  for (const char* idle : {"c", "relu"})
    CHECK(r.complains(std::string("note: --host ") + idle + " changes nothing: NVDLA computes"));
  CHECK(!r.complains("--host elu changes"));
  CHECK(!r.complains("--host tanh changes"));
}

TEST_CASE("a problem of many layers is told once, with their names") {
  scratch dir;
  std::string net = "input: 'x' input_shape { dim: 1 dim: 2 dim: 4 dim: 4 }\n";
  std::string from = "x";
  for (const char* name : {"a", "b", "c", "d"}) {
    net += std::string("layer { name: '") + name + "' type: 'ELU' bottom: '" + from + "' top: '" +
           name + "' }\n";
    from = name;
  }
  dir.write("net.prototxt", net);
  dir.write("p.pgm", "P5 4 4 255\n0123456789abcdef");
  const auto r = nvdlac_in(dir.path, "compile net.prototxt --random-weights 1 -c nv_small "
                                     "--calibration p.pgm -o n.nvdla");
  CHECK(r.code == 1);
  CHECK(r.complains("layer 'a': activation does not run on nv_small"));
  CHECK(r.complains("; the same holds of 'b', 'c', 'd' ("));
  CHECK(!r.complains("layer 'b'"));
}

TEST_CASE("C functions for the host are written once") {
  const host_network n;
  const std::string stub = "--host allow --host-stub net_host.c";
  REQUIRE(n.run("compile", stub).code == 0);
  CHECK(content(n.dir.path / "net_host.h").find("void net_host_e(const int8_t *in0, int8_t *out);")
        != std::string::npos);
  const auto compiler = "cd '" + n.dir.path.string() +
                        "' && cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror "
                        "-c net_host.c -o net_host.o";
  CHECK(std::system(compiler.c_str()) == 0);
  const auto again = n.run("compile", stub);
  CHECK(again.code == 1);
  CHECK(again.complains("may hold code of yours"));
  const auto header = content(n.dir.path / "net_host.h");
  std::filesystem::remove(n.dir.path / "net_host.c");
  const auto beside = n.run("compile", stub);
  CHECK(beside.code == 1);
  CHECK(beside.complains("net_host.h: exists and may hold code of yours"));
  CHECK(content(n.dir.path / "net_host.h") == header);
  CHECK(n.run("compile", "--host allow --host-stub net_host.h").code == 2);
}
