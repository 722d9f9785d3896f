// SPDX-License-Identifier: Apache-2.0
#include "child.hpp"

#include <array>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/report/json.hpp>

namespace nvdlac::judge {
namespace {

using report::json;

std::string packed(const outcome& o) {
  json outputs = json::array();
  for (const auto& out : o.outputs)
    outputs.push_back({out.name, out.shape, out.real, out.program, out.ratio, out.expected});
  std::string bytes;
  json::to_cbor(json{static_cast<int>(o.what), o.why, outputs, o.warnings}, bytes);
  return bytes;
}
outcome unpacked(const std::string& bytes) {
  const auto j = json::from_cbor(bytes);
  outcome o{.what = static_cast<finding>(j[0].get<int>()), .why = j[1], .outputs = {},
            .warnings = j[3]};
  for (const auto& out : j[2])
    o.outputs.push_back({out[0], out[1], out[2], out[3], out[4], out[5]});
  return o;
}

void write_all(int to, const std::string& bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const auto n = ::write(to, bytes.data() + at, bytes.size() - at);
    if (n <= 0) return;
    at += static_cast<std::size_t>(n);
  }
}
// Reads until the other end is closed; returns whether that is in time.
bool read_all(int from, std::string& bytes, std::chrono::steady_clock::time_point until) {
  std::array<char, 65536> part{};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now());
    pollfd waiting{from, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) == 0) return false;
    const auto n = ::read(from, part.data(), part.size());
    if (n <= 0) return true;
    bytes.append(part.data(), static_cast<std::size_t>(n));
  }
}

}  // namespace

outcome run(const exhibit& e, const trial& t, cli::target_list targets, const traits& of,
            const limits& most) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const auto child = ::fork();
  if (child < 0) throw std::runtime_error("no process");
  if (child == 0) {
    ::close(ends[0]);
    const rlimit bytes{most.memory, most.memory};
    ::setrlimit(RLIMIT_AS, &bytes);
    const auto seconds = static_cast<rlim_t>(most.time.count());
    const rlimit time{seconds, seconds + 1};
    ::setrlimit(RLIMIT_CPU, &time);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    write_all(ends[1], packed(run_here(e, t, targets, of)));
    ::_exit(0);
  }
  ::close(ends[1]);
  std::string bytes;
  const bool in_time = read_all(ends[0], bytes, std::chrono::steady_clock::now() + 10 * most.time);
  ::close(ends[0]);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (!in_time || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
    return {.what = finding::time, .why = text("no end in ", most.time.count(), " s"),
            .outputs = {}, .warnings = {}};
  if (WIFSIGNALED(status))
    return {.what = finding::crash, .why = ::strsignal(WTERMSIG(status)), .outputs = {},
            .warnings = {}};
  if (bytes.empty())
    return {.what = finding::crash, .why = text("exit code ", WEXITSTATUS(status)), .outputs = {},
            .warnings = {}};
  return unpacked(bytes);
}

}  // namespace nvdlac::judge
