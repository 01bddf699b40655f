// SPDX-License-Identifier: Apache-2.0
// Tests a user's own weights as a file of a job: the worker reads the file that the daemon opened,
// and an error names that file.
#include <cstring>
#include <random>

#include <gmock/gmock.h>

#include "options/validate.h"
#include "server/filters/nnedi/nnedi3_weights.h"
#include "server/worker/job/chain.h"
#include "server/worker/kinds.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

constexpr int kFieldFrames = 3;

std::string random_weights(uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(filters::nnedi::kNnedi3Bytes, '\0');
  for (size_t at = 0; at < bytes.size(); at += sizeof(float)) {
    const float value = float(random() % 2001) / 5000 - 0.2f;
    std::memcpy(&bytes[at], &value, sizeof(value));
  }
  return bytes;
}

class NnediJobTest : public testing::Test {
 protected:
  TestJob job(const std::string& name, const std::string& weights) {
    TestJob made(folder_, name, input_, name + ".mkv");
    set_filters(made.video(), "nnedi=network=fast:nsize=0:nns=0:pscrn=0");
    if (!weights.empty()) made.video().mutable_filters(0)->mutable_nnedi()->set_weights(weights);
    return made;
  }
  std::string file(const std::string& name, const std::string& bytes) {
    media::write_file(folder_.path(name), bytes);
    return folder_.path(name);
  }

  media::TestFolder folder_;
  const std::string input_ = make_interlaced(folder_, "in.ts", kFieldFrames);
};

TEST_F(NnediJobTest, TheFilesWeightsMakeThePictures) {
  const TestJob own = job("own", ""), one = job("one", file("one.bin", random_weights(1))),
                again = job("again", file("again.bin", random_weights(1))),
                other = job("other", file("other.bin", random_weights(2)));
  for (const TestJob* each : {&own, &one, &again, &other}) ASSERT_THAT(run_attempt(*each).end.status, IsOk());
  const auto pictures = [](const TestJob& made) { return picture_hashes(made.finished_path()); };
  EXPECT_EQ(pictures(one).size(), 2u * kFieldFrames);
  EXPECT_EQ(pictures(one), pictures(again));
  EXPECT_NE(pictures(one), pictures(own));
  EXPECT_NE(pictures(one), pictures(other));
}

TEST_F(NnediJobTest, AWrongFileIsRefusedWithItsOption) {
  for (const auto& [bytes, why] :
       {std::pair<std::string, std::string>("no weights", "has 10 bytes, and NNEDI3's weights"),
        {std::string(size_t(kMostRawFileBytes) + 1, 'x'), "has 67108864 at most"}}) {
    const TestJob wrong = job("wrong", file("wrong.bin", bytes));
    const JobEnd end = run_attempt(wrong).end;
    EXPECT_THAT(end.status, StatusIs(StatusCode::kInvalidArgument, why));
    EXPECT_FALSE(end.retriable);
    const auto violations = options::violations_of(end.status);
    ASSERT_EQ(violations.size(), 1u);
    EXPECT_EQ(violations[0].field, "spec.video.filters[0].nnedi.weights");
  }
}

}  // namespace
}  // namespace weft::worker
