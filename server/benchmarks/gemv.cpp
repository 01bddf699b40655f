// SPDX-License-Identifier: Apache-2.0
// Benchmarks the product of a square matrix and a vector, in fp32. The entries are small integers,
// so that sums are exact in any order. Addresses: matrix, vector, product.
#include "kernels/bench/gemv.kernel"

#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

class Gemv final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    std::unique_ptr<Gemv> made(new Gemv(spec.size.x));
    const int64_t n = made->n_;
    uint32_t lanes_of_row = 1, rows_of_block = 1;
    int kernel = spec.variant == "naive" ? 1 : 2;
    if (spec.variant == "direct") {
      kernel = 3;
      lanes_of_row = device.info().subgroup_lanes;
    } else if (spec.variant == "ours") {
      kernel = 4;
      lanes_of_row = 256;
      rows_of_block = GEMV_ROWS;
    }
    made->lanes_ = (uint32_t(n) + rows_of_block - 1) / rows_of_block * lanes_of_row;
    ASSIGN_OR_RETURN(made->kernel_, device.load(fmt::format("bench/gemv.{}", kernel)));
    std::vector<float> matrix(size_t(n * made->stride())), source(size_t(made->stride()));
    for (int64_t row = 0; row < n; row++)
      for (int64_t i = 0; i < n; i++)
        matrix[size_t(row * made->stride() + i)] = float(small_number(row * n + i, 0));
    for (int64_t i = 0; i < n; i++) source[size_t(i)] = float(small_number(i, 1));
    const size_t bytes = (matrix.size() + source.size() + size_t(n)) * sizeof(float);
    ASSIGN_OR_RETURN(made->matrix_, Rotation::make(device, bytes_of(matrix), bytes));
    ASSIGN_OR_RETURN(made->source_, Rotation::make(device, bytes_of(source), bytes));
    ASSIGN_OR_RETURN(made->target_, Rotation::make(device, size_t(n) * sizeof(float), bytes));
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    namespace k = kernels::gemv;
    stream.launch(*kernel_, {lanes_},
                  k::Params{matrix_.at<k::Floats>(turn), source_.at<k::Floats>(turn),
                            target_.at<k::Floats>(turn), int(n_), int(n_), int(stride())});
  }
  CaseAddresses addresses(int64_t turn) const override {
    return {{matrix_.address(turn), source_.address(turn), target_.address(turn)}, stride()};
  }
  Status verify() override {
    ASSIGN_OR_RETURN(const auto found, target_.download_as<float>());
    std::vector<int> source;
    for (int64_t i = 0; i < n_; i++) source.push_back(small_number(i, 1));
    for (int64_t row = 0; row < n_; row++) {
      int64_t sum = 0;
      for (int64_t i = 0; i < n_; i++) sum += small_number(row * n_ + i, 0) * source[size_t(i)];
      if (found[size_t(row)] != float(sum))
        return data_loss("Row {} is {}, and {} is right.", row, found[size_t(row)], sum);
    }
    return ok_status();
  }

 private:
  explicit Gemv(int64_t n)
      : BenchmarkCase({double(n) * double(n), 4.0 * (double(n) * double(n) + 2.0 * double(n)),
                       2.0 * double(n) * double(n), Limit::kMemory}),
        n_(n) {}
  int64_t stride() const { return rounded_up(n_, int64_t{4}); }

  const int64_t n_;
  uint32_t lanes_ = 0;
  const device::Kernel* kernel_ = nullptr;
  Rotation matrix_, source_, target_;
};

}  // namespace

Benchmark gemv_benchmark() {
  return {v1::BENCHMARK_NAME_GEMV,
          "element",
          {"naive", "tiled", "direct", "ours"},
          {},
          {CaseSize{1024}, CaseSize{4096}, CaseSize{12288}},
          {CaseSize{1024}},
          CaseSize{1},
          CaseSize{32768},
          Gemv::make};
}

}  // namespace weft::benchmarks
