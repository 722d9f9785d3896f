// SPDX-License-Identifier: Apache-2.0
// A board whose NVDLA is a simulator at the other end of standard input and output. It links
// nothing, so that what runs in an emulator is what would run on the bare metal.
#include "board.hpp"
#include "firmware.hpp"
#include "linux.hpp"
#include "wire.hpp"

namespace {

[[noreturn]] void stop(int code) {
  while (true) call(call_exit, code, nullptr, 0);
}

// All of it, or the end of the program.
void transfer(system_call what, long file, const void* bytes, std::size_t size) {
  for (auto* at = static_cast<const char*>(bytes); size > 0;) {
    const long done = call(what, file, at, static_cast<long>(size));
    if (done <= 0) stop(1);
    at += done;
    size -= static_cast<std::size_t>(done);
  }
}
void send(const void* bytes, std::size_t size) { transfer(call_write, 1, bytes, size); }
void send(const request& r) { send(&r, sizeof r); }
void receive(void* bytes, std::size_t size) { transfer(call_read, 0, bytes, size); }

bool take_picture(std::uint8_t* to, std::size_t size) {
  send({request_kind::picture, static_cast<std::uint32_t>(size)});
  char more = 0;
  receive(&more, 1);
  if (more != 0) receive(to, size);
  return more != 0;
}

}  // namespace

extern "C" {

void nvdla_write(std::uint32_t address, std::uint32_t value) {
  send({request_kind::write, value, address});
}
std::uint32_t nvdla_read(std::uint32_t address) {
  send({request_kind::read, 0, address});
  std::uint32_t value = 0;
  receive(&value, sizeof value);
  return value;
}
void nvdla_reset() { send({request_kind::reset}); }
std::uint32_t nvdla_wait(std::uint32_t address, std::uint32_t bits) {
  send({request_kind::wait, bits, address});
  receive(&bits, sizeof bits);
  return bits;
}
std::uint64_t memory_base() {
  send({request_kind::memory_base});
  std::uint64_t base = 0;
  receive(&base, sizeof base);
  return base;
}
void memory_write(std::uint64_t address, const void* from, std::size_t bytes) {
  send({request_kind::memory_write, static_cast<std::uint32_t>(bytes), address});
  send(from, bytes);
}
void memory_read(std::uint64_t address, void* to, std::size_t bytes) {
  send({request_kind::memory_read, static_cast<std::uint32_t>(bytes), address});
  receive(to, bytes);
}

[[noreturn]] void start() {
  static std::uint8_t picture[28 * 28];
  std::int8_t probabilities[10];
  load_weights();
  while (take_picture(picture, sizeof picture)) {
    if (!classify(picture, probabilities)) stop(2);
    send({request_kind::result, sizeof probabilities});
    send(probabilities, sizeof probabilities);
  }
  stop(0);
}

}  // extern "C"
