// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include <nvdlac/import/further_readers.hpp>
#include <nvdlac/import/network.hpp>
#include <nvdlac/import/part.hpp>

namespace nvdlac::import {

// PyTorch's archives of torch.export (.pt2). libarchive reads them: without it (NVDLAC_PYTORCH is
// not defined) a file is refused with the words what to install. A program that includes this
// header reads them by nvdlac::read, too.

// Reads an archive of torch.export as a network for one picture. `wanted` names a part of it and
// shapes that it leaves open; `file` is for messages. Throws `error` with all problems.
network pytorch_network_from(const std::string& content, const std::string& file,
                             [[maybe_unused]] const part& wanted = {});

}  // namespace nvdlac::import

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/pytorch.ipp>
#endif
