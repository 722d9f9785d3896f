// SPDX-License-Identifier: Apache-2.0
// Whatever fails while files are written, and whenever: the files of before are there, or all new
// ones.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include <nvdlac/data/npy.hpp>

#include "cli.hpp"

namespace {

namespace fs = std::filesystem;
using contents = std::map<std::string, std::string>;

// Files by their paths there, and directories, whose names end with a stroke.
contents contents_of(const fs::path& directory) {
  contents all;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    const auto name = entry.path().lexically_relative(directory).string();
    if (entry.is_directory()) all[name + '/'];
    else all[name] = content(entry.path());
  }
  return all;
}

// A command that is quick and replaces two files and makes a third one.
struct writer {
  const scratch inputs{memory_directory()};
  contents before{{"o.a.npy", "the first of before"}, {"l.json", "the third of before"}};
  contents after{};

  writer() {
    inputs.write("n.prototxt", R"(
        layer { name: "x" type: "Input" top: "x"
                input_param { shape { dim: 1 dim: 4 dim: 1 dim: 1 } } }
        layer { name: "a" type: "Convolution" bottom: "x" top: "a"
                convolution_param { num_output: 4 kernel_size: 1 } }
        layer { name: "b" type: "Convolution" bottom: "x" top: "b"
                convolution_param { num_output: 8 kernel_size: 1 } })");
    nvdlac::data::write_npy(inputs.path / "in.npy", {{4}, {-1, 0.5f, 1, 0.25f}});
    REQUIRE(nvdlac_in(inputs.path, "compile n.prototxt --random-weights 1 -c nv_small "
                                   "--calibration in.npy -o n.nvdla").code == 0);
    const auto dir = directory();
    REQUIRE(nvdlac_in(dir->path, command()).code == 0);
    after = contents_of(dir->path);
    REQUIRE(after.size() == 3);
  }
  std::string command(const std::string& output = "o.npy",
                      const std::string& more = "--layers=l.json") const {
    const auto in = inputs.path.string();
    return "run '" + in + "/n.nvdla' -c nv_small -i '" + in + "/in.npy' -o " + output + ' ' + more;
  }
  std::unique_ptr<scratch> directory() const {
    auto dir = std::make_unique<scratch>(memory_directory());
    for (const auto& [name, bytes] : before) dir->write(name, bytes);
    return dir;
  }
};

const std::string with_library = preloaded(NVDLAC_FAULTY_FILES);

struct faulty_run {
  outcome result{};
  bool met = false;  // the fault
  contents files{};
  std::unique_ptr<scratch> directory{};
};

// The command with a fault in its call number `call`.
faulty_run run_with(const writer& w, const std::string& fault, int call) {
  faulty_run r;
  r.directory = w.directory();
  const auto& dir = r.directory;
  const scratch mark(memory_directory());
  r.result = nvdlac_in(dir->path, w.command(),
                       with_library + "FAULT_AT=" + std::to_string(call) + " FAULT_MARK='" +
                           (mark.path / "met").string() + "' " + fault + ' ');
  r.met = fs::exists(mark.path / "met");
  r.files = contents_of(dir->path);
  return r;
}

// For the fault in every call, from 1: what the run left behind.
template <class Fault, class Check>
int for_each_call(const writer& w, Fault fault_in, Check check) {
  int call = 1;
  for (; call < 200; ++call) {
    const std::string fault = fault_in(call);
    CAPTURE(fault);
    CAPTURE(call);
    const auto r = run_with(w, fault, call);
    CAPTURE(r.result.err);
    if (!r.met) {
      CHECK(r.result.code == 0);
      CHECK(r.files == w.after);
      break;
    }
    check(r, call);
  }
  CHECK(call > 20);  // three files, three calls each, and their names
  return call;
}

}  // namespace

