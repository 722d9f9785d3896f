// SPDX-License-Identifier: Apache-2.0
// The definitions of calibration, quantisation and the steps that no configuration changes.
#pragma once
#include <nvdlac/impl/prepare.ipp>
