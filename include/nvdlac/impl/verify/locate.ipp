// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nvdlac/base/at_end.hpp>
#include <nvdlac/base/error.hpp>
#include <nvdlac/base/impl.hpp>
#include <nvdlac/base/visit.hpp>
#include <nvdlac/data/file.hpp>
#include <nvdlac/layer/pack.hpp>
#include <nvdlac/net/tensor.hpp>
#include <nvdlac/quantised/numbers.hpp>
#include <nvdlac/verify/locate.hpp>
#include <nvdlac/verify/location.hpp>
#include <nvdlac/verify/run_tensors.hpp>

namespace nvdlac::verification {

namespace detail {

NVDLAC_IMPL void compare_pixels(const run_tensor& t, const std::vector<std::uint8_t>& found,
                                disagreement& d) {
  d.of = t.bytes.size();
  for (std::size_t i = t.bytes.size(); i-- > 0;)
    if (t.bytes[i] != found[i]) {
      ++d.count;
      d.element = i;
      d.expected = text(+t.bytes[i]);
      d.found = text(+found[i]);
    }
}

NVDLAC_IMPL void compare_cubes(const run_tensor& t, const std::vector<std::uint8_t>& found,
                               bytes atom, disagreement& d) {
  const auto is = numbers_of(t, found, atom);
  nvdlac::visit([&]<class Tensor>(const Tensor& expected) {
    const auto& values = std::get<Tensor>(is).values;
    const auto show = [](const auto& v) {
      if constexpr (std::is_same_v<Tensor, net::fp16_tensor>)
        return text(quantised::value_of(v), " (0x", std::hex, v.bits, ')');
      else return text(+v);
    };
    d.of = values.size();
    for (std::size_t i = values.size(); i-- > 0;) {
      if (std::memcmp(&values[i], &expected.values[i], sizeof values[i]) == 0) continue;
      ++d.count;
      d.element = i;
      d.expected = show(expected.values[i]);
      d.found = show(values[i]);
    }
  }, numbers_of(t, t.bytes, atom));
}

NVDLAC_IMPL std::vector<std::uint8_t> elements_of(const run_tensor& t,
                                                  std::span<const std::uint8_t> memory,
                                                  bytes atom) {
  std::vector<std::uint8_t> result(t.bytes.size());
  nvdlac::visit([&](const auto& typed) {
    layer::pack(typed.values, t.surface, atom, result);
  }, numbers_of(t, memory, atom));
  return result;
}

NVDLAC_IMPL std::string cause_of(const run_tensor& t, std::span<const std::uint8_t> memory,
                                 bytes atom) {
  const auto expected = elements_of(t, t.bytes, atom), found = elements_of(t, memory, atom);
  constexpr std::uint64_t line = 64;  // of the processor's caches
  std::size_t wrong = 0, bits = 0;
  bool only_zeros = true, whole_lines = true;
  for (std::size_t from = 0; from < expected.size();) {
    const auto end = std::min<std::size_t>(
        expected.size(), from + static_cast<std::size_t>(line - (t.address + from) % line));
    std::size_t same = 0, differs = 0;
    for (auto i = from; i < end; ++i) {
      only_zeros = only_zeros && found[i] == 0;
      if (expected[i] == found[i]) {
        ++same;
        continue;
      }
      ++differs;
      const auto wrong_bits = static_cast<unsigned>(expected[i] ^ found[i]);
      bits += static_cast<std::size_t>(std::popcount(wrong_bits));
    }
    wrong += differs;
    // By chance a few bytes of what stood there before are right.
    if (differs != 0 && same > (end - from) / 4) whole_lines = false;
    from = end;
  }
  if (only_zeros)
    return "nothing was written there: is the address as NVDLA sees it, has the memory port enough "
           "bits of address, and is the clock of the unit on?";
  if (bits == 1) return "one bit differs: memory or bus, rather than the program";
  if (whole_lines && wrong < expected.size())
    return "whole cache lines differ: was the buffer synced for the processor after the run, and "
           "for the device before?";
  return "";
}

// The registers of the layer that differs belong to it.
NVDLAC_IMPL location with_registers(location l, const std::vector<run_tensor>& run,
                                    const runtime::any_session& of) {
  if (l.first && !l.first->input) {
    const auto& t = run[l.first->number - 1];
    l.first->registers = of.registers_of(t.task, t.operation);
  }
  return l;
}

}  // namespace detail

NVDLAC_IMPL location locate(runtime::any_session& simulator, runtime::any_session& device,
                            const std::vector<quantised::feed>& feeds, bytes atom,
                            std::size_t most_runs) {
  const auto expected = tensors_of_run(simulator, feeds);
  const auto locate_in_run = [&] {
    std::map<std::string, std::vector<std::uint8_t>> on_device;
    for (auto& t : tensors_of_run(device, feeds)) on_device.emplace(t.file, std::move(t.bytes));
    return locate(expected, atom, [&](const run_tensor& t) {
      const auto found = on_device.find(t.file);
      return found == on_device.end() ? std::nullopt : std::optional(found->second);
    });
  };
  const auto locate_in_runs = [&](std::size_t most) {
    location found;
    std::size_t run = 0;
    do {
      found = locate_in_run();
      found.runs = ++run;
    } while (!found.first && run < most);
    return found;
  };
  auto l = locate_in_runs(most_runs);
  if (l.first && !l.first->input && device.run_layers_alone(true)) {
    const at_end together([&] { device.run_layers_alone(false); });
    try {
      const auto alone = locate_in_runs(l.runs);
      l.alone = single_layers{};
      if (alone.first) l.alone = {alone.first->number, alone.first->layer};
    } catch (const error&) {
      // A device that fails now: what it did before is known.
    }
  }
  return detail::with_registers(std::move(l), expected, simulator);
}

NVDLAC_IMPL location locate(const std::vector<run_tensor>& run, bytes atom,
                            const device_memory& on_device) {
  location l{.tensors = run.size()};
  for (std::size_t i = 0; i < run.size(); ++i) {
    const auto& t = run[i];
    auto found = on_device(t);
    if (!found) {
      ++l.without;
      continue;
    }
    ++l.compared;
    found->resize(t.bytes.size());
    disagreement d{.layer = t.layer, .file = t.file + ".bin", .input = t.input,
                   .picture = t.picture, .shape = t.surface.shape,
                   .precision = t.surface.precision, .number = i + 1};
    if (t.picture) detail::compare_pixels(t, *found, d);
    else detail::compare_cubes(t, *found, atom, d);
    if (d.count == 0) continue;
    if (!t.input) d.cause = detail::cause_of(t, *found, atom);
    l.first = std::move(d);
    break;
  }
  return l;
}

NVDLAC_IMPL void check_directory(const std::filesystem::path& directory) {
  if (!std::filesystem::is_directory(directory))
    throw error(problem{.file = directory.string(), .reason = "is no directory"});
}

NVDLAC_IMPL location locate(runtime::any_session& simulator,
                            const std::vector<quantised::feed>& feeds, bytes atom,
                            const std::filesystem::path& directory) {
  namespace fs = std::filesystem;
  check_directory(directory);
  const auto run = tensors_of_run(simulator, feeds);
  auto l = locate(run, atom, [&](const run_tensor& t) {
    std::optional<std::vector<std::uint8_t>> found;
    const auto path = directory / (t.file + ".bin");
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return found;
    const auto bytes = data::read_file(path);
    if (bytes.size() < t.bytes.size())
      throw error(problem{.file = path.string(),
                          .reason = text("has ", bytes.size(), " bytes, not the ", t.bytes.size(),
                                         " of '", t.layer, "'")});
    found.emplace(bytes.begin(), bytes.end());
    return found;
  });
  if (l.compared == 0)
    throw error(problem{.file = directory.string(),
                        .reason = "holds no dump of this program's tensors",
                        .remedy = text("their names are those of `nvdlac run --save-tensors`, such "
                                       "as ", run.back().file, ".bin")});
  return detail::with_registers(std::move(l), run, simulator);
}

}  // namespace nvdlac::verification
