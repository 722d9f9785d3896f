// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of Caffe2.
#pragma once
#include <nvdlac/impl/import/caffe2.ipp>
#include <nvdlac/impl/import/caffe2/arguments.ipp>
#include <nvdlac/impl/import/caffe2/net.ipp>
#include <nvdlac/impl/import/caffe2/schema.ipp>
