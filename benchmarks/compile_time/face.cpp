// SPDX-License-Identifier: Apache-2.0
// The face, none of it used.
#include <nvdlac/nvdlac.hpp>
