// SPDX-License-Identifier: Apache-2.0
// long file: one kind of job from end to end, with a common fixture
// Tests image jobs in this process on the CPU device.
#include "server/worker/image/image_runner.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <random>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/frame_pattern.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/filters/bloom/bloom.h"
#include "tests/server/media/image/images.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

namespace fs = std::filesystem;
using media::ExrRecipe;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

const ExrRecipe kSmall{};

// A job with its own work folder.
struct ImageJob {
  ImageJob(const media::TestFolder& test_folder, const std::string& input, const std::string& output)
      : folder(test_folder), work(folder.path("work-" + std::to_string(count++))) {
    fs::create_directory(work);
    image().set_input(folder.path(input));
    image().set_output(folder.path(output));
    image().add_filters()->mutable_bloom()->set_size(0.5);
  }
  v1::ImageJob& image() { return *spec.mutable_image(); }
  v1::BloomOptions& bloom() { return *image().mutable_filters(0)->mutable_bloom(); }

  JobOrder order() const {
    JobOrder order;
    order.id = "images";
    order.spec = spec;
    options::JobFiles files = options::files_of_job(spec);
    for (const options::JobFile& file : files.inputs) {
      const std::string opened = file.is_sequence ? file.folder() : file.path;
      order.inputs.push_back({file, channel::FileDescriptor(::open(opened.c_str(), O_RDONLY | O_CLOEXEC))});
    }
    order.outputs = std::move(files.outputs);
    order.work_folder.reset(::open(work.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    return order;
  }
  std::string finished(const std::string& frame = "") const {
    return media::read_file(work + "/finished" + (frame.empty() ? "" : "/" + frame));
  }

  inline static int count = 0;
  const media::TestFolder& folder;
  const std::string work;
  v1::JobSpec spec;
};

class Events final : public JobEvents {
 public:
  void on_segment_finished(int, int64_t units_done) override {
    if (on_image) on_image(units_done);
  }
  void on_log(std::string_view level, std::string_view text) override {
    const std::lock_guard lock(mutex_);
    log.push_back(fmt::format("{}: {}", level, text));
  }
  std::function<void(int64_t)> on_image;
  std::vector<std::string> log;

 private:
  std::mutex mutex_;
};

JobEnd run(const ImageJob& job, Events& events, device::Device& device = cpu_device(),
           schedule::SourceClass work_class = schedule::SourceClass::kNormal) {
  DeviceLoop loop;
  filters::DeviceCaches caches;
  JobOrder order = job.order();
  order.source.work_class = work_class;
  ImageRunner runner(std::move(order), {device, loop, caches}, events);
  events.on_image = events.on_image ? events.on_image : [](int64_t) {};
  return runner.run();
}
JobEnd run(const ImageJob& job) {
  Events events;
  return run(job, events);
}

class ImageRunnerTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& bytes) {
    media::write_file(folder_.path(name), bytes);
  }
  // Writes the frames 1 to `last` of in.NN.exr.
  void write_frames(int last, const ExrRecipe& recipe = kSmall) {
    for (int i = 1; i <= last; i++) write(fmt::format("in.{:02}.exr", i), media::make_exr(recipe));
  }

  media::TestFolder folder_;
};

