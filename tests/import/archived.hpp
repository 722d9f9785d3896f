// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small ZIP archives, written by libarchive itself.
#if defined(NVDLAC_KERAS) || defined(NVDLAC_PYTORCH)
#include <cstddef>
#include <string>
#include <vector>

#include <archive.h>
#include <archive_entry.h>

namespace archived {

struct member {
  std::string name{}, content{};
};
inline std::string archive_of(const std::vector<member>& members, bool deflated = false) {
  std::string bytes(std::size_t{1} << 22, '\0');
  std::size_t used = 0;
  archive* a = archive_write_new();
  archive_write_set_format_zip(a);
  archive_write_set_options(a, deflated ? "zip:compression=deflate" : "zip:compression=store");
  archive_write_open_memory(a, bytes.data(), bytes.size(), &used);
  for (const auto& m : members) {
    archive_entry* e = archive_entry_new();
    archive_entry_set_pathname(e, m.name.c_str());
    archive_entry_set_size(e, static_cast<la_int64_t>(m.content.size()));
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_write_header(a, e);
    archive_write_data(a, m.content.data(), m.content.size());
    archive_entry_free(e);
  }
  archive_write_close(a);
  archive_write_free(a);
  bytes.resize(used);
  return bytes;
}

}  // namespace archived
#endif
