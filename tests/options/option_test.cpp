// SPDX-License-Identifier: Apache-2.0
#include "options/option.h"

#include <map>

#include <gmock/gmock.h>

#include "options/filters.h"
#include "weft/test/types.pb.h"
#include "weft/v1/filters.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::options {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> flags_of(const google::protobuf::Descriptor* message) {
  std::vector<std::string> result;
  for (const Option& option : options_of(message)) result.push_back(option.flag());
  return result;
}

Option option_of(const google::protobuf::Descriptor* message, std::string_view flag) {
  return find_option(message, flag).value();
}

TEST(Option, FlattensMessagesInsideAndLeavesOneofsAndPlainFieldsOut) {
  EXPECT_THAT(flags_of(test::Types::descriptor()),
              ElementsAre("loud", "small", "large", "natural", "huge", "exact", "colour", "input", "pair",
                          "count", "word", "paint", "ratio", "note", "chain"));
}

TEST(Option, VideoHasTheFlagsThatPeopleType) {
  EXPECT_THAT(flags_of(v1::VideoJob::descriptor()),
              ElementsAre("input", "output", "filters", "from", "to", "decoder", "decoder-threads",
                          "on-size-change", "programme", "on-short-input", "encoder", "crf", "bitrate",
                          "encoder-preset", "passes", "duration-weight", "encoder-option", "encoder-threads",
                          "segment-frames", "unsupported-streams", "audio", "audio-stream", "subtitles",
                          "timecodes", "timecode-precision", "decisions"));
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "decoder").path(), "decoding.decoder");
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "decoder").default_text(), "auto");
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "output").short_flag(), "o");
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "encoder-threads").label(), "Encoder threads");
}

// The parameter names of QTGMC 3.33, by the field of the filter.
const std::map<std::string, std::string> kQtgmcNames{
    {"preset", "Preset"},
    {"input_type", "InputType"},
    {"fps_divisor", "FPSDivisor"},
    {"tr0", "TR0"},
    {"tr1", "TR1"},
    {"tr2", "TR2"},
    {"rep0", "Rep0"},
    {"rep1", "Rep1"},
    {"rep2", "Rep2"},
    {"rep_chroma", "RepChroma"},
    {"edi_mode", "EdiMode"},
    {"chroma_edi", "ChromaEdi"},
    {"nn_size", "NNSize"},
    {"nn_neurons", "NNeurons"},
    {"edi_qual", "EdiQual"},
    {"sharpness", "Sharpness"},
    {"s_mode", "SMode"},
    {"sl_mode", "SLMode"},
    {"sl_rad", "SLRad"},
    {"s_ovs", "SOvs"},
    {"sv_thin", "SVThin"},
    {"sbb", "Sbb"},
    {"srch_clip_pp", "SrchClipPP"},
    {"precise", "Precise"},
    {"sub_pel", "SubPel"},
    {"sub_pel_interp", "SubPelInterp"},
    {"block_size", "BlockSize"},
    {"overlap", "Overlap"},
    {"search", "Search"},
    {"search_param", "SearchParam"},
    {"pel_search", "PelSearch"},
    {"chroma_motion", "ChromaMotion"},
    {"true_motion", "TrueMotion"},
    {"lambda", "Lambda"},
    {"lsad", "LSAD"},
    {"p_new", "PNew"},
    {"p_level", "PLevel"},
    {"th_sad1", "ThSAD1"},
    {"th_sad2", "ThSAD2"},
    {"th_scd1", "ThSCD1"},
    {"th_scd2", "ThSCD2"},
    {"fast_ma", "FastMA"},
    {"e_search_p", "ESearchP"},
    {"refine_motion", "RefineMotion"},
    {"source_match", "SourceMatch"},
    {"match_preset", "MatchPreset"},
    {"match_edi", "MatchEdi"},
    {"match_preset2", "MatchPreset2"},
    {"match_edi2", "MatchEdi2"},
    {"match_tr2", "MatchTR2"},
    {"match_enhance", "MatchEnhance"},
    {"lossless", "Lossless"},
    {"noise_process", "NoiseProcess"},
    {"ez_denoise", "EZDenoise"},
    {"ez_keep_grain", "EZKeepGrain"},
    {"noise_preset", "NoisePreset"},
    {"denoise_mc", "DenoiseMC"},
    {"noise_tr", "NoiseTR"},
    {"sigma", "Sigma"},
    {"chroma_noise", "ChromaNoise"},
    {"show_noise", "ShowNoise"},
    {"grain_restore", "GrainRestore"},
    {"noise_restore", "NoiseRestore"},
    {"noise_deint", "NoiseDeint"},
    {"stabilize_noise", "StabilizeNoise"},
    {"prog_sad_mask", "ProgSADMask"},
    {"shutter_blur", "ShutterBlur"},
    {"shutter_angle_src", "ShutterAngleSrc"},
    {"shutter_angle_out", "ShutterAngleOut"},
    {"s_blur_limit", "SBlurLimit"},
    {"border", "Border"},
    {"tuning", "Tuning"},
};

