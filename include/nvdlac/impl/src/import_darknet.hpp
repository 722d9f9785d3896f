// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of Darknet.
#pragma once
#include <nvdlac/impl/import/darknet.ipp>
#include <nvdlac/impl/import/darknet/context.ipp>
#include <nvdlac/impl/import/darknet/functions.ipp>
#include <nvdlac/impl/import/darknet/layer_types.ipp>
#include <nvdlac/impl/import/darknet/layout.ipp>
#include <nvdlac/impl/import/darknet/section.ipp>
#include <nvdlac/impl/import/darknet/weights.ipp>