TEST_F(ImageRunnerTest, AnImageKeepsItsWindowsAndOtherChannels) {
  ExrRecipe recipe;
  recipe.half_channels = {"A", "B", "G", "R", "mask"};
  recipe.float_channels = {"Z"};
  recipe.data = {-3, 2, 41, 33};
  recipe.display = {0, 0, 37, 29};
  const std::string source = media::make_exr(recipe);
  write("in.exr", source);
  const ImageJob job(folder_, "in.exr", "out.exr");
  const JobEnd end = run(job);
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.units_out(), 1);
  const std::string result = job.finished();
  const auto before = media::exr_channels(source), after = media::exr_channels(result);
  for (const char* kept : {"mask", "Z"}) EXPECT_EQ(before.at(kept) == after.at(kept), true) << kept;
  for (const char* changed : {"R", "G", "B"})
    EXPECT_EQ(before.at(changed) == after.at(changed), false) << changed;
  const media::Image image = media::read_exr(result), scene = media::read_exr(source);
  for (size_t i = 3; i < image.sample_count(); i += 4)
    ASSERT_EQ(image.sample(i), std::isfinite(scene.sample(i)) ? scene.sample(i) : 1.0f) << "alpha " << i;
  EXPECT_EQ(image.info.data, recipe.data);
  EXPECT_EQ(image.info.display, recipe.display);
  EXPECT_EQ(end.result.output_bytes(), int64_t(result.size()));
  ASSERT_EQ(end.result.output_hashes_size(), 1);
  EXPECT_EQ(end.result.output_hashes(0).sha256(), sha256sum(job.work + "/finished"));
}

// The glow of a gray image is gray with every kernel. A note in the result reports this once if it
// makes a difference.
TEST_F(ImageRunnerTest, AColouredGlowThatAGrayImageCannotHoldIsToldOf) {
  ExrRecipe gray;
  gray.half_channels = {"Y"};
  write("gray.exr", media::make_exr(gray));
  for (const int frame : {1, 2}) write(fmt::format("gray.{:02}.exr", frame), media::make_exr(gray));
  write("colours.exr", media::make_exr(kSmall));
  media::Image tint = media::make_image({.data = {0, 0, 9, 9}, .display = {0, 0, 9, 9}}).value();
  std::fill(tint.float_samples().begin(), tint.float_samples().end(), 0.0f);
  for (const auto& [at, value] : {std::pair(size_t{40 * 4}, 1.0f), std::pair(size_t{50 * 4}, 0.5f)})
    tint.float_samples()[at] = value;
  tint.float_samples()[40 * 4 + 1] = tint.float_samples()[40 * 4 + 2] = 1;
  write("kernel.exr", media::encode_image(tint, {.depth = media::SampleType::kFloat}).value());
  const auto tellings = [&](const std::string& input, const std::function<void(v1::BloomOptions&)>& change) {
    ImageJob job(folder_, input, options::has_frame_field(input) ? "out.%02d.exr" : "out.exr");
    change(job.bloom());
    const JobEnd end = run(job);
    EXPECT_THAT(end.status, IsOk());
    return std::count_if(end.result.notes().begin(), end.result.notes().end(), [](const std::string& note) {
      return note.find("the colours of the glow are lost") != std::string::npos;
    });
  };
  const auto aperture = [](v1::BloomOptions& bloom) { bloom.set_glare(v1::BLOOM_GLARE_APERTURE); };
  const auto kernel = [&](v1::BloomOptions& bloom) { bloom.set_kernel(folder_.path("kernel.exr")); };
  EXPECT_EQ(tellings("gray.exr", [](auto&) {}), 0);
  EXPECT_EQ(tellings("gray.exr", aperture), 1);
  EXPECT_EQ(tellings("gray.%02d.exr", kernel), 1);
  EXPECT_EQ(tellings("colours.exr", kernel), 0);
  EXPECT_EQ(tellings("gray.exr",
                     [&](v1::BloomOptions& bloom) {
                       kernel(bloom);
                       bloom.set_kernel_colour(v1::BLOOM_KERNEL_COLOUR_GRAY);
                     }),
            0);
  EXPECT_EQ(tellings("gray.exr",
                     [](v1::BloomOptions& bloom) {
                       bloom.set_glare(v1::BLOOM_GLARE_STREAK);
                       bloom.set_kernel_colour(v1::BLOOM_KERNEL_COLOUR_TINTED);
                       bloom.set_streak_red(0.25);
                     }),
            1);
}

