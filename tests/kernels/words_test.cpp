// SPDX-License-Identifier: Apache-2.0
// Tests lang.h as a dictionary: each section has the same words in the same order, and the README
// has all of them.
#include <fstream>
#include <regex>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::kernels {
namespace {

using testing::Contains;
using testing::IsEmpty;

std::string read(const std::string& path) {
  const std::ifstream file(std::string(WEFT_SOURCE_FOLDER) + "/kernels/" + path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    const std::string word = (*match)[1];
    const bool is_internal =
        word.starts_with("WEFT_") || word.starts_with("weft_") || word == "KERNELS_LANG_LANG_H";
    if (!is_internal && !testing::Value(found, Contains(word))) found.push_back(word);
  }
  return found;
}

// Returns the texts between the "// ---- target ----" lines.
std::vector<std::string> sections() {
  const std::string text = read("lang/lang.h");
  const std::regex divider("\n// ---- [^\n]* ----\n");
  return {std::sregex_token_iterator(text.begin(), text.end(), divider, -1), std::sregex_token_iterator()};
}

std::vector<std::string> macros_of(const std::string& section) {
  return matches(section, std::regex("\n#define ([A-Z][A-Z_]+)"));
}

// Returns the functions of the language from all files that define them.
std::vector<std::string> functions() {
  std::string text;
  for (const char* file : {"lang/lang.h", "lang/glsl_words.h", "lang/words.h"}) text += read(file);
  return matches(text, std::regex("\nFN [a-z0-9]+ ([a-z_0-9]+)\\("));
}

TEST(WordsTest, EverySectionHasTheSameWordsInTheSameOrder) {
  const std::vector<std::string> texts = sections();
  ASSERT_EQ(texts.size(), 4u);  // the text before the first section, then glslc, nvcc, g++
  const std::vector<std::string> words = macros_of(texts[1]);
  EXPECT_GT(words.size(), 25u);
  EXPECT_EQ(macros_of(texts[2]), words);
  EXPECT_EQ(macros_of(texts[3]), words);
}

TEST(WordsTest, TheReadmeTeachesEveryWord) {
  const std::string readme = read("README.md");
  std::vector<std::string> missing;
  std::vector<std::string> words = macros_of(sections()[1]);
  for (const std::string& function : functions()) words.push_back(function);
  EXPECT_GT(words.size(), 50u);
  for (const std::string& word : words)
    if (!std::regex_search(readme, std::regex("[`( ]" + word + "\\b"))) missing.push_back(word);
  EXPECT_THAT(missing, IsEmpty());
}

}  // namespace
}  // namespace weft::kernels
