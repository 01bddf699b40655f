// SPDX-License-Identifier: Apache-2.0
// long file: all kinds of misbehaving clients
// Tests clients of streams that are slow, vanish, or send invalid data, and a worker that dies
// under a stream. The stream must end with a reason and the daemon must continue. Nothing may be
// left over, and the next stream must be served.
#include <algorithm>
#include <atomic>
#include <csignal>
#include <functional>
#include <random>
#include <thread>
#include <utility>

#include <gmock/gmock.h>

#include "client/connection.h"
#include "client/stream.h"
#include "tests/scenarios/stream_scenario.h"
#include "weft/v1/stream_service.grpc.pb.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;

constexpr int kWidth = 640;
constexpr int kHeight = 480;
constexpr int kFrameBytes = kWidth * kHeight * 3 / 2;
constexpr int64_t kPart = 256 << 10;

v1::OpenStream wish(v1::StreamTransport transport) {
  v1::OpenStream open;
  set_filters(open, "bwdif");
  open.mutable_format()->set_width(kWidth);
  open.mutable_format()->set_height(kHeight);
  open.mutable_format()->set_chroma(v1::CHROMA_FORMAT_420);
  open.mutable_format()->set_bit_depth(8);
  open.mutable_frame_rate()->set_numerator(25);
  open.mutable_frame_rate()->set_denominator(1);
  open.set_field_order(v1::FIELD_ORDER_TOP_FIRST);
  open.mutable_settings()->set_transport(transport);
  return open;
}

// Returns a stream of textures.
v1::OpenStream textures(int side, v1::BlockQuality quality, v1::StreamTransport transport) {
  v1::OpenStream open;
  v1::TextureStream& texture = *open.mutable_texture();
  texture.set_source(v1::BLOCK_FORMAT_RGBA8);
  texture.set_width(side);
  texture.set_height(side);
  texture.set_format(v1::TEXTURE_ENCODING_BC7);
  texture.set_quality(quality);
  open.mutable_settings()->set_transport(transport);
  return open;
}

// A call without the client library, which can send any message.
struct RawCall {
  RawCall(Daemon& daemon, const v1::OpenStream& open)
      : stub(v1::StreamService::NewStub(daemon.new_channel())), stream(stub->ProcessFrames(&context)) {
    context.set_deadline(std::chrono::system_clock::now() + kDeadline);
    v1::ProcessFramesRequest first;
    *first.mutable_open() = open;
    stream->Write(first);
    v1::ProcessFramesResponse response;
    opened = stream->Read(&response) && response.has_opened();
  }
  ~RawCall() { context.TryCancel(); }

  bool send_frame(int64_t index) {
    for (int64_t offset = 0; offset < kFrameBytes; offset += kPart) {
      v1::ProcessFramesRequest request;
      request.mutable_frame_part()->set_index(index);
      request.mutable_frame_part()->set_offset(offset);
      request.mutable_frame_part()->set_samples(
          std::string(size_t(std::min<int64_t>(kPart, kFrameBytes - offset)), 'x'));
      if (!stream->Write(request)) return false;
    }
    return true;
  }
  grpc::Status end() {
    for (v1::ProcessFramesResponse response; stream->Read(&response);) {
    }
    return stream->Finish();
  }

  grpc::ClientContext context;
  std::unique_ptr<v1::StreamService::Stub> stub;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ProcessFramesRequest, v1::ProcessFramesResponse>> stream;
  bool opened = false;
};

class StreamClientsTest : public StreamScenario {
 protected:
  using StreamScenario::StreamScenario;

