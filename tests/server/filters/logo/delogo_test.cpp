// SPDX-License-Identifier: Apache-2.0
// Tests removal of a known logo on every device: on flat and moving backgrounds, with cuts and
// fades.
#include <cmath>
#include <cstring>

#include <gmock/gmock.h>

#include "server/filters/logo/logo_presence.h"
#include "server/filters/logo/logo_score.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/run.h"
#include "tests/server/filters/logo/made_logo.h"
#include "weft/v1/logo.pb.h"

namespace weft::filters {
namespace {

using logo::MadeLogo;
using testing::HasSubstr;

constexpr MadeLogo kMade{.x = 32, .y = 18, .width = 48, .height = 36};

struct Removed {
  Clip truth;
  std::vector<Picture> pictures;
  Decisions decisions;

  std::string text() const {
    const auto& bytes = decisions.begin()->second->bytes;
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
};

enum class Scene { kFlat, kMoving };

// Returns clips without the logo: flat frames of slowly varying levels, or soft waves that move.
Clip background(const VideoFormat& format, int frames, Scene scene) {
  Clip clip = make_clip(format, frames, Material::kStatic, 1);
  const double scale = 1 << (format.bit_depth - 8);
  for (int n = 0; n < frames; n++)
    for (int plane = 0; plane < format.planes(); plane++)
      for (int y = 0; y < format.plane_height(plane); y++)
        for (int x = 0; x < format.plane_width(plane); x++) {
          const double level =
              plane == 0 ? 110 + 80 * std::sin(n * 0.13) : 128 + 20 * std::sin(n * 0.2 + plane);
          const double wave =
              scene == Scene::kFlat ? 0 : 20 * std::sin((x + 2 * n) * 0.11) * std::cos(y * 0.07 + n);
          clip.frames[size_t(n)].at(plane, x, y) = uint16_t(std::lround((level + wave) * scale));
        }
  return clip;
}

Clip with_logo(const Clip& clip, const std::vector<double>& strengths) {
  Clip shown = clip;
  for (size_t n = 0; n < clip.frames.size(); n++)
    for (int plane = 0; plane < clip.format.planes(); plane++)
      for (int y = 0; y < clip.format.plane_height(plane); y++)
        for (int x = 0; x < clip.format.plane_width(plane); x++)
          shown.frames[n].at(plane, x, y) = uint16_t(std::lround(
              kMade.shown(clip.frames[n].at(plane, x, y), plane, x, y, clip.format, strengths[n])));
  return shown;
}

// Largest difference of a frame from the truth.
int error_of(const Picture& a, const Picture& b) {
  int most = 0;
  for (size_t plane = 0; plane < a.planes.size(); plane++)
    for (size_t i = 0; i < a.planes[plane].size(); i++)
      most = std::max(most, std::abs(int(a.planes[plane][i]) - int(b.planes[plane][i])));
  return most;
}

// The file of the option, and networks with it.
class DelogoTest : public DeviceTest {
 protected:
  StatusOr<Network> network(device::Device* device, const Clip& clip, const v1::Delogo& options,
                            const Decisions& decisions, bool is_live = false) {
    static DeviceCaches* const none = nullptr;
    Network network;
    const Port source = network.set_source(PortFormat::picture(clip.format), {});
    FilterContext context;
    context.device = device;
    context.caches = device == nullptr ? none : &caches_of(*device);
    context.path = "filters";
    context.decisions = &decisions;
    context.files = &files_;
    context.is_live = is_live;
    const google::protobuf::Message* const chain[] = {&options};
    RETURN_IF_ERROR(expand_network(context, chain, network, source).status());
    return network;
  }
  v1::Delogo options(const std::string& text = "") {
    return static_cast<const v1::Delogo&>(*parse_options("delogo", "logo: 'made.lgd' " + text));
  }
  Removed removed(const Clip& truth, const std::vector<double>& strengths, const v1::Delogo& options,
                  int batch = 3) {
    files_["filters[0].delogo.logo"] = logo::print_logo(kMade.logo(truth.format));
    const Clip shown = with_logo(truth, strengths);
    Removed result{truth, {}, {}};
    while (true) {
      Network made = network(&device(), shown, options, result.decisions).value();
      if (!made.analysis()) break;
      const Analysis analysis = *made.analysis();
      const size_t bytes = made.format(analysis.records).bytes;
      records_ = measure(device(), std::move(made), shown).value();
      result.decisions[analysis.name] =
          std::make_shared<AnalysisDecision>(analysis.decide({bytes, records_}).value());
    }
    const auto run = run_network(device(), network(&device(), shown, options, result.decisions).value(),
                                 shown, {.plan = {.batch = batch}});
    EXPECT_THAT(run, IsOk());
    if (run.ok()) result.pictures = pictures_of(*run);
    return result;
  }

