// SPDX-License-Identifier: Apache-2.0
// All of nvdlac, none of it used.
#include <nvdlac/all.hpp>
