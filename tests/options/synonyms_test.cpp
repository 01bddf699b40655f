// SPDX-License-Identifier: Apache-2.0
#include "options/synonyms.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/chain.h"
#include "options/option.h"
#include "weft/v1/image.pb.h"
#include "weft/v1/video.pb.h"

namespace weft::options {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const google::protobuf::FieldDescriptor& video_chain() {
  return *v1::VideoJob::descriptor()->FindFieldByName("filters");
}

Status read_chain(std::string_view text) {
  v1::VideoJob job;
  return parse_chain(text, job, video_chain());
}

std::string complaint_of(std::string_view text) { return std::string(message_of(read_chain(text))); }

// The suggestion contains the values that were given.
TEST(Synonyms, OfFiltersAreSuggestedExactly) {
  const std::pair<const char*, const char*> cases[] = {
      {"scale=1280:720", "There is no filter 'scale'; did you mean 'resize=1280x720'?"},
      {"scale=w=1280:h=-2", "did you mean 'resize=1280x-2'?"},
      {"scale=1280:720:flags=lanczos", "did you mean 'resize=1280x720:kernel=lanczos3'?"},
      {"scale=iw/2:ih/2", "did you mean 'resize=WIDTHxHEIGHT'?"},
      {"SCALE", "did you mean 'resize=WIDTHxHEIGHT'?"},
      {"hflip", "did you mean 'transpose=hflip'?"},
      {"vflip", "did you mean 'transpose=vflip'?"},
      {"rotate=PI/2", "did you mean 'transpose=clock'? It turns by multiples of 90 degrees."},
      {"yadif=mode=send_frame", "Did you mean 'yadif=rate=frame'?"},
      {"yadif=1:-1:0", "Did you mean 'yadif=rate=field:parity=auto:frames=all'?"},
      {"bwdif=mode=1", "Did you mean 'bwdif=rate=field'?"},
      {"transpose=1", "Did you mean 'transpose=clock'?"},
      {"w3fdif", "did you mean 'bwdif'?"},
      {"mcdeint", "did you mean 'qtgmc'?"},
      {"crop=100:80:10:20", "Did you mean 'crop=100x80:x=10:y=20'?"},
      {"resize=160:120", "Did you mean 'resize=160x120'?"},
      {"pad=w=200:h=100", "Did you mean 'pad=200x100'?"},
      {"format=yuv420p10le", "did you mean 'convert=10:chroma=420'?"},
      {"format=yuv420p", "did you mean 'convert=8:chroma=420'?"},
      {"fps=25", "There is no filter 'fps'. No filter sets a frame rate"},
      {"idet", "There is no filter 'idet'. The option --dry-run"},
      {"nnedi3", "did you mean 'nnedi'?"},
      {"pullup", "did you mean 'ivtc'?"},
      {"fieldmatch",
       "did you mean 'ivtc=cycle=0'? Without cycle=0 the filter drops the repeated frames as well."},
      {"fieldmatch=order=tff:mode=pc_n_ub:combmatch=full",
       "did you mean 'ivtc=cycle=0:order=top:mode=pc-n-ub:combmatch=full'?"},
      {"fieldmatch=0:4", "did you mean 'ivtc=cycle=0:order=bottom:mode=pcn'?"},
      {"hqdn3d=4", "did you mean 'dftdenoise'?"},
      {"gradfun=3:16", "did you mean 'deband'?"},
      {"merge=edges:b='unsharp=5'", "did you mean 'edgelevel'?"},
  };
  for (const auto& [text, expected] : cases) EXPECT_THAT(complaint_of(text), HasSubstr(expected)) << text;
}

// These are wrong values of this program, not names of another program.
TEST(Synonyms, AreNotSuggestedForOtherMistakes) {
  for (const char* text : {"yadif=rate=faster", "crop=100x80:x=left", "transpose=turn=upwards"})
    EXPECT_THAT(complaint_of(text), Not(HasSubstr("Did you mean"))) << text;
  v1::ImageJob image;
  EXPECT_THAT(
      message_of(parse_chain("w3fdif", image, *v1::ImageJob::descriptor()->FindFieldByName("filters"))),
      Not(HasSubstr("bwdif")))
      << "images have no deinterlacer";
}

TEST(Synonyms, OfFiltersExistHereAndAreNotTranslatedSilently) {
  std::set<std::pair<Synonym::Kind, std::string_view>> names;
  for (const Synonym& synonym : synonyms()) {
    EXPECT_TRUE(names.emplace(synonym.kind, synonym.name).second) << synonym.name << " is there twice";
    EXPECT_FALSE(synonym.replacement.empty() && synonym.note.empty()) << synonym.name;
    if (synonym.kind != Synonym::Kind::kFilter && synonym.kind != Synonym::Kind::kFilterFlag) continue;
    const std::string replacement = plain_replacement(synonym);
    const std::string head = replacement.substr(0, replacement.find_first_of("=,"));
    if (head.empty() || head == "FILTERS") continue;
    EXPECT_TRUE(find_filter(video_chain().message_type(), head).has_value())
        << synonym.name << ": " << replacement;
  }
}

TEST(Synonyms, OfEncodersAreChoices) {
  const auto encoder = find_option(v1::VideoJob::descriptor(), "encoder");
  ASSERT_TRUE(encoder.has_value());
  for (const Synonym& synonym : synonyms()) {
    if (synonym.kind != Synonym::Kind::kEncoder) continue;
    EXPECT_TRUE(choice_number(encoder->field().enum_type(), synonym.replacement).has_value()) << synonym.name;
  }
}

TEST(Synonyms, OfFlagsTakeTheirValue) {
  const auto with = [](const char* flag, const char* value) {
    const Synonym* synonym = find_synonym(Synonym::Kind::kFlag, flag);
    if (synonym == nullptr) synonym = find_synonym(Synonym::Kind::kFilterFlag, flag);
    return synonym == nullptr ? "" : replacement_with(*synonym, value);
  };
  EXPECT_EQ(with("-c:v", "libx265"), "--encoder x265");
  EXPECT_EQ(with("-c", "hevc"), "--encoder hevc-nvenc");
  EXPECT_EQ(with("-crf", "20"), "--crf 20");
  EXPECT_EQ(with("-crf", ""), "--crf CRF");
  EXPECT_EQ(with("-ss", "1:30"), "--from 1:30");
  EXPECT_EQ(with("-vf", "yadif,crop=8x8"), "yadif,crop=8x8");
  EXPECT_EQ(with("--vpp-rtgmc", ""), "qtgmc");
  EXPECT_EQ(with("--output-res", "1280x720"), "resize=1280x720");
  EXPECT_EQ(with("-f", "BC7_UNORM"), "--format bc7");
  EXPECT_EQ(with("-m", "1"), "--no-mips");
}

}  // namespace
}  // namespace weft::options
