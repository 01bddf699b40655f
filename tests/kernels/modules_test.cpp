// SPDX-License-Identifier: Apache-2.0
// Tests errors of a program with a module of kernels that is missing, damaged or of another build.
// The program is a copy of this one in a folder without modules.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "kernels/lang/registry.h"

namespace weft::kernels {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class ModulesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "weft-modules.XXXXXX").string();
    folder_ = ::mkdtemp(folder.data());
    fs::create_directories(folder_ / "bin");
    fs::create_directories(folder_ / "lib/weft");
    const fs::path program = fs::read_symlink("/proc/self/exe");
    modules_ = program.parent_path().parent_path() / "lib/weft";
    fs::copy_file(program, folder_ / "bin/program");
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Returns the copy's errors about its modules, or an empty string if each of them opens.
  std::string say() const {
    const std::string command = "GTEST_OUTPUT= '" + (folder_ / "bin/program").string() +
                                "' --gtest_filter=ModulesOf.ThisProgramOpen 2>&1";
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::string text;
    for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += char(c);
    return ::pclose(pipe) == 0 ? "" : text;
  }
  fs::path module(std::string_view family) const {
    return folder_ / "lib/weft" / ("weft-kernels-" + std::string(family) + ".so");
  }
  void copy_modules() const { fs::copy(modules_, folder_ / "lib/weft", fs::copy_options::recursive); }

  fs::path folder_, modules_;
};

TEST(ModulesOf, ThisProgramOpen) {
  for (const std::string_view family : kernel_modules()) {
    EXPECT_FALSE(kernels_of(family).empty());
    EXPECT_EQ(why_not_opened(family), "");
  }
  EXPECT_TRUE(kernels_of("nothing").empty());
  EXPECT_EQ(why_not_opened("nothing"), "");
}

TEST_F(ModulesTest, AreFoundBesideTheProgram) {
  copy_modules();
  EXPECT_EQ(say(), "");
}

TEST_F(ModulesTest, ThatAreMissingAreNamedWithTheRemedy) {
  copy_modules();
  fs::remove(module("bloom"));
  EXPECT_THAT(say(), HasSubstr("The kernels of bloom are not there (" + module("bloom").string() +
                               "); build them with `scripts/build bloom_kernels`"));
  EXPECT_THAT(say(), Not(HasSubstr("The kernels of test")));
}

TEST_F(ModulesTest, ThatAreDamagedAreRefused) {
  copy_modules();
  std::ofstream(module("bloom")) << "no shared object";
  EXPECT_THAT(say(), HasSubstr("The kernels of bloom cannot be opened"));
}

TEST_F(ModulesTest, OfAnotherBuildAreRefused) {
  copy_modules();
  std::ifstream file(module("bench"), std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(file)), {});
  const size_t stamp = bytes.find(kernel_stamp());
  ASSERT_NE(stamp, std::string::npos);
  bytes[stamp] = bytes[stamp] == '0' ? '1' : '0';
  std::ofstream(module("bench"), std::ios::binary) << bytes;
  EXPECT_THAT(say(), HasSubstr("The kernels of bench are of another build than the program"));
}

}  // namespace
}  // namespace weft::kernels
