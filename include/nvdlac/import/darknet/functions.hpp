// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

#include <nvdlac/import/darknet/context.hpp>

namespace nvdlac::import::darknet_format {

// The functions of `activation=`, each as nodes of which the last has the given name.
using function_writer = id (*)(const context&, const std::string& name, id x);

const std::map<std::string_view, function_writer>& functions();

// The function of a layer. Darknet's code for mish and swish belongs to some layers alone.
std::string function_of(const context& c, const char* none, bool gates = false);
id activated(const context& c, const std::string& function, id x);

}  // namespace nvdlac::import::darknet_format

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/import/darknet/functions.ipp>
#endif
