// SPDX-License-Identifier: Apache-2.0
// Each format of a trace, read by a reader of its own and played on the simulator: the same bytes.
#include <algorithm>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/stat.h>

#include <doctest/doctest.h>

#include <nvdlac/data/npy.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/sim/device.hpp>

#include "cli.hpp"

using nvdlac::nv_small;

namespace {

using simulated = nvdlac::sim::device<nv_small>;
using byte_list = std::vector<std::uint8_t>;

// The demo model's trace in a format, and beside it the nvtrace of the same run. It ends with the
// last layer that the hardware computes, or with the host's softmax.
struct traced : scratch {
  traced(const std::string& format, const std::string& name, const char* end = " --to fc2 ") {
    for (const auto& options : {"--trace " + name + " --trace-format " + format,
                                std::string("--trace same.nvtrace")})
      REQUIRE(nvdlac_in(path, "compile" + model + options + end).code == 0);
  }
  byte_list output() const {
    const auto s = content(path / "same.output-0.bin");
    return {s.begin(), s.end()};
  }
};

byte_list memory_of(simulated& chip, std::uint64_t at, std::size_t size) {
  byte_list bytes(size);
  chip.dram().read(at, bytes);
  return bytes;
}

// Does what the test benches of nvdla/hw do with a line of input.txn; returns dumped memory.
byte_list play_public(const std::filesystem::path& folder) {
  simulated chip;
  byte_list dumped;
  const auto dat = [&](const std::string& name) {
    std::istringstream in(content(folder / name));
    byte_list bytes;
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with(" 0x") && !line.starts_with("0x")) continue;
      std::istringstream words(line);
      std::size_t count = 0;
      for (std::string w; words >> w; ++count)
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(w, nullptr, 16)));
      CHECK(count == 32);
    }
    return bytes;
  };
  std::istringstream in(content(folder / "input.txn"));
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::vector<std::string> w;
    for (std::string one; words >> one;) w.push_back(one);
    if (w.empty()) continue;
    const auto number = [&](std::size_t i) {
      return static_cast<std::uint32_t>(std::stoul(w.at(i), nullptr, 16));
    };
    if (w[0] == "write_reg") {
      const auto misc = number(1) >> 16;
      CHECK(misc == 0xffff);
      chip.write((number(1) & 0xffff) * 4, number(2));
    } else if (w[0] == "read_reg") {
      CHECK(((chip.read((number(1) & 0xffff) * 4) ^ number(3)) & number(2)) == 0);
    } else if (w[0] == "wait") {
      CHECK(chip.run_until_interrupt());
    } else {
      const auto bytes = dat(w.at(3));
      CHECK(bytes.size() == number(2));
      CHECK(number(1) >= 0x80000000);
      if (w[0] == "load_mem") {
        chip.dram().write(number(1), bytes);
      } else {
        REQUIRE(w[0] == "dump_mem");
        dumped = memory_of(chip, number(1), number(2));
        CHECK(dumped == bytes);
      }
    }
  }
  return dumped;
}

// The functions that a C program calls, on a simulated chip whose memory is elsewhere than the
// compiler thought.
constexpr std::uint64_t elsewhere = 0x9abcd000;
struct c_device {
  void* context;
  std::uint32_t (*read)(void*, std::uint32_t);
  void (*write)(void*, std::uint32_t, std::uint32_t);
  void (*load)(void*, std::uint32_t, const std::uint8_t*, std::uint32_t);
  void (*fetch)(void*, std::uint32_t, std::uint8_t*, std::uint32_t);
  std::uint64_t memory;
  std::uint32_t patience;
};
struct c_board {
  simulated chip{};
  byte_list fetched{};  // since the last access to a register