TEST_CASE("all files are complete and on the disk before the first gets its name") {
  const writer w;
  const auto dir = w.directory();
  const scratch log(memory_directory());
  REQUIRE(nvdlac_in(dir->path, w.command(),
                    with_library + "FAULT_LOG='" + (log.path / "calls").string() + "' ").code == 0);
  std::vector<std::string> calls;
  std::istringstream lines(content(log.path / "calls"));
  for (std::string line; std::getline(lines, line);) calls.push_back(line);
  const auto first_name = std::ranges::find(calls, "rename");
  const auto first_removed = std::ranges::find(calls, "unlink");
  REQUIRE(first_name < first_removed);
  const auto before = [&](auto end, const char* call) {
    return std::count(calls.begin(), end, call);
  };
  CHECK(before(first_name, "create") == 3);
  CHECK(before(first_name, "fsync") == 3);
  CHECK(before(calls.end(), "write") == before(first_name, "write"));
  CHECK(before(first_removed, "rename") == 4);  // with that of the place where they were written
  CHECK(before(first_removed, "fsync") == 4);  // and the directory
}

TEST_CASE("a call that fails leaves the files of before, or the command goes on without it") {
  const writer w;
  for (const int reason : {EIO, EPERM}) {
    int refused = 0;
    const int calls = for_each_call(
        w, [&](int) { return "FAULT_ERRNO=" + std::to_string(reason); },
        [&](const faulty_run& r, int) {
          CHECK((r.result.code == 0 || r.result.code == 1));
          CHECK(r.files == (r.result.code == 0 ? w.after : w.before));
          if (r.result.code == 0) return;
          CHECK(r.result.complains("cannot be written"));
          ++refused;
        });
    CHECK(refused > 12);
    CHECK(refused < calls - 1);
  }
}

TEST_CASE("a write that takes some of the bytes only is gone on with") {
  const writer w;
  for_each_call(w, [](int) { return "FAULT_SHORT=1"; }, [&](const faulty_run& r, int) {
    CHECK(r.result.code == 0);
    CHECK(r.files == w.after);
  });
}

TEST_CASE("on a disk that dies nothing of before is lost, and what is left over is named") {
  const writer w;
  const auto fault = [](int) { return "FAULT_LASTING=1 FAULT_ERRNO=" + std::to_string(EIO); };
  for_each_call(w, fault, [&](const faulty_run& r, int) {
    CAPTURE(r.result.err);
    if (r.result.code == 0) {  // all was done before
      CHECK(r.files == w.after);
      return;
    }
    CHECK(r.result.code == 1);
    for (const auto& [name, bytes] : w.before) {
      bool kept = r.result.complains("is written, but");
      for (const auto& file : r.files) kept = kept || file.second == bytes;
      CHECK(kept);
    }
    for (const auto& [name, bytes] : r.files)
      if (name.starts_with(".nvdlac-")) CHECK(r.result.complains(name.substr(0, name.find('/'))));
  });
}

TEST_CASE("a signal at any time leaves the files of before, or all new ones") {
  const writer w;
  constexpr std::array signals{SIGINT, SIGTERM, SIGHUP};
  for (const int signal : signals) std::signal(signal, SIG_DFL);  // as not under nohup
  const auto signal_in = [&](int call) { return signals[static_cast<std::size_t>(call) % 3]; };
  bool early = false, late = false;
  for_each_call(
      w, [&](int call) { return "FAULT_SIGNAL=" + std::to_string(signal_in(call)); },
      [&](const faulty_run& r, int call) {
        CHECK(r.result.signal == signal_in(call));
        CHECK((r.files == w.before || r.files == w.after));
        (r.files == w.before ? early : late) = true;
      });
  CHECK(early);
  CHECK(late);
}

