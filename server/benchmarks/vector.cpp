// SPDX-License-Identifier: Apache-2.0
// Benchmarks vectors of fp32: addition, and copies by a kernel, by the driver, and between device
// and host.
#include <algorithm>
#include <numeric>

#include "kernels/bench/vector_add.kernel"
#include "kernels/bench/vector_copy.kernel"
#include "server/benchmarks/benchmark.h"
#include "server/benchmarks/case_data.h"
#include "server/benchmarks/rotation.h"

namespace weft::benchmarks {
namespace {

using device::MemoryKind;

constexpr int64_t kLanesElements = 4;  // elements per lane

// Returns element i of the operand: small integers with exact sums.
float element_of(int64_t i, int operand) { return float((i * (operand == 0 ? 7 : 11) + operand) & 1023); }

std::vector<float> operand(int64_t elements, int which) {
  std::vector<float> values(
      static_cast<size_t>((elements + kLanesElements - 1) / kLanesElements * kLanesElements));
  for (size_t i = 0; i < values.size(); i++) values[i] = element_of(int64_t(i), which);
  return values;
}

Status check_elements(std::span<const float> found, int64_t elements, int operands) {
  for (int64_t i = 0; i < elements; i++) {
    const float wanted = element_of(i, 0) + (operands == 2 ? element_of(i, 1) : 0.0f);
    if (found[size_t(i)] != wanted)
      return data_loss("Element {} is {}, and {} is right.", i, found[size_t(i)], wanted);
  }
  return ok_status();
}

// Measures a sum or a copy by a kernel.
class OnDevice final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    const bool adds = spec.variant == "add";
    std::unique_ptr<OnDevice> made(new OnDevice(spec.size.x, adds, spec.variant == "driver copy"));
    const std::vector<float> a = operand(spec.size.x, 0), b = operand(spec.size.x, 1);
    const size_t bytes = a.size() * sizeof(float), case_bytes = bytes * (adds ? 3 : 2);
    ASSIGN_OR_RETURN(made->kernel_, device.load(adds ? "bench/vector_add" : "bench/vector_copy"));
    ASSIGN_OR_RETURN(made->a_, Rotation::make(device, bytes_of(a), case_bytes));
    if (adds) {
      ASSIGN_OR_RETURN(made->b_, Rotation::make(device, bytes_of(b), case_bytes));
    }
    ASSIGN_OR_RETURN(made->target_, Rotation::make(device, bytes, case_bytes));
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    const int fours = int(a_.bytes() / sizeof(float) / kLanesElements);
    namespace add = kernels::vector_add;
    namespace copy = kernels::vector_copy;
    if (by_driver_)
      stream.copy(target_.buffer(), target_.offset(turn), a_.buffer(), a_.offset(turn), a_.bytes());
    else if (adds_)
      stream.launch(
          *kernel_, {uint32_t(fours)},
          add::Params{a_.at<add::Fours>(turn), b_.at<add::Fours>(turn), target_.at<add::Fours>(turn), fours});
    else
      stream.launch(*kernel_, {uint32_t(fours)},
                    copy::Params{a_.at<copy::Fours>(turn), target_.at<copy::Fours>(turn), fours});
  }
  Status verify() override {
    ASSIGN_OR_RETURN(const auto found, target_.download_as<float>());
    return check_elements(found, elements_, adds_ ? 2 : 1);
  }

 private:
  OnDevice(int64_t elements, bool adds, bool by_driver)
      : BenchmarkCase({double(elements), double(elements) * sizeof(float) * (adds ? 3 : 2),
                       adds ? double(elements) : 0, Limit::kMemory}),
        elements_(elements),
        adds_(adds),
        by_driver_(by_driver) {}
  const int64_t elements_;
  const bool adds_, by_driver_;
  const device::Kernel* kernel_ = nullptr;
  Rotation a_, b_, target_;
};

