// SPDX-License-Identifier: Apache-2.0
// Benchmarks a 1D FFT in shared memory, one line per block: radix sequences and layouts for several
// lengths (line_transform.h). The size is the number of lines. Some lines are compared with sums in
// double: errors of up to 1e-6 of the largest frequency are accepted.
#include <algorithm>
#include <cmath>

#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/line_transform.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

constexpr double kMostLineError = 1e-6;
constexpr int kCheckedLines = 4;

struct NamedStrategy {
  std::string_view variant;
  LineStrategy strategy;
};
const std::vector<NamedStrategy>& strategies() {
  static const std::vector<NamedStrategy> all = {
      {"512: 8 8 8", {{8, 8, 8}}},
      {"512: 8 8 8, 1 spare after 8", {{8, 8, 8}, kLayouts[1]}},
      {"512: 4 4 4 4 2", {{4, 4, 4, 4, 2}}},
      {"729: 9 9 9", {{9, 9, 9}}},
      {"729: 9 9 3 3", {{9, 9, 3, 3}}},
      {"1024: 4 4 4 4 4", {{4, 4, 4, 4, 4}}},
      {"1024: 8 8 4 4, permuted by i / 16", {{8, 8, 4, 4}, kLayouts[5]}},
      {"1024: 16 8 8", {{16, 8, 8}}},
      {"1024: 16 8 8, 1 spare after 16", {{16, 8, 8}, kLayouts[2]}},
      {"1024: 8 8 4 4, not in place", {{8, 8, 4, 4}, kLayouts[0], false}},
      {"2048: 8 8 8 4", {{8, 8, 8, 4}}},
      {"2048: 16 16 8", {{16, 16, 8}}},
  };
  return all;
}
const LineStrategy& strategy_of(std::string_view variant) {
  return std::ranges::find(strategies(), variant, &NamedStrategy::variant)->strategy;
}

class Fft final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    auto transform = LineTransform::make(device, strategy_of(spec.variant), int(spec.size.x));
    if (transform.status().code() == StatusCode::kInvalidArgument)
      return unimplemented("{}", message_of(transform.status()));
    RETURN_IF_ERROR(transform.status());
    std::unique_ptr<Fft> made(new Fft(*std::move(transform)));
    const size_t bytes = made->transform_->bytes();
    made->given_ = random_lines(*made->transform_);
    ASSIGN_OR_RETURN(made->source_, Rotation::make(device, bytes_of(made->given_), 2 * bytes));
    ASSIGN_OR_RETURN(made->target_, Rotation::make(device, bytes, 2 * bytes));
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    transform_->enqueue(stream, source_.buffer(), source_.offset(turn), target_.buffer(),
                        target_.offset(turn));
  }
  Status verify() override {
    ASSIGN_OR_RETURN(const auto found, target_.download_as<LinePoint>());
    const int stride = std::max(transform_->lines() / kCheckedLines, 1);
    const double error = worst_error(*transform_, given_, found, stride);
    if (error <= kMostLineError) return ok_status();
    return data_loss("The transform's error is {:.1e}, and {:.1e} is right.", error, kMostLineError);
  }

 private:
  explicit Fft(std::unique_ptr<LineTransform> transform)
      : BenchmarkCase(cost_of(*transform)), transform_(std::move(transform)) {}
  // Counts 5 n log2 n operations per transform for every radix sequence, as is usual.
  static CaseCost cost_of(const LineTransform& transform) {
    const double points = double(transform.points()) * transform.lines();
    return {points, 2.0 * double(transform.bytes()), 2 * 5 * points * std::log2(double(transform.points())),
            Limit::kMemory};
  }

  const std::unique_ptr<LineTransform> transform_;
  std::vector<LinePoint> given_;
  Rotation source_, target_;
};

}  // namespace

Benchmark fft_benchmark() {
  std::vector<std::string_view> variants;
  for (const NamedStrategy& one : strategies()) variants.push_back(one.variant);
  return {v1::BENCHMARK_NAME_FFT, "point",     variants,        {},       {CaseSize{1024}, CaseSize{8192}},
          {CaseSize{64}},         CaseSize{1}, CaseSize{16384}, Fft::make};
}

}  // namespace weft::benchmarks