  c_device device(std::uint32_t patience) {
    return {.context = this,
            .read = [](void* b, std::uint32_t at) {
              static_cast<c_board*>(b)->fetched.clear();
              return static_cast<c_board*>(b)->chip.read(at);
            },
            .write = [](void* b, std::uint32_t at, std::uint32_t value) {
              static_cast<c_board*>(b)->chip.write(at, value);
            },
            .load = [](void* b, std::uint32_t at, const std::uint8_t* bytes, std::uint32_t size) {
              static_cast<c_board*>(b)->chip.dram().write(elsewhere + at, {bytes, size});
            },
            .fetch = [](void* b, std::uint32_t at, std::uint8_t* bytes, std::uint32_t size) {
              auto& board = *static_cast<c_board*>(b);
              board.chip.dram().read(elsewhere + at, {bytes, size});
              board.fetched.insert(board.fetched.end(), bytes, bytes + size);
            },
            .memory = elsewhere,
            .patience = patience};
  }
};

// A shared library of a C file with all warnings, and its function.
struct c_library {
  void* handle;
  std::uint32_t (*play)(const c_device*);

  c_library(const std::filesystem::path& folder, const std::string& stem) {
    const auto r = shell_in(folder, "cc -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow "
                                    "-Werror -shared -fPIC -o lib.so '" + stem + ".c'");
    CAPTURE(r.err);
    REQUIRE(r.code == 0);
    handle = ::dlopen((folder / "lib.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(handle != nullptr);
    play = reinterpret_cast<decltype(play)>(::dlsym(handle, (stem + "_play").c_str()));
    const bool found = play != nullptr;
    REQUIRE(found);
  }
  ~c_library() { ::dlclose(handle); }
  c_library(const c_library&) = delete;
  c_library& operator=(const c_library&) = delete;
};

// A board for the shell: `devmem ADDRESS 32 [VALUE]` asks by one FIFO and is answered by another;
// the chip's memory is a file.
class shell_board {
 public:
  static constexpr std::uint32_t registers = 0x40000000;

  explicit shell_board(const std::filesystem::path& folder) : folder_(folder) {
    REQUIRE(::mkfifo((folder / "request").c_str(), 0600) == 0);
    REQUIRE(::mkfifo((folder / "answer").c_str(), 0600) == 0);
    std::ofstream(folder / "memory") << std::string(size, '\0');
    std::ofstream(folder / "devmem.c") << R"(#include <stdio.h>
int main(int n, char** a) {
  char line[64];
  FILE* f = fopen("request", "w");
  if (f == NULL || n < 3) return 1;
  fprintf(f, "%s %s\n", a[1], n > 3 ? a[3] : "");
  fclose(f);
  f = fopen("answer", "r");
  if (f == NULL || fgets(line, sizeof line, f) == NULL) return 1;
  if (n == 3) fputs(line, stdout);
  return 0;
}
)";
    REQUIRE(shell_in(folder, "cc -o devmem devmem.c").code == 0);
    server_ = std::thread([this] { serve(); });
  }
  ~shell_board() {
    std::ofstream(folder_ / "request") << "end\n";
    server_.join();
  }

  // The script's outcome and what the file holds then.
  outcome play(const std::string& script) const {
    std::ostringstream environment;
    environment << "REGISTERS=" << registers << " MEMORY=memory MEMORY_ADDRESS=" << elsewhere
                << " DEVMEM=./devmem PATIENCE=3 sh " << script;
    return shell_in(folder_, environment.str());
  }

 private:
  static constexpr std::size_t size = 1u << 16;

  void serve() {
    for (;;) {
      std::string request;
      std::getline(std::ifstream(folder_ / "request") >> std::ws, request);
      std::istringstream words(request);
      std::uint32_t address = 0, value = 0;
      if (!(words >> address)) return;
      if (words >> value) {
        const auto before = content(folder_ / "memory");
        chip_.dram().write(elsewhere, byte_list(before.begin(), before.end()));
        chip_.write(address - registers, value);
        const auto after = memory_of(chip_, elsewhere, size);
        std::ofstream(folder_ / "memory", std::ios::binary)
            .write(reinterpret_cast<const char*>(after.data()), size);
      } else {
        value = chip_.read(address - registers);
      }
      std::ofstream(folder_ / "answer") << "0x" << std::hex << value << '\n';
    }
  }

  std::filesystem::path folder_;
  simulated chip_{};
  std::thread server_{};
};

}  // namespace

