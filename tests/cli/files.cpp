// SPDX-License-Identifier: Apache-2.0
// Files that a command writes take the place of nothing but its outputs of before.
#include <doctest/doctest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"
#include "special_files.hpp"

namespace {

namespace fs = std::filesystem;

// Two outputs, and the name of one becomes that of the other when it is written as a file's.
const char* const network = R"(
layer { name: "x" type: "Input" top: "x" input_param { shape { dim: 1 dim: 4 dim: 1 dim: 1 } } }
layer { name: "a/b" type: "Convolution" bottom: "x" top: "a/b"
        convolution_param { num_output: 4 kernel_size: 1 } }
layer { name: "a_b" type: "Convolution" bottom: "x" top: "a_b"
        convolution_param { num_output: 8 kernel_size: 1 } }
)";

// A network with inputs beside it, and all its files as they were.
struct place : scratch {
  place() {
    write("n.prototxt", network);
    fs::create_directory(path / "cal");
    for (const char* name : {"in.npy", "in.a_b.npy", "cal/one.npy", "d.input-0.bin"})
      nvdlac::data::write_npy(path / name, {{4}, {-1, 0.5f, 1, 0.25f}});
    write("d.input-0.bin", std::string(16, '\0'));  // four floats
  }
  outcome run(const std::string& arguments) const { return nvdlac_in(path, arguments); }
  outcome compile(const std::string& arguments) const {
    return run("compile n.prototxt --random-weights 1 -c nv_small " + arguments);
  }

  std::map<fs::path, std::string> files() const {
    std::map<fs::path, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(path))
      all[entry.path()] = entry.is_regular_file() ? content(entry.path()) : "";
    return all;
  }
  // A wrong usage, which is explained with these words and changes no file.
  void refuses(const std::string& arguments, const std::vector<std::string>& words,
               int code = 2) const {
    const auto before = files();
    const auto r = run(arguments);
    CAPTURE(arguments);
    CAPTURE(r.err);
    CHECK(r.code == code);
    for (const auto& word : words) CHECK(r.complains(word));
    CHECK(files() == before);
  }
};

const std::string compile_with = "compile n.prototxt --random-weights 1 -c nv_small --calibration ";

}  // namespace

TEST_CASE("an output that is an input is wrong usage, however it is named") {
  const place p;
  REQUIRE(p.compile("--calibration cal -o d.nvdla --trace t.nvtrace --scales-out s.json").code ==
          0);
  fs::create_hard_link(p.path / "in.npy", p.path / "twin.npy");
  fs::create_symlink("in.npy", p.path / "link.npy");
  fs::create_directory_symlink("cal", p.path / "pictures");
  p.write("p.h", "");
  p.refuses(compile_with + "cal -o n.prototxt", {"'n.prototxt' (--output)", "the input"});
  p.refuses(compile_with + "cal -o cal/one.npy", {"'cal/one.npy' (--output) is the input"});
  p.refuses(compile_with + "pictures --report cal/one.npy", {"(--report)", "pictures/one.npy"});
  p.refuses(compile_with + "x=in.npy --scales-out ./in.npy", {"'./in.npy' (--scales-out)"});
  p.refuses(compile_with + "in.npy --public-scales-out twin.npy", {"'in.npy', which would be"});
  p.refuses(compile_with + "in.npy -o link.npy", {"'link.npy' (--output) is the input 'in.npy'"});
  p.refuses(compile_with + "d.input-0.bin --trace d.nvtrace", {"'d.input-0.bin' (--trace)"});
  p.refuses("compile n.prototxt --random-weights 1 -c nv_small --scales s.json --report s.json",
            {"'s.json' (--report)"});
  p.refuses("import n.prototxt --random-weights 1 --calibration in.npy --cpp in.npy", {"(--cpp)"});

  const std::string run = "run d.nvdla -c nv_small -i in.npy ";
  p.refuses(run + "--layers=in.npy", {"'in.npy' (--layers) is the input 'in.npy'"});
  p.refuses(run + "--layers=d.nvdla", {"'d.nvdla' (--layers)"});
  p.refuses(run + "in.a_b.npy -o in.npy", {"'in.a_b.npy' (--output) is the input"});
  p.refuses("replay t.nvtrace -c nv_small --layers=t.weights.bin", {"'t.weights.bin' (--layers)"});
  p.refuses("replay t.nvtrace -c nv_small --layers=t.nvtrace", {"'t.nvtrace' (--layers)"});
  p.write("dump.nvtrace", "nvtrace 1\nconfig nv_small\nmem_load dram 0 in.npy\n"
                          "mem_dump dram 0 3 in.npy\nmem_dump dram 0 3 dump.nvtrace\n");
  p.refuses("replay dump.nvtrace -c nv_small --dump-to .", {"in.npy' (--dump-to) is the input"});
}

