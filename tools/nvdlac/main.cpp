// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

int main(int count, char** arguments) {
  return nvdlac::cli::run(count, arguments, nvdlac::cli::targets());
}
