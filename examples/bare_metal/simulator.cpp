// SPDX-License-Identifier: Apache-2.0
// The simulated nv_small of a firmware, which is another program: as a child it asks over pipes.
//   bare_metal_simulator PICTURES.idx RESULTS.bin qemu-riscv64 bare_metal_firmware
//   bare_metal_simulator --silent=8 PICTURES.idx RESULTS.bin bare_metal_firmware
// With --silent=N, NVDLA computes nothing more from the firmware's N-th wait on.
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <string_view>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/data/file.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>
#include <nvdlac/sim/device.hpp>

#include "wire.hpp"

namespace {

using bytes = std::vector<std::uint8_t>;

// Where the memory begins: no address that the firmware was built with.
constexpr std::uint64_t memory = 0x9abc'd000;

// The firmware, running, with its standard input and output.
class child {
 public:
  explicit child(char** command) {
    int to[2]{}, from[2]{};
    if (pipe(to) != 0 || pipe(from) != 0 || (process_ = fork()) < 0)
      throw nvdlac::error(std::strerror(errno));
    if (process_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      for (const int end : {to[0], to[1], from[0], from[1]}) close(end);
      execvp(command[0], command);
      std::cerr << command[0] << ": " << std::strerror(errno) << '\n';
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  child(const child&) = delete;
  child& operator=(const child&) = delete;
  ~child() {
    close(to_);
    close(from_);
    int ignored = 0;
    waitpid(process_, &ignored, 0);
  }

  void send(const void* from, std::size_t size) {
    for (auto* at = static_cast<const char*>(from); size > 0;) {
      const auto n = ::write(to_, at, size);
      if (n <= 0) throw nvdlac::error("the firmware does not listen");
      at += n;
      size -= static_cast<std::size_t>(n);
    }
  }
  // False if the firmware ended.
  bool receive(void* to, std::size_t size) {
    for (auto* at = static_cast<char*>(to); size > 0;) {
      const auto n = ::read(from_, at, size);
      if (n <= 0) return false;
      at += n;
      size -= static_cast<std::size_t>(n);
    }
    return true;
  }
  bytes receive(std::size_t size) {
    bytes all(size);
    if (!receive(all.data(), size)) throw nvdlac::error("the firmware ended in a request");
    return all;
  }

 private:
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
};

// Answers until the firmware ends, NVDLA computing in all of its waits before silent_from; its
// results.
bytes serve(child& firmware, const nvdlac::data::idx& pictures, unsigned long silent_from) {
  nvdlac::sim::device<nvdlac::nv_small> device;
  bytes results;
  std::size_t next = 0;
  unsigned long waits = 0;
  bool never_comes = false;  // what the firmware waited for last
  bool reset = false;        // since that wait
  for (request r; firmware.receive(&r, sizeof r);) {
    const auto address = static_cast<std::uint32_t>(r.address);
    switch (r.kind) {
      case request_kind::write: device.write(address, r.value); break;
      case request_kind::read: {
        const std::uint32_t value = device.read(address);
        firmware.send(&value, sizeof value);
        break;
      }
      case request_kind::reset:
        device.reset();
        reset = true;
        break;
      case request_kind::wait: {
        const bool is_silent = ++waits >= silent_from;
        if (!is_silent) device.run();
        const std::uint32_t seen = is_silent ? 0 : device.read(address) & r.value;
        never_comes = seen == 0;
        reset = false;
        firmware.send(&seen, sizeof seen);
        break;
      }
      case request_kind::memory_base: firmware.send(&memory, sizeof memory); break;
      case request_kind::memory_write:
        device.dram().write(r.address, firmware.receive(r.value));
        break;
      case request_kind::memory_read: {
        bytes read(r.value);
        device.dram().read(r.address, read);
        firmware.send(read.data(), read.size());
        break;
      }
      case request_kind::picture: {
        const std::uint8_t more = pictures.values.size() - next >= r.value;
        firmware.send(&more, 1);
        if (more != 0) firmware.send(pictures.values.data() + next, r.value);
        next += r.value;
        break;
      }
      case request_kind::result: {
        const auto result = firmware.receive(r.value);
        results.insert(results.end(), result.begin(), result.end());
        break;
      }
    }
  }
  if (never_comes)
    throw nvdlac::error(reset ? "the firmware gave up waiting for what never comes, and reset NVDLA"
                              : "the firmware gave up waiting for what never comes");
  return results;
}

}  // namespace

int main(int count, char** arguments) try {
  constexpr std::string_view silent = "--silent=";
  auto silent_from = std::numeric_limits<unsigned long>::max();
  if (count > 1 && std::string_view(arguments[1]).starts_with(silent)) {
    silent_from = std::strtoul(arguments[1] + silent.size(), nullptr, 10);
    ++arguments;
    --count;
  }
  if (count < 4 || silent_from == 0) {
    std::cerr << "usage: bare_metal_simulator [--silent=N] PICTURES.idx RESULTS.bin FIRMWARE...\n";
    return 2;
  }
  std::signal(SIGPIPE, SIG_IGN);  // a firmware that ended is an error of ours
  const auto pictures =
      nvdlac::data::parse_idx(nvdlac::data::read_file(arguments[1]), arguments[1]);
  child firmware(arguments + 3);
  const auto results = serve(firmware, pictures, silent_from);
  std::ofstream out(arguments[2], std::ios::binary);
  out.write(reinterpret_cast<const char*>(results.data()),
            static_cast<std::streamsize>(results.size()));
  std::cout << results.size() / 10 << " pictures classified\n";
  return out.flush() && !results.empty() ? 0 : 1;
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 1;
}
