// SPDX-License-Identifier: Apache-2.0
// Tests interlaced pictures in files with ffprobe: the declarations of encoders and containers, and
// the worker's note.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/media/write/muxer.h"
#include "server/media/write/output_check.h"
#include "tests/server/media/clips.h"

namespace weft::media {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

std::string transcode_interlaced(const TestFolder& folder, const std::string& input, const std::string& name,
                                 const std::string& encoder, ScanOrder order) {
  const auto segments = encode_segments(input, {.encoder = encoder}, 4, folder.path("s-" + name), {}, order);
  EXPECT_THAT(segments, IsOk()) << name;
  const std::string output = folder.path(name);
  EXPECT_THAT(finish_file(input, *segments, output, 9), IsOk()) << name;
  return output;
}

// Makes frames of two fields with lines of different times.
std::string make_interlaced(const TestFolder& folder, const std::string& size = "176x144") {
  return make_clip(folder, "in.mkv",
                   "-f lavfi -i testsrc2=size=" + size +
                       ":rate=50 -frames:v 9 -vf tinterlace=interleave_top -c:v ffv1 -pix_fmt yuv420p");
}

// Returns "interlaced, top field first" of each frame, as the ffmpeg program reads them.
std::vector<std::string> flags_of_frames(const std::string& path) {
  return ffprobe(path, "-select_streams v:0 -show_entries frame=interlaced_frame,top_field_first");
}

TEST(FieldsOfOutput, SaysOfFieldsWhatEncoderAndContainerCan) {
  const TestFolder folder;
  const std::string input = make_interlaced(folder);
  struct Case {
    const char* file;
    const char* encoder;
    bool frames_say;
    bool container_says;
  };
  for (const Case& test : {Case{"a.mkv", "x264", true, true}, Case{"b.mp4", "x264", true, true},
                           Case{"c.ts", "x264", true, false}, Case{"d.nut", "x264", true, false},
                           Case{"e.mkv", "ffv1", true, true}, Case{"f.avi", "ffv1", true, false},
                           Case{"g.y4m", "raw", true, true}, Case{"h.mov", "x265", false, true},
                           Case{"i.ts", "x265", false, false}, Case{"j.mkv", "svt-av1", false, true},
                           Case{"k.webm", "svt-av1", false, false}})
    for (const ScanOrder order : {ScanOrder::kProgressive, ScanOrder::kTopFirst, ScanOrder::kBottomFirst}) {
      const std::string output = transcode_interlaced(folder, input, test.file, test.encoder, order);
      const std::string flags = order == ScanOrder::kTopFirst ? "1,1" : "1,0";
      const bool interlaced = is_interlaced(order);
      EXPECT_EQ(flags_of_frames(output),
                std::vector<std::string>(9, interlaced && test.frames_say ? flags : "0,0"))
          << output;
      const bool is_said = test.container_says || (interlaced && test.frames_say);
      const auto probed = (*open_source(output))->info().video.field_order;
      if (is_said) {
        EXPECT_EQ(probed, order) << output;
      } else {
        EXPECT_THAT(probed, AnyOf(ScanOrder::kProgressive, ScanOrder::kUnknown)) << output;
      }
      const std::string note =
          fields_note(test.file, test.encoder, {.format = {176, 144}, .field_order = order});
      EXPECT_EQ(note.empty(), !interlaced || test.frames_say) << note;
      if (note.empty()) continue;
      EXPECT_THAT(note, HasSubstr(test.container_says ? "stands in the container" : "use the encoder x264"));
    }
}

// The encoder codes macroblocks of a field's lines and does not only set a flag, as its parameter
// sets show.
TEST(FieldsOfOutput, EncodesInterlacedPicturesAsSuch) {
  const TestFolder folder;
  const std::string input = make_interlaced(folder);
  const auto frame_macroblocks_only = [&](const std::string& output) {
    return run("ffmpeg -nostdin -v trace -i '" + output +
               "' -c copy -bsf:v trace_headers -f null - 2>&1 | grep frame_mbs_only_flag | head -1 | "
               "sed 's/.*= //'");
  };
  const auto make = [&](const std::string& name, ScanOrder order) {
    return transcode_interlaced(folder, input, name, "x264", order);
  };
  EXPECT_EQ(frame_macroblocks_only(make("a.mkv", ScanOrder::kBottomFirst)), "0\n");
  EXPECT_EQ(frame_macroblocks_only(make("b.mkv", ScanOrder::kProgressive)), "1\n");
}

// If a field would not have whole lines of chroma, the pictures are coded as frames.
TEST(FieldsOfOutput, EncodesWhatHasNoWholeFieldsAsFrames) {
  const TestFolder folder;
  const std::string input = make_interlaced(folder, "160x90");
  const std::string output = transcode_interlaced(folder, input, "out.mkv", "x264", ScanOrder::kTopFirst);
  EXPECT_EQ(flags_of_frames(output), std::vector<std::string>(9, "0,0"));
  EXPECT_EQ(ffprobe(output, "-show_entries stream=field_order"), std::vector<std::string>{"tb"});
  // The declaration in the frames of H.264 is used.
  EXPECT_EQ((*open_source(output))->info().video.field_order, ScanOrder::kProgressive);
  EXPECT_THAT(
      fields_note("out.mkv", "x264", {.format = {160, 90}, .field_order = ScanOrder::kTopFirst}),
      HasSubstr("x264 takes interlaced pictures of a multiple of 4 lines (90). That they are interlaced"));
  EXPECT_EQ(fields_note("out.mkv", "null", {.format = {160, 90}, .field_order = ScanOrder::kTopFirst}), "");
}

// Segments of frames and segments of fields cannot be joined.
TEST(FieldsOfOutput, RefusesSegmentsOfOtherFields) {
  const TestFolder folder;
  const std::string input = make_interlaced(folder);
  const auto frames = *encode_segments(input, {.encoder = "ffv1"}, 4, folder.path("a"));
  const auto fields =
      *encode_segments(input, {.encoder = "ffv1"}, 4, folder.path("b"), {}, ScanOrder::kTopFirst);
  EXPECT_THAT(finish_file(input, {frames[0], fields[1], frames[2]}, folder.path("out.mkv"), 9),
              StatusIs(StatusCode::kFailedPrecondition, "other settings"));
}

}  // namespace
}  // namespace weft::media
