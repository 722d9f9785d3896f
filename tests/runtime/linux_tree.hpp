// SPDX-License-Identifier: Apache-2.0
#pragma once
// A folder that stands for / of a board: files of sysfs, and usual files for the devices.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "scratch.hpp"

struct linux_tree {
  scratch folder{};

  // uio0 with one map of registers, and udmabuf0 of 1 MB that the caches are synced with.
  linux_tree() {
    add_uio("uio0", "nvdla");
    add_buffer("u-dma-buf", "udmabuf0", "0x0000000060000000", 1 << 20);
  }

  const std::filesystem::path& root() const { return folder.path; }
  std::filesystem::path sys(const std::string& file) const { return root() / "sys/class" / file; }

  void write(const std::filesystem::path& file, const std::string& content) const {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << content << '\n';
  }
  std::string read(const std::filesystem::path& file) const {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void add_device(const std::string& name, std::uintmax_t size) const {
    write(root() / "dev" / name, "");
    std::filesystem::resize_file(root() / "dev" / name, size);
  }
  void add_map(const std::string& device, int number, const std::string& address,
               const std::string& size, const std::string& offset = "0x0") const {
    const auto map = sys("uio/" + device + "/maps/map" + std::to_string(number));
    write(map / "addr", address);
    write(map / "size", size);
    write(map / "offset", offset);
    write(map / "name", "range" + std::to_string(number));
  }
  void add_uio(const std::string& device, const std::string& name) const {
    write(sys("uio/" + device + "/name"), name);
    add_map(device, 0, "0xa0000000", "0x20000");
    add_device(device, 0x40000);
  }
  void add_buffer(const std::string& driver, const std::string& device, const std::string& address,
                  std::uintmax_t size) const {
    const auto at = sys(driver + "/" + device);
    write(at / "phys_addr", address);
    write(at / "size", std::to_string(size));
    write(at / "sync_mode", "1");
    write(at / "sync_for_device", "0");
    write(at / "sync_for_cpu", "0");
    add_device(device, size);
  }
};