TEST_CASE("a public trace is played as the benches of nvdla/hw play it") {
  const traced dir("public", "input.txn");
  auto dumped = play_public(dir.path);
  REQUIRE(dumped.size() == 32);
  for (std::size_t i = 16; i < 32; ++i) CHECK(dumped[i] == 0);
  dumped.resize(16);
  CHECK(dumped == dir.output());

  const auto replayed = [&] { return nvdlac_in(dir.path, "replay input.txn -c nv_small"); };
  const auto r = replayed();
  CHECK(r.code == 0);
  CHECK(r.says(" 0 differences\n"));

  // Conditions that only hardware shows are no difference, other memory is.
  auto txn = content(dir.path / "input.txn");
  const auto last = txn.rfind("dump_mem");
  dir.write("input.txn", txn.substr(0, last) + "write_reg 0xffff0403 0xffffffff\nwait\n"
                             "read_reg 0xffff0403 0x1 == 0x1 10\n" +
                             txn.substr(last));
  const auto moments = replayed();
  CHECK(moments.code == 0);
  CHECK(moments.says("note: not at this moment: no interrupt"));
  CHECK(moments.says(" 0 differences, 2 conditions of a moment"));
  const auto golden = content(dir.path / "input.output-0.dat");
  auto wrong = golden;
  wrong[wrong.find("\n 0x") + 4] = 'e';
  dir.write("input.output-0.dat", wrong);
  CHECK(replayed().code == 1);
  CHECK(replayed().says("1 of 32 bytes differ from input.output-0.dat"));
  // A dump that is compared with nothing is written.
  std::filesystem::remove(dir.path / "input.output-0.dat");
  const auto dumps = nvdlac_in(dir.path, "replay input.txn -c nv_small --dump-to .");
  CHECK(dumps.code == 1);  // the moments, as no memory is compared at the end
  std::filesystem::remove(dir.path / "input.output-0.dat");
  dir.write("input.txn", txn);
  CHECK(nvdlac_in(dir.path, "replay input.txn -c nv_small --dump-to .").code == 0);
  CHECK(content(dir.path / "input.output-0.dat").size() == 32);
}

TEST_CASE("a loadable is no trace, and what runs it is told") {
  const scratch dir;
  REQUIRE(nvdlac_in(dir.path, "compile" + model + "-o d.nvdla").code == 0);
  const auto r = nvdlac_in(dir.path, "replay d.nvdla");
  CHECK(r.code == 1);
  CHECK(r.complains("d.nvdla: is a loadable, and no trace of registers (`nvdlac run` runs it"));
}

TEST_CASE("a replay tells what a trace does not wait for, and that it compares nothing") {
  const traced dir("nvtrace", "run.nvtrace");
  const auto trace = content(dir.path / "run.nvtrace");
  const auto replayed = [&](const std::string& text, const std::string& options = {}) {
    dir.write("changed.nvtrace", text);
    return nvdlac_in(dir.path, "replay changed.nvtrace -c nv_small " + options);
  };
  CHECK(replayed(trace, "--any-timing").says(" 0 differences\n"));

  auto hasty = trace;
  const auto wait = hasty.find("\nwait_done");
  REQUIRE(wait != hasty.npos);
  hasty.erase(wait + 1, hasty.find('\n', wait + 1) - wait);
  const auto r = replayed(hasty);
  CHECK(r.code == 0);
  CHECK(r.says("warning: this program does not wait for what it uses"));
  CHECK(replayed(hasty, "--any-timing").code == 1);
  CHECK(replayed(hasty, "--any-timing --lenient").code == 2);

  const auto cut = replayed(trace.substr(0, wait + 1));
  CHECK(cut.code == 0);
  CHECK(cut.says("note: the trace compares no memory"));
  CHECK_FALSE(replayed(trace).says("compares no memory"));
}

