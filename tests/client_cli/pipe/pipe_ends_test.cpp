// SPDX-License-Identifier: Apache-2.0
// Tests the output end of a pipe.
#include "client_cli/pipe/pipe_ends.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

namespace weft::cli {
namespace {

TEST(PipeFile, AFileIsNotReplacedUnasked) {
  const std::string path = fmt::format("{}pipe_ends_out.{}.y4m", testing::TempDir(), ::getpid());
  std::filesystem::remove(path);
  EXPECT_THAT(PipeFile::open_output(path, false, "Pictures are").status(), IsOk());
  EXPECT_THAT(PipeFile::open_output(path, false, "Pictures are").status(),
              StatusIs(StatusCode::kAlreadyExists, "replace it with -y"));
  EXPECT_THAT(PipeFile::open_output(path, true, "Pictures are").status(), IsOk());
  std::filesystem::remove(path);
}

TEST(PipeFile, ADeviceIsWrittenTo) {
  EXPECT_THAT(PipeFile::open_output("/dev/null", false, "Pictures are").status(), IsOk());
}

}  // namespace
}  // namespace weft::cli
