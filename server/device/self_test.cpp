// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "kernels/device/sum_blocks.kernel"
#include "server/device/device.h"

namespace weft::device {

namespace {
namespace kernel = kernels::sum_blocks;

constexpr std::string_view kKernel = "device/sum_blocks";
constexpr int kWidth = 50, kHeight = 19;   // not multiples of a block's sides
constexpr int kBlocksX = 4, kBlocksY = 3;  // blocks of 16 x 8 lanes
constexpr size_t kValuesBytes = sizeof(uint32_t) * kWidth * kHeight;
constexpr size_t kSumsBytes = sizeof(uint32_t) * kBlocksX * kBlocksY;

uint32_t value_at(int x, int y) { return static_cast<uint32_t>(x * 7919 + y * 104729) % 1000; }

uint32_t expected_sum(int block_x, int block_y) {
  uint32_t sum = 0;
  for (int y = block_y * 8; y < std::min(kHeight, block_y * 8 + 8); y++)
    for (int x = block_x * 16; x < std::min(kWidth, block_x * 16 + 16); x++) sum += value_at(x, y);
  return sum;
}

Status check_sums(const Buffer& sums) {
  const auto* got = reinterpret_cast<const uint32_t*>(sums.host());
  for (int i = 0; i < kBlocksX * kBlocksY; i++) {
    const uint32_t expected = expected_sum(i % kBlocksX, i / kBlocksX);
    if (got[i] != expected)
      return internal_error("Sum {} of the self-test's kernel is wrong ({}, expected {}).", i, got[i],
                            expected);
  }
  return ok_status();
}

Status run_self_test(Device& device) {
  ASSIGN_OR_RETURN(const auto upload, device.allocate(MemoryKind::kUpload, kValuesBytes));
  ASSIGN_OR_RETURN(const auto values, device.allocate(MemoryKind::kDevice, kValuesBytes));
  ASSIGN_OR_RETURN(const auto sums, device.allocate(MemoryKind::kDevice, kSumsBytes));
  ASSIGN_OR_RETURN(const auto download, device.allocate(MemoryKind::kDownload, kSumsBytes));
  ASSIGN_OR_RETURN(const Kernel* sum_blocks, device.load(kKernel));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  auto* host = reinterpret_cast<uint32_t*>(upload->host());
  for (int i = 0; i < kWidth * kHeight; i++) host[i] = value_at(i % kWidth, i / kWidth);
  // The memory may still contain the sums of an earlier test, which would be taken for those of
  // this one.
  std::memset(download->host(), 0xff, kSumsBytes);

  const Mark begin = stream->mark();
  stream->copy(*values, 0, *upload, 0, kValuesBytes);
  stream->launch(*sum_blocks, {kWidth, kHeight, 1},
                 kernel::Params{at<kernel::Values>(*values), at<kernel::Values>(*sums), kWidth, kHeight});
  stream->copy(*download, 0, *sums, 0, kSumsBytes);
  const Mark end = stream->mark();
  RETURN_IF_ERROR(stream->wait(end));
  RETURN_IF_ERROR(check_sums(*download));
  ASSIGN_OR_RETURN(const Duration elapsed, stream->elapsed(begin, end));
  if (elapsed < Duration::zero() || elapsed > std::chrono::minutes(1))
    return internal_error("The device's timestamps make no sense ({} ns for the self-test).",
                          elapsed.count());
  return ok_status();
}

}  // namespace

Status load_first_kernel(Device& device) { return device.load(kKernel).status(); }

Status self_test(Device& device) {
  const Status status = run_self_test(device);
  return status.ok() ? status
                     : with_context(status, fmt::format("The self-test of {} fails", device.info().id));
}

}  // namespace weft::device
