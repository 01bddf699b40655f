// SPDX-License-Identifier: Apache-2.0
// Cases of buffers, copies and fills.
#include <algorithm>
#include <utility>

#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

constexpr MemoryKind kKinds[] = {MemoryKind::kDevice, MemoryKind::kUpload, MemoryKind::kDownload};

DEVICE_CASE(BuffersAreAlignedAndSeenByTheHostWhereTheyShould) {
  for (const MemoryKind kind : kKinds) {
    for (const size_t bytes : {1, 255, 256, 4097, 1 << 20}) {
      const auto buffer = bench.allocate(kind, bytes);
      EXPECT_EQ(buffer->kind(), kind);
      EXPECT_EQ(buffer->size_bytes(), bytes);
      EXPECT_NE(buffer->address(), 0u);
      EXPECT_EQ(buffer->address() % 256, 0u);
      EXPECT_EQ(buffer->host() == nullptr, kind == MemoryKind::kDevice);
      EXPECT_EQ(buffer->host_bytes().size(), kind == MemoryKind::kDevice ? 0 : bytes);
    }
  }
}

DEVICE_CASE(MemoryInUseIsCounted) {
  Device& device = bench.device();
  EXPECT_EQ(device.memory_used_bytes(), 0u);
  auto first = bench.allocate(MemoryKind::kDevice, 1000);
  const auto second = bench.allocate(MemoryKind::kDownload, 24);
  // Pinned buffers are in the host's memory, which is also that of a device in software.
  const size_t pinned = device.info().is_software ? 24 : 0;
  EXPECT_EQ(device.memory_used_bytes(), 1000 + pinned);
  EXPECT_EQ(device.memory_use(MemoryKind::kDevice).bytes, 1000u);
  EXPECT_EQ(device.memory_use(MemoryKind::kDownload).bytes, 24u);
  first.reset();
  EXPECT_EQ(device.memory_used_bytes(), pinned);
  EXPECT_THAT(device.allocate(MemoryKind::kDevice, device.info().max_buffer_bytes + 1),
              StatusIs(StatusCode::kResourceExhausted));
  EXPECT_EQ(device.memory_used_bytes(), pinned);
  EXPECT_EQ(device.memory_use(MemoryKind::kDevice).bytes, 0u);
  EXPECT_EQ(device.memory_use(MemoryKind::kDevice).peak_bytes, 1000u);
}

// The driver's figure contains the device's own buffers.
DEVICE_CASE(TheDriverReportsTheMemoryOfAllPrograms) {
  Device& device = bench.device();
  if (!device.memory_used_by_all_bytes()) GTEST_SKIP() << "The driver does not report it.";
  constexpr size_t kBytes = size_t{64} << 20;
  const auto buffer = bench.allocate(MemoryKind::kDevice, kBytes);
  const auto stream = bench.make_stream();
  stream->fill(*buffer, 0, kBytes, std::byte{1});  // memory that is never touched may not count
  ASSERT_THAT(stream->wait_all(), IsOk());
  const std::optional<size_t> used = device.memory_used_by_all_bytes();
  ASSERT_TRUE(used.has_value());
  EXPECT_GE(*used, kBytes);
  EXPECT_LE(*used, device.info().memory_bytes);
}

DEVICE_CASE(BuffersOfNothingAndTooMuchAreRefused) {
  Device& device = bench.device();
  EXPECT_THAT(device.allocate(MemoryKind::kDevice, 0), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(device.allocate(MemoryKind::kDevice, device.info().max_buffer_bytes + 1),
              StatusIs(StatusCode::kResourceExhausted, std::to_string(device.info().max_buffer_bytes)));
  EXPECT_THAT(device.allocate(MemoryKind::kUpload, SIZE_MAX), StatusIs(StatusCode::kResourceExhausted));
}

DEVICE_CASE(MemoryThatRunsOutIsAnErrorThatPasses) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "A sanitizer's shadow of all memory does not fit beside it.";
#endif
  Device& device = bench.device();
  const size_t chunk = std::min(device.info().max_buffer_bytes, device.info().memory_bytes / 4);
  std::vector<std::unique_ptr<Buffer>> taken;
  Status status;
  while (status.ok() && taken.size() * chunk <= device.info().memory_bytes) {
    StatusOr<std::unique_ptr<Buffer>> buffer = device.allocate(MemoryKind::kDevice, chunk);
    status = buffer.status();
    if (buffer.ok()) taken.push_back(*std::move(buffer));
  }
  EXPECT_THAT(status, StatusIs(StatusCode::kResourceExhausted, "smaller batches"));
  EXPECT_EQ(device.memory_used_bytes(), taken.size() * chunk);
  taken.clear();
  const std::vector<uint8_t> values = bench.random_values<uint8_t>(1000);
  EXPECT_EQ(bench.download(*bench.upload(values)), values);
}