TEST(Option, LabelsOfQtgmcAreItsOriginalNames) {
  std::map<std::string, std::string> labels;
  for (const Option& option : options_of(v1::Qtgmc::descriptor()))
    labels[option.field().name()] = option.declaration().label();
  // TFF is a property of the clip in the original.
  EXPECT_THAT(labels.extract("parity").mapped(), "");
  // The file is next to the plugin in the original.
  EXPECT_THAT(labels.extract("weights").mapped(), "");
  EXPECT_EQ(labels, kQtgmcNames);
}

TEST(Option, LabelsOfNnediAndSmdegrainAreTheirOriginalNames) {
  const auto labels_of = [](const google::protobuf::Descriptor* message) {
    std::vector<std::string> labels;
    for (const Option& option : options_of(message))
      if (!option.declaration().label().empty()) labels.push_back(option.label());
    return labels;
  };
  EXPECT_THAT(labels_of(v1::Nnedi::descriptor()), ElementsAre("nsize", "nns", "qual", "etype", "pscrn"));
  EXPECT_THAT(labels_of(v1::SmDegrain::descriptor()),
              ElementsAre("tr", "thSAD", "thSADC", "blksize", "overlap", "pel", "search", "searchparam",
                          "chroma", "limit", "limitC", "thSCD1", "thSCD2 (%)", "binomial", "interlaced"));
}

TEST(Option, ALabelNamesOneOption) {
  for (const FilterKind& filter : filters_of(v1::VideoFilter::descriptor()))
    for (const Option& option : options_of(filter.message())) {
      const std::string& label = option.declaration().label();
      if (label.empty()) continue;
      EXPECT_EQ(find_labelled(filter.message(), label)->flag(), option.flag()) << filter.name();
      const auto other = find_option(filter.message(), label);
      EXPECT_TRUE(!other || other->flag() == option.flag()) << filter.name() << " " << label;
    }
}

TEST(Option, HelpNamesALabelThatAddsToTheFlag) {
  EXPECT_EQ(option_of(v1::Qtgmc::descriptor(), "tr0").original_name(), "TR0");
  EXPECT_EQ(option_of(v1::Qtgmc::descriptor(), "preset").original_name(), "");
  EXPECT_EQ(option_of(v1::Nnedi::descriptor(), "nsize").original_name(), "");
  EXPECT_EQ(option_of(v1::Deband::descriptor(), "range").original_name(), "");
}

TEST(Option, KnowsItsType) {
  const auto type = [](std::string_view flag) { return option_of(test::Types::descriptor(), flag).type(); };
  EXPECT_EQ(type("loud"), ValueType::kBool);
  EXPECT_EQ(type("small"), ValueType::kInteger);
  EXPECT_EQ(type("huge"), ValueType::kInteger);
  EXPECT_EQ(type("exact"), ValueType::kNumber);
  EXPECT_EQ(type("colour"), ValueType::kChoice);
  EXPECT_EQ(type("input"), ValueType::kText);
  EXPECT_EQ(type("count"), ValueType::kInteger);
  EXPECT_TRUE(option_of(test::Types::descriptor(), "pair").is_map());
  EXPECT_TRUE(option_of(test::Types::descriptor(), "word").is_repeated());
  EXPECT_FALSE(option_of(test::Types::descriptor(), "word").is_map());
}

TEST(Option, ValueNameComesFromTheDeclarationOrTheType) {
  const auto name = [](std::string_view flag) {
    return option_of(test::Types::descriptor(), flag).value_name();
  };
  EXPECT_EQ(name("loud"), "");
  EXPECT_EQ(name("small"), "N");
  EXPECT_EQ(name("input"), "FILE");
  EXPECT_EQ(name("pair"), "KEY=VALUE");
  EXPECT_EQ(name("colour"), "COLOUR");
  EXPECT_EQ(name("note"), "TEXT");
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "input").value_name(), "IN");
}

TEST(Option, RangesAreDeclaredOrTheTypes) {
  const auto option = [](std::string_view flag) { return option_of(test::Types::descriptor(), flag); };
  EXPECT_EQ(option("small").range_text(), "-5 to 5");
  EXPECT_EQ(option("large").range_text(), "at least 1");
  EXPECT_EQ(option("natural").range_text(), "at most 9");
  EXPECT_EQ(option("natural").minimum(), 0);
  EXPECT_EQ(option("huge").range_text(), "");
  EXPECT_FALSE(option("huge").has_bounds());
  EXPECT_EQ(option("note").maximum_bytes(), 8u);
  EXPECT_EQ(option("input").maximum_bytes(), kDefaultMaximumBytes);
}

TEST(Choice, ShortNamesGoBothWays) {
  EXPECT_EQ(choice_name(v1::ENCODER_SVT_AV1), "svt-av1");
  EXPECT_EQ(choice_name(v1::JOB_STATE_UNSPECIFIED), "unspecified");
  EXPECT_EQ(choice_name(v1::JobState_descriptor(), 99), "99");
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "svt-av1"), v1::ENCODER_SVT_AV1);
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "SVT_AV1"), v1::ENCODER_SVT_AV1);
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "unspecified"), std::nullopt);
  const std::vector<Choice> choices = option_of(v1::VideoJob::descriptor(), "decoder").choices();
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[1].name, "cpu");
  EXPECT_EQ(choices[1].number, v1::DECODER_CPU);
  EXPECT_FALSE(choices[1].help.empty());
}

}  // namespace
}  // namespace weft::options
