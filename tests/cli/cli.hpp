// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include <sys/wait.h>

#include <scratch.hpp>

// What a run of the command line printed, and its exit code.
struct outcome {
  int code = -1;
  std::string out{}, err{};

  bool says(std::string_view part) const { return out.find(part) != std::string::npos; }
  bool complains(std::string_view part) const { return err.find(part) != std::string::npos; }
};

inline std::string content(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// `nvdlac` with these arguments, as a shell reads them, in a directory.
inline outcome nvdlac_in(const std::filesystem::path& directory, const std::string& arguments) {
  const scratch streams;
  const auto out = streams.path / "out", err = streams.path / "err";
  const std::string command = "cd '" + directory.string() + "' && '" NVDLAC_CLI "' " + arguments +
                              " >'" + out.string() + "' 2>'" + err.string() + "' </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, content(out), content(err)};
}

inline const std::string digits = NVDLAC_SOURCE_DIR "/examples/digits";

// The demo model with its calibration, for nv_small.
inline const std::string model = " '" + digits + "/digits.onnx' --config nv_small --calibration '" +
                                 digits + "/calibration.idx' ";
inline const std::string pictures = " '" + digits + "/images' ";