TEST_CASE("tables are written while no layer runs in their unit") {
  const scratch dir;
  dir.write("n.prototxt", R"(
    input: "data" input_shape { dim: 1 dim: 8 dim: 12 dim: 12 }
    layer { name: "a" type: "Convolution" bottom: "data" top: "a"
            convolution_param { num_output: 16 kernel_size: 3 } }
    layer { name: "tanh" type: "TanH" bottom: "a" top: "a" }
    layer { name: "b" type: "Convolution" bottom: "a" top: "b"
            convolution_param { num_output: 16 kernel_size: 3 } }
    layer { name: "relu" type: "ReLU" bottom: "b" top: "b" }
    layer { name: "c" type: "Convolution" bottom: "b" top: "c"
            convolution_param { num_output: 16 kernel_size: 1 } }
    layer { name: "sigmoid" type: "Sigmoid" bottom: "c" top: "c" })");
  std::vector<float> values;
  for (int i = 0; i < 8 * 12 * 12; ++i) values.push_back(static_cast<float>(i % 23 - 11) / 11);
  dir.write("x.npy", nvdlac::data::to_npy({{1, 8, 12, 12}, values}));
  REQUIRE(nvdlac_in(dir.path, "compile n.prototxt --random-weights 1 -c nv_large "
                              "--calibration x.npy --trace n.nvtrace").code == 0);
  const auto r = nvdlac_in(dir.path, "replay n.nvtrace --any-timing");
  CAPTURE(r.err);
  CHECK(r.says(" 0 differences\n"));
}

TEST_CASE("what the host reads is compared in whole lines alone") {
  const traced dir("public", "input.txn", "");
  const auto txn = content(dir.path / "input.txn");
  CHECK(txn.find("# the benches compare lines of 32 bytes: the last 16 of 16 bytes are not "
                 "compared\n") != txn.npos);
  auto dumped = play_public(dir.path);
  dumped.resize(16);
  CHECK(dumped == dir.output());
}

TEST_CASE("a public trace that is wrong names file and line") {
  const scratch dir;
  dir.write("a.dat", "0x12 0x34\nother\n 0x56\n");
  dir.write("b.dat", "0x123\n");
  const auto refused = [&](const std::string& txn, std::string_view reason) {
    CAPTURE(txn);
    dir.write("input.txn", "# comment\n" + txn + "\n");
    const auto r = nvdlac_in(dir.path, "replay input.txn --config nv_small");
    CAPTURE(r.err);
    CHECK(r.code == 1);
    CHECK(r.complains(reason));
  };
  refused("wait\nload_mem 0x80000000 0x4 a.dat", "input.txn:3: the file 'a.dat' has only 3 of 4");
  refused("load_mem 0x80000000 0x1 b.dat", "input.txn:2: the file 'b.dat' has in line 1 no byte");
  refused("load_mem 0x80000000 0x1 c.dat", "input.txn:2: the file 'c.dat'");
  refused("load_mem 0x80000000 0x1 ../a.dat", "is not beside the trace");
  refused("load_mem 0x80000000 0x1 a.raw", "'a.raw' is no .dat file");
  refused("wait 3", "unexpected '3'");
  refused("write_reg 0xffff0400", "expected a value");
  refused("wait\nwrite_mem 0x80000000 3", "the command 'write_mem' is not supported");
  refused("wait\njump", "input.txn:3: unknown command 'jump'");
  refused("read_reg 0xffff0400 0x1 <= 0x1", "compared by <= or >=");
  refused("load_mem 0x1000 0x3 a.dat", "has no CVSRAM");
}

TEST_CASE("a trace in C keeps the name that it is given, and includes its header by it") {
  const traced dir("c", "n\u00e9!.c");
  CHECK(std::filesystem::exists(dir.path / "n\u00e9!.h"));
  CHECK(content(dir.path / "n\u00e9!.c").find("#include \"n\u00e9!.h\"\n") != std::string::npos);
}

