// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <sstream>
#include <vector>

#include <nvdlac/base/version.hpp>

#include "cli.hpp"

namespace {

bool is_installed(const std::string& program) {
  const bool found = shell_in(".", "command -v " + program).code == 0;
  if (!found) MESSAGE(program << " is not installed: nothing is tried with it");
  return found;
}

std::vector<std::filesystem::path> pages_in(const std::filesystem::path& share) {
  std::vector<std::filesystem::path> pages;
  for (const auto& entry : std::filesystem::directory_iterator(share / "man" / "man1"))
    pages.push_back(entry.path());
  return pages;
}

// The completions that bash offers for the last of these words.
std::string offered(const std::string& words, int last) {
  const scratch folder;
  std::ofstream(folder.path / "net.onnx");
  const auto r = shell_in(
      folder.path, "bash -c 'source <(" NVDLAC_CLI " --completion bash) && COMP_WORDS=(nvdlac " +
                       words + ") COMP_CWORD=" + std::to_string(last) +
                       " && $(complete -p nvdlac | cut -d\" \" -f3) && echo \"${COMPREPLY[@]}\"'");
  CHECK(r.err == "");
  return r.out;
}

}  // namespace

TEST_CASE("--version tells the version, the compiler and the libraries") {
  const auto r = nvdlac_in(".", "--version");
  CHECK(r.code == 0);
  CHECK(r.out.starts_with("nvdlac " + std::string(nvdlac::version)));
  for (const char* part : {"compiled by ", "Boost 1.", "protobuf ", "FlatBuffers ", "CLI11 ",
                           "nlohmann_json ", "HDF5", "libarchive", "libwebp", "stb_image"})
    CHECK(r.says(part));
#ifdef NVDLAC_MPIEXEC
  CHECK(r.says("\nMPI: "));
#endif
  const auto found = nvdlac_in(".", "--version", "NVDLAC_DOT=/bin/sh NVDLAC_CHART_JS=/none ");
  CHECK(found.says("\nGraphviz in pages: /bin/sh\n"));
  CHECK(found.says("\npages without Chart.js: there is no /none\n"));
  CHECK(nvdlac_in(".", "--version >/dev/full #").code == 1);
}

TEST_CASE("the manual has a page for each command, which man takes without a warning") {
  const scratch share;
  REQUIRE(nvdlac_in(".", "--write-manual '" + share.path.string() + "'").code == 0);
  const auto pages = pages_in(share.path);
  CHECK(pages.size() >= 11);  // of nvdlac itself and each command
  for (const auto& page : pages) {
    CAPTURE(page.string());
    const auto text = content(page);
    CHECK(text.starts_with(".TH NVDLAC"));
    CHECK(text.find("\n.SH EXAMPLES\n") != text.npos);
  }
  const auto compile = content(share.path / "man/man1/nvdlac-compile.1");
  CHECK(compile.find("\\fB\\-c\\fR, \\fB\\-\\-config\\fR \\fINAME\\fR ...") != compile.npos);
  if (!is_installed("man") || !is_installed("groff")) return;
  for (const auto& page : pages) {
    const auto read = shell_in(".", "LC_ALL=C.UTF-8 MANROFFSEQ= man --warnings -l '" +
                                        page.string() + "'");
    CHECK(read.code == 0);
    CHECK(read.err == "");
    CHECK(read.says("EXAMPLES"));
  }
  CHECK(nvdlac_in(".", "--write-manual /dev/null/x").code == 1);
}

TEST_CASE("bash completes commands, options, and values from the definitions of the options") {
  CHECK(offered("ver", 1) == "verify\n");
  CHECK(offered("compile --calib", 2) == "--calibration\n");
  CHECK(offered("compile net.onnx --config nv_smal", 4).starts_with("nv_small"));
  CHECK(offered("compile net.onnx --config nv_small nv_smal", 5).starts_with("nv_small"));
  CHECK(offered("compile net.onnx --dump-format d", 4) == "dot\n");
  CHECK(offered("compile net.onnx --without fuse_rel", 4) == "fuse_relu\n");
  CHECK(offered("compile n", 2) == "net.onnx\n");
  CHECK(offered("compile --clock 1", 3) == "\n");  // a number that nobody can guess
  CHECK(offered("--completion z", 2) == "zsh\n");
}

TEST_CASE("zsh and fish take their completions, too") {
  for (const char* shell : {"zsh", "fish"}) {
    const auto r = nvdlac_in(".", std::string("--completion ") + shell);
    CHECK(r.code == 0);
    CHECK(r.says("nv_small"));
    if (is_installed(shell))
      CHECK(shell_in(".", std::string(NVDLAC_CLI " --completion ") + shell + " | " + shell +
                              (shell[0] == 'z' ? " -n" : " -n /dev/stdin")).err == "");
  }
  if (!is_installed("fish")) return;
  const auto offers = shell_in(".", "fish -c '" NVDLAC_CLI " --completion fish | source; "
                                    "complete -C \"nvdlac run --output-layout h\"'");
  CHECK(offers.out.starts_with("hardware"));
  CHECK(nvdlac_in(".", "--completion tcsh").code == 2);
}
