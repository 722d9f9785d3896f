// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/label.hpp>
#include <nvdlac/emit/loadable_image.hpp>

namespace nvdlac::emit {

namespace detail {

NVDLAC_IMPL void loadable_checker::run() {
  if (image_.submissions.empty() || image_.tasks.empty() || image_.memories.empty())
    say("the loadable has no submission, task or memory");
  check_blobs();
  for (std::size_t i = 0; i < image_.memories.size(); ++i) check_memory(i);
  check_bindings(loadable_code::input, "input");
  check_bindings(loadable_code::output, "output");
  check_lists();
  found_.check();
}

NVDLAC_IMPL void loadable_checker::check_blobs() {
  for (const auto& b : image_.blobs) {
    if (b.name.empty()) say("a blob has no name");
    if (!blobs_.emplace(b.name.view(), &b).second) say("two blobs are named '", b.name, "'");
  }
}

NVDLAC_IMPL void loadable_checker::check_memory(std::size_t i) {
  const auto& m = image_.memories[i];
  if (m.domain != loadable_code::system && m.domain != loadable_code::sram)
    say("memory ", i, " is in domain ", int{m.domain}, ", neither system memory nor SRAM");
  if (m.domain == loadable_code::sram && m.bindable())
    say("memory ", i, " is in SRAM, but an input or output");
  if (m.domain == loadable_code::sram && std::exchange(has_sram_, true))
    say("memory ", i, " is in SRAM as one before it, to which the runtime gives the same place");
  if (m.size == 0) say("memory ", i, " is empty");
  if (m.contents.size() != m.offsets.size())
    return say("memory ", i, " has ", m.contents.size(), " contents and ", m.offsets.size(),
               " offsets");
  if ((m.flags & loadable_code::set) == 0) return;
  for (std::size_t c = 0; c < m.contents.size(); ++c) {
    const auto b = blobs_.find(m.contents[c].view());
    if (b == blobs_.end())
      say("memory ", i, " wants the blob '", m.contents[c], "', which is missing");
    else if (m.offsets[c] > m.size || b->second->data.size() > m.size - m.offsets[c])
      say("the blob '", b->first, "' does not fit into memory ", i);
  }
}

NVDLAC_IMPL void loadable_checker::check_bindings(std::uint16_t direction, const char* name) {
  std::set<std::uint16_t> ids;
  for (std::size_t i = 0; i < image_.memories.size(); ++i) {
    const auto& m = image_.memories[i];
    if ((m.flags & direction) == 0) continue;
    if (!ids.insert(m.bind_id).second) say("two ", name, "s are bound as number ", m.bind_id);
    if (m.tensor_desc_id >= image_.tensors.size())
      say(name, " ", m.bind_id, " has the tensor description ", m.tensor_desc_id,
          ", which is missing");
  }
  if (!ids.empty() && *ids.rbegin() != ids.size() - 1) say(name, "s are not numbered from 0 on");
}

NVDLAC_IMPL void loadable_checker::check_lists() {
  for (std::size_t i = 0; i < image_.addresses.size(); ++i) {
    const auto& a = image_.addresses[i];
    if (a.memory >= image_.memories.size())
      say("address ", i, " is in memory ", a.memory, ", which is missing");
    else if (a.offset > image_.memories[a.memory].size)
      say("address ", i, " is beyond the end of memory ", a.memory);
  }
  for (std::size_t i = 0; i < image_.tasks.size(); ++i) {
    const auto& t = image_.tasks[i];
    if (t.interface != loadable_code::dla1 && t.interface != loadable_code::emu1)
      say("task ", i, " has the unknown interface ", t.interface);
    if (t.addresses.empty() || t.addresses.size() > most_addresses)
      say("task ", i, " has ", t.addresses.size(), " addresses, not 1 to ", most_addresses);
    for (const auto a : t.addresses)
      if (a >= image_.addresses.size()) {
        say("task ", i, " uses address ", a, ", which is missing");
        break;
      }
  }
  for (std::size_t i = 0; i < image_.submissions.size(); ++i)
    for (const auto t : image_.submissions[i].tasks)
      if (t >= image_.tasks.size())
        say("submission ", i, " has task ", t, ", which is missing");
  for (std::size_t i = 0; i < image_.tensors.size(); ++i) {
    const auto& t = image_.tensors[i];
    if (t.memory >= image_.memories.size())
      say("tensor '", t.name, "' is in memory ", t.memory, ", which is missing");
    if (t.n < 1 || t.c < 1 || t.h < 1 || t.w < 1) say("tensor '", t.name, "' is empty");
  }
}

}  // namespace detail

NVDLAC_IMPL void check_loadable(const loadable_image& image, const std::string& file) {
  detail::loadable_checker(image, file).run();
}

}  // namespace nvdlac::emit
