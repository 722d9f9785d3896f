// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <nvdlac/emit/loadable.hpp>
#include <nvdlac/emit/loadable_bytes.hpp>
#include <nvdlac/emit/loadable_reader.hpp>
#include <nvdlac/hw/configurations/nv_small.hpp>

#include "emit/example.hpp"

using namespace nvdlac;

TEST_CASE("a loadable comes back as it was written") {
  const auto program = example::digits<nv_small>();
  const auto lists = emit::loadable_lists(program);
  const auto bytes = emit::write_loadable(lists);
  CHECK(emit::read_loadable(bytes) == lists);
  CHECK(bytes == emit::loadable(program));
  CHECK(bytes == emit::loadable_bytes(program, "nv_small", nv_small::spec));
  auto patched = lists;
  patched.relocations = {{3, 8, 116, 1, 4, 1}, {3, 8, 120, 1, 4, 2}};
  CHECK(emit::read_loadable(emit::write_loadable(patched)) == patched);
  CHECK(std::string(bytes.begin() + 4, bytes.begin() + 8) == "NVDA");
}

// The public compiler's FlatBuffers aligns 64-bit fields from the end of the file only.
TEST_CASE("a loadable whose 64-bit fields are at odd multiples of 4 is read") {
  const auto lists = emit::loadable_lists(example::digits<nv_small>());
  auto bytes = emit::write_loadable(lists);
  REQUIRE(bytes[0] < 252);
  std::vector<std::uint8_t> moved{static_cast<std::uint8_t>(bytes[0] + 4), bytes[1], bytes[2],
                                  bytes[3]};
  moved.insert(moved.end(), bytes.begin(), bytes.end());
  CHECK(emit::read_loadable(moved) == lists);
  for (std::size_t size = 0; size < moved.size(); size += 97)
    CHECK_THROWS_AS(emit::read_loadable(std::span(moved).first(size)), error);
}

TEST_CASE("memories, addresses and tasks as the public compiler orders them") {
  const auto image = emit::loadable_lists(example::digits<nv_small>());
  REQUIRE(image.memories.size() == 5 + 2 * 6);
  CHECK(image.memories[0].flags == 1);
  CHECK(image.memories[1].flags == 3);
  CHECK(image.memories[1].contents == std::vector<label>{label("weights")});
  CHECK(image.memories[2].flags == 1);
  CHECK(image.memories[3].flags == 5);
  CHECK(image.memories[4].flags == 9);
  CHECK(image.memories[4].bind_id == 0);
  CHECK(image.memories[4].tensor_desc_id == 1);
  REQUIRE(image.addresses.size() == 5 + 2 * 6);
  REQUIRE(image.tasks.size() == 2);
  CHECK(image.tasks[0].interface == 1);
  CHECK(image.tasks[1].interface == 2);
  CHECK(image.tasks[0].addresses == std::vector<std::uint16_t>{5, 1, 2, 3, 4, 6, 7, 8, 9, 10});
  CHECK(image.tasks[1].addresses == std::vector<std::uint16_t>{11, 1, 2, 3, 4, 12, 13, 14, 15, 16});
  CHECK(image.tasks[1].pre_actions == std::vector<std::uint16_t>{1});
  CHECK(image.tasks[1].post_actions == std::vector<std::uint16_t>{2});
  CHECK(image.events[1].val == 1);
  CHECK(image.events[2].val == 2);
  CHECK(image.submissions.size() == 2);

  const auto* network = image.find("task-0-addr0");
  REQUIRE(network != nullptr);
  const auto n = emit::read_record<emit::firmware::network>(network->data, 0, 40);
  CHECK(n.dependency_graph == 5);
  CHECK(n.operation_desc == 6);
  CHECK(n.op_head == std::array<std::int16_t, 6>{-1, 0, 1, 2, -1, -1});
  CHECK(n.num_operations == 5);
  CHECK(n.num_addresses == 10);
  CHECK(image.find("task-0-dep_graph")->data.size() == 5 * 36);
  CHECK(image.find("task-0-lut_list")->data.size() == 700);
  CHECK(image.find("task-1-op_buf_list")->data.size() == 512);
}

TEST_CASE("tensor descriptions, and no relocations") {
  const auto image = emit::loadable_lists(example::digits<nv_small>());
  REQUIRE(image.tensors.size() == 2);
  CHECK(image.tensors[0].name == "data");
  CHECK(image.tensors[0].pixel_format == 37);
  CHECK(image.tensors[0].data_type == 4);
  CHECK(image.tensors[0].size == 6 * 6 * 8);
  CHECK(image.tensors[0].stride[1] == 48);
  CHECK(image.tensors[0].stride[2] == 288);
  CHECK(image.tensors[1].c == 10);
  // The public runtime would write beyond the descriptors.
  CHECK(image.relocations.empty());
}