// Special values among the samples are replaced, and a note reports their number.
TEST_F(ImageRunnerTest, WhatIsNoNumberIsReplacedAndCounted) {
  media::Image image = media::make_image({.data = {0, 0, 16, 16}, .display = {0, 0, 16, 16}}).value();
  for (float& sample : image.float_samples()) sample = 0.25f;
  image.float_samples()[4 * 20] = std::numeric_limits<float>::quiet_NaN();
  image.float_samples()[4 * 40 + 1] = std::numeric_limits<float>::infinity();
  image.float_samples()[4 * 60 + 2] = -1;
  write("in.exr", media::encode_image(image, {.depth = media::SampleType::kFloat}).value());
  const ImageJob job(folder_, "in.exr", "out.exr");
  Events events;
  const JobEnd end = run(job, events);
  ASSERT_THAT(end.status, IsOk());
  const std::vector<std::string> notes(end.result.notes().begin(), end.result.notes().end());
  EXPECT_THAT(notes, Contains(HasSubstr("2 pixels that are no numbers or infinite were replaced")));
  EXPECT_THAT(notes, Contains(HasSubstr("1 pixels below 0 do not glow")));
  EXPECT_THAT(events.log, Contains(HasSubstr("warning: The image: 2 pixels")));
  const media::Image result = media::read_exr(job.finished());
  for (size_t i = 0; i < result.sample_count(); i++) ASSERT_TRUE(std::isfinite(result.sample(i))) << i;
}

TEST_F(ImageRunnerTest, OtherFormatsAndDepths) {
  write("in.exr", media::make_exr(kSmall));
  for (const char* name : {"out.png", "out.hdr", "out.tif"}) {
    const ImageJob job(folder_, "in.exr", name);
    ASSERT_THAT(run(job).status, IsOk()) << name;
    const auto read = media::read_image(job.finished(), name, {});
    ASSERT_THAT(read, IsOk()) << name;
    EXPECT_EQ(read->info.data.width, 37);
  }
  ImageJob exact(folder_, "in.exr", "out.exr");
  exact.image().set_output_depth(v1::OUTPUT_DEPTH_FLOAT);
  ASSERT_THAT(run(exact).status, IsOk());
  EXPECT_EQ(media::read_exr(exact.finished()).info.bit_depth, 32);
  const ImageJob unknown(folder_, "in.exr", "out.gif");
  EXPECT_THAT(run(unknown).status, StatusIs(StatusCode::kInvalidArgument, "gif"));
}

// Values that a half float would clip or round are stored as float. The plan reserves the disk
// space for that.
TEST_F(ImageRunnerTest, OpenExrHoldsWhatOtherFormatsHeld) {
  media::Image image = media::make_image({.data = {0, 0, 16, 16}, .display = {0, 0, 16, 16}}).value();
  for (float& sample : image.float_samples()) sample = 0.25f;
  image.float_samples()[0] = 200000;
  const auto stored = [&](const std::string& name, media::ImageFormat format, int bit_depth) {
    image.info.bit_depth = bit_depth;
    write(name, media::encode_image(image, {.format = format}).value());
    const ImageJob job(folder_, name, "out.exr");
    EXPECT_THAT(run(job).status, IsOk()) << name;
    const auto estimate = estimate_images(job.spec, job.order().inputs);
    EXPECT_THAT(estimate, IsOk());
    media::Image result = media::read_exr(job.finished());
    EXPECT_EQ(estimate->output_bytes(), 16 * 16 * 3 * result.info.bit_depth / 8) << name;
    return result;
  };
  EXPECT_GT(stored("in.hdr", media::ImageFormat::kRadiance, 8).sample(0), 150000);
  EXPECT_EQ(stored("in.png", media::ImageFormat::kPng, 16).info.bit_depth, 32);
  EXPECT_EQ(stored("in.tif", media::ImageFormat::kTiff, 16).info.bit_depth, 32);
  EXPECT_EQ(stored("in.png", media::ImageFormat::kPng, 8).info.bit_depth, 16);
}

