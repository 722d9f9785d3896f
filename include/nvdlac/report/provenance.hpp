// SPDX-License-Identifier: Apache-2.0
#pragma once
// The provenance of a loadable, which is what it was made from, for reading.
#include <string>
#include <string_view>

#include <nvdlac/emit/provenance.hpp>
#include <nvdlac/report/json.hpp>

namespace nvdlac::report {

// "0.2.0 (197eba8d1a2b)", of what has made it.
std::string maker_of(const emit::provenance& p);

// In lines: who made it, each thing that was read with its SHA-256, the options.
std::string to_text(const emit::provenance& p);

template <class Json = json>
Json to_json(const emit::provenance& p) {
  Json j{{"version", p.version.view()}, {"commit", p.commit.view()}, {"options", Json::array()},
         {"sources", Json::array()}};
  for (const auto& o : p.options) j["options"].push_back(o.view());
  for (const auto& s : p.sources)
    j["sources"].push_back({{"role", s.role.view()}, {"sha256", s.sha256.hex()},
                            {"count", s.count}});
  return j;
}

}  // namespace nvdlac::report

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/report/provenance.ipp>
#endif
