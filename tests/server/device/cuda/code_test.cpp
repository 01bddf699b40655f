// SPDX-License-Identifier: Apache-2.0
// Tests the files of CUDA code: each kernel has one in a build with the toolkit, and code that is
// missing or of another build is refused. The program is a copy of this one in a folder of its own.
#include "server/device/cuda/code.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/lang/registry.h"

namespace weft::device::cuda {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class CudaCode : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "weft-cuda-code.XXXXXX").string();
    folder_ = ::mkdtemp(folder.data());
    fs::create_directories(folder_ / "bin");
    fs::create_directories(device());
    fs::copy_file(fs::read_symlink("/proc/self/exe"), folder_ / "bin/program");
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path device() const { return folder_ / "lib/weft/cuda/device"; }
  // Returns the output of CudaCodeOfThisProgram.SaysWhyNot in the copy.
  std::string reason() const {
    const std::string command =
        "'" + (folder_ / "bin/program").string() + "' --gtest_filter=CudaCodeOfThisProgram.SaysWhyNot 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += char(c);
    ::pclose(pipe);
    return text;
  }

  fs::path folder_;
};

TEST(CudaCodeOfThisProgram, SaysWhyNot) { std::puts(message_of(check_code()).c_str()); }

TEST(CudaCodeOfThisProgram, HasEachKernel) {
  if (!WEFT_HAS_CUDA_CODE) {
    EXPECT_THAT(check_code(), StatusIs(StatusCode::kNotFound, "weft-kernels-cuda"));
    GTEST_SKIP() << "This build has no CUDA toolkit.";
  }
  ASSERT_THAT(check_code(), IsOk());
  constexpr uint32_t kFatbinMagic = 0xBA55ED50;
  const auto check = [&](std::span<const kernels::KernelImage> family) {
    for (const kernels::KernelImage& image : family) {
      const auto code = read_code(image.name);
      ASSERT_THAT(code, IsOk());
      uint32_t magic = 0;
      ASSERT_GE(code->size(), sizeof magic);
      std::memcpy(&magic, code->data(), sizeof magic);
      EXPECT_EQ(magic, kFatbinMagic) << image.name;
    }
  };
  check(kernels::embedded_kernels());
  for (const std::string_view family : kernels::kernel_modules()) check(kernels::kernels_of(family));
  EXPECT_THAT(read_code("device/none"), StatusIs(StatusCode::kNotFound, "device/none"));
}

TEST_F(CudaCode, ThatIsMissingIsNamedWithTheRemedy) {
  EXPECT_THAT(reason(), HasSubstr("The CUDA code of the kernels of device is not there (" +
                                  device().string() + "); install the package weft-kernels-cuda"));
}

TEST_F(CudaCode, OfAnotherBuildIsRefused) {
  std::ofstream(device() / "stamp") << "0123456789abcdef";
  EXPECT_THAT(reason(), HasSubstr("is of another build than the program"));
  std::ofstream(device() / "stamp") << kernels::kernel_stamp();
  EXPECT_THAT(reason(), Not(HasSubstr("CUDA code")));
}

}  // namespace
}  // namespace weft::device::cuda
