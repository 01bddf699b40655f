// SPDX-License-Identifier: Apache-2.0
// Tests the edge network on every device against its model.
#include "server/filters/nnedi/nnedi.h"

#include <map>
#include <string>

#include <gmock/gmock.h>

#include "server/filters/nodes/layout_node.h"
#include "tests/filter_suite/devices.h"
#include "tests/filter_suite/models/reference_edges.h"
#include "tests/server/filters/nnedi/made_network.h"

namespace weft::filters {
namespace {

using nnedi::EdgeNetwork;
using nnedi::NnediOptions;

// A node that returns a parity for each unit, from the first four bytes of its picture.
class ParityOfPictures final : public Node {
 public:
  ParityOfPictures() {
    descriptor_.name = "parity";
    descriptor_.inputs = {Window()};
    descriptor_.outputs = {PortFormat::data(nnedi::kParity, sizeof(int32_t))};
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.copy(*step.arena, step.output_offset(0, unit), *step.arena, step.input_offset(0, unit),
                  sizeof(int32_t));
  }

 private:
  NodeDescriptor descriptor_;
};

std::shared_ptr<const EdgeNetwork> made(const MadeNetwork& network, uint32_t seed = 1) {
  return std::make_shared<const EdgeNetwork>(nnedi::parse_edge_network(network.file(seed)).value());
}

class NnediTest : public DeviceTest {
 protected:
  FilterContext context(int alternative = -1) {
    FilterContext context;
    context.device = &device();
    context.caches = &caches_of(device());
    context.alternative = alternative;
    return context;
  }
  // Returns both pictures of each frame.
  std::vector<Picture> made_by(const std::shared_ptr<const EdgeNetwork>& own, const Clip& clip,
                               v1::Parity parity = v1::PARITY_TOP, int batch = 2, int alternative = -1) {
    Network network;
    const Port source = network.set_source(PortFormat::picture(clip.format));
    const Port pictures = nnedi::add_nnedi_deinterlacer(context(alternative), network, source,
                                                        {.per_field = true, .parity = parity}, {.own = own})
                              .value();
    EXPECT_THAT(network.set_outputs({pictures}), IsOk());
    return pictures_of(run_network(device(), std::move(network), clip, {.plan = {.batch = batch}}).value());
  }
  // Returns the alternatives to test. The kernels for CPUs are slow on other devices. The filter
  // suite tests them on every device with small pictures.
  std::vector<int> alternatives() {
    if (device().info().kind == device::BackendKind::kCpu) return {0, 1, 2};
    return {1, 2};
  }
  static std::vector<Picture> of_model(const EdgeNetwork& network, const Clip& clip) {
    std::vector<Picture> pictures;
    for (const Picture& frame : clip.frames)
      for (const int kept : {0, 1}) pictures.push_back(plain::with_made_rows(network, frame, kept));
    return pictures;
  }
};
WEFT_ON_EVERY_DEVICE(NnediTest);

// Expects a difference of at most one 8-bit code value, scaled to the bit depth. The sums of floats
// differ by far less.
void expect_near(const std::vector<Picture>& model, const std::vector<Picture>& actual,
                 const std::string& what) {
  ASSERT_NO_FATAL_FAILURE(expect_like_model(*find_filter("nnedi"), model, actual, what));
}

int samples_that_differ(const Picture& a, const Picture& b) {
  int count = 0;
  for (size_t plane = 0; plane < a.planes.size(); plane++)
    for (size_t i = 0; i < a.planes[plane].size(); i++) count += a.planes[plane][i] != b.planes[plane][i];
  return count;
}

TEST_P(NnediTest, BothNetworksGiveWhatTheModelGives) {
  static std::map<std::string, std::vector<Picture>> models;  // kept for the next device
  const auto fast = made(MadeNetwork::fast());
  for (const auto& own : {fast, made(MadeNetwork::best())})
    for (const VideoFormat& format :
         {VideoFormat{70, 38, Chroma::k420, 8}, VideoFormat{33, 36, Chroma::k422, 10},
          VideoFormat{31, 17, Chroma::k444, 16}, VideoFormat{64, 33, Chroma::kGray, 8}}) {
      const bool is_small = format.chroma == Chroma::k444 || format.chroma == Chroma::kGray;
      // Both sizes of samples are still tested.
      if (is_slow(device()) && own != fast && !is_small) continue;
      const Clip clip = make_clip(format, 2, Material::kMotion, 3);
      std::vector<Picture>& model = models[own->title.name + to_text(format)];
      if (model.empty()) model = of_model(*own, clip);
      for (const int alternative : alternatives())
        ASSERT_NO_FATAL_FAILURE(expect_near(model, made_by(own, clip, v1::PARITY_TOP, 2, alternative),
                                            own->title.name + " " + to_text(format)));
    }
}

TEST_P(NnediTest, EverySmallSizeGivesWhatTheModelGives) {
  const auto own = made(MadeNetwork::fast());
  for (int width = 1; width <= 9; width++)
    for (int height = 1; height <= 5; height++) {
      const Clip clip =
          make_clip({width, height, Chroma::k420, 8}, 1, Material::kNoise, uint32_t(width * 10 + height));
      ASSERT_NO_FATAL_FAILURE(
          expect_near(of_model(*own, clip), made_by(own, clip), fmt::format("{}x{}", width, height)));
    }
}

TEST_P(NnediTest, TheNetworkCounts) {
  const Clip clip = make_clip({64, 32, Chroma::kGray, 8}, 1, Material::kNoise, 1);
  const std::vector<Picture> one = made_by(made(MadeNetwork::fast(), 1), clip);
  const std::vector<Picture> other = made_by(made(MadeNetwork::fast(), 2), clip);
  EXPECT_GT(samples_that_differ(one[0], other[0]), 64 * 16 / 2);
}

Picture mirrored(const Picture& picture) {
  Picture result(picture.format);
  for (int plane = 0; plane < picture.format.planes(); plane++)
    for (int y = 0; y < picture.format.plane_height(plane); y++)
      for (int x = 0; x < picture.format.plane_width(plane); x++)
        result.at(plane, x, y) = uint16_t(picture.at(plane, x, picture.format.plane_height(plane) - 1 - y));
  return result;
}

TEST_P(NnediTest, AMirroredPictureGivesTheMirroredResult) {
  for (const auto& own : {made(MadeNetwork::fast()), made(MadeNetwork::best())}) {
    const Clip clip = make_clip({45, 44, Chroma::k420, 8}, 1, Material::kMotion, 5);
    Clip turned = clip;
    turned.frames[0] = mirrored(clip.frames[0]);
    const std::vector<Picture> upright = made_by(own, clip), upside_down = made_by(own, turned);
    EXPECT_TRUE(mirrored(upright[0]) == upside_down[1]) << difference(mirrored(upright[0]), upside_down[1]);
    EXPECT_TRUE(mirrored(upright[1]) == upside_down[0]) << difference(mirrored(upright[1]), upside_down[0]);
  }
}

// Returns a flat picture with single samples that need the network, also at the corners of tiles.
Clip spots(const VideoFormat& format) {
  Clip clip = make_clip(format, 1, Material::kStatic, 1);
  for (auto& plane : clip.frames[0].planes) std::ranges::fill(plane, uint16_t(90 << (format.bit_depth - 8)));
  for (const auto& [x, y] : {std::pair(0, 0), {31, 14}, {32, 16}, {70, 47}, {100, 33}, {127, 2}})
    clip.frames[0].at(0, x, y) = uint16_t(120 << (format.bit_depth - 8));
  return clip;
}

TEST_P(NnediTest, TilesWithoutHardSamplesAreLeftOut) {
  for (const MadeNetwork& network : {MadeNetwork::fast(4), MadeNetwork::best(4)}) {
    const auto own = made(network);
    for (const int bit_depth : {8, 10, 16}) {
      const Clip clip = spots({128, 96, Chroma::kGray, bit_depth});
      const std::vector<Picture> model = of_model(*own, clip);
      for (const int alternative : alternatives())
        ASSERT_NO_FATAL_FAILURE(
            expect_near(model, made_by(own, clip, v1::PARITY_TOP, 2, alternative), own->title.name));
    }
  }
}

TEST_P(NnediTest, ASampleIsEasyUpToTheThreshold) {
  // Columns of 100 and 104: the range of each window is 4.
  Clip clip = make_clip({40, 20, Chroma::kGray, 8}, 1, Material::kStatic, 1);
  for (int y = 0; y < 20; y++)
    for (int x = 0; x < 40; x++) clip.frames[0].at(0, x, y) = x % 2 == 0 ? 100 : 104;
  const std::vector<Picture> easy = made_by(made(MadeNetwork::fast(4)), clip);
  // the result of the cubic
  EXPECT_TRUE(easy[0] == clip.frames[0]) << difference(clip.frames[0], easy[0]);
  const std::vector<Picture> hard = made_by(made(MadeNetwork::fast(3.99)), clip);
  EXPECT_GT(samples_that_differ(hard[0], clip.frames[0]), 40 * 10 / 2);
}

// The result has the same bytes with each batch size and in each run.
TEST_P(NnediTest, BatchesAreInvisible) {
  const auto own = made(MadeNetwork::best(2));
  const bool slow = is_slow(device());  // a slow device runs a whole batch and half of one
  const Clip clip = make_clip({50, 40, Chroma::k420, 8}, slow ? 3 : 5, Material::kNoise, 9);
  const std::vector<Picture> one = made_by(own, clip, v1::PARITY_TOP, 1);
  for (const int batch : slow ? std::vector{2} : std::vector{1, 2, 5})
    ASSERT_NO_FATAL_FAILURE(expect_same(one, made_by(own, clip, v1::PARITY_TOP, batch), "batch"));
}

TEST_P(NnediTest, AParityOfEachUnitIsFollowed) {
  const auto own = made(MadeNetwork::fast());
  constexpr int kParities[] = {0, 1, -1, 1, 0};
  Clip clip = make_clip({48, 34, Chroma::k420, 8}, 5, Material::kNoise, 4);
  for (size_t i = 0; i < 5; i++)
    for (int byte = 0; byte < 4; byte++)
      clip.frames[i].at(0, byte, 0) = uint16_t(kParities[i] >> (8 * byte) & 255);
  Network network;
  const Port source = network.set_source(PortFormat::picture(clip.format));
  const Port parity = network.add(std::make_unique<ParityOfPictures>(), {source}).value();
  const Port pictures = nnedi::add_nnedi(context(), network, source, parity, {.own = own}).value();
  ASSERT_THAT(network.set_outputs({pictures}), IsOk());
  const auto actual =
      pictures_of(run_network(device(), std::move(network), clip, {.plan = {.batch = 3}}).value());
  std::vector<Picture> model;
  for (size_t i = 0; i < 5; i++)
    model.push_back(kParities[i] < 0 ? clip.frames[i]
                                     : plain::with_made_rows(*own, clip.frames[i], kParities[i]));
  expect_near(model, actual, "parity");
}

// Rows of the other parity are not read.
TEST_P(NnediTest, MissingRowsDoNotMatter) {
  const auto own = made(MadeNetwork::best());
  const Clip clip = make_clip({40, 30, Chroma::k420, 8}, 1, Material::kNoise, 6);
  Clip other = clip;
  for (int plane = 0; plane < 3; plane++)
    for (int y = 1; y < clip.format.plane_height(plane); y += 2)
      for (int x = 0; x < clip.format.plane_width(plane); x++) other.frames[0].at(plane, x, y) ^= 0x55;
  EXPECT_TRUE(made_by(own, clip)[0] == made_by(own, other)[0]);
}

}  // namespace
}  // namespace weft::filters
