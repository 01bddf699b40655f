// SPDX-License-Identifier: Apache-2.0
// The names of an image sequence's frames as one text: "shot/frame.%04d.exr", "frame.####.exr" or "frame.*.exr".
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

// Whether the last part of a path has a field for the frame's number: %d, %04d, a run of #, or a *.
// Behind a backslash these are letters of the name.
bool has_frame_field(std::string_view path);
// The path of the one file that a path without such a field means: \#, \* and \% are #, * and %.
std::string name_of_one_file(std::string_view path);

class FramePattern {
 public:
  // INVALID_ARGUMENT: no field or several, one in a folder's name, or more than 9 digits. %% stands for a percent sign, as \% does, \# for # and \* for *.
  static StatusOr<FramePattern> parse(std::string_view path);

  const std::string& folder() const { return folder_; }  // "" or with a slash at its end
  // The file name, without folder. `*` has no width of its own: no zeros are put in front.
  std::string name(int64_t frame) const;
  // The name of the frame that `other_name` is of the pattern `other`, as an output's for an input's. `*` takes the digits as they are there.
  std::string name_like(const FramePattern& other, std::string_view other_name) const;
  // The frame that a file name stands for: nullopt when it is none of the sequence's. `*` stands for any digits.
  std::optional<int64_t> frame_of(std::string_view file_name) const;

 private:
  // Between what stands before and behind the number; nothing: another name.
  std::optional<std::string_view> digits_in(std::string_view file_name) const;

  std::string folder_{};
  std::string before_{};
  std::string after_{};
  int width_ = 0;           // at least so many digits
  bool any_width_ = false;  // `*`
};

// The patterns of the sequences that these files are part of, in the order of their first files: those that differ only in the
// last number of their names, without extension, are one. Files without such a number, or alone with it, stay as they are, and so do
// names that no pattern could mean (with a # or * of their own).
std::vector<std::string> join_frames(const std::vector<std::string>& paths);

// "1-100" or "1-100x2": first and last frame, both meant, and the step.
struct FrameRange {
  int64_t first = 0;
  int64_t last = 0;
  int64_t step = 1;
};
StatusOr<FrameRange> parse_frame_range(std::string_view text);

struct FrameList {
  std::map<int64_t, std::string> files{};  // by frame: the file's name
  std::vector<int64_t> missing{};          // wanted and not there
};
// Which of a folder's files are the sequence's. Without a range: from its first to its last frame, every number meant.
// NOT_FOUND: not one. INVALID_ARGUMENT: more than kMaxSequenceFrames, or two files for a frame (frame.7.exr and frame.07.exr).
StatusOr<FrameList> list_frames(const FramePattern& pattern, std::span<const std::string> names,
                                const std::optional<FrameRange>& range);

// The same of an open folder. UNAVAILABLE: it cannot be read.
StatusOr<FrameList> list_frames(const FramePattern& pattern, int folder,
                                const std::optional<FrameRange>& range);

// OK when nothing is missing, else NOT_FOUND naming the frames ("3-5, 9") and the first file's name.
Status check_complete(const FramePattern& pattern, const FrameList& list);

// "3-5, 9, 12-14": rising numbers for people, at most `most` pieces and then how many more there are.
std::string describe_frames(std::span<const int64_t> frames, size_t most = 12);

}  // namespace weft::options
