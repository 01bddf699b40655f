// SPDX-License-Identifier: Apache-2.0
#include "client_cli/top/top_view.h"

#include <clocale>

#include <gmock/gmock.h>

#include "client_cli/output/text.h"
#include "client_cli/top/top_devices.h"

namespace weft::cli {
namespace {

// Returns the text with doubled backslashes, as printable text shows them.
std::string doubled(const std::string& text) {
  std::string result;
  for (const char c : text) result += c == '\\' ? "\\\\" : std::string(1, c);
  return result;
}

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Kind = TopOrder::Kind;

constexpr double kNow = 1'800'000'000;

std::string text_of(const std::vector<TableRow>& lines) {
  std::string text;
  for (const TableRow& line : lines) text += paint(Terminal(), line) + "\n";
  return text;
}

void set_milliseconds(google::protobuf::Duration* duration, int milliseconds) {
  duration->set_seconds(milliseconds / 1000);
  duration->set_nanos(milliseconds % 1000 * 1'000'000);
}

v1::StreamSample& add_stream(v1::DeviceStatus& device, uint64_t number, v1::StreamClass stream_class,
                             const std::string& owner) {
  v1::StreamSample& stream = *device.mutable_sample()->add_streams();
  stream.set_stream(number);
  stream.set_stream_class(stream_class);
  stream.set_owner(owner);
  stream.set_filter("bwdif");
  stream.mutable_format()->set_width(1920);
  stream.mutable_format()->set_height(1080);
  stream.set_pictures_per_second(50);
  stream.mutable_report()->set_pictures_out(1000);
  set_milliseconds(stream.mutable_report()->mutable_latency_p50(), 4);
  set_milliseconds(stream.mutable_report()->mutable_latency_p99(), 9);
  if (stream_class != v1::STREAM_CLASS_REALTIME) return stream;
  stream.mutable_report()->set_missed(2);
  set_milliseconds(stream.mutable_deadline(), 20);
  return stream;
}

v1::DeviceStatus device(const std::string& id) {
  v1::DeviceStatus device;
  device.set_id(id);
  device.set_name("A device of a test");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  device.set_memory_bytes(int64_t(80) << 30);
  v1::DeviceSample& sample = *device.mutable_sample();
  sample.mutable_time()->set_seconds(int64_t(kNow));
  sample.mutable_interval()->set_seconds(1);
  sample.set_memory_used_bytes(int64_t(3) << 30);
  sample.set_last_batch_units(8);
  sample.set_units_per_second(123.4);
  v1::ScheduleSample& schedule = *sample.mutable_schedule();
  set_milliseconds(schedule.mutable_realtime_busy(), 200);
  set_milliseconds(schedule.mutable_normal_busy(), 300);
  set_milliseconds(schedule.mutable_spare_busy(), 100);
  set_milliseconds(schedule.mutable_foreign(), 50);
  set_milliseconds(schedule.mutable_budget(), 500);
  return device;
}

v1::Job& add_job(TopState& state, const std::string& id, v1::JobState job_state,
                 v1::JobClass job_class = v1::JOB_CLASS_NORMAL, const std::string& owner = "anna") {
  v1::Job& job = state.jobs[id];
  job.set_id(id);
  job.set_state(job_state);
  job.mutable_settings()->set_job_class(job_class);
  job.mutable_settings()->set_owner(owner);
  job.mutable_spec()->mutable_video()->set_input("/films/" + id + ".ts");
  job.mutable_spec()->mutable_video()->set_output("/films/" + id + ".mkv");
  job.mutable_submit_time()->set_seconds(int64_t(kNow) - 90);
  if (job_state == v1::JOB_STATE_QUEUED) job.set_waiting_reason("The device cpu is busy.");
  if (job_state != v1::JOB_STATE_RUNNING) return job;
  job.set_device("cpu");
  job.mutable_progress()->set_units_done(50);
  job.mutable_progress()->set_units_total(200);
  job.mutable_progress()->set_units_per_second(25);
  job.mutable_progress()->mutable_eta()->set_seconds(6);
  return job;
}

TopState empty_state() {
  TopState state;
  state.server = "unix:/run/weft/weft.sock";
  state.now = kNow;
  state.complete = true;
  return state;
}

TopState usual_state() {
  TopState state = empty_state();
  state.devices = {device("cuda:0")};
  add_stream(state.devices[0], 3, v1::STREAM_CLASS_REALTIME, "anna");
  add_stream(state.devices[0], 4, v1::STREAM_CLASS_NORMAL, "ben");
  add_job(state, "01JA", v1::JOB_STATE_QUEUED);
  add_job(state, "01JB", v1::JOB_STATE_RUNNING, v1::JOB_CLASS_NORMAL, "ben");
  add_job(state, "01JC", v1::JOB_STATE_QUEUED, v1::JOB_CLASS_SPARE, "ben");
  add_job(state, "01JD", v1::JOB_STATE_PAUSED);
  add_job(state, "01JE", v1::JOB_STATE_QUEUED).mutable_settings()->set_priority(5);
  state.jobs["01JE"].set_position(1);
  state.jobs["01JA"].set_position(2);
  state.jobs["01JC"].set_position(3);
  state.ended[v1::JOB_STATE_SUCCEEDED] = 7;
  return state;
}

// Returns a state with more rows than any terminal shows, and with names of control characters.
TopState crowded_state() {
  TopState state = empty_state();
  for (int i = 0; i < 8; i++) {
    state.devices.push_back(device("cuda:" + std::to_string(i)));
    for (int stream = 0; stream < 8; stream++)
      add_stream(state.devices.back(), uint64_t(i * 8 + stream), v1::STREAM_CLASS_REALTIME,
                 stream % 2 == 0 ? "映像映像映像" : "\x1b[31m\xff\n");
  }
  state.devices[3].set_state(v1::DEVICE_STATE_OUT_OF_SERVICE);
  state.devices[3].set_reason("Its worker died\n\x1b[2J three times.");
  state.devices[5].clear_sample();
  for (int i = 0; i < 300; i++)
    add_job(state, fmt::format("01J{:05}", i), i < 5 ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_QUEUED)
        .mutable_spec()
        ->mutable_video()
        ->set_input(i % 3 == 0 ? "/films/映像映像映像映像映像映像映像映像.ts" : "/films/a\tb\x7f\n.ts");
  return state;
}

class TopView : public ::testing::Test {
 protected:
  TopView() { std::setlocale(LC_CTYPE, "C.UTF-8"); }

