// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/emit/destination.hpp>
#include <nvdlac/emit/files.hpp>
#include <nvdlac/emit/staging.hpp>

namespace nvdlac::emit {

NVDLAC_IMPL void transaction::add(destination to, std::vector<std::uint8_t> bytes) {
  const auto [other, is_new] = given_.emplace(to.identity, to.given);
  if (!is_new)
    detail::cannot_write(to.given, "and '" + other->second.string() + "' are the same file");
  entries_.push_back({std::move(to), std::move(bytes)});
  auto& e = entries_.back();
  if (e.to.stream) return;
  const auto parent = e.to.path.parent_path();
  const auto directory = parent.empty() ? std::filesystem::path(".") : parent;
  file_identity identity{};
  if (!find_file(directory, identity)) identity.name = directory.string();
  e.place = &places_.try_emplace(identity, directory, id_).first->second;
}

NVDLAC_IMPL std::vector<std::string> transaction::temporaries() const {
  std::vector<std::string> names;
  for (const auto& e : entries_)
    if (!e.to.stream) names.push_back(e.fresh().string());
  for (const auto& [identity, place] : places_) names.push_back(place.fresh().string());
  return names;
}

NVDLAC_IMPL void transaction::prepare() {
  guarded([&] {
    for (auto& e : entries_)
      if (!e.to.stream) open_place(e);
    for (auto& e : entries_)
      if (!e.to.stream) stage(e);
    for (auto& e : entries_)
      if (e.to.stream) write_through(e);
    open_directories();
  });
}

NVDLAC_IMPL void transaction::commit() {
  guarded([&] {
    for (auto& e : entries_)
      if (!e.to.stream) save(e);
    for (auto& e : entries_)
      if (!e.to.stream && !e.place->is_due() && !e.place->set_due())
        detail::cannot_write(e.to.given, errno);
    for (auto& e : entries_)
      if (!e.to.stream) place(e);
    for (const auto& [identity, directory] : directories_) directory.sync();
  });
  const auto left = forget_old();
  directories_.clear();
  if (!left.empty()) throw error(left);
}

NVDLAC_IMPL void transaction::open_place(entry& e) {
  if (e.place->is_open()) return;
  staging::settle(e.place->directory());
  if (!e.place->open()) detail::cannot_write(e.to.given, errno);
}

NVDLAC_IMPL void transaction::stage(entry& e) {
  struct stat old{};
  const bool replaces = ::stat(e.to.path.c_str(), &old) == 0;
  descriptor file(::open(e.fresh().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                         replaces ? 0600 : 0666));
  if (!file) detail::cannot_write(e.to.given, errno);
  e.is = state::staged;
  if (replaces && !file.take_access_of(old)) detail::cannot_write(e.to.given, errno);
  if (!file.write(e.bytes) || !file.sync() || !file.close())
    detail::cannot_write(e.to.given, errno);
}

NVDLAC_IMPL void transaction::write_through(entry& e) {
  if (e.to.descriptor >= 0) {
    if (!write_all(e.to.descriptor, e.bytes)) detail::cannot_write(e.to.given, errno);
    return;
  }
  descriptor stream(::open(e.to.path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC));
  if (!stream || !stream.write(e.bytes) || !stream.close())
    detail::cannot_write(e.to.given, errno);
}

NVDLAC_IMPL void transaction::open_directories() {
  std::size_t files = 0;
  for (const auto& e : entries_) {
    if (e.to.stream) continue;
    ++files;
    const auto parent = e.to.path.parent_path();
    const auto path = parent.empty() ? std::filesystem::path(".") : parent;
    file_identity identity{};
    if (find_file(path, identity)) directories_.try_emplace(identity, path);
  }
  if (files < 2) return;  // one name changes at once
  const auto end = std::chrono::steady_clock::now() + patience;
  for (const auto& [identity, directory] : directories_)
    while (!directory.lock() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

NVDLAC_IMPL void transaction::save(entry& e) {
  if (!e.place->has_old() && !e.place->open_old()) detail::cannot_write(e.to.given, errno);
  e.replaces = ::link(e.to.path.c_str(), e.old().c_str()) == 0;
}

NVDLAC_IMPL void transaction::place(entry& e) {
  struct stat there {};
  if (!e.replaces && ::lstat(e.to.path.c_str(), &there) == 0) {
    if (S_ISDIR(there.st_mode)) detail::cannot_write(e.to.given, EISDIR);
    if (::rename(e.to.path.c_str(), e.old().c_str()) != 0)
      detail::cannot_write(e.to.given, errno);
    e.replaces = e.moved = true;
  }
  e.is = state::saved;
  if (::rename(e.fresh().c_str(), e.to.path.c_str()) != 0)
    detail::cannot_write(e.to.given, errno);
  e.is = state::placed;
}

NVDLAC_IMPL std::vector<problem> transaction::undo() {
  std::vector<problem> left;
  const auto must = [&](int result, const entry& e, const char* reason,
                        const std::filesystem::path& kept) {
    if (result == 0) return;
    left.push_back({.file = e.to.given.string(),
                    .reason = reason + (": " + std::generic_category().message(errno)),
                    .remedy = "it is in '" + kept.string() + "'"});
  };
  for (auto at = entries_.rbegin(); at != entries_.rend(); ++at) {
    auto& e = *at;
    if (e.to.stream) continue;
    const auto path = e.to.path, fresh = e.fresh(), old = e.old();
    const bool placed = e.is == state::placed;
    if ((placed && e.replaces) || e.moved)
      must(::rename(old.c_str(), path.c_str()), e, "its former content cannot be put back", old);
    else if (e.replaces)
      must(remove(old), e, "a second name of it cannot be removed", old);
    else if (placed)
      must(remove(path), e, "its new content cannot be removed", path);
    if (e.is == state::staged || e.is == state::saved)
      must(remove(fresh), e, "its new content cannot be removed", fresh);
    e.is = state::absent;
    e.replaces = e.moved = false;
  }
  close_places(left, "cannot be removed: ");
  directories_.clear();
  return left;
}

NVDLAC_IMPL std::vector<problem> transaction::forget_old() {
  std::vector<problem> left;
  for (auto& e : entries_) {
    if (e.to.stream) continue;
    if (e.replaces && remove(e.old()) != 0)
      left.push_back({.file = e.to.given.string(),
                      .reason = "is written, but its former content cannot be removed: " +
                                std::generic_category().message(errno),
                      .remedy = "it is in '" + e.old().string() + "'"});
    e.is = state::absent;
    e.replaces = e.moved = false;
  }
  close_places(left, "all is written, but this cannot be removed: ");
  return left;
}

NVDLAC_IMPL void transaction::close_places(std::vector<problem>& left, const char* reason) {
  for (auto& [identity, place] : places_)
    for (const auto& path : place.close())
      left.push_back({.file = path.string(),
                      .reason = reason + std::generic_category().message(errno)});
}

NVDLAC_IMPL void write_files(const std::filesystem::path& directory, std::vector<file> files) {
  transaction all;
  for (auto& f : files) all.add(resolve(directory / f.name), std::move(f.bytes));
  all.prepare();
  all.commit();
}

NVDLAC_IMPL void write_file(const std::filesystem::path& path, std::vector<std::uint8_t> bytes) {
  write_files(path.parent_path(), {{path.filename().string(), std::move(bytes)}});
}

}  // namespace nvdlac::emit
