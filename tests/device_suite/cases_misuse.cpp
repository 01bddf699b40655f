// SPDX-License-Identifier: Apache-2.0
// Cases of misuse: it is an error that the stream keeps and that its next wait returns. The misused
// call is not executed.
#include "tests/device_suite/step.h"
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

namespace step = kernels::step;

constexpr size_t kBufferBytes = 400;

// Calls `misuse` on a stream between two fills. The first fill must be executed, later work must
// not.
void expect_refused(Bench& bench, const std::function<void(Stream&, Buffer&)>& misuse,
                    const std::string& message, StreamUse use = StreamUse::kAny) {
  const auto buffer = bench.upload(std::vector<uint8_t>(kBufferBytes, 9));
  const auto stream = bench.make_stream(StreamPriority::kNormal, use);
  stream->fill(*buffer, 0, kBufferBytes, std::byte{1});
  const Mark before = stream->mark();
  misuse(*stream, *buffer);
  stream->fill(*buffer, 0, kBufferBytes, std::byte{2});
  const Mark after = stream->mark();
  EXPECT_TRUE(stream->is_done(after));  // a caller that polls does not wait forever
  EXPECT_THAT(stream->wait(after), StatusIs(StatusCode::kInvalidArgument, message));
  EXPECT_THAT(stream->wait(before), StatusIs(StatusCode::kInvalidArgument, message));
  EXPECT_THAT(stream->wait_all(), StatusIs(StatusCode::kInvalidArgument, message));
  EXPECT_THAT(stream->elapsed(before, after), StatusIs(StatusCode::kInvalidArgument, message));
  EXPECT_EQ(bench.download(*buffer), std::vector<uint8_t>(kBufferBytes, 1));
}

step::Params params_of(const Buffer& buffer) { return {at<step::Values>(buffer), 1, 1, 1}; }

DEVICE_CASE(RangesPastABuffersEndAreRefused) {
  expect_refused(
      bench, [](Stream& s, Buffer& b) { s.fill(b, 0, kBufferBytes + 1, std::byte{0}); }, "401");
  expect_refused(
      bench, [](Stream& s, Buffer& b) { s.fill(b, kBufferBytes + 1, 0, std::byte{0}); }, "401");
  expect_refused(
      bench, [](Stream& s, Buffer& b) { s.fill(b, 1, SIZE_MAX, std::byte{0}); }, "past its buffer's end");
  expect_refused(
      bench, [](Stream& s, Buffer& b) { s.copy(b, 300, b, 0, 101); }, "past its buffer's end");
  expect_refused(
      bench, [](Stream& s, Buffer& b) { s.copy(b, 0, b, SIZE_MAX, 2); }, "past its buffer's end");
}

DEVICE_CASE(CopiesThatOverlapOrHaveNoDeviceSideAreRefused) {
  expect_refused(
      bench, [](Stream& s, Buffer& b) { s.copy(b, 0, b, 50, 51); }, "overlap");
  expect_refused(
      bench, [](Stream& s, Buffer& b) { s.copy(b, 0, b, 0, 1); }, "overlap");
  const auto up = bench.allocate(MemoryKind::kUpload, 10), down = bench.allocate(MemoryKind::kDownload, 10);
  expect_refused(
      bench, [&](Stream& s, Buffer&) { s.copy(*down, 0, *up, 0, 10); }, "both sides");
}

DEVICE_CASE(WrongParamsAndGridsAreRefused) {
  const Kernel& kernel = bench.load("test/step");
  const DeviceInfo& info = bench.device().info();
  expect_refused(
      bench,
      [&](Stream& s, Buffer&) {
        s.launch(kernel, {1, 1, 1}, int{0});
      },
      "24 bytes, not of 4");
  expect_refused(
      bench,
      [&](Stream& s, Buffer& b) {
        s.launch(kernel, {0, 1, 1}, params_of(b));
      },
      "0 lanes in x");
  expect_refused(
      bench,
      [&](Stream& s, Buffer& b) {
        s.launch(kernel, {1, 1, 0}, params_of(b));
      },
      "0 lanes in z");
  expect_refused(
      bench,
      [&](Stream& s, Buffer& b) {
        s.launch(kernel, {UINT32_MAX, 1, 1}, params_of(b));
      },
      "lanes in x");
  if (info.max_blocks[1] < UINT32_MAX) {
    const uint32_t lanes = std::min(info.max_blocks[1] + 1, 1u << 31);
    expect_refused(
        bench,
        [&](Stream& s, Buffer& b) {
          s.launch(kernel, {1, lanes, 1}, params_of(b));
        },
        "lanes in y");
  }
  expect_refused(
      bench,
      [&](Stream& s, Buffer& b) {
        s.launch(kernel, {1, 1, 1}, params_of(b));
      },
      "made for copies", StreamUse::kCopies);
}