DEVICE_CASE(WhatGoesUpComesDown) {
  for (const size_t bytes : {1, 3, 4096, 1000003, 16 << 20}) {
    const std::vector<uint8_t> values = bench.random_values<uint8_t>(bytes);
    const auto buffer = bench.upload(values);
    EXPECT_TRUE(bench.download(*buffer) == values) << bytes;
  }
}

// Random copies and fills of device buffers are compared with plain memory.
DEVICE_CASE(CopiesAndFillsTakeAnyOffsetAndSize) {
  constexpr int kSize = 1500;
  std::vector<uint8_t> model[2] = {bench.random_values<uint8_t>(kSize), bench.random_values<uint8_t>(kSize)};
  const std::unique_ptr<Buffer> buffers[2] = {bench.upload(model[0]), bench.upload(model[1])};
  const auto stream = bench.make_stream();
  for (int i = 0; i < 400; i++) {
    const int from = bench.pick(0, 1), to = bench.pick(0, 1), bytes = bench.pick(0, i % 3 == 0 ? 9 : 300);
    const int to_offset = bench.pick(0, kSize - bytes), from_offset = bench.pick(0, kSize - bytes);
    const bool overlap = to_offset < from_offset + bytes && from_offset < to_offset + bytes;
    if (i % 4 == 0) {
      const auto value = static_cast<uint8_t>(bench.pick(0, 255));
      std::fill_n(model[to].begin() + to_offset, bytes, value);
      stream->fill(*buffers[to], to_offset, bytes, std::byte{value});
    } else if (from != to || !overlap) {
      std::copy_n(model[from].begin() + from_offset, bytes, model[to].begin() + to_offset);
      stream->copy(*buffers[to], to_offset, *buffers[from], from_offset, bytes);
    }
  }
  ASSERT_THAT(stream->wait_all(), IsOk());
  EXPECT_TRUE(bench.download(*buffers[0]) == model[0]);
  EXPECT_TRUE(bench.download(*buffers[1]) == model[1]);
}

DEVICE_CASE(HostMemoryIsCopiedAtAnyOffset) {
  constexpr int kSize = 700;
  const auto upload = bench.allocate(MemoryKind::kUpload, kSize);
  const auto download = bench.allocate(MemoryKind::kDownload, kSize);
  const std::vector<uint8_t> values = bench.random_values<uint8_t>(kSize);
  std::memcpy(upload->host(), values.data(), kSize);
  std::vector<uint8_t> model = bench.random_values<uint8_t>(kSize);
  const auto buffer = bench.upload(model);
  const auto stream = bench.make_stream();
  for (int i = 0; i < 50; i++) {
    const int bytes = bench.pick(1, 64), from = bench.pick(0, kSize - bytes),
              to = bench.pick(0, kSize - bytes);
    stream->copy(*buffer, to, *upload, from, bytes);
    std::copy_n(values.begin() + from, bytes, model.begin() + to);
  }
  stream->copy(*download, 1, *buffer, 1, kSize - 1);
  stream->copy(*download, 0, *buffer, 0, 1);
  ASSERT_THAT(stream->wait(stream->mark()), IsOk());
  EXPECT_EQ(std::memcmp(download->host(), model.data(), kSize), 0);
}

DEVICE_CASE(FillsReachHostMemoryToo) {
  const auto download = bench.allocate(MemoryKind::kDownload, 37);
  const auto stream = bench.make_stream();
  stream->fill(*download, 0, 37, std::byte{0xee});
  stream->fill(*download, 5, 21, std::byte{0x11});
  ASSERT_THAT(stream->wait_all(), IsOk());
  for (int i = 0; i < 37; i++)
    EXPECT_EQ(std::to_integer<int>(download->host()[i]), i >= 5 && i < 26 ? 0x11 : 0xee) << i;
}

}  // namespace
}  // namespace weft::device::suite
