// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <csignal>
#include <cstdint>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nvdlac/report/json.hpp>

namespace nvdlac::judge {
namespace {

using report::json;

constexpr std::size_t models_a_process = 2000;  // its memory grows
constexpr int most_milliseconds = 30'000;

}  // namespace

onnx_runtime::onnx_runtime(std::filesystem::path modules, std::filesystem::path script)
    : modules_(std::move(modules)), script_(std::move(script)) {
  std::signal(SIGPIPE, SIG_IGN);
}
onnx_runtime::~onnx_runtime() { stop(); }

void onnx_runtime::start() {
  int in[2], out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0)
    throw std::runtime_error("no pipe to ONNX Runtime");
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("no process for ONNX Runtime");
  if (process_ == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    ::dup2(nowhere, 2);
    ::execlp("node", "node", script_.c_str(), modules_.c_str(), nullptr);
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  to_ = in[1];
  from_ = out[0];
  served_ = 0;
}
void onnx_runtime::stop() {
  if (process_ < 0) return;
  ::close(to_);
  ::close(from_);
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
  process_ = -1;
}
bool onnx_runtime::write(const void* from, std::size_t size) {
  const auto* at = static_cast<const char*>(from);
  while (size > 0) {
    const auto n = ::write(to_, at, size);
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}
bool onnx_runtime::read(void* to, std::size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    pollfd waiting{from_, POLLIN, 0};
    if (::poll(&waiting, 1, most_milliseconds) <= 0) return false;
    const auto n = ::read(from_, at, size);
    if (n <= 0) return false;
    at += n;
    size -= static_cast<std::size_t>(n);
  }
  return true;
}

onnx_runtime::answer onnx_runtime::run(const std::string& binary, const std::vector<value>& inputs,
                                       const std::vector<std::vector<float>>& values) {
  if (process_ >= 0 && served_ >= models_a_process) stop();
  if (process_ < 0) start();
  ++served_;
  json header{{"model", binary.size()}, {"inputs", json::array()}};
  for (std::size_t i = 0; i < inputs.size(); ++i)
    header["inputs"].push_back({{"name", inputs[i].name}, {"dims", inputs[i].shape},
                                {"count", values[i].size()}});
  const auto words = header.dump();
  const auto length = static_cast<std::uint32_t>(words.size());
  bool good = write(&length, 4) && write(words.data(), words.size()) &&
              write(binary.data(), binary.size());
  for (const auto& v : values) good = good && write(v.data(), v.size() * sizeof(float));
  std::uint32_t size = 0;
  good = good && read(&size, 4);
  std::string said(size, ' ');
  good = good && read(said.data(), said.size());
  answer a;
  if (good) {
    const auto j = json::parse(said);
    if (j.contains("error")) return {.error = j["error"], .outputs = {}};
    for (const auto& o : j["outputs"]) {
      a.outputs.push_back(
          {o["name"], o["dims"], std::vector<float>(o["count"].get<std::size_t>())});
      good = good &&
             read(a.outputs.back().values.data(), a.outputs.back().values.size() * sizeof(float));
    }
  }
  if (good) return a;
  stop();
  return {.error = "the engine ended", .outputs = {}};
}

}  // namespace nvdlac::judge