TEST_CASE("what a trace dumps is written where the user says, else it is said that it is not") {
  const scratch dir;
  dir.write("in.bin", "abcdef");
  const std::string trace = "nvtrace 1\nconfig nv_small\nmem_load dram 0x1000 in.bin\n"
                            "mem_dump dram 0x1002 3 out.bin\nmem_fill dram 0x1002 1 0x5a\n"
                            "mem_dump dram 0x1001 2 later.bin\n";
  dir.write("t.nvtrace", trace);
  dir.write("twice.nvtrace", trace + "mem_dump dram 0x1000 1 out.bin\n");
  const auto told = nvdlac_in(dir.path, "replay t.nvtrace -c nv_small");
  CHECK(told.code == 0);
  CHECK(told.complains("note: t.nvtrace:4: 'out.bin' is not written (--dump-to DIR writes it)"));
  CHECK(told.complains("t.nvtrace:6: 'later.bin' is not written"));
  CHECK(dir.files() == 3);
  fs::create_directory(dir.path / "d");
  dir.write("d/later.bin", "of before");
  const auto r = nvdlac_in(dir.path, "replay t.nvtrace -c nv_small --dump-to d");
  CAPTURE(r.err);
  CHECK(r.code == 0);
  CHECK(r.err.empty());
  CHECK(content(dir.path / "d/out.bin") == "cde");
  CHECK(content(dir.path / "d/later.bin") == "bZ");
  const auto twice = nvdlac_in(dir.path, "replay twice.nvtrace -c nv_small --dump-to d");
  CHECK(twice.code == 2);
  CHECK(twice.complains("are the same file, but two outputs"));
  const auto absent = nvdlac_in(dir.path, "replay t.nvtrace -c nv_small --dump-to none");
  CHECK(absent.code == 1);
  CHECK(absent.complains("none"));
}

TEST_CASE("an input is not overwritten by the only output, nor by the header of a stub") {
  const scratch dir;
  dir.write("n.prototxt",
            "layer { name: 'x' type: 'Input' top: 'x' input_param { shape { dim: 1 dim: 4 dim: 1 "
            "dim: 1 } } } layer { name: 'e' type: 'ELU' bottom: 'x' top: 'e' }");
  for (const char* name : {"p.h", "x.npy"})
    nvdlac::data::write_npy(dir.path / name, {{4}, {-1, 0.5f, 1, 0.25f}});
  const auto before = content(dir.path / "x.npy");
  const std::string compile =
      "compile n.prototxt --random-weights 1 -c nv_small --host allow --calibration ";
  const auto stub = nvdlac_in(dir.path, compile + "p.h --host-stub p.c");
  CHECK(stub.code == 2);
  CHECK(stub.complains("'p.h' (--host-stub) is the input 'p.h'"));
  const auto made = nvdlac_in(dir.path, compile + "x.npy -o e.nvdla");
  CAPTURE(made.err);
  REQUIRE(made.code == 0);
  const auto r = nvdlac_in(dir.path, "run e.nvdla -c nv_small -i x.npy -o x.npy");
  CHECK(r.code == 2);
  CHECK(r.complains("'x.npy' (--output) is the input 'x.npy'"));
  CHECK(content(dir.path / "x.npy") == before);
  CHECK(content(dir.path / "p.h") == before);
}

