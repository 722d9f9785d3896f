// SPDX-License-Identifier: Apache-2.0
// The definitions of prepare.hpp.
#pragma once
#include <nvdlac/impl/prepare.ipp>
