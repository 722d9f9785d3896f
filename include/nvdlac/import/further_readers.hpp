// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <variant>

#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>
#include <nvdlac/import/weight_source.hpp>

namespace nvdlac::import {

// Readers of the formats other than ONNX, in whose terms they write what they read. A program that
// does not want one need not compile it: these readers are weak symbols, which the linker makes
// null where nothing defines them. Where the header of one is included anywhere in a program, or a
// compiled library has it (NVDLAC_FORMATS in CMake), all of the program reads the format.

// As weight_source, with the file that was read.
using weight_content = std::variant<std::monostate, named_content, random_weights>;
using further_reader = network(const named_content& model, const weight_content& weights,
                               const part& wanted);
[[gnu::weak]] further_reader read_caffe2, read_coreml, read_mxnet, read_pytorch;
#ifdef NVDLAC_COMPILED  // of headers alone, model.hpp includes these
[[gnu::weak]] further_reader read_caffe, read_darknet, read_keras, read_tensorflow, read_tflite;
#endif

}  // namespace nvdlac::import
