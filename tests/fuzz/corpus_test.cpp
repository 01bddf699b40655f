// SPDX-License-Identifier: Apache-2.0
// Parses all files of the corpora, so that an input that once failed is tried in every build.
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "tests/fuzz/targets.h"

namespace weft::fuzz {
namespace {

TEST(Corpus, EachInputIsParsed) {
  for (const Target& target : targets()) {
    int inputs = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::filesystem::path(WEFT_CORPUS) / target.name)) {
      SCOPED_TRACE(entry.path().string());
      std::ifstream file(entry.path(), std::ios::binary);
      target.parse(std::string(std::istreambuf_iterator<char>(file), {}));
      inputs++;
    }
    EXPECT_GT(inputs, 0) << target.name;
  }
}

}  // namespace
}  // namespace weft::fuzz