// Noise is removed and a step between two colours remains, in samples of every type.
TEST_F(ImageRunnerTest, BilateralSmoothsImagesOfEveryDepth) {
  media::Image image = media::make_image({.data = {0, 0, 32, 16}, .display = {0, 0, 32, 16}}).value();
  const auto samples = image.float_samples();
  for (size_t i = 0; i < samples.size(); i++) {
    const size_t pixel = i / 4;
    samples[i] =
        i % 4 == 3 ? 1.0f : (pixel % 32 < 16 ? 0.2f : 0.8f) + (pixel % 2 == pixel / 32 % 2 ? 0.02f : -0.02f);
  }
  const auto deviation_of = [](const media::Image& of, int from) {
    double sum = 0, squares = 0;
    for (int y = 0; y < 16; y++)
      for (int x = from; x < from + 12; x++) {
        const double value = of.sample(size_t(y * 32 + x) * 4);
        sum += value;
        squares += value * value;
      }
    const double mean = sum / (16 * 12);
    return std::pair(mean, std::sqrt(std::max(squares / (16 * 12) - mean * mean, 0.0)));
  };
  for (const auto& [name, format, depth] :
       {std::tuple("in.png", media::ImageFormat::kPng, 8), std::tuple("in.png", media::ImageFormat::kPng, 16),
        std::tuple("in.exr", media::ImageFormat::kOpenExr, 32)}) {
    image.info.bit_depth = depth;
    write(name, media::encode_image(image, {.format = format}).value());
    ImageJob job(folder_, name, "out.exr");
    v1::Bilateral& bilateral = *job.image().mutable_filters(0)->mutable_bilateral();
    bilateral.set_sigma(3);
    ASSERT_THAT(run(job).status, IsOk()) << name;
    const media::Image result = media::read_exr(job.finished());
    for (const auto& [from, value] : {std::pair(2, 0.2), std::pair(18, 0.8)}) {
      const auto [mean, deviation] = deviation_of(result, from);
      const auto [before, noise] =
          deviation_of(media::read_image(media::read_file(folder_.path(name)), name, {}).value(), from);
      EXPECT_NEAR(mean, before, 0.01) << name << ' ' << depth << ' ' << value;
      EXPECT_LT(deviation, 0.3 * noise) << name << ' ' << depth << ' ' << value;
    }
  }
}

TEST_F(ImageRunnerTest, ASequenceIsDoneInEitherClassAndWithAnyBatch) {
  write_frames(7);
  const ImageJob job(folder_, "in.%02d.exr", "out.%02d.exr");
  Events events;
  const JobEnd end = run(job, events, cpu_device(), schedule::SourceClass::kSpare);
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.units_out(), 7);
  for (int i = 1; i <= 7; i++) {
    const ImageJob alone(folder_, fmt::format("in.{:02}.exr", i), "alone.exr");
    ASSERT_THAT(run(alone).status, IsOk());
    EXPECT_TRUE(same_bytes(job.finished(fmt::format("out.{:02}.exr", i)), alone.finished())) << i;
  }
}

