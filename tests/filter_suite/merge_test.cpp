// SPDX-License-Identifier: Apache-2.0
// Tests errors of merging, cropping and sharpening, which name the option.
#include <gmock/gmock.h>

#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/reference.h"

namespace weft::filters {
namespace {

constexpr VideoFormat k420{64, 48, Chroma::k420, 8};

// The error of a chain, and the path of the option in it.
struct Refused {
  Status status;
  std::string blamed;
};
Refused refused(const std::vector<Options>& chain, const VideoFormat& format = k420,
                const PictureProperties& properties = {}) {
  Network network;
  const Port source = network.set_source(PortFormat::picture(format), properties);
  std::vector<const google::protobuf::Message*> filters;
  for (const Options& options : chain) filters.push_back(options.get());
  Refused result;
  FilterContext context;
  context.path = "filters";
  context.blamed = &result.blamed;
  result.status = expand_chain(context, filters, network, source).status();
  return result;
}

void expect_refused(const Refused& actual, const std::string& words, const std::string& blamed) {
  EXPECT_THAT(actual.status, StatusIs(StatusCode::kInvalidArgument, words));
  EXPECT_EQ(actual.blamed, blamed);
}

TEST(MergeRules, ErrorsNameThePathOfTheNestedFilter) {
  const Options bob = parse_options("bob", "rate: OUTPUT_RATE_FRAME");
  const auto merge = [](const char* text) { return parse_options("merge", text); };
  expect_refused(refused({bob, merge("b { deband {} } b { crop { size: '100x10' } }")}),
                 "larger than the picture", "filters[1].merge.b[1].crop.size");
  expect_refused(refused({merge("a { merge { b { crop { size: '10x10' x: 3 } } } }")}),
                 "2 and 4 are the nearest", "filters[0].merge.a[0].merge.b[0].crop.x");
  expect_refused(refused({bob, merge("a { crop { size: '10x10' } }")}),
                 "different pictures (10x10 4:2:0 8 bit and 64x48 4:2:0 8 bit)", "filters[1].merge.b");
  expect_refused(refused({merge("b { convert { range: SAMPLE_RANGE_FULL } }")}),
                 "codes mean different things", "filters[0].merge.b");
  expect_refused(refused({merge("b { bob {} }")}), "come at different times", "filters[0].merge.b");
  expect_refused(refused({merge("low: 30 high: 30")}), "'high' be more than 'low'", "filters[0].merge.high");
}

// Tests two chains of one clock, one of them with lookahead: the other one waits for it.
class MergeTest : public DeviceTest {};
WEFT_ON_EVERY_DEVICE(MergeTest);
TEST_P(MergeTest, ChainsOfOneClockKeepStep) {
  Clip clip = make_clip({21, 28, Chroma::k444, 11}, 9, Material::kNoise, 5);
  for (size_t i = 0; i < clip.infos.size(); i++) clip.infos[i].interlaced = i % 3 != 0;
  std::vector<Options> chain{parse_options("yadif", "frames: FRAME_SELECTION_FLAGGED"),
                             parse_options("weave", ""),
                             parse_options("merge", "a { bob {} } b { bwdif {} }")};
  Clip expected = clip;
  for (const Options& options : chain) expected = reference(*options, expected);
  for (const int batch : {1, 2, 5}) {
    const auto actual = run_clip(device(), chain, clip, {.plan = {.batch = batch}});
    ASSERT_THAT(actual, IsOk());
    ASSERT_NO_FATAL_FAILURE(
        expect_same(expected.frames, pictures_of(*actual), fmt::format("batch {}", batch)));
  }
}

TEST(CropRules, PlacesSplitNoChroma) {
  const auto crop = [](const char* text) { return std::vector{parse_options("crop", text)}; };
  expect_refused(refused(crop("size: '10x10' x: 5")),
                 "x splits a chroma sample or a pair of fields (5); 4 and 6", "filters[0].crop.x");
  expect_refused(refused(crop("size: '10x10' y: 7")), "6 and 8 are the nearest", "filters[0].crop.y");
  expect_refused(refused(crop("size: '10x10' x: 55")), "(x is 55, at most 54)", "filters[0].crop.x");
  expect_refused(refused(crop("size: '10x49'")), "(10x49) is larger than the picture (64x48)",
                 "filters[0].crop.size");
  expect_refused(refused(crop("size: 'all'")), "'all' is not a size", "filters[0].crop.size");
  expect_refused(refused(crop("size: '61x47' x: 2"), {64, 48, Chroma::k411, 8}), "2); 0 is the nearest",
                 "filters[0].crop.x");
  // Chroma rows of one field are four luma rows apart.
  expect_refused(refused(crop("size: '10x10' y: 6"), k420, {.interlaced = true}), "4 and 8 are the nearest",
                 "filters[0].crop.y");
  EXPECT_THAT(refused(crop("size: '10x10' x: 5 y: 7"), {64, 48, Chroma::k444, 8}).status, IsOk());
}

TEST(EdgeLevelRules, ChromaIsOf444Alone) {
  const std::vector chain{parse_options("edgelevel", "chroma_strength: 3")};
  expect_refused(refused(chain), "4:2:0; convert it to 4:4:4 first", "filters[0].edgelevel.chroma_strength");
  EXPECT_THAT(refused(chain, {64, 48, Chroma::k444, 8}).status, IsOk());
}

}  // namespace
}  // namespace weft::filters