  OptionFiles files_;
  std::vector<std::byte> records_;
};
WEFT_ON_EVERY_DEVICE(DelogoTest);

int frames_for(const device::Device& device) { return is_slow(device) ? 70 : 200; }

TEST_P(DelogoTest, RemovesALogoThatAppearsAndDisappears) {
  const int frames = frames_for(device());
  for (const Scene scene : {Scene::kFlat, Scene::kMoving})
    for (const int fade : {0, 16}) {
      SCOPED_TRACE(fmt::format("scene {}, fade {}", int(scene), fade));
      std::vector<double> strengths;
      for (int n = 0; n < frames; n++) {
        const double begin = fade == 0 ? double(n >= 30) : std::clamp((n - 22.0) / fade, 0.0, 1.0);
        const double end = fade == 0 ? double(n >= 160) : std::clamp((n - 152.0) / fade, 0.0, 1.0);
        strengths.push_back(begin - end);
      }
      const Clip truth = background({128, 96, Chroma::k420, 8}, frames, scene);
      const Removed result = removed(truth, strengths, options());
      ASSERT_EQ(result.pictures.size(), truth.frames.size());
      const auto fades = logo::parse_fades(result.text(), size_t(frames)).value();
      for (int n = 0; n < frames; n++) {
        const logo::Fades found = fades[size_t(n)];
        const double strength = strengths[size_t(n)];
        EXPECT_NEAR(found.top / 10.0, strength, 0.101) << n;
        EXPECT_NEAR(found.bottom / 10.0, strength, 0.101) << n;
        // A sample is rounded with the logo: an error of half a code, times 1 / (1 - opacity), and
        // rounded once more.
        const bool is_exact =
            std::abs(found.top / 10.0 - strength) + std::abs(found.bottom / 10.0 - strength) < 1e-9;
        if (is_exact) {
          EXPECT_LE(error_of(result.pictures[size_t(n)], truth.frames[size_t(n)]), 1) << n;
        }
        // Far from a change, the strength does not depend on the background.
        const bool is_far = n < 12 || n > 177 || (n > 47 && n < 142);
        if (is_far) {
          EXPECT_TRUE(is_exact) << n;
        }
      }
    }
}

TEST_P(DelogoTest, EveryDepthAndLayoutIsRemovedWithinOneCode) {
  for (const VideoFormat& format :
       {VideoFormat{128, 96, Chroma::k420, 10}, VideoFormat{128, 96, Chroma::k422, 8},
        VideoFormat{128, 96, Chroma::k444, 16}, VideoFormat{128, 96, Chroma::kGray, 12},
        VideoFormat{128, 96, Chroma::k440, 8}, VideoFormat{128, 96, Chroma::k411, 8}}) {
    SCOPED_TRACE(to_text(format));
    const Clip truth = background(format, 6, Scene::kMoving);
    for (const double strength : {1.0, 0.5}) {
      const Removed result =
          removed(truth, std::vector<double>(6, strength), options(fmt::format("fade: {}", strength)));
      ASSERT_EQ(result.pictures.size(), 6u);
      for (size_t n = 0; n < 6; n++)
        EXPECT_LE(error_of(result.pictures[n], truth.frames[n]), 1) << n << ", " << strength;
      EXPECT_TRUE(result.decisions.empty());
    }
  }
}

// Expects scores that fall with the strength of the removal: 1 with the whole logo, 0 after exact
// removal, and below it after too much.
void expect_course(const logo::FadeScores& scores, double strength) {
  for (size_t f = 1; f < LOGO_FADES; f++) EXPECT_LT(scores[f], scores[f - 1]) << strength << ", " << f;
  EXPECT_NEAR(scores[size_t(std::lround(10 * strength))], 0, 0.05) << strength;
  if (strength == 1) {
    EXPECT_NEAR(scores[0], 1, 0.1);
  }
  if (strength == 0) {
    EXPECT_LT(scores[LOGO_FADES - 1], -0.9);
  }
}

// The measured scores are those of the definition in doubles, within the step of the sums.
TEST_P(DelogoTest, ScoresAreThoseOfTheDefinition) {
  for (const int bits : {8, 10, 16}) {
    const Clip truth = background({128, 96, Chroma::k420, bits}, 4, Scene::kMoving);
    const std::vector<double> strengths{0, 0.4, 1, 1};
    removed(truth, strengths, options());
    const Clip shown = with_logo(truth, strengths);
    const auto planes = logo::place_logo(kMade.logo(truth.format), truth.format).value();
    const auto score = logo::make_score(planes[0], logo::ScoreRows::kFrame, logo::kPresenceShare).value();
    const Records records{33 * sizeof(int32_t), records_};
    ASSERT_EQ(records.size(), 4u);
    std::vector<double> fades;
    for (int f = 0; f < LOGO_FADES; f++) fades.push_back(f / 10.0);
    for (size_t n = 0; n < 4; n++) {
      std::vector<uint16_t> luma;
      for (int y = 0; y < kMade.height; y++)
        for (int x = 0; x < kMade.width; x++)
          luma.push_back(uint16_t(shown.frames[n].at(0, kMade.x + x, kMade.y + y)));
      const std::vector<double> expected = score.scores_of(luma, (1 << bits) - 1, fades);
      int32_t sums[33] = {};
      std::memcpy(sums, records.measured(n).data(), sizeof(sums));
      for (size_t f = 0; f < LOGO_FADES; f++) {
        EXPECT_NEAR(sums[f] / (LOGO_SCORE_ONE * score.whole), expected[f], 2e-3) << n << ", " << f;
      }
      constexpr std::array kRows{logo::ScoreRows::kFrame, logo::ScoreRows::kTopField,
                                 logo::ScoreRows::kBottomField};
      for (size_t rows = 0; rows < kRows.size(); rows++) {
        const double whole = logo::make_score(planes[0], kRows[rows], logo::kPresenceShare)->whole;
        logo::FadeScores scores;
        for (size_t f = 0; f < LOGO_FADES; f++)
          scores[f] = sums[rows * LOGO_FADES + f] / (LOGO_SCORE_ONE * whole);
        expect_course(scores, strengths[n]);
      }
    }
  }
}

TEST_P(DelogoTest, AllDevicesAndBatchesDecideAlike) {
  std::vector<double> strengths(60, 0);
  for (size_t i = 20; i < 60; i++) strengths[i] = 1;
  const Clip truth = background({128, 96, Chroma::k420, 8}, 60, Scene::kMoving);
  const Removed one = removed(truth, strengths, options(), 1);
  const std::vector<std::byte> records = records_;
  static const std::vector<std::byte> first = records;  // of the first device
  EXPECT_TRUE(records == first);
  const Removed many = removed(truth, strengths, options(), 7);
  EXPECT_TRUE(records_ == records);
  EXPECT_TRUE(one.pictures == many.pictures);
  const Network decided = network(nullptr, truth, options(), one.decisions).value();
  const DecisionSummary& summary = decided.summaries().begin()->second;
  EXPECT_EQ(summary.report, "delogo removes the logo from 40 of 60 frames.");
  ASSERT_EQ(summary.sections.size(), 2u);
  for (int i = 0; i < 2; i++) {
    EXPECT_EQ(summary.sections[size_t(i)].first_frame, 20 * i);
    EXPECT_EQ(summary.sections[size_t(i)].frames, 20 + 20 * i);
    EXPECT_EQ(summary.kinds[size_t(summary.sections[size_t(i)].kind)], i == 0 ? "no logo" : "logo");
    EXPECT_THAT(summary.sections[size_t(i)].values, testing::ElementsAre(i));
  }
}

TEST_P(DelogoTest, RefusesWhatItCannotDo) {
  const Clip clip = background({128, 96, Chroma::k420, 8}, 1, Scene::kFlat);
  const auto refusal = [&](const v1::Delogo& options, bool is_live = false) {
    return network(nullptr, clip, options, {}, is_live).status();
  };
  files_["filters[0].delogo.logo"] = logo::print_logo(kMade.logo(clip.format));
  EXPECT_THAT(refusal(options()), IsOk());
  EXPECT_THAT(refusal(options(), true), StatusIs(StatusCode::kInvalidArgument, "set presence=always"));
  EXPECT_THAT(refusal(options("presence: DELOGO_PRESENCE_ALWAYS"), true), IsOk());
  EXPECT_THAT(refusal(options("fade: 0.5"), true), IsOk());
  v1::Delogo nameless = options("fade: 1");
  nameless.clear_logo();
  EXPECT_THAT(refusal(nameless), StatusIs(StatusCode::kInvalidArgument, "names no logo"));
  logo::Logo empty = kMade.logo(clip.format);
  for (auto& plane : empty.planes) {
    std::ranges::fill(plane.a, 1.0f);
    std::ranges::fill(plane.b, 0.0f);
  }
  files_["filters[0].delogo.logo"] = logo::print_logo(empty);
  EXPECT_THAT(refusal(options()), StatusIs(StatusCode::kInvalidArgument, "has no edges"));
  files_["filters[0].delogo.logo"] = FileBytes(10);
  EXPECT_THAT(refusal(options()), StatusIs(StatusCode::kInvalidArgument, "is no logo file"));
}

}  // namespace
}  // namespace weft::filters
