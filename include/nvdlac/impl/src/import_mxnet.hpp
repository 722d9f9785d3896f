// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of MXNet.
#pragma once
#include <nvdlac/impl/import/mxnet.ipp>
#include <nvdlac/impl/import/mxnet/conversion.ipp>
#include <nvdlac/impl/import/mxnet/operators.ipp>
#include <nvdlac/impl/import/mxnet/params.ipp>
#include <nvdlac/impl/import/mxnet/symbol_node.ipp>
