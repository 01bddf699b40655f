// SPDX-License-Identifier: Apache-2.0
// The text of a chain, one level of quoting at a time, as FFmpeg reads it (av_get_token): a backslash takes the next
// character as it is, single quotes take everything between them as it is, white space around a token does not count.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::options {

// A text of which each byte knows its place in the chain as it was typed, whatever levels of quoting were taken off.
struct LocatedText {
  std::string text;
  std::vector<size_t> places;  // one more than the text has bytes: the last is that of the end

  static LocatedText of(std::string_view text);
};

// What is wrong, and where in the chain as it was typed.
struct Mistake {
  size_t place = 0;
  std::string what;
};

// Reads tokens of a text from its front.
class TokenReader {
 public:
  explicit TokenReader(const LocatedText& source) : source_(source) {}

  bool at_end() const { return at_ == source_.text.size(); }
  char next() const { return source_.text[at_]; }       // not at the end
  size_t place() const { return source_.places[at_]; }  // of the next byte
  void skip() { at_++; }                                // the next byte
  void skip_space();

  // What comes up to one of `ends` or to the end, unquoted.
  LocatedText take(std::string_view ends);
  // The word before an equals sign, which is taken as well; nothing where no such word is next.
  std::optional<LocatedText> take_key();

  // The first quote that is not closed, or backslash that escapes nothing.
  const std::optional<Mistake>& mistake() const { return mistake_; }

 private:
  void take_quoted(LocatedText& token);

  const LocatedText& source_;
  size_t at_ = 0;
  std::optional<Mistake> mistake_;
};

// The shortest text that take() reads as `text` where `specials` end tokens; of equally short ones one with quotes.
std::string protect(std::string_view text, std::string_view specials);

// The mistake in a sentence, below it the text and a line with `^` below the place.
std::string show_mistake(std::string_view text, const Mistake& mistake);

}  // namespace weft::options
