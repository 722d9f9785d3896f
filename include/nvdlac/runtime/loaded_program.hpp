// SPDX-License-Identifier: Apache-2.0
#pragma once
// A loadable made ready to run: its descriptors decoded once, its memories given addresses.
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nvdlac/emit/descriptors.hpp>
#include <nvdlac/emit/loadable_image.hpp>
#include <nvdlac/emit/loadable_notes.hpp>
#include <nvdlac/emit/memory_map.hpp>
#include <nvdlac/quantised/input.hpp>
#include <nvdlac/sim/rule.hpp>

namespace nvdlac::runtime {

// A tensor that the user gives or gets.
struct binding {
  std::string name;
  net::shape shape{};                // as the network sees it
  double scale = 1.0;                // real = scale * integer
  std::vector<double> gain{};        // real = gain[channel] * scale * integer; empty: 1
  std::optional<quantised::pixels> pixels{};
  std::optional<net::preprocessing> preprocessing{};  // how the user's pixels become values
  std::vector<net::file_tensor> in_file{};  // what it is in the user's file; empty: itself
  bool picture = false;              // unsigned pixels, not values
  layer::surface surface{};          // from the start of its memory, as the network sees it
  std::uint64_t address = 0, size = 0;  // of its memory, bytes

  const layer::surface& seen() const { return surface; }
};

// The numbers that the input takes for real values. Throws nvdlac::error for NaN and infinities.
quantised::feed feed_of(const net::float_tensor& values, const binding& to);

// Bytes that are written to memory.
struct memory_content {
  emit::dma_address at{};
  std::vector<std::uint8_t> data{};
};

// A task: its operations' locations are indices into `places` and offsets there.
struct loaded_task {
  bool host = false;
  std::vector<layer::layer> layers{};
  std::vector<plan::numbering> numbers{};  // of what each writes; empty: the notes do not tell
  // The channels of what some of these write that are the tensors of single layers of the network.
  std::vector<emit::loadable_notes::part> parts{};
  std::vector<emit::firmware::common> dependencies{};  // of a hardware task
  std::array<std::int16_t, plan::engines> heads{-1, -1, -1, -1, -1, -1};
  std::vector<layer::lut> luts{};
  std::vector<emit::dma_address> places{};
  memory_content graph{};  // of a hardware task: its dependency graph for the firmware
  bool is_of_older_interface = false;  // its descriptors in memory are, not those decoded here

  emit::dma_address operator()(const layer::location& at) const;
};

struct loaded_program {
  std::string network;
  std::vector<binding> inputs{}, outputs{};
  std::vector<loaded_task> tasks{};  // in the order of submission
  std::vector<net::host_call> calls{};   // that layers of the host name
  std::vector<memory_content> contents{};  // that are written once
  bool transposed = false;  // the maps of all cubes are, as layers see them
  // A hash of `contents`, wherever they stand: it remains when the device has them.
  std::size_t fingerprint = 0;

  // Whether both compute the same, from inputs to outputs of the same meaning.
  bool is_same(const loaded_program& other) const;
};

// Gives so many bytes of memory, in DRAM or in CVSRAM: where NVDLA sees them.
using allocator = std::function<emit::dma_address(std::uint64_t size, bool dram)>;

// The version of the firmware's interface that changed the descriptors last.
inline constexpr emit::loadable_version newest_descriptors{0, 12, 0};

// The lists of descriptors of a task, each by the place of its address in the task's list, as bytes
// from there on, more than the list's perhaps.
using descriptor_lists = std::function<std::vector<std::uint8_t>(std::int32_t)>;

// A hardware task as the firmware reads it, from memory: address 0 is that of the network's
// descriptor. Its layers have no names. What does not fit together is an `error`.
loaded_task decode_task(const descriptor_lists& lists, std::vector<emit::dma_address> places,
                        emit::loadable_version version = newest_descriptors);

namespace detail {

// Throws nvdlac::error for memory of a device that NVDLA cannot address.
void check_addresses(std::uint64_t address, std::uint64_t size, const hw::spec& spec);

class loader {
 public:
  loader(const emit::loadable_image& image, const hw::spec& spec, std::uint64_t most_memory,
         const allocator& allocate);

  loaded_program take() && { return std::move(out_); }

 private:
  bool in_cvsram(std::size_t memory) const {
    return image_.memories[memory].domain == emit::loadable_code::sram;
  }
  std::vector<binding> bindings(std::uint16_t direction);

  // An image of values: of R8 or R16, which have one for a pixel, those of a column are its
  // channels.
  static void give_values(binding& b, net::shape s);

  // Whether the elements of a tensor of this shape are in its memory: all and no others, or the
  // channels of pixels, which may be fewer.
  static bool holds(const binding& b, net::shape s);

  static hw::precision precision_of(const emit::loadable_image::tensor& t);

  void check_place(const layer::surface& s, const emit::loadable_image::task& t) const;

  // The bytes that the loadable puts into the memory of an address, from there on.
  std::vector<std::uint8_t> content(const emit::loadable_image::task& t, std::int32_t index) const;

  // The version of the firmware's interface that a task's descriptors are of; 0.0.0 is unknown, and
  // taken for the newest. Those before 0.10 were never public.
  emit::loadable_version version_of(const emit::loadable_image::task& t) const;

  void add_task(std::size_t number);

  void decode_host(loaded_task& task, const emit::loadable_image::task& t) const;

  const emit::loadable_image& image_;
  std::vector<std::uint64_t> bases_;
  loaded_program out_;
};

}  // namespace detail

// Loads a program; one that cannot run on the product, or does not fit together, is an `error`. Its
// memory is that of a simulator, or of the device whose allocator is given.
loaded_program load(const emit::loadable_image& image, const hw::spec& spec,
                    const sim::settings& s = {});
loaded_program load(const emit::loadable_image& image, const hw::spec& spec,
                    const allocator& allocate);

}  // namespace nvdlac::runtime

#ifndef NVDLAC_COMPILED
#include <nvdlac/impl/runtime/loaded_program.ipp>
#endif
