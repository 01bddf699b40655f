// SPDX-License-Identifier: Apache-2.0
// Reads and writes the text of a chain, one level of quoting at a time, as FFmpeg does
// (av_get_token). A backslash escapes the next character; single quotes enclose literal text; white
// space around a token is ignored.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::options {

// An unquoted text with the position of each byte in the original text of the chain.
struct LocatedText {
  std::string text;
  std::vector<size_t> positions;  // one position per byte, and the position of the end

  static LocatedText of(std::string_view text);
};

// An error and its position in the original text of the chain.
struct Mistake {
  size_t position = 0;
  std::string what;
};

// Reads tokens of a text from its front.
class TokenReader {
 public:
  explicit TokenReader(const LocatedText& source) : source_(source) {}

  bool at_end() const { return at_ == source_.text.size(); }
  char next() const { return source_.text[at_]; }             // undefined at the end
  size_t position() const { return source_.positions[at_]; }  // position of the next byte
  void skip() { at_++; }                                      // skips one byte
  void skip_space();

  // Returns the unquoted text up to one of `ends` or to the end.
  LocatedText take(std::string_view ends);
  // Reads a word and the equals sign after it. Returns the word, or nullopt without reading if no
  // such word follows.
  std::optional<LocatedText> take_key();

  // Returns the first unclosed quote, or the first backslash at the end of the text, or nullopt.
  const std::optional<Mistake>& mistake() const { return mistake_; }

 private:
  void take_quoted(LocatedText& token);

  const LocatedText& source_;
  size_t at_ = 0;
  std::optional<Mistake> mistake_;
};

// Returns the shortest text that take() reads as `text` if `specials` end a token. Among texts of
// equal length it prefers one with quotes.
std::string protect(std::string_view text, std::string_view specials);

// Returns the mistake as a sentence, followed by the text and a line with `^` below the position.
std::string show_mistake(std::string_view text, const Mistake& mistake);

}  // namespace weft::options