DEVICE_CASE(WhatBelongsToAnotherDeviceIsRefused) {
  const std::unique_ptr<Device> other = value_of(bench.open_again());
  const Kernel& kernel = *value_of(other->load("test/step"));
  const auto buffer = value_of(other->allocate(MemoryKind::kDevice, kBufferBytes));
  const auto stream = value_of(other->make_stream());
  const Mark mark = stream->mark();
  expect_refused(
      bench,
      [&](Stream& s, Buffer& b) {
        s.launch(kernel, {1, 1, 1}, params_of(b));
      },
      "another device");
  expect_refused(
      bench, [&](Stream& s, Buffer& b) { s.copy(b, 0, *buffer, 0, 1); }, "another device");
  expect_refused(
      bench, [&](Stream& s, Buffer&) { s.fill(*buffer, 0, 1, std::byte{0}); }, "another device");
  expect_refused(
      bench, [&](Stream& s, Buffer&) { s.wait_for(*stream, mark); }, "another device");
}

DEVICE_CASE(AMarkOfAnotherStreamIsRefused) {
  const auto one = bench.make_stream(), two = bench.make_stream();
  static_cast<void>(one->mark());
  const Mark second = one->mark();
  EXPECT_THAT(two->wait(second), StatusIs(StatusCode::kInvalidArgument, "not of this stream"));
  EXPECT_THAT(two->elapsed(second, second), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(two->wait_all(), IsOk());  // a query is no misuse of the stream's work
  expect_refused(
      bench, [&](Stream& s, Buffer&) { s.wait_for(*two, second); }, "not of this stream");
}

DEVICE_CASE(TheFirstErrorSticks) {
  const auto buffer = bench.allocate(MemoryKind::kDevice, 10);
  const auto stream = bench.make_stream();
  stream->fill(*buffer, 11, 1, std::byte{0});
  stream->copy(*buffer, 0, *buffer, 0, 10);
  EXPECT_THAT(stream->wait_all(), StatusIs(StatusCode::kInvalidArgument, "offset 11"));
}

DEVICE_CASE(AStreamThatWaitsForAFailedOneFails) {
  const auto buffer = bench.allocate(MemoryKind::kDevice, 10);
  const auto failed = bench.make_stream(), waiting = bench.make_stream(), earlier = bench.make_stream();
  const Mark before = failed->mark();
  earlier->wait_for(*failed, before);
  failed->fill(*buffer, 11, 1, std::byte{0});
  waiting->wait_for(*failed, failed->mark());
  EXPECT_THAT(waiting->wait_all(), StatusIs(StatusCode::kInvalidArgument, "offset 11"));
  EXPECT_THAT(earlier->wait_all(), IsOk());
  EXPECT_THAT(bench.make_stream()->wait_all(), IsOk());
}

DEVICE_CASE(AStreamIsHeldBackThatWasNotMadeForIt) {
  const auto stream = bench.make_stream();
  stream->hold();
  EXPECT_THAT(stream->wait_all(), StatusIs(StatusCode::kInvalidArgument));
  stream->release();
}

DEVICE_CASE(NothingToCopyIsNothingWrong) {
  const auto buffer = bench.allocate(MemoryKind::kDevice, 10);
  const auto stream = bench.make_stream();
  stream->copy(*buffer, 10, *buffer, 0, 0);
  stream->copy(*buffer, 0, *buffer, 0, 0);
  stream->fill(*buffer, 10, 0, std::byte{0});
  EXPECT_THAT(stream->wait_all(), IsOk());
}

}  // namespace
}  // namespace weft::device::suite