  std::unique_ptr<client::FrameStream> open(const v1::OpenStream& wanted) {
    auto connection = client::Connection::open({.server = daemon_.address()});
    auto stream = client::FrameStream::open(*connection, wanted);
    EXPECT_THAT(stream, IsOk());
    return stream.ok() ? *std::move(stream) : nullptr;
  }
  // Runs a stream of a few frames from beginning to end.
  void check_service() {
    for (const auto transport : {v1::STREAM_TRANSPORT_MESSAGES, v1::STREAM_TRANSPORT_SHARED_MEMORY}) {
      const auto stream = open(wish(transport));
      ASSERT_NE(stream, nullptr);
      for (int i = 0; i < 3; i++) {
        ASSERT_THAT(stream->stage(), IsOk());
        ASSERT_THAT(stream->push(), IsOk());
      }
      ASSERT_THAT(stream->finish(), IsOk());
      int pictures = 0;
      for (auto picture = stream->pull(); picture.ok() && picture->has_value(); picture = stream->pull())
        pictures++;
      EXPECT_EQ(pictures, 6);
      EXPECT_EQ(stream->report().pictures_out(), 6);
    }
  }
  static std::string progress_of(const v1::DeviceStatus& device) {
    const v1::StreamReport& report = device.sample().streams(0).report();
    return fmt::format("{} frames in, {} pictures out", report.frames_in(), report.pictures_out());
  }
  pid_t worker() { return pid_t(daemon_.device("cpu")->worker_pid()); }

  void TearDown() override {
    check_service();
    EXPECT_TRUE(daemon_.is_running());
  }
};

class ImpatientDaemonTest : public StreamClientsTest {
 protected:
  ImpatientDaemonTest() : StreamClientsTest({"--device", "cpu", "--stall-timeout", "1"}) {}
};

class WatchfulDaemonTest : public StreamClientsTest {
 protected:
  WatchfulDaemonTest() : StreamClientsTest({"--device", "cpu", "--hang-timeout", "1"}) {}
};

// A realtime stream with a deadline of a millisecond leaves no time for large frames. A job and a
// stream with large frames wait longer than the hang timeout. Their worker, which is also that of
// the realtime stream, continues.
TEST_F(WatchfulDaemonTest, WhatWaitsForItsTurnDoesNotHang) {
  v1::OpenStream fast = small_stream(v1::STREAM_CLASS_REALTIME);
  fast.mutable_frame_rate()->set_numerator(1000);
  fast.mutable_settings()->clear_deadline();
  const auto realtime = open(fast);
  v1::OpenStream large = wish(v1::STREAM_TRANSPORT_SHARED_MEMORY);
  large.mutable_format()->set_width(1920);
  large.mutable_format()->set_height(1080);
  const auto normal = open(large);
  ASSERT_TRUE(realtime != nullptr && normal != nullptr);
  for (int i = 0; i < 2; i++) push(*normal);
  ASSERT_THAT(normal->finish(), IsOk());
  ASSERT_EQ(shell("ffmpeg -v error -f lavfi -i testsrc2=size=1920x1080:rate=25 -vf interlace -frames:v 3 "
                  "-c:v ffv1 large.mkv"),
            0);
  v1::SubmitJobRequest job = request(path("large.mkv"), path("out.mkv"));
  // On a busy machine an encoder may need a second for its first frame of that size.
  job.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_NULL);
  const std::string id = daemon_.submit(job);
  daemon_.wait_for(id, [](const v1::Job& now) { return now.state() != v1::JOB_STATE_QUEUED; });

  const pid_t worker_before = worker();
  const auto second = [&] { return daemon_.device("cpu")->sample().time().seconds(); };
  EXPECT_TRUE(wait_until([&] { return second() > 0; }));
  const int64_t begin = second();
  EXPECT_TRUE(wait_until([&] { return second() >= begin + 4; }));
  EXPECT_EQ(worker(), worker_before);

  ASSERT_THAT(realtime->finish(), IsOk());
  EXPECT_THAT(realtime->pull(), IsOk());
  int pictures = 0;
  for (auto picture = normal->pull(); picture.ok() && picture->has_value(); picture = normal->pull())
    pictures++;
  EXPECT_EQ(pictures, 4);
  EXPECT_EQ(daemon_.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(worker(), worker_before);
}

