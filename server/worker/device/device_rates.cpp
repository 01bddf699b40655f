// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/device_rates.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>

#include <google/protobuf/util/time_util.h>

#include "kernels/bench/fp32_rate.kernel"
#include "kernels/bench/vector_copy.kernel"

namespace weft::worker {
namespace {

namespace copy = kernels::vector_copy;
namespace rate = kernels::fp32_rate;

constexpr int kRuns = 4;  // runs of each measurement; the first loads the kernel
constexpr int kLaunches = 32;
constexpr int kFourBytes = 16;                          // bytes per lane of a copy
constexpr size_t kCopiedBytes = size_t{64} << 20;       // exceeds the caches
constexpr size_t kCopiedInSoftware = size_t{16} << 20;  // takes milliseconds
constexpr int kRounds = 1024, kRoundsInSoftware = 2048;
constexpr uint32_t kLanesOfUnit = 2048, kLanesInSoftware = 256;
// On a CPU a lane of this kernel uses scalar instructions, while the lanes of filters share the
// elements of a vector.
constexpr double kCpuVector = 16;

// Returns the shortest time of several runs in seconds.
StatusOr<double> shortest(device::Stream& stream, const std::function<void()>& enqueue) {
  double best = 0;
  for (int run = 0; run < kRuns; run++) {
    const device::Mark begin = stream.mark();
    enqueue();
    const device::Mark end = stream.mark();
    RETURN_IF_ERROR(stream.wait(end));
    ASSIGN_OR_RETURN(const Duration time, stream.elapsed(begin, end));
    const double seconds = std::max(std::chrono::duration<double>(time).count(), 1e-9);
    best = run == 0 ? seconds : std::min(best, seconds);
  }
  return best;
}

}  // namespace

StatusOr<v1::DeviceRates> measure_rates(device::Device& device) {
  const bool software = device.info().is_software;
  const size_t bytes = software ? kCopiedInSoftware : kCopiedBytes;
  const uint32_t lanes = device.info().compute_units * (software ? kLanesInSoftware : kLanesOfUnit);
  const int rounds = software ? kRoundsInSoftware : kRounds;
  ASSIGN_OR_RETURN(const device::Kernel* copies, device.load("bench/vector_copy"));
  ASSIGN_OR_RETURN(const device::Kernel* multiplies, device.load("bench/fp32_rate"));
  ASSIGN_OR_RETURN(const auto from, device.allocate(device::MemoryKind::kDevice, bytes));
  ASSIGN_OR_RETURN(const auto to, device.allocate(device::MemoryKind::kDevice, bytes));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  stream->fill(*from, 0, bytes, std::byte{1});
  const auto copy_fours = [&](int fours) {
    stream->launch(*copies, {uint32_t(fours)},
                   copy::Params{device::at<copy::Fours>(*from), device::at<copy::Fours>(*to), fours});
  };
  ASSIGN_OR_RETURN(const double copied, shortest(*stream, [&] { copy_fours(int(bytes / kFourBytes)); }));
  ASSIGN_OR_RETURN(const double multiplied, shortest(*stream, [&] {
                     stream->launch(*multiplies, {lanes},
                                    rate::Params{device::at<rate::Values>(*to), rounds, 0.5f, 0.75f});
                   }));
  ASSIGN_OR_RETURN(const double launched, shortest(*stream, [&] {
                     for (int i = 0; i < kLaunches; i++) copy_fours(1);
                   }));
  v1::DeviceRates rates;
  rates.set_bytes_per_second(2 * double(bytes) / copied);
  const double together = device.info().kind == device::BackendKind::kCpu ? kCpuVector : 1;
  rates.set_operations_per_second(together * 2.0 * FP32_CHAINS * lanes * rounds / multiplied);
  *rates.mutable_launch() =
      google::protobuf::util::TimeUtil::NanosecondsToDuration(int64_t(launched * 1e9 / kLaunches));
  return rates;
}

}  // namespace weft::worker
