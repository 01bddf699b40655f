// SPDX-License-Identifier: Apache-2.0
// Benchmarks the hardware limits of a device: copies on it, to it and from it, and arithmetic
// without memory access. The results of other benchmarks are compared with them.
#include <algorithm>
#include <cmath>

#include "kernels/bench/fp32_rate.kernel"
#include "kernels/bench/tensor_rate.kernel"
#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

using device::MemoryKind;

std::vector<std::byte> counted_bytes(size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (size_t i = 0; i < bytes; i++) data[i] = std::byte(uint8_t(i * 37 + (i >> 8)));
  return data;
}

Status compare(std::span<const std::byte> found, std::span<const std::byte> wanted) {
  for (size_t i = 0; i < wanted.size(); i++)
    if (found[i] != wanted[i])
      return data_loss("Byte {} of the copy is {}, and {} is right.", i, int(found[i]), int(wanted[i]));
  return ok_status();
}

// Measures the driver's device-to-device copy.
class DeviceCopy final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    const size_t bytes = size_t(spec.size.x);
    const std::vector<std::byte> data = counted_bytes(bytes);
    ASSIGN_OR_RETURN(Rotation from, Rotation::make(device, data, 2 * bytes));
    ASSIGN_OR_RETURN(Rotation to, Rotation::make(device, bytes, 2 * bytes));
    return std::unique_ptr<BenchmarkCase>(new DeviceCopy(std::move(from), std::move(to)));
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    stream.copy(to_.buffer(), to_.offset(turn), from_.buffer(), from_.offset(turn), from_.bytes());
  }
  Status verify() override {
    ASSIGN_OR_RETURN(const auto found, to_.download());
    return compare(found, counted_bytes(found.size()));
  }

 private:
  DeviceCopy(Rotation from, Rotation to)
      : BenchmarkCase({double(from.bytes()), 2.0 * double(from.bytes()), 0, Limit::kMemory}),
        from_(std::move(from)),
        to_(std::move(to)) {}
  Rotation from_, to_;
};

// Measures copies between the device and pinned host memory.
class HostCopy final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec,
                                                       bool up) {
    const size_t bytes = size_t(spec.size.x);
    const std::vector<std::byte> data = counted_bytes(bytes);
    std::unique_ptr<HostCopy> made(new HostCopy(bytes, up));
    ASSIGN_OR_RETURN(made->host_, device.allocate(up ? MemoryKind::kUpload : MemoryKind::kDownload, bytes));
    if (up)
      std::copy(data.begin(), data.end(), made->host_->host());
    else
      std::ranges::fill(made->host_->host_bytes(), kNoResult);
    if (up) {
      ASSIGN_OR_RETURN(made->device_, Rotation::make(device, bytes, bytes));
    } else {
      ASSIGN_OR_RETURN(made->device_, Rotation::make(device, data, bytes));
    }
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    const size_t bytes = device_.bytes(), offset = device_.offset(turn);
    if (up_)
      stream.copy(device_.buffer(), offset, *host_, 0, bytes);
    else
      stream.copy(*host_, 0, device_.buffer(), offset, bytes);
  }
  Status verify() override {
    if (!up_) return compare(host_->host_bytes(), counted_bytes(device_.bytes()));
    ASSIGN_OR_RETURN(const auto found, device_.download());
    return compare(found, counted_bytes(found.size()));
  }

 private:
  HostCopy(size_t bytes, bool up)
      : BenchmarkCase({double(bytes), double(bytes), 0, up ? Limit::kHostToDevice : Limit::kDeviceToHost}),
        up_(up) {}
  const bool up_;
  std::unique_ptr<device::Buffer> host_;
  Rotation device_;
};

