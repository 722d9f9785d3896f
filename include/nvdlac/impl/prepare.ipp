// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/compile_options.hpp>
#include <nvdlac/host/choice.hpp>
#include <nvdlac/host/partition.hpp>
#include <nvdlac/net/operators.hpp>
#include <nvdlac/pass/approximate.hpp>
#include <nvdlac/pass/pipeline.hpp>
#include <nvdlac/prepare.hpp>

namespace nvdlac {

NVDLAC_IMPL prepared_network prepare_standard(const net::graph& network,
                                              const scale_source& source,
                                              const compile_options& options,
                                              const division& divide,
                                              const winograd_choice& winograd,
                                              const sibling_choice& siblings) {
  return prepare<pass::standard>(network, source, options, pass::silent{}, divide, winograd,
                                 siblings);
}

}  // namespace nvdlac

#ifdef NVDLAC_COMPILED
namespace nvdlac {

template std::vector<problem> host::partition(net::graph&, const host::choice&,
                                              const std::vector<problem>&);
template void pass::approximate::run(net::graph&);

}  // namespace nvdlac
#endif