TEST_F(StreamClientsTest, AClientThatNeverReadsCostsALittleAndStopsTheWorkNotTheOthers) {
  RawCall silent(daemon_, wish(v1::STREAM_TRANSPORT_MESSAGES));
  ASSERT_TRUE(silent.opened);
  const int64_t before = resident_bytes(daemon_.pid());
  std::atomic<int64_t> sent{0};
  std::thread sender([&] {
    while (silent.send_frame(sent)) sent++;
  });
  // When the slots are full, nothing advances: two samples in succession contain the same progress
  // of the stream.
  std::string time, before_last, last;
  EXPECT_TRUE(wait_until([&] {
    const auto device = daemon_.device("cpu");
    if (!device || device->sample().streams_size() != 1) return false;
    if (device->sample().time().SerializeAsString() == time) return false;
    time = device->sample().time().SerializeAsString();
    before_last = std::exchange(last, fmt::format("{} sent, {}", sent.load(), progress_of(*device)));
    return sent > 0 && last == before_last;
  })) << last;
  EXPECT_LT(sent, 200);
  check_service();
  EXPECT_LT(resident_bytes(daemon_.pid()), before + (int64_t{128} << 20));
  silent.context.TryCancel();
  sender.join();
}

Status pushed_until_refused(client::FrameStream& stream) {
  Status status;
  while (status.ok()) {
    status = stream.stage().status();
    if (status.ok()) status = stream.push();
  }
  return status;
}

TEST_F(ImpatientDaemonTest, AClientThatNeverReadsIsEnded) {
  const auto stream = open(wish(v1::STREAM_TRANSPORT_SHARED_MEMORY));
  ASSERT_NE(stream, nullptr);
  EXPECT_THAT(pushed_until_refused(*stream), StatusIs(StatusCode::kAborted, "takes no pictures"));

  RawCall silent(daemon_, wish(v1::STREAM_TRANSPORT_MESSAGES));
  for (int64_t i = 0; silent.send_frame(i); i++) {
  }  // until the daemon ends the call
  const grpc::Status end = silent.end();
  EXPECT_TRUE(end.error_code() == grpc::StatusCode::ABORTED ||
              end.error_code() == grpc::StatusCode::CANCELLED)
      << end.error_code() << end.error_message();
}

// A texture occupies the device for longer than the hang timeout of one second. The size that needs
// this time depends on the machine.
TEST_F(WatchfulDaemonTest, ALongTextureDoesNotHang) {
  constexpr int kLargest = 8192;
  const pid_t worker_before = worker();
  std::mt19937 random(1);
  int64_t seconds = 0;
  for (int size = 384; seconds <= 1; size *= 2) {
    ASSERT_LE(size, kLargest) << "none takes long enough to show something";
    const auto stream = open(textures(size, v1::BLOCK_QUALITY_BEST, v1::STREAM_TRANSPORT_AUTO));
    ASSERT_NE(stream, nullptr);
    const StatusOr<std::span<std::byte>> blocks = stream->stage();
    ASSERT_THAT(blocks, IsOk());
    for (std::byte& byte : *blocks) byte = std::byte(random());
    ASSERT_THAT(stream->push(), IsOk());
    ASSERT_THAT(stream->finish(), IsOk());
    const auto picture = stream->pull();
    ASSERT_THAT(picture, IsOk());
    ASSERT_TRUE(picture->has_value());
    EXPECT_EQ((*picture)->samples.size(), size_t(stream->opened().picture_bytes()));
    EXPECT_THAT(stream->pull(), IsOk());
    EXPECT_EQ(worker(), worker_before);
    seconds = stream->report().latency_max().seconds();
  }
}

TEST_F(ImpatientDaemonTest, AClientThatTakesNoTexturesIsEnded) {
  const auto stream = open(textures(16, v1::BLOCK_QUALITY_FAST, v1::STREAM_TRANSPORT_AUTO));
  ASSERT_NE(stream, nullptr);
  EXPECT_THAT(pushed_until_refused(*stream), StatusIs(StatusCode::kAborted, "takes no pictures"));
}

