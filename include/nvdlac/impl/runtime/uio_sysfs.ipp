// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <dirent.h>
#include <fcntl.h>

#include <nvdlac/base/descriptor.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/runtime/uio_sysfs.hpp>

namespace nvdlac::runtime {

namespace detail {

// The entries of a folder, sorted; none where there is no such folder.
NVDLAC_IMPL std::vector<std::string> entries_of(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  const auto close = [](DIR* d) { ::closedir(d); };
  const std::unique_ptr<DIR, decltype(close)> open(::opendir(folder.c_str()), close);
#ifdef __GLIBC__  // whose readdir fails where an inode's number needs more than 32 bits
  const auto next = [](DIR* d) { return ::readdir64(d); };
#else
  const auto next = [](DIR* d) { return ::readdir(d); };
#endif
  while (const auto* const entry = open ? next(open.get()) : nullptr)
    if (const std::string name = entry->d_name; name != "." && name != "..") names.push_back(name);
  // uio2 stands before uio10.
  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() < b.size() : a < b;
  });
  return names;
}

// The first line of a file of sysfs, which has at most a page; nothing if there is no such file.
NVDLAC_IMPL std::optional<std::string> line_of(const std::filesystem::path& file) {
  const auto open = open_at_once(file, O_RDONLY);
  if (!open && (errno == ENOENT || errno == ENOTDIR)) return {};
  std::array<char, 4096> content{};
  const auto got = open ? open.read(content, 0) : -1;
  if (got < 0)
    throw error(problem{.file = file.string(),
                        .reason = "cannot be read: " + std::generic_category().message(errno)});
  std::string_view line(content.data(), static_cast<std::size_t>(got));
  line = line.substr(0, line.find('\n'));
  while (line.ends_with(' ') || line.ends_with('\0')) line.remove_suffix(1);
  return std::string(line);
}

// A number of sysfs, decimal or after 0x hexadecimal.
NVDLAC_IMPL std::optional<std::uint64_t> number_of(const std::filesystem::path& file) {
  const auto line = line_of(file);
  if (!line) return {};
  std::string_view digits = *line;
  const int base = digits.starts_with("0x") ? 16 : 10;
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, failed] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (failed != std::errc{} || end != digits.data() + digits.size())
    throw error(problem{.file = file.string(),
                        .reason = "holds '" + *line + "', not a number",
                        .remedy = "the driver of the device is of another version, or broken"});
  return value;
}

NVDLAC_IMPL std::uint64_t needed_number(const std::filesystem::path& file) {
  if (const auto n = number_of(file)) return *n;
  throw error(problem{.file = file.string(), .reason = "there is no such file",
                      .remedy = "the driver of the device is of another version"});
}

// "uio0 (nvdla), uio1", or that there is none.
NVDLAC_IMPL std::string list_of_uio(const std::filesystem::path& folder,
                                    const std::vector<std::string>& devices) {
  std::vector<std::string> each;
  for (const auto& d : devices) {
    const auto name = line_of(folder / d / "name");
    each.push_back(name && !name->empty() ? d + " (" + *name + ")" : d);
  }
  return each.empty() ? "there is none" : "there are " + joined(each);
}

NVDLAC_IMPL std::vector<uio_map> maps_of(const std::filesystem::path& folder) {
  std::vector<uio_map> maps;
  for (const auto& entry : entries_of(folder)) {
    uio_map m;
    const auto digits = std::string_view(entry).substr(std::min<std::size_t>(3, entry.size()));
    const auto [end, failed] =
        std::from_chars(digits.data(), digits.data() + digits.size(), m.number);
    if (!entry.starts_with("map") || failed != std::errc{} || *end != '\0') continue;
    m.name = line_of(folder / entry / "name").value_or("");
    m.address = needed_number(folder / entry / "addr");
    m.size = needed_number(folder / entry / "size");
    m.offset = number_of(folder / entry / "offset").value_or(0);
    maps.push_back(m);
  }
  std::ranges::sort(maps, {}, &uio_map::number);
  return maps;
}

}  // namespace detail

NVDLAC_IMPL uio_entry find_uio(const std::filesystem::path& root, const std::string& name) {
  const auto folder = root / "sys/class/uio";
  const auto devices = detail::entries_of(folder);
  std::vector<std::string> found;
  for (const auto& d : devices)
    if (d == name) found = {d};
  if (found.empty())
    for (const auto& d : devices)
      if (detail::line_of(folder / d / "name") == name) found.push_back(d);
  if (found.size() > 1)
    throw error(problem{.file = folder.string(),
                        .reason = "several UIO devices have the name '" + name + "'",
                        .remedy = "choose one of " + joined(found)});
  if (found.empty())
    throw error(problem{
        .file = folder.string(),
        .reason = "no UIO device '" + name + "': " + detail::list_of_uio(folder, devices),
        .remedy = devices.empty()
                      ? "a node of the device tree with compatible = \"generic-uio\", and "
                        "modprobe uio_pdrv_genirq of_id=generic-uio, see docs/board.md"
                      : "take one of these"});
  return {found[0], detail::line_of(folder / found[0] / "name").value_or(""),
          detail::maps_of(folder / found[0] / "maps")};
}

NVDLAC_IMPL dma_buffer find_dma_buffer(const std::filesystem::path& root,
                                       const std::optional<std::string>& name) {
  // The older name of the class is that of the driver before version 2.
  auto folder = root / "sys/class/u-dma-buf";
  auto buffers = detail::entries_of(folder);
  if (buffers.empty()) {
    const auto older = root / "sys/class/udmabuf";
    buffers = detail::entries_of(older);
    if (!buffers.empty()) folder = older;
  }
  const auto wanted = name.value_or(buffers.size() == 1 ? buffers[0] : "udmabuf0");
  if (std::ranges::find(buffers, wanted) == buffers.end())
    throw error(problem{
        .file = folder.string(),
        .reason = "no buffer '" + wanted + "' of u-dma-buf: there is " +
                  (buffers.empty() ? "none" : joined(buffers)),
        .remedy = buffers.empty() ? "modprobe u-dma-buf udmabuf0=67108864, or memory=ADDRESS+SIZE "
                                    "for a region that is reserved, see docs/board.md"
                                  : "choose with memory=" + buffers[0]});
  dma_buffer b{.device = wanted, .folder = folder / wanted};
  b.address = detail::needed_number(b.folder / "phys_addr");
  b.size = detail::needed_number(b.folder / "size");
  // Modes of 4 and more switch the cache off without O_SYNC, but for 4, "always cached".
  b.cached = detail::number_of(b.folder / "sync_mode").value_or(0) <= 4;
  b.coherent = detail::number_of(b.folder / "dma_coherent").value_or(0) != 0;
  return b;
}

}  // namespace nvdlac::runtime
