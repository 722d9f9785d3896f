// SPDX-License-Identifier: Apache-2.0
#include "versions.hpp"

#include <array>

#include <CLI/CLI.hpp>
#include <boost/version.hpp>
#include <flatbuffers/base.h>
#include <google/protobuf/stubs/common.h>
#include <nlohmann/json.hpp>
#ifdef NVDLAC_KERAS
#include <hdf5.h>
#endif
#if defined(NVDLAC_KERAS) || defined(NVDLAC_PYTORCH)
#include <archive.h>
#endif
#ifdef NVDLAC_MPI
#include <mpi.h>
#endif
#ifdef NVDLAC_WEBP
#include <webp/decode.h>
#endif

#include <nvdlac/base/error.hpp>
#include <nvdlac/base/version.hpp>

#include "page.hpp"

namespace nvdlac::cli {
namespace {

#ifdef __clang__
constexpr auto compiler = "clang " __clang_version__;
#elif defined(__GNUC__)
constexpr auto compiler = "g++ " __VERSION__;
#else
constexpr auto compiler = "an unknown compiler";
#endif

}  // namespace

std::string versions() {
  const auto from = commit();
  auto out = text("nvdlac ", version, from.empty() ? "" : " (", from, from.empty() ? "" : ")",
                  "\ncompiled by ", compiler, "\nBoost ", BOOST_VERSION / 100000, '.',
                  BOOST_VERSION / 100 % 1000, '.', BOOST_VERSION % 100, "\nCLI11 ", CLI11_VERSION,
                  "\nFlatBuffers ", FLATBUFFERS_VERSION_MAJOR, '.', FLATBUFFERS_VERSION_MINOR, '.',
                  FLATBUFFERS_VERSION_REVISION, "\nnlohmann_json ", NLOHMANN_JSON_VERSION_MAJOR,
                  '.', NLOHMANN_JSON_VERSION_MINOR, '.', NLOHMANN_JSON_VERSION_PATCH,
                  "\nprotobuf ",
                  google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION));
#ifdef NVDLAC_KERAS
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  out += text("\nHDF5 ", major, '.', minor, '.', release);
#else
  out += "\nwithout HDF5 and Keras' files";
#endif
#if defined(NVDLAC_KERAS) || defined(NVDLAC_PYTORCH)
  out += text('\n', archive_version_string());
#else
  out += "\nwithout libarchive and PyTorch's files";
#endif
#ifdef NVDLAC_MPI
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> mpi{};
  int length = 0;
  MPI_Get_library_version(mpi.data(), &length);  // may be called before MPI_Init
  const std::string said(mpi.data());
  out += "\nMPI: " + said.substr(0, said.find_first_of(",\n"));
#else
  out += "\nwithout MPI: sweep and verify work on one machine";
#endif
#ifdef NVDLAC_WEBP
  const auto webp = WebPGetDecoderVersion();
  out += text("\nlibwebp ", webp >> 16, '.', webp >> 8 & 255, '.', webp & 255);
#else
  out += "\nwithout libwebp";
#endif
  return out + "\nstb_image, which has no number" + embedded_in_pages();
}

}  // namespace nvdlac::cli
