// SPDX-License-Identifier: Apache-2.0
// Cases of every function of the kernel language, on every device, compared with the host's own
// arithmetic.
#include <algorithm>
#include <bit>
#include <cmath>

#include "kernels/test/words.kernel"
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

namespace k = kernels::words;

constexpr int kInputs = 3000;
constexpr int kIntegerRows = 18, kFloatRows = 20;

struct Words {
  std::vector<int32_t> a, b, integers;
  std::vector<float> x, y, floats;
  std::vector<uint16_t> halves;
};

Words run_words(Bench& bench) {
  Words words;
  words.a = bench.random_values<int32_t>(kInputs);
  words.b = bench.random_values<int32_t>(kInputs);
  for (int i = 0; i < kInputs; i++) {
    if (i % 3 == 0) words.a[i] %= 300, words.b[i] %= 300;
    const int x = bench.pick(1, 20000) * (i % 5 < 2 ? -1 : 1);  // not 0, with subnormal neighbours
    words.x.push_back(static_cast<float>(x) / (i % 2 == 0 ? 1024.0f : 4.0f));
    words.y.push_back(static_cast<float>(bench.pick(-20000, 20000)) / 300.0f);
  }
  const auto a = bench.upload(words.a), b = bench.upload(words.b), x = bench.upload(words.x),
             y = bench.upload(words.y);
  const auto integers = bench.allocate(MemoryKind::kDevice, sizeof(int32_t) * kIntegerRows * kInputs);
  const auto floats = bench.allocate(MemoryKind::kDevice, sizeof(float) * kFloatRows * kInputs);
  const auto halves = bench.allocate(MemoryKind::kDevice, sizeof(uint16_t) * kInputs);
  const auto stream = bench.make_stream();
  stream->launch(
      bench.load("test/words"), {kInputs, 1, 1},
      k::Params{at<k::Integers>(*a), at<k::Integers>(*b), at<k::Floats>(*x), at<k::Floats>(*y),
                at<k::Integers>(*integers), at<k::Floats>(*floats), at<k::Halves>(*halves), kInputs});
  EXPECT_THAT(stream->wait_all(), IsOk());
  words.integers = bench.download<int32_t>(*integers);
  words.floats = bench.download<float>(*floats);
  words.halves = bench.download<uint16_t>(*halves);
  return words;
}

uint32_t byte_at(uint32_t word, int index) { return word >> (8 * index) & 255; }

std::vector<int32_t> expected_integers(int32_t a, int32_t b) {
  const auto ua = static_cast<uint32_t>(a), ub = static_cast<uint32_t>(b);
  uint32_t sad = 7, dot = ua;
  for (int i = 0; i < 4; i++) {
    sad +=
        static_cast<uint32_t>(std::abs(static_cast<int>(byte_at(ua, i)) - static_cast<int>(byte_at(ub, i))));
    dot += byte_at(ua, i) * byte_at(ub, i);
  }
  const uint32_t bytes = byte_at(ua, 3) | byte_at(ua, 2) << 8 | byte_at(ub, 1) << 16 | byte_at(ub, 0) << 24;
  return {std::min(a, b),
          std::max(a, b),
          std::clamp(a, -100, 100),
          std::abs(a / 2),
          static_cast<int32_t>(std::min(ua, ub)),
          static_cast<int32_t>(std::max(ua, ub)),
          static_cast<int32_t>(std::clamp(ua, 10u, 1000u)),
          static_cast<int32_t>(sad),
          static_cast<int32_t>(bytes),
          static_cast<int32_t>(ua >> 16 | (ub & 65535) << 16),
          std::popcount(ua),
          a / 2,
          a >> 3,
          (a & 127) - static_cast<int32_t>(ub & 255),
          a / 8 * 3 + b / 8 - 1,
          9 + b / 8 - 4,
          static_cast<int32_t>(ua / 3 + ub / 3),
          static_cast<int32_t>(dot)};
}

DEVICE_CASE(IntegerWordsAreExact) {
  const Words words = run_words(bench);
  for (int i = 0; i < kInputs; i++) {
    const std::vector<int32_t> expected = expected_integers(words.a[i], words.b[i]);
    ASSERT_EQ(expected.size(), size_t{kIntegerRows});
    for (int row = 0; row < kIntegerRows; row++)
      ASSERT_EQ(words.integers[row * kInputs + i], expected[row])
          << "row " << row << " of " << words.a[i] << ", " << words.b[i];
  }
}

struct Expected {
  double value;
  double tolerance;  // 0: exact
};

// Tolerances are those of kernels/README.md. Operations not listed there are exact.
std::vector<Expected> expected_floats(float x, float y) {
  const double positive = std::fabs(x) + 0.5f;
  const float product = x * y;
  const float half_x = x * 0.5f + 1.0f, half_y = y * 0.5f + 1.0f;
  const auto relative = [](double value, double ulps) {
    return Expected{value, std::fabs(value) * ulps / (1 << 23)};
  };
  const auto logarithm = [](double value) { return Expected{value, (2 + 4 * std::fabs(value)) / (1 << 22)}; };
  const double arguments = std::fabs(y) * 0.1;
  return {{std::min(x, y), 0},
          {std::max(x, y), 0},
          {std::clamp(x, -1.0f, 1.0f), 0},
          {std::fabs(x), 0},
          {std::floor(x), 0},
          {std::ceil(x), 0},
          {std::nearbyint(x), 0},
          {product + x, 0},
          {std::fma(x, y, x), (std::fabs(product) + std::fabs(x)) / (1 << 23)},
          {std::bit_cast<float>(std::bit_cast<uint32_t>(x) ^ 1u), 0},
          relative(std::sqrt(positive), 5),
          relative(x / positive, 3),
          relative(std::exp(double{y * 0.1f}), 4 + 2 * arguments),
          relative(std::exp2(double{y * 0.1f}), 4 + 2 * arguments),
          logarithm(std::log(positive)),
          logarithm(std::log2(positive)),
          relative(std::pow(positive, 0.7), 64),
          {std::sin(double{y * 0.1f}), 1.0 / (1 << 10)},
          {std::cos(double{y * 0.1f}), 1.0 / (1 << 10)},
          {(double{half_x} - 1) + (double{half_y} - 2) + (double{x} - 3) + (double{y} - 4),
           (std::fabs(x) + std::fabs(y) + 10) / (1 << 21)}};
}

DEVICE_CASE(FloatWordsAreWithinTheirTolerance) {
  const Words words = run_words(bench);
  for (int i = 0; i < kInputs; i++) {
    const std::vector<Expected> expected = expected_floats(words.x[i], words.y[i]);
    ASSERT_EQ(expected.size(), size_t{kFloatRows});
    for (int row = 0; row < kFloatRows; row++) {
      const double got = words.floats[row * kInputs + i];
      ASSERT_NEAR(got, expected[row].value, expected[row].tolerance)
          << "row " << row << " of " << words.x[i] << ", " << words.y[i];
    }
  }
}

DEVICE_CASE(HalvesAreRoundedToNearestEven) {
  const Words words = run_words(bench);
  for (int i = 0; i < kInputs; i++) {
    const auto expected = static_cast<_Float16>(words.x[i]);
    ASSERT_EQ(words.halves[i], std::bit_cast<uint16_t>(expected)) << words.x[i];
  }
}

}  // namespace
}  // namespace weft::device::suite