TEST_CASE("the data beside an ONNX model is an input, too") {
  const scratch dir;
  const std::string three = "dim { dim_value: 3 } ",
                    shape = "shape { dim { dim_value: 1 } dim { dim_value: 2 } " + three + three +
                            '}';
  dir.write("m.onnx",
            "ir_version: 8 opset_import { version: 13 } graph { name: 'g' node { op_type: 'Mul' "
            "input: 'x' input: 'k' output: 'y' } input { name: 'x' type { tensor_type { elem_type: "
            "1 " + shape + " } } } output { name: 'y' } initializer { name: 'k' data_type: 1 dims: "
            "1 dims: 2 dims: 1 dims: 1 data_location: EXTERNAL external_data { key: 'location' "
            "value: 'k.bin' } } }");
  const std::string two_floats("\0\0\x80\x3f\0\0\0\x40", 8);
  dir.write("k.bin", two_floats);
  nvdlac::data::write_npy(dir.path / "x.npy", {{2, 3, 3}, std::vector<float>(18, 0.5f)});
  const std::string command = "compile m.onnx -c nv_small --calibration x.npy -o ";
  const auto r = nvdlac_in(dir.path, command + "k.bin");
  CAPTURE(r.err);
  CHECK(r.code == 2);
  CHECK(r.complains("'k.bin' (--output) is the input 'k.bin'"));
  CHECK(content(dir.path / "k.bin") == two_floats);
  CHECK(nvdlac_in(dir.path, command + "m.nvdla").code == 0);
}

TEST_CASE("two outputs that are one file are wrong usage, also before they exist") {
  const place p;
  fs::create_directory_symlink("cal", p.path / "other");
  p.write("there", "old");
  fs::create_hard_link(p.path / "there", p.path / "twin");
  fs::create_symlink("new", p.path / "into the void");
  p.refuses(compile_with + "in.npy -o same --report ./same",
            {"'same' (--output) and './same' (--report) are the same file"});
  p.refuses(compile_with + "in.npy -o cal/new --report other/new", {"are the same file"});
  p.refuses(compile_with + "in.npy -o there --report twin", {"are the same file"});
  p.refuses(compile_with + "in.npy -o new --report 'into the void'", {"are the same file"});
  p.refuses(compile_with + "in.npy -o - --report -", {"are the same file"});
  p.refuses(compile_with + "in.npy -o n.json --host-stub n.json", {"--host-stub names a C file"});
  // Files of the run before, which the one now would have deleted.
  REQUIRE(p.compile("--calibration in.npy --trace d.nvtrace").code == 0);
  p.refuses(compile_with + "in.npy -o d.weights.bin --trace d.nvtrace",
            {"'d.weights.bin' (--output) and 'd.weights.bin' (--trace) are the same file"});
  REQUIRE(p.compile("--calibration in.npy -o d.nvdla").code == 0);
  p.refuses("run d.nvdla -c nv_small -i in.npy -o o.npy --layers=o.a_b_2.npy",
            {"are the same file"});
}

TEST_CASE("outputs whose names differ as the network's have files that differ") {
  const place p;
  REQUIRE(p.compile("--calibration in.npy -o d.nvdla").code == 0);
  REQUIRE(p.run("run d.nvdla -c nv_small -i in.npy -o o.npy").code == 0);
  CHECK(nvdlac::data::read_npy(p.path / "o.a_b.npy").content.values.size() == 4);
  CHECK(nvdlac::data::read_npy(p.path / "o.a_b_2.npy").content.values.size() == 8);
}

