// SPDX-License-Identifier: Apache-2.0
// Names the frames of an image sequence by one text: "shot/frame.%04d.exr", "frame.####.exr" or
// "frame.*.exr".
//
//   ASSIGN_OR_RETURN(const FramePattern pattern, FramePattern::parse("shot/frame.%04d.exr"));
//   ASSIGN_OR_RETURN(const FrameList list, list_frames(pattern, names_in_folder, range));
//   output.name(list.frames[0])
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace weft::options {

inline constexpr int kMaxFrameDigits = 9;
inline constexpr int64_t kMaxSequenceFrames = 1'000'000;

// Returns true if the last part of a path has a field for the frame number: %d, %04d, a run of #,
// or a *. An escaped character (\#) is literal.
bool has_frame_field(std::string_view path);
// Returns the path of a single file with escapes removed: \#, \* and \% become #, * and %. `path`
// must have no frame field.
std::string name_of_one_file(std::string_view path);

class FramePattern {
 public:
  // Parses a path. INVALID_ARGUMENT: no frame field or several, a field in a folder's name, or more
  // than 9 digits. %% and \% stand for a percent sign, \# for # and \* for *.
  static StatusOr<FramePattern> parse(std::string_view path);

  const std::string& folder() const { return folder_; }  // empty, or with a slash at its end
  // Returns the file name of a frame, without folder. A `*` pattern adds no leading zeros.
  std::string name(int64_t frame) const;
  // Returns the name in this pattern of the frame that has `other_name` in the pattern `other`; it
  // turns the name of an input into that of an output. A `*` keeps the digits of `other_name`,
  // leading zeros included.
  std::string name_like(const FramePattern& other, std::string_view other_name) const;
  // Returns the frame number in a file name, or nullopt if the name does not match the pattern. A
  // `*` matches any number of digits.
  std::optional<int64_t> frame_of(std::string_view file_name) const;

 private:
  // Returns the part of the name that stands for the frame number, or nullopt if the name does not
  // match the pattern.
  std::optional<std::string_view> digits_in(std::string_view file_name) const;

  std::string folder_{};
  std::string before_{};
  std::string after_{};
  int width_ = 0;           // minimum number of digits
  bool any_width_ = false;  // true for a `*` field
};

// Groups files into sequences and returns the pattern of each, in the order of their first files.
// Files form a sequence if their names differ only in their last number before the extension. The
// path of a file that belongs to no sequence is returned unchanged, and so is a path with a #, * or
// %.
std::vector<std::string> join_frames(const std::vector<std::string>& paths);

// A range of frames such as "1-100" or "1-100x2": first and last frame, both included, and the
// step.
struct FrameRange {
  int64_t first = 0;
  int64_t last = 0;
  int64_t step = 1;
};
StatusOr<FrameRange> parse_frame_range(std::string_view text);

struct FrameList {
  std::map<int64_t, std::string> files{};  // file names by frame number
  std::vector<int64_t> missing{};          // frame numbers in the range that have no file
};
// Returns the files of the sequence among the names of a folder. Without a range, the list covers
// every number from the first to the last frame found. NOT_FOUND: no frame was found.
// INVALID_ARGUMENT: more than kMaxSequenceFrames, or two files for one frame (frame.7.exr and
// frame.07.exr).
StatusOr<FrameList> list_frames(const FramePattern& pattern, std::span<const std::string> names,
                                const std::optional<FrameRange>& range);

// Lists the frames of an open folder in the same way. UNAVAILABLE: the folder cannot be read.
StatusOr<FrameList> list_frames(const FramePattern& pattern, int folder,
                                const std::optional<FrameRange>& range);

// Returns OK if no frame is missing, else NOT_FOUND with the missing frames ("3-5, 9") and the
// first file's name in the message.
Status check_complete(const FramePattern& pattern, const FrameList& list);

// Returns rising numbers as text for messages: "3-5, 9, 12-14". After `most` pieces the text ends
// with the number of further frames.
std::string describe_frames(std::span<const int64_t> frames, size_t most = 12);

}  // namespace weft::options