TEST_CASE("what a command leaves that is killed at any time, the next one finishes") {
  const writer w;
  bool early = false, mixed = false, late = false;
  const auto fault = [](int) { return "FAULT_SIGNAL=" + std::to_string(SIGKILL); };
  for_each_call(w, fault, [&](const faulty_run& r, int) {
    CHECK(r.result.signal == SIGKILL);
    const auto named = [](const contents& all) {
      contents found;
      for (const auto& [name, bytes] : all)
        if (!name.starts_with(".nvdlac-")) found[name] = bytes;
      return found;
    };
    const auto left = named(r.files);
    for (const auto& [name, bytes] : left)
      CHECK((bytes == w.after.at(name) || bytes == w.before.at(name)));
    for (const auto& [name, bytes] : w.before) CHECK(left.contains(name));
    mixed = mixed || (left != w.before && left != w.after);
    // Another command in the same directory, which writes other files.
    const auto next = nvdlac_in(r.directory->path, w.command("other.npy", ""));
    CHECK(next.code == 0);
    auto files = contents_of(r.directory->path);
    CHECK(files.erase("other.a.npy") == 1);
    CHECK(files.erase("other.b.npy") == 1);
    CHECK((files == w.before || files == w.after));
    (files == w.before ? early : late) = true;
  });
  CHECK(early);
  CHECK(mixed);
  CHECK(late);
}

TEST_CASE("a standard output that takes nothing is an error and leaves the files of before") {
  const writer w;
  const auto dir = w.directory();
  std::array<int, 2> pipe{};
  REQUIRE(::pipe(pipe.data()) == 0);
  ::close(pipe[0]);  // nobody reads
  const int unread = ::dup2(pipe[1], 9);
  const auto in = w.inputs.path.string();
  for (const auto& [to, reason] : {std::pair("/dev/full", "No space left on device"),
                                   std::pair("&9", "Broken pipe")}) {
    const auto r = shell_in(dir->path, "{ '" NVDLAC_CLI "' compile '" + in + "/n.prototxt' "
                                       "--random-weights 1 -c nv_small --calibration '" + in +
                                       "/in.npy' -o - --report l.json >" + to + "; }");
    CAPTURE(r.err);
    CHECK(r.code == 1);
    CHECK(r.complains(std::string("-: cannot be written: ") + reason));
    CHECK(contents_of(dir->path) == w.before);
  }
  ::close(pipe[1]);
  ::close(unread);
}

TEST_CASE("a full disk leaves the files of before") {
  const writer w;
  const scratch place;
  const auto mounted = place.path / "fs";
  // For less and less room, as pages: the exit code, and whether all files are as before or new.
  place.write("fill.sh",
              "set -e\n"
              "mount -t tmpfs -o size=256k none fs || { echo unmounted; exit 0; }\n"
              "cd fs\n"
              "for pages in 0 1 2 3 4 5 6 7 8 9; do\n"
              "  rm -rf ./* && printf %s 'old a' >o.a.npy && printf %s 'old l' >l.json\n"
              "  dd if=/dev/zero of=filler bs=4k 2>/dev/null || true\n"
              "  truncate -s -$((pages * 4096)) filler\n"
              "  code=0; " + std::string("'" NVDLAC_CLI "' ") + w.command() +
                  " 2>../err || code=$?\n"
              "  rest=$(cat o.a.npy l.json); [ \"$rest\" = 'old aold l' ] && is=old || is=new\n"
              "  echo $pages $code $is $(ls -A | tr '\\n' ' ') $(cat ../err)\n"
              "done\n");
  fs::create_directory(mounted);
  const auto r = shell_in(place.path, "unshare --map-root-user --mount sh fill.sh");
  if (r.code != 0 || r.says("unmounted")) {
    MESSAGE("skipped: no file system can be mounted here: " << r.out << r.err);
    return;
  }
  CAPTURE(r.out);
  std::istringstream lines(r.out);
  int refused = 0, done = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("written: ")) continue;
    CAPTURE(line);
    const bool full = line.find(" 1 old filler l.json o.a.npy") != line.npos;
    if (full) CHECK(line.find("No space left on device") != line.npos);
    else CHECK(line.find(" 0 new filler l.json o.a.npy o.b.npy") != line.npos);
    ++(full ? refused : done);
  }
  CHECK(refused >= 3);
  CHECK(done >= 1);
}