TEST_CASE("links are followed, modes kept, and files of other names left alone") {
  const place p;
  p.write("d.nvdla", "old");
  p.write("d.nvdla.part", "mine");
  REQUIRE(::chmod((p.path / "d.nvdla").c_str(), 0600) == 0);
  fs::create_symlink("d.nvdla", p.path / "link");
  REQUIRE(p.compile("--calibration in.npy -o link --report d.json").code == 0);
  CHECK(fs::is_symlink(p.path / "link"));
  CHECK(content(p.path / "d.nvdla").size() > 100);
  CHECK(fs::status(p.path / "d.nvdla").permissions() == fs::perms(0600));
  CHECK(content(p.path / "d.nvdla.part") == "mine");
}

TEST_CASE("the standard output, FIFOs and devices are written through") {
  const place p;
  REQUIRE(p.compile("--calibration in.npy -o d.nvdla").code == 0);
  const auto loadable = content(p.path / "d.nvdla");
  const auto direct = p.compile("--calibration in.npy -o - --report d.json");
  CHECK(direct.code == 0);
  CHECK(direct.out == loadable);
  CHECK(direct.complains("n for nv_small: "));  // not between the bytes of the loadable
  CHECK(p.compile("--calibration in.npy -o /dev/stdout").out == loadable);
  const auto array = p.run("run d.nvdla -c nv_small -i in.npy --layers -o out.npy");
  CHECK(array.says("CONV"));

  const opened_fifo fifo(p.path / "fifo");
  CHECK(p.compile("--calibration in.npy -o fifo").code == 0);
  CHECK(fifo.read() == loadable);
  CHECK(fs::is_fifo(p.path / "fifo"));
  for (const char* name : {"-", "fifo"}) {
    p.refuses(compile_with + "in.npy --trace " + name, {"is no file, and several are to be"});
    p.refuses("run d.nvdla -c nv_small -i in.npy -o " + std::string(name), {"is no file"});
    p.refuses("import n.prototxt --random-weights 1 -c nv_small --calibration in.npy --cpp " +
                  std::string(name), {"is no file"});
  }
  if (!make_null(p.path / "null")) return;
  CHECK(p.compile("--calibration in.npy -o null").code == 0);
  CHECK(fs::is_character_file(p.path / "null"));
}

TEST_CASE("a working directory that is gone is an error of the user's") {
  const scratch dir;
  for (const char* command : {"sweep plan.json", "compile n.onnx -c nv_small -o n.nvdla",
                              "explore --networks plan.json -c nv_small --range cbuf_banks=16"}) {
    const auto r = shell_in(dir.path,
                            "mkdir gone && cd gone && rmdir ../gone && '" NVDLAC_CLI "' " +
                                std::string(command));
    CAPTURE(command);
    CAPTURE(r.err);
    CHECK(r.code == 1);
    CHECK(r.complains("error: "));
  }
}

TEST_CASE("what cannot be written is said before the work") {
  const place p;
  p.write("file", "old");
  const std::string absent = compile_with + "absent ";  // which would be said later
  p.refuses(absent + "-o none/d.nvdla", {"create 'none' first"}, 1);
  p.refuses(absent + "-o file/d.nvdla", {"Not a directory"}, 1);
  p.refuses(absent + "-o cal", {"is a directory"}, 1);
  p.refuses(absent + "-o none/", {"is a directory"}, 1);
  p.refuses(absent + "-o " + std::string(300, 'n'), {"File name too long"}, 1);
  for (const char* option : {"-o", "--trace", "--report", "--scales-out", "--host-stub"})
    p.refuses(absent + option + " ''", {"the name of the file is empty"});
  if (::geteuid() == 0) {
    MESSAGE("skipped for files without permission: root needs none");
    return;
  }
  ::chmod((p.path / "file").c_str(), 0400);
  ::chmod((p.path / "cal").c_str(), 0500);
  p.refuses(absent + "-o file", {"file: cannot be written: Permission denied"}, 1);
  p.refuses(absent + "-o cal/d.nvdla", {"nothing can be written to the directory 'cal'"}, 1);
}