  std::string show(const TopState& state, TopSize size = {}) {
    return text_of(lay_out_top(state, choices_, size));
  }
  TopOrder type(Key key, const TopState& state) {
    const TopOrder order = press(key, state, {80, 24}, choices_);
    settle(state, choices_);
    return order;
  }

  TopChoices choices_;
};

TEST_F(TopView, ShowsDevicesStreamsAndTheQueue) {
  EXPECT_EQ(
      show(usual_state()),
      "weft top  unix:/run/weft/weft.sock\n"
      "cuda:0  in-service  A device of a test  memory 3.0 GiB of 80.0 GiB\n"
      "  ██████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒▒▒▒▒░░░················· 65%\n"
      "  █ realtime 20%   ▓ normal 30%   ▒ spare 10%   ░ others 5%   · idle 35%\n"
      "  budget 500 ms, used 400 ms (80%)   batch 8   123.4 units/s   0 jobs\n"
      "  STREAM    CLASS     OWNER  FILTER  FRAMES      FPS     P50     P99  DEADLINE    MISSED\n"
      "  stream 3  realtime  anna   bwdif   1920x1080  50.0  4.0 ms  9.0 ms   20.0 ms  2 (0.2%)\n"
      "  stream 4  normal    ben    bwdif   1920x1080  50.0  4.0 ms  9.0 ms         -         -\n"
      "\n"
      "QUEUE   1 running   3 queued (1 spare)   1 paused   7 succeeded\n"
      "  ID    STATE    CLASS   PRIORITY  OWNER   DONE   FPS      ETA  DEVICE    AGE  FILES                "
      "WAITS BECAUSE\n"
      "  01JB  running  normal         0  ben    25.0%  25.0  0:00:06  cpu     1 min  01JB.ts -> 01JB.mkv\n"
      "  01JE  queued   normal         5  anna       -     -        -  -       1 min  01JE.ts -> 01JE.mkv  "
      "The "
      "device cpu is busy.\n"
      "  01JA  queued   normal         0  anna       -     -        -  -       1 min  01JA.ts -> 01JA.mkv  "
      "The "
      "device cpu is busy.\n"
      "  01JC  queued   spare          0  ben        -     -        -  -       1 min  01JC.ts -> 01JC.mkv  "
      "The "
      "device cpu is busy.\n"
      "  01JD  paused   normal         0  anna       -     -        -  -       1 min  01JD.ts -> 01JD.mkv\n");
}

TEST_F(TopView, FitsEveryTerminal) {
  TopState stale = crowded_state();
  stale.stale_seconds = 12;
  stale.lost = true;
  TopState unknown = empty_state();
  unknown.complete = false;
  for (const TopState& state : {empty_state(), unknown, usual_state(), crowded_state(), stale})
    for (const TopPart part : {TopPart::kBoth, TopPart::kDevices, TopPart::kQueue})
      for (const bool help : {false, true})
        for (const size_t columns : {1, 2, 7, 20, 41, 80, 300})
          for (size_t rows = 1; rows < 60; rows += rows < 8 ? 1 : 13) {
            choices_ = {};
            choices_.part = part;
            choices_.selected = "01J00250";
            choices_.help = help;
            const auto lines = lay_out_top(state, choices_, {columns, rows});
            ASSERT_LE(lines.size(), rows) << columns;
            for (const TableRow& line : lines) {
              ASSERT_LE(display_width(line), columns) << rows << ": " << paint(Terminal(), line);
              for (const Cell& cell : line)
                ASSERT_EQ(printable(cell.text), doubled(cell.text)) << "a name acts";
            }
          }
}

TEST_F(TopView, WhatDoesNotFitIsCounted) {
  const std::string shown = show(crowded_state(), {100, 24});
  EXPECT_THAT(shown, AllOf(HasSubstr("QUEUE"), HasSubstr("01J00000"), HasSubstr("cuda:7")));
  EXPECT_THAT(show(crowded_state(), {100, 12}), HasSubstr("more devices"));
  TopState streams = empty_state();
  streams.devices = {crowded_state().devices[0]};
  const std::string few = show(streams, {100, 14});
  EXPECT_THAT(few,
              AllOf(HasSubstr("stream 0 "), HasSubstr("more streams"), HasSubstr("No job runs or waits.")));
}

TEST_F(TopView, NarrowTerminalsKeepWhatMattersMost) {
  const std::string shown = show(usual_state(), {50, 24});
  EXPECT_THAT(shown, AllOf(HasSubstr("stream 3"), HasSubstr("2 (0.2%)"), HasSubstr("9.0 ms"),
                           HasSubstr("01JB"), HasSubstr("running"), HasSubstr("25.0%")));
  EXPECT_THAT(shown, Not(HasSubstr("PRIORITY")));
}

TEST_F(TopView, TheBarIsAsLongAsItsParts) {
  v1::DeviceSample sample = device("cpu").sample();
  EXPECT_EQ(paint(Terminal(), time_bar(sample, 20)), "████▓▓▓▓▓▓▒▒░·······");
  for (size_t width = 0; width < 70; width++) EXPECT_EQ(display_width(time_bar(sample, width)), width);
  // The sum exceeds the available time.
  set_milliseconds(sample.mutable_schedule()->mutable_normal_busy(), 900);
  EXPECT_EQ(paint(Terminal(), time_bar(sample, 10)), "██▓▓▓▓▓▓▓▒") << "scaled";
}

TEST_F(TopView, WhatIsStaleSaysSo) {
  TopState state = usual_state();
  state.stale_seconds = 75;
  EXPECT_THAT(show(state), HasSubstr("The daemon does not answer; showing the state of 1 min ago."));
  state.lost = true;
  EXPECT_THAT(show(state),
              HasSubstr("The connection is lost; showing the state of 1 min ago. Reconnecting."));
  state = usual_state();
  state.now += 30;  // One of several workers reports nothing.
  EXPECT_THAT(show(state), HasSubstr("(as it was 30 s ago)"));
}

// Owners share the devices, so the daemon determines the order. It does not follow from classes and
// priorities alone.
TEST_F(TopView, APausedQueueIsSaidToBe) {
  TopState state = usual_state();
  EXPECT_THAT(show(state, {100, 24}), Not(HasSubstr("weft queue resume")));
  state.devices[0].set_queue_paused(true);
  EXPECT_THAT(show(state, {100, 24}), HasSubstr("   paused: `weft queue resume`\n"));
}

TEST_F(TopView, TheQueueHasTheDaemonsOrder) {
  TopState state = usual_state();
  state.jobs["01JC"].set_position(1);
  state.jobs["01JE"].set_position(3);
  state.jobs["01JA"].set_position(0);  // The job waits before its next attempt.
  std::string ids;
  for (const v1::Job* job : chosen_jobs(state, choices_)) ids += job->id().back();
  EXPECT_EQ(ids, "BCEAD");
}

TEST_F(TopView, SortsAndFilters) {
  const TopState state = usual_state();
  const auto order = [&] {
    std::string ids;
    for (const v1::Job* job : chosen_jobs(state, choices_)) ids += job->id().back();
    return ids;
  };
  EXPECT_EQ(order(), "BEACD")
      << "running jobs, then as the daemon takes them, then those that are not in line";
  const std::pair<TopSort, const char*> sorts[] = {{TopSort::kDone, "BACDE"},
                                                   {TopSort::kRate, "BACDE"},
                                                   {TopSort::kEta, "BACDE"},
                                                   {TopSort::kOwner, "ADEBC"},
                                                   {TopSort::kAge, "ABCDE"}};
  for (const auto& [sort, expected] : sorts) {
    type(Key('s'), state);
    EXPECT_EQ(choices_.sort, sort);
    EXPECT_EQ(order(), expected) << int(sort);
  }
  choices_ = {};
  type(Key('f'), state);
  EXPECT_EQ(order(), "") << "no job is realtime";
  EXPECT_THAT(show(state),
              AllOf(HasSubstr("class realtime"), HasSubstr("stream 3"), Not(HasSubstr("stream 4")),
                    HasSubstr("No job is of this class and owner.")));
  type(Key('f'), state);
  type(Key('f'), state);
  EXPECT_EQ(order(), "C");
  type(kKeyEscape, state);
  type(Key('o'), state);
  EXPECT_EQ(order(), "EAD") << "anna's";
  type(Key('o'), state);
  EXPECT_EQ(order(), "BC");
  type(Key('o'), state);
  EXPECT_EQ(order(), "BEACD");
}

TEST_F(TopView, TheChosenJobStaysChosenAndInSight) {
  TopState state = crowded_state();
  type(kKeyDown, state);
  EXPECT_EQ(choices_.selected, "01J00000");
  type(Key('j'), state);
  type(kKeyPageDown, state);
  EXPECT_EQ(choices_.selected, "01J00011");
  EXPECT_THAT(show(state, {80, 24}), HasSubstr("> 01J00011"));
  state.jobs.erase("01J00004");  // The job has ended, and the rows below move up.
  settle(state, choices_);
  EXPECT_EQ(choices_.row, 10u);
  state.jobs.erase("01J00011");
  settle(state, choices_);
  EXPECT_EQ(choices_.selected, "01J00012") << "the one in its place";
  type(kKeyEnd, state);
  EXPECT_EQ(choices_.selected, "01J00299");
  type(kKeyDown, state);
  EXPECT_EQ(choices_.selected, "01J00299");
  type(kKeyHome, state);
  type(Key('k'), state);
  EXPECT_EQ(choices_.selected, "01J00000");
  state.jobs.clear();
  settle(state, choices_);
  EXPECT_EQ(choices_.selected, "");
}

TEST_F(TopView, DevicesAloneAreScrolledToTheirEndAndNoFurther) {
  const TopState state = crowded_state();
  type(kKeyTab, state);
  EXPECT_EQ(choices_.part, TopPart::kDevices);
  EXPECT_THAT(show(state, {80, 24}), Not(HasSubstr("QUEUE")));
  type(kKeyEnd, state);
  EXPECT_THAT(show(state, {80, 24}), HasSubstr("stream 63"));
  type(kKeyUp, state);
  EXPECT_THAT(show(state, {80, 24}), Not(HasSubstr("stream 63"))) << "one line up at once";
  type(kKeyTab, state);
  EXPECT_THAT(show(state, {80, 24}), AllOf(HasSubstr("QUEUE"), Not(HasSubstr("stream "))));
}

TEST_F(TopView, OrdersWantAYes) {
  TopState state = usual_state();
  EXPECT_EQ(type(Key('c'), state).kind, Kind::kNone);
  EXPECT_THAT(show(state, {80, 24}), HasSubstr("Select a job first"));
  type(kKeyDown, state);
  EXPECT_EQ(type(Key('c'), state).kind, Kind::kNone);
  EXPECT_THAT(show(state, {80, 24}), HasSubstr("Cancel job 01JB? y: yes, any other key: no"));
  EXPECT_EQ(type(Key('q'), state).kind, Kind::kNone) << "no";
  type(Key('c'), state);
  // The job ends while the question is shown. No other job may be cancelled instead.
  state.jobs.erase("01JB");
  settle(state, choices_);
  const TopOrder order = type(Key('y'), state);
  EXPECT_EQ(order.kind, Kind::kCancel);
  EXPECT_EQ(order.job, "01JB");
  choices_.selected = "01JD";
  type(Key('p'), state);
  EXPECT_EQ(type(Key('y'), state).kind, Kind::kResume);
  choices_.selected = "01JE";
  type(Key('p'), state);
  EXPECT_EQ(type(Key('y'), state).kind, Kind::kPause);
  EXPECT_EQ(type(Key('q'), state).kind, Kind::kQuit);
}

TEST_F(TopView, HelpNamesTheKeysAndAnyKeyClosesIt) {
  type(Key('?'), usual_state());
  EXPECT_THAT(show(usual_state(), {80, 24}),
              AllOf(HasSubstr("cancel the chosen job"), Not(HasSubstr("QUEUE"))));
  EXPECT_EQ(type(Key('q'), usual_state()).kind, Kind::kNone);
  EXPECT_FALSE(choices_.help);
}

TEST(TopKeys, SequencesAreKeys) {
  std::string bytes = "q\x1b[A\x1bOB\x1b[5~\x1b[6~\x1b[H\x1b[4~\t";
  EXPECT_THAT(take_keys(bytes),
              ElementsAre(Key('q'), kKeyUp, kKeyDown, kKeyPageUp, kKeyPageDown, kKeyHome, kKeyEnd, kKeyTab));
  EXPECT_EQ(bytes, "");
  bytes = "\x1b";
  EXPECT_THAT(take_keys(bytes), ElementsAre(kKeyEscape));
  bytes = "j\x1b[";  // The rest of the sequence has not arrived.
  EXPECT_THAT(take_keys(bytes), ElementsAre(Key('j')));
  bytes += "B";
  EXPECT_THAT(take_keys(bytes), ElementsAre(kKeyDown));
  bytes = "\x1b[1;5A\xc3\xa9k";  // Ctrl-Up and é have no effect.
  EXPECT_THAT(take_keys(bytes), ElementsAre(Key('k')));
}

}  // namespace
}  // namespace weft::cli
