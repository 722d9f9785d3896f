// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/src.hpp>