// A batch of an image with a long device time is a portion of it, so that other work runs between
// the portions.
TEST_F(ImageRunnerTest, LargeImagesAreDoneInPortions) {
  const media::ImageWindow window{0, 0, 1500, 900};
  media::Image image = media::make_image({.data = window, .display = window}).value();
  std::mt19937 random(1);
  for (float& sample : image.float_samples()) sample = float(random() % 1000) / 500;
  for (int i = 1; i <= 2; i++)
    write(fmt::format("in.{:02}.exr", i),
          media::encode_image(image, {.depth = media::SampleType::kFloat}).value());
  const ImageJob job(folder_, "in.%02d.exr", "out.%02d.exr");
  v1::BloomOptions options = job.spec.image().filters(0).bloom();
  options::apply_defaults(options);
  filters::DeviceCaches caches;
  const auto bloom = filters::bloom::Bloom::make(
      cpu_device(), {1500, 900, graph::PixelType::kFloat, graph::PixelType::kHalf}, options, {},
      caches.get<filters::bloom::SpectrumCache>(), filters::bloom::SpectrumIsMade::kByCaller);
  ASSERT_THAT(bloom, IsOk());
  std::optional<graph::Preparation> preparation = (*bloom)->take_preparation();
  ASSERT_TRUE(preparation.has_value());
  const int of_spectrum = graph::Plan::compile(*preparation->network, graph::kOneUnit).value().portions;

  DeviceLoop loop;
  Events events;
  ImageRunner runner(job.order(), {cpu_device(), loop, caches}, events);
  events.on_image = [](int64_t) {};
  const JobEnd end = runner.run();
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.units_out(), 2);
  int units = 0, batches = 0;
  for (const schedule::Decision& decision : loop.decisions_after(0, schedule::DecisionRing::kCapacity)) {
    units += decision.units;
    batches += decision.units > 0;
  }
  EXPECT_EQ(units, of_spectrum + 2 * (*bloom)->portions()) << "and the kernel's spectrum";
  if ((*bloom)->portions() > 1) {  // Many processors compute it as one portion.
    EXPECT_GT(batches, 2);
  }
  EXPECT_TRUE(same_bytes(job.finished("out.01.exr"), job.finished("out.02.exr")));
}

TEST_F(ImageRunnerTest, FramesMayDifferInSizeAndType) {
  write("in.1.exr", media::make_exr(kSmall));
  ExrRecipe other;
  other.half_channels = {};
  other.float_channels = {"B", "G", "R"};
  other.data = other.display = {0, 0, 20, 50};
  write("in.2.exr", media::make_exr(other));
  write("in.3.exr", media::make_exr(kSmall));
  const ImageJob job(folder_, "in.%d.exr", "out.%d.exr");
  ASSERT_THAT(run(job).status, IsOk());
  EXPECT_EQ(media::read_exr(job.finished("out.2.exr")).info.data.height, 50);
  EXPECT_EQ(media::read_exr(job.finished("out.3.exr")).info.data.width, 37);
}

TEST_F(ImageRunnerTest, MissingFramesAreNamedOrLeftOut) {
  write_frames(6);
  fs::remove(folder_.path("in.03.exr"));
  ImageJob job(folder_, "in.%02d.exr", "out.%02d.exr");
  EXPECT_THAT(run(job).status, StatusIs(StatusCode::kInvalidArgument, "lacks 1 of 6 frames (3"));
  job.image().set_missing(v1::MISSING_FRAMES_SKIP);
  const JobEnd end = run(job);
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.units_out(), 5);
  EXPECT_FALSE(fs::exists(job.work + "/finished/out.03.exr"));
  EXPECT_THAT(end.result.notes(0), HasSubstr("1 missing frame left out (3)"));
}

TEST_F(ImageRunnerTest, ABrokenFrameIsNamedAndTheOthersStay) {
  write_frames(4);
  const std::string whole = media::read_file(folder_.path("in.03.exr"));
  write("in.03.exr", whole.substr(0, whole.size() / 2));
  const ImageJob job(folder_, "in.%02d.exr", "out.%02d.exr");
  const JobEnd end = run(job);
  EXPECT_EQ(end.status.code(), StatusCode::kDataLoss) << end.status;
  EXPECT_THAT(std::string(message_of(end.status)), HasSubstr("in.03.exr"));
  EXPECT_FALSE(end.retriable);
  EXPECT_FALSE(fs::exists(job.work + "/finished"));
  // After the repair of the frame, only missing images are made.
  write("in.03.exr", whole);
  const JobEnd again = run(job);
  ASSERT_THAT(again.status, IsOk());
  EXPECT_EQ(again.result.units_out(), 4);
}

