// SPDX-License-Identifier: Apache-2.0
#pragma once
// Core ML's models: the neural networks of .mlmodel files and the ML programs of .mlpackage
// directories. A program that includes this header reads them by nvdlac::read, too.
#include <filesystem>

#include <nvdlac/import/file.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import {

namespace coreml_format {

network translated(const named_content& file, const part& wanted);

// The model of a package, which its manifest names.
std::filesystem::path model_in_package(const named_content& manifest);

}  // namespace coreml_format

// Reads a Core ML model, or the package whose manifest this is, for one picture. The weights of an
// ML program are beside the file. `wanted` may name a part of it, and tell the shape of an input
// that may have several. Throws `error` with all problems.
network coreml_network_from(const named_content& model, const part& wanted = {});

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/coreml.ipp>
#endif