TEST_CASE("notes hold what the schema has no place for") {
  auto program = example::digits<nv_small>();
  program.inputs[0].pixels = quantised::pixels{{1, 2, 3, 0}, {0, 77, 7}};
  program.inputs[0].preprocessing = net::preprocessing{{1, 2, 0.1}, {3}, net::channel_order::bgr};
  const auto image = emit::loadable_lists(program);
  for (const auto& m : image.memories)
    for (const auto& c : m.contents) CHECK(!(c == emit::notes_name));
  const auto notes = emit::read_loadable(emit::write_loadable(image)).notes;
  CHECK(notes == image.notes);
  CHECK(notes.network == "example");
  CHECK(notes.hardware == "nv_small");
  CHECK(notes.inputs.at(0).scale == 0.5);
  CHECK(notes.inputs.at(0).pixels->cvt == converter{0, 77, 7});
  CHECK(notes.inputs.at(0).preprocessing == program.inputs[0].preprocessing);
  CHECK(!notes.outputs.at(0).preprocessing);
  CHECK(notes.outputs.at(0).scale == 1.0 / 127);
  CHECK(notes.layers.at(0).at(2) == "pool1");
}

TEST_CASE("lists that do not fit each other are refused") {
  const auto good = emit::loadable_lists(example::digits<nv_small>());
  const auto reason = [&](auto&& change) {
    auto image = good;
    change(image);
    try {
      emit::read_loadable(emit::write_loadable(image), "x.nvdla");
    } catch (const error& e) {
      return std::string(e.what());
    }
    return std::string();
  };
  CHECK(reason([](auto&) {}) == "");
  CHECK(reason([](auto& i) { i.memories[1].contents[0] = label("tb-99"); }).find("tb-99") !=
        std::string::npos);
  CHECK(reason([](auto& i) { i.memories[1].offsets[0] = ~0ull; }).find("does not fit") !=
        std::string::npos);
  CHECK(reason([](auto& i) { i.memories[4].bind_id = 1; }).find("numbered") != std::string::npos);
  CHECK(reason([](auto& i) { i.addresses[2].memory = 99; }).find("address 2") !=
        std::string::npos);
  CHECK(reason([](auto& i) { i.tasks[0].addresses[3] = 99; }).find("task 0") != std::string::npos);
  CHECK(reason([](auto& i) { i.submissions.clear(); }).find("x.nvdla: ") == 0);
  CHECK(reason([](auto& i) { i.blobs.push_back(i.blobs[0]); }).find("two blobs") !=
        std::string::npos);
}

TEST_CASE("more inputs and outputs than a task has addresses for are refused with what helps") {
  const auto with_outputs = [](std::size_t n) {
    auto program = example::digits<nv_small>();
    while (program.outputs.size() < n) {
      auto more = program.outputs[0];
      more.surface.at.buffer = static_cast<std::int32_t>(program.buffers.size());
      program.buffers.push_back(
          program.buffers[static_cast<std::size_t>(program.outputs[0].surface.at.buffer)]);
      program.outputs.push_back(std::move(more));
    }
    return program;
  };
  // Beside them weights, features and six addresses of the task itself.
  const auto most = emit::most_addresses - 2 - 6 - 1;
  CHECK_NOTHROW(emit::check_loadable(emit::loadable_lists(with_outputs(most))));
  try {
    emit::loadable_lists(with_outputs(most + 1));
    FAIL("nothing is refused");
  } catch (const error& e) {
    const std::string said = e.what();
    CHECK(said.find("its 1 input and 6136 outputs") == 0);
    CHECK(said.find("6145 addresses in a task of the loadable") != said.npos);
    CHECK(said.find("the public runtime takes 6144 (fewer of them") != said.npos);
  }
}

TEST_CASE("corrupt files are refused and never read past") {
  const auto bytes = emit::loadable(example::digits<nv_small>());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < 200; ++i) {
    const auto n = bytes.size() * i / 200;
    // An exact allocation, so that a sanitizer sees any read past its end.
    const std::vector<std::uint8_t> cut(bytes.begin(), bytes.begin() + static_cast<long>(n));
    CHECK_THROWS_AS(emit::read_loadable(cut), error);
  }
  std::mt19937 random(5);
  for (int i = 0; i < 2000; ++i) {
    auto damaged = bytes;
    for (int flips = 1 + i % 3; flips-- > 0;)
      damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
    try {
      emit::read_loadable(damaged);
    } catch (const error&) {
      ++refused;
    }
  }
  CHECK(refused > 100);
}
