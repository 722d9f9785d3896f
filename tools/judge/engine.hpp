// SPDX-License-Identifier: Apache-2.0
#pragma once
// ONNX Runtime, in a process of node that computes model after model.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "onnx.hpp"

namespace nvdlac::judge {

class onnx_runtime {
 public:
  // `modules`: the folder with node_modules/onnxruntime-node; `script`: onnx_runtime.mjs.
  onnx_runtime(std::filesystem::path modules, std::filesystem::path script);
  ~onnx_runtime();
  onnx_runtime(const onnx_runtime&) = delete;
  onnx_runtime& operator=(const onnx_runtime&) = delete;

  struct result {
    std::string name{};
    dims shape{};
    std::vector<float> values{};
  };
  struct answer {
    std::string error{};  // empty: it computed the model
    std::vector<result> outputs{};
  };
  // The model in binary form. An engine that dies is an error, and there again for the next model.
  answer run(const std::string& binary, const std::vector<value>& inputs,
             const std::vector<std::vector<float>>& values);

 private:
  void start();
  void stop();
  bool write(const void* from, std::size_t size);
  bool read(void* to, std::size_t size);

  std::filesystem::path modules_, script_;
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
  std::size_t served_ = 0;
};

}  // namespace nvdlac::judge
