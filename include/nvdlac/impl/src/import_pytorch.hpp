// SPDX-License-Identifier: Apache-2.0
// The definitions of the reader of PyTorch's exported programs.
#pragma once
#include <nvdlac/impl/import/pytorch.ipp>
#include <nvdlac/impl/import/pytorch/aliases.ipp>
#include <nvdlac/impl/import/pytorch/attention.ipp>
#include <nvdlac/impl/import/pytorch/call.ipp>
#include <nvdlac/impl/import/pytorch/exported_program.ipp>
#include <nvdlac/impl/import/pytorch/moving.ipp>
#include <nvdlac/impl/import/pytorch/normalisation.ipp>
#include <nvdlac/impl/import/pytorch/operators.ipp>
#include <nvdlac/impl/import/pytorch/sizes.ipp>
#include <nvdlac/impl/import/pytorch/tensor.ipp>