// Several frames are decoded at the same time. Memory is planned for the largest frame, at any
// position.
TEST_F(ImageRunnerTest, MemoryIsPlannedForTheLargestFrame) {
  write_frames(6);
  const auto planned = [&] {
    const ImageJob job(folder_, "in.%02d.exr", "out.%02d.exr");
    const StatusOr<v1::JobEstimate> estimate = estimate_images(job.spec, job.order().inputs);
    EXPECT_THAT(estimate.status(), IsOk());
    return estimate->host_bytes();
  };
  const int64_t of_small_ones = planned();
  ExrRecipe large = kSmall;
  large.data = large.display = {0, 0, 1200, 1000};
  write("in.04.exr", media::make_exr(large));
  EXPECT_GT(planned(), of_small_ones + int64_t{1200} * 1000 * 16);
  ASSERT_THAT(run(ImageJob(folder_, "in.%02d.exr", "out.%02d.exr")).status, IsOk());

  media::ImageInfo info;
  info.data = {0, 0, 100, 50};
  const LargestImage largest{info, 1000};
  EXPECT_THAT(check_planned(info, largest), IsOk());
  info.data = {0, 0, 101, 50};
  EXPECT_THAT(check_planned(info, largest), StatusIs(StatusCode::kInvalidArgument, "101x50 pixels"));
}

TEST_F(ImageRunnerTest, DamageInAnotherPartIsTheInputsToo) {
  const std::string whole = media::make_multi_part_exr(kSmall);
  write("in.01.exr", whole);
  write("in.02.exr", media::damage_other_part(whole));
  const JobEnd end = run(ImageJob(folder_, "in.%02d.exr", "out.%02d.exr"));
  EXPECT_EQ(end.status.code(), StatusCode::kDataLoss) << end.status;
  EXPECT_THAT(std::string(message_of(end.status)), HasSubstr("in.02.exr"));
  EXPECT_FALSE(end.retriable);
}

TEST_F(ImageRunnerTest, StoppedItGoesOnWithTheOthersToTheSameBytes) {
  write_frames(12);
  const ImageJob undisturbed(folder_, "in.%02d.exr", "out.%02d.exr");
  ASSERT_THAT(run(undisturbed).status, IsOk());
  const ImageJob job(folder_, "in.%02d.exr", "out.%02d.exr");
  {
    DeviceLoop loop;
    filters::DeviceCaches caches;
    Events events;
    ImageRunner runner(job.order(), {cpu_device(), loop, caches}, events);
    events.on_image = [&](int64_t) { runner.stop(internal::v1::STOP_KIND_PAUSE); };
    const JobEnd end = runner.run();
    EXPECT_EQ(end.status.code(), StatusCode::kCancelled);
    EXPECT_FALSE(end.retriable);
  }
  const JobEnd end = run(job);
  ASSERT_THAT(end.status, IsOk());
  EXPECT_GE(end.result.segments_resumed(), 1);
  ASSERT_EQ(end.result.output_hashes_size(), 1);
  EXPECT_EQ(end.result.output_hashes(0).path(), folder_.path("out.%02d.exr"));
  EXPECT_EQ(end.result.output_hashes(0).files(), 12);
  EXPECT_EQ(end.result.output_hashes(0).sha256(), sha256sum(job.work + "/finished"))
      << "also of the images of the first attempt";
  for (int i = 1; i <= 12; i++) {
    const std::string name = fmt::format("out.{:02}.exr", i);
    EXPECT_TRUE(same_bytes(job.finished(name), undisturbed.finished(name))) << name;
  }
  // A further run makes nothing, as all images are finished.
  const JobEnd again = run(job);
  ASSERT_THAT(again.status, IsOk());
  EXPECT_EQ(again.result.segments_resumed(), 12);
  EXPECT_EQ(again.result.output_hashes(0).sha256(), end.result.output_hashes(0).sha256());
}