// Measures copies between host and device: with pinned memory, with pageable memory (through pinned
// memory, as a program must copy it), or in both directions at the same time.
class ByHost final : public BenchmarkCase {
 public:
  static StatusOr<std::unique_ptr<BenchmarkCase>> make(device::Device& device, const CaseSpec& spec) {
    const bool both = spec.variant == "both ways";
    const bool up = both || spec.variant.ends_with("host to device");
    const bool down = both || !up;
    const bool pinned = !spec.variant.starts_with("unpinned");
    const Limit limit = both ? Limit::kNone : up ? Limit::kHostToDevice : Limit::kDeviceToHost;
    std::unique_ptr<ByHost> made(
        new ByHost({double(spec.size.x), double(spec.size.x) * sizeof(float) * (both ? 2 : 1), 0, limit}));
    made->values_ = operand(spec.size.x, 0);
    const size_t bytes = made->values_.size() * sizeof(float);
    if (!pinned) made->pageable_ = made->values_;
    if (!pinned && down) std::fill(made->pageable_.begin(), made->pageable_.end(), -1.0f);
    if (up) {
      ASSIGN_OR_RETURN(made->upload_, device.allocate(MemoryKind::kUpload, bytes));
      std::ranges::copy(bytes_of(made->values_), made->upload_->host());
      ASSIGN_OR_RETURN(made->uploaded_, Rotation::make(device, bytes, bytes));
    }
    if (down) {
      ASSIGN_OR_RETURN(made->download_, device.allocate(MemoryKind::kDownload, bytes));
      std::ranges::fill(made->download_->host_bytes(), kNoResult);
      ASSIGN_OR_RETURN(made->source_, Rotation::make(device, bytes_of(made->values_), bytes));
    }
    if (both) {
      ASSIGN_OR_RETURN(made->second_,
                       device.make_stream(device::StreamPriority::kLow, device::StreamUse::kCopies));
    }
    return made;
  }
  void enqueue(device::Stream& stream, int64_t turn, PhaseMarks*) override {
    const size_t bytes = values_.size() * sizeof(float);
    device::Stream& down = second_ != nullptr ? *second_ : stream;
    if (second_ != nullptr) second_->wait_for(stream, stream.mark());
    if (upload_ != nullptr) {
      if (!pageable_.empty()) std::ranges::copy(bytes_of(pageable_), upload_->host());
      stream.copy(uploaded_.buffer(), uploaded_.offset(turn), *upload_, 0, bytes);
    }
    if (download_ == nullptr) return;
    down.copy(*download_, 0, source_.buffer(), source_.offset(turn), bytes);
    if (second_ != nullptr) stream.wait_for(*second_, second_->mark());
    if (pageable_.empty()) return;
    if (stream.wait(stream.mark()).ok())
      std::ranges::copy(download_->host_bytes(), std::as_writable_bytes(std::span(pageable_)).begin());
  }
  bool works_on_host() const override { return !pageable_.empty(); }
  Status verify() override {
    const auto elements = int64_t(cost().units);
    if (upload_ != nullptr) {
      ASSIGN_OR_RETURN(const auto found, uploaded_.download_as<float>());
      RETURN_IF_ERROR(check_elements(found, elements, 1));
    }
    if (download_ == nullptr) return ok_status();
    if (!pageable_.empty()) return check_elements(pageable_, elements, 1);
    return check_elements({reinterpret_cast<const float*>(download_->host()), values_.size()}, elements, 1);
  }

 private:
  explicit ByHost(const CaseCost& cost) : BenchmarkCase(cost) {}
  std::vector<float> values_, pageable_;
  std::unique_ptr<device::Buffer> upload_, download_;
  Rotation uploaded_, source_;
  std::unique_ptr<device::Stream> second_;
};

StatusOr<std::unique_ptr<BenchmarkCase>> make_vector_case(device::Device& device, const CaseSpec& spec) {
  if (spec.variant == "add" || spec.variant == "copy" || spec.variant == "driver copy")
    return OnDevice::make(device, spec);
  return ByHost::make(device, spec);
}

}  // namespace

Benchmark vector_benchmark() {
  return {v1::BENCHMARK_NAME_VECTOR,
          "element",
          {"add", "copy", "driver copy", "host to device", "device to host", "unpinned host to device",
           "unpinned device to host", "both ways"},
          {},
          powers_of_two({16, 20, 24, 26}),
          powers_of_two({16, 20, 22}),
          CaseSize{1},
          CaseSize{int64_t{1} << 28},
          make_vector_case};
}

}  // namespace weft::benchmarks