TEST_CASE("a trace in C gives the same bytes wherever its memory is") {
  const traced dir("c", "net.c");
  const c_library net(dir.path, "net");
  c_board board;
  const auto device = board.device(3);
  CHECK(net.play(&device) == 0);
  const auto output = dir.output();
  REQUIRE(board.fetched.size() >= output.size());
  CHECK(std::equal(output.rbegin(), output.rend(), board.fetched.rbegin()));
  // Again without a reset; and memory that differs is told by the step.
  CHECK(net.play(&device) == 0);
  auto breaks = board.device(3);
  breaks.fetch = [](void*, std::uint32_t, std::uint8_t* bytes, std::uint32_t size) {
    std::fill_n(bytes, size, std::uint8_t{0x55});
  };
  const auto failed = net.play(&breaks);
  CHECK(failed != 0);
  c_board other;
  auto deaf = other.device(3);
  deaf.read = [](void*, std::uint32_t) { return std::uint32_t{0}; };
  const auto gave_up = net.play(&deaf);
  CHECK(gave_up != 0);
  CHECK(gave_up < failed);
  const auto as_cpp = shell_in(dir.path, "echo '#include \"net.h\"' > h.cpp && c++ -Wall -Werror "
                                         "-fsyntax-only h.cpp");
  CHECK(as_cpp.code == 0);
}

TEST_CASE("a trace for Linux gives the same bytes wherever its memory is") {
  const traced dir("uio", "net.sh");
  {
    const shell_board board(dir.path);
    const auto r = board.play("net.sh");
    CAPTURE(r.err);
    CHECK(r.code == 0);
    const auto memory = content(dir.path / "memory");
    const auto output = dir.output();
    CHECK(memory.find(std::string(output.begin(), output.end())) != memory.npos);
    dir.write("net.output-0.bin", std::string(output.size(), 'x'));
    const auto differs = board.play("net.sh");
    CHECK(differs.code == 1);
    CHECK(differs.complains("memory differs from net.output-0.bin"));
  }
  const auto without = shell_in(dir.path, "UIO=absent sh net.sh");
  CHECK(without.code == 2);
  CHECK(without.complains("/sys/class/uio/absent/maps/map0/addr cannot be read: set UIO or"));
}

TEST_CASE("each format compares what each layer has written") {
  const std::string end = " --trace-layers --to fc2 ";
  const traced dir("nvtrace", "net.nvtrace", end.c_str());
  const auto replayed = [&](const char* trace) {
    return nvdlac_in(dir.path, nvdlac::text("replay ", trace, " -c nv_small"));
  };
  CHECK(replayed("net.nvtrace").says(", 0 differences"));
  const std::string layer = "net.layer-0-11_pool2";
  auto damaged = content(dir.path / (layer + ".bin"));
  REQUIRE(!damaged.empty());
  damaged[0] ^= 1;
  dir.write(layer + ".bin", damaged);
  const auto told = replayed("net.nvtrace");
  CHECK(told.code == 1);
  CHECK(told.says("written by 'conv2' to 'pool2': 1 of "));
  CHECK(told.says(", 1 difference\n"));

  const traced txn("public", "net.txn", end.c_str());
  const auto public_one = [&] { return nvdlac_in(txn.path, "replay net.txn -c nv_small"); };
  CHECK(public_one().code == 0);
  auto dat = content(txn.path / (layer + ".dat"));
  REQUIRE(!dat.empty());
  dat[dat.find("\n 0x") + 4] ^= 1;
  txn.write(layer + ".dat", dat);
  CHECK(public_one().says("written by 'conv2' to 'pool2': 1 of "));

  const traced c("c", "net.c", end.c_str());
  const c_library net(c.path, "net");
  c_board board;
  const auto device = board.device(3);
  CHECK(net.play(&device) == 0);

  const traced uio("uio", "net.sh", end.c_str());
  const shell_board linux_board(uio.path);
  CHECK(linux_board.play("net.sh").code == 0);
  uio.write(layer + ".bin", damaged);
  CHECK(linux_board.play("net.sh").complains("memory differs from " + layer + ".bin"));
}

TEST_CASE("the format of a trace is one of four, and of a trace") {
  const scratch dir;
  const auto usage = [&](const std::string& options, std::string_view reason) {
    CAPTURE(options);
    const auto r = nvdlac_in(dir.path, "compile" + model + options);
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(r.complains(reason));
    CHECK(dir.files() == 0);
  };
  usage("--trace t.h --trace-format c", "--trace names a C file, OUT.c");
  usage("-o d.nvdla --trace-format uio", "is of no use without --trace");
  usage("--trace t --trace-format vcd", "--trace-format");
  usage("-o d.nvdla --trace-layers", "--trace-layers is of no use without --trace");
}