// Measures arithmetic in registers on all lanes of the device; independent of the size.
class Fp32Rate final : public BenchmarkCase {
 public:
  static constexpr float kSummand = 0.75f;
  static constexpr int kRoundsOnGpus = 4096, kRoundsInSoftware = 256;

  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device) {
    const bool software = device.info().is_software;
    const uint32_t lanes = device.info().compute_units * (software ? 256u : 2048u);
    const int rounds = software ? kRoundsInSoftware : kRoundsOnGpus;
    std::unique_ptr<Fp32Rate> made(new Fp32Rate(lanes, rounds));
    ASSIGN_OR_RETURN(made->kernel_, device.load("bench/fp32_rate"));
    ASSIGN_OR_RETURN(made->target_, Rotation::make(device, lanes * sizeof(float), kRotationBytes));
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    stream.launch(
        *kernel_, {lanes_},
        kernels::fp32_rate::Params{target_.at<kernels::fp32_rate::Values>(turn), rounds_, 0.5f, kSummand});
  }
  Status verify() override {
    ASSIGN_OR_RETURN(const auto found, target_.download_as<float>());
    for (size_t i = 0; i < found.size(); i++)
      if (std::abs(found[i] - FP32_CHAINS * 2 * kSummand) > 1e-4f)
        return data_loss("Lane {} gave {}, and {} is right.", i, found[i], FP32_CHAINS * 2 * kSummand);
    return ok_status();
  }

 private:
  Fp32Rate(uint32_t lanes, int rounds)
      : BenchmarkCase({double(lanes), 0, 2.0 * FP32_CHAINS * lanes * rounds, Limit::kFp32}),
        lanes_(lanes),
        rounds_(rounds) {}
  const uint32_t lanes_;
  const int rounds_;
  const device::Kernel* kernel_ = nullptr;
  Rotation target_;
};

class TensorRate final : public BenchmarkCase {
 public:
  // Operations of a matrix product per warp.
  static constexpr int kRounds = 512, kOperations = 2 * 16 * 8 * 16;

  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device) {
    if (device.info().kind != device::BackendKind::kCuda)
      return unimplemented("Tensor cores are used through CUDA alone.");
    std::unique_ptr<TensorRate> made(new TensorRate(device.info().compute_units * 1024u));
    ASSIGN_OR_RETURN(made->kernel_, device.load("bench/tensor_rate"));
    ASSIGN_OR_RETURN(made->target_, Rotation::make(device, made->lanes_ * sizeof(float), kRotationBytes));
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    stream.launch(*kernel_, {lanes_},
                  kernels::tensor_rate::Params{target_.at<kernels::tensor_rate::Values>(turn), kRounds});
  }
  Status verify() override {
    ASSIGN_OR_RETURN(const auto found, target_.download_as<float>());
    for (size_t i = 0; i < found.size(); i++)
      if (found[i] != 16.0f * kRounds)
        return data_loss("Lane {} gave {}, and {} is right.", i, found[i], 16.0f * kRounds);
    return ok_status();
  }

 private:
  explicit TensorRate(uint32_t lanes)
      : BenchmarkCase(
            {double(lanes), 0, double(lanes / 32) * kRounds * TENSOR_CHAINS * kOperations, Limit::kTensor}),
        lanes_(lanes) {}
  const uint32_t lanes_;
  const device::Kernel* kernel_ = nullptr;
  Rotation target_;
};

StatusOr<std::unique_ptr<BenchmarkCase>> make_limit_case(device::Device& device, const CaseSpec& spec) {
  if (spec.variant == "copy") return DeviceCopy::make(device, spec);
  if (spec.variant == "fp32") return Fp32Rate::make(device);
  if (spec.variant == "fp16 tensor") return TensorRate::make(device);
  return HostCopy::make(device, spec, spec.variant == "host to device");
}

}  // namespace

Benchmark limits_benchmark() {
  return {v1::BENCHMARK_NAME_LIMITS,
          "byte",
          {"copy", "fp32", "fp16 tensor", "host to device", "device to host"},
          {},
          {CaseSize{int64_t{256} << 20}},
          {CaseSize{int64_t{16} << 20}},
          CaseSize{1},
          CaseSize{int64_t{1} << 31},
          make_limit_case};
}

}  // namespace weft::benchmarks
