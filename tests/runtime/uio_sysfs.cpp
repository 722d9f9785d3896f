// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/base/error.hpp>
#include <nvdlac/runtime/uio_sysfs.hpp>

#include "linux_tree.hpp"
#include "problem_of.hpp"

namespace runtime = nvdlac::runtime;

TEST_CASE("a UIO device is found by its number and by its name, with its maps in order") {
  const linux_tree linux;
  linux.add_uio("uio1", "axi-pmon");
  for (int i = 10; i > 0; --i) linux.add_map("uio1", i, "0xb0000000", "8192", "0x10");
  const auto nvdla = runtime::find_uio(linux.root(), "nvdla");
  CHECK(nvdla.device == "uio0");
  REQUIRE(nvdla.maps.size() == 1);
  CHECK(nvdla.maps[0].address == 0xa0000000);
  CHECK(nvdla.maps[0].size == 0x20000);
  CHECK(nvdla.maps[0].name == "range0");
  const auto other = runtime::find_uio(linux.root(), "uio1");
  CHECK(other.name == "axi-pmon");
  REQUIRE(other.maps.size() == 11);
  CHECK(other.maps[10].number == 10);
  CHECK(other.maps[10].size == 8192);
  CHECK(other.maps[10].offset == 0x10);
}

TEST_CASE("the error of a UIO device that is not there lists those that are") {
  const linux_tree linux;
  linux.add_uio("uio1", "nvdla");
  auto p = problem_of([&] { runtime::find_uio(linux.root(), "uio7"); });
  CHECK(has(p.file, "sys/class/uio"));
  CHECK(has(p.reason, "no UIO device 'uio7': there are uio0 (nvdla), uio1 (nvdla)"));
  p = problem_of([&] { runtime::find_uio(linux.root(), "nvdla"); });
  CHECK(has(p.reason, "several UIO devices have the name 'nvdla'"));
  CHECK(has(p.remedy, "uio0, uio1"));
  const scratch empty;
  p = problem_of([&] { runtime::find_uio(empty.path, "uio0"); });
  CHECK(has(p.reason, "there is none"));
  CHECK(has(p.remedy, "of_id=generic-uio"));
}

TEST_CASE("nonsense in sysfs is an error that names the file") {
  const linux_tree linux;
  const auto size = linux.sys("uio/uio0/maps/map0/size");
  for (const char* content : {"", "many", "0x", "12 34", "-1", "0x12345678901234567"}) {
    linux.write(size, content);
    const auto p = problem_of([&] { runtime::find_uio(linux.root(), "uio0"); });
    CHECK_MESSAGE(has(p.reason, "not a number"), content);
    CHECK(p.file == size.string());
  }
  std::filesystem::remove(size);
  CHECK(has(problem_of([&] { runtime::find_uio(linux.root(), "uio0"); }).reason, "no such file"));
  std::filesystem::create_directory(size);
  CHECK(has(problem_of([&] { runtime::find_uio(linux.root(), "uio0"); }).reason, "cannot be read"));
}

TEST_CASE("a buffer of u-dma-buf is found, of either driver's name") {
  const linux_tree linux;
  auto b = runtime::find_dma_buffer(linux.root(), {});
  CHECK(b.device == "udmabuf0");
  CHECK(b.address == 0x60000000);
  CHECK(b.size == 1 << 20);
  CHECK(b.cached);
  CHECK_FALSE(b.coherent);
  linux.write(linux.sys("u-dma-buf/udmabuf0/sync_mode"), "5");
  linux.write(linux.sys("u-dma-buf/udmabuf0/dma_coherent"), "1");
  b = runtime::find_dma_buffer(linux.root(), "udmabuf0");
  CHECK_FALSE(b.cached);
  CHECK(b.coherent);

  linux.add_buffer("u-dma-buf", "nvdla-pool", "0x70000000", 4096);
  CHECK(runtime::find_dma_buffer(linux.root(), {}).device == "udmabuf0");
  CHECK(runtime::find_dma_buffer(linux.root(), "nvdla-pool").address == 0x70000000);
  const auto p = problem_of([&] { runtime::find_dma_buffer(linux.root(), "udmabuf1"); });
  CHECK(has(p.reason, "no buffer 'udmabuf1' of u-dma-buf"));
  CHECK(has(p.reason, "udmabuf0"));

  std::filesystem::remove_all(linux.sys("u-dma-buf"));
  CHECK(has(problem_of([&] { runtime::find_dma_buffer(linux.root(), {}); }).remedy, "modprobe"));
  linux.add_buffer("udmabuf", "udmabuf4", "0x1e900000", 8192);
  CHECK(runtime::find_dma_buffer(linux.root(), {}).device == "udmabuf4");
}