TEST_F(StreamClientsTest, ClientsOfTexturesThatVanishLeaveNothingBehind) {
  check_service();
  const pid_t worker_before = worker();
  const int worker_files = open_descriptors(worker_before);
  for (int i = 0; i < 12; i++) {
    const auto transport = i % 2 == 0 ? v1::STREAM_TRANSPORT_MESSAGES : v1::STREAM_TRANSPORT_SHARED_MEMORY;
    const auto stream = open(textures(256, v1::BLOCK_QUALITY_BEST, transport));
    ASSERT_NE(stream, nullptr);
    for (int k = 0; k < i % 3; k++) {
      EXPECT_THAT(stream->stage(), IsOk());
      EXPECT_THAT(stream->push(), IsOk());
    }
  }  // Each stream ends in the middle of a texture.
  EXPECT_TRUE(wait_until([&] { return open_descriptors(worker_before) <= worker_files; }));
  EXPECT_EQ(worker(), worker_before);
  v1::OpenStream nothing = textures(16, v1::BLOCK_QUALITY_FAST, v1::STREAM_TRANSPORT_AUTO);
  nothing.mutable_texture()->clear_source();
  const auto refused =
      client::FrameStream::open(*client::Connection::open({.server = daemon_.address()}), nothing);
  EXPECT_THAT(refused, StatusIs(StatusCode::kInvalidArgument, "format is not known"));
}

TEST_F(StreamClientsTest, ASlowClientGetsAllItsPictures) {
  const auto stream = open(wish(v1::STREAM_TRANSPORT_AUTO));
  ASSERT_NE(stream, nullptr);
  std::atomic<int> staged{0};  // number of frames that have received a slot
  std::thread pusher([&] {
    for (int i = 0; i < 60; i++) {
      EXPECT_THAT(stream->stage(), IsOk());
      staged++;
      EXPECT_THAT(stream->push(), IsOk());
    }
    EXPECT_THAT(stream->finish(), IsOk());
  });
  int64_t expected = 0;
  for (auto picture = stream->pull(); picture.ok() && picture->has_value(); picture = stream->pull()) {
    EXPECT_EQ((*picture)->facts.index(), expected);
    EXPECT_EQ((*picture)->facts.pts(), expected++);
    // The client is slow: it takes a picture only after the next frame but one is staged. Two
    // frames always find a slot.
    EXPECT_TRUE(wait_until([&] { return staged >= std::min<int64_t>(60, expected / 2 + 2); }));
  }
  EXPECT_EQ(expected, 120);
  pusher.join();
}

TEST_F(StreamClientsTest, ClientsThatVanishLeaveNothingBehind) {
  check_service();
  const pid_t worker_before = worker();
  const int daemon_files = open_descriptors(daemon_.pid());
  const int worker_files = open_descriptors(worker_before);
  for (int i = 0; i < 30; i++) {
    const auto transport = i % 2 == 0 ? v1::STREAM_TRANSPORT_MESSAGES : v1::STREAM_TRANSPORT_SHARED_MEMORY;
    const auto stream = open(wish(transport));
    ASSERT_NE(stream, nullptr);
    for (int k = 0; k < i % 5; k++) {
      EXPECT_THAT(stream->stage(), IsOk());
      EXPECT_THAT(stream->push(), IsOk());
    }
    if (i % 3 == 0) {
      EXPECT_THAT(stream->finish(), IsOk());
    }
  }  // Each stream ends in the middle of its call.
  EXPECT_TRUE(wait_until([&] { return open_descriptors(daemon_.pid()) <= daemon_files + 2; }));
  EXPECT_TRUE(wait_until([&] { return open_descriptors(worker_before) <= worker_files; }));
  EXPECT_EQ(worker(), worker_before);
}

TEST_F(StreamClientsTest, AWorkerKilledUnderAStreamEndsItWithWords) {
  for (const auto transport : {v1::STREAM_TRANSPORT_MESSAGES, v1::STREAM_TRANSPORT_SHARED_MEMORY}) {
    const auto stream = open(wish(transport));
    ASSERT_NE(stream, nullptr);
    const pid_t killed = worker();
    EXPECT_THAT(stream->stage(), IsOk());
    EXPECT_THAT(stream->push(), IsOk());
    ::kill(killed, SIGKILL);
    EXPECT_THAT(stream->pull(), StatusIs(StatusCode::kUnavailable, "signal 9"));
    EXPECT_TRUE(wait_until([&] {
      const auto device = daemon_.device("cpu");
      return device && device->state() == v1::DEVICE_STATE_IN_SERVICE && device->worker_pid() != killed;
    }));
  }
}