// Tests frames with files that change during an attempt or between two attempts. The output is that
// of the sequence at the end.
class ChangingFramesTest : public ImageRunnerTest {
 protected:
  ChangingFramesTest() {
    ExrRecipe recipe;
    recipe.compression = 0;
    write_frames(12, recipe);
  }
  // Replaces the file of the frame by one with another sample, as programs do that write safely.
  // Its size and time remain.
  void exchange(int frame) {
    const std::string name = folder_.path(fmt::format("in.{:02}.exr", frame));
    const auto time = std::filesystem::last_write_time(name);
    std::string bytes = media::read_file(name);
    bytes[bytes.size() - 4] ^= 1;
    write("new.exr", bytes);
    std::filesystem::last_write_time(folder_.path("new.exr"), time);
    std::filesystem::rename(folder_.path("new.exr"), name);
  }
  // Runs an attempt. `then` is called once, after one of the images.
  JobEnd attempt(const ImageJob& job, const std::function<void(ImageRunner&)>& then = {}) {
    DeviceLoop loop;
    filters::DeviceCaches caches;
    Events events;
    ImageRunner runner(job.order(), {cpu_device(), loop, caches}, events);
    bool is_done = !then;
    events.on_image = [&](int64_t) {
      if (!std::exchange(is_done, true)) then(runner);
    };
    return runner.run();
  }
  void expect_as_undisturbed(const ImageJob& job, int last) {
    const ImageJob undisturbed(folder_, "in.%02d.exr", "out.%02d.exr");
    ASSERT_THAT(run(undisturbed).status, IsOk());
    for (int i = 1; i <= last; i++) {
      const std::string name = fmt::format("out.{:02}.exr", i);
      EXPECT_TRUE(same_bytes(job.finished(name), undisturbed.finished(name))) << name;
    }
  }

  const ImageJob job_{folder_, "in.%02d.exr", "out.%02d.exr"};
};

TEST_F(ChangingFramesTest, BetweenTwoAttempts) {
  EXPECT_EQ(
      attempt(job_, [](ImageRunner& runner) { runner.stop(internal::v1::STOP_KIND_PAUSE); }).status.code(),
      StatusCode::kCancelled);
  for (int i = 1; i <= 12; i++) exchange(i);
  const JobEnd end = attempt(job_);
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.segments_resumed(), 0);
  EXPECT_THAT(end.result.notes(), testing::Contains(testing::HasSubstr("made anew (frames 1")));
  expect_as_undisturbed(job_, 12);
}

TEST_F(ChangingFramesTest, WhileTheAttemptIsAtWork) {
  const JobEnd end = attempt(job_, [&](ImageRunner&) {
    for (int i = 1; i <= 12; i++) exchange(i);
  });
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.units_out(), 12);
  EXPECT_THAT(end.result.notes(), testing::Contains(testing::HasSubstr("made anew (frames 1")));
  expect_as_undisturbed(job_, 12);
}

TEST_F(ChangingFramesTest, AfterAllWasFinished) {
  ASSERT_THAT(attempt(job_).status, IsOk());
  exchange(7);
  const JobEnd end = attempt(job_);
  ASSERT_THAT(end.status, IsOk());
  EXPECT_EQ(end.result.segments_resumed(), 11);
  EXPECT_THAT(end.result.notes(), testing::Contains(testing::HasSubstr("1 image made anew (frames 7)")));
  expect_as_undisturbed(job_, 12);
}

TEST_F(ChangingFramesTest, FramesThatVanish) {
  ASSERT_THAT(attempt(job_).status, IsOk());
  for (const int gone : {11, 12}) std::filesystem::remove(folder_.path(fmt::format("in.{}.exr", gone)));
  const JobEnd end = attempt(job_);
  ASSERT_THAT(end.status, IsOk());
  EXPECT_THAT(end.result.notes(),
              testing::Contains(testing::HasSubstr("2 images of frames that are no longer")));
  EXPECT_FALSE(std::filesystem::exists(job_.work + "/finished/out.12.exr"));
  expect_as_undisturbed(job_, 10);
  std::filesystem::remove(folder_.path("in.05.exr"));
  EXPECT_THAT(attempt(job_).status, StatusIs(StatusCode::kInvalidArgument, "lacks 1 of 10 frames"));
}

