// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <sys/wait.h>

#include <scratch.hpp>

// The text that a run of the command line printed, and its exit code or the signal that ended it.
struct outcome {
  int code = -1, signal = 0;
  std::string out{}, err{};

  bool says(std::string_view part) const { return out.find(part) != std::string::npos; }
  bool complains(std::string_view part) const { return err.find(part) != std::string::npos; }
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// A command of the shell in a directory.
inline outcome shell_in(const std::filesystem::path& directory, const std::string& command) {
  const scratch streams;
  const auto out = streams.path / "out", err = streams.path / "err";
  const int status = std::system(("cd '" + directory.string() + "' && " + command + " >'" +
                                  out.string() + "' 2>'" + err.string() + "' </dev/null")
                                     .c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  const bool ended = code > 128;  // by a signal, as the shell says it
  return {ended ? -1 : code, ended ? code - 128 : 0, content(out), content(err)};
}

// `nvdlac` with these arguments, as a shell reads them, in a directory and with more in its
// environment.
inline outcome nvdlac_in(const std::filesystem::path& directory, const std::string& arguments,
                         const std::string& environment = {}) {
  return shell_in(directory, environment + "'" NVDLAC_CLI "' " + arguments);
}

// For the environment: at most so many KiB of addresses. Sanitizers reserve terabytes, and go
// without.
inline std::string address_limit(std::size_t kib) {
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  kib = 0;
#endif
#endif
  return kib == 0 ? "" : "ulimit -v " + std::to_string(kib) + "; ";
}

// For the environment: a library that takes calls from the C library.
inline std::string preloaded(const std::string& library) {
  return "ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD='" + library + "' ";
}

inline const std::string digits = NVDLAC_SOURCE_DIR "/examples/digits";

// The demo model with its calibration, for nv_small.
inline const std::string model = " '" + digits + "/digits.onnx' --config nv_small --calibration '" +
                                 digits + "/calibration.idx' ";
inline const std::string pictures = " '" + digits + "/images' ";