TEST_F(StreamClientsTest, FramesOfAWrongSizeAndMoreThanAnnouncedEndTheStream) {
  struct Case {
    const char* says;
    std::function<void(RawCall&)> act;
  };
  const auto part = [](RawCall& call, int64_t index, int64_t offset, size_t bytes) {
    v1::ProcessFramesRequest message;
    message.mutable_frame_part()->set_index(index);
    message.mutable_frame_part()->set_offset(offset);
    message.mutable_frame_part()->set_samples(std::string(bytes, 'x'));
    call.stream->Write(message);
  };
  const Case cases[] = {
      {"announced (1)", [](RawCall& call) { call.send_frame(0), call.send_frame(1); }},
      {"wrong size", [&](RawCall& call) { part(call, 0, 0, size_t(kPart) + 1); }},
      {"too large",
       [&](RawCall& call) {
         for (int64_t offset = 0; offset < kFrameBytes; offset += kPart) part(call, 0, offset, size_t(kPart));
       }},
      {"is cut",
       [&](RawCall& call) {
         part(call, 0, 0, 10);
         call.stream->WritesDone();
       }},
      {"none was offered",
       [](RawCall& call) {
         v1::ProcessFramesRequest message;
         message.mutable_frame_ready();
         call.stream->Write(message);
       }},
  };
  for (const Case& each : cases) {
    v1::OpenStream open = wish(v1::STREAM_TRANSPORT_MESSAGES);
    open.set_frames(1);
    RawCall call(daemon_, open);
    ASSERT_TRUE(call.opened);
    each.act(call);
    const grpc::Status end = call.end();
    EXPECT_EQ(end.error_code(), grpc::StatusCode::INVALID_ARGUMENT) << each.says;
    EXPECT_THAT(end.error_message(), HasSubstr(each.says));
  }
  RawCall huge(daemon_, wish(v1::STREAM_TRANSPORT_MESSAGES));
  part(huge, 0, 0, size_t{2} << 20);
  EXPECT_EQ(huge.end().error_code(), grpc::StatusCode::RESOURCE_EXHAUSTED);
}

// Random messages, some of them valid, on streams of both kinds.
TEST_F(StreamClientsTest, NonsenseEndsTheStreamAndNothingElse) {
  std::mt19937 random(7);
  const auto some = [&](int limit) { return int(random() % uint32_t(limit)); };
  for (int round = 0; round < 60; round++) {
    RawCall call(daemon_, wish(round % 2 == 0 ? v1::STREAM_TRANSPORT_MESSAGES : v1::STREAM_TRANSPORT_AUTO));
    ASSERT_TRUE(call.opened);
    bool writable = true;
    for (int64_t index = 0, k = 0; writable && k < 40; k++) {
      v1::ProcessFramesRequest message;
      switch (some(12)) {
        case 0:
          *message.mutable_open() = wish(v1::STREAM_TRANSPORT_AUTO);
          break;
        case 1:
          message.mutable_picture_taken()->set_slot(some(40) - 4);
          break;
        case 2:
          message.mutable_frame_part()->set_samples(std::string(size_t(some(1000)), 'x'));
          break;
        case 3:
          message.mutable_end_of_frames();
          break;
        default:
          message.mutable_frame_ready()->set_index(index++);
          message.mutable_frame_ready()->set_slot(some(18));
          message.mutable_frame_ready()->mutable_facts()->set_field_order(v1::FieldOrder(some(9)));
          message.mutable_frame_ready()->mutable_facts()->set_discontinuity(some(3) == 0);
      }
      writable = call.stream->Write(message);
    }
    call.context.TryCancel();
  }
  EXPECT_TRUE(daemon_.is_running());
}

TEST_F(StreamClientsTest, APipeThatIsKilledEndsItsStream) {
  const int before = open_descriptors(daemon_.pid());
  make_y4m("in.y4m", 2);
  // The program is killed during its work, with its input open, after it has written output.
  EXPECT_EQ(shell("mkfifo feed got; " WEFT " pipe bwdif < feed > got & exec 3> feed 4< got; cat in.y4m >&3; "
                  "head -c 1 <&4 > first; kill -KILL $!; wait $!"),
            137);
  EXPECT_EQ(read_file(path("first")).size(), 1u);
  EXPECT_TRUE(wait_until([&] { return open_descriptors(daemon_.pid()) <= before + 2; }));
}

}  // namespace
}  // namespace weft::scenarios
