// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results that OpenCV computes of an ONNX model.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <opencv2/dnn.hpp>

#include <nvdlac/net/tensor.hpp>

namespace opencv_reference {

// Runs a model in binary form with one input and one output.
inline std::vector<float> run(const std::string& model, const nvdlac::net::float_tensor& x) {
  auto net = cv::dnn::readNetFromONNX(model.data(), model.size());
  const int sizes[] = {1, x.shape.c, x.shape.h, x.shape.w};
  cv::Mat in(4, sizes, CV_32F);
  std::memcpy(in.data, x.values.data(), x.values.size() * sizeof(float));
  net.setInput(in);
  const cv::Mat out = net.forward();
  const auto* first = out.ptr<float>();
  return {first, first + out.total()};
}

// The largest difference, in parts of the largest value; infinite for different sizes.
inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  if (a.size() != b.size()) return std::numeric_limits<double>::infinity();
  double most = 1e-9, far = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::fabs(double{a[i]}));
    far = std::max(far, std::fabs(double{a[i]} - double{b[i]}));
  }
  return far / most;
}

}  // namespace opencv_reference