TEST_F(ImageRunnerTest, WhatCannotBeIsSaidAtTheEstimate) {
  write("in.exr", media::make_exr(kSmall));
  write("in.01.exr", media::make_exr(kSmall));
  const auto blames = [&](const std::function<void(v1::ImageJob&)>& change, const std::string& field,
                          const std::string& text, const std::string& input = "in.exr") {
    ImageJob job(folder_, input, input == "in.exr" ? "out.exr" : "out.%02d.exr");
    change(job.image());
    const auto estimate = estimate_images(job.spec, job.order().inputs);
    EXPECT_THAT(estimate, StatusIs(StatusCode::kInvalidArgument, text));
    const std::vector<options::Violation> violations = options::violations_of(estimate.status());
    ASSERT_EQ(violations.size(), 1u) << text;
    EXPECT_EQ(violations[0].field, "spec.image." + field);
  };
  blames([](auto& job) { job.mutable_filters(0)->mutable_bloom()->set_mode(v1::BLOOM_MODE_CONVOLVE); },
         "filters[0].bloom.kernel", "needs the image of a kernel");
  blames([](auto& job) { job.mutable_filters(0)->mutable_bloom()->set_intensity(3); },
         "filters[0].bloom.intensity", "at most 1");
  blames(
      [&](auto& job) {
        job.mutable_filters(0)->mutable_bloom()->set_kernel(
            folder_.path("in.exr"));  // random samples, some of them not permitted as light
      },
      "filters[0].bloom.kernel", "kernel's image holds");
  blames([](auto& job) { job.set_preview("/look.exr"); }, "preview", "The preview is a PNG");
  blames([](auto& job) { job.set_preview("/look.png.tif"); }, "preview", "look.png.tif");
  blames([](auto& job) { job.set_preview("/look"); }, "preview", "The preview is a PNG", "in.%02d.exr");
  blames([](auto& job) { job.set_frames("1-3"); }, "frames", "the input is one image");
  ExrRecipe wide = kSmall;
  wide.data = wide.display = {0, 0, 16385, 1};
  write("wide.exr", media::make_exr(wide));
  ImageJob job(folder_, "wide.exr", "out.exr");
  const auto estimate = estimate_images(job.spec, job.order().inputs);
  EXPECT_THAT(estimate, StatusIs(StatusCode::kInvalidArgument, "16385x1"));
}

TEST_F(ImageRunnerTest, ThePreviewShowsBothAndAKernelIsRead) {
  write("in.exr", media::make_exr(kSmall));
  media::Image star = media::make_image({.data = {0, 0, 9, 9}, .display = {0, 0, 9, 9}}).value();
  std::fill(star.float_samples().begin(), star.float_samples().end(), 0.1f);
  write("star.exr", media::encode_image(star, {}).value());
  ImageJob job(folder_, "in.exr", "out.exr");
  job.bloom().set_kernel(folder_.path("star.exr"));
  job.image().set_preview(folder_.path("look.png"));
  ASSERT_THAT(run(job).status, IsOk());
  const auto preview = media::read_image(media::read_file(job.work + "/finished-preview"), "look", {});
  ASSERT_THAT(preview, IsOk());
  EXPECT_EQ(preview->info.data.width, 37 + 8 + 37);
  EXPECT_EQ(preview->info.data.height, 29);
  write("star.exr", "no image");
  EXPECT_THAT(run(job).status, StatusIs(StatusCode::kInvalidArgument, "star.exr"));
}

}  // namespace
}  // namespace weft::worker
