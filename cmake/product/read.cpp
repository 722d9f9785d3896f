// SPDX-License-Identifier: Apache-2.0
#include <nvdlac/impl/src/read.hpp>
