// SPDX-License-Identifier: Apache-2.0
#pragma once
// The ZIP archives of Keras and PyTorch, by libarchive: nothing is written to a disk. Exists where
// nvdlac is built with the library (NVDLAC_KERAS or NVDLAC_PYTORCH).
#include <nvdlac/base/budget.hpp>
#include <nvdlac/base/error.hpp>

#if defined(NVDLAC_KERAS) || defined(NVDLAC_PYTORCH)
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <archive.h>
#include <archive_entry.h>

namespace nvdlac::import {

// The members of an archive that are wanted, by name. Small archives can unpack to large files.
template <class Wanted>
std::map<std::string, std::string> unpacked(const std::string& content, const budget& limits,
                                            Wanted wanted) {
  const std::unique_ptr<archive, int (*)(archive*)> a(archive_read_new(), archive_read_free);
  const auto fail = [&](const std::string& reason) {
    return error(problem{.reason = reason, .remedy = "the archive is corrupt or was cut off"});
  };
  if (!a || archive_read_support_format_zip(a.get()) != ARCHIVE_OK ||
      archive_read_open_memory(a.get(), content.data(), content.size()) != ARCHIVE_OK)
    throw fail("the archive cannot be read");
  const auto most = std::min<std::uint64_t>(
      8 * limits.weights + (1 << 26), sizeof(float) * limits.constants_of(content.size()));
  std::map<std::string, std::string> members;
  std::uint64_t total = 0;
  for (std::uint64_t count = 1;; ++count) {
    archive_entry* entry = nullptr;
    const int result = archive_read_next_header(a.get(), &entry);
    if (result == ARCHIVE_EOF) break;
    if (result != ARCHIVE_OK) throw fail("the archive cannot be read");
    require_within(&budget::nodes, count, limits);
    const char* path = archive_entry_pathname(entry);
    const std::string name = path == nullptr ? "" : path;
    if (name.empty() || name[0] == '/' || name[0] == '\\' || name.find(':') != name.npos ||
        name == ".." || name.starts_with("../") || name.ends_with("/..") ||
        name.find("/../") != name.npos || name.find("..\\") != name.npos)
      throw error(problem{.reason = "the archive has a member '" + name + "' outside of itself",
                          .remedy = "no framework writes such archives"});
    if (!wanted(name)) continue;
    if (archive_entry_is_encrypted(entry) != 0)
      throw error(problem{.reason = "its member " + name + " is encrypted",
                          .remedy = "unlock the archive"});
    if (archive_entry_filetype(entry) != AE_IFREG) throw fail(name + " in the archive is no file");
    if (members.contains(name)) throw fail("the archive has two members " + name);
    auto& to = members[name];
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t at = 0;
    int read = ARCHIVE_OK;
    while ((read = archive_read_data_block(a.get(), &block, &size, &at)) == ARCHIVE_OK) {
      if (at < 0 || static_cast<std::uint64_t>(at) != to.size())
        throw fail(name + " in the archive has gaps");
      if ((total += size) > most)
        throw error(problem{
            .reason = text("the archive unpacks to more than ", most, " bytes, the most within the "
                           "limits"),
            .remedy = "if that is meant, raise them: --limit constants=N or weights=N"});
      to.append(static_cast<const char*>(block), size);
    }
    if (read != ARCHIVE_EOF) throw fail(name + " in the archive cannot be read");
  }
  return members;
}

}  // namespace nvdlac::import
#endif
